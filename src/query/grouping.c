/* Groupings: every delta of the window is added to its generation's group. */
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/memory.h"
#include "query/frames.h"
#include "query/query.h"

/* What is needed while groups are summed, and the arena that keeps their labels. */
typedef struct builder {
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
    uint32_t *group_of; /* generation to group; 0: left out */
} builder;

typedef struct key_probe {
    const builder *shop;
    mp_key key;
} key_probe;

static bool same_key(const void *opaque, uint32_t value)
{
    const key_probe *probe = opaque;
    const mp_key *key = &probe->shop->keys[value];
    return key->a == probe->key.a && key->b == probe->key.b;
}

static uint32_t group_for(builder *shop, uint32_t generation_id)
{
    const mp_generation *generation = &shop->model->generations.at[generation_id];
    mp_key key = shop->dimension->key(shop->model, generation);
    key_probe probe = {shop, key};
    uint64_t hash = mp_hash64(key.a + mp_hash64(key.b + 1));
    size_t place;
    uint32_t found = mp_hash_index_find(&shop->index, hash, same_key, &probe, &place);
    if (!found) {
        found = ++shop->count;
        mp_grow(&shop->groups, &shop->capacity, found + 1u, sizeof *shop->groups);
        mp_grow(&shop->keys, &shop->keys_capacity, found + 1u, sizeof *shop->keys);
        const mp_context *context = &shop->model->contexts.at[generation->context.i];
        shop->groups[found] =
            (mp_group){.example = {generation_id}, .node = shop->model->tree_of[context->node.i]};
        shop->keys[found] = key;
        mp_hash_index_set(&shop->index, place, hash, found);
    }
    return found;
}

static void assign_groups(builder *shop)
{
    const mp_model *model = shop->model;
    shop->group_of = mp_alloc_zero(model->generations.count, sizeof *shop->group_of);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.at[i];
        if (!model->contexts.at[generation->context.i].reusable &&
            mp_window_before_to(shop->window, generation->born))
            shop->group_of[i] = group_for(shop, i);
    }
}

/* The pool that the session makes for itself: unnamed, in nothing, and by no code. */
static bool is_session_pool(const mp_model *model, mp_context_id owner)
{
    const mp_context *context = &model->contexts.at[owner.i];
    return owner.i > MP_CONTEXT_UNKNOWN && !context->name.i && !context->owner.i &&
           !context->node.i && model->types.at[context->type.i].class == MP_TYPE_WIDGET_POOL;
}

static void add_leaked(builder *shop, mp_group *group, const mp_delta *delta)
{
    const mp_generation *generation = &shop->model->generations.at[delta->generation.i];
    const mp_context *context = &shop->model->contexts.at[generation->context.i];
    int64_t live = mp_cost_live(delta->cost);
    group->leaked = mp_cost_add(group->leaked, delta->cost);
    if (is_session_pool(shop->model, context->owner))
        group->pool_objects += live;
    if (generation->owner_born.i &&
        mp_window_leaks(shop->window, context->owner, generation->owner_born))
        group->owned_by_leak += live;
}

/* What was alive when most bytes were. */
static void add_peak(builder *shop)
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

static void add_deltas(builder *shop)
{
    const mp_model *model = shop->model;
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.at[i];
        uint32_t id = shop->group_of[delta->generation.i];
        if (!id || !mp_window_before_to(shop->window, delta->snapshot))
            continue;
        mp_group *group = &shop->groups[id];
        group->to = mp_cost_add(group->to, delta->cost);
        if (mp_window_before_from(shop->window, delta->snapshot))
            group->from = mp_cost_add(group->from, delta->cost);
        const mp_generation *generation = &model->generations.at[delta->generation.i];
        if (mp_window_leaks(shop->window, generation->context, generation->born))
            add_leaked(shop, group, delta);
    }
}

/* --- at how many snapshots what leaks grew --- */

/* What a delta did to what leaks of its group. */
typedef struct change {
    uint32_t group, snapshot;
    int64_t objects;
} change;

/* Whether a delta is of what leaks; of which group. */
static uint32_t leaking_group(const builder *shop, const mp_delta *delta)
{
    const mp_generation *generation = &shop->model->generations.at[delta->generation.i];
    bool leaks = mp_window_before_to(shop->window, delta->snapshot) &&
                 mp_window_leaks(shop->window, generation->context, generation->born);
    return leaks ? shop->group_of[delta->generation.i] : 0;
}

/* The changes group after group, in each in the order of time, as deltas are. */
static change *changes_by_group(const builder *shop, size_t *count)
{
    const mp_model *model = shop->model;
    size_t *next = mp_alloc_zero((size_t)shop->count + 2, sizeof *next);
    change *changes = mp_alloc((size_t)model->deltas.count * sizeof *changes);
    for (uint32_t i = 1; i < model->deltas.count; i++)
        next[leaking_group(shop, &model->deltas.at[i]) + 1]++;
    next[1] = 0; /* those of no group */
    for (uint32_t i = 1; i <= shop->count; i++)
        next[i + 1] += next[i];
    *count = next[shop->count + 1];
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.at[i];
        uint32_t group = leaking_group(shop, delta);
        if (group)
            changes[next[group]++] = (change){group, delta->snapshot.i, mp_cost_live(delta->cost)};
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
    for (uint32_t i = 1; i < model->snapshots.count; i++) {
        const mp_snapshot *snapshot = &model->snapshots.at[i];
        mp_snapshot_id id = {i};
        moments[snapshot->session.i] += snapshot->created_objects > 0 &&
                                        !mp_window_before_from(window, id) &&
                                        mp_window_before_to(window, id);
    }
    return moments;
}

