/* Lower and upper bounds of the retained sizes of all groups of objects, in one pass.
 *
 * A group retains whatever its objects dominate. It also retains objects at which several paths
 * meet, if each of these paths passes through the group. Paths meet at an object if its immediate
 * dominator does not refer to it. Objects are visited from the nearest to the farthest. Of each
 * path to an object at which paths meet, only the last part is examined, from the object back to
 * its immediate dominator. Where earlier meetings are on this part, their results are used; if
 * these are unknown, the shortest path is used. A group that is on every path may retain the
 * object. It certainly retains the object if its objects on the paths dominate the ends of the
 * paths. Usually both bounds are equal.
 *
 * If all objects that refer to an object belong to one group and lie on the same paths, they act
 * like one object that dominates it: a class of objects, with its own node in the tree whose sums
 * are computed. */
#include <stdlib.h>

#include "base/index.h"
#include "base/memory.h"
#include "query/paths.h"
#include "query/preorder.h"

/* Maximum number of objects and groups that are examined per path. The number of references times
 * this maximum bounds the work. */
enum { LOOKED_AT = 16 };

/* A group that retains an object at which paths meet, certainly (`sure`) or possibly. */
typedef struct meeting_group {
    uint32_t group;
    bool sure;
} meeting_group;

/* Number of paths to the current object that pass through a group. */
typedef struct way_count {
    uint32_t object; /* current object */
    uint32_t ways, sure;
} way_count;

typedef struct bounds {
    const mp_graph *graph;
    const mp_dominators *dominators;
    const mp_object_roots *roots;
    const mp_distances *shortest;
    mp_groups *groups;
    int64_t *most;
    uint32_t *place; /* place of each object in the dominators' order */
    uint32_t *first; /* ranges in `referrers`, as in mp_graph, of objects at which paths meet */
    uint32_t *referrers;
    bool *far;            /* flag of each object: true if it is on the path to an object that is too
                           * far away to examine */
    bool *settled;        /* flag of each object: true if its list in `found` is complete */
    way_count *counts;    /* indexed by group */
    meeting_group *found; /* groups of each object: `many` entries from `first_found` on */
    size_t *first_found, found_count, found_capacity;
    uint8_t *many;
    uint32_t *class; /* first object of the class that dominates each object; 0: no class does */
    mp_id_index below_object, below_class; /* first objects of classes, by parent and group */
    uint32_t *above;                 /* parent of each node of the tree, which has a lower number */
    uint32_t *object_of, node_count; /* object of each node, or the first of its class */
    uint32_t *node, *class_node; /* node of each object; node of each class, by its first object */
} bounds;

/* Get the next group of an object, that of its type or of one of its roots. Return false after the
 * last. */
static inline bool next_group(const bounds *state, uint32_t object, uint32_t *next, uint32_t *group)
{
    const uint32_t *group_of = state->groups->group_of;
    if (state->groups->kind == MP_GROUPS_OF_TYPES) {
        *group = *next ? 0 : group_of[state->graph->types[object]];
        *next = 1;
        return *group != 0;
    }
    const mp_root_list its_roots = mp_roots_of(state->roots, object);
    while (*next < its_roots.count) {
        *group = group_of[its_roots.items[(*next)++]];
        if (*group)
            return true;
    }
    return false;
}

/* Return true if paths meet at the object. Otherwise its shortest path comes directly from its
 * dominator. */
static bool is_meeting(const bounds *state, uint32_t object)
{
    uint32_t above = state->shortest->above[object], dominator = state->dominators->idom[object];
    return mp_is_reached(state->dominators, object) && above != (dominator ? dominator : object);
}

static bool dominates(const bounds *state, uint32_t object, uint32_t other)
{
    uint32_t place = state->place[object];
    return state->place[other] - place < state->dominators->span[place];
}

static void find_places(bounds *state)
{
    state->place = mp_alloc_zero((size_t)state->graph->count + 1, sizeof *state->place);
    for (uint32_t i = 1; i <= state->dominators->reached; i++)
        state->place[state->dominators->order[i]] = i;
}

/* Return true if a reference can be the end of a path to a meeting. It cannot if the meeting
 * dominates the source of the reference. */
