/* Rules on growth: between the ends of a window, or steadily at each of its snapshots. */
#ifndef MP_COMPARE_EVALUATE_GROWTH_H
#define MP_COMPARE_EVALUATE_GROWTH_H

#include "compare/decide.h"
#include "query/trend.h"

/* How a series keeps to a limit per snapshot; both in bytes, or both in percent. */
typedef struct mp_slope {
    const char *label; /* "" for the whole */
    mp_trend trend;
    double number, limit;      /* number: infinite where it grows from nothing, in percent */
    bool over, fails;          /* it fails if it is over the limit and grows steadily */
    const uint64_t *sequences; /* numbers of the snapshots */
    const char *session;       /* of several: whose it is; NULL: there is one */
} mp_slope;

/* Return the slope of at least MP_TREND_FEWEST values. */
mp_slope mp_slope_of(mp_evaluation *evaluation, const char *label, mp_trend trend,
                     const int64_t *values, size_t count);
/* Judge by the worst of them. There is at least one. */
void mp_evaluation_decide_slopes(mp_evaluation *evaluation, const mp_slope *slopes, size_t count);

/* The window of a rule that looks at what comes after a snapshot, without what is accepted. False
 * with a message; else release with mp_window_free. */
bool mp_rule_window(const mp_evaluation *evaluation, mp_window *window, mp_error *error);

/* Evaluate a rule on growth by the rule context's model. */
void mp_evaluation_of_growth(mp_evaluation *evaluation);

#endif
