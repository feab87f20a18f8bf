/* Groupings: the figures of each generation are added to its group. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/memory.h"
#include "base/sort.h"
#include "query/group.h"
#include "query/labels.h"
#include "query/window_cache.h"

/* --- assignment of generations to groups --- */

typedef struct builder {
    const mp_model *model;
    const mp_dimension *dimension;
    mp_members members;
    size_t capacity;
    mp_key *keys; /* keys of the groups */
    size_t keys_capacity;
    mp_id_index first_of; /* first group of each number_of() */
    mp_hash_index others; /* other groups, by key */
} builder;

typedef struct key_probe {
    const mp_key *keys;
    mp_key key;
} key_probe;

static bool same_key(const void *opaque, uint32_t value)
{
    const key_probe *probe = opaque;
    const mp_key *key = &probe->keys[value - 1];
    return key->a == probe->key.a && key->b == probe->key.b;
}

/* Return the part of a key that is usually different for each group, and usually small: the node of
 * a site, or the id of a name. */
static uint64_t number_of(mp_key key)
{
    return key.b >> 32 ? key.b >> 32 : key.a;
}

/* Return the place of the number of the key's group; 0: the group is new. */
static uint32_t *group_place(builder *job, mp_key key)
{
    const key_probe probe = {job->keys, key};
    uint32_t *first = mp_id_index_put(&job->first_of, number_of(key));
    if (!*first || same_key(&probe, *first))
        return first;
    return mp_hash_index_put(&job->others, mp_hash_pair(key.a, key.b), same_key, &probe);
}

/* Return the number of a generation's group, from 1; add the group if it is new. */
static uint32_t group_for(builder *job, uint32_t generation_id)
{
    const mp_generation *generation = &job->model->generations.items[generation_id];
    mp_key key = job->dimension->key(job->model, generation);
    uint32_t *place = group_place(job, key);
    uint32_t found = *place;
    if (found)
        return found;
    found = *place = ++job->members.count;
    mp_grow(&job->members.examples, &job->capacity, found, sizeof *job->members.examples);
    mp_grow(&job->keys, &job->keys_capacity, found, sizeof *job->keys);
    job->members.examples[found - 1] = generation_id;
    job->keys[found - 1] = key;
    return found;
}

/* Return true if the generation was born up to `to`, or was alive at the peak. The peak may be
 * after `to`. */
static bool is_counted(const mp_window *window, uint32_t generation_id)
{
    const mp_generation *generation = &window->model->generations.items[generation_id];
    return mp_window_before_to(window, generation->born) ||
           mp_filter_at_peak(window->filter, (mp_generation_id){generation_id}).objects;
}

/* If the key depends only on the context, it is computed once per context. */
mp_members mp_members_of(const mp_window *window, const mp_dimension *dimension)
{
    const mp_model *model = window->model;
    builder job = {.model = model, .dimension = dimension};
    assert(!dimension->of_frames);
    uint32_t *of_context = mp_alloc_zero(model->contexts.count, sizeof *of_context);
    job.members.group_of = mp_alloc_zero(model->generations.count, sizeof *job.members.group_of);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.items[i];
        if (generation->reusable || !is_counted(window, i))
            continue;
        uint32_t *known = &of_context[generation->context.i];
        if (!*known || !dimension->of_context)
            *known = group_for(&job, i);
        job.members.group_of[i] = *known;
    }
    free(of_context);
    free(job.keys);
    mp_id_index_free(&job.first_of);
    mp_hash_index_free(&job.others);
    return job.members;
}

/* --- sums --- */

/* Return true if the owner is the session's own widget pool: unnamed, without owner, and not
 * created by code. */
static bool is_session_pool(const mp_model *model, mp_context_id owner)
{
    const mp_context *context = &model->contexts.items[owner.i];
    return owner.i > MP_CONTEXT_UNKNOWN && !context->name.i && !context->owner.i &&
           !context->node.i && model->types.items[context->type.i].class == MP_TYPE_WIDGET_POOL;
}

