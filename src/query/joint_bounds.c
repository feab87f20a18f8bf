/* Lower and upper bounds of the retained sizes of all groups of objects, in one walk.
 *
 * A group retains whatever its objects dominate. It also retains objects at which several ways
 * meet, if each of these ways passes through the group: objects to which their immediate dominator
 * has no reference of its own. Objects are visited nearest first. For each way that ends at a
 * meeting, its last part is examined, from the object to the immediate dominator, with the results
 * of earlier meetings on it; if these are unknown, the shortest way is used. A group that is on
 * each way may retain the object. It certainly does if its objects on the ways dominate their ends.
 * Usually both bounds are equal.
 *
 * If all objects that refer to an object belong to one group and lie on the same ways, they act
 * like one object that dominates it: a class of objects, with its own place in the tree that is
 * summed up. */
#include <stdlib.h>

#include "base/index.h"
#include "base/memory.h"
#include "query/graph_query.h"
#include "query/preorder.h"

/* Objects of a way and groups of where others met on it that are looked at: the work is that often
 * the references at most. */
enum { LOOKED_AT = 16 };

/* A group that retains an object at which ways meet, or may do so. */
typedef struct meeting_group {
    uint32_t group;
    bool sure;
} meeting_group;

/* For a group, while one object is visited: the number of ways to it that pass through the
 * group. */
typedef struct way_count {
    uint32_t object; /* that this is about */
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
    uint32_t *first; /* as mp_graph's, but for who refers to objects at which ways meet */
    uint32_t *referrers;
    bool *far;            /* flag of each object: on the way to one that is too far to examine */
    bool *settled;        /* flag of each object: its list in `found` is complete */
    way_count *counts;    /* by group */
    meeting_group *found; /* groups of each object: `many` entries from `first_found` on */
    size_t *first_found, found_count, found_capacity;
    uint8_t *many;
    uint32_t *class; /* first object of the class that dominates each object; 0: none */
    mp_id_index below_object, below_class; /* the first objects of classes, by what is above them */
    uint32_t *above;                 /* parent of each node of the tree, which has a lower number */
    uint32_t *object_of, node_count; /* object of each node, or the first of its class */
    uint32_t *node, *class_node;     /* node of each object; node of the class it is first of */
} bounds;

/* The groups of an object, one at a call: they are of its type, or of its roots. */
static inline bool next_group(const bounds *at, uint32_t object, uint32_t *next, uint32_t *group)
{
    const uint32_t *group_of = at->groups->group_of;
    if (at->groups->kind == MP_GROUPS_OF_TYPES) {
        *group = *next ? 0 : group_of[at->graph->types[object]];
        *next = 1;
        return *group != 0;
    }
    for (uint32_t i = at->roots->first[object] + (*next)++; i < at->roots->first[object + 1];
         i = at->roots->first[object] + (*next)++) {
        *group = group_of[at->roots->roots[i]];
        if (*group)
            return true;
    }
    return false;
}

/* Return true if ways meet at the object: its shortest way comes from its dominator, if any way
 * does. */
static bool is_meeting(const bounds *at, uint32_t object)
{
    uint32_t above = at->shortest->above[object], dominator = at->dominators->idom[object];
    return mp_is_reached(at->dominators, object) && above != (dominator ? dominator : object);
}

static bool dominates(const bounds *at, uint32_t object, uint32_t other)
{
    uint32_t place = at->place[object];
    return at->place[other] - place < at->dominators->span[place];
}

static void find_places(bounds *at)
{
    at->place = mp_alloc_zero((size_t)at->graph->count + 1, sizeof *at->place);
    for (uint32_t i = 1; i <= at->dominators->reached; i++)
        at->place[at->dominators->order[i]] = i;
}

/* Return true if a reference may be the end of a way to a meeting: it does not come from below
 * it. */
static bool is_end(const bounds *at, uint32_t from, uint32_t to)
{
    return mp_is_reached(at->dominators, from) && is_meeting(at, to) && !dominates(at, to, from);
}

