/* What a rule can measure: a row for each. */
#ifndef MP_COMPARE_MEASURES_H
#define MP_COMPARE_MEASURES_H

#include "base/memory.h"
#include "compare/policy.h"

typedef struct mp_measure_row {
    const char *words; /* as a policy says it: one or two words, after "no new" the same */
    const char *told;  /* "a heap dump does not tell ...": what */
    const char *done;  /* behind a number: "18.6 KiB leaked" */
    const char *noun;  /* of what is counted: "3 sites" */
    mp_rule_unit unit;
    unsigned has;       /* MP_HAS_...: of the digest */
    unsigned select_by; /* mp_select_by bits that it takes */
    bool selects;       /* has no key without */
    bool is_new;        /* counts what the base does not have */
    bool counts;        /* entries, not amounts */
    mp_level level;     /* of what is counted */
    size_t offset;      /* in mp_amounts, of what is summed */
} mp_measure_row;

/* By mp_measure. */
extern const mp_measure_row mp_measure_rows[MP_MEASURES];

/* What an entry adds to a measure. */
int64_t mp_measure_of(mp_measure measure, const mp_amounts *amounts);

/* "type" of MP_BY_TYPE. */
const char *mp_select_by_name(mp_select_by by);
/* "<=" */
const char *mp_comparison_sign(mp_comparison comparison);

/* "18.6 KiB", "3 sites" of a measure; bytes and numbers to the last one if `exact`. In the arena.
 */
const char *mp_quantity_text(mp_arena *arena, mp_measure measure, int64_t number, bool exact);
/* "0.125 %", "12.5 %": as many decimals as tell something. */
const char *mp_share_text(mp_arena *arena, double percent);

#endif