/* Return true if all objects of a generation are deleted; `objects` is the number of live ones.
 * Objects that it owns then count only for its own owners. A generation is not gone if its objects
 * merely changed type. Neither is one that is not selected, because its deletions are not
 * counted. */
static bool is_gone(const mp_balance *balance, int64_t objects)
{
    return balance->end.deleted > 0 && objects <= 0 && balance->end.retyped >= 0;
}

static void add_leaked(const mp_window *window, const mp_generation *generation,
                       const mp_cost *cost, mp_group *group, mp_group_scope *scope)
{
    group->leaked.objects += mp_cost_live(*cost);
    group->leaked.bytes += cost->bytes;
    group->leaked.idle += cost->idle;
    if (!scope)
        return;
    const mp_context *context = &window->model->contexts.items[generation->context.i];
    const mp_generation *owner = &window->model->generations.items[generation->owner.i];
    const mp_balance *of_owner = &mp_window_balances(window)[generation->owner.i];
    if (is_session_pool(window->model, context->owner))
        scope->pool_objects += mp_cost_live(*cost);
    if (generation->owner.i && mp_window_leaks(window, context->owner, owner->born) &&
        !is_gone(of_owner, mp_cost_live(of_owner->end)))
        scope->owned_by_leak += mp_cost_live(*cost);
}

/* Make the scopes of the groups, if there are owners. */
static void make_scopes(const mp_model *model, mp_grouping *grouping)
{
    bool owned = false;
    for (uint32_t i = 1; i < model->contexts.count && !owned; i++)
        owned = model->contexts.items[i].owner.i != 0;
    if (!owned)
        return;
    grouping->scopes = mp_alloc_zero((size_t)grouping->count + 1, sizeof *grouping->scopes);
    for (uint32_t i = 0; i < grouping->count; i++)
        grouping->groups[i].scope = i;
}

static void add_balances(const mp_window *window, mp_grouping *grouping)
{
    const mp_model *model = window->model;
    const mp_balance *balances = mp_window_balances(window);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        if (!grouping->group_of[i])
            continue;
        const mp_generation *generation = &model->generations.items[i];
        mp_group *group = &grouping->groups[grouping->group_of[i] - 1];
        mp_peak_share at_peak = mp_filter_at_peak(window->filter, (mp_generation_id){i});
        group->end = mp_cost_add(group->end, balances[i].end);
        group->from_objects += balances[i].from_objects;
        group->from_bytes += balances[i].from_bytes;
        group->at_peak.objects += at_peak.objects;
        group->at_peak.bytes += at_peak.bytes;
        if (mp_window_leaks(window, generation->context, generation->born))
            add_leaked(window, generation, &balances[i].end, group,
                       grouping->scopes ? &grouping->scopes[group->scope] : NULL);
    }
}

/* Return true if a group has no figures. If only the figures up to `to` are 0, it may still have
 * others: objects that existed before the recording and vanished without a deletion were alive at
 * `from` or at the peak. */
static bool is_empty(const mp_group *group)
{
    const mp_cost *cost = &group->end;
    return !cost->created && !cost->deleted && !cost->retyped && !cost->found && !cost->bytes &&
           !group->from_objects && !group->at_peak.objects;
}

/* Renumber the groups. `place_of` has the new number of each old one, both from 1; it is freed. */
static void renumber(const mp_model *model, mp_grouping *grouping, uint32_t *place_of)
{
    uint32_t members = grouping->of_frames ? model->tree.count : model->generations.count;
    for (uint32_t i = 0; i < members; i++)
        grouping->group_of[i] = place_of[grouping->group_of[i]];
    free(place_of);
}

/* Remove empty groups. */
static void keep_full_groups(const mp_model *model, mp_grouping *grouping)
{
    uint32_t count = grouping->count;
    uint32_t *place_of = mp_alloc_zero((size_t)count + 1, sizeof *place_of);
    grouping->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (is_empty(&grouping->groups[i]))
            continue;
        grouping->groups[grouping->count++] = grouping->groups[i];
        place_of[i + 1] = grouping->count;
    }
    renumber(model, grouping, place_of);
}

