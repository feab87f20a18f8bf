/* Retained sizes of types and namespaces, and the objects with the largest ones. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "query/graph_query.h"

typedef struct labelled {
    const char *label;
    uint32_t type;
} labelled;

static const char *label_of(mp_arena *labels, const mp_model *model, uint32_t type,
                            mp_histogram_kind kind)
{
    const char *label = mp_type_text(labels, model, type);
    if (kind == MP_HISTOGRAM_OF_TYPES)
        return label;
    size_t length = mp_namespace_length(label);
    return length ? mp_arena_copy(labels, label, length) : "(none)";
}

static int by_label(const void *left, const void *right)
{
    return strcmp(((const labelled *)left)->label, ((const labelled *)right)->label);
}

/* Return 1 + the group of each type; 0: the type has no selected objects. Types with equal names
 * are one group, even if a file declares them twice. */
static uint32_t *group_types(const mp_graph_view *view, mp_histogram_kind kind,
                             mp_histogram *histogram)
{
    uint32_t count = 0, *group_of = mp_alloc_zero(view->model->types.count, sizeof *group_of);
    labelled *types = mp_alloc(view->model->types.count * sizeof *types);
    for (uint32_t i = 1; i <= view->graph->count; i++) {
        uint32_t type = view->graph->types[i];
        if (group_of[type] || !mp_graph_selects(view, type))
            continue;
        group_of[type] = 1;
        types[count++] = (labelled){label_of(histogram->labels, view->model, type, kind), type};
    }
    qsort(types, count, sizeof *types, by_label);
    histogram->items = mp_alloc_zero(count, sizeof *histogram->items);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(types[i].label, types[i - 1].label) != 0)
            histogram->items[histogram->count++].label = types[i].label;
        group_of[types[i].type] = histogram->count;
    }
    free(types);
    return group_of;
}

/* Add up the retained sizes of the topmost objects of each group. In preorder, an object is
 * followed by the objects that it dominates; if they are of the same group, they are not topmost.
 * If only one object is topmost, the sum is exact. */
static void sum_retained(const mp_graph_view *view, mp_histogram *histogram)
{
    const mp_dominators *dominators = &view->dominators;
    const uint32_t *group_of = histogram->groups.group_of;
    uint32_t *until = mp_alloc_zero(histogram->count + 1u, sizeof *until);
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        uint32_t object = dominators->order[i], group = group_of[view->graph->types[object]];
        const uint32_t later = mp_object_ahead(dominators, i);
        __builtin_prefetch(&view->graph->types[later]);
        __builtin_prefetch(&view->graph->sizes[later]);
        __builtin_prefetch(&dominators->retained[later]);
        if (!group)
            continue;
        mp_histogram_row *histogram_row = &histogram->items[group - 1];
        mp_joint *joint = &histogram->groups.items[group - 1];
        histogram_row->reached_objects++;
        histogram_row->reached_bytes += (int64_t)view->graph->sizes[object];
        if (i < until[group])
            continue;
        uint64_t retained = dominators->retained[object];
        uint64_t most = dominators->retained[histogram_row->largest];
        joint->exact = !until[group];
        joint->objects += dominators->span[i];
        joint->bytes += (int64_t)retained;
        until[group] = i + dominators->span[i];
        if (!histogram_row->largest || retained > most ||
            (retained == most &&
             view->graph->ids[object] < view->graph->ids[histogram_row->largest]))
            histogram_row->largest = object;
    }
    for (uint32_t i = 0; i < histogram->count; i++) {
        histogram->groups.items[i].exact |= !until[i + 1]; /* no object of the group is reached */
        histogram->items[i].retained_bytes = histogram->groups.items[i].bytes;
    }
    free(until);
}

mp_histogram mp_histogram_of(const mp_graph_view *view, mp_histogram_kind kind)
{
    mp_histogram histogram = {.labels = mp_alloc_zero(1, sizeof *histogram.labels)};
    uint32_t *group_of = group_types(view, kind, &histogram);
    histogram.groups = (mp_groups){.kind = MP_GROUPS_OF_TYPES,
                                   .count = histogram.count,
                                   .members = view->model->types.count,
                                   .group_of = group_of,
                                   .items = mp_alloc_zero(histogram.count + 1u, sizeof(mp_joint))};
    for (uint32_t i = 0; i < histogram.count; i++)
        histogram.items[i].group = i;
    for (uint32_t i = 1; i <= view->graph->count; i++)
        if (group_of[view->graph->types[i]]) {
            mp_histogram_row *group = &histogram.items[group_of[view->graph->types[i]] - 1];
            group->objects++;
            group->bytes += (int64_t)view->graph->sizes[i];
        }
    sum_retained(view, &histogram);
    return histogram;
}

void mp_histogram_settle(mp_graph_view *view, mp_histogram *histogram, mp_histogram_row *rows,
                         uint32_t count, size_t most, int64_t least)
{
    uint32_t *which = mp_alloc((count + 1u) * sizeof *which);
    for (uint32_t i = 0; i < count; i++)
        which[i] = rows[i].group;
    mp_groups_settle(view, &histogram->groups, which, count, most, least);
    for (uint32_t i = 0; i < count; i++)
        rows[i].retained_bytes = histogram->groups.items[rows[i].group].bytes;
    free(which);
}

const mp_histogram *mp_graph_types(mp_graph_view *view)
{
    if (!view->types.labels)
        view->types = mp_histogram_of(view, MP_HISTOGRAM_OF_TYPES);
    return &view->types;
}

void mp_histogram_free(mp_histogram *histogram)
{
    if (histogram->labels)
        mp_arena_free(histogram->labels);
    free(histogram->labels);
    free(histogram->items);
    mp_groups_free(&histogram->groups);
    *histogram = (mp_histogram){0};
}

/* --- objects --- */

static int by_retained(const void *left, const void *right, void *view)
{
    return mp_retained_compare(view, *(const uint32_t *)left, *(const uint32_t *)right);
}

/* Return the objects in the order of retained size. If only a few are wanted, at most twice as many
 * are kept: when the array is full, the larger half stays, and smaller objects are skipped from
 * then on. */
uint32_t *mp_retained_order(const mp_graph_view *view, int64_t least, size_t most, size_t *count,
                            size_t *totals)
{
    const mp_dominators *dominators = &view->dominators;
    bool few = most && most < dominators->reached / 2;
    size_t room = few ? 2 * most : dominators->reached;
    uint32_t *best = mp_alloc((room + 1) * sizeof *best);
    bool sorted = false; /* the larger half of the array is sorted */
    *count = *totals = 0;
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        uint32_t object = dominators->order[i];
        __builtin_prefetch(&dominators->retained[mp_object_ahead(dominators, i)]);
        if ((view->filter->types && !mp_graph_selects(view, view->graph->types[object])) ||
            (int64_t)dominators->retained[object] < least)
            continue;
        ++*totals;
        if (sorted && mp_retained_compare(view, object, best[most - 1]) > 0)
            continue;
        best[(*count)++] = object;
        if (few && *count == room) {
            qsort_r(best, room, sizeof *best, by_retained, (void *)(uintptr_t)view);
            *count = most;
            sorted = true;
        }
    }
    qsort_r(best, *count, sizeof *best, by_retained, (void *)(uintptr_t)view);
    if (most && *count > most)
        *count = most;
    return best;
}
