/* The parts of judging a rule. */
#ifndef MP_COMPARE_JUDGE_H
#define MP_COMPARE_JUDGE_H

#include "compare/bound.h"
#include "memprof/policy.h"
#include "memprof/trend.h"
#include "support/memory.h"

/* One rule before its evidence. `scratch` dies with the rule, `arena` with all judgements. */
typedef struct mp_hearing {
    const mp_evidence *evidence;
    const mp_rule *rule;
    mp_arena *arena, *scratch;
    mp_judgement *judgement;
} mp_hearing;

/* What is held against a limit: the whole, the sum of what is selected, or one of each. */
typedef struct mp_party {
    const char *label; /* "" for the whole */
    int64_t number;
    int64_t reference; /* in the base, or at the start of growth */
} mp_party;

/* The rule cannot be judged, because. */
void mp_hearing_dismiss(mp_hearing *hearing, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Nothing is selected: it holds if the rule says so, else it cannot be judged. */
void mp_hearing_find_nothing(mp_hearing *hearing);

/* Hold them all to the limit; `most` says what is behind a sum, or is "". There is at least one. */
void mp_hearing_decide(mp_hearing *hearing, const mp_party *parties, size_t count,
                       const char *most);
/* Growth, of the evidence's model. */
void mp_hearing_judge_growth(mp_hearing *hearing);

/* How a series keeps to a limit per snapshot; both in bytes, or both in percent. */
typedef struct mp_pace {
    const char *label; /* "" for the whole */
    mp_trend trend;
    double number, limit; /* number: infinite where it grows from nothing, in percent */
    bool over, fails;     /* it fails if it is over the limit and grows steadily */
} mp_pace;

/* Of MP_TREND_FEWEST values or more. */
mp_pace mp_pace_of(mp_hearing *hearing, const char *label, const int64_t *values, size_t count);
/* Judge by the worst of them; `sequences` are the numbers of the snapshots. There is at least one.
 */
void mp_hearing_decide_paces(mp_hearing *hearing, const mp_pace *paces, size_t count,
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
