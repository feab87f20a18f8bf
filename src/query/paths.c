/* Shortest paths from roots to objects. */
#include <stdlib.h>

#include "base/glob.h"
#include "base/index.h"
#include "query/paths.h"

static bool leads(const mp_root *root, int64_t kind)
{
    return mp_root_is_strong(root) && (kind == MP_ANY_KIND || root->kind == kind);
}

mp_distances mp_distances_from(const mp_graph *graph, int64_t kind, uint32_t target,
                               const bool *excluded)
{
    mp_distances result = {.order = mp_alloc(((size_t)graph->count + 1) * sizeof *result.order),
                           .above = mp_alloc_zero((size_t)graph->count + 1, sizeof *result.above)};
    for (uint32_t i = 1; i < graph->roots.count; i++) {
        uint32_t object = graph->roots.items[i].object;
        if (leads(&graph->roots.items[i], kind) && !result.above[object]) {
            result.above[object] = object;
            result.order[result.count++] = object;
        }
    }
    for (uint32_t i = 0; i < result.count && !(target && result.above[target]); i++) {
        uint32_t object = result.order[i];
        uint32_t end = excluded && excluded[object] ? 0 : graph->first[object + 1];
        for (uint32_t k = graph->first[object]; k < end; k++) {
            uint32_t next = graph->targets[k];
            if (!result.above[next]) {
                result.above[next] = object;
                result.order[result.count++] = next;
            }
        }
    }
    return result;
}

void mp_distances_free(mp_distances *distances)
{
    free(distances->order);
    free(distances->above);
    *distances = (mp_distances){0};
}

const mp_distances *mp_graph_distances(mp_graph_view *view)
{
    if (!view->distances) {
        view->distances = mp_alloc(sizeof *view->distances);
        *view->distances = mp_distances_from(view->graph, MP_ANY_KIND, 0, NULL);
    }
    return view->distances;
}

mp_path mp_path_along(const mp_graph *graph, const mp_distances *distances, uint32_t object,
                      int64_t kind)
{
    mp_path path = {0};
    if (!distances->above[object])
        return path;
    path.count = 1;
    for (uint32_t index = object; distances->above[index] != index; index = distances->above[index])
        path.count++;
    path.objects = mp_alloc(path.count * sizeof *path.objects);
    uint32_t position = object;
    for (size_t i = path.count; i--; position = distances->above[position])
        path.objects[i] = position;
    path.root = 1;
    while (graph->roots.items[path.root].object != path.objects[0] ||
           !leads(&graph->roots.items[path.root], kind))
        path.root++;
    return path;
}

mp_path mp_path_to(const mp_graph *graph, uint32_t object, int64_t kind, const bool *excluded)
{
    mp_distances distances = mp_distances_from(graph, kind, object, excluded);
    mp_path path = mp_path_along(graph, &distances, object, kind);
    mp_distances_free(&distances);
    return path;
}

void mp_path_free(mp_path *path)
{
    free(path->objects);
    *path = (mp_path){0};
}

/* --- paths merged by type --- */

typedef struct merged {
    mp_type_paths result;
    size_t step_count, step_capacity, path_capacity;
    mp_id_index steps; /* steps, by previous step and type; first steps, by kind of root */
} merged;

static uint32_t step_of(merged *state, uint64_t key, mp_type_step step)
{
    uint32_t *place = mp_id_index_put(&state->steps, key);
    if (!*place) {
        *place = (uint32_t)++state->step_count;
        mp_grow(&state->result.steps, &state->step_capacity, state->step_count + 1,
                sizeof *state->result.steps);
        if (step.length <= MP_LISTED_STEPS)
            step.head = *place;
        state->result.steps[*place] = step;
    }
    return *place;
}

static void count_end(merged *state, uint32_t step, uint32_t object, uint64_t bytes)
{
    mp_type_paths *result = &state->result;
    uint32_t *place = &result->steps[step].path;
    if (!*place) {
        *MP_APPEND(result->items, result->count, state->path_capacity) =
            (mp_type_path){.last = step, .example = object};
        *place = (uint32_t)result->count;
    }
    result->items[*place - 1].objects++;
    result->items[*place - 1].bytes += (int64_t)bytes;
}

/* Return a flag for each type: true if its name matches the glob. */
static bool *matching_types(const mp_model *model, const char *glob)
{
    bool *matches = mp_alloc_zero(model->types.count, sizeof *matches);
    mp_arena scratch = {0};
    for (uint32_t i = 0; i < model->types.count; i++)
        matches[i] = mp_glob_fits(glob, mp_type_label(&scratch, model, (mp_type_id){i}), 0);
    mp_arena_free(&scratch);
    return matches;
}

