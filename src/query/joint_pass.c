/* Retained sizes of groups of objects or of roots.
 *
 * A group retains an object if every path from the roots to it passes through the group. Many
 * groups are computed at once: each object has a mask with a bit for each group, set if the object
 * is reached without that group. Roots begin with all bits except that of their own group. An
 * object passes on its bits except those of its own groups. Bits are only added, so this ends.
 *
 * Most objects soon have all bits that any object can have, and then do not change any more. These
 * objects are sure. They pass on their bits first, so that the objects that they reach are visited
 * once instead of several times.
 *
 * Objects pass on their bits in rounds. If a round has many objects, two threads take them in
 * shares. Their order does not matter to the result. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/beside.h"
#include "base/memory.h"
#include "query/joint_pass.h"

enum {
    THREADS = 2,
    LARGE = 1 << 14, /* number of objects from which on threads share a round */
    SHARE = 256,     /* number of objects that a thread takes at once */
};
/* The last bit of a mask marks objects that wait in a list of unsure objects. */
#define WAITING ((uint64_t)1 << MP_JOINT_SLOTS)

/* Objects that were reached and have not yet passed on their bits. */
typedef struct objects {
    uint32_t *items;
    size_t count, capacity;
} objects;

/* Objects that pass on their bits: a list from each thread, from which both take shares. */
typedef struct round {
    objects lists[THREADS];
    size_t taken[THREADS]; /* may exceed the number of objects */
} round;

/* A thread, and the objects that it has found for the next rounds. */
typedef struct finder {
    struct pass *pass;
    objects sure, unsure;
} finder;

typedef struct pass {
    const mp_graph *graph;
    const mp_dominators *dominators;
    const mp_object_roots *roots;
    mp_joint_pass *asked;
    /* Bits of the groups, one array for each kind: objects of a type, holders of a type, roots, and
     * root objects by root. NULL: no groups of this kind. */
    uint64_t *of_type, *of_holder, *of_root, *of_rooted;
    uint64_t *holders, *rooted; /* bit sets of objects */
    uint64_t *reached;          /* mask of each object, before its own groups are removed */
    uint64_t full;              /* all bits that any object can have */
    round sure, unsure;
    bool stops; /* a round of unsure objects is interrupted, because many sure ones were found */
    finder finders[THREADS];
} pass;

/* --- the groups of a pass --- */

/* Set the bit of a part for the types or roots of its groups. */
static void enter_part(pass *state, uint32_t slot)
{
    const mp_joint_part *asked = &state->asked->parts[slot];
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
    if (has_object(state->rooted, object)) {
        const mp_root_list its_roots = mp_roots_of(state->roots, object);
        for (uint32_t i = 0; i < its_roots.count; i++)
            bits |= state->of_rooted[its_roots.items[i]];
    }
    return bits;
}

/* --- propagation --- */

/* Add bits to the mask of an object. If this changes it, the object must pass them on. `shared`:
 * the other thread does the same. */
__attribute__((always_inline)) static inline void reach(finder *self, uint32_t object,
                                                        uint64_t bits, bool shared)
{
    uint64_t *mask = &self->pass->reached[object];
    uint64_t before = shared ? __atomic_load_n(mask, __ATOMIC_RELAXED) : *mask;
    if ((before | bits) == before)
        return;
    /* Meanwhile, the other thread may have added bits, too; only one of them sees the mask change
     * from unsure to sure, or from idle to waiting. */
    if (shared)
        before = __atomic_fetch_or(mask, bits | WAITING, __ATOMIC_RELAXED);
    else
        *mask = before | bits | WAITING;
    const uint64_t full = self->pass->full;
    if (((before | bits) & ~WAITING) == full && (before & ~WAITING) != full)
        *MP_APPEND(self->sure.items, self->sure.count, self->sure.capacity) = object;
    else if (!(before & WAITING))
        *MP_APPEND(self->unsure.items, self->unsure.count, self->unsure.capacity) = object;
}

/* Distances at which memory is prefetched for objects of a list: first the range of their
 * references and their type, then the references, then the targets of these. */
enum { AHEAD_FIRST = 48, AHEAD_TARGETS = 32, AHEAD_REACHED = 16, MOST_REACHED = 8 };

static inline void ask_for(const pass *state, const objects *list, size_t place)
{
    const mp_graph *graph = state->graph;
    const uint32_t *next = list->items + place;
    size_t left = list->count - place;
    if (left > AHEAD_FIRST) {
        __builtin_prefetch(&graph->first[next[AHEAD_FIRST]]);
        __builtin_prefetch(&graph->types[next[AHEAD_FIRST]]);
    }
    if (left > AHEAD_TARGETS)
        __builtin_prefetch(&graph->targets[graph->first[next[AHEAD_TARGETS]]]);
    if (left <= AHEAD_REACHED)
        return;
    uint32_t object = next[AHEAD_REACHED], end = graph->first[object + 1];
    for (uint32_t i = graph->first[object]; i < end && i < graph->first[object] + MOST_REACHED; i++)
        __builtin_prefetch(&state->reached[graph->targets[i]], 1);
}

/* Pass on the bits of an object of a list. */
__attribute__((always_inline)) static inline void pass_on(finder *self, const objects *list,
                                                          size_t place, bool sure, bool shared)
{
    pass *state = self->pass;
    const mp_graph *graph = state->graph;
    uint32_t object = list->items[place];
    uint64_t bits = state->full;
    ask_for(state, list, place);
    if (!sure) {
        uint64_t *mask = &state->reached[object];
        bits = shared ? __atomic_fetch_and(mask, ~WAITING, __ATOMIC_RELAXED) : *mask;
        if (!shared)
            *mask = bits & ~WAITING;
        bits &= ~WAITING;
        if (bits == state->full)
            return; /* it has passed on its bits already, or waits among the sure ones */
    }
    bits &= ~own_bits(state, object);
    for (uint32_t i = graph->first[object]; i < graph->first[object + 1]; i++)
        reach(self, graph->targets[i], bits, shared);
}

