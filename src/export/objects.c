#include "export/objects.h"

#include <stdlib.h>

#include "base/index.h"

bool mp_only_session(const mp_filter *filter, mp_session_id *session, mp_error *error)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < filter->model->sessions.count; i++) {
        if (!mp_filter_snapshots(filter, i))
            continue;
        if (found) {
            mp_fail(
                error, MP_ERROR_INPUT,
                "these are recordings of several sessions, expected one; export each separately");
            return false;
        }
        found = i;
    }
    session->i = found;
    if (!found)
        mp_fail(error, MP_ERROR_INPUT, "there is no snapshot to export");
    return found != 0;
}

static void take_snapshots(mp_live_objects *live, mp_snapshot_id only)
{
    const mp_model *model = live->model;
    live->snapshots = mp_alloc(model->snapshots.count * sizeof *live->snapshots);
    for (uint32_t i = 1; i < model->snapshots.count; i++)
        if (live->filter->snapshots[i].whole &&
            model->snapshots.items[i].session.i == live->session.i && (!only.i || only.i == i))
            live->snapshots[live->snapshot_count++] = (mp_snapshot_id){i};
}

/* Index the vertices by id. If ids are not unique, which happens with several application domains,
 * return false and leave the index empty. */
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

/* Return, for each snapshot, the number of objects that were first seen before it. Release with
 * free(). Objects are not stored in this order: a log may mention blocks late although they existed
 * from the beginning. */
static uint32_t *places_by_snapshot(const mp_model *model)
{
    uint32_t *places = mp_alloc_zero(model->snapshots.count + 1, sizeof *places);
    for (uint32_t i = 1; i < model->objects.count; i++)
        places[model->objects.items[i].from.i + 1]++;
    for (uint32_t i = 1; i <= model->snapshots.count; i++)
        places[i] += places[i - 1];
    return places;
}

static void take_objects(mp_live_objects *live)
{
    const mp_model *model = live->model;
    const mp_graph *graph = live->filter->graph;
    mp_id_index vertices = {0};
    index_vertices(graph, &vertices);
    live->living = mp_alloc(model->objects.count * sizeof *live->living);
    uint32_t *places = places_by_snapshot(model);
    for (uint32_t i = 1; i < model->objects.count; i++) {
        const mp_object *object = &model->objects.items[i];
        const mp_generation *generation = &model->generations.items[object->generation.i];
        mp_living *living = &live->living[places[object->from.i]++];
        *living = (mp_living){.id = object->id,
                              .bytes = object->bytes,
                              .context = generation->context,
                              .born = generation->born,
                              .from = object->from,
                              .until = object->until};
        if (graph && mp_is_alive_at(living, graph->snapshot))
            living->vertex = mp_id_index_get(&vertices, object->id);
        live->living_count++;
    }
    free(places);
    mp_id_index_free(&vertices);
}

/* Return the context of each type. It is unique, because contexts of a dump differ only in their
 * types. Release with free(). */
static mp_context_id *contexts_of_types(const mp_model *model)
{
    mp_context_id *contexts = mp_alloc_zero(model->types.count, sizeof *contexts);
    for (uint32_t i = MP_CONTEXT_UNKNOWN + 1; i < model->contexts.count; i++)
        if (!contexts[model->contexts.items[i].type.i].i)
            contexts[model->contexts.items[i].type.i].i = i;
    return contexts;
}

static void take_vertices(mp_live_objects *live)
{
    const mp_graph *graph = live->filter->graph;
    mp_context_id *contexts = contexts_of_types(live->model);
    mp_id_index vertices = {0};
    bool unique = index_vertices(graph, &vertices);
    live->living = mp_alloc(((size_t)graph->count + 1) * sizeof *live->living);
    for (uint32_t i = 1; i <= graph->count; i++)
        live->living[live->living_count++] = (mp_living){.id = unique ? graph->ids[i] : i,
                                                         .bytes = (int64_t)graph->sizes[i],
                                                         .context = contexts[graph->types[i]],
                                                         .from = graph->snapshot,
                                                         .vertex = i};
    mp_id_index_free(&vertices);
    free(contexts);
}

bool mp_live_objects_of(const mp_filter *filter, mp_live_objects *live, mp_error *error)
{
    const mp_graph *graph = filter->graph;
    *live = (mp_live_objects){.model = filter->model, .filter = filter};
    bool graph_alone = graph && !(filter->holds & MP_HOLDS_HISTORY);
    if (graph_alone)
        live->session = filter->snapshots[graph->snapshot.i].session;
    else if (!mp_only_session(filter, &live->session, error))
        return false;
    take_snapshots(live, graph_alone ? graph->snapshot : (mp_snapshot_id){0});
    if (graph_alone)
        take_vertices(live);
    else
        take_objects(live);
    return true;
}

void mp_live_objects_free(mp_live_objects *live)
{
    free(live->snapshots);
    free(live->living);
    *live = (mp_live_objects){0};
}
