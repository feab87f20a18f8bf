/* Roots: what kinds there are, and what each of them keeps alive. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/index.h"
#include "base/memory.h"
#include "query/graph_query.h"

/* --- texts --- */

const char *mp_root_kind_text(mp_arena *arena, uint32_t kind)
{
    static const char *const names[] = {"internal", "local",  "finalizer",
                                        "handle",   "static", "runtime"};
    if (kind < sizeof names / sizeof *names)
        return names[kind];
    return kind == MP_ROOT_UNSPECIFIED ? "root" : mp_arena_format(arena, "kind %" PRIx32, kind);
}

const char *mp_root_flags_text(mp_arena *arena, uint32_t flags)
{
    static const char *const names[] = {"pinned", "weak", "interior", "refcounted"};
    const char *text = "";
    for (uint32_t bit = 0; bit < 4; bit++)
        if (flags >> bit & 1)
            text = mp_arena_format(arena, "%s%s%s", text, *text ? "+" : "", names[bit]);
    if (flags & ~15u)
        text = mp_arena_format(arena, "%s%s0x%" PRIx32, text, *text ? "+" : "", flags & ~15u);
    return text;
}

const char *mp_object_roots_text(mp_arena *arena, const mp_graph *graph,
                                 const mp_object_roots *roots, uint32_t object)
{
    const char *text = "";
    for (int64_t last = -1;;) { /* the least kind above the last one, until there is none */
        int64_t next = INT64_MAX;
        for (uint32_t i = roots->first[object]; i < roots->first[object + 1]; i++) {
            uint32_t kind = graph->roots.at[roots->roots[i]].kind;
            if (kind > last && kind < next)
                next = kind;
        }
        if (next == INT64_MAX)
            return text;
        const char *kind = mp_root_kind_text(arena, (uint32_t)next);
        text = *text ? mp_arena_format(arena, "%s+%s", text, kind) : kind;
        last = next;
    }
}

/* --- of objects --- */

mp_object_roots mp_roots_by_object(const mp_graph *graph)
{
    mp_object_roots result = {.first =
                                  mp_alloc_zero((size_t)graph->count + 2, sizeof *result.first),
                              .roots = mp_alloc((size_t)graph->roots.count * sizeof *result.roots)};
    uint32_t sum = 0;
    for (uint32_t i = 1; i < graph->roots.count; i++)
        result.first[graph->roots.at[i].object] += graph->roots.at[i].object != 0;
    for (uint32_t i = 1; i <= graph->count; i++)
        result.first[i] = sum += result.first[i];
    result.first[graph->count + 1] = sum;
    for (uint32_t i = graph->roots.count; i-- > 1;)
        if (graph->roots.at[i].object)
            result.roots[--result.first[graph->roots.at[i].object]] = i;
    return result;
}

void mp_object_roots_free(mp_object_roots *roots)
{
    free(roots->first);
    free(roots->roots);
    *roots = (mp_object_roots){0};
}

/* --- what one kind alone reaches --- */

/* Which kind reaches each object: NOBODY, one of them, or SEVERAL. An object changes twice at
 * most. */
enum { NOBODY = 0, SEVERAL = UINT16_MAX };

/* Objects that were reached and have not passed it on; those before `done` have. */
typedef struct queue {
    uint32_t *at;
    size_t done, count, capacity;
} queue;

/* What several kinds reach goes first: it overtakes the others, and what it meets first is passed
 * once in place of twice. */
typedef struct spread {
    const mp_graph *graph;
    uint16_t *reached_by;
    queue by_one, by_several;
} spread;

/* How far ahead in the queue memory is asked for: where an object's references are, the
 * references, what they refer to. */
enum { AHEAD_FIRST = 48, AHEAD_TARGETS = 32, AHEAD_REACHED = 16, MOST_REACHED = 8 };

