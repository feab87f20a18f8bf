/* Dominators by the semi-NCA algorithm, on depth-first search numbers.
 *
 * In this numbering, an ancestor in the search tree has a smaller number than its descendants,
 * objects usually refer to objects with numbers close to their own, and 0 is the virtual root. A
 * reference to a larger number comes from an ancestor, so only the smallest such number matters.
 * Only references to smaller numbers are stored as predecessors. Memory is the limiting factor, so
 * arrays are reused: see struct searched. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "query/graph_query.h"

enum {
    AHEAD = 16,  /* number of references to prefetch ahead */
    CHEAPER = 4, /* cost of a random memory access, in sequential accesses */
};

/* Node of the search tree, of a forest, or of the dominator tree. In the search tree, it has its
 * parent and the next reference to search. In the forest of processed objects, `best` is the
 * smallest semidominator on the path up to, but not including, `ancestor`; before an object is
 * processed, it is the smallest number of an object that refers to it. In the dominator tree, it
 * has its depth, and a pointer `leap` to an ancestor further up. */
typedef union node {
    struct {
        uint32_t parent, next;
    };
    struct {
        uint32_t ancestor, best;
    };
    struct {
        uint32_t depth, leap;
    };
} node;

/* What the search finds out about an object. */
typedef struct visit {
    uint32_t number;       /* its number in the search; 0: not reached */
    uint32_t predecessors; /* number of references to it from objects with larger numbers */
} visit;

typedef struct searched {
    const mp_graph *graph;
    visit *visits;    /* of each object; becomes `parent` */
    uint32_t *object; /* object of each number */
    node *nodes;      /* of each number */
    uint32_t *parent; /* parent in the search tree, later the immediate dominator; both by number */
    /* Indexed by number: first the end of the references, then the start of the predecessors, then
     * the semidominator. */
    uint32_t *start;
    uint32_t *predecessors; /* predecessors with larger numbers, by number */
    uint32_t reached;
} searched;

/* --- the search --- */

static void ask_for(const searched *job, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        uint32_t target = job->graph->targets[i];
        __builtin_prefetch(&job->visits[target], 1);
        __builtin_prefetch(&job->graph->first[target], 0);
    }
}

static uint32_t enter(searched *job, uint32_t object, uint32_t parent)
{
    uint32_t number = ++job->reached;
    uint32_t from = job->graph->first[object], to = job->graph->first[object + 1];
    job->visits[object].number = number;
    job->object[number] = object;
    job->nodes[number] = (node){.parent = parent, .next = from};
    job->start[number] = to;
    ask_for(job, from, to - from > AHEAD ? from + AHEAD : to);
    return number;
}

static void search_from(searched *job, uint32_t root)
{
    const uint32_t *targets = job->graph->targets;
    uint32_t index = enter(job, root, 0);
    while (index) {
        uint32_t next = job->nodes[index].next, end = job->start[index];
        bool found = false;
        while (next < end && !found) {
            if (end - next > AHEAD)
                __builtin_prefetch(&job->visits[targets[next + AHEAD]], 1);
            visit *target = &job->visits[targets[next++]];
            target->predecessors += target->number - 1 < index - 1; /* 0 - 1 is large */
            found = !target->number;
        }
        job->nodes[index].next = next;
        index = found ? enter(job, targets[next - 1], index) : job->nodes[index].parent;
    }
}

static void search(searched *job)
{
    const mp_graph *graph = job->graph;
    size_t size = (size_t)graph->count + 2;
    job->visits = mp_alloc_zero(size, sizeof *job->visits);
    job->object = mp_alloc(size * sizeof *job->object);
    job->nodes = mp_alloc(size * sizeof *job->nodes);
    job->start = mp_alloc(size * sizeof *job->start);
    job->object[0] = 0;
    job->nodes[0] = (node){.parent = 0};
    for (uint32_t i = 1; i < graph->roots.count; i++)
        if (mp_root_is_strong(&graph->roots.items[i]) &&
            !job->visits[graph->roots.items[i].object].number)
            search_from(job, graph->roots.items[i].object);
}

/* --- predecessors --- */