static mp_grouping group_window(const mp_window *window, const mp_dimension *dimension)
{
    const mp_model *model = window->model;
    const mp_members members = mp_members_of(window, dimension);
    mp_grouping grouping = {.groups = mp_alloc_zero(members.count, sizeof *grouping.groups),
                            .count = members.count,
                            .group_of = members.group_of,
                            .private = mp_alloc_zero(1, sizeof(mp_arena))};
    for (uint32_t i = 0; i < members.count; i++) {
        const mp_generation *example = &model->generations.items[members.examples[i]];
        const mp_node_id node = model->contexts.items[example->context.i].node;
        grouping.groups[i].example = (mp_generation_id){members.examples[i]};
        grouping.groups[i].node = model->tree_of[node.i];
    }
    free(members.examples);
    make_scopes(model, &grouping);
    add_balances(window, &grouping);
    return grouping;
}

/* --- objects scoped to a group --- */

/* Generation that each group counted last: at `to`, at `from`, and as leaked. */
typedef struct last_scoped {
    uint32_t to, from, leaked;
} last_scoped;

/* Add the bytes of a generation once to each group that contains it or one of its owners. Add
 * leaked bytes once to each group in which it or an owner leaked. A generation has at most 64
 * owners. */
void mp_groups_add_scoped(const mp_window *window, mp_grouping *grouping, unsigned wanted)
{
    const mp_model *model = window->model;
    const mp_balance *balances = mp_window_balances(window);
    if (!grouping->scopes)
        make_scopes(model, grouping);
    grouping->has_scope = grouping->scopes != NULL;
    if (!grouping->has_scope)
        return;
    last_scoped *lasts = mp_alloc_zero((size_t)grouping->count + 1, sizeof *lasts);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        int64_t bytes = balances[i].end.bytes, from_bytes = balances[i].from_bytes;
        for (uint32_t index = i; (bytes || from_bytes) && index;
             index = model->generations.items[index].owner.i) {
            if (!grouping->group_of[index])
                continue;
            const mp_generation *generation = &model->generations.items[index];
            const mp_balance *balance = &balances[index];
            const uint32_t place = grouping->groups[grouping->group_of[index] - 1].scope;
            mp_group_scope *scope = &grouping->scopes[place];
            last_scoped *last = &lasts[grouping->group_of[index]];
            bool there = index == i || !is_gone(balance, mp_cost_live(balance->end));
            if (wanted & MP_GROUPS_SCOPED && there && last->to != i) {
                last->to = i;
                scope->inclusive_bytes += bytes;
            }
            if (wanted & MP_GROUPS_SCOPED && last->from != i &&
                (index == i || !is_gone(balance, balance->from_objects))) {
                last->from = i;
                scope->from_inclusive_bytes += from_bytes;
            }
            if (wanted & MP_GROUPS_KEPT && there && last->leaked != i &&
                mp_window_leaks(window, generation->context, generation->born)) {
                last->leaked = i;
                scope->kept_bytes += bytes;
            }
        }
    }
    free(lasts);
}

/* --- snapshots at which leaking objects were created --- */

/* Leaking generations by the snapshot at which they were born, as linked lists. */
typedef struct birth_chains {
    uint32_t *first; /* first generation born at each snapshot; 0: none */
    uint32_t *next;  /* next generation born at the same snapshot; 0: none */
} birth_chains;

static birth_chains births_of_leaks(const mp_window *window)
{
    const mp_model *model = window->model;
    const mp_balance *balances = mp_window_balances(window);
    birth_chains result = {mp_alloc_zero(model->snapshots.count, sizeof *result.first),
                           mp_alloc_zero(model->generations.count, sizeof *result.next)};
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.items[i];
        if (mp_cost_live(balances[i].end) <= 0 ||
            !mp_window_leaks(window, generation->context, generation->born))
            continue;
        result.next[i] = result.first[generation->born.i];
        result.first[generation->born.i] = i;
    }
    return result;
}

