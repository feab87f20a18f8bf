/* What a heap can be grouped by: a row in the table at the end for each. */
#include <inttypes.h>
#include <stdio.h>

#include "base/index.h"
#include "base/text.h"
#include "query/group.h"
#include "query/labels.h"

enum { LONGEST_KEY = 64 * 1024, LONGEST_CLASS = 1024 };

/* Keys of things without a name must not meet those of strings. */
static const uint64_t nameless = (uint64_t)1 << 32;

static const mp_context *context_of(const mp_model *model, const mp_generation *generation)
{
    return &model->contexts.at[generation->context.i];
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

static uint32_t tree_of(const mp_model *model, const mp_context *context)
{
    return model->tree_of[context->node.i];
}

/* Where a context's objects were created, for people: without the frames of allocators. */
static mp_frame frame_of(const mp_model *model, const mp_context *context)
{
    return mp_frame_naming(model, (mp_frame){tree_of(model, context), context->line});
}

static uint64_t source_key(const mp_model *model, uint32_t node)
{
    mp_symbol_id symbol = model->tree.at[node].symbol;
    return symbol.i ? symbol_key(model, symbol) : node ? nameless << 1 | node : 0;
}

/* --- type --- */

static mp_key by_type(const mp_model *model, const mp_generation *generation)
{
    return (mp_key){type_key(model, mp_context_type(model, context_of(model, generation))), 0};
}

static int type_text(const mp_model *model, const mp_generation *generation, char *text,
                     size_t size)
{
    return mp_type_label(model, mp_context_type(model, context_of(model, generation)), text, size);
}

/* --- site: type, node, line --- */

static mp_key by_site(const mp_model *model, const mp_generation *generation)
{
    const mp_context *context = context_of(model, generation);
    return (mp_key){type_key(model, mp_site_type(model, context)),
                    (uint64_t)tree_of(model, context) << 32 | context->line};
}

static int site_text(const mp_model *model, const mp_generation *generation, char *text,
                     size_t size)
{
    const mp_context *context = context_of(model, generation);
    int used = mp_type_label(model, mp_site_type(model, context), text, size);
    used += snprintf(mp_label_rest(text, size, used), mp_label_room(size, used), " at ");
    return used + mp_frame_label(model, frame_of(model, context), mp_label_rest(text, size, used),
                                 mp_label_room(size, used));
}

/* --- source, line --- */

static mp_key by_source(const mp_model *model, const mp_generation *generation)
{
    return (mp_key){source_key(model, frame_of(model, context_of(model, generation)).node), 0};
}

static int source_text(const mp_model *model, const mp_generation *generation, char *text,
                       size_t size)
{
    return mp_tree_label(model, frame_of(model, context_of(model, generation)).node, text, size);
}

static mp_key by_line(const mp_model *model, const mp_generation *generation)
{
    mp_frame frame = frame_of(model, context_of(model, generation));
    return (mp_key){source_key(model, frame.node), frame.line};
}

static int line_text(const mp_model *model, const mp_generation *generation, char *text,
                     size_t size)
{
    return mp_frame_label(model, frame_of(model, context_of(model, generation)), text, size);
}

/* --- name --- */

static mp_key by_name(const mp_model *model, const mp_generation *generation)
{
    return (mp_key){symbol_key(model, context_of(model, generation)->name), 0};
}

static int name_text(const mp_model *model, const mp_generation *generation, char *text,
                     size_t size)
{
    const mp_context *context = context_of(model, generation);
    if (!context->name.i)
        return snprintf(text, size, "(unnamed)");
    return mp_symbol_label(model, context->name, text, size);
}

/* --- node: the whole stack, without the line of creation --- */

static mp_key by_node(const mp_model *model, const mp_generation *generation)
{
    return (mp_key){tree_of(model, context_of(model, generation)), 0};
}

static int node_text(const mp_model *model, const mp_generation *generation, char *text,
                     size_t size)
{
    mp_frame frame = {tree_of(model, context_of(model, generation)), 0};
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

static mp_key by_scope(const mp_model *model, const mp_generation *generation)
{
    mp_context_id owner = context_of(model, generation)->owner;
    if (owner.i <= MP_CONTEXT_UNKNOWN)
        return (mp_key){0, owner.i};
    const mp_context *context = &model->contexts.at[owner.i];
    return (mp_key){type_key(model, context->type), symbol_key(model, context->name)};
}

static int scope_text(const mp_model *model, const mp_generation *generation, char *text,
                      size_t size)
{
    mp_context_id owner = context_of(model, generation)->owner;
    if (owner.i <= MP_CONTEXT_UNKNOWN)
        return snprintf(text, size, owner.i ? "(unknown)" : "(none)");
    const mp_context *context = &model->contexts.at[owner.i];
    int used = mp_type_label(model, context->type, text, size);
    used += snprintf(mp_label_rest(text, size, used), mp_label_room(size, used), " ");
    char *rest = mp_label_rest(text, size, used);
    size_t room = mp_label_room(size, used);
    return used + (context->name.i ? mp_symbol_label(model, context->name, rest, room)
                                   : snprintf(rest, room, "(unnamed)"));
}

/* --- thread --- */

static int or_none(const mp_model *model, mp_string_id id, char *text, size_t size)
{
    return snprintf(text, size, "%s", id.i ? mp_model_text(model, id) : "(none)");
}

static mp_key by_thread(const mp_model *model, const mp_generation *generation)
{
    return (mp_key){context_of(model, generation)->thread.i, 0};
}

static int thread_text(const mp_model *model, const mp_generation *generation, char *text,
                       size_t size)
{
    return or_none(model, context_of(model, generation)->thread, text, size);
}

/* --- class, of the innermost member function --- */

static mp_key by_class(const mp_model *model, const mp_generation *generation)
{
    char name[LONGEST_CLASS];
    const mp_context *context = context_of(model, generation);
    int length = mp_class_label(model, (mp_frame){tree_of(model, context), context->line}, name,
                                sizeof name);
    size_t used = (size_t)length < sizeof name ? (size_t)length : sizeof name - 1;
    return (mp_key){length ? mp_hash_bytes(name, used) : 0, (uint64_t)length};
}

static int class_text(const mp_model *model, const mp_generation *generation, char *text,
                      size_t size)
{
    const mp_context *context = context_of(model, generation);
    int length =
        mp_class_label(model, (mp_frame){tree_of(model, context), context->line}, text, size);
    return length ? length : snprintf(text, size, "(none)");
}

/* --- request, api: of the snapshot in which an object first appears --- */

static mp_key by_request(const mp_model *model, const mp_generation *generation)
{
    return (mp_key){model->snapshots.at[generation->born.i].request.i, 0};
}

static mp_key by_api(const mp_model *model, const mp_generation *generation)
{
    return (mp_key){model->snapshots.at[generation->born.i].request_api.i, 0};
}

static int request_text(const mp_model *model, const mp_generation *generation, char *text,
                        size_t size)
{
    return or_none(model, model->snapshots.at[generation->born.i].request, text, size);
}

static int api_text(const mp_model *model, const mp_generation *generation, char *text, size_t size)
{
    return or_none(model, model->snapshots.at[generation->born.i].request_api, text, size);
}

enum {
    RECORDINGS = 1 << MP_KIND_RECORDING,
    NATIVE = 1 << MP_KIND_EVENTS | 1 << MP_KIND_DATABASE,
    STACKS = RECORDINGS | NATIVE,
};

static const mp_dimension dimensions[] = {
    {"type", "type of object", by_type, type_text, .of_context = true},
    {"site", "allocation site: type, call-tree node and line", by_site, site_text,
     .of_context = true, .kinds = STACKS},
    {"source", "source or function that created it", by_source, source_text, .of_context = true,
     .kinds = STACKS},
    {"line", "line that created it", by_line, line_text, .of_context = true, .kinds = STACKS},
    {"name", "name of the object", by_name, name_text, .of_context = true, .kinds = RECORDINGS},
    {"node", "call-tree node that created it: its whole stack", by_node, node_text,
     .of_context = true, .kinds = STACKS},
    {"function", "every source or function on the stack; an object is in several groups", NULL,
     NULL, .of_frames = true, .kinds = STACKS},
    {"class", "class of the innermost member function", by_class, class_text, .of_context = true,
     .kinds = NATIVE},
    {"thread", "thread that created it", by_thread, thread_text, .of_context = true,
     .kinds = NATIVE},
    {"scope", "object that it is scoped to, by type and name", by_scope, scope_text,
     .of_context = true, .kinds = RECORDINGS},
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
