#include "session/question.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "session/beside.h"

void mp_question_begin(mp_question *question, const mp_report *report)
{
    *question = (mp_question){.report = report};
    question->arguments = report ? mp_arguments_new(&report->arguments) : NULL;
}

void mp_question_free(mp_question *question)
{
    if (question->report)
        mp_arguments_free(&question->report->arguments, question->arguments);
    free(question->given);
    free(question->criteria);
    free(question->suppression_paths.at);
    free(question->sources.folders.at);
    free(question->statement);
    mp_suppressions_free(&question->suppressions);
    mp_policy_free(question->policy);
}

static void note(mp_question *question, mp_given given)
{
    mp_grow(&question->given, &question->given_capacity, question->given_count + 1,
            sizeof *question->given);
    given.by_default = question->by_default;
    question->given[question->given_count++] = given;
}

void mp_question_note(mp_question *question, const char *argument, const char *spelled)
{
    note(question, (mp_given){.argument = argument, .spelled = spelled});
}

int64_t *mp_question_limit(const mp_question *question)
{
    const mp_argument *row = mp_argument_find(&question->report->arguments, "limit");
    return row ? (int64_t *)((char *)question->arguments + row->offset) : NULL;
}

/* --- setting --- */

/* What several names are part of; NULL: the name is an argument itself. */
static const char *shared_argument(const char *name, mp_subject *subject)
{
    const char *positive = strncmp(name, "not-", 4) == 0 ? name + 4 : name;
    for (*subject = 0; *subject < MP_SUBJECTS; ++*subject)
        if (strcmp(positive, mp_subject_name(*subject)) == 0)
            return "selection";
    if (strcmp(name, "since") == 0 || strcmp(name, "until") == 0)
        return "selection";
    return strcmp(name, "today") == 0 ? "suppress" : NULL;
}

static bool add_criterion(mp_question *question, const char *name, mp_subject subject,
                          const char *pattern, mp_error *error)
{
    bool negated = strncmp(name, "not-", 4) == 0;
    mp_selection *selection = &question->selection;
    mp_grow(&question->criteria, &question->criterion_capacity, selection->count + 1,
            sizeof *question->criteria);
    selection->criteria = question->criteria;
    question->criteria[selection->count] = (mp_criterion){subject, negated, pattern};
    if (!*pattern)
        return mp_fail_argument(error, name, pattern, "expected a pattern");
    return mp_criterion_check(&question->criteria[selection->count++], error);
}

static bool set_shared(mp_question *question, const char *name, mp_subject subject,
                       const char *text, mp_error *error)
{
    mp_selection *selection = &question->selection;
    if (subject < MP_SUBJECTS)
        return add_criterion(question, name, subject, text, error);
    if (strcmp(name, "since") == 0 || strcmp(name, "until") == 0) {
        mp_time_range *within = &selection->within;
        return mp_parse_moment(text, *name == 's' ? &within->since : &within->until) ||
               mp_fail_argument(error, name, text,
                                "expected a time such as 250ms, 90s or 1:02:03.5, or by the clock, "
                                "2026-03-02T08:16:00+01:00");
    }
    if (strcmp(name, "keep-profiler") == 0)
        return selection->keeps_profiler = true;
    if (strcmp(name, "today") == 0)
        return mp_parse_date(text, &question->today) ||
               mp_fail_argument(error, name, text, "expected a day such as 2027-06-30");
    if (strcmp(name, "suppress") == 0) {
        mp_argument_texts_add(&question->suppression_paths, text);
    } else if (strcmp(name, "sources") == 0) {
        mp_argument_texts_add(&question->sources.folders, text);
        return mp_is_folder(text) ||
               mp_fail_argument(error, name, text, "expected a folder that exists");
    } else if (strcmp(name, "base") == 0 || strcmp(name, "against") == 0) {
        question->base = text;
    } else if (strcmp(name, "policy") == 0) {
        question->policy_path = text;
    } else if (strcmp(name, "file") == 0) {
        question->statement_path = text;
    } else {
        return mp_fail_unused(error, question->report->name, name, NULL); /* of reading */
    }
    return *text || mp_fail_argument(error, name, text, "expected a path");
}

bool mp_question_set(mp_question *question, const char *name, const char *text, mp_error *error)
{
    const mp_report *report = question->report;
    if (strcmp(name, "allow-torn") ==
        0) /* means something to limits and rules, wherever they are */
        return question->allow_torn = true;
    if (strcmp(name, "draws") == 0) /* and this to formats, whatever the report */
        return question->draws = true;
    mp_subject subject = MP_SUBJECTS;
    const mp_argument *row = mp_argument_find(&report->arguments, name);
    const char *argument = row ? NULL : shared_argument(name, &subject);
    bool operand = strcmp(name, mp_operand_argument(report->operand)) == 0;
    if (!operand && !row && !(argument && mp_argument_find(&report->arguments, argument)))
        return mp_fail_unused(error, report->name, name, NULL);
    mp_given given = {.argument = argument ? argument : name, .spelled = name, .text = text};
    if (!mp_report_takes(report, &given, ~0u, MP_ALL_KINDS, NULL, error))
        return false;
    if (!operand)
        note(question, given);
    if (operand && mp_text_is(name, "statement") && mp_text_is(text, "-"))
        return set_shared(question, "file", subject, text, error);
    if (!row || row->kind == MP_ARGUMENT_SHARED)
        return set_shared(question, name, subject, text, error);
    return mp_argument_parse(row, text, question->arguments) ||
           mp_fail_argument(error, name, text, "is not an option of %s", report->name);
}

