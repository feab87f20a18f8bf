#include "session/question.h"

#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"

/* --- options --- */

/* An option of questions: an argument of reports, or of any question. */
typedef struct asked_option {
    const char *name, *takes;
    mp_argument_kind kind;
    const char *part_of; /* argument of the report, for an option of any question; NULL: the option
                          * sets a member of the report's arguments */
    size_t offset;       /* offset of the member of mp_question; 0 for patterns */
} asked_option;

#define AT(member) offsetof(mp_question, member)

static const asked_option asked_options[] = {
#define MP_ASKED(name, argument, help, takes, kind, ...) {name, takes, MP_ARGUMENT_##kind, NULL, 0},
#define MP_SHARED(name, part_of, argument, help, takes, kind, place, ...)                          \
    {name, takes, MP_ARGUMENT_##kind, part_of, place},
#define MP_OPTION(...)
#define CLI_OPTION(...)
#include "session/options.def"
#undef MP_ASKED
#undef MP_SHARED
#undef MP_OPTION
#undef CLI_OPTION
};

/* Return the option of this name; NULL if there is none. `shared`: it is one of any question. */
static const asked_option *option_find(const char *name, bool shared)
{
    for (size_t i = 0; i < sizeof asked_options / sizeof *asked_options; i++)
        if (!asked_options[i].part_of == !shared && mp_text_is(asked_options[i].name, name))
            return &asked_options[i];
    return NULL;
}

/* Return the option for a report's argument. An operand has no option and gets a common entry. */
static const asked_option *option_of(const char *argument)
{
    static const asked_option operand = {"", "a name", MP_ARGUMENT_NAME, NULL, 0};
    const asked_option *option = option_find(argument, false);
    return option ? option : &operand;
}

/* --- the whole question --- */

void mp_question_begin(mp_question *question, const mp_report *report)
{
    *question = (mp_question){.report = report};
    if (report && report->arguments.size)
        question->arguments = memcpy(mp_alloc(report->arguments.size), report->arguments.defaults,
                                     report->arguments.size);
}

/* Return the address of a report's argument. */
static void *place_of(const mp_question *question, const mp_argument *row)
{
    return (char *)question->arguments + row->offset;
}

void mp_question_free(mp_question *question)
{
    const mp_argument_table *table = question->report ? &question->report->arguments : NULL;
    for (size_t i = 0; table && question->arguments && i < table->count; i++) {
        const mp_argument *row = &table->items[i];
        mp_argument_kind kind = option_of(row->name)->kind;
        if (row->offset != MP_SHARED_ARGUMENT &&
            (kind == MP_ARGUMENT_NAMES || kind == MP_ARGUMENT_SUBSTITUTIONS))
            free(((mp_argument_texts *)place_of(question, row))->items);
    }
    MP_FREE(question->arguments, question->given, question->criteria,
            question->suppression_paths.items, question->sources.folders.items,
            question->statement);
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

bool mp_question_judges(const mp_question *question)
{
    bool judges = question->policy_path || question->base;
    for (size_t i = 0; i < question->given_count; i++) {
        const mp_argument_kind kind = option_of(question->given[i].argument)->kind;
        judges |=
            kind == MP_ARGUMENT_CEILING || kind == MP_ARGUMENT_GROWTH || kind == MP_ARGUMENT_FLOOR;
    }
    return judges;
}

int64_t *mp_question_limit(const mp_question *question)
{
    const mp_argument *row = mp_argument_find(&question->report->arguments, "limit");
    return row ? place_of(question, row) : NULL;
}

/* --- setting --- */

static const char exclusion[] = "not-"; /* prefix of the options that exclude */

bool mp_option_excludes(const char *name)
{
    return strncmp(name, exclusion, sizeof exclusion - 1) == 0;
}

/* Add a pattern to the selection. `name` is the name of the option: "type", "not-type". */
static bool add_criterion(mp_question *question, const char *name, const char *pattern,
                          mp_error *error)
{
    const bool negated = mp_option_excludes(name);
    mp_selection *selection = &question->selection;
    mp_subject subject = 0;
    while (strcmp(mp_subject_name(subject), name + (negated ? sizeof exclusion - 1 : 0)) != 0)
        subject++;
    mp_grow(&question->criteria, &question->criterion_capacity, selection->count + 1,
            sizeof *question->criteria);
    selection->criteria = question->criteria;
    question->criteria[selection->count] = (mp_criterion){subject, negated, pattern};
    if (!*pattern)
        return mp_fail_argument(error, name, pattern, "expected a pattern");
    return mp_criterion_check(&question->criteria[selection->count++], error);
}

static bool set_shared(mp_question *question, const asked_option *option, const char *text,
                       mp_error *error)
{
    if (option->kind == MP_ARGUMENT_PATTERN)
        return add_criterion(question, option->name, text, error);
    return mp_argument_parse(option->kind, text, (char *)question + option->offset) ||
           mp_fail_argument(error, option->name, text, "expected %s", option->takes);
}

bool mp_question_set(mp_question *question, const char *name, const char *text, mp_error *error)
{
    const mp_report *report = question->report;
    if (strcmp(name, "allow-torn") == 0) /* valid for all reports */
        return question->allow_torn = true;
    if (strcmp(name, "draws") == 0) /* valid for all reports; formats use it */
        return question->draws = true;
    const mp_argument *row = mp_argument_find(&report->arguments, name);
    const asked_option *shared = option_find(name, true);
    const char *argument = row || !shared ? name : shared->part_of;
    bool operand = strcmp(name, mp_operand_argument(report->operand)) == 0;
    if (!operand && !mp_argument_find(&report->arguments, argument))
        return mp_fail_unused(error, report->name, name, NULL);
    mp_given given = {.argument = argument, .spelled = name, .text = text};
    if (!mp_report_takes(report, &given, ~0u, MP_ALL_KINDS, NULL, error))
        return false;
    if (!operand)
        note(question, given);
    if (operand && mp_text_is(name, "statement") && mp_text_is(text, "-"))
        return set_shared(question, option_find("file", true), text, error);
    if (row && row->offset != MP_SHARED_ARGUMENT)
        return mp_argument_parse(option_of(name)->kind, text, place_of(question, row)) ||
               mp_fail_argument(error, name, text, "expected %s", option_of(name)->takes);
    if (!shared) /* it is an option for reading recordings */
        return mp_fail_unused(error, report->name, name, NULL);
    return set_shared(question, shared, text, error);
}

/* --- reading --- */

void mp_question_read_as(mp_question *question, const mp_load_options *options)
{
    question->sources.how = *options;
}

static bool read_statement(mp_question *question, mp_error *error)
{
    const mp_argument *row = mp_argument_find(&question->report->arguments, "statement");
    char *text;
    size_t length;
    const bool ok =
        mp_file_read(question->statement_path, &question->sources.how, &text, &length, error);
    question->statement = mp_copy(ok ? text : "", ok ? length : 0);
    free(text);
    if (!ok)
        return false;
    if (strlen(question->statement) != length)
        return mp_fail_file(error, question->statement_path, 0, 0,
                            "has a NUL byte, expected a statement");
    return mp_argument_parse(MP_ARGUMENT_NAME, question->statement, place_of(question, row)) ||
           mp_fail_file(error, question->statement_path, 0, 0, "is empty, expected a statement");
}

/* Return the first suppression whose reason is a placeholder, and set *count to their number. NULL:
 * none. */
static const mp_suppression *find_unexplained(const mp_suppressions *list, size_t *count)
{
    const mp_suppression *first = NULL;
    *count = 0;
    for (size_t i = 0; i < list->count; i++)
        if (mp_reason_is_placeholder(list->items[i].reason) && !(*count)++)
            first = &list->items[i];
    return first;
}

/* Return false with an error if a suppression has no reason. */
static bool check_reasons(const mp_question *question, mp_error *error)
{
    size_t count;
    const mp_suppression *first = find_unexplained(&question->suppressions, &count);
    return !first ||
           mp_fail_file(error, first->path, (uint32_t)first->reason_line, 0,
                        "reason = %.60s, expected why the leak is accepted", first->reason);
}

void mp_question_diagnose(const mp_question *question, mp_diagnostics *diagnostics)
{
    size_t count;
    const mp_suppression *first = find_unexplained(&question->suppressions, &count);
    if (first)
        mp_diagnose(diagnostics, MP_DIAG_NO_REASON, first->path, first->reason_line,
                    "no reason yet in %zu of %zu suppressions, expected why the leak is accepted",
                    count, question->suppressions.count);
}

bool mp_question_read(mp_question *question, mp_error *error)
{
    const mp_load_options *how = &question->sources.how;
    char *text = NULL;
    size_t length;
    bool ok = true;
    question->suppressions.today = question->today ? question->today : mp_today();
    for (size_t i = 0; ok && i < question->suppression_paths.count; i++)
        ok = mp_suppressions_read(&question->suppressions, question->suppression_paths.items[i],
                                  how, error);
    if (ok && question->strict)
        ok = check_reasons(question, error);
    if (ok && question->statement_path)
        ok = read_statement(question, error);
    if (!ok || !question->policy_path)
        return ok;
    const char *path = question->policy_path;
    if (question->rules) {
        question->policy = mp_policy_parse(path, question->rules, strlen(question->rules));
    } else {
        ok = mp_file_read(path, how, &text, &length, error);
        if (ok)
            question->policy = mp_policy_parse(path, text, length);
        const mp_slice whole = {text, length};
        if (ok && question->policy->fault_count &&
            !(mp_is_no_recording(path, whole, "a policy", error) &&
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

/* Return the first diagnostic that makes figures incomplete, preferably a truncation; NULL:
 * none. */
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
    mp_arena arena = {0};
    bool empty = mp_selects(&question->selection);
    for (size_t level = 0; level < MP_LEVELS; level++)
        empty &= digest->lists[level].count == 0;
    digest->torn = torn != NULL;
    if (empty)
        return mp_fail(error, MP_ERROR_NO_ANSWER,
                       "no baseline can be made: nothing matches the filters");
    const char *misfit = mp_unmatched_text(&arena, &question->selection, digest->unmatched);
    if (misfit)
        mp_fail(error, MP_ERROR_NO_ANSWER, "no baseline can be made: %s", misfit);
    mp_arena_free(&arena);
    if (misfit)
        return false;
    return !torn || question->allow_torn ||
           mp_fail_file(error, torn->path, (uint32_t)torn->line, 0,
                        "no baseline is made from a recording that %s: %s (" MP_DASHES
                        "allow-torn makes one from the rest)",
                        mp_diagnostic_breaks_off(torn->id) ? "is truncated" : "is damaged",
                        torn->message);
}

mp_request mp_question_request(const mp_question *question, const mp_model *model,
                               mp_diagnostics *diagnostics, mp_dictionary *dictionary,
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