/* Let the sure objects that the thread has found pass on their bits, and those that they make sure,
 * unless they become so many that both threads should share them. */
__attribute__((always_inline)) static inline void follow(finder *self, bool shared)
{
    objects *sure = &self->sure;
    size_t done = 0;
    while (done < sure->count && sure->count - done < LARGE)
        pass_on(self, sure, done++, true, shared);
    sure->count -= done;
    if (!sure->count)
        return;
    memmove(sure->items, sure->items + done, sure->count * sizeof *sure->items);
    __atomic_store_n(&self->pass->stops, true, __ATOMIC_RELAXED);
}

/* Take objects of a round until none are left, or the round is interrupted. */
__attribute__((always_inline)) static inline void take(finder *self, round *from, bool shared)
{
    pass *state = self->pass;
    const bool sure = from == &state->sure;
    for (int i = 0; i < THREADS; i++) {
        const objects *list = &from->lists[i];
        while (!__atomic_load_n(&state->stops, __ATOMIC_RELAXED)) {
            size_t place = __atomic_fetch_add(&from->taken[i], SHARE, __ATOMIC_RELAXED);
            size_t end = place + SHARE < list->count ? place + SHARE : list->count;
            if (place >= list->count)
                break;
            for (; place < end; place++)
                pass_on(self, list, place, sure, shared);
            if (!sure)
                follow(self, shared);
        }
    }
}

/* Work of the second thread. */
typedef struct assignment {
    finder *self;
    round *from;
} assignment;

static void help(void *opaque)
{
    const assignment *asked = opaque;
    take(asked->self, asked->from, true);
}

/* Return the number of objects that are left in a round. */
static size_t left_in(const round *some)
{
    size_t left = 0;
    for (int i = 0; i < THREADS; i++)
        left += some->taken[i] < some->lists[i].count ? some->lists[i].count - some->taken[i] : 0;
    return left;
}

/* Put what a thread has found in the place of its list, which is reused for what it finds next. */
static void renew(round *some, int thread, objects *found)
{
    objects done = some->lists[thread];
    done.count = 0;
    some->lists[thread] = *found;
    some->taken[thread] = 0;
    *found = done;
}

/* Return the next round: sure objects first, then the rest of an interrupted round, then unsure
 * objects. */
static round *next_round(pass *state)
{
    const bool over = !left_in(&state->unsure);
    for (int i = 0; i < THREADS; i++)
        renew(&state->sure, i, &state->finders[i].sure);
    if (left_in(&state->sure))
        return &state->sure;
    for (int i = 0; i < THREADS && over; i++)
        renew(&state->unsure, i, &state->finders[i].unsure);
    return &state->unsure;
}

static void spread_out(pass *state)
{
    round *next = next_round(state);
    for (size_t left; (left = left_in(next)) > 0; next = next_round(state)) {
        state->stops = false;
        if (left < LARGE) {
            take(&state->finders[0], next, false);
            continue;
        }
        mp_beside *beside = mp_beside_begin(help, &(assignment){&state->finders[1], next});
        take(&state->finders[0], next, true);
        mp_beside_end(&beside);
    }
    for (int i = 0; i < THREADS; i++)
        MP_FREE(state->sure.lists[i].items, state->unsure.lists[i].items,
                state->finders[i].sure.items, state->finders[i].unsure.items);
}

static uint64_t all_bits(const pass *state)
{
    return (WAITING - 1) >> (MP_JOINT_SLOTS - state->asked->used);
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
    for (int i = 0; i < THREADS; i++)
        state->finders[i].pass = state;
    if (state->of_holder)
        find_holders(state);
    if (state->of_rooted)
        find_rooted(state);
    for (uint32_t i = 1; i < graph->roots.count; i++)
        if (mp_root_is_strong(&graph->roots.items[i]))
            state->full |= bits_of_root(state, i);
    for (uint32_t i = 1; i < graph->roots.count; i++)
        if (mp_root_is_strong(&graph->roots.items[i]))
            reach(&state->finders[0], graph->roots.items[i].object, bits_of_root(state, i), false);
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
            mp_joint *found = &state->asked->found[__builtin_ctzll(gone)];
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
            uint32_t *largest = &state->asked->found[__builtin_ctzll(slots)].largest;
            if (!*largest || retained[object] > retained[*largest] ||
                (object < *largest && retained[object] == retained[*largest]))
                *largest = object;
        }
    }
}

void mp_joint_pass_run(mp_joint_pass *asked, const mp_graph_view *view)
{
    assert(asked->used && asked->used <= MP_JOINT_SLOTS);
    pass state = {.graph = view->graph,
                  .dominators = &view->dominators,
                  .roots = &view->roots,
                  .asked = asked};
    for (uint32_t slot = 0; slot < asked->used; slot++)
        enter_part(&state, slot);
    start(&state);
    spread_out(&state);
    count_what_goes(&state);
    find_largest(&state);
    MP_FREE(state.reached, state.holders, state.rooted, state.of_type, state.of_holder,
            state.of_root, state.of_rooted);
    for (uint32_t slot = 0; slot < asked->used; slot++) {
        const mp_joint_part *part = &asked->parts[slot];
        uint32_t only = part->order ? part->order[part->from] : part->from;
        if (part->to - part->from > 1)
            continue;
        part->groups->items[only] = asked->found[slot];
        part->groups->items[only].exact = true;
    }
}
