/* Declarations shared by the parts of a diff. */
#ifndef MP_REPORTS_DIFF_H
#define MP_REPORTS_DIFF_H

#include "compare/digest.h"
#include "reports/sections.h"

/* A node of the dominator tree, by its frame. */
typedef struct mp_diff_node {
    uint32_t depth; /* depth of its path, from 1 */
    uint32_t outer; /* frame at which the outer end of a long path begins */
} mp_diff_node;

/* The orders of rows: what got worse first, or by the size of a change whatever its direction. */
typedef enum mp_diff_order {
    MP_DIFF_WORSE,
    MP_DIFF_SIZE, /* bytes, or microseconds of a profile */
    MP_DIFF_OBJECTS,
    MP_DIFF_CALLS,
    MP_DIFF_INCLUSIVE, /* bytes with what is scoped to it */
} mp_diff_order;

typedef struct mp_diff {
    const mp_dictionary *dictionary;
    unsigned holds; /* capabilities of the new side: MP_HOLDS_... */
    unsigned has;   /* facts that both sides know: MP_HAS_... */
    mp_level level;
    const char *by; /* name of the level */
    mp_diff_order order;
    mp_differences differences;
    mp_diff_node *nodes; /* nodes of MP_LEVEL_DOMINATOR, from 1 to the last of `differences` */
} mp_diff;

/* Arguments of a diff. */
typedef struct mp_diff_arguments {
    const char *from, *to;        /* NULL: the usual window */
    const char *by;               /* NULL: by sites, of dumps types, of profiles lines */
    const char *sort;             /* NULL: what got worse first, the largest change first */
    const char *status;           /* statuses of rows, as "new,grown"; NULL: all changes */
    int64_t limit;                /* rows; 0: all */
    int64_t stack_depth;          /* callers of a stack, for programs */
    int64_t min_bytes, min_count; /* minimum of a change */
    mp_ceiling min_change;
    bool ignore_lines;
    mp_argument_texts substitutions;
} mp_diff_arguments;

/* The list that entries are compared by if the user says so; MP_LEVEL_GROUP: recordings that
 * hold this have no list of this name. */
mp_level mp_level_asked(unsigned holds, const char *by);

/* The amounts, with MP_UNKNOWN in place of those that are not known. */
mp_amounts mp_amounts_known(const mp_amounts *amounts, unsigned has);

/* Return true if a change of bytes or microseconds from `before` is at least as large as
 * requested. */
bool mp_change_counts(const mp_diff_arguments *asked, int64_t change, int64_t before);
/* The same of all that changed of something. */
bool mp_difference_counts(const mp_diff_arguments *asked, const mp_diff *diff,
                          const mp_difference *difference);
/* "OOABL Obj shop.OrderEvent at placeOrder shop.OrderService:155"; lives with the document. */
const char *mp_difference_text(mp_document *document, const mp_diff *diff,
                               const mp_difference *difference);

/* Who is compared with whom, and the totals of both, side by side. */
void mp_section_sides(mp_document *document, const mp_digest *base, const mp_digest *now);
/* Return true if both recordings are of one kind and have the same facts. False with a message. */
bool mp_can_compare(const mp_digest *base, const mp_digest *now, mp_error *error);

/* The answer in words: whether `now` is worse than the base, and by what. */
void mp_diff_say(mp_document *document, const mp_diff *diff, const mp_digest *base,
                 const mp_digest *now, const mp_diff_arguments *asked);
/* The same of the new recording against the request's base, as `diff` says it by itself; `target`:
 * what was asked for, or NULL. */
void mp_diff_say_usual(mp_document *document, const mp_request *request, const mp_digest *now,
                       const char *target);

/* Who holds what the dumps differ by, from the outermost node of the dominator tree inwards as long
 * as there are no more objects at it: where there are, the node above holds them. NULL: nothing
 * grew. */
const char *mp_diff_holder_text(mp_document *document, const mp_diff *diff, const mp_digest *base,
                                const mp_digest *now);

/* The table "diff": what changed, as large as is asked for. */
void mp_section_differences(mp_document *document, const mp_diff *diff,
                            const mp_diff_arguments *asked);

/* The same table where nodes of dominator trees are compared, and its rows. */
mp_table *mp_node_table(mp_document *document);
void mp_put_node(mp_document *document, mp_table *table, const mp_diff *diff,
                 const mp_difference *difference);
/* The nodes of the differences, so that no row needs a walk along a path. Release with free(). */
mp_diff_node *mp_diff_nodes_of(const mp_diff *diff);

#endif
