/* Dimensions by which a heap can be grouped. The table is at the end of this file. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/text.h"
#include "query/group.h"
#include "query/labels.h"

/* Bit set in the keys of things without a name, so that these keys differ from ids of strings. */
static const uint64_t nameless = (uint64_t)1 << 32;

static const mp_context *context_of(const mp_model *model, const mp_generation *generation)
{
    return &model->contexts.items[generation->context.i];
}

static uint64_t type_key(const mp_model *model, mp_type_id type)
{
    uint32_t name = model->types.items[type.i].name.i;
    return name ? name : nameless | type.i;
}

static uint64_t symbol_key(const mp_model *model, mp_symbol_id symbol)
{
    uint32_t name = model->symbols.items[symbol.i].name.i;
    return name ? name : symbol.i ? nameless | symbol.i : 0;
}

static uint32_t tree_of(const mp_model *model, const mp_context *context)
{
    return model->tree_of[context->node.i];
}

/* Return the frame that created the objects of a context; allocator frames are skipped. */
static mp_frame frame_of(const mp_model *model, const mp_context *context)
{
    return mp_frame_naming(model, (mp_frame){tree_of(model, context), context->line});
}

uint64_t mp_source_key(const mp_model *model, uint32_t node)
{
    mp_symbol_id symbol = model->tree.items[node].symbol;
    if (!symbol.i)
        return node ? nameless << 1 | node : 0;
    /* Use bits above those of nameless things; line numbers are below 2^30. */
    return symbol_key(model, symbol) | (uint64_t)mp_tree_overload(model, node) << 34;
}

/* --- type --- */

static mp_key by_type(const mp_model *model, const mp_generation *generation)
{
    return (mp_key){type_key(model, mp_context_type(model, context_of(model, generation))), 0};
}

static const char *type_label(mp_arena *arena, const mp_model *model,
                              const mp_generation *generation)
{
    return mp_type_label(arena, model, mp_context_type(model, context_of(model, generation)));
}

/* --- site: type, node, line --- */

static mp_key by_site(const mp_model *model, const mp_generation *generation)
{
    const mp_context *context = context_of(model, generation);
    return (mp_key){type_key(model, mp_site_type(model, context)),
                    (uint64_t)tree_of(model, context) << 32 | context->line};
}

static const char *site_label(mp_arena *arena, const mp_model *model,
                              const mp_generation *generation)
{
    const mp_context *context = context_of(model, generation);
    return mp_arena_format(arena, "%s at %s",
                           mp_type_label(arena, model, mp_site_type(model, context)),
                           mp_frame_label(arena, model, frame_of(model, context)));
}

/* --- source, line --- */

static mp_key by_source(const mp_model *model, const mp_generation *generation)
{
    return (mp_key){mp_source_key(model, frame_of(model, context_of(model, generation)).node), 0};
}

static const char *source_label(mp_arena *arena, const mp_model *model,
                                const mp_generation *generation)
{
    return mp_tree_told(arena, model, frame_of(model, context_of(model, generation)).node);
}

static mp_key by_line(const mp_model *model, const mp_generation *generation)
{
    mp_frame frame = frame_of(model, context_of(model, generation));
    return (mp_key){mp_source_key(model, frame.node), frame.line};
}

static const char *line_label(mp_arena *arena, const mp_model *model,
                              const mp_generation *generation)
{
    return mp_frame_label(arena, model, frame_of(model, context_of(model, generation)));
}

/* --- name --- */

static mp_key by_name(const mp_model *model, const mp_generation *generation)
{
    return (mp_key){symbol_key(model, context_of(model, generation)->name), 0};
}

static const char *name_of(mp_arena *arena, const mp_model *model, const mp_context *context)
{
    return context->name.i ? mp_symbol_label(arena, model, context->name) : "(unnamed)";
}

static const char *name_label(mp_arena *arena, const mp_model *model,
                              const mp_generation *generation)
{
    return name_of(arena, model, context_of(model, generation));
}

/* --- node: the whole stack, without the line of creation --- */

static mp_key by_node(const mp_model *model, const mp_generation *generation)
{
    return (mp_key){tree_of(model, context_of(model, generation)), 0};
}