static bool is_end(const bounds *state, uint32_t from, uint32_t to)
{
    return mp_is_reached(state->dominators, from) && is_meeting(state, to) &&
           !dominates(state, to, from);
}

static void each_end(bounds *state, bool puts)
{
    for (uint32_t from = 1; from <= state->graph->count; from++)
        for (uint32_t i = state->graph->first[from]; i < state->graph->first[from + 1]; i++) {
            uint32_t to = state->graph->targets[i];
            if (is_end(state, from, to) && puts)
                state->referrers[--state->first[to]] = from;
            else if (!puts)
                state->first[to] += is_end(state, from, to);
        }
}

static void find_referrers(bounds *state)
{
    uint32_t sum = 0;
    state->first = mp_alloc_zero((size_t)state->graph->count + 2, sizeof *state->first);
    each_end(state, false);
    for (uint32_t i = 1; i <= state->graph->count + 1; i++)
        state->first[i] = sum += state->first[i];
    state->referrers = mp_alloc((size_t)sum * sizeof *state->referrers);
    each_end(state, true);
}

/* Return the object before this one on the shortest path from the roots; 0: none. */
static uint32_t before(const bounds *state, uint32_t object)
{
    uint32_t above = state->shortest->above[object];
    return above == object ? 0 : above;
}

/* Return the next object to examine on the path back to the roots. It skips objects for which
 * results are known. */
static uint32_t back(const bounds *state, uint32_t object)
{
    if (!state->settled[object])
        return before(state, object);
    return state->class[object] ? state->class[object] : state->dominators->idom[object];
}

/* Return the number of objects and groups to examine if a path passes through the object. */
static uint32_t groups_at(const bounds *state, uint32_t object)
{
    uint32_t roots =
        state->groups->kind == MP_GROUPS_OF_ROOTED ? mp_roots_of(state->roots, object).count : 0;
    return state->many[object] + (roots ? roots : 1);
}

/* Return true if a path that ends with a reference from `from` is short enough to examine. */
static bool is_near(const bounds *state, uint32_t from, uint32_t dominator)
{
    uint32_t left = LOOKED_AT;
    for (; from != dominator && groups_at(state, from) <= left; from = back(state, from))
        left -= groups_at(state, from);
    return from == dominator;
}

/* A path to an object, with the number of paths before it (`way`), and the number of those that are
 * short enough (`ways`). */
typedef struct looked_way {
    uint32_t object, way, ways;
    bool near;
} looked_way;

/* Count a group that is on the path. The groups on the first path form the list of the object. */
static void count_group(bounds *state, const looked_way *self, uint32_t group, bool sure)
{
    way_count *count = &state->counts[group];
    if (count->object != self->object && self->way == 0) {
        mp_grow(&state->found, &state->found_capacity, state->found_count + 1,
                sizeof *state->found);
        state->found[state->found_count++].group = group;
        *count = (way_count){.object = self->object};
    }
    if (count->object != self->object)
        return;
    if (self->near && count->ways == self->ways)
        count->ways++;
    if (sure && count->sure == self->way)
        count->sure++;
}

/* Count the groups on a path, as far as it is examined. As long as the path passes only settled
 * objects, every path to its end passes the same objects, so their groups are certain. */
static void count_way(bounds *state, const looked_way *self, uint32_t from)
{
    uint32_t dominator = state->dominators->idom[self->object], left = LOOKED_AT;
    bool settled = true;
    for (uint32_t on = from; on != dominator && groups_at(state, on) <= left;
         on = back(state, on)) {
        bool sure = settled || dominates(state, on, from);
        settled &= state->settled[on];
        left -= groups_at(state, on);
        for (uint32_t group, next = 0; next_group(state, on, &next, &group);)
            count_group(state, self, group, sure);
        for (size_t i = state->first_found[on]; i < state->first_found[on] + state->many[on]; i++)
            count_group(state, self, state->found[i].group, sure && state->found[i].sure);
    }
}

/* Keep only the groups in the object's list that are on all paths. Return their number. */
static size_t keep_found(bounds *state, size_t first, const looked_way *last)
{
    size_t kept = first;
    for (size_t i = first; i < state->found_count; i++) {
        const way_count *count = &state->counts[state->found[i].group];
        if (count->ways == last->ways)
            state->found[kept++] = (meeting_group){state->found[i].group, count->sure == last->way};
    }
    state->found_count = kept;
    return kept - first;
}

