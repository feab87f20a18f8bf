/* Dominators by the semi-NCA algorithm, on depth-first search numbers.
 *
 * In this numbering, an ancestor in the search tree has a smaller number than its descendants,
 * objects usually refer to objects with numbers close to their own, and 0 is the virtual root.
 * Memory is the limiting factor, so arrays are reused: see struct searched. */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "query/graph_query.h"

enum {
    AHEAD = 16,  /* number of references to prefetch ahead */
    CHEAPER = 4, /* cost of a random memory access, in sequential accesses */
};

/* Node of a forest or of a tree. In the forest of processed objects, `best` is the smallest
 * semidominator on the path up to, but not including, `ancestor`. In the dominator tree, it has its
 * depth, and a pointer `leap` to an ancestor further up. */
typedef union node {
    struct {
        uint32_t ancestor, best;
    };
    struct {
        uint32_t depth, leap;
    };
} node;

/* What the search finds out about an object. */
typedef struct visit {
    uint32_t number; /* its number in the search; 0: not reached */
    uint32_t predecessors;
} visit;

typedef struct searched {
    const mp_graph *graph;
    visit *visits;    /* of each object */
    uint32_t *object; /* object of each number */
    uint32_t *parent; /* parent in the search tree, later the immediate dominator; both by number */
    /* Indexed by number: first the next reference to search, then the start of the predecessors,
     * then the semidominator. */
    uint32_t *start;
    uint32_t *predecessors; /* predecessors, by number */
    node *nodes;
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
    job->parent[number] = parent;
    job->start[number] = from;
    ask_for(job, from, to - from > AHEAD ? from + AHEAD : to);
    return number;
}

static void search_from(searched *job, uint32_t root)
{
    const mp_graph *graph = job->graph;
    uint32_t index = enter(job, root, 0);
    while (index) {
        uint32_t next = job->start[index], end = graph->first[job->object[index] + 1];
        bool found = false;
        while (next < end && !found) {
            if (end - next > AHEAD)
                __builtin_prefetch(&job->visits[graph->targets[next + AHEAD]], 1);
            visit *target = &job->visits[graph->targets[next++]];
            target->predecessors++;
            found = !target->number;
        }
        job->start[index] = next;
        index = found ? enter(job, graph->targets[next - 1], index) : job->parent[index];
    }
}

static void search(searched *job)
{
    const mp_graph *graph = job->graph;
    size_t size = (size_t)graph->count + 2;
    job->visits = mp_alloc_zero(size, sizeof *job->visits);
    job->object = mp_alloc_zero(size, sizeof *job->object);
    job->parent = mp_alloc_zero(size, sizeof *job->parent);
    job->start = mp_alloc_zero(size, sizeof *job->start);
    for (uint32_t i = 1; i < graph->roots.count; i++)
        if (mp_root_is_strong(&graph->roots.items[i]) &&
            !job->visits[graph->roots.items[i].object].number)
            search_from(job, graph->roots.items[i].object);
}

/* --- predecessors --- */

/* Store the predecessors of each object, from the end of its range. */
static void store_predecessors(searched *job)
{
    const mp_graph *graph = job->graph;
    const visit *visits = job->visits;
    uint32_t total = mp_graph_references(graph);
    for (uint32_t object = 1; object <= graph->count; object++) {
        uint32_t from = visits[object].number, end = graph->first[object + 1];
        for (uint32_t i = graph->first[object]; from && i < end; i++) {
            if (total - i > 2 * AHEAD) {
                __builtin_prefetch(&visits[graph->targets[i + 2 * AHEAD]], 0);
                __builtin_prefetch(&job->start[visits[graph->targets[i + AHEAD]].number], 1);
            }
            job->predecessors[--job->start[visits[graph->targets[i]].number]] = from;
        }
    }
}

static void find_predecessors(searched *job)
{
    uint32_t sum = 0;
    for (uint32_t i = 1; i <= job->reached; i++) {
        if (job->reached - i > AHEAD)
            __builtin_prefetch(&job->visits[job->object[i + AHEAD]], 0);
        /* end of the range; storing moves it back to the start */
        job->start[i] = sum += job->visits[job->object[i]].predecessors;
    }
    job->start[job->reached + 1] = sum;
    job->predecessors = mp_alloc(((size_t)sum + 1) * sizeof *job->predecessors);
    store_predecessors(job);
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

/* Make the nodes, and free `visits`, so that the two never exist together. */
static void begin_nodes(searched *job)
{
    const mp_graph *graph = job->graph;
    uint32_t *rooted = mp_alloc(graph->roots.count * sizeof *rooted), count = 0;
    for (uint32_t i = 1; i < graph->roots.count; i++)
        if (mp_root_is_strong(&graph->roots.items[i]))
            rooted[count++] = job->visits[graph->roots.items[i].object].number;
    free(job->visits);
    job->nodes = mp_alloc(((size_t)job->reached + 1) * sizeof *job->nodes);
    for (uint32_t i = 0; i <= job->reached; i++)
        job->nodes[i] = (node){.ancestor = job->parent[i], .best = i};
    while (count) /* objects that the virtual root refers to */
        job->nodes[rooted[--count]].best = 0;
    free(rooted);
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
        uint32_t start = job->start[number];
        uint32_t semi = nodes[number].best < job->parent[number] ? 0 : job->parent[number];
        for (uint32_t i = end; i-- > start;) {
            uint32_t from = job->predecessors[i];
            if (i >= AHEAD)
                __builtin_prefetch(&nodes[job->predecessors[i - AHEAD]], 1);
            uint32_t best = from <= number ? from : best_above(nodes, from, number, &steps);
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
 * for the next free place below each node. */
static void put_in_order(searched *job, mp_dominators *result)
{
    size_t size = (size_t)job->reached + 2;
    uint32_t *next = job->start, *span = (uint32_t *)job->nodes;
    const uint32_t *above = job->parent;
    for (uint32_t i = 0; i <= job->reached; i++)
        span[i] = 1;
    for (uint32_t i = job->reached; i; i--)
        span[above[i]] += span[i];
    result->order = mp_alloc(size * sizeof *result->order);
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
    result->idom = mp_alloc(((size_t)count + 1) * sizeof *result->idom);
    for (uint32_t i = 1; i <= count; i++)
        result->idom[i] = MP_NOT_REACHED;
    result->idom[0] = 0;
    for (uint32_t i = 1; i <= job->reached; i++)
        result->idom[job->object[i]] = job->object[job->parent[i]];
}

static void sum_up(const mp_graph *graph, mp_dominators *result)
{
    result->retained = mp_alloc_zero((size_t)graph->count + 1, sizeof *result->retained);
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
    begin_nodes(&job);
    find_semidominators(&job);
    free(job.predecessors);
    find_dominators(&job);

    mp_dominators result = {.reached = job.reached};
    put_in_order(&job, &result);
    free(job.nodes);
    free(job.start);
    put_by_object(&job, &result);
    free(job.parent);
    free(job.object);
    sum_up(graph, &result);
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
