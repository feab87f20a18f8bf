/* The references of a graph, written to the two tables of references in the database. */
#pragma once

#include "export/aqtime_writer.h"
#include "model/graph.h"

/* Data of an object in the graph's result set. */
typedef struct aq_out_link {
    int64_t row;   /* ID of the object's row in OBJECTS; 0 = it has no row */
    uint64_t id;   /* REC_ID of the object's row */
    uint32_t to;   /* number of different objects to which it refers */
    uint32_t from; /* number of different objects that refer to it */
    bool root;     /* a root that is not weak refers to it */
} aq_out_link;

/* Return the links by vertex; the caller fills in `row` and `id`. Release with free(). */
aq_out_link *aq_out_links_of(const mp_graph *graph);
/* Write the rows of both tables. All objects must have their rows already. Several references
 * between two objects become one row. */
void aq_out_references(aq_out *out, const mp_graph *graph, const aq_out_link *links);
/* Return an object's address; MP_UNKNOWN if its id is not an address. */
int64_t aq_out_address(const mp_graph *graph, uint32_t vertex);