static void reach(spread *state, uint32_t object, uint16_t by)
{
    uint16_t *place = &state->reached_by[object];
    if (*place == by || *place == SEVERAL)
        return;
    *place = *place == NOBODY ? by : SEVERAL;
    queue *waiting = *place == SEVERAL ? &state->by_several : &state->by_one;
    mp_grow(&waiting->at, &waiting->capacity, waiting->count + 1, sizeof *waiting->at);
    waiting->at[waiting->count++] = object;
}

static void ask_for(const spread *state, const queue *waiting)
{
    const mp_graph *graph = state->graph;
    const uint32_t *next = waiting->at + waiting->done;
    size_t left = waiting->count - waiting->done;
    if (left > AHEAD_FIRST)
        __builtin_prefetch(&graph->first[next[AHEAD_FIRST]]);
    if (left > AHEAD_TARGETS)
        __builtin_prefetch(&graph->targets[graph->first[next[AHEAD_TARGETS]]]);
    if (left <= AHEAD_REACHED)
        return;
    uint32_t from = graph->first[next[AHEAD_REACHED]];
    uint32_t end = graph->first[next[AHEAD_REACHED] + 1];
    for (uint32_t i = from; i < end && i < from + MOST_REACHED; i++)
        __builtin_prefetch(&state->reached_by[graph->targets[i]], 1);
}

/* First come, first served in each queue: what is ahead is known, and can be fetched. */
static void spread_out(spread *state)
{
    const mp_graph *graph = state->graph;
    queue *several = &state->by_several, *one = &state->by_one;
    while (several->done < several->count || one->done < one->count) {
        queue *waiting = several->done < several->count ? several : one;
        ask_for(state, waiting);
        uint32_t object = waiting->at[waiting->done++];
        uint16_t by = state->reached_by[object];
        if (waiting == one && by == SEVERAL)
            continue; /* it has passed that on */
        uint32_t end = graph->first[object + 1];
        for (uint32_t i = graph->first[object]; i < end; i++)
            reach(state, graph->targets[i], by);
    }
}

static void note_largest(uint32_t *largest, const mp_dominators *dominators, uint32_t object)
{
    if (!*largest || dominators->retained[object] > dominators->retained[*largest])
        *largest = object;
}

/* Count the roots of each kind, and let what they hold be reached. `kinds`: of each its place in
 * the census, + 1. Kinds beyond those that can be told apart get no exclusive bytes. */
static void count_roots(mp_graph_view *view, mp_id_index *kinds, spread *state)
{
    size_t capacity = 0;
    for (uint32_t i = 1; i < view->graph->roots.count; i++) {
        const mp_root *root = &view->graph->roots.at[i];
        uint32_t *place = mp_id_index_put(kinds, root->kind);
        if (!*place) {
            mp_grow(&view->census, &capacity, view->census_count + 1, sizeof *view->census);
            view->census[view->census_count++] = (mp_root_census){.kind = root->kind};
            *place = (uint32_t)view->census_count;
        }
        assert(view->census);
        mp_root_census *census = &view->census[*place - 1];
        census->roots++;
        census->weak += (root->flags & MP_ROOT_WEAK) != 0;
        census->pinned += (root->flags & MP_ROOT_PINNED) != 0;
        census->interior += (root->flags & MP_ROOT_INTERIOR) != 0;
        if (mp_root_is_strong(root))
            reach(state, root->object, *place < SEVERAL ? (uint16_t)*place : SEVERAL);
    }
}