static void each_end(bounds *at, bool puts)
{
    for (uint32_t from = 1; from <= at->graph->count; from++)
        for (uint32_t i = at->graph->first[from]; i < at->graph->first[from + 1]; i++) {
            uint32_t to = at->graph->targets[i];
            if (is_end(at, from, to) && puts)
                at->referrers[--at->first[to]] = from;
            else if (!puts)
                at->first[to] += is_end(at, from, to);
        }
}

static void find_referrers(bounds *at)
{
    uint32_t sum = 0;
    at->first = mp_alloc_zero((size_t)at->graph->count + 2, sizeof *at->first);
    each_end(at, false);
    for (uint32_t i = 1; i <= at->graph->count + 1; i++)
        at->first[i] = sum += at->first[i];
    at->referrers = mp_alloc((size_t)sum * sizeof *at->referrers);
    each_end(at, true);
}

/* The object before it on the shortest way from the roots; 0: there is none. */
static uint32_t before(const bounds *at, uint32_t object)
{
    uint32_t above = at->shortest->above[object];
    return above == object ? 0 : above;
}

/* The next on the way back to the roots that is to be looked at: what is between them is known. */
static uint32_t back(const bounds *at, uint32_t object)
{
    if (!at->settled[object])
        return before(at, object);
    return at->class[object] ? at->class[object] : at->dominators->idom[object];
}

/* How much is to be looked at where a way passes the object. */
static uint32_t groups_at(const bounds *at, uint32_t object)
{
    uint32_t roots = at->roots->first[object + 1] - at->roots->first[object];
    return at->many[object] + (at->groups->kind == MP_GROUPS_OF_ROOTED && roots ? roots : 1);
}

/* Return true if the way that ends with a reference from `from` is short enough. */
static bool is_near(const bounds *at, uint32_t from, uint32_t dominator)
{
    uint32_t left = LOOKED_AT;
    for (; from != dominator && groups_at(at, from) <= left; from = back(at, from))
        left -= groups_at(at, from);
    return from == dominator;
}

/* A way to an object: the number `way` of all, and `ways` of those that are short enough. */
typedef struct looked_way {
    uint32_t object, way, ways;
    bool near;
} looked_way;

/* Count a group that is on the way; those on the first are the list of the object. */
static void count_group(bounds *at, const looked_way *to, uint32_t group, bool sure)
{
    way_count *count = &at->counts[group];
    if (count->object != to->object && to->way == 0) {
        mp_grow(&at->found, &at->found_capacity, at->found_count + 1, sizeof *at->found);
        at->found[at->found_count++].group = group;
        *count = (way_count){.object = to->object};
    }
    if (count->object != to->object)
        return;
    if (to->near && count->ways == to->ways)
        count->ways++;
    if (sure && count->sure == to->way)
        count->sure++;
}

/* As far as it is short enough. All ways to where it comes from are as it is, as long as it goes
 * from what is settled. */
static void count_way(bounds *at, const looked_way *to, uint32_t from)
{
    uint32_t dominator = at->dominators->idom[to->object], left = LOOKED_AT;
    bool settled = true;
    for (uint32_t on = from; on != dominator && groups_at(at, on) <= left; on = back(at, on)) {
        bool sure = settled || dominates(at, on, from);
        settled &= at->settled[on];
        left -= groups_at(at, on);
        for (uint32_t group, next = 0; next_group(at, on, &next, &group);)
            count_group(at, to, group, sure);
        for (size_t i = at->first_found[on]; i < at->first_found[on] + at->many[on]; i++)
            count_group(at, to, at->found[i].group, sure && at->found[i].sure);
    }
}

/* Keep those entries of the object's list that are on all ways; return their number. */
static size_t keep_found(bounds *at, size_t first, const looked_way *last)
{
    size_t kept = first;
    for (size_t i = first; i < at->found_count; i++) {
        const way_count *count = &at->counts[at->found[i].group];
        if (count->ways == last->ways)
            at->found[kept++] = (meeting_group){at->found[i].group, count->sure == last->way};
    }
    at->found_count = kept;
    return kept - first;
}