static void ask_for_later(const searched *job, const uint32_t *targets)
{
    const uint32_t later = job->visits[targets[AHEAD]].number;
    __builtin_prefetch(&job->visits[targets[2 * AHEAD]], 0);
    __builtin_prefetch(&job->start[later], 1);
    __builtin_prefetch(&job->nodes[later], 1);
}

/* Store the predecessors of each object with larger numbers, from the end of its range, and the
 * smallest predecessor. */
static void store_predecessors(searched *job)
{
    const mp_graph *graph = job->graph;
    const visit *visits = job->visits;
    uint32_t total = mp_graph_references(graph);
    for (uint32_t object = 1; object <= graph->count; object++) {
        uint32_t from = visits[object].number, end = graph->first[object + 1];
        for (uint32_t i = graph->first[object]; from && i < end; i++) {
            if (total - i > 2 * AHEAD)
                ask_for_later(job, graph->targets + i);
            uint32_t to = visits[graph->targets[i]].number;
            if (to < from)
                job->predecessors[--job->start[to]] = from;
            else if (job->nodes[to].best > from)
                job->nodes[to].best = from;
        }
    }
}

static void find_predecessors(searched *job)
{
    const mp_graph *graph = job->graph;
    uint32_t sum = 0;
    for (uint32_t i = 1; i <= job->reached; i++) {
        if (job->reached - i > AHEAD)
            __builtin_prefetch(&job->visits[job->object[i + AHEAD]], 0);
        /* end of the range; storing moves it back to the start */
        job->start[i] = sum += job->visits[job->object[i]].predecessors;
        job->nodes[i].best = job->nodes[i].parent;
    }
    job->start[job->reached + 1] = sum;
    for (uint32_t i = 1; i < graph->roots.count; i++) /* the virtual root refers to them */
        if (mp_root_is_strong(&graph->roots.items[i]))
            job->nodes[job->visits[graph->roots.items[i].object].number].best = 0;
    job->predecessors = mp_alloc(((size_t)sum + 1) * sizeof *job->predecessors);
    store_predecessors(job);
    job->parent = mp_resized(job->visits, (size_t)job->reached + 1, sizeof *job->parent);
    for (uint32_t i = 0; i <= job->reached; i++)
        job->parent[i] = job->nodes[i].parent;
}

/* --- semidominators --- */

/* Return the smallest semidominator on the path from `number` upwards through processed nodes,
 * which are those above `last`. Compress the path. Its pointers are reversed on the way up, so no
 * stack is needed. */
static uint32_t best_above(node *nodes, uint32_t number, uint32_t last, uint64_t *steps)
{
    uint32_t index = number, below = 0;
    while (nodes[index].ancestor > last) {
        uint32_t above = nodes[index].ancestor;
        ++*steps;
        nodes[index].ancestor = below;
        below = index;
        index = above;
    }
    uint32_t top = nodes[index].ancestor, best = nodes[index].best;
    while (below) {
        index = below;
        below = nodes[index].ancestor;
        nodes[index].ancestor = top;
        if (nodes[index].best > best)
            nodes[index].best = best;
        best = nodes[index].best;
    }
    return best;
}

/* Compress all paths in one sequential pass. Once paths have become long, this is cheaper than
 * compressing each one on its own. */
static void shorten(node *nodes, uint32_t reached, uint32_t last)
{
    for (uint32_t i = last + 1; i <= reached; i++) {
        node above = nodes[nodes[i].ancestor];
        if (nodes[i].ancestor <= last)
            continue;
        nodes[i].ancestor = above.ancestor;
        if (above.best < nodes[i].best)
            nodes[i].best = above.best;
    }
}

static void find_semidominators(searched *job)
{
    node *nodes = job->nodes;
    uint32_t end = job->start[job->reached + 1];
    uint64_t steps = 0;
    for (uint32_t number = job->reached; number; number--) {
        if (steps * CHEAPER > (uint64_t)(job->reached - number) + AHEAD) {
            shorten(nodes, job->reached, number);
            steps = 0;
        }
        uint32_t start = job->start[number], semi = nodes[number].best;
        for (uint32_t i = end; i-- > start;) {
            if (i >= AHEAD)
                __builtin_prefetch(&nodes[job->predecessors[i - AHEAD]], 1);
            uint32_t best = best_above(nodes, job->predecessors[i], number, &steps);
            if (best < semi)
                semi = best;
        }
        end = start;
        nodes[number].best = semi;
        job->start[number] = semi;
    }
}

