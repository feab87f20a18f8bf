/* A question: a report and all that is asked of it by names and texts. It can be put to any number
 * of recordings, on several threads. */
#ifndef MP_SESSION_QUESTION_H
#define MP_SESSION_QUESTION_H

#include "compare/policy.h"
#include "query/suppression.h"
#include "reports/report.h"
#include "session/side_files.h"

typedef struct mp_question {
    const mp_report *report; /* NULL: none; then nothing can be set */
    void *arguments;         /* the report's struct; NULL: it has none */
    mp_given *given;         /* all that was set, and what was noted */
    size_t given_count, given_capacity;
    bool by_default; /* settings made now are the user's defaults */
    mp_selection selection;
    mp_criterion *criteria; /* criteria that `selection` points to */
    size_t criterion_capacity;
    mp_argument_texts suppression_paths;
    mp_sources sources;
    bool strict;                /* a limit or a rule that holds and hides a leak fails */
    bool allow_torn;            /* limits and rules judge what breaks off by what is there */
    bool draws;                 /* add figures to the answer, if its report has any */
    int32_t today;              /* as by mp_parse_date; 0: the clock tells */
    const char *base;           /* a recording or a baseline; NULL: none */
    const char *policy_path;    /* NULL: no policy */
    const char *statement_path; /* path of a file with the argument "statement"; NULL: none */
    char *statement;            /* its text, once it is read */
    const char *rules;          /* its text, if it is no file: the path is then a name for it */
    /* Results of mp_question_read. */
    mp_suppressions suppressions;
    mp_policy *policy; /* NULL: none was asked for */
} mp_question;

/* Release with mp_question_free. */
void mp_question_begin(mp_question *question, const mp_report *report);
void mp_question_free(mp_question *question);

/* Set an argument from its text, which must outlive the question: one of the report's own,
 * "object", "base", "policy", "suppress", "today", "allow-torn", "draws", or one that selects, such
 * as "not-type". False with an error of the code MP_ERROR_UNUSED where the report does not have it,
 * of MP_ERROR_ARGUMENT where the text is none that it takes. */
bool mp_question_set(mp_question *question, const char *name, const char *text, mp_error *error);
/* Note that a shared argument was given which says how recordings are read: what the report cannot
 * use is refused. */
void mp_question_note(mp_question *question, const char *argument, const char *spelled);
/* Read the question's own files with these options, like recordings. */
void mp_question_read_as(mp_question *question, const mp_load_options *options);
/* The report's own limit of rows; NULL: it has none. */
int64_t *mp_question_limit(const mp_question *question);

/* Return true if it has a policy, a base or a limit. */
bool mp_question_judges(const mp_question *question);

/* Read the suppressions and the policy. False with an error of the code MP_ERROR_INPUT where a file
 * cannot be read, else of MP_ERROR_FILE: of a policy the first of its faults. */
bool mp_question_read(mp_question *question, mp_error *error);

/* Return the first truncation of an input: nothing is known of what follows it. NULL: none, or
 * the question allows it. */
const mp_diagnostic *mp_question_torn(const mp_question *question,
                                      const mp_diagnostics *diagnostics);
/* Note on the digest of a recording that is about to be kept as a baseline whether that breaks off.
 * False with an error where it does, and the question does not allow it: what was cut off would be
 * missing from every verdict by that baseline, and what was in use would count as leaked. */
bool mp_question_keeps(const mp_question *question, const mp_diagnostics *diagnostics,
                       mp_digest *digest, mp_error *error);
/* The question put to a model. `dictionary` and `base` may be NULL where nothing is compared. */
mp_request mp_question_request(const mp_question *question, const mp_model *model,
                               const mp_diagnostics *diagnostics, mp_dictionary *dictionary,
                               const mp_digest *base);

#endif
