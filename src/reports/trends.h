/* Trends of groups: columns of a table of groups, and a line and a record for all of them. */
#ifndef MP_REPORTS_TRENDS_H
#define MP_REPORTS_TRENDS_H

#include "query/trend.h"
#include "reports/sections.h"

/* Columns that mp_set_trend fills. */
/* clang-format off */
#define MP_TREND_COLUMNS                                                                           \
    {"slope_bytes_per_snapshot", "Slope", MP_BYTE_RATE, MP_FOR_PROGRAMS, 0},                          \
    {"slope_low_bytes_per_snapshot", "Low", MP_BYTE_RATE, MP_FOR_PROGRAMS, 0},                        \
    {"slope_high_bytes_per_snapshot", "High", MP_BYTE_RATE, MP_FOR_PROGRAMS, 0},                      \
    {"trend", "Trend", MP_TEXT, MP_FOR_PROGRAMS, 0},                                                  \
    {"jump_sequence", "Snapshot", MP_NUMBER, MP_FOR_PROGRAMS, 0},                                     \
    {"jump_bytes", "Jump", MP_BYTES, MP_FOR_PROGRAMS, 0}
/* clang-format on */

/* The trend of the i-th series, in the last row of a table that has MP_TREND_COLUMNS. Nothing where
 * the series is too short. */
mp_trend mp_set_trend(mp_document *document, mp_table *table, const mp_model *model,
                      const mp_series *series, size_t i);
/* "grows steadily, +1.2 KiB a snapshot (+1.0 KiB to +1.5 KiB)", "jumps once, +4.1 KiB at snapshot 2
 * (work)". Lives with the document. */
const char *mp_trend_text(mp_document *document, const mp_model *model, const mp_series *series,
                          const mp_trend *trend);
/* At most 16 columns. Lives with the document. */
const char *mp_sparkline_text(mp_document *document, const mp_series *series, size_t i);

/* The series of groups of a grouping, sorted or not: the i-th is that of shown[i]. */
mp_series mp_series_of_groups(const mp_window *window, const mp_grouping *grouping,
                              const mp_group *const *shown, size_t count);

/* The record "trend" for programs: all bytes alive. What people read of it is returned, for a line
 * above a table; NULL where the series is too short. */
const char *mp_section_trend(mp_document *document, const mp_window *window);

#endif
