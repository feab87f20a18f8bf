/* On its way out, see query.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/graph_builder.h"
#include "query/known.h"
#include "query/query.h"

/* A copy of the window's, without its labels' arena. */
static mp_grouping copy_of(const mp_window *window, const mp_grouping *of)
{
    mp_grouping grouping = *of;
    size_t bytes = (size_t)window->model->generations.count * sizeof *of->group_of;
    size_t nodes = (size_t)window->model->tree.count * sizeof *of->group_of_node;
    grouping.private = NULL;
    grouping.groups = mp_alloc((grouping.count + 1u) * sizeof *grouping.groups);
    if (grouping.count)
        memcpy(grouping.groups, of->groups, grouping.count * sizeof *grouping.groups);
    if (of->group_of)
        grouping.group_of = memcpy(mp_alloc(bytes), of->group_of, bytes);
    if (of->group_of_node)
        grouping.group_of_node = memcpy(mp_alloc(nodes), of->group_of_node, nodes);
    return grouping;
}

mp_grouping mp_group_by(const mp_window *window, const mp_dimension *dimension)
{
    return copy_of(window, mp_window_groups(window, dimension, MP_GROUPS_SCOPED));
}

mp_grouping mp_group_growth(const mp_window *window, const mp_dimension *dimension)
{
    return copy_of(window,
                   mp_window_groups(window, dimension, MP_GROUPS_SCOPED | MP_GROUPS_GROWTH));
}

mp_leaks mp_leaks_find(const mp_window *window)
{
    mp_leaks leaks = *mp_window_leak_sites(window);
    leaks.private = NULL;
    leaks.at = memcpy(mp_alloc((leaks.count + 1u) * sizeof *leaks.at), leaks.at,
                      leaks.count * sizeof *leaks.at);
    return leaks;
}

/* A pointer to a function does not fit a void pointer; a pointer to this does. */
typedef struct leak_order {
    mp_leak_order *order;
} leak_order;

static int compare_leaks(const void *left, const void *right, void *opaque)
{
    const mp_leak *a = left, *b = right;
    int order = ((leak_order *)opaque)->order(a, b);
    return order ? order : a->rank < b->rank ? -1 : a->rank > b->rank;
}

void mp_leaks_sort(mp_leaks *leaks, mp_leak_order *order)
{
    leak_order opaque = {order};
    if (leaks->count)
        qsort_r(leaks->at, leaks->count, sizeof *leaks->at, compare_leaks, &opaque);
}

/* --- orders --- */

static int descending(int64_t a, int64_t b)
{
    return a > b ? -1 : a < b;
}

static int64_t change_bytes(const mp_group *group)
{
    return llabs(group->to.bytes - group->from.bytes);
}

static int64_t change_objects(const mp_group *group)
{
    return llabs(mp_cost_live(group->to) - mp_cost_live(group->from));
}

int mp_order_by_label(const mp_group *a, const mp_group *b)
{
    return mp_group_compare_labels(a, b);
}

int mp_order_by_bytes(const mp_group *a, const mp_group *b)
{
    int order = descending(a->to.bytes, b->to.bytes);
    return order ? order : mp_order_by_label(a, b);
}

int mp_order_by_objects(const mp_group *a, const mp_group *b)
{
    int order = descending(mp_cost_live(a->to), mp_cost_live(b->to));
    return order ? order : mp_order_by_bytes(a, b);
}

int mp_order_by_inclusive(const mp_group *a, const mp_group *b)
{
    int order = descending(a->inclusive_bytes, b->inclusive_bytes);
    return order ? order : mp_order_by_bytes(a, b);
}

int mp_order_by_created(const mp_group *a, const mp_group *b)
{
    int order = descending(a->to.created, b->to.created);
    return order ? order : mp_order_by_bytes(a, b);
}

int mp_order_by_deleted(const mp_group *a, const mp_group *b)
{
    int order = descending(a->to.deleted, b->to.deleted);
    return order ? order : mp_order_by_bytes(a, b);
}

int mp_order_by_allocated(const mp_group *a, const mp_group *b)
{
    int order = descending(a->to.created_bytes, b->to.created_bytes);
    return order ? order : mp_order_by_created(a, b);
}

