/* Policies: what a recording is held to, a rule a line; and what comes of the rules.
 *
 * memprof-policy(5) has the grammar. A rule is a limit of a measure ("leaked of type "Order*" <= 1
 * MiB"), or says that nothing of a kind is new ("no new leak site"). */
#ifndef MP_COMPARE_POLICY_H
#define MP_COMPARE_POLICY_H

#include "compare/measures.h"
#include "memprof/diagnostics.h"

/* A limit is (reference * share + spread * spreads) / MP_WHOLE + number, exactly. */
#define MP_WHOLE INT64_C(100000000)
typedef enum mp_reference {
    MP_OF_NOTHING,
    MP_OF_BASE,  /* the same in the base */
    MP_OF_START, /* growth in percent: what was alive at its start */
    MP_OF_LINES, /* coverage in percent: the lines that could be executed */
} mp_reference;

typedef struct mp_bound {
    mp_reference reference;
    int64_t share;    /* share of the reference, in parts of MP_WHOLE */
    int64_t spreads;  /* spreads of the base's runs to add, in the same parts; below 0: less */
    int64_t number;   /* in the unit of the measure */
    const char *text; /* as written */
} mp_bound;

typedef struct mp_rule {
    const char *name;    /* as written in front of it; else its text. No two are equal. */
    const char *text;    /* without name and comment */
    const char *pattern; /* glob; NULL: all */
    const char *after;   /* snapshot at which growth begins, as by mp_window_of; NULL: `from` */
    mp_bound bound;
    uint32_t line; /* from 1; 0: a limit of the request */
    mp_measure measure;
    mp_select_by by;
    mp_comparison comparison;
    bool each; /* each on its own, not their sum */
    bool per_snapshot;
    bool if_any; /* holds where nothing is selected */
} mp_rule;

enum { MP_POLICY_FAULTS = 50 };

typedef struct mp_policy {
    const char *path;
    mp_rule *rules;
    size_t rule_count, rule_capacity;
    mp_error *faults;   /* the first MP_POLICY_FAULTS; one at most of each line, in order */
    size_t fault_count; /* any: it is not to be judged by */
    struct mp_arena *arena;
} mp_policy;

/* Parse a policy. `path` is for messages; it and `text` are copied. Bytes that are no UTF-8 are
 * read as ISO 8859-1. A policy without rules has a fault. Never NULL; release with mp_policy_free.
 */
mp_policy *mp_policy_parse(const char *path, const char *text, size_t length);
void mp_policy_free(mp_policy *policy);

/* Return the rule that a limit of the whole is, at most or, of coverage, at least `bound`: `name`
 * is that of an argument, such as "max-live", and the line is 0. Both are borrowed. */
mp_rule mp_rule_of_limit(const char *name, mp_measure measure, const mp_bound *bound);

/* Return true if judging the rule needs a base. */
bool mp_rule_needs_base(const mp_rule *rule);

/* --- what comes of the rules --- */

/* Input of the judgement. A profile has no window. */
typedef struct mp_rule_context {
    const mp_digest *now;
    const mp_digest *base;              /* NULL: there is none */
    const mp_dictionary *dictionary;    /* dictionary of both digests */
    const mp_model *model;              /* model of `now`; NULL: growth cannot be judged */
    const mp_window *window;            /* likewise */
    const struct mp_coverage *coverage; /* coverage of a profile; NULL: it has none */
    const char *window_end;             /* the window's end as the user said it, or NULL */
    const char *incomparable;           /* why no rule compares both; NULL: they do */
    bool partly;                        /* incomplete data is judged as far as it goes */
    bool strict;                        /* a rule that hides a leak fails */
    bool exact_bytes;                   /* in texts for people */
    size_t culprits;                    /* maximum number per rule; 0: no limit */
    const char *dashes;                 /* there, before the name of an argument */
} mp_rule_context;

/* Cause of a failed rule: a site, type, method, module or area. Numbers are in the unit of
 * `measure`: the rule's own or, if that counts entries, the measure that explains a larger
 * count. */
typedef struct mp_culprit {
    const char *status;   /* "new", "grown", "shrunk", "gone" against a base; NULL: there is none */
    const char *what;     /* type and name of a site; a type, method, module, area */
    const char *site;     /* place of creation, as source:line; NULL: not of a site */
    bool has_base;        /* else there is no `base` */
    int64_t base, number; /* base: of growth, what there was at its start */
    int64_t change;       /* number - base; of no base: number */
    const char *told;     /* text shown instead of the numbers; NULL: none */
} mp_culprit;

#define MP_HIDES_LEAK "hides a leak: "

/* Numbers are in the unit of the rule's measure. Of a rule on each of several, they are those of
 * the one that is worst: farthest over its limit. */
typedef struct mp_rule_result {
    const mp_rule *rule;
    mp_verdict verdict;
    bool has_measured, has_limit, has_base, has_measured_percent, has_limit_percent;
    int64_t measured; /* rounded slope, for growth per snapshot */
    int64_t limit;    /* rounded down where it is a part of something */
    int64_t base;
    bool has_spread; /* the limit is one of spreads of several runs */
    int64_t spread;
    double measured_percent, limit_percent; /* growth, of what was alive at its start */
    const char *measured_text, *limit_text; /* for people; NULL where there is none */
    const char *message; /* why it fails or cannot be judged, or what is worth saying; else "" */
    mp_measure culprit_measure;
    /* Causes of a failed rule, the worst first: entries that got worse than in the base; then,
     * unless the limit refers to the base, the largest. */
    mp_culprit *culprits;
    size_t culprit_count, culprits_left_out;
    const char *warning; /* MP_HIDES_LEAK and which, of a rule that holds; else "" */
} mp_rule_result;

typedef struct mp_rule_results {
    mp_rule_result *items; /* in the order of the rules */
    size_t count;
    size_t counts[MP_VERDICTS]; /* by verdict */
    struct mp_arena *arena;
} mp_rule_results;

/* Judge every rule. The policy has no faults and must outlive the result; release with
 * mp_rule_results_free. */
mp_rule_results mp_policy_evaluate(const mp_policy *policy, const mp_rule_context *context);
void mp_rule_results_free(mp_rule_results *results);

/* Subject of a limit: the whole recording, or an entry that the rule selects. */
typedef struct mp_rule_subject {
    const char *label; /* "" for the whole */
    int64_t number;
    int64_t reference; /* in the base, or at the start of growth */
    int64_t spread;    /* spread of the base's runs; 0: one run */
} mp_rule_subject;

/* Judge a rule by figures that are known already, at least one, and no two of one thing; of equally
 * bad ones the first is the worst. `most` is added to what is said of it if it fails. The texts are
 * in the arena, or the rule's. */
mp_rule_result mp_rule_judge(const mp_rule_context *context, const mp_rule *rule,
                             const mp_rule_subject *subjects, size_t count, const char *most,
                             mp_arena *arena);

#endif
