/* Leak suspects: objects, types and kinds of roots that keep a large share of the heap alive. */
#include <stdlib.h>

#include "base/memory.h"
#include "query/graph_query.h"

/* Shares of the reachable bytes, in percent. */
enum { MUCH = 10, MUCH_FOR_FINALIZERS = 1 }; /* MUCH: as in mp_retains_much */
enum { MOST = 50 };                          /* minimum share of what a global object retains */
/* Number of types to look back at to detect that types recur. */
enum { LOOK_BACK = 4 };

typedef struct search {
    mp_graph_view *view;
    const mp_graph *graph;
    const mp_dominators *dominators;
    size_t capacity;
} search;

static void add(search *state, mp_suspect suspect)
{
    mp_graph_view *view = state->view;
    *MP_APPEND(view->suspects, view->suspect_count, state->capacity) = suspect;
}

static bool is_over(uint64_t part, uint64_t whole, unsigned percent)
{
    return part && (double)part * 100 > (double)whole * percent;
}

/* --- one object --- */

/* Return the place in preorder of the child that retains most of what its parent retains; 0:
 * none. */
static uint32_t heavy_child(const mp_dominators *dominators, uint32_t place)
{
    uint32_t end = place + dominators->span[place];
    for (uint32_t child = place + 1; child < end; child += dominators->span[child])
        if (mp_retains_most(dominators, dominators->order[child], dominators->order[place]))
            return child;
    return 0;
}

/* Find the type that retains most among the objects directly below a place. */
static void find_most_held(const search *state, mp_suspect *suspect, uint32_t place)
{
    const mp_dominators *dominators = state->dominators;
    uint32_t end = place + dominators->span[place], types = state->view->model->types.count;
    mp_suspect *of_type = mp_alloc_zero(types, sizeof *of_type);
    for (uint32_t child = place + 1; child < end; child += dominators->span[child]) {
        uint32_t object = dominators->order[child];
        of_type[state->graph->types[object]].held_objects++;
        of_type[state->graph->types[object]].held_bytes += (int64_t)dominators->retained[object];
    }
    for (uint32_t type = 0; type < types; type++)
        if (of_type[type].held_objects &&
            (of_type[type].held_bytes > suspect->held_bytes || !suspect->held_type)) {
            suspect->held_type = type;
            suspect->held_objects = of_type[type].held_objects;
            suspect->held_bytes = of_type[type].held_bytes;
        }
    free(of_type);
}

/* Find the accumulation point below a suspect. Mark the places on the way in `way`. */
static void accumulate(const search *state, mp_suspect *suspect, uint32_t place, bool *way)
{
    const mp_dominators *dominators = state->dominators;
    const uint32_t *types = state->graph->types;
    uint32_t before[LOOK_BACK] = {0}, head = 0, steps = 0;
    for (uint32_t child = place; child; child = heavy_child(dominators, child)) {
        way[child] = true;
        for (uint32_t i = 0; i < LOOK_BACK && !head; i++)
            if (before[i] && types[dominators->order[before[i]]] == types[dominators->order[child]])
                head = before[i];
        before[steps++ % LOOK_BACK] = child;
        if (!head)
            place = child;
    }
    suspect->accumulation = dominators->order[head ? head : place];
    if (!head) {
        find_most_held(state, suspect, place);
        return;
    }
    /* In a list, count all nodes of the head's type; the bytes are those that the head retains. */
    suspect->held_type = types[suspect->accumulation];
    suspect->held_bytes = (int64_t)dominators->retained[suspect->accumulation];
    for (uint32_t i = head; i < head + dominators->span[head]; i++)
        suspect->held_objects += types[dominators->order[i]] == suspect->held_type;
}

/* A suspect, with its place in the preorder of dominators. */
typedef struct candidate {
    mp_suspect suspect;
    uint32_t place;
} candidate;

typedef MP_LIST(candidate) candidates;

/* Return true if a candidate inside this one is preferred to it. Candidates are in preorder. The
 * outermost of nested candidates is preferred, unless an inner one holds more objects of one type,
 * because that is where they accumulate. */
static bool is_outdone(const mp_dominators *dominators, const candidates *found, uint32_t outer)
{
    const candidate *state = &found->items[outer];
    uint32_t end = state->place + dominators->span[state->place];
    for (uint32_t i = outer + 1; i < found->count && found->items[i].place < end; i++)
        if (found->items[i].suspect.held_objects > 1 &&
            found->items[i].suspect.held_objects > state->suspect.held_objects)
            return true;
    return false;
}

/* Return true if the object is no suspect itself, but its references may lead to suspects. A global
 * object keeps everything alive that the program's global variables keep alive. It is a suspect
 * only if its variables hold objects of one type that retain most of that. */
static bool is_mere_global(const search *state, uint32_t place)
{
    const uint32_t object = state->dominators->order[place];
    mp_suspect held = {0};
    if (!mp_is_global(state->graph, &state->view->roots, object))
        return false;
    find_most_held(state, &held, place);
    return held.held_objects < 2 ||
           !is_over((uint64_t)held.held_bytes, state->dominators->retained[object], MOST);
}

