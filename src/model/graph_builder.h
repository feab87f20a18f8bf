/* Construction of an object graph, for readers, in file order.
 *
 * Call mp_graph_begin first. For each domain, call mp_graph_domain, then add its objects, each
 * followed by its references. Roots may come anywhere between. At the end call mp_graph_end.
 *
 * References and roots may name objects that come later. An id is looked up in its own domain
 * first, then in the other domains, in order. */
#pragma once

#include "base/slice.h"
#include "model/graph.h"

typedef struct mp_graph_builder mp_graph_builder;

/* Start the graph of `snapshot`. End or drop it before another one is started. */
mp_graph_builder *mp_graph_begin(mp_model *model, mp_snapshot_id snapshot);
void mp_graph_domain(mp_graph_builder *builder, mp_string_id name);
/* Add an object to the current domain. If several objects have the same id, only the first is kept;
 * the others count as duplicates, and their references are dropped. Return false, and add nothing,
 * if the size would overflow a sum. */
bool mp_graph_object(mp_graph_builder *builder, uint64_t id, mp_type_id type, uint64_t bytes);
/* Add a reference from the last object to `id`, or `count` references to `ids`. */
void mp_graph_reference(mp_graph_builder *builder, uint64_t id);
void mp_graph_refer(mp_graph_builder *builder, const uint64_t *ids, size_t count);
/* Add a root of the current domain. `root->object` is ignored; the id is looked up at the end. */
void mp_graph_root(mp_graph_builder *builder, const mp_root *root);
/* Resolve all ids, and make this the graph of the model, which replaces that of an earlier
 * snapshot. Return false, and drop the graph, if the number of objects or references exceeds 32
 * bits. */
bool mp_graph_end(mp_graph_builder *builder);
void mp_graph_drop(mp_graph_builder *builder);

/* Record the number of roots of each kind, because only the last graph is kept. */
void mp_model_count_roots(mp_model *model, const mp_graph *graph);

/* --- for readers that make a graph without a builder --- */

/* Make this the graph of the model, which replaces that of an earlier snapshot. Before, what later
 * analyses need to know about the earlier one is saved (mp_model.leave). The model becomes the
 * owner of the graph, and releases memory that its arrays do not use. */
void mp_model_take_graph(mp_model *model, mp_graph *graph);
/* Return the kind of roots with this name. Only one reader of a model may name kinds. */
uint32_t mp_root_kind_named(mp_model *model, mp_slice name);

/* The ledger of heap dumps: changes of the live objects of each type from dump to dump. Set
 * `model`, and zero all other members. Release with mp_type_counts_free. */
typedef struct mp_type_counts {
    mp_model *model;
    mp_snapshot_id first; /* first dump; all objects count as born there */
    struct mp_type_count *before;
    size_t count, capacity;
} mp_type_counts;

/* Enter the model's graph into the ledger, and end its snapshot, which is then whole. */
mp_snapshot *mp_type_counts_enter(mp_type_counts *counts);
void mp_type_counts_free(mp_type_counts *counts);
