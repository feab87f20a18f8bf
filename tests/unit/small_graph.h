/* Small object graphs. Add objects and references in any order, then call a function that makes the
 * rows. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "model/graph.h"
#include "model/graph_builder.h"

typedef struct edge {
    uint32_t from, to;
} edge;

/* Return a graph of objects 1 to `count`. The id of an object is its number. Each object has
 * `bytes` bytes; if that is 0, its number of bytes is its number. */
static mp_graph *graph_of(uint32_t count, const edge *edges, size_t edge_count, uint64_t bytes)
{
    mp_graph *graph = calloc(1, sizeof *graph);
    size_t size = (size_t)count + 2;
    graph->count = count;
    graph->ids = calloc(size, sizeof *graph->ids);
    graph->sizes = calloc(size, sizeof *graph->sizes);
    graph->types = calloc(size, sizeof *graph->types);
    graph->first = calloc(size + 1, sizeof *graph->first);
    graph->targets = calloc(edge_count + 1, sizeof *graph->targets);
    for (uint32_t i = 1; i <= count; i++) {
        graph->ids[i] = i;
        graph->sizes[i] = bytes ? bytes : i;
    }
    for (size_t i = 0; i < edge_count; i++)
        graph->first[edges[i].from + 1]++;
    for (uint32_t i = 1; i <= count + 1; i++)
        graph->first[i] += graph->first[i - 1];
    uint32_t *next = calloc(size, sizeof *next);
    memcpy(next, graph->first, size * sizeof *next);
    for (size_t i = 0; i < edge_count; i++)
        graph->targets[next[edges[i].from]++] = edges[i].to;
    free(next);
    (void)MP_ADD(&graph->roots);
    (void)MP_ADD(&graph->domains);
    return graph;
}

static inline mp_root *graph_root(mp_graph *graph, uint32_t object, uint32_t kind, uint32_t flags)
{
    mp_root *root = MP_ADD(&graph->roots);
    *root = (mp_root){.object = object, .kind = kind, .flags = flags, .id = object};
    return root;
}