static void find_objects(search *state)
{
    const mp_dominators *dominators = state->dominators;
    bool *way = mp_alloc_zero((size_t)dominators->reached + 1, sizeof *way);
    candidates found = {0};
    for (uint32_t place = 1; place <= dominators->reached;) {
        uint32_t object = dominators->order[place];
        if (!mp_retains_much(dominators, object)) {
            place += dominators->span[place]; /* no object below it retains much either */
            continue;
        }
        if (!way[place] && !is_mere_global(state, place)) {
            mp_suspect suspect = {.rule = MP_SUSPECT_OBJECT,
                                  .object = object,
                                  .type = state->graph->types[object],
                                  .objects = dominators->span[place],
                                  .bytes = (int64_t)dominators->retained[object],
                                  .holders = 1};
            accumulate(state, &suspect, place, way);
            *MP_APPEND(found.items, found.count, found.capacity) = (candidate){suspect, place};
        }
        place++;
    }
    for (uint32_t i = 0, end = 0; i < found.count; i++)
        if (found.items[i].place >= end && !is_outdone(dominators, &found, i)) {
            add(state, found.items[i].suspect);
            end = found.items[i].place + dominators->span[found.items[i].place];
        }
    free(found.items);
    free(way);
}

/* --- one type --- */

/* Find types whose root objects together retain much. Objects that are suspects themselves are left
 * out, as are objects that other objects also keep alive. The retained size of each single object
 * is known. The retained size of several together is computed only for types that may be
 * suspects. */
static void find_types(search *state)
{
    const mp_graph *graph = state->graph;
    const mp_dominators *dominators = state->dominators;
    mp_graph_view *view = state->view;
    uint32_t types = view->model->types.count;
    mp_suspect *of_type = mp_alloc_zero(types, sizeof *of_type);
    mp_groups *holders = &view->holders;
    *holders = (mp_groups){.kind = MP_GROUPS_OF_HOLDERS,
                           .count = types,
                           .members = types,
                           .group_of = mp_alloc(types * sizeof *holders->group_of),
                           .items = mp_alloc_zero(types, sizeof *holders->items)};
    for (uint32_t place = 1; place <= dominators->reached; place += dominators->span[place]) {
        uint32_t object = dominators->order[place], type = graph->types[object];
        const uint32_t later = mp_object_ahead(dominators, place);
        __builtin_prefetch(&graph->types[later]);
        __builtin_prefetch(&dominators->retained[later]);
        uint64_t retained = dominators->retained[object];
        if (mp_retains_much(dominators, object) || !mp_is_rooted(graph, &view->roots, object))
            continue;
        of_type[type].holders++;
        holders->items[type].objects += dominators->span[place];
        holders->items[type].bytes += (int64_t)retained;
        if (!of_type[type].object || retained > dominators->retained[of_type[type].object])
            of_type[type].object = object;
    }
    for (uint32_t type = 0; type < types; type++) {
        holders->group_of[type] = type + 1;
        holders->items[type].exact = of_type[type].holders < 2;
    }
    if (view->sharer)
        (void)mp_graph_sharing(view); /* before another pass takes as much memory */
    mp_groups_settle(view, holders, NULL, types, 0, (int64_t)(dominators->retained[0] / MUCH));
    for (uint32_t type = 0; type < types; type++)
        if (is_over((uint64_t)holders->items[type].bytes, dominators->retained[0], MUCH))
            add(state, (mp_suspect){.rule = MP_SUSPECT_TYPE,
                                    .type = type,
                                    .object = of_type[type].object,
                                    .holders = of_type[type].holders,
                                    .objects = holders->items[type].objects,
                                    .bytes = holders->items[type].bytes});
    free(of_type);
}

/* --- one kind of roots --- */

static void find_kinds(search *state)
{
    size_t count;
    const mp_root_census *census = mp_graph_census(state->view, &count);
    for (size_t i = 0; i < count; i++) {
        bool finalizer = census[i].kind == MP_ROOT_FINALIZER;
        if ((finalizer || census[i].kind == MP_ROOT_HANDLE) && census[i].largest &&
            is_over((uint64_t)census[i].exclusive_bytes, state->dominators->retained[0],
                    finalizer ? MUCH_FOR_FINALIZERS : MUCH))
            add(state, (mp_suspect){.rule = finalizer ? MP_SUSPECT_FINALIZER : MP_SUSPECT_HANDLE,
                                    .object = census[i].largest,
                                    .type = state->graph->types[census[i].largest],
                                    .objects = census[i].exclusive_objects,
                                    .bytes = census[i].exclusive_bytes,
                                    .holders = census[i].objects});
    }
}

static int most_first(const void *left, const void *right, void *graph)
{
    const mp_suspect *a = left, *b = right;
    int order = MP_COMPARE(b->bytes, a->bytes);
    order = order ? order : MP_COMPARE(a->rule, b->rule);
    return order ? order : mp_object_compare(graph, a->object, b->object);
}

const mp_suspect *mp_graph_suspects(mp_graph_view *view, size_t *count)
{
    search state = {.view = view, .graph = view->graph, .dominators = &view->dominators};
    if (!view->has_suspects) {
        /* count the roots first, so that types and roots are computed in one pass */
        mp_graph_count_roots(view);
        find_objects(&state);
        find_types(&state);
        find_kinds(&state);
        if (view->suspect_count)
            qsort_r(view->suspects, view->suspect_count, sizeof *view->suspects, most_first,
                    (void *)(uintptr_t)view->graph);
        view->has_suspects = true;
    }
    *count = view->suspect_count;
    return view->suspects;
}
