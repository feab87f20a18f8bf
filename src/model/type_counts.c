#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "model/graph_builder.h"
#include "model/private.h"

typedef struct mp_type_count {
    int64_t objects, bytes;
} mp_type_count;

static mp_type_count *count_types(const mp_model *model)
{
    const mp_graph *graph = model->graph;
    mp_type_count *now = mp_alloc_zero(model->types.count, sizeof *now);
    for (uint32_t i = 1; i <= graph->count; i++) {
        now[graph->types[i]].objects++;
        now[graph->types[i]].bytes += (int64_t)graph->sizes[i];
    }
    return now;
}

/* Objects of a dump were neither seen to be created nor to be deleted. */
static void enter_type(mp_type_counts *counts, uint32_t type, mp_type_count change)
{
    mp_model *model = counts->model;
    mp_snapshot_id snapshot = model->graph->snapshot;
    mp_context key = {.type = {type}, .session = model->snapshots.at[snapshot.i].session};
    mp_generation_id generation = mp_model_generation(model, mp_model_context(model, &key),
                                                      counts->first, (mp_snapshot_id){0});
    mp_cost *cost = mp_model_delta(model, generation, snapshot);
    cost->found += change.objects;
    cost->bytes += change.bytes;
}

void mp_type_counts_enter(mp_type_counts *counts)
{
    mp_model *model = counts->model;
    mp_type_count *now = count_types(model);
    mp_snapshot *snapshot = &model->snapshots.at[model->graph->snapshot.i];
    if (!counts->first.i)
        counts->first = model->graph->snapshot;
    mp_grow(&counts->before, &counts->capacity, model->types.count, sizeof *counts->before);
    memset(counts->before + counts->count, 0,
           (model->types.count - counts->count) * sizeof *counts->before);
    counts->count = model->types.count;
    for (uint32_t i = 0; i < model->types.count; i++) {
        mp_type_count change = {now[i].objects - counts->before[i].objects,
                                now[i].bytes - counts->before[i].bytes};
        snapshot->live_objects += now[i].objects;
        snapshot->live_bytes += now[i].bytes;
        if (change.objects || change.bytes)
            enter_type(counts, i, change);
        counts->before[i] = now[i];
    }
    free(now);
    model->holds |= MP_HOLDS_LEDGER;
}

void mp_type_counts_free(mp_type_counts *counts)
{
    free(counts->before);
    *counts = (mp_type_counts){0};
}
