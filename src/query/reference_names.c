#include "query/reference_names.h"

#include <stdlib.h>

#include "base/memory.h"

void mp_reference_want(mp_graph_view *view, uint32_t from, uint32_t to)
{
    mp_reference_names *names = &view->names;
    if (!view->diagnostics || !view->graph->names.read || names->are_read)
        return;
    mp_grow(&names->items, &names->capacity, names->count + 1, sizeof *names->items);
    names->items[names->count++] =
        (mp_named_reference){.from = view->graph->ids[from], .to = view->graph->ids[to]};
}

static int by_objects(const void *left, const void *right)
{
    const mp_named_reference *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
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
    qsort(names->items, names->count, sizeof *names->items, by_objects);
    for (size_t i = 0; i < names->count; i++)
        if (!count || by_objects(&names->items[count - 1], &names->items[i]))
            names->items[count++] = names->items[i];
    names->count = count;
    source->read(source->opaque, names->items, count, texts, view->diagnostics);
}

const char *mp_reference_name(const mp_graph_view *view, uint32_t from, uint32_t to)
{
    const mp_named_reference wanted = {.from = view->graph->ids[from], .to = view->graph->ids[to]};
    const mp_named_reference *found = view->names.count
                                          ? bsearch(&wanted, view->names.items, view->names.count,
                                                    sizeof *view->names.items, by_objects)
                                          : NULL;
    return found && found->name && *found->name ? found->name : NULL;
}