static const char *node_label(mp_arena *arena, const mp_model *model,
                              const mp_generation *generation)
{
    enum { CALLERS = 64 };
    mp_frame frame = {tree_of(model, context_of(model, generation)), 0};
    mp_arena scratch = {0};
    mp_text_buffer text = {0};
    const char *name = mp_tree_told(&scratch, model, frame.node);
    mp_text_put(&text, name, strlen(name));
    /* Recursion can make stacks very deep. A label that is cut ends with the number of omitted
     * frames, so that labels of different depths differ. */
    for (int i = 0; mp_frame_caller(model, &frame); i++) {
        const uint32_t left = model->tree.items[frame.node].depth;
        name = i < CALLERS ? mp_frame_label(&scratch, model, frame)
                           : mp_arena_format(&scratch, "(%" PRIu32 " more)", left);
        mp_text_put(&text, " < ", 3);
        mp_text_put(&text, name, strlen(name));
        if (i == CALLERS)
            break;
    }
    const char *label = mp_arena_copy(arena, text.text, text.length);
    mp_arena_free(&scratch);
    free(text.text);
    return label;
}

/* --- scope: type and name of the owner --- */

static mp_key by_scope(const mp_model *model, const mp_generation *generation)
{
    mp_context_id owner = context_of(model, generation)->owner;
    if (owner.i <= MP_CONTEXT_UNKNOWN)
        return (mp_key){0, owner.i};
    const mp_context *context = &model->contexts.items[owner.i];
    return (mp_key){type_key(model, context->type), symbol_key(model, context->name)};
}

static const char *scope_label(mp_arena *arena, const mp_model *model,
                               const mp_generation *generation)
{
    mp_context_id owner = context_of(model, generation)->owner;
    if (owner.i <= MP_CONTEXT_UNKNOWN)
        return owner.i ? "(unknown)" : "(none)";
    const mp_context *context = &model->contexts.items[owner.i];
    return mp_arena_format(arena, "%s %s", mp_type_label(arena, model, context->type),
                           name_of(arena, model, context));
}

/* --- namespace of the type --- */

static const char *namespace_label(mp_arena *arena, const mp_model *model,
                                   const mp_generation *generation)
{
    const char *name = type_label(arena, model, generation);
    size_t length = mp_namespace_length(name);
    return length ? mp_arena_copy(arena, name, length) : "(none)";
}

static mp_key by_namespace(const mp_model *model, const mp_generation *generation)
{
    mp_arena scratch = {0};
    const char *name = type_label(&scratch, model, generation);
    size_t length = mp_namespace_length(name);
    mp_key key = {length ? mp_hash_bytes(name, length) : 0, length};
    mp_arena_free(&scratch);
    return key;
}

/* --- class of the innermost member function --- */

static const char *class_of(mp_arena *arena, const mp_model *model, const mp_generation *generation)
{
    const mp_context *context = context_of(model, generation);
    return mp_class_label(arena, model, (mp_frame){tree_of(model, context), context->line});
}

static mp_key by_class(const mp_model *model, const mp_generation *generation)
{
    mp_arena scratch = {0};
    const char *name = class_of(&scratch, model, generation);
    mp_key key = {name ? mp_hash_bytes(name, strlen(name)) : 0, name ? strlen(name) : 0};
    mp_arena_free(&scratch);
    return key;
}

static const char *class_label(mp_arena *arena, const mp_model *model,
                               const mp_generation *generation)
{
    const char *name = class_of(arena, model, generation);
    return name ? name : "(none)";
}

/* --- file and module of the creating routine; finalizability of the type --- */

static const mp_symbol *routine_of(const mp_model *model, const mp_generation *generation)
{
    mp_frame frame = frame_of(model, context_of(model, generation));
    return &model->symbols.items[model->tree.items[frame.node].symbol.i];
}

static mp_string_id file_of(const mp_model *model, const mp_generation *generation)
{
    return routine_of(model, generation)->source;
}

/* Return the module of the code that created the objects; without a stack, the module that
 * declares their type. */
static mp_string_id module_of(const mp_model *model, const mp_generation *generation)
{
    mp_string_id module = routine_of(model, generation)->module;
    return module.i ? module : model->types.items[context_of(model, generation)->type.i].module;
}

static mp_told told_of(const mp_model *model, const mp_generation *generation)
{
    return model->types.items[context_of(model, generation)->type.i].finalizable;
}

static mp_key by_finalizable(const mp_model *model, const mp_generation *generation)
{
    return (mp_key){(uint64_t)told_of(model, generation), 0};
}

