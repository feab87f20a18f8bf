/* Deciding: whether what was measured keeps to the limit of a rule, and what is said of it. */
#ifndef MP_COMPARE_DECIDE_H
#define MP_COMPARE_DECIDE_H

#include "base/memory.h"
#include "compare/policy.h"
#include "query/trend.h"

/* One rule being evaluated, and what it is evaluated against. `scratch` dies with the rule, `arena`
 * with all results. */
typedef struct mp_evaluation {
    const mp_rule_context *context;
    const mp_digest *known; /* the base; of several runs, what any of them has */
    const mp_rule *rule;
    mp_arena *arena, *scratch;
    mp_rule_result *result;
    const char **failed; /* labels that fail, in order, for a rule on each; in `scratch` */
    size_t failed_count;
    const char *worst;          /* label that is named first, for a rule on each */
    bool trend_held;            /* another rule is about what leaks steadily */
    struct mp_choices *choices; /* choices that the policy's rules share */
} mp_evaluation;

/* A limit that may lie between two whole numbers: `number` and, if `more`, a little. */
typedef struct mp_threshold {
    int64_t number;
    bool more;
} mp_threshold;

/* Return the limit for this reference and spread, cut to the range of 64 bits. */
mp_threshold mp_bound_of(const mp_bound *bound, int64_t reference, int64_t spread);
/* Return true if the number satisfies the limit. */
bool mp_threshold_holds(mp_threshold threshold, mp_comparison comparison, int64_t number);

/* Return true if the rule's pattern matches the label. */
bool mp_rule_matches(const mp_rule *rule, const char *label);

/* The rule cannot be judged. `message` is in evaluation->arena, where MP_DISMISS puts it. */
void mp_evaluation_dismiss(mp_evaluation *evaluation, const char *message);
#define MP_DISMISS(evaluation, ...)                                                                \
    mp_evaluation_dismiss(evaluation, mp_arena_format((evaluation)->arena, __VA_ARGS__))
/* Nothing is selected: the rule holds if it says so, else it cannot be judged. */
void mp_evaluation_find_nothing(mp_evaluation *evaluation);
/* Hold them to the limit: each label's sum where the rule is on each, else the sum of all. There is
 * at least one; they are in any order, and left in another. */
void mp_evaluation_decide(mp_evaluation *evaluation, mp_rule_subject *subjects, size_t count);
/* Warn of a rule that holds where what leaked steadily, which they are, is over its upper limit:
 * `rate` is behind it, such as " a snapshot". */
void mp_evaluation_warn(mp_evaluation *evaluation, mp_rule_subject *subjects, size_t count,
                        const char *rate);
/* Add to what is said of a rule that fails, or hides a leak, what has most of it: "; most: ...". */
void mp_evaluation_add(mp_evaluation *evaluation, const char *most);

/* --- rules on growth: between the ends of a window, or steadily at each of its snapshots --- */

/* How a series keeps to a limit per snapshot; both in bytes, or both in percent. */
typedef struct mp_slope {
    const char *label; /* "" for the whole */
    mp_trend trend;
    double number, limit;      /* number: infinite where it grows from nothing, in percent */
    bool over, fails;          /* it fails if it is over the limit and grows steadily */
    const uint64_t *sequences; /* numbers of the snapshots */
    const char *session;       /* session that it belongs to; NULL: there is only one */
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

/* --- rules on coverage --- */

/* Judge a rule on the share of lines that were executed. */
void mp_evaluation_of_coverage(mp_evaluation *evaluation);

/* --- what is behind a rule that fails --- */

/* Find them, if the rule fails. */
void mp_evaluation_find_culprits(mp_evaluation *evaluation);

/* The list that a rule measures. */
mp_level mp_rule_level(const mp_rule *rule);
/* Return true if a measure of new entries counts the difference. */
bool mp_measure_is_new(mp_measure measure, const mp_difference *difference);

/* --- what has most of a whole --- */

/* Return "; worst leak: 10.4 KiB, OOABL Obj shop.OrderEvent at placeOrder shop.OrderService:155" of
 * a rule on leaks, or one that hides a leak, and "; most: ..." of what else it measures of the
 * window. "" where nothing has any; NULL where a window does not tell it. In the evaluation's
 * scratch. */
const char *mp_most_of_whole(mp_evaluation *evaluation, const mp_window *window);

#endif
