// What holds what in a heap, found without cleverness: who is no longer reached without an object?
#ifndef GENERATOR_RPM_GRAPH_H
#define GENERATOR_RPM_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

enum {
    GRAPH_MOST_OBJECTS = 2000, // for which dominators are looked for
};

// Objects by number; how to enumerate what they refer to.
typedef struct GraphView {
    const void *plan;
    int64_t count;
    bool (*is_strong_root)(const void *plan, int64_t object);
    int64_t (*size)(const void *plan, int64_t object);
    int64_t (*reference_count)(const void *plan, int64_t object);
    int64_t (*reference)(const void *plan, int64_t object, int64_t number); // below 0: none
} GraphView;

typedef struct Graph {
    unsigned char *reached;
    int64_t *retained; // NULL for too many objects
    int *dominators;   // -1: below the virtual root
    int *depths;       // how many dominate it
} Graph;

// False: out of memory; to be freed in either case.
bool graph_init(Graph *graph, const GraphView *view);
void graph_free(Graph *graph);

#endif