/* Return the first object of the class of an object. 0: it has no class, because it is unsettled,
 * or in several groups, or several objects retain it together. */
static uint32_t first_of_class(bounds *state, uint32_t object)
{
    uint32_t group, other, next = 0, above = state->class[object];
    if (!state->settled[object] || state->many[object])
        return 0;
    if (!next_group(state, object, &next, &group))
        group = 0;
    else if (next_group(state, object, &next, &other))
        return 0;
    uint64_t key = (uint64_t)(above ? above : state->dominators->idom[object]) << 32 | group;
    uint32_t *first = mp_id_index_put(above ? &state->below_class : &state->below_object, key);
    if (!*first)
        *first = object;
    return *first;
}

/* Return the first object of the class that contains all objects that refer to an object; 0: no
 * class contains them all. */
static uint32_t class_above(bounds *state, uint32_t object)
{
    uint32_t dominator = state->dominators->idom[object], nearest = before(state, object);
    uint32_t class =
        state->dominators->idom[nearest] == dominator ? first_of_class(state, nearest) : 0;
    for (uint32_t i = state->first[object]; class && i < state->first[object + 1]; i++) {
        uint32_t from = state->referrers[i];
        if (state->dominators->idom[from] != dominator || first_of_class(state, from) != class)
            return 0;
    }
    return class;
}

/* Examine the paths that meet at an object. If the object is too far away, return false and leave
 * its list unknown. */
static bool look_at_meeting(bounds *state, uint32_t object)
{
    if ((state->class[object] = class_above(state, object)))
        return true;
    size_t first = state->found_count;
    uint32_t nearest = before(state, object), dominator = state->dominators->idom[object];
    looked_way self = {.object = object, .near = true};
    if (!is_near(state, nearest, dominator)) {
        for (uint32_t on = nearest; on && !state->far[on]; on = before(state, on))
            state->far[on] = true;
        return false;
    }
    count_way(state, &self, nearest);
    self = (looked_way){object, 1, 1, true};
    for (uint32_t i = state->first[object]; i < state->first[object + 1]; i++) {
        if (state->referrers[i] == nearest)
            continue;
        self.near = is_near(state, state->referrers[i], dominator);
        count_way(state, &self, state->referrers[i]);
        self.way++;
        self.ways += self.near;
        if (!keep_found(state, first, &self))
            break;
    }
    return true;
}

/* Add a node to the dominator tree, which includes classes. Return its number. */
static uint32_t add_node(bounds *state, uint32_t object, uint32_t above)
{
    state->above[state->node_count] = above;
    state->object_of[state->node_count] = object;
    return state->node_count++;
}

/* Return the node above an object: its dominator, or the class that dominates it. */
static uint32_t node_above(bounds *state, uint32_t object)
{
    uint32_t first = state->class[object];
    if (!first)
        return state->node[state->dominators->idom[object]];
    if (!state->class_node[first]) /* first has a node: objects below it were found through it */
        state->class_node[first] = add_node(state, first, state->above[state->node[first]]);
    return state->class_node[first];
}

static void look_at_all(bounds *state)
{
    add_node(state, 0, 0);
    for (uint32_t i = 0; i < state->shortest->count; i++) {
        uint32_t object = state->shortest->order[i];
        state->first_found[object] = state->found_count;
        state->settled[object] = !is_meeting(state, object) || look_at_meeting(state, object);
        state->many[object] = (uint8_t)(state->found_count - state->first_found[object]);
        uint32_t above = node_above(state, object);
        state->node[object] = add_node(state, object, above);
    }
}

/* Sums by group of its topmost objects in the tree, with everything below them. */
typedef struct joint_sums {
    uint32_t *until; /* by group, the first place that is not counted yet */
    mp_joint *joints;
} joint_sums;

