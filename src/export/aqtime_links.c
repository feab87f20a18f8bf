/* The references of the graph, as both of its tables tell them: a pair of objects is one row. */
#include <stdlib.h>
#include <string.h>

#include "export/aqtime_sets.h"

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* What the object refers to, equal ones beside each other; gives how many. */
static uint32_t sorted_targets(const mp_graph *graph, uint32_t object, uint32_t *targets)
{
    uint32_t count = graph->first[object + 1] - graph->first[object];
    if (count) {
        memcpy(targets, graph->targets + graph->first[object], count * sizeof *targets);
        qsort(targets, count, sizeof *targets, by_number);
    }
    return count;
}

/* Room for the targets of any object. */
static uint32_t *room_for_targets(const mp_graph *graph)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i <= graph->count; i++) {
        uint32_t count = graph->first[i + 1] - graph->first[i];
        most = count > most ? count : most;
    }
    return mp_alloc((most + (size_t)1) * sizeof(uint32_t));
}

aq_out_links *aq_out_links_new(const mp_graph *graph)
{
    aq_out_links *links = mp_alloc(sizeof *links);
    uint32_t *targets = room_for_targets(graph);
    *links = (aq_out_links){graph, mp_alloc_zero((size_t)graph->count + 1, sizeof *links->at)};
    for (uint32_t i = 1; i <= graph->count; i++) {
        uint32_t count = sorted_targets(graph, i, targets);
        for (uint32_t j = 0; j < count; j++)
            if (j == 0 || targets[j] != targets[j - 1]) {
                links->at[i].to++;
                links->at[targets[j]].from++;
            }
    }
    for (uint32_t i = 1; i < graph->roots.count; i++)
        if (!(graph->roots.at[i].flags & MP_ROOT_WEAK)) /* weak ones keep nothing alive */
            links->at[graph->roots.at[i].object].root = true;
    free(targets);
    return links;
}

void aq_out_links_free(aq_out_links *links)
{
    if (links)
        free(links->at);
    free(links);
}

/* A row of `table` at one object about the other. */
static void put_reference(aq_out_sets *sets, aq_out_table table, uint32_t own, uint32_t other,
                          int64_t count)
{
    const aq_out_link *link = &sets->links->at[other];
    const mp_graph *graph = sets->links->graph;
    aq_out_number(sets->out, table, "COL__", (int64_t)link->id);
    aq_out_number(sets->out, table, "COL_COUNT", count);
    aq_out_number(sets->out, table, "COL_ROOT", link->root);
    aq_out_number(sets->out, table, "COL_SIZE", (int64_t)graph->sizes[other]);
    if (graph->hexadecimal)
        aq_out_number(sets->out, table, "COL_ADDRESS", (int64_t)graph->ids[other]);
    aq_out_row(sets, table, sets->links->at[own].row, (int64_t)link->id);
}

void aq_out_references(aq_out_sets *sets)
{
    const mp_graph *graph = sets->links->graph;
    uint32_t *targets = room_for_targets(graph);
    for (uint32_t i = 1; i <= graph->count && !sets->out->failed; i++) {
        uint32_t count = sorted_targets(graph, i, targets), next;
        for (uint32_t j = 0; j < count; j = next) {
            for (next = j + 1; next < count && targets[next] == targets[j]; next++)
                ;
            if (!sets->links->at[i].row || !sets->links->at[targets[j]].row)
                continue;
            put_reference(sets, AQ_OUT_TO, i, targets[j], next - j);
            put_reference(sets, AQ_OUT_FROM, targets[j], i, next - j);
        }
    }
    free(targets);
}
