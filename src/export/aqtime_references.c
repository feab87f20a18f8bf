#include "export/aqtime_references.h"

#include <stdlib.h>
#include <string.h>

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return MP_COMPARE(a, b);
}

/* Fill `targets` with the objects to which the object refers, sorted so that equal ones are
 * adjacent. Return the number of objects. */
static uint32_t sorted_targets(const mp_graph *graph, uint32_t object, uint32_t *targets)
{
    uint32_t count = graph->first[object + 1] - graph->first[object];
    if (count) {
        memcpy(targets, graph->targets + graph->first[object], count * sizeof *targets);
        qsort(targets, count, sizeof *targets, by_number);
    }
    return count;
}

/* Return an array with room for the targets of any object. Release with free(). */
static uint32_t *room_for_targets(const mp_graph *graph)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i <= graph->count; i++) {
        uint32_t count = graph->first[i + 1] - graph->first[i];
        most = count > most ? count : most;
    }
    return mp_alloc((most + (size_t)1) * sizeof(uint32_t));
}

aq_out_link *aq_out_links_of(const mp_graph *graph)
{
    aq_out_link *links = mp_alloc_zero((size_t)graph->count + 1, sizeof *links);
    uint32_t *targets = room_for_targets(graph);
    for (uint32_t i = 1; i <= graph->count; i++) {
        uint32_t count = sorted_targets(graph, i, targets);
        for (uint32_t j = 0; j < count; j++)
            if (j == 0 || targets[j] != targets[j - 1]) {
                links[i].to++;
                links[targets[j]].from++;
            }
    }
    for (uint32_t i = 1; i < graph->roots.count; i++)
        if (!(graph->roots.items[i].flags &
              MP_ROOT_WEAK)) /* weak roots do not keep objects alive */
            links[graph->roots.items[i].object].root = true;
    free(targets);
    return links;
}

int64_t aq_out_address(const mp_graph *graph, uint32_t vertex)
{
    return graph->hexadecimal ? (int64_t)graph->ids[vertex] : MP_UNKNOWN;
}

void aq_out_references(aq_out *out, const mp_graph *graph, const aq_out_link *links)
{
    uint32_t *targets = room_for_targets(graph);
    for (uint32_t i = 1; i <= graph->count && !out->failed; i++) {
        uint32_t count = sorted_targets(graph, i, targets), next;
        for (uint32_t j = 0; j < count; j = next) {
            for (next = j + 1; next < count && targets[next] == targets[j]; next++)
                ;
            uint32_t ends[] = {i, targets[j]};
            if (!links[ends[0]].row || !links[ends[1]].row)
                continue;
            for (int end = 0; end < 2; end++) { /* one row for each direction */
                uint32_t self = ends[end], other = ends[1 - end];
                AQ_OUT_PUT(out, end ? AQ_OUT_FROM : AQ_OUT_TO, links[self].row,
                           (int64_t)links[other].id,
                           AQ_OUT_NUMBER("COL__", (int64_t)links[other].id),
                           AQ_OUT_NUMBER("COL_COUNT", next - j),
                           AQ_OUT_NUMBER("COL_ROOT", links[other].root),
                           AQ_OUT_NUMBER("COL_SIZE", (int64_t)graph->sizes[other]),
                           AQ_OUT_NUMBER("COL_ADDRESS", aq_out_address(graph, other)));
            }
        }
    }
    free(targets);
}