/* Return the sum of each place of the tree with everything below it. */
static mp_joint *sums_below(const bounds *state, const mp_preorder *tree)
{
    mp_joint *below = mp_alloc_zero(state->node_count, sizeof *below);
    for (uint32_t place = state->node_count; place-- > 1;) {
        uint32_t node = tree->order[place], object = state->object_of[node];
        if (state->node[object] == node) {
            below[place].objects++;
            below[place].bytes += (int64_t)state->graph->sizes[object];
        }
        below[tree->parent[place]].objects += below[place].objects;
        below[tree->parent[place]].bytes += below[place].bytes;
    }
    return below;
}

static void count(const joint_sums *sums, uint32_t group, uint32_t place, uint32_t span,
                  const mp_joint *below)
{
    if (place < sums->until[group])
        return;
    sums->until[group] = place + span;
    sums->joints[group].objects += below->objects;
    sums->joints[group].bytes += below->bytes;
}

static joint_sums no_sums(const bounds *state)
{
    size_t size = (size_t)state->groups->count + 1;
    return (joint_sums){mp_alloc_zero(size, sizeof(uint32_t)),
                        mp_alloc_zero(size, sizeof(mp_joint))};
}

static void sum_up(bounds *state)
{
    joint_sums least = no_sums(state), most = no_sums(state);
    bool *open = mp_alloc_zero((size_t)state->groups->count + 1, sizeof *open);
    mp_preorder tree = mp_preorder_of(state->above, state->node_count);
    mp_joint *below = sums_below(state, &tree);
    for (uint32_t place = 1; place < state->node_count; place++) {
        uint32_t node = tree.order[place], object = state->object_of[node], span = tree.span[place];
        for (uint32_t group, next = 0; next_group(state, object, &next, &group);) {
            count(&least, group, place, span, &below[place]);
            count(&most, group, place, span, &below[place]);
            open[group] |= state->far[object];
        }
        size_t first = state->first_found[object];
        for (size_t i = first; state->node[object] == node && i < first + state->many[object];
             i++) {
            if (state->found[i].sure)
                count(&least, state->found[i].group, place, span, &below[place]);
            count(&most, state->found[i].group, place, span, &below[place]);
        }
    }
    mp_preorder_free(&tree);
    free(below);
    for (uint32_t i = 0; i < state->groups->count; i++) {
        mp_joint *joint = &state->groups->items[i];
        const mp_joint *low = &least.joints[i + 1], *high = &most.joints[i + 1];
        state->most[i] = open[i + 1] ? INT64_MAX : high->bytes;
        if (joint->exact)
            continue;
        joint->objects = low->objects;
        joint->bytes = low->bytes;
        joint->exact = !open[i + 1] && low->objects == high->objects && low->bytes == high->bytes;
    }
    MP_FREE(least.until, least.joints, most.until, most.joints, open);
}

void mp_groups_bound(mp_graph_view *view, mp_groups *groups, int64_t *most)
{
    size_t objects = (size_t)view->graph->count + 1;
    bounds state = {.graph = view->graph,
                    .dominators = &view->dominators,
                    .roots = &view->roots,
                    .shortest = mp_graph_distances(view),
                    .groups = groups,
                    .most = most,
                    .far = mp_alloc_zero(objects, sizeof *state.far),
                    .settled = mp_alloc_zero(objects, sizeof *state.settled),
                    .many = mp_alloc_zero(objects, sizeof *state.many),
                    .class = mp_alloc_zero(objects, sizeof *state.class),
                    .above = mp_alloc(2 * objects * sizeof *state.above),
                    .object_of = mp_alloc(2 * objects * sizeof *state.object_of),
                    .node = mp_alloc_zero(objects, sizeof *state.node),
                    .class_node = mp_alloc_zero(objects, sizeof *state.class_node),
                    .counts = mp_alloc_zero((size_t)groups->count + 1, sizeof *state.counts),
                    .first_found = mp_alloc_zero(objects, sizeof *state.first_found)};
    find_places(&state);
    find_referrers(&state);
    look_at_all(&state);
    sum_up(&state);
    MP_FREE(state.place, state.first, state.referrers, state.far, state.settled, state.many,
            state.class, state.above, state.object_of, state.node, state.class_node);
    mp_id_index_free(&state.below_object);
    mp_id_index_free(&state.below_class);
    MP_FREE(state.counts, state.found, state.first_found);
}
