/* Retained sizes of groups of objects or of roots.
 *
 * A group retains an object if every path from the roots to it passes through the group. Many
 * groups are computed at once: each object has a mask with a bit for each group, set if the object
 * is reached without that group. Roots begin with all bits except that of their own group. An
 * object passes on its bits except those of its own groups. Bits are only added, so this ends.
 *
 * Most objects soon have all bits that any object can have, and then do not change any more. These
 * objects pass on their bits first, so that the objects that they reach are visited once instead of
 * several times. */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "query/graph_query.h"

/* Number of groups in a pass, one bit each; the last bit of a mask marks waiting objects. */
enum { SLOTS = 63 };
#define WAITING ((uint64_t)1 << SLOTS)

/* Groups that a pass treats as one: those in `order` from index `from` up to, but not including,
 * `to`. */
typedef struct part {
    mp_groups *groups;
    const uint32_t *order; /* numbers of the groups in their order; NULL: the groups in the order of
                            * their numbers */
    uint32_t from, to;
} part;

/* Ring buffer of objects that were reached and have not yet passed on their bits. */
typedef struct queue {
    uint32_t *heads;
    size_t next, waiting, room;
} queue;

typedef struct pass {
    const mp_graph *graph;
    const mp_dominators *dominators;
    const mp_object_roots *roots;
    part parts[SLOTS];
    uint32_t used;
    mp_joint found[SLOTS];
    /* Bits of the groups, one array for each kind: objects of a type, holders of a type, roots, and
     * root objects by root. NULL: no groups of this kind. */
    uint64_t *of_type, *of_holder, *of_root, *of_rooted;
    uint64_t *holders, *rooted; /* bit sets of objects */
    uint64_t *reached;          /* mask of each object, before its own groups are removed */
    uint64_t full;              /* all bits that any object can have */
    queue sure, unsure;
} pass;

/* --- the groups of a pass --- */

/* Set the bit of a part for the types or roots of its groups. */
static void enter_part(pass *state, uint32_t slot)
{
    const part *asked = &state->parts[slot];
    const mp_groups *groups = asked->groups;
    uint64_t **const totals[] = {[MP_GROUPS_OF_TYPES] = &state->of_type,
                                 [MP_GROUPS_OF_HOLDERS] = &state->of_holder,
                                 [MP_GROUPS_OF_ROOTS] = &state->of_root,
                                 [MP_GROUPS_OF_ROOTED] = &state->of_rooted};
    uint64_t **bits = totals[groups->kind];
    if (!*bits)
        *bits = mp_alloc_zero(groups->members, sizeof **bits);
    /* Search the members once per part, not once per group. */
    bool *is_in = mp_alloc_zero(groups->count + 1u, sizeof *is_in);
    for (uint32_t i = asked->from; i < asked->to; i++)
        is_in[(asked->order ? asked->order[i] : i) + 1] = true;
    for (uint32_t i = 0; i < groups->members; i++)
        if (is_in[groups->group_of[i]])
            (*bits)[i] |= (uint64_t)1 << slot;
    free(is_in);
}

static uint64_t *no_objects(const pass *state)
{
    return mp_alloc_zero((size_t)state->graph->count / 64 + 1, sizeof(uint64_t));
}

static void add_object(uint64_t *set, uint32_t object)
{
    set[object / 64] |= (uint64_t)1 << object % 64;
}

static inline bool has_object(const uint64_t *set, uint32_t object)
{
    return set && set[object / 64] >> object % 64 & 1;
}

static void find_holders(pass *state)
{
    const mp_dominators *dominators = state->dominators;
    state->holders = no_objects(state);
    for (uint32_t i = 1; i <= dominators->reached; i += dominators->span[i])
        if (!mp_retains_much(dominators, dominators->order[i]) &&
            mp_is_rooted(state->graph, state->roots, dominators->order[i]))
            add_object(state->holders, dominators->order[i]);
}

static void find_rooted(pass *state)
{
    state->rooted = no_objects(state);
    for (uint32_t i = 1; i < state->graph->roots.count; i++)
        if (state->of_rooted[i])
            add_object(state->rooted, state->graph->roots.items[i].object);
}

