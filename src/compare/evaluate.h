/* The parts of judging a rule. */
#ifndef MP_COMPARE_EVALUATE_H
#define MP_COMPARE_EVALUATE_H

#include "base/memory.h"
#include "compare/bound.h"
#include "compare/policy.h"
#include "query/trend.h"

/* One rule before its rule_context. `scratch` dies with the rule, `arena` with all results. */
typedef struct mp_evaluation {
    const mp_rule_context *rule_context;
    const mp_rule *rule;
    mp_arena *arena, *scratch;
    mp_rule_result *rule_result;
} mp_evaluation;

/* What is held against a limit: the whole, the sum of what is selected, or one of each. */
typedef struct mp_rule_subject {
    const char *label; /* "" for the whole */
    int64_t number;
    int64_t reference; /* in the base, or at the start of growth */
} mp_rule_subject;

/* The rule cannot be judged, because. */
void mp_evaluation_dismiss(mp_evaluation *evaluation, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Nothing is selected: it holds if the rule says so, else it cannot be judged. */
void mp_evaluation_find_nothing(mp_evaluation *evaluation);

/* Hold them all to the limit; `most` says what is behind a sum, or is "". There is at least one. */
void mp_evaluation_decide(mp_evaluation *evaluation, const mp_rule_subject *subjects, size_t count,
                          const char *most);
/* Growth, of the rule_context's model. */
void mp_evaluation_of_growth(mp_evaluation *evaluation);

/* How a series keeps to a limit per snapshot; both in bytes, or both in percent. */
typedef struct mp_slope {
    const char *label; /* "" for the whole */
    mp_trend trend;
    double number, limit; /* number: infinite where it grows from nothing, in percent */
    bool over, fails;     /* it fails if it is over the limit and grows steadily */
} mp_slope;

/* Of MP_TREND_FEWEST values or more. */
mp_slope mp_slope_of(mp_evaluation *evaluation, const char *label, const int64_t *values,
                     size_t count);
/* Judge by the worst of them; `sequences` are the numbers of the snapshots. There is at least one.
 */
void mp_evaluation_decide_slopes(mp_evaluation *evaluation, const mp_slope *slopes, size_t count,
                                 const uint64_t *sequences);

/* Whether the rule's pattern takes this label. */
bool mp_rule_matches(const mp_rule *rule, const char *label);

/* "18.6 KiB", "3 sites" of a measure; bytes and numbers to the last one if `exact`. In the arena.
 */
const char *mp_quantity_text(mp_arena *arena, mp_measure measure, int64_t number, bool exact);
/* "0.125 %", "12.5 %": as many decimals as tell something. */
const char *mp_share_text(mp_arena *arena, double percent);
/* "<=" */
const char *mp_comparison_sign(mp_comparison comparison);

#endif
