/* Trend: what is asked of many recordings, one after the other. */
#ifndef MP_REPORTS_TREND_H
#define MP_REPORTS_TREND_H

#include "compare/builds.h"
#include "reports/report.h"

extern const mp_report mp_report_trend;

/* Fill the document with what became of the sites of all builds, at least one, which are put in
 * order. False with a message in `error`. */
bool mp_trend_answer(const mp_request *request, mp_builds *builds, mp_document *document,
                     mp_error *error);

#endif