static inline uint64_t own_bits(const pass *state, uint32_t object)
{
    uint32_t type = state->graph->types[object];
    uint64_t bits = state->of_type ? state->of_type[type] : 0;
    if (has_object(state->holders, object))
        bits |= state->of_holder[type];
    if (has_object(state->rooted, object))
        for (uint32_t i = state->roots->first[object]; i < state->roots->first[object + 1]; i++)
            bits |= state->of_rooted[state->roots->roots[i]];
    return bits;
}

/* --- propagation --- */

static void put(queue *pending, uint32_t object)
{
    size_t end = pending->next + pending->waiting++;
    pending->heads[end < pending->room ? end : end - pending->room] = object;
}

static uint32_t ahead(const queue *from, size_t distance)
{
    size_t place = from->next + distance;
    return from->heads[place < from->room ? place : place - from->room];
}

static inline void reach(pass *state, uint32_t object, uint64_t bits)
{
    uint64_t before = state->reached[object], now = before | bits;
    if (now == before)
        return;
    bool sure = (now & ~WAITING) == state->full;
    state->reached[object] = now | WAITING;
    if (sure)
        put(&state->sure, object);
    else if (!(before & WAITING))
        put(&state->unsure, object);
}

/* Distances at which memory is prefetched for objects in a queue: first the range of their
 * references and their type, then the references, then the targets of these. */
enum { AHEAD_FIRST = 48, AHEAD_TARGETS = 32, AHEAD_REACHED = 16, MOST_REACHED = 8 };

static void ask_for(const pass *state, const queue *from)
{
    const mp_graph *graph = state->graph;
    if (from->waiting > AHEAD_FIRST) {
        uint32_t object = ahead(from, AHEAD_FIRST);
        __builtin_prefetch(&graph->first[object]);
        __builtin_prefetch(&graph->types[object]);
    }
    if (from->waiting > AHEAD_TARGETS)
        __builtin_prefetch(&graph->targets[graph->first[ahead(from, AHEAD_TARGETS)]]);
    if (from->waiting <= AHEAD_REACHED)
        return;
    uint32_t object = ahead(from, AHEAD_REACHED), end = graph->first[object + 1];
    for (uint32_t i = graph->first[object]; i < end && i < graph->first[object] + MOST_REACHED; i++)
        __builtin_prefetch(&state->reached[graph->targets[i]], 1);
}

static void spread_out(pass *state)
{
    const mp_graph *graph = state->graph;
    while (state->sure.waiting || state->unsure.waiting) {
        queue *from = state->sure.waiting ? &state->sure : &state->unsure;
        ask_for(state, from);
        uint32_t object = ahead(from, 0);
        from->next = from->next + 1 < from->room ? from->next + 1 : 0;
        from->waiting--;
        uint64_t bits = state->reached[object] & ~WAITING;
        if (from == &state->unsure) {
            if (bits == state->full)
                continue; /* it has passed on its bits already, or waits in `sure` */
            state->reached[object] = bits;
        }
        bits &= ~own_bits(state, object);
        for (uint32_t i = graph->first[object]; i < graph->first[object + 1]; i++)
            reach(state, graph->targets[i], bits);
    }
}

static uint64_t all_bits(const pass *state)
{
    return (WAITING - 1) >> (SLOTS - state->used);
}

static uint64_t bits_of_root(const pass *state, uint32_t root)
{
    uint64_t total = all_bits(state);
    return state->of_root ? total & ~state->of_root[root] : total;
}

static void start(pass *state)
{
    const mp_graph *graph = state->graph;
    size_t room = (size_t)graph->count + 1;
    state->reached = mp_alloc_zero(room, sizeof *state->reached);
    state->sure = (queue){.heads = mp_alloc(room * sizeof *state->sure.heads), .room = room};
    state->unsure = (queue){.heads = mp_alloc(room * sizeof *state->unsure.heads), .room = room};
    if (state->of_holder)
        find_holders(state);
    if (state->of_rooted)
        find_rooted(state);
    for (uint32_t i = 1; i < graph->roots.count; i++)
        if (mp_root_is_strong(&graph->roots.items[i]))
            state->full |= bits_of_root(state, i);
    for (uint32_t i = 1; i < graph->roots.count; i++)
        if (mp_root_is_strong(&graph->roots.items[i]))
            reach(state, graph->roots.items[i].object, bits_of_root(state, i));
}

