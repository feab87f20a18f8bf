#include "exporters/objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/index.h"
#include "support/memory.h"

static bool only_session(const mp_model *model, mp_session_id *session, char *error, size_t size)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < model->sessions.count; i++) {
        if (!model->sessions.at[i].marks)
            continue;
        if (found) {
            snprintf(error, size,
                     "these are recordings of several sessions, expected one: export each on its "
                     "own");
            return false;
        }
        found = i;
    }
    session->i = found;
    if (!found)
        snprintf(error, size, "there is no snapshot to export");
    return found != 0;
}

static void take_marks(mp_population *population, mp_mark_id only)
{
    const mp_model *model = population->model;
    population->marks = mp_alloc(model->marks.count * sizeof *population->marks);
    for (uint32_t i = 1; i < model->marks.count; i++)
        if (model->marks.at[i].whole && model->marks.at[i].session.i == population->session.i &&
            (!only.i || only.i == i))
            population->marks[population->mark_count++] = (mp_mark_id){i};
}

/* Vertices by id; empty where several have one id, as in several application domains. */
static bool index_vertices(const mp_graph *graph, mp_id_index *vertices)
{
    for (uint32_t i = 1; graph && i <= graph->count; i++) {
        uint32_t *place = mp_id_index_put(vertices, graph->ids[i]);
        if (*place) {
            mp_id_index_free(vertices);
            return false;
        }
        *place = i;
    }
    return true;
}

static void take_objects(mp_population *population)
{
    const mp_model *model = population->model;
    mp_id_index vertices = {0};
    index_vertices(model->graph, &vertices);
    population->living = mp_alloc(model->objects.count * sizeof *population->living);
    for (uint32_t i = 1; i < model->objects.count; i++) {
        const mp_object *object = &model->objects.at[i];
        const mp_cohort *cohort = &model->cohorts.at[object->cohort.i];
        mp_living living = {.id = object->id,
                            .bytes = object->bytes,
                            .lot = cohort->lot,
                            .born = cohort->born,
                            .from = object->from,
                            .until = object->until};
        if (model->graph && mp_is_alive_at(&living, model->graph->mark))
            living.vertex = mp_id_index_get(&vertices, object->id);
        population->living[population->living_count++] = living;
    }
    mp_id_index_free(&vertices);
}

/* A dump knows types: the lot of each. */
static mp_lot_id *lots_of_types(const mp_model *model)
{
    mp_lot_id *lots = mp_alloc_zero(model->types.count, sizeof *lots);
    for (uint32_t i = MP_LOT_UNKNOWN + 1; i < model->lots.count; i++)
        if (!lots[model->lots.at[i].type.i].i)
            lots[model->lots.at[i].type.i].i = i;
    return lots;
}

static void take_vertices(mp_population *population)
{
    const mp_graph *graph = population->model->graph;
    mp_lot_id *lots = lots_of_types(population->model);
    mp_id_index vertices = {0};
    bool unique = index_vertices(graph, &vertices);
    population->living = mp_alloc(((size_t)graph->count + 1) * sizeof *population->living);
    for (uint32_t i = 1; i <= graph->count; i++)
        population->living[population->living_count++] =
            (mp_living){.id = unique ? graph->ids[i] : i,
                        .bytes = (int64_t)graph->sizes[i],
                        .lot = lots[graph->types[i]],
                        .from = graph->mark,
                        .vertex = i};
    mp_id_index_free(&vertices);
    free(lots);
}

bool mp_population_of(const mp_model *model, mp_population *population, char *error, size_t size)
{
    *population = (mp_population){.model = model};
    bool graph_alone = model->graph && !(model->holds & MP_HOLDS_HISTORY);
    if (graph_alone)
        population->session = model->marks.at[model->graph->mark.i].session;
    else if (!only_session(model, &population->session, error, size))
        return false;
    take_marks(population, graph_alone ? model->graph->mark : (mp_mark_id){0});
    if (graph_alone)
        take_vertices(population);
    else
        take_objects(population);
    return true;
}

void mp_population_free(mp_population *population)
{
    free(population->marks);
    free(population->living);
    *population = (mp_population){0};
}