static void add_objects_of(const mp_model *model, const mp_graph *graph, const char *glob,
                           bool *objects)
{
    bool *types = matching_types(model, glob);
    for (uint32_t object = 1; object <= graph->count; object++)
        objects[object] |= types[graph->types[object]];
    free(types);
}

bool *mp_objects_of_types(const mp_model *model, const mp_graph *graph, const char *glob)
{
    bool *objects = mp_alloc_zero((size_t)graph->count + 1, sizeof *objects);
    add_objects_of(model, graph, glob, objects);
    return objects;
}

bool *mp_objects_matching(const mp_model *model, const mp_graph *graph, const char *const *patterns,
                          size_t count)
{
    bool *objects = mp_alloc_zero((size_t)graph->count + 1, sizeof *objects);
    for (size_t i = 0; i < count; i++) {
        add_objects_of(model, graph, patterns[i], objects);
        objects[mp_graph_find(graph, patterns[i])] = true;
    }
    objects[0] = false; /* set by patterns that are not the id of an object */
    return objects;
}

/* Merge the paths to objects of matching types. Along a path, an object comes after the one above
 * it, so the previous step exists. */
static void merge(merged *state, const mp_graph *graph, const mp_distances *distances,
                  const bool *matches)
{
    /* Indexed by object: true if it is on a shortest path to an object of a matching type. */
    bool *wanted = mp_alloc_zero((size_t)graph->count + 1, sizeof *wanted);
    uint32_t *step = mp_alloc_zero((size_t)graph->count + 1, sizeof *step);
    for (uint32_t i = distances->count; i--;) {
        uint32_t object = distances->order[i];
        wanted[object] |= matches[graph->types[object]];
        wanted[distances->above[object]] |= wanted[object];
    }
    for (uint32_t i = graph->roots.count;
         i-- > 1;) { /* backwards, so that the first root of an object wins */
        const mp_root *root = &graph->roots.items[i];
        if (mp_root_is_strong(root) && wanted[root->object])
            step[root->object] =
                step_of(state, root->kind, (mp_type_step){.root_kind = root->kind});
    }
    for (uint32_t i = 0; i < distances->count; i++) {
        uint32_t object = distances->order[i], type = graph->types[object];
        uint32_t before = distances->above[object], up = step[before];
        if (!wanted[object])
            continue;
        assert(up && state->result.steps);
        mp_type_step above = state->result.steps[up];
        bool again = above.length && above.type == type; /* another node of the same list */
        step[object] = again ? up
                             : step_of(state, (uint64_t)up << 32 | type,
                                       (mp_type_step){.up = up,
                                                      .object = object,
                                                      .before = before == object ? 0 : before,
                                                      .type = type,
                                                      .root_kind = above.root_kind,
                                                      .head = above.head,
                                                      .length = above.length + 1});
        if (matches[type])
            count_end(state, step[object], object, graph->sizes[object]);
    }
    free(step);
    free(wanted);
}

static int most_first(const void *left, const void *right, void *graph)
{
    const mp_type_path *a = left, *b = right;
    int order = MP_COMPARE(b->objects, a->objects);
    order = order ? order : MP_COMPARE(b->bytes, a->bytes);
    return order ? order : mp_object_compare(graph, a->example, b->example);
}

mp_type_paths mp_type_paths_of(const mp_graph_view *view, const char *glob, const bool *excluded)
{
    const mp_graph *graph = view->graph;
    merged state = {0};
    bool *matches = matching_types(view->model, glob);
    mp_distances distances = mp_distances_from(graph, MP_ANY_KIND, 0, excluded);
    merge(&state, graph, &distances, matches);
    for (uint32_t i = 1; i <= graph->count; i++) {
        state.result.objects += matches[graph->types[i]];
        if (matches[graph->types[i]] && !distances.above[i])
            ++*(mp_is_reached(&view->dominators, i) ? &state.result.excluded
                : mp_graph_tracks(graph, i)         ? &state.result.unreached
                                                    : &state.result.untracked);
    }
    if (state.result.count)
        qsort_r(state.result.items, state.result.count, sizeof *state.result.items, most_first,
                (void *)(uintptr_t)graph);
    mp_distances_free(&distances);
    mp_id_index_free(&state.steps);
    free(matches);
    return state.result;
}

void mp_type_paths_free(mp_type_paths *paths)
{
    free(paths->items);
    free(paths->steps);
    *paths = (mp_type_paths){0};
}
