/* Vocabulary of policies: measures, selectors and comparisons of rules; also the formatting of
 * numbers. */
#pragma once

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
    MP_MEASURE_TREND,    /* bytes that leak steadily */
    MP_MEASURE_PLATFORM, /* the runtime's own memory */
    MP_MEASURE_PLATFORM_GROWTH,
    MP_MEASURE_SECONDS,
    MP_MEASURE_CALLS,
    MP_MEASURE_SAMPLES,
    MP_MEASURE_COVERAGE,
    MP_MEASURE_NEW_LEAK_SITES,
    MP_MEASURE_NEW_SITES,
    MP_MEASURE_NEW_TYPES,
    MP_MEASURE_NEW_METHODS,
    MP_MEASURE_NEW_MODULES,
    MP_MEASURE_SLOPE, /* growth of a site from build to build; policies cannot use it */
    MP_MEASURES,
} mp_measure;

typedef enum mp_rule_unit {
    MP_RULE_BYTES,
    MP_RULE_OBJECTS,
    MP_RULE_CALLS,
    MP_RULE_COUNT, /* number of sites, types, methods, modules */
    MP_RULE_LINES, /* executed lines, as a share of the executable ones */
    MP_RULE_US,    /* microseconds; policies and reports show seconds */
    MP_RULE_SAMPLES,
    MP_RULE_UNITS,
} mp_rule_unit;

/* Subjects that a rule can select, as bits. A measure states with these bits which subjects it
 * accepts. */
typedef enum mp_select_by {
    MP_BY_NOTHING = 0,
    MP_BY_TYPE = 1,
    MP_BY_SOURCE = 2, /* source or function that created the object, except allocators */
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
    const char *words; /* name in a policy, one or two words; if is_new, the words after "no new" */
    const char *told;  /* words after "does not record" in messages */
    const char *done;  /* words after a number: "18.6 KiB leaked" */
    const char *noun;  /* name of the counted things: "3 sites" */
    mp_rule_unit unit;
    unsigned has;       /* MP_HAS_... bits; the digest must have one of them */
    unsigned select_by; /* accepted selectors, as mp_select_by bits */
    bool selects;       /* a selector is required */
    bool is_new;        /* counts entries that the base does not have */
    bool counts;        /* counts entries instead of summing amounts */
    mp_level level;     /* level of the counted entries */
    size_t offset;      /* offset in mp_amounts of the summed amount */
} mp_measure_row;

/* Measures, by mp_measure. */
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
/* Return true if the measure is about leaks. It cannot be judged for a window that ends after the
 * clean-up, because leaked objects no longer exist then. Measures of live objects can be judged:
 * rules may limit the objects that survive the clean-up. */
bool mp_measure_is_of_leaks(mp_measure measure);
/* Return true if the measure is about leftover objects: leaked bytes, objects or sites. */
bool mp_measure_is_of_left(mp_measure measure);
/* Return the measure that ranks entries: for a measure that counts entries, the one by which they
 * are sorted; otherwise the measure itself. */
mp_measure mp_measure_weight(mp_measure measure);
/* Return the unit of a measure. */
mp_rule_unit mp_measure_unit(mp_measure measure);
/* Return the contribution of an entry to the measure. */
int64_t mp_measure_of(mp_measure measure, const mp_amounts *amounts);

/* Return the word for a selector: "type" for MP_BY_TYPE. */
const char *mp_select_by_name(mp_select_by by);
/* Return the operator: "<=" for MP_AT_MOST. */
const char *mp_comparison_sign(mp_comparison comparison);

/* Return a number with its unit, such as "18.6 KiB" or "3 sites". `exact`: all digits. The text
 * belongs to the arena. */
const char *mp_quantity_text(mp_arena *arena, mp_measure measure, int64_t number, bool exact);
/* Return a percentage such as "0.125 %" or "12.5 %", without trailing zeros. */
const char *mp_share_text(mp_arena *arena, double percent);
