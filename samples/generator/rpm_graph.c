#include "rpm_graph.h"

#include <stdlib.h>
#include <string.h>

typedef struct Walk {
    const GraphView *view;
    unsigned char *reached;
    uint32_t *stack;
    size_t used;
} Walk;

static void visit(Walk *walk, int64_t object, int64_t without)
{
    if (object >= 0 && object != without && !walk->reached[object]) {
        walk->reached[object] = 1;
        walk->stack[walk->used++] = (uint32_t)object;
    }
}

// Marks what is reached from the roots if object `without` is not there.
static void walk_all(Walk *walk, int64_t without)
{
    const GraphView *view = walk->view;
    memset(walk->reached, 0, (size_t)view->count);
    for (int64_t i = 0; i < view->count; i++) {
        if (view->is_strong_root(view->plan, i)) {
            visit(walk, i, without);
        }
    }
    while (walk->used) {
        int64_t object = walk->stack[--walk->used];
        int64_t count = view->reference_count(view->plan, object);
        for (int64_t i = 0; i < count; i++) {
            visit(walk, view->reference(view->plan, object, i), without);
        }
    }
}

// An object dominates what is reached with it and not without it. The nearest dominator is the one
// that is itself dominated by most.
static bool find_dominators(Graph *graph, Walk *walk)
{
    const GraphView *view = walk->view;
    size_t count = (size_t)view->count;
    unsigned char *dominates = calloc(count, count);
    graph->retained = calloc(count, sizeof *graph->retained);
    graph->dominators = malloc(count * sizeof *graph->dominators);
    graph->depths = calloc(count, sizeof *graph->depths);
    if (!dominates || !graph->retained || !graph->dominators || !graph->depths) {
        free(dominates);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        walk_all(walk, (int64_t)i);
        for (size_t j = 0; j < count && graph->reached[i]; j++) {
            if (graph->reached[j] && !walk->reached[j]) {
                dominates[i * count + j] = i != j;
                graph->depths[j] += i != j;
                graph->retained[i] += view->size(view->plan, (int64_t)j);
            }
        }
    }
    for (size_t j = 0; j < count; j++) {
        graph->dominators[j] = -1;
        for (size_t i = 0; i < count; i++) {
            int best = graph->dominators[j];
            if (dominates[i * count + j] && (best < 0 || graph->depths[i] > graph->depths[best])) {
                graph->dominators[j] = (int)i;
            }
        }
    }
    free(dominates);
    return true;
}

bool graph_init(Graph *graph, const GraphView *view)
{
    *graph = (Graph){0};
    Walk walk = {.view = view};
    graph->reached = malloc((size_t)view->count);
    walk.reached = graph->reached;
    walk.stack = malloc((size_t)view->count * sizeof *walk.stack);
    bool done = graph->reached && walk.stack;
    if (done) {
        walk_all(&walk, -1);
    }
    if (done && view->count <= GRAPH_MOST_OBJECTS) {
        walk.reached = malloc((size_t)view->count);
        done = walk.reached && find_dominators(graph, &walk);
        free(walk.reached);
    }
    free(walk.stack);
    return done;
}

void graph_free(Graph *graph)
{
    free(graph->reached);
    free(graph->retained);
    free(graph->dominators);
    free(graph->depths);
}
