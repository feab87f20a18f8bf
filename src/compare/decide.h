/* Decisions: check a measured value against the limit of a rule, and explain the result. */
#pragma once

#include "base/memory.h"
#include "compare/policy.h"
#include "query/trend.h"

/* Evaluation of one rule. Memory in `scratch` is freed after the rule, memory in `arena` together
 * with all results. */
typedef struct mp_evaluation {
    const mp_rule_context *context;
    /* The base. For several runs, each entry has its maximum over the runs. */
    const mp_digest *known;
    const mp_rule *rule;
    mp_arena *arena, *scratch;
    mp_rule_result *result;
    const char **failed; /* sorted labels that fail, for a rule on each label; in `scratch` */
    size_t failed_count;
    const char *worst;          /* label that the message names first, for a rule on each label */
    bool trend_held;            /* another rule of the policy limits steady leaks */
    struct mp_choices *choices; /* choices shared by the rules of the policy */
} mp_evaluation;

/* Limit that may lie between two whole numbers: `number`, plus a fraction if `more` is true. */
typedef struct mp_threshold {
    int64_t number;
    bool more;
} mp_threshold;

/* Return the limit for this reference and spread, saturated at 64 bits. */
mp_threshold mp_bound_of(const mp_bound *bound, int64_t reference, int64_t spread);
/* Return true if the number satisfies the limit. */
bool mp_threshold_holds(mp_threshold threshold, mp_comparison comparison, int64_t number);

/* Return true if the pattern of the rule matches the label. */
bool mp_rule_matches(const mp_rule *rule, const char *label);

/* Set the result to "cannot be judged". `message` must be in evaluation->arena; MP_DISMISS formats
 * it there. */
void mp_evaluation_dismiss(mp_evaluation *evaluation, const char *message);
#define MP_DISMISS(evaluation, ...)                                                                \
    mp_evaluation_dismiss(evaluation, mp_arena_format((evaluation)->arena, __VA_ARGS__))
/* Judge a rule that selects nothing: it passes if it has "if any", otherwise it cannot be
 * judged. */
void mp_evaluation_find_nothing(mp_evaluation *evaluation);
/* Check the subjects against the limit: for a rule on each label, the sum of each label; otherwise
 * the sum of all subjects. There must be at least one. The order of the subjects changes. */
void mp_evaluation_decide(mp_evaluation *evaluation, mp_rule_subject *subjects, size_t count);
/* Warn that a passing rule hides a leak, if steady leaks exceed its upper limit. The subjects are
 * the amounts that leaked steadily. `rate` is printed after the amount, for example " a snapshot".
 * In strict mode the rule then fails. */
void mp_evaluation_warn(mp_evaluation *evaluation, mp_rule_subject *subjects, size_t count,
                        const char *rate);
/* Append a text such as "; most: ..." to the message of a failed rule, or to its warning of a
 * hidden leak. */
void mp_evaluation_add(mp_evaluation *evaluation, const char *most);

/* --- rules on amounts --- */

/* Judge a rule on the amounts of the selected entries, or of the whole recording. */
void mp_evaluation_of_amount(mp_evaluation *evaluation);
/* Judge a rule on the number of new entries. */
void mp_evaluation_of_new(mp_evaluation *evaluation);

/* --- rules on growth: from start to end of a window, or per snapshot --- */

/* Slope of a series and its limit per snapshot, both in bytes or both in percent. */
typedef struct mp_slope {
    const char *label; /* "" for the whole recording */
    mp_trend trend;
    double number, limit;      /* `number` is infinite if a percentage refers to 0 */
    bool over, fails;          /* over: over the limit; fails: also growing steadily */
    bool untold;               /* over, but there are too few snapshots to tell if it is steady */
    const uint64_t *sequences; /* sequence numbers of the snapshots */
    const char *session;       /* session of the series; NULL: only one session */
} mp_slope;

/* Return the slope of a series of at least MP_TREND_FEWEST values. */
mp_slope mp_slope_of(mp_evaluation *evaluation, const char *label, mp_trend trend,
                     const int64_t *values, size_t count);
/* Return true if the first slope fails and the second does not, or else if only the first is
 * untold, or if the first is steeper. */
bool mp_slope_is_worse(const mp_slope *slope, const mp_slope *than);
/* Judge a rule by the worst of its slopes. There must be at least one slope. If none fails, but one
 * is untold, the rule cannot be judged. */
void mp_evaluation_decide_slopes(mp_evaluation *evaluation, const mp_slope *slopes, size_t count);

/* Create the window of a rule with "after snapshot", with the same suppressions. Return false with
 * an error; otherwise release with mp_window_free. */
bool mp_rule_window(const mp_evaluation *evaluation, mp_window *window, mp_error *error);

/* Return the label by which a rule on growth selects a group: the name of its type or source, or
 * "TYPE at SOURCE". */
const char *mp_rule_group_label(mp_evaluation *evaluation, const mp_group *group);
/* Judge a rule on growth. The context must have a model. */
void mp_evaluation_of_growth(mp_evaluation *evaluation);

/* --- causes of a failure --- */

/* If the rule failed, store the culprits in the result. */
void mp_evaluation_find_culprits(mp_evaluation *evaluation);

/* Return the list that a rule measures. */
mp_level mp_rule_level(const mp_rule *rule);
/* Return true if a measure of new entries counts only the difference from the base. */
bool mp_measure_is_new(mp_measure measure, const mp_difference *difference);

/* --- largest part of the whole recording --- */

/* Return a text about the largest part of the measured amount in the window, in
 * evaluation->scratch. For a rule on leaks, or a rule that hides a leak: "; worst leak: 10.4 KiB,
 * OOABL Obj shop.OrderEvent at placeOrder shop.OrderService:155"; for other rules: "; most: ...".
 * Return "" if there is no such part, and NULL if the measure cannot have one. */
const char *mp_most_of_whole(mp_evaluation *evaluation, const mp_window *window);
