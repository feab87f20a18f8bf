/* Groupings: every flow of the window is added to its cohort's group. */
#include <stdlib.h>
#include <string.h>

#include "analysis/frames.h"
#include "memprof/analysis.h"
#include "support/index.h"
#include "support/memory.h"

/* What is needed while groups are summed, and the arena that keeps their labels. */
typedef struct workshop {
    mp_arena *labels;
    const mp_window *window;
    const mp_model *model;
    const mp_dimension *dimension;
    mp_key *keys; /* of groups, from 1 */
    size_t keys_capacity;
    mp_hash_index index;
    mp_group *groups;
    size_t capacity;
    uint32_t count;     /* groups, from 1 */
    uint32_t *group_of; /* cohort to group; 0: left out */
} workshop;

typedef struct key_probe {
    const workshop *shop;
    mp_key key;
} key_probe;

static bool same_key(const void *context, uint32_t value)
{
    const key_probe *probe = context;
    const mp_key *key = &probe->shop->keys[value];
    return key->a == probe->key.a && key->b == probe->key.b;
}

static uint32_t group_for(workshop *shop, uint32_t cohort_id)
{
    const mp_cohort *cohort = &shop->model->cohorts.at[cohort_id];
    mp_key key = shop->dimension->key(shop->model, cohort);
    key_probe probe = {shop, key};
    uint64_t hash = mp_hash64(key.a + mp_hash64(key.b + 1));
    size_t place;
    uint32_t found = mp_hash_index_find(&shop->index, hash, same_key, &probe, &place);
    if (!found) {
        found = ++shop->count;
        mp_grow(&shop->groups, &shop->capacity, found + 1u, sizeof *shop->groups);
        mp_grow(&shop->keys, &shop->keys_capacity, found + 1u, sizeof *shop->keys);
        const mp_lot *lot = &shop->model->lots.at[cohort->lot.i];
        shop->groups[found] =
            (mp_group){.example = {cohort_id}, .node = shop->model->tree_of[lot->node.i]};
        shop->keys[found] = key;
        mp_hash_index_set(&shop->index, place, hash, found);
    }
    return found;
}

static void assign_groups(workshop *shop)
{
    const mp_model *model = shop->model;
    shop->group_of = mp_alloc_zero(model->cohorts.count, sizeof *shop->group_of);
    for (uint32_t i = 1; i < model->cohorts.count; i++) {
        const mp_cohort *cohort = &model->cohorts.at[i];
        if (!model->lots.at[cohort->lot.i].reusable &&
            mp_window_before_to(shop->window, cohort->born))
            shop->group_of[i] = group_for(shop, i);
    }
}

/* The pool that the session makes for itself: unnamed, in nothing, and by no code. */
static bool is_session_pool(const mp_model *model, mp_lot_id owner)
{
    const mp_lot *lot = &model->lots.at[owner.i];
    return owner.i > MP_LOT_UNKNOWN && !lot->name.i && !lot->owner.i && !lot->node.i &&
           model->types.at[lot->type.i].class == MP_TYPE_WIDGET_POOL;
}

static void add_leaked(workshop *shop, mp_group *group, const mp_flow *flow)
{
    const mp_cohort *cohort = &shop->model->cohorts.at[flow->cohort.i];
    const mp_lot *lot = &shop->model->lots.at[cohort->lot.i];
    int64_t live = mp_cost_live(flow->cost);
    group->leaked = mp_cost_add(group->leaked, flow->cost);
    if (is_session_pool(shop->model, lot->owner))
        group->pool_objects += live;
    if (cohort->owner_born.i && mp_window_leaks(shop->window, lot->owner, cohort->owner_born))
        group->owned_by_leak += live;
}

/* What was alive when most bytes were. */
static void add_peak(workshop *shop)
{
    const mp_events *events = shop->model->events;
    for (uint32_t i = 1; events && i < events->at_peak_count; i++) {
        if (!shop->group_of[i])
            continue;
        mp_group *group = &shop->groups[shop->group_of[i]];
        group->at_peak.objects += events->at_peak[i].objects;
        group->at_peak.bytes += events->at_peak[i].bytes;
    }
}

static void add_flows(workshop *shop)
{
    const mp_model *model = shop->model;
    for (uint32_t i = 1; i < model->flows.count; i++) {
        const mp_flow *flow = &model->flows.at[i];
        uint32_t id = shop->group_of[flow->cohort.i];
        if (!id || !mp_window_before_to(shop->window, flow->mark))
            continue;
        mp_group *group = &shop->groups[id];
        group->to = mp_cost_add(group->to, flow->cost);
        if (mp_window_before_from(shop->window, flow->mark))
            group->from = mp_cost_add(group->from, flow->cost);
        const mp_cohort *cohort = &model->cohorts.at[flow->cohort.i];
        if (mp_window_leaks(shop->window, cohort->lot, cohort->born))
            add_leaked(shop, group, flow);
    }
}