/* --- the dominator tree --- */

/* Find the immediate dominators: each is the nearest ancestor that is not below the
 * semidominator. Leap pointers (Myers, "An applicative random-access stack", 1983) make long
 * searches logarithmic. */
static void find_dominators(searched *job)
{
    node *nodes = job->nodes;
    nodes[0] = (node){.depth = 0, .leap = 0};
    for (uint32_t number = 1; number <= job->reached; number++) {
        uint32_t above = job->parent[number], semi = job->start[number];
        while (above > semi)
            above = nodes[above].leap > semi ? nodes[above].leap : job->parent[above];
        job->parent[number] = above;
        assert(above < number);
        node up = nodes[above], leap = nodes[up.leap];
        bool twice = up.depth - leap.depth == leap.depth - nodes[leap.leap].depth;
        nodes[number] = (node){.depth = up.depth + 1, .leap = twice ? leap.leap : above};
    }
}

/* Store the dominator tree in preorder, with children in the order of the search. `start` is reused
 * for the next free place below each node, and `predecessors` for the order. */
static void put_in_order(searched *job, mp_dominators *result)
{
    size_t size = (size_t)job->reached + 2;
    uint32_t *next = job->start, *span = (uint32_t *)job->nodes;
    const uint32_t *above = job->parent;
    for (uint32_t i = 0; i <= job->reached; i++)
        span[i] = 1;
    for (uint32_t i = job->reached; i; i--)
        span[above[i]] += span[i];
    result->order = mp_resized(job->predecessors, size, sizeof *result->order);
    result->span = mp_alloc(size * sizeof *result->span);
    result->order[0] = 0;
    result->span[0] = span[0];
    next[0] = 1;
    for (uint32_t i = 1; i <= job->reached; i++) {
        uint32_t place = next[above[i]];
        next[above[i]] += span[i];
        next[i] = place + 1;
        result->order[place] = job->object[i];
        result->span[place] = span[i];
    }
    assert(result->span[0] == job->reached + 1);
}

static void put_by_object(const searched *job, mp_dominators *result)
{
    uint32_t count = job->graph->count;
    result->idom = mp_resized(job->start, (size_t)count + 1, sizeof *result->idom);
    for (uint32_t i = 1; i <= count; i++)
        result->idom[i] = MP_NOT_REACHED;
    result->idom[0] = 0;
    for (uint32_t i = 1; i <= job->reached; i++)
        result->idom[job->object[i]] = job->object[job->parent[i]];
}

static void sum_up(const searched *job, mp_dominators *result)
{
    const mp_graph *graph = job->graph;
    size_t size = (size_t)graph->count + 1;
    result->retained = mp_resized(job->nodes, size, sizeof *result->retained);
    memset(result->retained, 0, size * sizeof *result->retained);
    for (uint32_t i = result->reached; i; i--) {
        uint32_t object = result->order[i];
        if (i > AHEAD)
            __builtin_prefetch(&graph->sizes[result->order[i - AHEAD]], 0);
        result->retained[object] += graph->sizes[object];
        result->retained[result->idom[object]] += result->retained[object];
    }
}

mp_dominators mp_dominators_of(const mp_graph *graph)
{
    searched job = {.graph = graph};
    search(&job);
    find_predecessors(&job);
    find_semidominators(&job);
    find_dominators(&job);

    mp_dominators result = {.reached = job.reached};
    put_in_order(&job, &result);
    put_by_object(&job, &result);
    free(job.parent);
    free(job.object);
    sum_up(&job, &result);
    return result;
}

void mp_dominators_free(mp_dominators *dominators)
{
    MP_FREE(dominators->order, dominators->span, dominators->idom, dominators->retained);
    *dominators = (mp_dominators){0};
}

uint32_t mp_dominators_place(const mp_dominators *dominators, uint32_t object)
{
    uint32_t place = dominators->reached;
    while (place && dominators->order[place] != object)
        place--;
    return place;
}