/* --- reading --- */

void mp_question_read_as(mp_question *question, const mp_load_options *options)
{
    question->sources.encoding = options->encoding;
    question->sources.limits = options->limits;
}

static bool read_statement(mp_question *question, mp_error *error)
{
    const mp_argument *row = mp_argument_find(&question->report->arguments, "statement");
    char *text;
    size_t length;
    const bool ok =
        mp_file_read(question->statement_path, &question->sources.limits, &text, &length, error);
    question->statement = mp_copy(ok ? text : "", ok ? length : 0);
    free(text);
    if (!ok)
        return false;
    if (strlen(question->statement) != length)
        return mp_fail_file(error, question->statement_path, 0, 0,
                            "has a NUL byte, expected a statement");
    return mp_argument_parse(row, question->statement, question->arguments) ||
           mp_fail_file(error, question->statement_path, 0, 0, "is empty, expected a statement");
}

bool mp_question_read(mp_question *question, mp_error *error)
{
    const mp_limits *limits = &question->sources.limits;
    char *text = NULL;
    size_t length;
    bool ok = true;
    question->suppressions.today = question->today ? question->today : mp_today();
    for (size_t i = 0; ok && i < question->suppression_paths.count; i++)
        ok = mp_suppressions_read(&question->suppressions, question->suppression_paths.at[i],
                                  limits, error);
    if (ok && question->statement_path)
        ok = read_statement(question, error);
    if (!ok || !question->policy_path)
        return ok;
    const char *path = question->policy_path;
    if (question->rules) {
        question->policy = mp_policy_parse(path, question->rules, strlen(question->rules));
    } else {
        ok = mp_file_read(path, limits, &text, &length, error);
        if (ok)
            question->policy = mp_policy_parse(path, text, length);
        const mp_slice whole = {text, length};
        const char *expected = "a policy; the policy file comes first";
        if (ok && question->policy->fault_count &&
            !(mp_is_no_recording(path, whole, expected, error) &&
              mp_is_no_suppressions(path, whole, "a policy", error))) {
            mp_policy_free(question->policy);
            question->policy = NULL;
            ok = false;
        }
        free(text);
    }
    if (ok && question->policy->fault_count) {
        *error = question->policy->faults[0];
        return false;
    }
    return ok;
}

/* Find why figures may miss a part: what breaks off comes first. */
static const mp_diagnostic *torn_of(const mp_diagnostics *diagnostics)
{
    const mp_diagnostic *kept, *found = NULL;
    size_t count = mp_diagnostics_kept(diagnostics, &kept);
    for (size_t i = 0; i < count; i++)
        if (mp_diagnostic_is_unsound(kept[i].id) &&
            (!found ||
             (mp_diagnostic_breaks_off(kept[i].id) && !mp_diagnostic_breaks_off(found->id))))
            found = &kept[i];
    return found;
}

const mp_diagnostic *mp_question_torn(const mp_question *question,
                                      const mp_diagnostics *diagnostics)
{
    return question->allow_torn ? NULL : torn_of(diagnostics);
}

bool mp_question_keeps(const mp_question *question, const mp_diagnostics *diagnostics,
                       mp_digest *digest, mp_error *error)
{
    const mp_diagnostic *torn = torn_of(diagnostics);
    bool empty = mp_selects(&question->selection);
    for (size_t level = 0; level < MP_LEVELS; level++)
        empty &= digest->lists[level].count == 0;
    digest->torn = torn != NULL;
    if (empty)
        return mp_fail(error, MP_ERROR_NO_ANSWER,
                       "no baseline can be made: nothing matches the filters");
    return !torn || question->allow_torn ||
           mp_fail_file(error, torn->path, (uint32_t)torn->line, 0,
                        "no baseline is made from a recording that %s: %s (" MP_DASHES
                        "allow-torn makes one from the rest)",
                        mp_diagnostic_breaks_off(torn->id) ? "is truncated" : "is damaged",
                        torn->message);
}

mp_request mp_question_request(const mp_question *question, const mp_model *model,
                               const mp_diagnostics *diagnostics, mp_dictionary *dictionary,
                               const mp_digest *base)
{
    return (mp_request){.model = model,
                        .diagnostics = diagnostics,
                        .report = question->report,
                        .arguments = question->arguments,
                        .given = question->given,
                        .given_count = question->given_count,
                        .selection = question->selection,
                        .suppressions =
                            question->suppression_paths.count ? &question->suppressions : NULL,
                        .policy = question->policy,
                        .strict = question->strict,
                        .allow_torn = question->allow_torn,
                        .draws = question->draws,
                        .torn = mp_question_torn(question, diagnostics),
                        .read_source = question->sources.folders.count ? mp_source_read : NULL,
                        .sources = &question->sources,
                        .dictionary = dictionary,
                        .base = base};
}