/* --- at how many snapshots what leaks grew --- */

/* What a flow did to what leaks of its group. */
typedef struct change {
    uint32_t group, mark;
    int64_t objects;
} change;

/* Whether a flow is of what leaks; of which group. */
static uint32_t leaking_group(const workshop *shop, const mp_flow *flow)
{
    const mp_cohort *cohort = &shop->model->cohorts.at[flow->cohort.i];
    bool leaks = mp_window_before_to(shop->window, flow->mark) &&
                 mp_window_leaks(shop->window, cohort->lot, cohort->born);
    return leaks ? shop->group_of[flow->cohort.i] : 0;
}

/* The changes group after group, in each in the order of time, as flows are. */
static change *changes_by_group(const workshop *shop, size_t *count)
{
    const mp_model *model = shop->model;
    size_t *next = mp_alloc_zero((size_t)shop->count + 2, sizeof *next);
    change *changes = mp_alloc((size_t)model->flows.count * sizeof *changes);
    for (uint32_t i = 1; i < model->flows.count; i++)
        next[leaking_group(shop, &model->flows.at[i]) + 1]++;
    next[1] = 0; /* those of no group */
    for (uint32_t i = 1; i <= shop->count; i++)
        next[i + 1] += next[i];
    *count = next[shop->count + 1];
    for (uint32_t i = 1; i < model->flows.count; i++) {
        const mp_flow *flow = &model->flows.at[i];
        uint32_t group = leaking_group(shop, flow);
        if (group)
            changes[next[group]++] = (change){group, flow->mark.i, mp_cost_live(flow->cost)};
    }
    free(next);
    return changes;
}

/* Snapshots of the window at which anything was created: where nothing was, a site had no chance to
 * grow, as at the clean-up that ends a session. */
static uint32_t *moments_of_sessions(const mp_window *window)
{
    const mp_model *model = window->model;
    uint32_t *moments = mp_alloc_zero(model->sessions.count, sizeof *moments);
    for (uint32_t i = 1; i < model->marks.count; i++) {
        const mp_mark *mark = &model->marks.at[i];
        mp_mark_id id = {i};
        moments[mark->session.i] += mark->created_objects > 0 &&
                                    !mp_window_before_from(window, id) &&
                                    mp_window_before_to(window, id);
    }
    return moments;
}

/* One (group, mark) after the other: did the group's leaked objects become more there? */
static void count_growth(workshop *shop)
{
    const mp_model *model = shop->model;
    size_t count;
    change *changes = changes_by_group(shop, &count);
    uint32_t *grew_session = mp_alloc_zero(model->sessions.count, sizeof *grew_session);
    uint32_t *seen_session = mp_alloc_zero(model->sessions.count, sizeof *seen_session);
    uint32_t *moments = moments_of_sessions(shop->window);
    for (size_t i = 0; i < count;) {
        uint32_t group = changes[i].group, mark = changes[i].mark;
        uint32_t session = model->marks.at[mark].session.i;
        int64_t objects = 0;
        for (; i < count && changes[i].group == group && changes[i].mark == mark; i++)
            objects += changes[i].objects;
        bool grew = objects > 0 && model->marks.at[mark].created_objects > 0;
        shop->groups[group].grew += grew;
        if (grew && grew_session[session] != group) {
            shop->groups[group].grew_sessions++;
            grew_session[session] = group;
        }
        if (seen_session[session] != group) {
            shop->groups[group].moments += moments[session];
            seen_session[session] = group;
        }
    }
    free(moments);
    free(seen_session);
    free(grew_session);
    free(changes);
}

/* --- inclusive bytes --- */

static int64_t *bytes_of_lots(const workshop *shop)
{
    const mp_model *model = shop->model;
    int64_t *bytes = mp_alloc_zero(model->lots.count, sizeof *bytes);
    for (uint32_t i = 1; i < model->flows.count; i++) {
        const mp_flow *flow = &model->flows.at[i];
        if (shop->group_of[flow->cohort.i] && mp_window_before_to(shop->window, flow->mark))
            bytes[model->cohorts.at[flow->cohort.i].lot.i] += flow->cost.bytes;
    }
    return bytes;
}

/* A lot's bytes count once for each group that it or one of its owners is in. The owners of a lot
 * are a path of at most 64 lots. */
