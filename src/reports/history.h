/* What was alive at every moment, so that whoever looks at an answer may pick two of them. */
#ifndef MP_REPORTS_HISTORY_H
#define MP_REPORTS_HISTORY_H

#include "query/query.h"
#include "reports/report.h"

/* By type and, where the recording tells stacks, by allocation site with its callers: as `growth`
 * counts. Nothing where the document draws nothing, or where not one session alone has two
 * snapshots. */
void mp_figure_history(mp_document *document, const mp_request *request, const mp_window *window);

#endif
