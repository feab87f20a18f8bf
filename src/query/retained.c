/* What objects, types and namespaces retain. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/memory.h"
#include "query/graph_walks.h"
#include "query/query.h"

static void add_reached(const mp_graph *graph, const mp_dominators *dominators,
                        mp_graph_totals *totals)
{
    if (dominators) {
        totals->reachable_objects = dominators->reached;
        totals->reachable_bytes = (int64_t)dominators->retained[0];
        return;
    }
    mp_distances reached = mp_distances_from(graph, true, 0, 0);
    totals->reachable_objects = reached.count;
    for (uint32_t i = 0; i < reached.count; i++)
        totals->reachable_bytes += (int64_t)graph->sizes[reached.order[i]];
    mp_distances_free(&reached);
}

mp_graph_totals mp_graph_totals_of(const mp_graph *graph, const mp_dominators *dominators)
{
    mp_graph_totals totals = {.objects = graph->count,
                              .roots = (int64_t)graph->roots.count - 1,
                              .references = mp_graph_references(graph),
                              .dangling_references = (int64_t)graph->dangling,
                              .duplicate_objects = (int64_t)graph->duplicates};
    add_reached(graph, dominators, &totals);
    for (uint32_t i = 1; i <= graph->count; i++)
        totals.bytes += (int64_t)graph->sizes[i];
    for (uint32_t i = 1; i < graph->roots.count; i++)
        totals.roots_without_object += !graph->roots.at[i].object;
    totals.references += totals.dangling_references;
    totals.unreachable_objects = totals.objects - totals.reachable_objects;
    totals.unreachable_bytes = totals.bytes - totals.reachable_bytes;
    return totals;
}

/* --- groups --- */

/* Groups of types: the place of each type's group, + 1; 0: nothing of it was seen. */
typedef struct grouped {
    mp_histogram result;
    uint32_t *group_of_type;
    size_t capacity;
    mp_arena labels;
    mp_hash_index by_label;
} grouped;

/* The length of the namespace in a type's name: up to the last dot before any of < [ ` and , */
static size_t namespace_length(const char *name)
{
    size_t end = strcspn(name, "<[`,");
    while (end && name[end - 1] != '.')
        end--;
    return end ? end - 1 : 0;
}

static const char *label_of(grouped *groups, const mp_model *model, uint32_t type,
                            mp_histogram_kind kind)
{
    size_t size = (size_t)mp_type_label(model, (mp_type_id){type}, NULL, 0) + 1;
    char *label = mp_arena_alloc(&groups->labels, size);
    mp_type_label(model, (mp_type_id){type}, label, size);
    if (kind == MP_RETAINED_BY_TYPE)
        return label;
    size_t length = namespace_length(label);
    label[length] = '\0';
    return length ? label : "(none)";
}

typedef struct label_probe {
    const grouped *groups;
    const char *label;
} label_probe;

static bool same_label(const void *opaque, uint32_t value)
{
    const label_probe *probe = opaque;
    return strcmp(probe->groups->result.at[value - 1].label, probe->label) == 0;
}

/* Types of one name are one, also where a file declares it twice. */
static uint32_t group_of(grouped *groups, const mp_model *model, uint32_t type,
                         mp_histogram_kind kind)
{
    if (groups->group_of_type[type])
        return groups->group_of_type[type];
    label_probe probe = {groups, label_of(groups, model, type, kind)};
    uint64_t hash = mp_hash_bytes(probe.label, strlen(probe.label));
    size_t place;
    uint32_t found = mp_hash_index_find(&groups->by_label, hash, same_label, &probe, &place);
    if (!found) {
        mp_grow(&groups->result.at, &groups->capacity, groups->result.count + 1u,
                sizeof *groups->result.at);
        groups->result.at[groups->result.count++] = (mp_histogram_row){.label = probe.label};
        found = groups->result.count;
        mp_hash_index_set(&groups->by_label, place, hash, found);
    }
    return groups->group_of_type[type] = found;
}

static void note_largest(mp_histogram_row *group, const mp_graph *graph,
                         const mp_dominators *dominators, uint32_t object)
{
    uint64_t most = dominators->retained[group->largest];
    if (!group->largest || dominators->retained[object] > most ||
        (dominators->retained[object] == most && graph->ids[object] < graph->ids[group->largest]))
        group->largest = object;
}

/* In preorder, what an object dominates follows it: until its end, others of its group are not the
 * topmost. */
static void sum_retained(grouped *groups, const mp_graph *graph, const mp_dominators *dominators)
{
    uint32_t *until = mp_alloc_zero(groups->result.count + 1u, sizeof *until);
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        uint32_t object = dominators->order[i];
        uint32_t group = groups->group_of_type[graph->types[object]];
        if (!group)
            continue;
        mp_histogram_row *at = &groups->result.at[group - 1];
        at->reached_objects++;
        at->reached_bytes += (int64_t)graph->sizes[object];
        if (i < until[group])
            continue;
        until[group] = i + dominators->span[i];
        at->retained_bytes += (int64_t)dominators->retained[object];
        note_largest(at, graph, dominators, object);
    }
    free(until);
}

