/* Figures that reports draw of what is the model's: nothing where the document draws nothing. */
#ifndef MP_REPORTS_FIGURES_H
#define MP_REPORTS_FIGURES_H

#include "document/figure.h"
#include "query/graph_query.h"
#include "query/query.h"
#include "query/weights.h"
#include "reports/report.h"

/* The first session's figures have these names, those of the n-th end in "_n". */
#define MP_FIGURE_MEMORY "memory"
#define MP_FIGURE_GROWTH "growth"

/* "shop-v2.oemp", "shop-1.gclog and 2 more": what a figure is about. Lives with the document. */
const char *mp_figure_about(mp_document *document, const mp_model *model);

/* Add a figure of live bytes and the platform's own memory at the snapshots of each session (the
 * first MP_FIGURED_SESSIONS of many), with tags, requests, the peak and the window. */
enum { MP_FIGURED_SESSIONS = 12 };
void mp_figure_memory(mp_document *document, const mp_window *window);
/* The name of the one of them that is a session's; NULL: none is. Lives with the document. */
const char *mp_figure_memory_name(mp_document *document, const mp_window *window, uint32_t session);

/* The same of the window alone and of one session, below how much the groups that changed most have
 * changed since its start, and all others together. Groups of a dimension of frames overlap: then
 * there are no others. */
void mp_figure_growth(mp_document *document, const mp_window *window, uint32_t session,
                      const mp_grouping *grouping, const char *dimension);

/* Areas of what is alive: by source and type, of dumps by namespace and type. */
void mp_figure_alive(mp_document *document, const mp_window *window);
void mp_figure_alive_in_graph(mp_document *document, const mp_model *model, mp_graph_view *view);

/* --- what was alive at every moment --- */

/* A figure for each session that has two snapshots (of many, of the first MP_FIGURED_SESSIONS of
 * them): by type and, where the recording tells stacks, by allocation site with its callers, as
 * `growth` and `leaks` count. Nothing where the document draws nothing,
 * or will be merged. */
void mp_figure_history(mp_document *document, const mp_request *request, const mp_window *window);

/* --- weighted stacks --- */

/* Add a figure of one column of the weights; of a difference, against another one (`base` is then
 * not `column`). Frames of one label below one caller are one place, wherever that calls them from.
 * `name` is static; the title is the caller's to set. */
mp_figure *mp_stack_figure(mp_document *document, const mp_weights *weights, size_t column,
                           size_t base, const char *name);

/* --- how much of a figure of stacks is shown --- */

typedef struct mp_stack_bounds {
    int64_t limit;      /* places, the largest; 0: all */
    int64_t depth;      /* levels below place 0; 0: all */
    double min_percent; /* minimum share of the whole */
} mp_stack_bounds;

/* Return, for each place, whether it is shown; its ancestors are shown too. `fit`: number of
 * places that would be shown without the limit, excluding place 0. Release with free(). */
bool *mp_stacks_shown(const mp_tree_figure *tree, const mp_stack_bounds *bounds, size_t *fit);

/* Leave out what is not shown: below each caller one place stands for it, and the figure's note
 * says so. Sums stay. */
void mp_stacks_prune(mp_document *document, mp_figure *figure, const mp_stack_bounds *bounds);

#endif