/* The first object of its class; 0: it has none, as what it retains with others is another matter.
 */
static uint32_t first_of_class(bounds *at, uint32_t object)
{
    uint32_t group, other, next = 0, above = at->class[object];
    if (!at->settled[object] || at->many[object])
        return 0;
    if (!next_group(at, object, &next, &group))
        group = 0;
    else if (next_group(at, object, &next, &other))
        return 0;
    uint64_t key = (uint64_t)(above ? above : at->dominators->idom[object]) << 32 | group;
    uint32_t *first = mp_id_index_put(above ? &at->below_class : &at->below_object, key);
    if (!*first)
        *first = object;
    return *first;
}

/* The class that all that refer to an object are of, by its first object; 0: there is none. */
static uint32_t class_above(bounds *at, uint32_t object)
{
    uint32_t dominator = at->dominators->idom[object], nearest = before(at, object);
    uint32_t class = at->dominators->idom[nearest] == dominator ? first_of_class(at, nearest) : 0;
    for (uint32_t i = at->first[object]; class && i < at->first[object + 1]; i++) {
        uint32_t from = at->referrers[i];
        if (at->dominators->idom[from] != dominator || first_of_class(at, from) != class)
            return 0;
    }
    return class;
}

/* False where it is too far, and the list is not known. */
static bool look_at_meeting(bounds *at, uint32_t object)
{
    if ((at->class[object] = class_above(at, object)))
        return true;
    size_t first = at->found_count;
    uint32_t nearest = before(at, object), dominator = at->dominators->idom[object];
    looked_way to = {.object = object, .near = true};
    if (!is_near(at, nearest, dominator)) {
        for (uint32_t on = nearest; on && !at->far[on]; on = before(at, on))
            at->far[on] = true;
        return false;
    }
    count_way(at, &to, nearest);
    to = (looked_way){object, 1, 1, true};
    for (uint32_t i = at->first[object]; i < at->first[object + 1]; i++) {
        if (at->referrers[i] == nearest)
            continue;
        to.near = is_near(at, at->referrers[i], dominator);
        count_way(at, &to, at->referrers[i]);
        to.way++;
        to.ways += to.near;
        if (!keep_found(at, first, &to))
            break;
    }
    return true;
}

/* The tree of dominators, with classes. */
static uint32_t add_node(bounds *at, uint32_t object, uint32_t above)
{
    at->above[at->node_count] = above;
    at->object_of[at->node_count] = object;
    return at->node_count++;
}

/* The node of what is above an object. */
static uint32_t node_above(bounds *at, uint32_t object)
{
    uint32_t first = at->class[object];
    if (!first)
        return at->node[at->dominators->idom[object]];
    if (!at->class_node[first]) /* its own is there: what was found below it came through it */
        at->class_node[first] = add_node(at, first, at->above[at->node[first]]);
    return at->class_node[first];
}

static void look_at_all(bounds *at)
{
    add_node(at, 0, 0);
    for (uint32_t i = 0; i < at->shortest->count; i++) {
        uint32_t object = at->shortest->order[i];
        at->first_found[object] = at->found_count;
        at->settled[object] = !is_meeting(at, object) || look_at_meeting(at, object);
        at->many[object] = (uint8_t)(at->found_count - at->first_found[object]);
        uint32_t above = node_above(at, object);
        at->node[object] = add_node(at, object, above);
    }
}

/* Objects of a group that are not below another object of it, with everything below them in the
 * tree. */
typedef struct joint_sums {
    uint32_t *until; /* by group: places before that are counted */
    mp_joint *at;
} joint_sums;

