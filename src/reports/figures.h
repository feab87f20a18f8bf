/* Figures that reports draw of what is the model's: nothing where the document draws nothing. */
#ifndef MP_REPORTS_FIGURES_H
#define MP_REPORTS_FIGURES_H

#include "document/figure.h"
#include "query/graph_query.h"
#include "query/query.h"

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

#endif
