/* Trends: does a series of snapshots grow steadily, or did it jump once?
 *
 * Sources: H. Theil, "A rank-invariant method of linear and polynomial regression analysis", 1950;
 * P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau", 1968, with its
 * confidence interval and correction for ties; S. Yue, C. Wang, "The Mann-Kendall test modified by
 * effective sample size to detect trend in serially correlated hydrological series", 2004. */
#ifndef MP_QUERY_TREND_H
#define MP_QUERY_TREND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "query/group.h"

enum {
    MP_TREND_FEWEST = 4, /* values that a trend can be told of */
    MP_TREND_STEPS = 2,  /* that are told at most */
};

typedef enum mp_trend_kind {
    MP_TREND_TOO_SHORT, /* fewer values than that: nothing can be said */
    MP_TREND_FLAT,      /* all values are equal, or neither grows nor shrinks for certain */
    MP_TREND_GROWS,     /* steadily: the whole interval of the slope is above 0 */
    MP_TREND_SHRINKS,   /* steadily */
    MP_TREND_JUMP,      /* up once; without that step it does neither for certain */
    MP_TREND_DROP,      /* down once, likewise */
} mp_trend_kind;

typedef struct mp_step {
    size_t place; /* place of the first value after the step, from 1; 0: no step */
    int64_t size; /* below 0: down */
} mp_step;

typedef struct mp_trend {
    mp_trend_kind kind;
    double slope;     /* Theil-Sen: the median of all slopes between two values; values a place */
    double lower;     /* the lower of two slopes in the middle, else `slope` */
    double low, high; /* 95 % interval of the slope; low <= slope <= high */
    /* Values far larger than all values next to them, the largest first. Kind and slopes are
     * computed without them. */
    mp_step steps[MP_TREND_STEPS];
} mp_trend;

/* The trend of values one place (snapshot) apart. Of more than 1,000 values an even choice of
 * 1,000, the first and the last with them, makes the slope; steps are looked for among all.
 *
 * The largest step is no part of the rest if it is more than twice the range of what is before it,
 * and of what is behind it. Then it is taken out: what is behind it moves to the level of what is
 * before it, and what is left is judged: it grows, or shrinks, whichever way the step went, or else
 * the whole is a jump, or a drop. So memory that is freed once hides no leak. What is left of four
 * values says so only if all four do. If that tells no steady trend, likewise the two largest steps
 * of one direction are taken out together, where what is left goes the other way for certain.
 *
 * So a series that rises at every place grows, and a staircase does; a peak, a sawtooth and noise
 * are flat.
 *
 * The interval is that of Sen: with N slopes, and C the 97.5 % quantile of the normal distribution
 * times the standard deviation of Kendall's S, corrected for ties and for the likeness of
 * neighbours (variance times n / n* of a first-order autoregression without the slope; not less
 * than 1), it is from the (N - C) / 2-th
 * smallest slope to the (N - C) / 2-th largest; ranks are rounded, and at least 1. Values are exact
 * up to 2^53. */
mp_trend mp_trend_of(const int64_t *values, size_t count);
/* Return the lower middle slope of that trend, rounded up, so that it is more than a whole number
 * if and only if the slope is; of too few values for a trend, without steps. Of two values or more;
 * of more than 128, an even choice of 128 is compared.
 */
int64_t mp_trend_whole_slope(const int64_t *values, size_t count);
/* "grows steadily", "jumps once"; static. */
const char *mp_trend_words(mp_trend_kind kind);

/* Bytes alive at each whole snapshot of the window (from and to included), some rows: row i is
 * at[i * length]. A row has the snapshots of one session or, of session 0, those of all, one
 * session behind the other: session s has the places from first[s] up to first[s + 1]. */
typedef struct mp_series {
    int64_t *items;
    int64_t *leaking; /* behind them, of what leaks by the verdict; NULL: there is no verdict */
    size_t length;
    uint32_t *snapshots; /* the snapshot of each place */
    size_t *first;
    uint32_t sessions; /* with the first, 0 */
} mp_series;

/* `row_of` tells the row of each group by its place, + 1: from 1 to `rows`; groups with 0 are left
 * out, and [0] is 0. One pass over the ledger. Release with mp_series_free. */
mp_series mp_series_of(const mp_window *window, uint32_t session, const mp_grouping *grouping,
                       const uint32_t *row_of, uint32_t rows);
/* The same without what is accepted. */
mp_series mp_series_held(const mp_window *window, uint32_t session, const mp_grouping *grouping,
                         const uint32_t *row_of, uint32_t rows);
/* All bytes alive, as the snapshots tell them: one row. */
mp_series mp_series_of_all(const mp_window *window, uint32_t session);
/* Platform memory of a session: rows of areas, of which `row_of` tells the row by platform id,
 * from 1, 0 of those left out; or all areas together in one row, where it is NULL. */
mp_series mp_series_of_platform(const mp_window *window, uint32_t session, const uint32_t *row_of,
                                uint32_t rows);
/* So many rows at a time that their series have room in 32 MiB. */
uint32_t mp_series_batch(const mp_window *window);
void mp_series_free(mp_series *series);

/* A row of a series in one session. */
typedef struct mp_course {
    mp_trend trend;
    uint32_t session; /* 0: there is none */
    const int64_t *items;
    const uint32_t *snapshots;
    size_t length;
} mp_course;

/* Return the trend of a row in a session. Objects grow steadily where some of them leak by the
 * verdict, as those do; what else rises fills, turns over or is in use, and is flat. Without a
 * verdict the values alone tell. */
mp_trend mp_series_trend(const mp_series *series, size_t row, uint32_t session);

/* Each session has its own course, and sums of them are nobody's: this is the worst, of equal ones
 * the first. What grows is worst, the steepest most, then what jumped, by the size of the jump. It
 * lives as long as the series. */
mp_course mp_series_worst(const mp_series *series, size_t row);

#endif
