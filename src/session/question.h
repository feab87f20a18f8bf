/* A question: a report with its settings, given by name and text. It can be asked about any number
 * of recordings, on several threads. */
#pragma once

#include "compare/policy.h"
#include "query/suppression.h"
#include "reports/report.h"
#include "session/side_files.h"

typedef struct mp_question {
    const mp_report *report; /* NULL: no report; then nothing can be set */
    void *arguments;         /* the report's struct of arguments; NULL: none */
    mp_given *given;         /* settings that were set or noted, in the order of these calls */
    size_t given_count, given_capacity;
    bool by_default; /* current settings come from the user's configuration */
    mp_selection selection;
    mp_criterion *criteria; /* criteria that `selection` points to */
    size_t criterion_capacity;
    mp_argument_texts suppression_paths;
    mp_sources sources;
    bool strict; /* fail if a passing check hides a leak; refuse suppressions without a reason */
    bool allow_torn;            /* apply limits and rules to truncated recordings, too */
    bool draws;                 /* add figures to the answer, if its report has any */
    int32_t today;              /* date as mp_parse_date returns it; 0: the current date */
    const char *base;           /* path of a recording or a baseline; NULL: none */
    const char *policy_path;    /* NULL: no policy */
    const char *statement_path; /* path of a file with the argument "statement"; NULL: none */
    char *statement;            /* text of that file, once it is read */
    /* Text of the rules; policy_path is then only their name. NULL: read the file. */
    const char *rules;
    /* Results of mp_question_read. */
    mp_suppressions suppressions;
    mp_policy *policy; /* NULL: no policy was given */
} mp_question;

/* Initialise a question about a report, with default arguments. Release with mp_question_free. */
void mp_question_begin(mp_question *question, const mp_report *report);
void mp_question_free(mp_question *question);

/* Set an argument from its text, which must outlive the question. `name` is an argument of the
 * report, "object", "base", "policy", "suppress", "today", "allow-torn", "draws", or a selection
 * option such as "not-type". Return false with error MP_ERROR_UNUSED if the report does not have
 * the argument, MP_ERROR_ARGUMENT if the text is invalid. */
bool mp_question_set(mp_question *question, const char *name, const char *text, mp_error *error);
/* Return true for a selection option that excludes, such as "not-type". */
bool mp_option_excludes(const char *name);
/* Note that an option for reading, which all reports share, was given. Reports that cannot use it
 * then refuse it. */
void mp_question_note(mp_question *question, const char *argument, const char *spelled);
/* Set the options for reading the question's own files, such as its policy. */
void mp_question_read_as(mp_question *question, const mp_load_options *options);
/* Return the row limit among the report's arguments; NULL: the report has none. */
int64_t *mp_question_limit(const mp_question *question);

/* Return true if the question has a policy, a base or a limit. */
bool mp_question_judges(const mp_question *question);

/* Read the suppressions, the statement and the policy. Return false with error MP_ERROR_INPUT if a
 * file cannot be read, MP_ERROR_FILE if it has errors; the first error of a policy is returned. */
bool mp_question_read(mp_question *question, mp_error *error);
/* Report suppressions whose reason is a placeholder. */
void mp_question_diagnose(const mp_question *question, mp_diagnostics *diagnostics);

/* Return the first diagnostic that makes figures incomplete, preferably a truncation. Return NULL
 * if there is none, or if the question allows truncated recordings. */
const mp_diagnostic *mp_question_torn(const mp_question *question,
                                      const mp_diagnostics *diagnostics);
/* If the recording is truncated, mark its digest before it is saved as a baseline. Return false
 * with an error if a truncated recording is not allowed, because a baseline without the lost data
 * would distort every later verdict, and objects in use would count as left behind. Also return
 * false if the selection matches nothing. */
bool mp_question_keeps(const mp_question *question, const mp_diagnostics *diagnostics,
                       mp_digest *digest, mp_error *error);
/* Return the request that asks the question about a model. If nothing is compared, `dictionary` and
 * `base` may be NULL. */
mp_request mp_question_request(const mp_question *question, const mp_model *model,
                               mp_diagnostics *diagnostics, mp_dictionary *dictionary,
                               const mp_digest *base);