static bool add_inclusive(workshop *shop)
{
    const mp_model *model = shop->model;
    int64_t *bytes = bytes_of_lots(shop);
    uint32_t *group_of_lot = mp_alloc_zero(model->lots.count, sizeof *group_of_lot);
    uint32_t *last_added = mp_alloc_zero((size_t)shop->count + 1, sizeof *last_added);
    bool scoped = false;
    for (uint32_t i = model->cohorts.count; i-- > 1;)
        group_of_lot[model->cohorts.at[i].lot.i] = shop->group_of[i];
    for (uint32_t i = MP_LOT_UNKNOWN + 1; i < model->lots.count; i++) {
        scoped |= model->lots.at[i].owner.i != 0;
        for (uint32_t lot = i; bytes[i] && lot; lot = model->lots.at[lot].owner.i) {
            uint32_t group = group_of_lot[lot];
            if (!group || last_added[group] == i)
                continue;
            last_added[group] = i;
            shop->groups[group].inclusive_bytes += bytes[i];
        }
    }
    free(last_added);
    free(group_of_lot);
    free(bytes);
    return scoped;
}

/* --- the result --- */

static bool is_empty(const mp_group *group)
{
    const mp_cost *cost = &group->to;
    return !cost->created && !cost->deleted && !cost->moved && !cost->found && !cost->bytes &&
           !mp_cost_live(group->from);
}

static const char *label_of(workshop *shop, const mp_group *group)
{
    const mp_cohort *cohort = &shop->model->cohorts.at[group->example.i];
    size_t size = (size_t)shop->dimension->label(shop->model, cohort, NULL, 0) + 1;
    char *text = mp_arena_alloc(shop->labels, size);
    shop->dimension->label(shop->model, cohort, text, size);
    return text;
}

/* Close the gaps that empty groups leave; group_of then tells places in grouping->groups, + 1. */
static void keep_full_groups(workshop *shop, mp_grouping *grouping)
{
    uint32_t *kept = mp_alloc_zero((size_t)shop->count + 1, sizeof *kept);
    for (uint32_t i = 1; i <= shop->count; i++) {
        if (is_empty(&shop->groups[i]))
            continue;
        shop->groups[i].label = label_of(shop, &shop->groups[i]);
        grouping->groups[grouping->count++] = shop->groups[i];
        kept[i] = grouping->count;
    }
    for (uint32_t i = 1; i < shop->model->cohorts.count; i++)
        shop->group_of[i] = kept[shop->group_of[i]];
    grouping->group_of = shop->group_of;
    free(kept);
}

static mp_grouping group_window(const mp_window *window, const mp_dimension *dimension, bool growth)
{
    workshop shop = {.window = window, .model = window->model, .dimension = dimension};
    shop.labels = mp_alloc_zero(1, sizeof *shop.labels);
    mp_grow(&shop.groups, &shop.capacity, 1, sizeof *shop.groups);
    assign_groups(&shop);
    add_flows(&shop);
    add_peak(&shop);
    if (growth)
        count_growth(&shop);
    mp_grouping grouping = {.groups = shop.groups, .private = shop.labels};
    if (dimension->of_lot)
        grouping.has_scope = add_inclusive(&shop);
    keep_full_groups(&shop, &grouping);
    free(shop.keys);
    mp_hash_index_free(&shop.index);
    return grouping;
}

mp_grouping mp_group_by(const mp_window *window, const mp_dimension *dimension)
{
    return dimension->of_frames ? mp_group_frames(window) : group_window(window, dimension, false);
}

mp_grouping mp_group_growth(const mp_window *window, const mp_dimension *dimension)
{
    return group_window(window, dimension, true);
}

void mp_grouping_free(mp_grouping *grouping)
{
    if (grouping->private)
        mp_arena_free(grouping->private);
    free(grouping->private);
    free(grouping->groups);
    free(grouping->group_of);
    free(grouping->group_of_node);
    *grouping = (mp_grouping){0};
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
    int order = strcmp(a->label, b->label);
    if (!order) /* sites of one line that are called from different places */
        order = a->node < b->node ? -1 : a->node > b->node;
    return order ? order : a->example.i < b->example.i ? -1 : a->example.i > b->example.i;
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
typedef struct order_context {
    mp_group_order *order;
} order_context;

static int compare_groups(const void *a, const void *b, void *context)
{
    return ((order_context *)context)->order(a, b);
}

void mp_grouping_sort(mp_grouping *grouping, mp_group_order *order)
{
    order_context context = {order};
    if (grouping->count)
        qsort_r(grouping->groups, grouping->count, sizeof *grouping->groups, compare_groups,
                &context);
}
