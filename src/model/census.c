#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "model/graph.h"
#include "model/private.h"

typedef struct mp_census_row {
    int64_t objects, bytes;
} mp_census_row;

static mp_census_row *count_types(const mp_model *model)
{
    const mp_graph *graph = model->graph;
    mp_census_row *now = mp_alloc_zero(model->types.count, sizeof *now);
    for (uint32_t i = 1; i <= graph->count; i++) {
        now[graph->types[i]].objects++;
        now[graph->types[i]].bytes += (int64_t)graph->sizes[i];
    }
    return now;
}

/* Objects of a dump were neither seen to be created nor to be deleted. */
static void enter_type(mp_census *census, uint32_t type, mp_census_row change)
{
    mp_model *model = census->model;
    mp_mark_id mark = model->graph->mark;
    mp_lot key = {.type = {type}, .session = model->marks.at[mark.i].session};
    mp_cohort_id cohort =
        mp_model_cohort(model, mp_model_lot(model, &key), census->first, (mp_mark_id){0});
    mp_cost *cost = mp_model_flow(model, cohort, mark);
    cost->found += change.objects;
    cost->bytes += change.bytes;
}

void mp_census_enter(mp_census *census)
{
    mp_model *model = census->model;
    mp_census_row *now = count_types(model);
    mp_mark *mark = &model->marks.at[model->graph->mark.i];
    if (!census->first.i)
        census->first = model->graph->mark;
    mp_grow(&census->before, &census->capacity, model->types.count, sizeof *census->before);
    memset(census->before + census->count, 0,
           (model->types.count - census->count) * sizeof *census->before);
    census->count = model->types.count;
    for (uint32_t i = 0; i < model->types.count; i++) {
        mp_census_row change = {now[i].objects - census->before[i].objects,
                                now[i].bytes - census->before[i].bytes};
        mark->live_objects += now[i].objects;
        mark->live_bytes += now[i].bytes;
        if (change.objects || change.bytes)
            enter_type(census, i, change);
        census->before[i] = now[i];
    }
    free(now);
    model->holds |= MP_HOLDS_LEDGER;
}

void mp_census_free(mp_census *census)
{
    free(census->before);
    *census = (mp_census){0};
}
