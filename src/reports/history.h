/* Live bytes at every moment, so that a reader of the page can select any two of them. */
#ifndef MP_REPORTS_HISTORY_H
#define MP_REPORTS_HISTORY_H

#include "query/query.h"
#include "reports/report.h"

/* A figure for each session that has two snapshots (of many, of the first MP_FIGURED_SESSIONS of
 * them): by type and, where the recording tells stacks, by allocation site with its callers, as
 * `growth` and `leaks` count. Nothing where the document draws nothing,
 * or will be merged. */
void mp_figure_history(mp_document *document, const mp_request *request, const mp_window *window);

#endif