/* Return, for each place in the tree, the sum of the place and everything below it. */
static mp_joint *sums_below(const bounds *at, const mp_preorder *tree)
{
    mp_joint *below = mp_alloc_zero(at->node_count, sizeof *below);
    for (uint32_t place = at->node_count; place-- > 1;) {
        uint32_t node = tree->order[place], object = at->object_of[node];
        if (at->node[object] == node) {
            below[place].objects++;
            below[place].bytes += (int64_t)at->graph->sizes[object];
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
    sums->at[group].objects += below->objects;
    sums->at[group].bytes += below->bytes;
}

static joint_sums no_sums(const bounds *at)
{
    size_t size = (size_t)at->groups->count + 1;
    return (joint_sums){mp_alloc_zero(size, sizeof(uint32_t)),
                        mp_alloc_zero(size, sizeof(mp_joint))};
}

static void sum_up(bounds *at)
{
    joint_sums least = no_sums(at), most = no_sums(at);
    bool *open = mp_alloc_zero((size_t)at->groups->count + 1, sizeof *open);
    mp_preorder tree = mp_preorder_of(at->above, at->node_count);
    mp_joint *below = sums_below(at, &tree);
    for (uint32_t place = 1; place < at->node_count; place++) {
        uint32_t node = tree.order[place], object = at->object_of[node], span = tree.span[place];
        for (uint32_t group, next = 0; next_group(at, object, &next, &group);) {
            count(&least, group, place, span, &below[place]);
            count(&most, group, place, span, &below[place]);
            open[group] |= at->far[object];
        }
        size_t first = at->first_found[object];
        for (size_t i = first; at->node[object] == node && i < first + at->many[object]; i++) {
            if (at->found[i].sure)
                count(&least, at->found[i].group, place, span, &below[place]);
            count(&most, at->found[i].group, place, span, &below[place]);
        }
    }
    mp_preorder_free(&tree);
    free(below);
    for (uint32_t i = 0; i < at->groups->count; i++) {
        mp_joint *joint = &at->groups->at[i];
        const mp_joint *low = &least.at[i + 1], *high = &most.at[i + 1];
        at->most[i] = open[i + 1] ? INT64_MAX : high->bytes;
        if (joint->exact)
            continue;
        joint->objects = low->objects;
        joint->bytes = low->bytes;
        joint->exact = !open[i + 1] && low->objects == high->objects && low->bytes == high->bytes;
    }
    free(least.until);
    free(least.at);
    free(most.until);
    free(most.at);
    free(open);
}

void mp_groups_bound(mp_graph_view *view, mp_groups *groups, int64_t *most)
{
    size_t objects = (size_t)view->graph->count + 1;
    bounds at = {.graph = view->graph,
                 .dominators = &view->dominators,
                 .roots = &view->roots,
                 .shortest = mp_graph_distances(view),
                 .groups = groups,
                 .most = most,
                 .far = mp_alloc_zero(objects, sizeof *at.far),
                 .settled = mp_alloc_zero(objects, sizeof *at.settled),
                 .many = mp_alloc_zero(objects, sizeof *at.many),
                 .class = mp_alloc_zero(objects, sizeof *at.class),
                 .above = mp_alloc(2 * objects * sizeof *at.above),
                 .object_of = mp_alloc(2 * objects * sizeof *at.object_of),
                 .node = mp_alloc_zero(objects, sizeof *at.node),
                 .class_node = mp_alloc_zero(objects, sizeof *at.class_node),
                 .counts = mp_alloc_zero((size_t)groups->count + 1, sizeof *at.counts),
                 .first_found = mp_alloc_zero(objects, sizeof *at.first_found)};
    find_places(&at);
    find_referrers(&at);
    look_at_all(&at);
    sum_up(&at);
    free(at.place);
    free(at.first);
    free(at.referrers);
    free(at.far);
    free(at.settled);
    free(at.many);
    free(at.class);
    free(at.above);
    free(at.object_of);
    free(at.node);
    free(at.class_node);
    mp_id_index_free(&at.below_object);
    mp_id_index_free(&at.below_class);
    free(at.counts);
    free(at.found);
    free(at.first_found);
}
