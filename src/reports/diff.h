/* Declarations shared by the parts of a diff. */
#pragma once

#include "compare/digest.h"
#include "reports/graph_sections.h"

/* A node of the dominator tree, in an array indexed by frame. */
typedef struct mp_diff_node {
    uint32_t depth; /* number of types on its path, from 1 */
    uint32_t outer; /* frame at which the outer end of the shown path begins, if the path is long */
    bool is_wanted; /* the name by which its dominator holds it was collected */
} mp_diff_node;

/* Orders of rows: the worst change first, or the largest change in either direction. */
typedef enum mp_diff_order {
    MP_DIFF_WORSE,
    MP_DIFF_SIZE, /* bytes, or microseconds of a profile */
    MP_DIFF_OBJECTS,
    MP_DIFF_CALLS,
    MP_DIFF_INCLUSIVE, /* bytes including scoped objects */
} mp_diff_order;

typedef struct mp_diff {
    const mp_dictionary *dictionary;
    unsigned holds; /* capabilities of the new side: MP_HOLDS_... */
    unsigned has;   /* facts that are known for both sides: MP_HAS_... */
    mp_level level;
    const char *by; /* name of the level */
    mp_diff_order order;
    mp_differences differences;
    /* Nodes of MP_LEVEL_DOMINATOR, up to the highest frame in `differences`; element 0 is
     * unused. */
    mp_diff_node *nodes;
    /* For names of references: the graph of the new side, and its digest. NULL: they are not
     * known. */
    mp_graph_view *view;
    const mp_digest *named;
} mp_diff;

/* Arguments of a diff. */
typedef struct mp_diff_arguments {
    const char *from, *to;        /* NULL = the default window */
    const char *by;               /* NULL = "site"; "type" for dumps; "line" for profiles */
    const char *sort;             /* NULL = the worst change first, then the largest */
    const char *status;           /* statuses of rows, such as "new,grown"; NULL = all changes */
    int64_t limit;                /* maximum rows; 0 = all */
    int64_t stack_depth;          /* callers per stack, for programs */
    int64_t min_bytes, min_count; /* minimum change of a row */
    mp_ceiling min_change;
    bool ignore_lines;
    mp_argument_texts substitutions;
} mp_diff_arguments;

/* Return the level that `by` names, for recordings with these capabilities (MP_HOLDS_...). If no
 * list has this name, return MP_LEVEL_GROUP: objects are then grouped. */
mp_level mp_level_asked(unsigned holds, const char *by);

/* Return the amounts; those that `has` (MP_HAS_...) does not include are MP_UNKNOWN. */
mp_amounts mp_amounts_known(const mp_amounts *amounts, unsigned has);

/* Return true if a change from `before`, in bytes or microseconds, is at least as large as
 * requested. */
bool mp_change_counts(const mp_diff_arguments *asked, int64_t change, int64_t before);
/* Return true if any change of the entry is at least as large as requested. */
bool mp_difference_counts(const mp_diff_arguments *asked, const mp_diff *diff,
                          const mp_difference *difference);
/* Return the text of an entry: "OOABL Obj shop.OrderEvent at placeOrder shop.OrderService:155". It
 * lives as long as the document. */
const char *mp_difference_text(mp_document *document, const mp_diff *diff,
                               const mp_difference *difference);

/* Add the inputs of both sides, and their totals side by side. */
void mp_section_sides(mp_document *document, const mp_digest *base, const mp_digest *now);
/* Return true if both recordings are of one kind and have the same facts; otherwise return false
 * with an error. */
bool mp_can_compare(const mp_digest *base, const mp_digest *now, mp_error *error);

/* Say in words if `now` is worse than the base, and by how much. */
void mp_diff_say(mp_document *document, const mp_diff *diff, const mp_digest *base,
                 const mp_digest *now, const mp_diff_arguments *asked);
/* Say the summary of `memprof diff` with default arguments, about `now` and the request's base.
 * `target` is the value of --to, or NULL. */
void mp_diff_say_usual(mp_document *document, const mp_request *request, const mp_digest *now,
                       const char *target);

/* Return the text that names the holder of the growth between two dumps. The search follows the
 * growth from the outermost node of the dominator tree inwards, and stops at the first node that
 * has more objects than before: the node above it holds them. Return NULL if nothing grew. The text
 * lives as long as the document. */
const char *mp_diff_holder_text(mp_document *document, const mp_diff *diff, const mp_digest *base,
                                const mp_digest *now);

/* Collect the references whose names the table shows, before names are read. */
void mp_differences_want(const mp_diff *diff, const mp_diff_arguments *asked);
/* Add the table "diff": the changes that are as large as requested. */
void mp_section_differences(mp_document *document, const mp_diff *diff,
                            const mp_diff_arguments *asked);

/* Return the table "diff" for nodes of dominator trees (mp_node_table), or add a row to it
 * (mp_put_node). */
mp_table *mp_node_table(mp_document *document);
void mp_put_node(mp_document *document, mp_table *table, const mp_diff *diff,
                 const mp_difference *difference);
/* Collect the references whose names the row of a node shows. */
void mp_want_node(const mp_diff *diff, const mp_difference *difference);
/* Return the depth and the outer frame of each node in the differences. Long paths are then walked
 * only once. Release with free(). */
mp_diff_node *mp_diff_nodes_of(const mp_diff *diff);
