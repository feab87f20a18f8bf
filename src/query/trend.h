/* Trends: a series of snapshots can grow steadily, shrink, jump once or stay level.
 *
 * Sources: H. Theil, "A rank-invariant method of linear and polynomial regression analysis", 1950;
 * P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau", 1968, with its
 * confidence interval and correction for ties; S. Yue, C. Wang, "The Mann-Kendall test modified by
 * effective sample size to detect trend in serially correlated hydrological series", 2004. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "query/group.h"

enum {
    MP_TREND_FEWEST = 4, /* minimum number of values for a trend */
    MP_TREND_STEPS = 2,  /* maximum number of steps in a trend */
};

typedef enum mp_trend_kind {
    MP_TREND_TOO_SHORT, /* fewer than MP_TREND_FEWEST values */
    MP_TREND_FLAT,      /* all values are equal, or neither growth nor shrinking is certain */
    MP_TREND_GROWS,     /* grows steadily: the interval of the slope is entirely above 0 */
    MP_TREND_SHRINKS,   /* shrinks steadily: the interval of the slope is entirely below 0 */
    MP_TREND_JUMP,      /* one step up; without it, the series is flat */
    MP_TREND_DROP,      /* one step down; without it, the series is flat */
} mp_trend_kind;

typedef struct mp_step {
    size_t place; /* index of the first value after the step, from 1; 0: no step */
    int64_t size; /* height of the step; negative: down */
} mp_step;

typedef struct mp_trend {
    mp_trend_kind kind;
    double slope; /* Theil-Sen slope: median of the slopes between all pairs, per place */
    double lower; /* the lower of the two middle slopes if the number of slopes is even; otherwise
                     equal to `slope` */
    double low, high; /* 95 % interval of the slope; low <= slope <= high */
    /* Steps that are far larger than the range of the values before and after them, the largest
     * first. Kind and slopes are computed without them. */
    mp_step steps[MP_TREND_STEPS];
} mp_trend;

/* Return the trend of values that are one place (snapshot) apart. The slope of more than 1,000
 * values is that of 1,000 evenly chosen ones, including the first and the last; steps are searched
 * among all values.
 *
 * The largest step is removed if it is more than twice the range of the values before it and of
 * those after it: the values after it are shifted to the level of those before it, and the rest is
 * judged. If the rest grows or shrinks, that is the trend, whatever the direction of the step;
 * otherwise the series is a jump or a drop. So memory that is freed once does not hide a leak. If
 * only three values remain, they must have the same trend as all four. If no steady trend is found,
 * the two largest steps in one direction are removed together in the same way, if the rest then
 * certainly goes in the other direction.
 *
 * A series that rises at every place grows, as does a staircase. A peak, a sawtooth and noise are
 * flat.
 *
 * The interval is Sen's. N is the number of slopes, and C is the 97.5 % quantile of the normal
 * distribution times the standard deviation of Kendall's S. The interval reaches from the (N - C) /
 * 2-th smallest slope to the (N - C) / 2-th largest. The variance is corrected for ties and for the
 * correlation of neighbours (factor n / n* of a first-order autoregression of the residuals, at
 * least 1). Ranks are rounded, and at least 1. Values are exact up to 2^53. */
mp_trend mp_trend_of(const int64_t *values, size_t count);
/* Return the slope of mp_trend_of as a whole number: the lower middle slope, rounded up, so that it
 * exceeds a whole number exactly if the slope does. At least two values are needed; if there are
 * too few for a trend, steps are not removed. If there are more than 128 values, 128 of them are
 * chosen evenly. */
int64_t mp_trend_whole_slope(const int64_t *values, size_t count);
/* Return the words for a kind, such as "grows steadily" or "jumps once"; static. */
const char *mp_trend_words(mp_trend_kind kind);

/* Series of live bytes at each complete snapshot of the window, including `from` and `to`. Row i
 * begins at items[i * length], and has the snapshots of one session. For session 0, each row has
 * the snapshots of all sessions, one session after another: session s has the places first[s] to
 * first[s + 1] - 1. */
typedef struct mp_series {
    int64_t *items;
    int64_t *leaking; /* like `items`, for leaking bytes; NULL: no verdict */
    size_t length;
    uint32_t *snapshots; /* snapshot of each place */
    size_t *first;
    uint32_t sessions; /* number of sessions, including session 0 */
} mp_series;

/* Return the series of groups. `row_of` maps the number of each group, from 1, to its row, from 1
 * to `rows`; 0: the group is left out. row_of[0] must be 0. Needs one pass over the ledger. Release
 * with mp_series_free. */
mp_series mp_series_of(const mp_window *window, uint32_t session, const mp_grouping *grouping,
                       const uint32_t *row_of, uint32_t rows);
/* Like mp_series_of, without accepted leaks. */
mp_series mp_series_held(const mp_window *window, uint32_t session, const mp_grouping *grouping,
                         const uint32_t *row_of, uint32_t rows);
/* Return the series of all live bytes, as recorded in the snapshots, in one row. */
mp_series mp_series_of_all(const mp_window *window, uint32_t session);
/* Return the series of a session's platform memory. `row_of` has the row of each area by platform
 * id, from 1; 0: the area is left out. If `row_of` is NULL, one row has the sum of all areas. */
mp_series mp_series_of_platform(const mp_window *window, uint32_t session, const uint32_t *row_of,
                                uint32_t rows);
/* Return the number of rows whose series are computed at once, in less than 32 MiB. */
uint32_t mp_series_batch(const mp_window *window);
void mp_series_free(mp_series *series);

/* A row of a series in one session. */
typedef struct mp_course {
    mp_trend trend;
    uint32_t session; /* number of the session; 0: none */
    const int64_t *items;
    const uint32_t *snapshots;
    size_t length;
} mp_course;

/* Return the trend of a row in a session. If some of its objects leak according to the verdict,
 * this is the trend of the leaking objects. If no object leaks, a rising series counts as flat,
 * because its objects fill a cache, replace each other or are in use. Without a verdict, only the
 * values count. */
mp_trend mp_series_trend(const mp_series *series, size_t row, uint32_t session);

/* Return the course of a row in its worst session, the first if several are equally bad. (Sums over
 * sessions would have no meaning.) Steady growth is worst, the steepest first; jumps come next, by
 * size. The course lives as long as the series. */
mp_course mp_series_worst(const mp_series *series, size_t row);