static const char *finalizable_label(mp_arena *arena, const mp_model *model,
                                     const mp_generation *generation)
{
    static const char *const labels[] = {"(not recorded)", "not finalizable", "finalizable"};
    (void)arena;
    return labels[told_of(model, generation)];
}

/* --- thread; request and API during which the object was created --- */

static mp_string_id thread_of(const mp_model *model, const mp_generation *generation)
{
    return context_of(model, generation)->thread;
}

static mp_string_id request_of(const mp_model *model, const mp_generation *generation)
{
    bool is = mp_generation_is_of_request(model, generation);
    return is ? model->snapshots.items[generation->born.i].request : (mp_string_id){0};
}

static mp_string_id api_of(const mp_model *model, const mp_generation *generation)
{
    bool is = mp_generation_is_of_request(model, generation);
    return is ? model->snapshots.items[generation->born.i].request_api : (mp_string_id){0};
}

/* Define the key and label functions of a dimension whose values are texts of the model. */
#define TEXT_DIMENSION(what)                                                                       \
    static mp_key by_##what(const mp_model *model, const mp_generation *generation)                \
    {                                                                                              \
        return (mp_key){what##_of(model, generation).i, 0};                                        \
    }                                                                                              \
    static const char *what##_label(mp_arena *arena, const mp_model *model,                        \
                                    const mp_generation *generation)                               \
    {                                                                                              \
        mp_string_id id = what##_of(model, generation);                                            \
        (void)arena;                                                                               \
        return id.i ? mp_model_text(model, id) : "(none)";                                         \
    }

TEXT_DIMENSION(file)
TEXT_DIMENSION(module)
TEXT_DIMENSION(thread)
TEXT_DIMENSION(request)
TEXT_DIMENSION(api)

enum {
    RECORDINGS = 1 << MP_KIND_RECORDING,
    NATIVE = 1 << MP_KIND_EVENTS | 1 << MP_KIND_DATABASE,
    DATABASES = 1 << MP_KIND_DATABASE,
    STACKS = RECORDINGS | NATIVE,
};

static const mp_dimension dimensions[] = {
    {"type", "type of object", by_type, type_label, .of_context = true},
    {"site", "allocation site: type, call-tree node and line", by_site, site_label,
     .of_context = true, .kinds = STACKS},
    {"source", "source or function that created it", by_source, source_label, .of_context = true,
     .of_source = true, .kinds = STACKS},
    {"line", "line that created it", by_line, line_label, .of_context = true, .kinds = STACKS},
    {"name", "name of the object", by_name, name_label, .of_context = true, .kinds = RECORDINGS},
    {"node", "call-tree node that created it: its whole stack", by_node, node_label,
     .of_context = true, .kinds = STACKS},
    {"function", "every source or function on the stack; an object is in several groups", NULL,
     NULL, .of_frames = true, .kinds = STACKS},
    {"namespace", "namespace of the type", by_namespace, namespace_label, .of_context = true,
     .kinds = NATIVE},
    {"class", "class of the function that created it: of the innermost member function", by_class,
     class_label, .of_context = true, .kinds = NATIVE, .title = "class of the creating function"},
    {"thread", "thread that created it", by_thread, thread_label, .of_context = true,
     .kinds = NATIVE},
    {"file", "source file of the routine that created it", by_file, file_label, .of_context = true,
     .kinds = DATABASES},
    {"module", "unit or module of the routine that created it", by_module, module_label,
     .of_context = true, .kinds = DATABASES},
    {"finalizable", "finalizability of its class", by_finalizable, finalizable_label,
     .of_context = true, .kinds = DATABASES},
    {"scope", "object that it is scoped to, by type and name", by_scope, scope_label,
     .of_context = true, .kinds = RECORDINGS},
    {"request", "request that created it", by_request, request_label, .kinds = RECORDINGS},
    {"api", "API called by that request", by_api, api_label, .kinds = RECORDINGS},
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

const mp_dimension *mp_dimension_usual(const mp_model *model)
{
    bool has_types = false;
    for (uint32_t i = 1; !has_types && i < model->types.count; i++)
        has_types = mp_type_is_real(model, (mp_type_id){i}) &&
                    !mp_class_states_leaks(model->types.items[i].class);
    return mp_dimension_find(has_types ? "type" : "source");
}

const char *mp_dimension_title(const mp_dimension *dimension)
{
    return dimension->title ? dimension->title : dimension->name;
}