/* One (group, snapshot) after the other: did the group's leaked objects become more there? */
static void count_growth(builder *shop)
{
    const mp_model *model = shop->model;
    size_t count;
    change *changes = changes_by_group(shop, &count);
    uint32_t *grew_session = mp_alloc_zero(model->sessions.count, sizeof *grew_session);
    uint32_t *seen_session = mp_alloc_zero(model->sessions.count, sizeof *seen_session);
    uint32_t *moments = moments_of_sessions(shop->window);
    for (size_t i = 0; i < count;) {
        uint32_t group = changes[i].group, snapshot = changes[i].snapshot;
        uint32_t session = model->snapshots.at[snapshot].session.i;
        int64_t objects = 0;
        for (; i < count && changes[i].group == group && changes[i].snapshot == snapshot; i++)
            objects += changes[i].objects;
        bool grew = objects > 0 && model->snapshots.at[snapshot].created_objects > 0;
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

static int64_t *bytes_of_contexts(const builder *shop)
{
    const mp_model *model = shop->model;
    int64_t *bytes = mp_alloc_zero(model->contexts.count, sizeof *bytes);
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.at[i];
        if (shop->group_of[delta->generation.i] &&
            mp_window_before_to(shop->window, delta->snapshot))
            bytes[model->generations.at[delta->generation.i].context.i] += delta->cost.bytes;
    }
    return bytes;
}

/* A context's bytes count once for each group that it or one of its owners is in. The owners of a
 * context are a path of at most 64 contexts. */
static bool add_inclusive(builder *shop)
{
    const mp_model *model = shop->model;
    int64_t *bytes = bytes_of_contexts(shop);
    uint32_t *group_of_context = mp_alloc_zero(model->contexts.count, sizeof *group_of_context);
    uint32_t *last_added = mp_alloc_zero((size_t)shop->count + 1, sizeof *last_added);
    bool scoped = false;
    for (uint32_t i = model->generations.count; i-- > 1;)
        group_of_context[model->generations.at[i].context.i] = shop->group_of[i];
    for (uint32_t i = MP_CONTEXT_UNKNOWN + 1; i < model->contexts.count; i++) {
        scoped |= model->contexts.at[i].owner.i != 0;
        for (uint32_t context = i; bytes[i] && context;
             context = model->contexts.at[context].owner.i) {
            uint32_t group = group_of_context[context];
            if (!group || last_added[group] == i)
                continue;
            last_added[group] = i;
            shop->groups[group].inclusive_bytes += bytes[i];
        }
    }
    free(last_added);
    free(group_of_context);
    free(bytes);
    return scoped;
}

/* --- the result --- */

static bool is_empty(const mp_group *group)
{
    const mp_cost *cost = &group->to;
    return !cost->created && !cost->deleted && !cost->retyped && !cost->found && !cost->bytes &&
           !mp_cost_live(group->from);
}

static const char *label_of(builder *shop, const mp_group *group)
{
    const mp_generation *generation = &shop->model->generations.at[group->example.i];
    size_t size = (size_t)shop->dimension->label(shop->model, generation, NULL, 0) + 1;
    char *text = mp_arena_alloc(shop->labels, size);
    shop->dimension->label(shop->model, generation, text, size);
    return text;
}

/* Close the gaps that empty groups leave; group_of then tells places in grouping->groups, + 1. */
static void keep_full_groups(builder *shop, mp_grouping *grouping)
{
    uint32_t *kept = mp_alloc_zero((size_t)shop->count + 1, sizeof *kept);
    for (uint32_t i = 1; i <= shop->count; i++) {
        if (is_empty(&shop->groups[i]))
            continue;
        shop->groups[i].label = label_of(shop, &shop->groups[i]);
        grouping->groups[grouping->count++] = shop->groups[i];
        kept[i] = grouping->count;
    }
    for (uint32_t i = 1; i < shop->model->generations.count; i++)
        shop->group_of[i] = kept[shop->group_of[i]];
    grouping->group_of = shop->group_of;
    free(kept);
}

static mp_grouping group_window(const mp_window *window, const mp_dimension *dimension, bool growth)
{
    builder shop = {.window = window, .model = window->model, .dimension = dimension};
    shop.labels = mp_alloc_zero(1, sizeof *shop.labels);
    mp_grow(&shop.groups, &shop.capacity, 1, sizeof *shop.groups);
    assign_groups(&shop);
    add_deltas(&shop);
    add_peak(&shop);
    if (growth)
        count_growth(&shop);
    mp_grouping grouping = {.groups = shop.groups, .private = shop.labels};
    if (dimension->of_context)
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
