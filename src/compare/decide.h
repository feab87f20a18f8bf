/* Deciding: whether what was measured keeps to the limit of a rule, and what is said of it. */
#ifndef MP_COMPARE_DECIDE_H
#define MP_COMPARE_DECIDE_H

#include "base/memory.h"
#include "compare/policy.h"

/* One rule being evaluated, and what it is evaluated against. `scratch` dies with the rule, `arena`
 * with all results. */
typedef struct mp_evaluation {
    const mp_rule_context *context;
    const mp_digest *known; /* the base; of several runs, what any of them has */
    const mp_rule *rule;
    mp_arena *arena, *scratch;
    mp_rule_result *result;
    const char **failed; /* of a rule on each: the labels that fail, in order; in `scratch` */
    size_t failed_count;
    bool trend_held;            /* another rule is about what leaks steadily */
    struct mp_choices *choices; /* what the policy's rules share */
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

#endif