/* Return true if the snapshot created any object. Snapshots that create nothing, such as the
 * final clean-up, do not count as chances for a site to grow. */
static bool is_moment(const mp_window *window, const birth_chains *births, uint32_t snapshot)
{
    mp_snapshot_id id = {snapshot};
    return births->first[snapshot] ||
           (mp_window_snapshot(window, snapshot)->created_objects > 0 &&
            !mp_window_before_from(window, id) && mp_window_before_to(window, id));
}

/* Return the number of snapshots with creations in each session. */
static uint32_t *moments_of_sessions(const mp_window *window, const birth_chains *births)
{
    const mp_model *model = window->model;
    uint32_t *moments = mp_alloc_zero(model->sessions.count, sizeof *moments);
    for (uint32_t i = 1; i < model->snapshots.count; i++)
        moments[model->snapshots.items[i].session.i] += is_moment(window, births, i);
    return moments;
}

/* Snapshot and session that a group counted last. */
typedef struct last_birth {
    uint32_t snapshot, session;
} last_birth;

/* Add MP_GROUPS_GROWTH to groups of generations. */
static void add_growth(const mp_window *window, mp_grouping *grouping)
{
    const mp_model *model = window->model;
    birth_chains births = births_of_leaks(window);
    uint32_t *moments = moments_of_sessions(window, &births);
    last_birth *lasts = mp_alloc_zero((size_t)grouping->count + 1, sizeof *lasts);
    const mp_session_snapshots *of_session = &window->filter->sessions;
    for (uint32_t place = 0; place < of_session->first[model->sessions.count]; place++) {
        const uint32_t snapshot = of_session->snapshots[place];
        const uint32_t session = model->snapshots.items[snapshot].session.i;
        for (uint32_t i = births.first[snapshot]; i; i = births.next[i]) {
            last_birth *last = &lasts[grouping->group_of[i]];
            if (!grouping->group_of[i] || last->snapshot == snapshot)
                continue;
            mp_group *group = &grouping->groups[grouping->group_of[i] - 1];
            group->grew++;
            group->grew_sessions += last->session != session;
            group->moments += last->session != session ? moments[session] : 0;
            *last = (last_birth){snapshot, session};
        }
    }
    MP_FREE(lasts, moments, births.first, births.next);
}

/* --- labels and their order --- */

static int by_label(const void *left, const void *right, void *groups)
{
    const mp_group *a = (const mp_group *)groups + *(const uint32_t *)left,
                   *b = (const mp_group *)groups + *(const uint32_t *)right;
    int order = strcmp(a->label, b->label);
    order = order ? order
                  : MP_COMPARE(a->node,
                               b->node); /* sites at the same line, but with different callers */
    return order ? order : MP_COMPARE(a->example.i, b->example.i);
}

static void label_groups(const mp_model *model, const mp_dimension *dimension,
                         mp_grouping *grouping)
{
    uint32_t count = grouping->count;
    uint32_t *order = mp_alloc(count * sizeof *order + 1);
    uint32_t *place_of = mp_alloc_zero((size_t)count + 1, sizeof *place_of);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
        mp_group *group = &grouping->groups[i];
        group->label = dimension->of_frames
                           ? mp_tree_told(grouping->private, model, group->node)
                           : dimension->label(grouping->private, model,
                                              &model->generations.items[group->example.i]);
    }
    if (count)
        qsort_r(order, count, sizeof *order, by_label, grouping->groups);
    for (uint32_t i = 0; i < count; i++)
        place_of[order[i] + 1] = i + 1;
    mp_permute(grouping->groups, count, sizeof *grouping->groups, order);
    renumber(model, grouping, place_of);
    grouping->labelled = true;
    free(order);
}

/* --- the result --- */

static mp_grouping *grouping_of(const mp_window *window, const mp_dimension *dimension)
{
    size_t count, place = (size_t)(dimension - mp_dimensions(&count));
    assert(place < count && count <= MP_MOST_DIMENSIONS);
    return &window->cache->groupings[place];
}

