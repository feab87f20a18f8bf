/* Trend: a question about many recordings in order. */
#pragma once

#include "compare/builds.h"
#include "reports/report.h"

extern const mp_report mp_report_trend;

/* Fill the document with the course of the sites over all builds. There must be at least one build,
 * and the builds must be sorted. Return false with an error. */
bool mp_trend_answer(const mp_request *request, mp_builds *builds, mp_document *document,
                     mp_error *error);
