/* Trends: does a series of snapshots grow steadily, or did it jump once?
 *
 * Sources: H. Theil, "A rank-invariant method of linear and polynomial regression analysis", 1950;
 * P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau", 1968, with its
 * confidence interval and correction for ties. */
#ifndef MEMPROF_TREND_H
#define MEMPROF_TREND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memprof/analysis.h"

typedef enum mp_trend_kind {
    MP_TREND_TOO_SHORT, /* fewer than four values: nothing can be said */
    MP_TREND_FLAT,      /* all values are equal, or neither grows nor shrinks for certain */
    MP_TREND_GROWS,     /* steadily: the whole interval of the slope is above 0 */
    MP_TREND_SHRINKS,   /* steadily */
    MP_TREND_JUMP,      /* up once; without that step it does not grow for certain */
    MP_TREND_DROP,      /* down once, likewise */
} mp_trend_kind;

typedef struct mp_trend {
    mp_trend_kind kind;
    double slope;     /* Theil-Sen, units of the values a snapshot */
    double low, high; /* 95 % interval of the slope */
    size_t step;      /* of a jump or drop: the place of the first value behind it, from 0 */
    int64_t step_size;
} mp_trend;

/* Of more than 1,000 values an even choice of them is looked at. */
mp_trend mp_trend_of(const int64_t *values, size_t count);
/* "grows steadily", "jumps once"; static. */
const char *mp_trend_words(mp_trend_kind kind);

/* One character of U+2581 to U+2588 for each of at most `width` columns, lowest value lowest.
 * Returns as snprintf does. */
int mp_sparkline(const int64_t *values, size_t count, size_t width, char *text, size_t size);

/* Bytes alive at each whole snapshot of the window (from and to included), one series for each
 * group: series i is at[i * length]. Of several sessions, those of the first. `group_of` as in
 * mp_grouping, `groups` of them; cohorts with 0 are left out. Release with free(result.at). */
typedef struct mp_series {
    int64_t *at;
    size_t length;
    uint32_t *marks; /* the snapshot of each place */
} mp_series;
mp_series mp_series_of(const mp_window *window, const uint32_t *group_of, uint32_t groups);
void mp_series_free(mp_series *series);

#endif