/* One object may be held by many roots of one kind. */
static void count_objects(mp_graph_view *view, const mp_id_index *kinds, const uint16_t *reached_by)
{
    const mp_graph *graph = view->graph;
    uint32_t *seen = mp_alloc_zero(view->census_count + 1, sizeof *seen);
    for (uint32_t object = 1; object <= graph->count; object++) {
        uint16_t by = reached_by[object];
        if (by != NOBODY && by != SEVERAL) {
            view->census[by - 1].exclusive_objects++;
            view->census[by - 1].exclusive_bytes += (int64_t)graph->sizes[object];
        }
        for (uint32_t i = view->roots.first[object]; i < view->roots.first[object + 1]; i++) {
            uint32_t kind = mp_id_index_get(kinds, graph->roots.at[view->roots.roots[i]].kind);
            if (seen[kind] == object)
                continue;
            seen[kind] = object;
            view->census[kind - 1].objects++;
            view->census[kind - 1].bytes += (int64_t)graph->sizes[object];
            if (by != SEVERAL && by == kind)
                note_largest(&view->census[kind - 1].largest, &view->dominators, object);
        }
    }
    free(seen);
}

static int most_held_first(const void *left, const void *right)
{
    const mp_root_census *a = left, *b = right;
    if (a->exclusive_bytes != b->exclusive_bytes)
        return a->exclusive_bytes > b->exclusive_bytes ? -1 : 1;
    return a->kind < b->kind ? -1 : a->kind > b->kind;
}

const mp_root_census *mp_graph_census(mp_graph_view *view, size_t *count)
{
    if (!view->census && view->graph->roots.count > 1) {
        mp_id_index kinds = {0};
        spread state = {
            .graph = view->graph,
            .reached_by = mp_alloc_zero((size_t)view->graph->count + 1, sizeof *state.reached_by)};
        count_roots(view, &kinds, &state);
        spread_out(&state);
        free(state.by_one.at);
        free(state.by_several.at);
        count_objects(view, &kinds, state.reached_by);
        free(state.reached_by);
        mp_id_index_free(&kinds);
        qsort(view->census, view->census_count, sizeof *view->census, most_held_first);
    }
    *count = view->census_count;
    return view->census;
}

/* --- statics --- */

static int by_container(const void *left, const void *right, void *graph_)
{
    const mp_graph *graph = graph_;
    const mp_root *a = &graph->roots.at[*(const uint32_t *)left];
    const mp_root *b = &graph->roots.at[*(const uint32_t *)right];
    if (a->container.i != b->container.i)
        return a->container.i < b->container.i ? -1 : 1;
    return a->object < b->object ? -1 : a->object > b->object;
}

static int by_static_bytes(const void *left, const void *right, void *model)
{
    const mp_static_census *a = left, *b = right;
    if (a->retained_bytes != b->retained_bytes)
        return a->retained_bytes > b->retained_bytes ? -1 : 1;
    int order = mp_type_compare(model, a->container, b->container);
    return order ? order : a->container.i < b->container.i ? -1 : 1;
}

mp_static_census *mp_static_census_of(const mp_graph_view *view, size_t *count)
{
    const mp_graph *graph = view->graph;
    const mp_dominators *dominators = &view->dominators;
    uint32_t *statics = mp_alloc((size_t)graph->roots.count * sizeof *statics);
    size_t all = 0, used = 0;
    for (uint32_t i = 1; i < graph->roots.count; i++)
        if (graph->roots.at[i].kind == MP_ROOT_STATIC)
            statics[all++] = i;
    qsort_r(statics, all, sizeof *statics, by_container, (void *)(uintptr_t)graph);
    mp_static_census *census = mp_alloc_zero(all + 1, sizeof *census);
    for (size_t i = 0; i < all; i++) {
        const mp_root *root = &graph->roots.at[statics[i]];
        bool first = !used || census[used - 1].container.i != root->container.i;
        used += first;
        mp_static_census *at = &census[used - 1];
        at->container = root->container;
        at->roots++;
        if (!root->object || (!first && root->object == graph->roots.at[statics[i - 1]].object))
            continue; /* none, or two fields that hold one object */
        if (dominators->idom[root->object] == 0)
            at->retained_bytes += (int64_t)dominators->retained[root->object];
        note_largest(&at->largest, dominators, root->object);
    }
    qsort_r(census, used, sizeof *census, by_static_bytes, (void *)(uintptr_t)view->model);
    free(statics);
    *count = used;
    return census;
}
