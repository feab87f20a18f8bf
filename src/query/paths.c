/* Shortest paths from roots to objects. */
#include <assert.h>
#include <fnmatch.h>
#include <stdlib.h>

#include "base/index.h"
#include "base/memory.h"
#include "query/graph_query.h"

static bool leads(const mp_root *root, int64_t kind)
{
    return mp_root_is_strong(root) && (kind == MP_ANY_KIND || root->kind == kind);
}

mp_distances mp_distances_from(const mp_graph *graph, int64_t kind, uint32_t target)
{
    mp_distances result = {.order = mp_alloc(((size_t)graph->count + 1) * sizeof *result.order),
                           .above = mp_alloc_zero((size_t)graph->count + 1, sizeof *result.above)};
    for (uint32_t i = 1; i < graph->roots.count; i++) {
        uint32_t object = graph->roots.at[i].object;
        if (leads(&graph->roots.at[i], kind) && !result.above[object]) {
            result.above[object] = object;
            result.order[result.count++] = object;
        }
    }
    for (uint32_t i = 0; i < result.count && !(target && result.above[target]); i++) {
        uint32_t object = result.order[i];
        for (uint32_t k = graph->first[object]; k < graph->first[object + 1]; k++) {
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

mp_path mp_path_to(const mp_graph *graph, uint32_t object, int64_t kind)
{
    mp_path path = {0};
    mp_distances distances = mp_distances_from(graph, kind, object);
    if (distances.above[object]) {
        path.count = 1;
        for (uint32_t at = object; distances.above[at] != at; at = distances.above[at])
            path.count++;
        path.objects = mp_alloc(path.count * sizeof *path.objects);
        uint32_t at = object;
        for (size_t i = path.count; i--; at = distances.above[at])
            path.objects[i] = at;
        path.root = 1;
        while (graph->roots.at[path.root].object != path.objects[0] ||
               !leads(&graph->roots.at[path.root], kind))
            path.root++;
    }
    mp_distances_free(&distances);
    return path;
}

void mp_path_free(mp_path *path)
{
    free(path->objects);
    *path = (mp_path){0};
}

/* --- merged by type --- */

typedef struct merged {
    const mp_graph *graph;
    mp_type_paths result;
    size_t step_count, step_capacity, path_capacity;
    mp_id_index steps; /* by the step above and the type; of no step, by the kind */
    uint32_t *path_of; /* of each step, its path, + 1 */
    size_t path_of_capacity;
} merged;

static uint32_t add_step(merged *all, mp_type_step step)
{
    mp_grow(&all->result.steps, &all->step_capacity, all->step_count + 1,
            sizeof *all->result.steps);
    mp_grow(&all->path_of, &all->path_of_capacity, all->step_count + 1, sizeof *all->path_of);
    all->result.steps[all->step_count] = step;
    all->path_of[all->step_count] = 0;
    return (uint32_t)all->step_count++;
}

/* The steps of length 0 stand for the kinds of roots. */
static uint32_t root_step(merged *all, uint32_t kind)
{
    uint32_t *place = mp_id_index_put(&all->steps, kind);
    if (!*place)
        *place = add_step(all, (mp_type_step){.root_kind = kind});
    return *place;
}

static uint32_t next_step(merged *all, uint32_t up, uint32_t type)
{
    const mp_type_step *above = &all->result.steps[up];
    if (above->length && above->type == type)
        return up; /* one more of a list */
    uint32_t *place = mp_id_index_put(&all->steps, (uint64_t)up << 32 | type);
    if (!*place)
        *place = add_step(all, (mp_type_step){up, type, above->root_kind, above->length + 1});
    return *place;
}

static void count_end(merged *all, uint32_t step, uint32_t object)
{
    mp_type_paths *result = &all->result;
    if (!all->path_of[step]) {
        mp_grow(&result->at, &all->path_capacity, result->count + 1, sizeof *result->at);
        result->at[result->count++] = (mp_type_path){.last = step, .example = object};
        all->path_of[step] = (uint32_t)result->count;
    }
    mp_type_path *path = &result->at[all->path_of[step] - 1];
    path->objects++;
    path->bytes += (int64_t)all->graph->sizes[object];
}

/* Whether each type's name matches. */
static bool *matching_types(const mp_model *model, const char *glob)
{
    bool *matches = mp_alloc_zero(model->types.count, sizeof *matches);
    mp_arena scratch = {0};
    for (uint32_t i = 0; i < model->types.count; i++)
        matches[i] = fnmatch(glob, mp_type_label(&scratch, model, (mp_type_id){i}), 0) == 0;
    mp_arena_free(&scratch);
    return matches;
}

/* Whether each object is on a shortest path to an object of such types. */
static bool *objects_on_paths(const mp_graph *graph, const mp_distances *distances,
                              const bool *matches)
{
    bool *wanted = mp_alloc_zero((size_t)graph->count + 1, sizeof *wanted);
    for (uint32_t i = distances->count; i--;) {
        uint32_t object = distances->order[i];
        wanted[object] |= matches[graph->types[object]];
        wanted[distances->above[object]] |= wanted[object];
    }
    return wanted;
}

/* Objects come after those above them, so that each step is there when it is needed. */
static void merge(merged *all, const mp_distances *distances, const bool *matches)
{
    const mp_graph *graph = all->graph;
    bool *wanted = objects_on_paths(graph, distances, matches);
    uint32_t *step = mp_alloc_zero((size_t)graph->count + 1, sizeof *step);
    for (uint32_t i = graph->roots.count; i-- > 1;) { /* the first root of an object wins */
        const mp_root *root = &graph->roots.at[i];
        if (mp_root_is_strong(root) && wanted[root->object])
            step[root->object] = root_step(all, root->kind);
    }
    for (uint32_t i = 0; i < distances->count; i++) {
        uint32_t object = distances->order[i], above = distances->above[object];
        if (!wanted[object])
            continue;
        assert(step[above]);
        step[object] = next_step(all, step[above], graph->types[object]);
        if (matches[graph->types[object]])
            count_end(all, step[object], object);
    }
    free(step);
    free(wanted);
}

static int most_first(const void *left, const void *right, void *graph)
{
    const mp_type_path *a = left, *b = right;
    if (a->objects != b->objects)
        return a->objects > b->objects ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return mp_object_compare(graph, a->example, b->example);
}

mp_type_paths mp_type_paths_of(const mp_model *model, const mp_graph *graph, const char *glob)
{
    merged all = {.graph = graph};
    bool *matches = matching_types(model, glob);
    mp_distances distances = mp_distances_from(graph, MP_ANY_KIND, 0);
    add_step(&all, (mp_type_step){0}); /* number 0 is none */
    merge(&all, &distances, matches);
    for (uint32_t i = 1; i <= graph->count; i++) {
        all.result.objects += matches[graph->types[i]];
        all.result.unreached += matches[graph->types[i]] && !distances.above[i];
    }
    if (all.result.count)
        qsort_r(all.result.at, all.result.count, sizeof *all.result.at, most_first, (void *)graph);
    mp_distances_free(&distances);
    mp_id_index_free(&all.steps);
    free(all.path_of);
    free(matches);
    return all.result;
}

void mp_type_paths_free(mp_type_paths *paths)
{
    free(paths->at);
    free(paths->steps);
    *paths = (mp_type_paths){0};
}