int mp_order_by_peak(const mp_group *a, const mp_group *b)
{
    int order = descending(a->at_peak.bytes, b->at_peak.bytes);
    return order ? order : mp_order_by_bytes(a, b);
}

int mp_order_by_temporary(const mp_group *a, const mp_group *b)
{
    int order = descending(a->to.temporary_bytes, b->to.temporary_bytes);
    if (!order)
        order = descending(a->to.temporary, b->to.temporary);
    return order ? order : mp_order_by_bytes(a, b);
}

int mp_order_by_change(const mp_group *a, const mp_group *b)
{
    int order = descending(change_bytes(a), change_bytes(b));
    return order ? order : mp_order_by_label(a, b);
}

int mp_order_by_change_objects(const mp_group *a, const mp_group *b)
{
    int order = descending(change_objects(a), change_objects(b));
    return order ? order : mp_order_by_change(a, b);
}

/* A pointer to a function does not fit a void pointer; a pointer to this does. */
typedef struct order_call {
    mp_group_order *order;
} order_call;

static int compare_groups(const void *a, const void *b, void *opaque)
{
    return ((order_call *)opaque)->order(a, b);
}

void mp_grouping_sort(mp_grouping *grouping, mp_group_order *order)
{
    order_call opaque = {order};
    if (grouping->count)
        qsort_r(grouping->groups, grouping->count, sizeof *grouping->groups, compare_groups,
                &opaque);
}

mp_session_snapshots mp_session_snapshots_of(const mp_model *model)
{
    mp_session_snapshots snapshots = {
        mp_alloc(model->snapshots.count * sizeof *snapshots.at),
        mp_alloc_zero(model->sessions.count + 1u, sizeof *snapshots.first)};
    for (uint32_t i = 1; i < model->snapshots.count; i++)
        if (model->snapshots.at[i].whole)
            snapshots.first[model->snapshots.at[i].session.i + 1]++;
    for (uint32_t i = 1; i <= model->sessions.count; i++)
        snapshots.first[i] += snapshots.first[i - 1];
    /* Filling moves each session's start to its end, which is the next one's start. */
    for (uint32_t i = 1; i < model->snapshots.count; i++)
        if (model->snapshots.at[i].whole)
            snapshots.at[snapshots.first[model->snapshots.at[i].session.i]++] = i;
    for (uint32_t i = model->sessions.count; i > 0; i--)
        snapshots.first[i] = snapshots.first[i - 1];
    snapshots.first[0] = 0;
    return snapshots;
}

void mp_session_snapshots_free(mp_session_snapshots *snapshots)
{
    free(snapshots->at);
    free(snapshots->first);
    *snapshots = (mp_session_snapshots){NULL, NULL};
}

uint32_t mp_session_peak(const mp_model *model, const mp_session_snapshots *snapshots,
                         uint32_t session)
{
    uint32_t peak = 0;
    for (uint32_t i = snapshots->first[session]; i < snapshots->first[session + 1]; i++) {
        uint32_t snapshot = snapshots->at[i];
        if (!peak ||
            model->snapshots.at[snapshot].live_bytes > model->snapshots.at[peak].live_bytes)
            peak = snapshot;
    }
    return peak;
}

/* What the filter of the whole says, in the model itself. */
bool mp_sessions_cut(mp_model *model, mp_diagnostics *diagnostics)
{
    bool ok = mp_filter_check_ends(model, diagnostics);
    mp_filter *filter = mp_filter_of(model, NULL, NULL);
    for (uint32_t i = 0; i < model->snapshots.count; i++)
        model->snapshots.at[i].whole = filter->snapshots[i].whole;
    for (uint32_t i = 1; i < model->sessions.count; i++)
        model->sessions.at[i].snapshots = mp_filter_snapshots(filter, i);
    if (model->events && !filter->knows_peak)
        model->events->at_peak_count = 0;
    if (model->events)
        model->events->peak_time_us = filter->peak_time_us;
    if (model->graph && !filter->graph) {
        mp_graph_free(model->graph);
        model->graph = NULL;
    }
    model->holds = filter->holds;
    mp_filter_free(filter);
    return ok;
}
