/* Policies: rules that a recording must satisfy, one per line; also the results of judging them.
 *
 * The grammar is in memprof-policy(5). A rule limits a measure ("leaked of type "Order*" <= 1 MiB")
 * or forbids new entries ("no new leak site"). */
#pragma once

#include "compare/measures.h"
#include "memprof/diagnostics.h"

/* Unit of shares. A limit is exactly (reference * share + spread * spreads) / MP_WHOLE + number. */
#define MP_WHOLE INT64_C(100000000)
typedef enum mp_reference {
    MP_OF_NOTHING,
    MP_OF_BASE,  /* the same measure in the base */
    MP_OF_START, /* amount alive at the start of the window, for growth in percent */
    MP_OF_LINES, /* executable lines, for coverage in percent */
} mp_reference;

typedef struct mp_bound {
    mp_reference reference;
    int64_t share; /* share of the reference, in units of 1 / MP_WHOLE */
    /* Number of spreads of the base's runs to add, in units of 1 / MP_WHOLE; may be negative. */
    int64_t spreads;
    int64_t number;   /* amount in the unit of the measure */
    const char *text; /* the bound in the words of the policy */
} mp_bound;

typedef struct mp_rule {
    const char *name;    /* name before the colon, or else the text of the rule; unique */
    const char *text;    /* the rule in the words of the policy, without name and comment */
    const char *pattern; /* glob; NULL: select all */
    const char *after;   /* start of the growth, a snapshot as for mp_window_of; NULL: `from` */
    mp_bound bound;
    uint32_t line; /* line number from 1; 0: limit given by an option */
    mp_measure measure;
    mp_select_by by;
    mp_comparison comparison;
    bool each; /* judge each label separately, not the sum */
    bool per_snapshot;
    bool if_any; /* pass if nothing is selected */
} mp_rule;

enum { MP_POLICY_FAULTS = 50 };

typedef struct mp_policy {
    const char *path;
    mp_rule *rules;
    size_t rule_count, rule_capacity;
    mp_error *faults;   /* first MP_POLICY_FAULTS errors, in order, at most one per line */
    size_t fault_count; /* number of all errors; if not 0, the policy cannot be used */
    struct mp_arena *arena;
} mp_policy;

/* Parse a policy. `path` is for messages; it and `text` are copied. Text that is not UTF-8 is read
 * as ISO 8859-1. A policy without rules is an error. Never returns NULL; release with
 * mp_policy_free. */
mp_policy *mp_policy_parse(const char *path, const char *text, size_t length);
void mp_policy_free(mp_policy *policy);

/* Return the rule for a limit on the whole recording: for coverage, at least `bound`; for other
 * measures, at most `bound`. `name` is the name of the argument, such as "max-live". The rule has
 * line 0. `name` and the text of `bound` are borrowed. */
mp_rule mp_rule_of_limit(const char *name, mp_measure measure, const mp_bound *bound);

/* Return true if judging the rule needs a base. */
bool mp_rule_needs_base(const mp_rule *rule);

/* --- results --- */

/* Input for judging rules. A profile has no window. */
typedef struct mp_rule_context {
    const mp_digest *now;
    const mp_digest *base;              /* NULL: no base */
    const mp_dictionary *dictionary;    /* dictionary of both digests */
    const mp_model *model;              /* model of `now`; NULL: growth cannot be judged */
    const mp_window *window;            /* window of `now`; NULL: growth cannot be judged */
    const struct mp_coverage *coverage; /* coverage of a profile; NULL: none */
    const char *window_end;             /* end of the window as the user gave it; may be NULL */
    const char *incomparable; /* reason why the two digests cannot be compared; NULL: they can be
                                 compared */
    unsigned nameless;        /* MP_BY_...: names of these may not be known as written */
    const char *selected;     /* pattern by which objects are selected whose names are missing from
                                 the file; NULL: none */
    bool partly;              /* judge incomplete data, too */
    bool strict;              /* fail a rule that hides a leak */
    bool exact_bytes;         /* print exact bytes in texts for people */
    size_t culprits;          /* maximum number of culprits per rule; 0: no limit */
    const char *dashes;       /* text before argument names in texts for people, such as "--" */
} mp_rule_context;

/* Cause of a failed rule: a site, type, method, module or area. Numbers are in the unit of
 * `measure`. It is the rule's own measure; if the rule counts entries, it is the measure that
 * explains a larger count. */
typedef struct mp_culprit {
    const char *status;   /* "new", "grown", "shrunk" or "gone" since the base; NULL: no base */
    const char *what;     /* type and name of a site; or a type, method, module or area */
    const char *site;     /* place of creation, as source:line; NULL: not a site */
    bool has_base;        /* `base` is valid */
    int64_t base, number; /* base: the figure of the base; for growth, the amount at the start of
                             the window */
    int64_t change;       /* number - base; without base, number */
    const char *told;     /* text to show instead of the numbers; NULL: none */
} mp_culprit;

#define MP_HIDES_LEAK "hides a leak: "

/* Result of a rule. Numbers are in the unit of the rule's measure. For a rule on each label, they
 * belong to the label that exceeds its limit by most. */
typedef struct mp_rule_result {
    const mp_rule *rule;
    mp_verdict verdict;
    bool has_measured, has_limit, has_base, has_measured_percent, has_limit_percent;
    int64_t measured; /* measured value; for growth per snapshot, the rounded slope */
    int64_t limit;    /* the limit, rounded down if it is a fraction */
    int64_t base;
    bool has_spread; /* the limit uses the spread of several runs */
    int64_t spread;
    /* Measured value and limit in percent of the amount alive at the start of the window. */
    double measured_percent, limit_percent;
    const char *measured_text, *limit_text; /* texts for people; NULL: unknown */
    /* reason why the rule failed or could not be judged, or a remark; "": none */
    const char *message;
    mp_measure culprit_measure;
    /* Causes of a failed rule, the worst first. Entries that got worse than in the base come first.
     * Unless the limit refers to the base, the largest entries follow. */
    mp_culprit *culprits;
    size_t culprit_count, culprits_left_out;
    /* MP_HIDES_LEAK and the leak, if the rule passes but hides a leak; "": it hides none. */
    const char *warning;
} mp_rule_result;

typedef struct mp_rule_results {
    mp_rule_result *items; /* results in the order of the rules */
    size_t count;
    size_t counts[MP_VERDICTS]; /* number of rules by verdict */
    struct mp_arena *arena;
} mp_rule_results;

/* Judge all rules of a policy. The policy must have no errors and outlive the result. Release with
 * mp_rule_results_free. */
mp_rule_results mp_policy_evaluate(const mp_policy *policy, const mp_rule_context *context);
void mp_rule_results_free(mp_rule_results *results);

/* Subject of a limit: the whole recording, or an entry that the rule selects. */
typedef struct mp_rule_subject {
    const char *label; /* "" for the whole recording */
    int64_t number;
    int64_t reference; /* value in the base, or at the start of the window for growth */
    int64_t spread;    /* spread of the base's runs; 0: one run */
} mp_rule_subject;

/* Judge a rule by given values. There must be at least one, and their labels must be distinct. If
 * several subjects are equally bad, the first counts as the worst. `most` is appended to the
 * message if the rule fails. Texts belong to the arena or the rule. */
mp_rule_result mp_rule_judge(const mp_rule_context *context, const mp_rule *rule,
                             const mp_rule_subject *subjects, size_t count, const char *most,
                             mp_arena *arena);