int mp_histogram_by_label(const mp_histogram_row *a, const mp_histogram_row *b)
{
    return strcmp(a->label, b->label);
}

static int larger_first(int64_t a, int64_t b)
{
    return a > b ? -1 : a < b;
}

int mp_histogram_by_retained(const mp_histogram_row *a, const mp_histogram_row *b)
{
    int order = larger_first(a->retained_bytes, b->retained_bytes);
    return order ? order : mp_histogram_by_label(a, b);
}

int mp_histogram_by_bytes(const mp_histogram_row *a, const mp_histogram_row *b)
{
    int order = larger_first(a->bytes, b->bytes);
    return order ? order : mp_histogram_by_label(a, b);
}

int mp_histogram_by_objects(const mp_histogram_row *a, const mp_histogram_row *b)
{
    int order = larger_first(a->objects, b->objects);
    return order ? order : mp_histogram_by_label(a, b);
}

static int compare_entries(const void *left, const void *right, void *order)
{
    return (*(mp_histogram_order **)order)(left, right);
}

void mp_histogram_sort(mp_histogram *histogram, mp_histogram_order *order)
{
    if (histogram->count)
        qsort_r(histogram->at, histogram->count, sizeof *histogram->at, compare_entries, &order);
}

mp_histogram mp_histogram_of(const mp_model *model, const mp_graph *graph,
                             const mp_dominators *dominators, mp_histogram_kind kind)
{
    grouped groups = {.group_of_type =
                          mp_alloc_zero(model->types.count, sizeof *groups.group_of_type)};
    mp_grow(&groups.result.at, &groups.capacity, 1, sizeof *groups.result.at);
    for (uint32_t i = 1; i <= graph->count; i++) {
        if (model->types.at[graph->types[i]].left_out)
            continue;
        uint32_t place = group_of(&groups, model, graph->types[i], kind);
        mp_histogram_row *group = &groups.result.at[place - 1];
        group->objects++;
        group->bytes += (int64_t)graph->sizes[i];
    }
    sum_retained(&groups, graph, dominators);
    mp_histogram_sort(&groups.result, mp_histogram_by_retained);
    mp_hash_index_free(&groups.by_label);
    free(groups.group_of_type);
    mp_arena *labels = mp_alloc(sizeof *labels);
    *labels = groups.labels;
    groups.result.private = labels;
    return groups.result;
}

void mp_histogram_free(mp_histogram *histogram)
{
    mp_arena_free(histogram->private);
    free(histogram->private);
    free(histogram->at);
    *histogram = (mp_histogram){0};
}

/* --- objects --- */

typedef struct ranking {
    const mp_graph *graph;
    const mp_dominators *dominators;
} ranking;

static int by_retained(const void *left, const void *right, void *opaque)
{
    const ranking *rank = opaque;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    uint64_t bytes_a = rank->dominators->retained[a], bytes_b = rank->dominators->retained[b];
    if (bytes_a != bytes_b)
        return bytes_a > bytes_b ? -1 : 1;
    if (rank->graph->ids[a] != rank->graph->ids[b])
        return rank->graph->ids[a] < rank->graph->ids[b] ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Move the first of a heap, whose last in order is on top, down to its place. */
static void sift(uint32_t *heap, size_t count, const ranking *rank)
{
    size_t at = 0;
    for (size_t child; (child = at * 2 + 1) < count; at = child) {
        if (child + 1 < count && by_retained(&heap[child + 1], &heap[child], (void *)rank) > 0)
            child++;
        if (by_retained(&heap[child], &heap[at], (void *)rank) <= 0)
            return;
        uint32_t retyped = heap[at];
        heap[at] = heap[child];
        heap[child] = retyped;
    }
}

uint32_t *mp_retained_order(const mp_graph *graph, const mp_dominators *dominators, size_t most,
                            size_t *count)
{
    ranking rank = {graph, dominators};
    size_t room = most && most < dominators->reached ? most : dominators->reached;
    uint32_t *best = mp_alloc((room + 1) * sizeof *best);
    for (size_t i = 0; i < room; i++)
        best[i] = dominators->order[i + 1];
    if (room)
        qsort_r(best, room, sizeof *best, by_retained, &rank);
    *count = room;
    if (!room || room == dominators->reached)
        return best;
    for (size_t i = 0; i < room / 2; i++) { /* backwards it is a heap with the last on top */
        uint32_t retyped = best[i];
        best[i] = best[room - 1 - i];
        best[room - 1 - i] = retyped;
    }
    for (uint32_t i = (uint32_t)room + 1; i <= dominators->reached; i++)
        if (by_retained(&dominators->order[i], &best[0], &rank) < 0) {
            best[0] = dominators->order[i];
            sift(best, room, &rank);
        }
    qsort_r(best, room, sizeof *best, by_retained, &rank);
    return best;
}
