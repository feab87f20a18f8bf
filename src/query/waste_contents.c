/* Contents of the objects of a dump, which the search for waste needs. */
#include <stdlib.h>

#include "base/memory.h"
#include "query/waste.h"

bool mp_contents_read(const mp_graph *graph, mp_contents *contents, const char **why)
{
    const size_t count = (size_t)graph->count + 1;
    *contents = (mp_contents){.graph = graph,
                              .kinds = mp_alloc_zero(count, sizeof *contents->kinds),
                              .items = mp_alloc_zero(count, sizeof *contents->items)};
    return graph->names.read_contents(graph->names.opaque, contents, why);
}

void mp_contents_free(mp_contents *contents)
{
    free(contents->kinds);
    free(contents->items);
}

static int by_array(const void *left, const void *right)
{
    const mp_wanted_text *a = left, *b = right;
    return MP_COMPARE(a->array, b->array);
}

bool mp_waste_texts(const mp_contents *contents, const mp_equal_strings *strings, size_t count,
                    mp_arena *arena, const char **texts, const char **why)
{
    const mp_graph *graph = contents->graph;
    mp_contents some = {.graph = graph, .text_count = count, .arena = arena};
    if (!count)
        return true;
    some.texts = mp_alloc(count * sizeof *some.texts);
    for (size_t i = 0; i < count; i++)
        some.texts[i] = (mp_wanted_text){.array = graph->ids[strings[i].array],
                                         .content = contents->items[strings[i].first]};
    qsort(some.texts, count, sizeof *some.texts, by_array);
    const bool ok = graph->names.read_contents(graph->names.opaque, &some, why);
    for (size_t i = 0; i < count; i++) {
        const mp_wanted_text wanted = {.array = graph->ids[strings[i].array]};
        const mp_wanted_text *found =
            bsearch(&wanted, some.texts, count, sizeof *some.texts, by_array);
        texts[i] = found ? found->text : NULL;
    }
    free(some.texts);
    return ok;
}
