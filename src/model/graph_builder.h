/* Building an object graph: what readers call, in the order of the file.
 *
 *   mp_graph_begin, then for each domain: mp_graph_domain, its objects each followed by its
 *   references, its roots anywhere among them; mp_graph_end.
 *
 * References and roots may name what comes later. They are looked for in their own domain first,
 * then in the others in order. */
#ifndef MP_MODEL_GRAPH_BUILDER_H
#define MP_MODEL_GRAPH_BUILDER_H

#include "model/graph.h"

typedef struct mp_graph_builder mp_graph_builder;

/* The graph of `snapshot`. End it or drop it before another begins. */
mp_graph_builder *mp_graph_begin(mp_model *model, mp_snapshot_id snapshot);
void mp_graph_domain(mp_graph_builder *builder, mp_string_id name);
/* An object of the current domain; of several with one id the first is kept, the others and what
 * they refer to are counted as duplicates. False, with nothing done, for a size that no sum can
 * hold. */
bool mp_graph_object(mp_graph_builder *builder, uint64_t id, mp_type_id type, uint64_t bytes);
/* The object of the last mp_graph_object refers to `id`; to so many of them. */
void mp_graph_reference(mp_graph_builder *builder, uint64_t id);
void mp_graph_refer(mp_graph_builder *builder, const uint64_t *ids, size_t count);
/* `root->object` is not read. */
void mp_graph_root(mp_graph_builder *builder, const mp_root *root);
/* Resolve all ids and make it the model's graph, in place of one of an earlier snapshot. False,
 * with nothing done, where there are more objects or references than 32 bits can number. */
bool mp_graph_end(mp_graph_builder *builder);
void mp_graph_drop(mp_graph_builder *builder);

/* Keep how many roots of each kind a graph has: the graphs of earlier snapshots are not kept. */
void mp_model_count_roots(mp_model *model, const mp_graph *graph);

/* The ledger of dumps: what is alive of each type, snapshot after snapshot, as changes.
 * Zero-initialise but for the model; release with mp_type_counts_free. */
typedef struct mp_type_counts {
    mp_model *model;
    mp_snapshot_id first; /* since when objects count as born */
    struct mp_type_count *before;
    size_t count, capacity;
} mp_type_counts;

/* Enter the model's graph at its snapshot, which is whole then. */
mp_snapshot *mp_type_counts_enter(mp_type_counts *counts);
void mp_type_counts_free(mp_type_counts *counts);

#endif
