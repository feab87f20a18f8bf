/* Labels of types, symbols and frames. */
#include "query/labels.h"

#include <inttypes.h>
#include <string.h>

const char *mp_symbol_label(mp_arena *arena, const mp_model *model, mp_symbol_id id)
{
    const mp_symbol *symbol = &model->symbols.items[id.i];
    return symbol->name.i ? mp_model_text(model, symbol->name)
                          : mp_arena_format(arena, "<name %" PRIu64 ">", symbol->number);
}

size_t mp_namespace_length(const char *name)
{
    size_t end = strcspn(name, "<[`,");
    for (; end; end--) {
        if (name[end - 1] == '.')
            return end - 1;
        if (end > 1 && name[end - 1] == ':' && name[end - 2] == ':')
            return end - 2;
    }
    return 0;
}

const char *mp_type_label(mp_arena *arena, const mp_model *model, mp_type_id id)
{
    const mp_type *type = &model->types.items[id.i];
    if (!id.i)
        return "(unknown)";
    return type->name.i ? mp_model_text(model, type->name)
                        : mp_arena_format(arena, "<type %" PRIu64 ">", type->number);
}

const char *mp_tree_label(mp_arena *arena, const mp_model *model, uint32_t node)
{
    const mp_tree_node *tree_node = &model->tree.items[node];
    if (node == 0)
        return "(session)";
    if (tree_node->symbol.i)
        return mp_symbol_label(arena, model, tree_node->symbol);
    return mp_arena_format(arena, "<node %" PRIu64 ">",
                           model->nodes.items[tree_node->node.i].number);
}

uint32_t mp_tree_overload(const mp_model *model, uint32_t node)
{
    const mp_symbol *symbol = &model->symbols.items[model->tree.items[node].symbol.i];
    return symbol->overloaded ? symbol->start_line : 0;
}

const char *mp_tree_told(mp_arena *arena, const mp_model *model, uint32_t node)
{
    const char *name = mp_tree_label(arena, model, node);
    uint32_t start = mp_tree_overload(model, node);
    return start ? mp_arena_format(arena, "%s (from %" PRIu32 ")", name, start) : name;
}

const char *mp_frame_label(mp_arena *arena, const mp_model *model, mp_frame frame)
{
    const char *name = mp_tree_label(arena, model, frame.node);
    if (!frame.node && !frame.line)
        return name; /* neither code nor a line is known */
    if (frame.line != MP_NO_LINE)
        return mp_arena_format(arena, "%s:%" PRId32, name, (int32_t)frame.line);
    uint32_t start_line = model->symbols.items[model->tree.items[frame.node].symbol.i].start_line;
    return start_line ? mp_arena_format(arena, "%s (from %" PRIu32 ")", name, start_line) : name;
}

/* Blocks that are older than the log have no inference. */
const mp_inference *mp_context_inference(const mp_model *model, const mp_context *context)
{
    bool inferred = model->events && model->events->inference && !context->old;
    return inferred ? &model->events->inference[context->node.i] : NULL;
}

mp_type_id mp_context_type(const mp_model *model, const mp_context *context)
{
    return context->type.i ? context->type : mp_site_type(model, context);
}

mp_type_id mp_site_type(const mp_model *model, const mp_context *context)
{
    const mp_inference *inference = mp_context_inference(model, context);
    return inference ? inference->type : context->type;
}

mp_frame mp_frame_naming(const mp_model *model, mp_frame frame)
{
    const mp_tree_node *last = &model->tree.items[model->tree.items[frame.node].allocators];
    return last->parent ? (mp_frame){last->parent, last->line} : frame;
}

/* Return the start of the arguments in a function's name; the end of the name if there are none.
 * Template arguments and the parentheses of operator() do not count. */
static const char *arguments_of(const char *name)
{
    int open = 0;
    for (const char *cursor = name; *cursor; cursor++) {
        if (strncmp(cursor, "operator", 8) == 0) {
            cursor += 8 + strspn(cursor + 8, "<>|=-+*/%^&!~,");
            cursor += strncmp(cursor, "()", 2) == 0 ? 2 : 0;
            if (!*cursor)
                return cursor;
        }
        if (*cursor == '(' && open == 0)
            return cursor;
        open += (*cursor == '<') - (*cursor == '>');
    }
    return name + strlen(name);
}

/* Return the length of the class name, which ends before the last "::" outside angle brackets. */
static size_t class_length(const char *name)
{
    const char *end = arguments_of(name);
    int open = 0;
    size_t length = 0;
    for (const char *cursor = name; cursor + 1 < end; cursor++) {
        if (strncmp(cursor, "operator", 8) == 0)
            break;
        open += (*cursor == '<') - (*cursor == '>');
        if (open == 0 && cursor[0] == ':' && cursor[1] == ':' && cursor > name)
            length = (size_t)(cursor - name);
    }
    return length;
}

const char *mp_class_label(mp_arena *arena, const mp_model *model, mp_frame frame)
{
    frame = mp_frame_naming(model, frame);
    do {
        const mp_symbol *symbol = &model->symbols.items[model->tree.items[frame.node].symbol.i];
        const char *name = mp_model_text(model, symbol->owner.i ? symbol->owner : symbol->name);
        size_t length = symbol->owner.i ? strlen(name) : class_length(name);
        if (length)
            return mp_arena_copy(arena, name, length);
    } while (mp_frame_caller(model, &frame));
    return NULL;
}

bool mp_frame_caller(const mp_model *model, mp_frame *frame)
{
    const mp_tree_node *tree_node = &model->tree.items[frame->node];
    if (frame->node == 0 || tree_node->parent == 0)
        return false;
    *frame = (mp_frame){tree_node->parent, tree_node->line};
    return true;
}
