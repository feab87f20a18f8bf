/* The words of policies: what a rule can measure, select and compare by, and how numbers of a
 * measure are told. */
#ifndef MP_COMPARE_MEASURES_H
#define MP_COMPARE_MEASURES_H

#include "base/memory.h"
#include "compare/digest.h"

typedef enum mp_measure {
    MP_MEASURE_LEAKED,
    MP_MEASURE_LEAKED_OBJECTS,
    MP_MEASURE_LEAK_SITES,
    MP_MEASURE_LIVE,
    MP_MEASURE_LIVE_OBJECTS,
    MP_MEASURE_PEAK,
    MP_MEASURE_PEAK_OBJECTS,
    MP_MEASURE_CREATED,
    MP_MEASURE_CREATED_OBJECTS,
    MP_MEASURE_DELETED_OBJECTS,
    MP_MEASURE_RETAINED,
    MP_MEASURE_GROWTH,
    MP_MEASURE_TREND,    /* bytes that leaked steadily */
    MP_MEASURE_PLATFORM, /* the runtime's own memory */
    MP_MEASURE_PLATFORM_GROWTH,
    MP_MEASURE_SECONDS,
    MP_MEASURE_CALLS,
    MP_MEASURE_COVERAGE,
    MP_MEASURE_NEW_LEAK_SITES,
    MP_MEASURE_NEW_SITES,
    MP_MEASURE_NEW_TYPES,
    MP_MEASURE_NEW_METHODS,
    MP_MEASURE_NEW_MODULES,
    MP_MEASURE_SLOPE, /* growth of a site from build to build; no policy has it */
    MP_MEASURES,
} mp_measure;

typedef enum mp_rule_unit {
    MP_RULE_BYTES,
    MP_RULE_OBJECTS,
    MP_RULE_CALLS,
    MP_RULE_COUNT, /* number of sites, types, methods, modules */
    MP_RULE_LINES, /* that were executed, as a share of those that could be */
    MP_RULE_US,    /* microseconds; policies and people have seconds */
    MP_RULE_UNITS,
} mp_rule_unit;

/* Subjects of a rule's selection; one bit each, so that a measure can list those it accepts. */
typedef enum mp_select_by {
    MP_BY_NOTHING = 0,
    MP_BY_TYPE = 1,
    MP_BY_SOURCE = 2, /* source or function that created it, allocators' own left out */
    MP_BY_NAME = 4,
    MP_BY_SITE = 8,    /* "TYPE at SOURCE" */
    MP_BY_METHOD = 16, /* "METHOD", or "METHOD PROGRAM" */
    MP_BY_MODULE = 32, /* program */
    MP_BY_AREA = 64,   /* area of platform memory */
} mp_select_by;
enum { MP_SELECTORS = 7 };

typedef enum mp_comparison {
    MP_AT_MOST,
    MP_LESS,
    MP_AT_LEAST,
    MP_MORE,
    MP_EQUAL,
    MP_COMPARISONS,
} mp_comparison;

typedef struct mp_measure_row {
    const char *words; /* as a policy says it: one or two words, after "no new" the same */
    const char *told;  /* "a heap dump does not tell ...": what */
    const char *done;  /* behind a number: "18.6 KiB leaked" */
    const char *noun;  /* name of the counted things: "3 sites" */
    mp_rule_unit unit;
    unsigned has;       /* MP_HAS_...: of the digest */
    unsigned select_by; /* mp_select_by bits that it takes */
    bool selects;       /* a selector is required */
    bool is_new;        /* counts what the base does not have */
    bool counts;        /* entries, not amounts */
    mp_level level;     /* level of the counted entries */
    size_t offset;      /* in mp_amounts, of what is summed */
} mp_measure_row;

/* By mp_measure. */
extern const mp_measure_row mp_measure_rows[MP_MEASURES];

/* Return true if the measure is about the change between two snapshots. */
static inline bool mp_measure_is_growth(mp_measure measure)
{
    return measure == MP_MEASURE_GROWTH || measure == MP_MEASURE_TREND ||
           measure == MP_MEASURE_PLATFORM_GROWTH;
}
static inline bool mp_measure_is_platform(mp_measure measure)
{
    return measure == MP_MEASURE_PLATFORM || measure == MP_MEASURE_PLATFORM_GROWTH;
}
/* Return whether what it measures is no longer there where a window ends behind the clean-up. What
 * is alive there is what a rule on that asks for. */
bool mp_measure_is_of_leaks(mp_measure measure);
/* Return whether it is about what was left behind: leaked bytes and objects, and their sites. */
bool mp_measure_is_of_left(mp_measure measure);
/* Itself; of one that counts, what the largest of them is chosen by. */
mp_measure mp_measure_weight(mp_measure measure);
/* In which unit a measure is. */
mp_rule_unit mp_measure_unit(mp_measure measure);
/* Return the contribution of an entry to a measure. */
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
