/* Figures that reports add to a document. The functions add nothing if the document does not
 * draw. */
#pragma once

#include "document/figure.h"
#include "query/graph_query.h"
#include "query/query.h"
#include "query/weights.h"
#include "reports/report.h"

/* Names of the figures of the first session; those of session N end in "_N". */
#define MP_FIGURE_MEMORY "memory"
#define MP_FIGURE_GROWTH "growth"

/* Return the subject of a figure: "shop-v2.oemp", "shop-1.gclog and 2 more". It lives as long as
 * the document. */
const char *mp_figure_about(mp_document *document, const mp_model *model);

/* Add a figure of live bytes and of the platform's own memory at the snapshots of each session,
 * with tags, requests, the peak and the window. It has at most MP_FIGURED_SESSIONS sessions. */
enum { MP_FIGURED_SESSIONS = 12 };
void mp_figure_memory(mp_document *document, const mp_window *window);
/* Return the name of a session's memory figure; NULL if it has none. It lives as long as the
 * document. */
const char *mp_figure_memory_name(mp_document *document, const mp_window *window, uint32_t session);

/* Add a figure of live bytes in the window of one session. Below it are the changes since the start
 * of the window, for the groups that changed most and for all other groups together. Groups of a
 * dimension of frames overlap, so for them there is no line for the other groups. */
void mp_figure_growth(mp_document *document, const mp_window *window, uint32_t session,
                      const mp_grouping *grouping, const char *dimension);

/* Add a treemap of live bytes: by source and type; for dumps, by namespace and type. */
void mp_figure_alive(mp_document *document, const mp_window *window);
void mp_figure_alive_in_graph(mp_document *document, const mp_model *model, mp_graph_view *view);

/* --- live objects at every snapshot --- */

/* Add a figure for each session with at least two snapshots (at most MP_FIGURED_SESSIONS sessions).
 * It shows types and, if the recording has stacks, allocation sites with their callers. Its figures
 * agree with `growth` and `leaks`. Nothing is added if the answer will be merged. */
void mp_figure_history(mp_document *document, const mp_request *request, const mp_window *window);

/* --- weighted stacks --- */

/* Add a figure of the first column of the weights; if there is a second one, of the difference to
 * it. Frames with the same label and the same caller are one place, even if they were called from
 * different lines. `name` must be static; the caller sets the title. */
mp_figure *mp_stack_figure(mp_document *document, const mp_weights *weights, const char *name);

/* --- bounds of figures of stacks --- */

typedef struct mp_stack_bounds {
    int64_t limit;      /* maximum number of places, of which the largest are shown; 0 = all */
    int64_t depth;      /* maximum levels below place 0; 0 = all */
    double min_percent; /* minimum share of the total */
} mp_stack_bounds;

/* Return a flag for each place: true if it is shown; its ancestors are then shown too. Set `fit` to
 * the number of places that would be shown without the limit, not counting place 0. Release with
 * free(). */
bool *mp_stacks_shown(const mp_tree_figure *tree, const mp_stack_bounds *bounds, size_t *fit);

/* Remove the places that are not shown. Below each caller, one place represents those that were
 * removed; the note of the figure has their number. Sums do not change. */
void mp_stacks_prune(mp_document *document, mp_figure *figure, const mp_stack_bounds *bounds);
