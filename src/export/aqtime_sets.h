/* The rows of a result set. */
#ifndef MP_EXPORT_AQTIME_SETS_H
#define MP_EXPORT_AQTIME_SETS_H

#include "base/index.h"
#include "base/memory.h"
#include "export/aqtime.h"
#include "export/objects.h"

/* A routine at a line: a row of META_ROUTINES. */
typedef struct aq_out_routine {
    uint32_t node; /* in model->tree; any of those with its symbol */
    uint32_t line;
    uint32_t set; /* ordinal of the last set that has it */
} aq_out_routine;

/* The stack of a context's objects: places in `frames`. */
typedef struct aq_out_stack {
    size_t first, count;
    bool known;
} aq_out_stack;

/* A class up to the set at hand. */
typedef struct aq_out_class {
    int64_t live, live_size, peak, peak_size, total, total_size;
    bool seen;
} aq_out_class;

typedef struct aq_out_sets {
    aq_out *out;
    const mp_model *model;
    const mp_live_objects *live;
    uint32_t ordinal; /* of the set at hand, from 1 */
    mp_arena scratch; /* texts of the row at hand */

    mp_id_index routine_index; /* (symbol or node, line) to routine */
    aq_out_routine *routines;  /* from 1 */
    size_t routine_count, routine_capacity;
    aq_out_stack *stacks; /* by context */
    uint32_t *frames;     /* routines, innermost first */
    size_t frame_count, frame_capacity;
    uint32_t *thread_sets; /* by string: ordinal of the last set that has the thread */
    aq_out_class *classes; /* by type */
    uint32_t next_delta;
    struct aq_out_links *links; /* NULL: no graph is to be written */
    int64_t ids[AQ_OUT_TABLES];
    int64_t objects, bytes; /* of the set at hand */
} aq_out_sets;

void aq_out_sets_open(aq_out_sets *sets, aq_out *out, const mp_live_objects *live);
void aq_out_sets_close(aq_out_sets *sets);
/* All rows of the result set of this snapshot; snapshots come in order. */
void aq_out_set(aq_out_sets *sets, mp_snapshot_id snapshot);

/* --- references: aqtime_links.c --- */

/* What the graph's set tells of each object beside the others' columns. */
typedef struct aq_out_link {
    int64_t row;   /* ID of its row in OBJECTS; 0: it has none */
    uint64_t id;   /* its REC_ID */
    uint32_t to;   /* different objects that it refers to */
    uint32_t from; /* different objects that refer to it */
    bool root;     /* a root that is not weak */
} aq_out_link;

typedef struct aq_out_links {
    const mp_graph *graph;
    aq_out_link *at; /* by vertex */
} aq_out_links;

aq_out_links *aq_out_links_new(const mp_graph *graph);
void aq_out_links_free(aq_out_links *links);
/* The rows of both tables, once all objects have theirs. */
void aq_out_references(aq_out_sets *sets);
/* Put the row with the next ID. */
int64_t aq_out_row(aq_out_sets *sets, aq_out_table table, int64_t parent, int64_t record);

#endif
