/* What a heap can be grouped by: a row in the table at the end for each. */
#include <inttypes.h>
#include <stdio.h>

#include "memprof/analysis.h"
#include "support/index.h"
#include "support/text.h"

enum { LONGEST_KEY = 64 * 1024, LONGEST_CLASS = 1024 };

/* Keys of things without a name must not meet those of strings. */
static const uint64_t nameless = (uint64_t)1 << 32;

static const mp_lot *lot_of(const mp_model *model, const mp_cohort *cohort)
{
    return &model->lots.at[cohort->lot.i];
}

static uint64_t type_key(const mp_model *model, mp_type_id type)
{
    uint32_t name = model->types.at[type.i].name.i;
    return name ? name : nameless | type.i;
}

static uint64_t symbol_key(const mp_model *model, mp_symbol_id symbol)
{
    uint32_t name = model->symbols.at[symbol.i].name.i;
    return name ? name : symbol.i ? nameless | symbol.i : 0;
}

static uint32_t tree_of(const mp_model *model, const mp_lot *lot)
{
    return model->tree_of[lot->node.i];
}

/* Where a lot's objects were created, for people: without the frames of allocators. */
static mp_frame frame_of(const mp_model *model, const mp_lot *lot)
{
    return mp_frame_naming(model, (mp_frame){tree_of(model, lot), lot->line});
}

static uint64_t source_key(const mp_model *model, uint32_t node)
{
    mp_symbol_id symbol = model->tree.at[node].symbol;
    return symbol.i ? symbol_key(model, symbol) : node ? nameless << 1 | node : 0;
}

/* --- type --- */

static mp_key by_type(const mp_model *model, const mp_cohort *cohort)
{
    return (mp_key){type_key(model, mp_lot_type(model, lot_of(model, cohort))), 0};
}

static int type_text(const mp_model *model, const mp_cohort *cohort, char *text, size_t size)
{
    return mp_type_label(model, mp_lot_type(model, lot_of(model, cohort)), text, size);
}

/* --- site: type, node, line --- */

static mp_key by_site(const mp_model *model, const mp_cohort *cohort)
{
    const mp_lot *lot = lot_of(model, cohort);
    return (mp_key){type_key(model, mp_site_type(model, lot)),
                    (uint64_t)tree_of(model, lot) << 32 | lot->line};
}

static int site_text(const mp_model *model, const mp_cohort *cohort, char *text, size_t size)
{
    const mp_lot *lot = lot_of(model, cohort);
    int used = mp_type_label(model, mp_site_type(model, lot), text, size);
    used += snprintf(mp_label_rest(text, size, used), mp_label_room(size, used), " at ");
    return used + mp_frame_label(model, frame_of(model, lot), mp_label_rest(text, size, used),
                                 mp_label_room(size, used));
}

/* --- source, line --- */

static mp_key by_source(const mp_model *model, const mp_cohort *cohort)
{
    return (mp_key){source_key(model, frame_of(model, lot_of(model, cohort)).node), 0};
}

static int source_text(const mp_model *model, const mp_cohort *cohort, char *text, size_t size)
{
    return mp_tree_label(model, frame_of(model, lot_of(model, cohort)).node, text, size);
}

static mp_key by_line(const mp_model *model, const mp_cohort *cohort)
{
    mp_frame frame = frame_of(model, lot_of(model, cohort));
    return (mp_key){source_key(model, frame.node), frame.line};
}

static int line_text(const mp_model *model, const mp_cohort *cohort, char *text, size_t size)
{
    return mp_frame_label(model, frame_of(model, lot_of(model, cohort)), text, size);
}

/* --- name --- */

static mp_key by_name(const mp_model *model, const mp_cohort *cohort)
{
    return (mp_key){symbol_key(model, lot_of(model, cohort)->name), 0};
}

static int name_text(const mp_model *model, const mp_cohort *cohort, char *text, size_t size)
{
    const mp_lot *lot = lot_of(model, cohort);
    if (!lot->name.i)
        return snprintf(text, size, "(unnamed)");
    return mp_symbol_label(model, lot->name, text, size);
}

/* --- node: the whole stack, without the line of creation --- */

static mp_key by_node(const mp_model *model, const mp_cohort *cohort)
{
    return (mp_key){tree_of(model, lot_of(model, cohort)), 0};
}

static int node_text(const mp_model *model, const mp_cohort *cohort, char *text, size_t size)
{
    mp_frame frame = {tree_of(model, lot_of(model, cohort)), 0};
    int used = mp_tree_label(model, frame.node, text, size);
    /* A stack may be as deep as a recursion went; nobody reads a key of more than this. */
    while (used < LONGEST_KEY && mp_frame_caller(model, &frame)) {
        used += snprintf(mp_label_rest(text, size, used), mp_label_room(size, used), " < ");
        used += mp_frame_label(model, frame, mp_label_rest(text, size, used),
                               mp_label_room(size, used));
    }
    return used;
}

/* --- scope: the owner's type and name --- */

static mp_key by_scope(const mp_model *model, const mp_cohort *cohort)
{
    mp_lot_id owner = lot_of(model, cohort)->owner;
    if (owner.i <= MP_LOT_UNKNOWN)
        return (mp_key){0, owner.i};
    const mp_lot *lot = &model->lots.at[owner.i];
    return (mp_key){type_key(model, lot->type), symbol_key(model, lot->name)};
}

