/* The references of a graph, as both tables of a database tell them. */
#ifndef MP_EXPORT_AQTIME_REFERENCES_H
#define MP_EXPORT_AQTIME_REFERENCES_H

#include "export/aqtime_writer.h"
#include "model/graph.h"

/* Columns of the graph's set that are added to each object. */
typedef struct aq_out_link {
    int64_t row;   /* ID of its row in OBJECTS; 0: it has none */
    uint64_t id;   /* its REC_ID */
    uint32_t to;   /* different objects that it refers to */
    uint32_t from; /* different objects that refer to it */
    bool root;     /* a root that is not weak */
} aq_out_link;

/* By vertex; rows and ids are the caller's to fill in. Release with free(). */
aq_out_link *aq_out_links_of(const mp_graph *graph);
/* The rows of both tables, once all objects have theirs: a pair of objects is one row. */
void aq_out_references(aq_out *out, const mp_graph *graph, const aq_out_link *links);
/* An object's address; MP_UNKNOWN where its id is none. */
int64_t aq_out_address(const mp_graph *graph, uint32_t vertex);

#endif
