#include "query/reference_names.h"

#include <stdlib.h>

void mp_reference_want(mp_graph_view *view, uint32_t from, uint32_t to)
{
    mp_reference_names *names = &view->names;
    if (!view->diagnostics || !view->graph->names.read || names->are_read)
        return;
    mp_grow(&names->items, &names->capacity, names->count + 1, sizeof *names->items);
    names->items[names->count++] =
        (mp_named_reference){.from = view->graph->ids[from], .to = view->graph->ids[to]};
}

void mp_references_read(mp_graph_view *view, mp_arena *texts)
{
    mp_reference_names *names = &view->names;
    const mp_reference_source *source = &view->graph->names;
    size_t count = 0;
    if (names->are_read)
        return;
    names->are_read = true;
    if (!names->count)
        return;
    qsort(names->items, names->count, sizeof *names->items, mp_named_reference_order);
    for (size_t i = 0; i < names->count; i++)
        if (!count || mp_named_reference_order(&names->items[count - 1], &names->items[i]))
            names->items[count++] = names->items[i];
    names->count = count;
    source->read(source->opaque, names->items, count, texts, view->diagnostics);
}

const char *mp_reference_name(const mp_graph_view *view, uint32_t from, uint32_t to)
{
    const mp_named_reference *found = mp_named_reference_find(
        view->names.items, view->names.count, view->graph->ids[from], view->graph->ids[to]);
    return found && found->name && *found->name ? found->name : NULL;
}