static int scope_text(const mp_model *model, const mp_cohort *cohort, char *text, size_t size)
{
    mp_lot_id owner = lot_of(model, cohort)->owner;
    if (owner.i <= MP_LOT_UNKNOWN)
        return snprintf(text, size, owner.i ? "(unknown)" : "(none)");
    const mp_lot *lot = &model->lots.at[owner.i];
    int used = mp_type_label(model, lot->type, text, size);
    used += snprintf(mp_label_rest(text, size, used), mp_label_room(size, used), " ");
    char *rest = mp_label_rest(text, size, used);
    size_t room = mp_label_room(size, used);
    return used + (lot->name.i ? mp_symbol_label(model, lot->name, rest, room)
                               : snprintf(rest, room, "(unnamed)"));
}

/* --- thread --- */

static int or_none(const mp_model *model, mp_string_id id, char *text, size_t size)
{
    return snprintf(text, size, "%s", id.i ? mp_model_text(model, id) : "(none)");
}

static mp_key by_thread(const mp_model *model, const mp_cohort *cohort)
{
    return (mp_key){lot_of(model, cohort)->thread.i, 0};
}

static int thread_text(const mp_model *model, const mp_cohort *cohort, char *text, size_t size)
{
    return or_none(model, lot_of(model, cohort)->thread, text, size);
}

/* --- class, of the innermost member function --- */

static mp_key by_class(const mp_model *model, const mp_cohort *cohort)
{
    char name[LONGEST_CLASS];
    const mp_lot *lot = lot_of(model, cohort);
    int length =
        mp_class_label(model, (mp_frame){tree_of(model, lot), lot->line}, name, sizeof name);
    size_t used = (size_t)length < sizeof name ? (size_t)length : sizeof name - 1;
    return (mp_key){length ? mp_hash_bytes(name, used) : 0, (uint64_t)length};
}

static int class_text(const mp_model *model, const mp_cohort *cohort, char *text, size_t size)
{
    const mp_lot *lot = lot_of(model, cohort);
    int length = mp_class_label(model, (mp_frame){tree_of(model, lot), lot->line}, text, size);
    return length ? length : snprintf(text, size, "(none)");
}

/* --- request, api: of the snapshot in which an object first appears --- */

static mp_key by_request(const mp_model *model, const mp_cohort *cohort)
{
    return (mp_key){model->marks.at[cohort->born.i].request.i, 0};
}

static mp_key by_api(const mp_model *model, const mp_cohort *cohort)
{
    return (mp_key){model->marks.at[cohort->born.i].request_api.i, 0};
}

static int request_text(const mp_model *model, const mp_cohort *cohort, char *text, size_t size)
{
    return or_none(model, model->marks.at[cohort->born.i].request, text, size);
}

static int api_text(const mp_model *model, const mp_cohort *cohort, char *text, size_t size)
{
    return or_none(model, model->marks.at[cohort->born.i].request_api, text, size);
}

enum {
    RECORDINGS = 1 << MP_KIND_RECORDING,
    NATIVE = 1 << MP_KIND_EVENTS | 1 << MP_KIND_DATABASE,
    STACKS = RECORDINGS | NATIVE,
};

static const mp_dimension dimensions[] = {
    {"type", "type of object", by_type, type_text, .of_lot = true},
    {"site", "allocation site: type, call-tree node and line", by_site, site_text, .of_lot = true,
     .kinds = STACKS},
    {"source", "source or function that created it", by_source, source_text, .of_lot = true,
     .kinds = STACKS},
    {"line", "line that created it", by_line, line_text, .of_lot = true, .kinds = STACKS},
    {"name", "name of the object", by_name, name_text, .of_lot = true, .kinds = RECORDINGS},
    {"node", "call-tree node that created it: its whole stack", by_node, node_text, .of_lot = true,
     .kinds = STACKS},
    {"function", "every source or function on the stack; an object is in several groups", NULL,
     NULL, .of_frames = true, .kinds = STACKS},
    {"class", "class of the innermost member function", by_class, class_text, .of_lot = true,
     .kinds = NATIVE},
    {"thread", "thread that created it", by_thread, thread_text, .of_lot = true, .kinds = NATIVE},
    {"scope", "object that it is scoped to, by type and name", by_scope, scope_text, .of_lot = true,
     .kinds = RECORDINGS},
    {"request", "request during which it appeared", by_request, request_text, .kinds = RECORDINGS},
    {"api", "API called by that request", by_api, api_text, .kinds = RECORDINGS},
};

const mp_dimension *mp_dimensions(size_t *count)
{
    *count = sizeof dimensions / sizeof *dimensions;
    return dimensions;
}

bool mp_dimension_fits(const mp_dimension *dimension, const mp_model *model)
{
    return !dimension->kinds || dimension->kinds & 1u << model->kind;
}

const mp_dimension *mp_dimension_find(const char *name)
{
    for (size_t i = 0; i < sizeof dimensions / sizeof *dimensions; i++)
        if (mp_text_is(dimensions[i].name, name))
            return &dimensions[i];
    return NULL;
}
