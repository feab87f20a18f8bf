/* What things of the model are called. */
#include <inttypes.h>
#include <stdio.h>

#include "memprof/analysis.h"

int mp_symbol_label(const mp_model *model, mp_symbol_id id, char *text, size_t size)
{
    const mp_symbol *symbol = &model->symbols.at[id.i];
    if (symbol->name.i)
        return snprintf(text, size, "%s", mp_model_text(model, symbol->name));
    return snprintf(text, size, "<name %" PRIu64 ">", symbol->number);
}

int mp_type_label(const mp_model *model, mp_type_id id, char *text, size_t size)
{
    const mp_type *type = &model->types.at[id.i];
    if (type->name.i)
        return snprintf(text, size, "%s", mp_model_text(model, type->name));
    return snprintf(text, size, "<type %" PRIu64 ">", type->number);
}

int mp_tree_label(const mp_model *model, uint32_t node, char *text, size_t size)
{
    const mp_tree_node *at = &model->tree.at[node];
    if (node == 0)
        return snprintf(text, size, "(session)");
    if (at->symbol.i)
        return mp_symbol_label(model, at->symbol, text, size);
    return snprintf(text, size, "<node %" PRIu64 ">", model->nodes.at[at->node.i].number);
}

char *mp_label_rest(char *text, size_t size, int used)
{
    return text && (size_t)used < size ? text + used : NULL;
}

size_t mp_label_room(size_t size, int used)
{
    return (size_t)used < size ? size - (size_t)used : 0;
}

int mp_frame_label(const mp_model *model, mp_frame frame, char *text, size_t size)
{
    int used = mp_tree_label(model, frame.node, text, size);
    /* no code and no line of it, or functions alone */
    if ((!frame.node && !frame.line) || frame.line == MP_NO_LINE)
        return used;
    return used + snprintf(mp_label_rest(text, size, used), mp_label_room(size, used), ":%" PRId32,
                           (int32_t)frame.line);
}

bool mp_frame_caller(const mp_model *model, mp_frame *frame)
{
    const mp_tree_node *at = &model->tree.at[frame->node];
    if (frame->node == 0 || at->parent == 0)
        return false;
    *frame = (mp_frame){at->parent, at->line};
    return true;
}