/* --- results --- */

static void count_what_goes(pass *state)
{
    const mp_graph *graph = state->graph;
    uint64_t total = all_bits(state);
    for (uint32_t object = 1; object <= graph->count; object++) {
        if (!mp_is_reached(state->dominators, object))
            continue;
        uint64_t gone = total & ~(state->reached[object] & ~own_bits(state, object));
        for (; gone; gone &= gone - 1) {
            mp_joint *found = &state->found[__builtin_ctzll(gone)];
            found->objects++;
            found->bytes += (int64_t)graph->sizes[object];
        }
    }
}

/* Find the root object with the largest retained size among those that a group of roots retains. */
static void find_largest(pass *state)
{
    const mp_graph *graph = state->graph;
    const uint64_t *retained = state->dominators->retained;
    for (uint32_t i = 1; state->of_root && i < graph->roots.count; i++) {
        uint32_t object = graph->roots.items[i].object;
        uint64_t slots = object && mp_is_reached(state->dominators, object)
                             ? state->of_root[i] & ~state->reached[object]
                             : 0;
        for (; slots; slots &= slots - 1) {
            uint32_t *largest = &state->found[__builtin_ctzll(slots)].largest;
            if (!*largest || retained[object] > retained[*largest] ||
                (object < *largest && retained[object] == retained[*largest]))
                *largest = object;
        }
    }
}

static void run(pass *state, const mp_graph_view *view)
{
    assert(state->used && state->used <= SLOTS);
    state->graph = view->graph;
    state->dominators = &view->dominators;
    state->roots = &view->roots;
    for (uint32_t slot = 0; slot < state->used; slot++)
        enter_part(state, slot);
    start(state);
    spread_out(state);
    free(state->sure.heads);
    free(state->unsure.heads);
    count_what_goes(state);
    find_largest(state);
    MP_FREE(state->reached, state->holders, state->rooted, state->of_type, state->of_holder,
            state->of_root, state->of_rooted);
    for (uint32_t slot = 0; slot < state->used; slot++) {
        part *asked = &state->parts[slot];
        uint32_t only = asked->order ? asked->order[asked->from] : asked->from;
        if (asked->to - asked->from > 1)
            continue;
        asked->groups->items[only] = state->found[slot];
        asked->groups->items[only].exact = true;
    }
}

/* --- choice of groups --- */

static void add_part(pass *state, mp_groups *groups, const uint32_t *order, uint32_t from,
                     uint32_t to)
{
    state->parts[state->used++] = (part){groups, order, from, to};
}

/* Add groups of other kinds that will be needed soon, if there is room for all groups of that
 * kind. */
static void fill(pass *state, mp_graph_view *view, const mp_groups *asked)
{
    mp_groups *others[] = {&view->kinds, &view->types.groups, &view->holders, &view->statics};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        uint32_t open = 0;
        for (uint32_t i = 0; i < others[k]->count; i++)
            open += !others[k]->items[i].exact;
        if (others[k] == asked || open > SLOTS - state->used)
            continue;
        for (uint32_t i = 0; i < others[k]->count; i++)
            if (!others[k]->items[i].exact)
                add_part(state, others[k], NULL, i, i + 1);
    }
}

/* Sort groups by their known retained sizes, largest first. */
static void sort_groups(const mp_groups *groups, uint32_t *which, size_t count)
{
    if (count)
        mp_sort_largest(which, count, &groups->items[0].bytes, sizeof *groups->items);
}

/* Groups that must be settled, in the form of mp_groups_settle. */
typedef struct question {
    mp_groups *groups;
    const uint32_t *which;
    uint32_t count;
    size_t most;
    int64_t least;
} question;

static uint32_t asked_group(const question *asked, uint32_t i)
{
    return asked->which ? asked->which[i] : i;
}

/* Return the retained size that a group must reach to be of interest: `least` or, if it is larger,
 * the known size of the `most`-th largest group. */
