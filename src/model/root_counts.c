#include <stdlib.h>

#include "model/build.h"
#include "model/graph_builder.h"

/* A root as what it is counted by. */
typedef struct counted {
    uint32_t kind, object;
} counted;

static int by_kind(const void *left, const void *right)
{
    const counted *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->object < b->object ? -1 : a->object > b->object;
}

void mp_model_count_roots(mp_model *model, const mp_graph *graph)
{
    size_t count = graph->roots.count - 1;
    counted *roots = mp_alloc((count + 1) * sizeof *roots);
    mp_root_count *kind = NULL;
    for (size_t i = 0; i < count; i++)
        roots[i] = (counted){graph->roots.at[i + 1].kind, graph->roots.at[i + 1].object};
    qsort(roots, count, sizeof *roots, by_kind);
    for (size_t i = 0; i < count; i++) {
        bool first = i == 0 || roots[i].kind != roots[i - 1].kind;
        if (first) {
            kind = MP_ADD(&model->root_counts);
            kind->snapshot = graph->snapshot;
            kind->kind = roots[i].kind;
        }
        kind->roots++;
        kind->objects += roots[i].object && (first || roots[i].object != roots[i - 1].object);
    }
    free(roots);
}