static void make_groups(const mp_window *window, const mp_dimension *dimension)
{
    mp_grouping *grouping = grouping_of(window, dimension);
    if (grouping->private)
        return;
    *grouping = dimension->of_frames ? mp_group_frames(window) : group_window(window, dimension);
    keep_full_groups(window->model, grouping);
}

static void make_ahead(void *opaque)
{
    const mp_window *window = opaque;
    const mp_dimension *dimension = window->cache->ahead_of;
    make_groups(window, dimension);
    label_groups(window->model, dimension, grouping_of(window, dimension));
}

void mp_window_group_ahead(const mp_window *window, const mp_dimension *dimension)
{
    enum { MANY = 1 << 16 };
    mp_window_cache *cache = window->cache;
    if (window->model->generations.count < MANY || cache->ahead ||
        grouping_of(window, dimension)->private)
        return;
    mp_window_balances(window); /* both threads need them */
    cache->ahead_of = dimension;
    cache->ahead = mp_beside_begin(make_ahead, (void *)(uintptr_t)window);
}

mp_grouping *mp_known_groups(const mp_window *window, const mp_dimension *dimension,
                             unsigned extras)
{
    mp_grouping *grouping = grouping_of(window, dimension);
    if (window->cache->ahead_of == dimension)
        mp_beside_end(&window->cache->ahead);
    make_groups(window, dimension);
    unsigned wanted = dimension->of_frames ? 0 : extras & ~grouping->extras;
    unsigned scoped = wanted & ((dimension->of_context ? MP_GROUPS_SCOPED : 0u) | MP_GROUPS_KEPT);
    if (scoped)
        mp_groups_add_scoped(window, grouping, scoped);
    if (wanted & MP_GROUPS_GROWTH)
        add_growth(window, grouping);
    grouping->extras |= wanted;
    return grouping;
}

const mp_grouping *mp_window_groups(const mp_window *window, const mp_dimension *dimension,
                                    unsigned extras)
{
    mp_grouping *grouping = mp_known_groups(window, dimension, extras);
    if (!grouping->labelled)
        label_groups(window->model, dimension, grouping);
    return grouping;
}

void mp_grouping_free(mp_grouping *grouping)
{
    if (grouping->private)
        mp_arena_free(grouping->private);
    MP_FREE(grouping->private, grouping->groups, grouping->group_of, grouping->scopes);
    *grouping = (mp_grouping){0};
}

int64_t *mp_held_of_groups(const mp_window *window, const mp_grouping *grouping)
{
    int64_t *held = mp_alloc_zero((size_t)grouping->count + 1, sizeof *held);
    for (uint32_t i = 1; i < window->model->generations.count; i++)
        if (grouping->group_of[i])
            held[grouping->group_of[i] - 1] += mp_window_held_bytes(window, i);
    return held;
}

/* --- the call tree --- */

mp_tree_cost *mp_tree_costs(const mp_window *window)
{
    const mp_model *model = window->model;
    mp_tree_cost *costs = mp_alloc_zero(model->tree.count, sizeof *costs);
    const mp_balance *balances = mp_window_balances(window);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        uint32_t node = model->contexts.items[model->generations.items[i].context.i].node.i;
        costs[model->tree_of[node]].own_objects += mp_cost_live(balances[i].end);
        costs[model->tree_of[node]].own_bytes += balances[i].end.bytes;
    }
    for (uint32_t i = model->tree.count; i-- > 0;) { /* parents precede their children */
        costs[i].inclusive_objects += costs[i].own_objects;
        costs[i].inclusive_bytes += costs[i].own_bytes;
        if (i == 0)
            break;
        mp_tree_cost *parent = &costs[model->tree.items[i].parent];
        parent->inclusive_objects += costs[i].inclusive_objects;
        parent->inclusive_bytes += costs[i].inclusive_bytes;
    }
    return costs;
}
