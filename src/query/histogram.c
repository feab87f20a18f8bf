/* What types and namespaces retain, and which objects retain most. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "query/graph_query.h"

/* The length of the namespace in a type's name: up to the last dot before any of < [ ` and , */
static size_t namespace_length(const char *name)
{
    size_t end = strcspn(name, "<[`,");
    while (end && name[end - 1] != '.')
        end--;
    return end ? end - 1 : 0;
}

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
    size_t length = namespace_length(label);
    return length ? mp_arena_copy(labels, label, length) : "(none)";
}

static int by_label(const void *left, const void *right)
{
    return strcmp(((const labelled *)left)->label, ((const labelled *)right)->label);
}

/* The group of each type, + 1; 0: nothing of it is there, or selected. Types of one name are one,
 * also where a file declares it twice. */
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
    histogram->at = mp_alloc_zero(count, sizeof *histogram->at);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(types[i].label, types[i - 1].label) != 0)
            histogram->at[histogram->count++].label = types[i].label;
        group_of[types[i].type] = histogram->count;
    }
    free(types);
    return group_of;
}

/* In preorder, what an object dominates follows it: until its end, others of its group are not the
 * topmost. */
static void sum_retained(const mp_graph_view *view, const uint32_t *group_of,
                         mp_histogram *histogram)
{
    const mp_dominators *dominators = &view->dominators;
    uint32_t *until = mp_alloc_zero(histogram->count + 1u, sizeof *until);
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        uint32_t object = dominators->order[i], group = group_of[view->graph->types[object]];
        if (!group)
            continue;
        mp_histogram_row *at = &histogram->at[group - 1];
        at->reached_objects++;
        at->reached_bytes += (int64_t)view->graph->sizes[object];
        if (i < until[group])
            continue;
        uint64_t retained = dominators->retained[object];
        uint64_t most = dominators->retained[at->largest];
        until[group] = i + dominators->span[i];
        at->retained_bytes += (int64_t)retained;
        if (!at->largest || retained > most ||
            (retained == most && view->graph->ids[object] < view->graph->ids[at->largest]))
            at->largest = object;
    }
    free(until);
}

static int most_first(const void *left, const void *right)
{
    const mp_histogram_row *a = left, *b = right;
    if (a->retained_bytes != b->retained_bytes)
        return a->retained_bytes > b->retained_bytes ? -1 : 1;
    return strcmp(a->label, b->label);
}

mp_histogram mp_histogram_of(const mp_graph_view *view, mp_histogram_kind kind)
{
    mp_histogram histogram = {.labels = mp_alloc_zero(1, sizeof *histogram.labels)};
    uint32_t *group_of = group_types(view, kind, &histogram);
    for (uint32_t i = 1; i <= view->graph->count; i++)
        if (group_of[view->graph->types[i]]) {
            mp_histogram_row *group = &histogram.at[group_of[view->graph->types[i]] - 1];
            group->objects++;
            group->bytes += (int64_t)view->graph->sizes[i];
        }
    sum_retained(view, group_of, &histogram);
    qsort(histogram.at, histogram.count, sizeof *histogram.at, most_first);
    free(group_of);
    return histogram;
}

mp_histogram *mp_graph_types(mp_graph_view *view)
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
    free(histogram->at);
    *histogram = (mp_histogram){0};
}

/* --- objects --- */

static int by_retained(const void *left, const void *right, void *view)
{
    return mp_retained_compare(view, *(const uint32_t *)left, *(const uint32_t *)right);
}

/* Of few, no more than twice as many are ever kept: when there is no more room, the better half
 * stays, and what is not better than its last is passed over from then on. */
uint32_t *mp_retained_order(const mp_graph_view *view, int64_t least, size_t most, size_t *count,
                            size_t *all)
{
    const mp_dominators *dominators = &view->dominators;
    bool few = most && most < dominators->reached / 2;
    size_t room = few ? 2 * most : dominators->reached;
    uint32_t *best = mp_alloc((room + 1) * sizeof *best);
    bool sorted = false; /* the better half */
    *count = *all = 0;
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        uint32_t object = dominators->order[i];
        if ((view->filter->types && !mp_graph_selects(view, view->graph->types[object])) ||
            (int64_t)dominators->retained[object] < least)
            continue;
        ++*all;
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