static int64_t bar_of(const question *asked)
{
    if (!asked->most || asked->most > asked->count)
        return asked->least;
    uint32_t *order = mp_alloc(asked->count * sizeof *order);
    for (uint32_t i = 0; i < asked->count; i++)
        order[i] = asked_group(asked, i);
    sort_groups(asked->groups, order, asked->count);
    int64_t bar = asked->groups->items[order[asked->most - 1]].bytes;
    free(order);
    return bar > asked->least ? bar : asked->least;
}

/* Choose the groups of a pass. If small groups may stay unsettled, half of the bits are for single
 * groups with the largest known sizes. Each bit of the other half is for many groups together. If
 * these together do not retain an object, none of them retains it. */
static void choose(pass *state, mp_groups *groups, const uint32_t *open, uint32_t count,
                   bool bounded)
{
    uint32_t alone = count <= SLOTS ? count : bounded ? SLOTS / 2 : SLOTS;
    for (uint32_t i = 0; i < alone; i++)
        add_part(state, groups, open, i, i + 1);
    if (!bounded)
        return;
    uint64_t rest = count - alone, parts = SLOTS - alone < rest ? SLOTS - alone : rest;
    for (uint64_t i = 0; i < parts; i++)
        add_part(state, groups, open, alone + (uint32_t)(rest * i / parts),
                 alone + (uint32_t)(rest * (i + 1) / parts));
}

/* Run a pass over the open groups. Return how many of them stay open; they keep their order. */
static uint32_t settle_some(mp_graph_view *view, const question *asked, uint32_t *open,
                            uint32_t left)
{
    mp_groups *groups = asked->groups;
    pass state = {.used = 0};
    choose(&state, groups, open, left, bar_of(asked) > 0);
    uint32_t parts = state.used, kept = 0, seen = state.parts[parts - 1].to;
    fill(&state, view, groups);
    run(&state, view);
    int64_t bar = bar_of(asked);
    for (uint32_t slot = 0; slot < parts; slot++)
        for (uint32_t i = state.parts[slot].from; i < state.parts[slot].to; i++)
            if (!groups->items[open[i]].exact && state.found[slot].bytes >= bar)
                open[kept++] = open[i];
    for (uint32_t i = seen; i < left; i++)
        open[kept++] = open[i];
    return kept;
}

/* Like settle_some, but with lower and upper bounds of all groups. */
static uint32_t settle_by_bounds(mp_graph_view *view, const question *asked, uint32_t *open,
                                 uint32_t left)
{
    mp_groups *groups = asked->groups;
    int64_t *highest = mp_alloc(groups->count * sizeof *highest);
    uint32_t kept = 0;
    mp_groups_bound(view, groups, highest);
    int64_t bar = bar_of(asked);
    for (uint32_t i = 0; i < left; i++)
        if (!groups->items[open[i]].exact && highest[open[i]] >= bar)
            open[kept++] = open[i];
    sort_groups(groups, open, kept);
    free(highest);
    return kept;
}

void mp_groups_settle(mp_graph_view *view, mp_groups *groups, const uint32_t *which, uint32_t count,
                      size_t most, int64_t least)
{
    /* If many groups retain equal amounts, passes exclude none of these groups, but bounds do. */
    enum { FEW_PASSES = 4 };
    const question asked = {groups, which, count, most, least};
    bool has_bounds = groups->kind == MP_GROUPS_OF_TYPES || groups->kind == MP_GROUPS_OF_ROOTED;
    uint32_t *open = mp_alloc((count + 1u) * sizeof *open), left = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!groups->items[asked_group(&asked, i)].exact)
            open[left++] = asked_group(&asked, i);
    sort_groups(groups, open, left);
    for (uint32_t passes = 1; left; passes++) {
        left = settle_some(view, &asked, open, left);
        if (has_bounds && passes == FEW_PASSES && left > FEW_PASSES * SLOTS)
            left = settle_by_bounds(view, &asked, open, left);
    }
    free(open);
}

void mp_groups_free(mp_groups *groups)
{
    free(groups->group_of);
    free(groups->items);
    *groups = (mp_groups){0};
}
