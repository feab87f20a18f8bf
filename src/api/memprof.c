/* The library as programs see it: a recording, what is asked of it, and what it says. */
#include "memprof/memprof.h"

#include <stdlib.h>
#include <string.h>

#include "api/beside.h"
#include "base/diagnose.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/units.h"
#include "compare/baseline.h"
#include "compare/policy.h"
#include "document/merge.h"
#include "export/formats.h"
#include "readers/reader.h"
#include "reports/report.h"

enum { KEPT_OF_EACH_CODE = 100, PAGE_WIDTH = 100 };

/* What one question refers to. Its answer may, too: it is released with the recording. */
typedef struct asked {
    struct asked *next;
    const mp_report *report;
    void *arguments;
    mp_criterion *criteria;
    mp_given *given;
    mp_suppressions suppressions;
    mp_dictionary *dictionary;
    mp_digest *base;
    mp_policy *policy;
    const char *base_path, *policy_path;
    mp_request request;
} asked;

struct mp_recording {
    mp_model *model;
    mp_diagnostics *diagnostics;
    mp_load_options options;
    bool loaded; /* nothing was wrong with any input */
    asked *questions;
};

const char *mp_version(void)
{
    return MEMPROF_VERSION;
}

/* --- loading --- */

mp_recording *mp_recording_load(const char *const *paths, size_t count,
                                const mp_load_options *options)
{
    mp_recording *recording = mp_alloc_zero(1, sizeof *recording);
    recording->model = mp_model_new();
    recording->diagnostics = mp_diagnostics_new(KEPT_OF_EACH_CODE);
    if (options)
        recording->options = *options;
    recording->loaded =
        mp_load(recording->model, recording->diagnostics, paths, count, &recording->options);
    recording->loaded &= mp_filter_check_ends(recording->model, recording->diagnostics);
    return recording;
}

static void forget(asked *question)
{
    mp_arguments_free(&question->report->arguments, question->arguments);
    free(question->criteria);
    free(question->given);
    mp_suppressions_free(&question->suppressions);
    mp_digest_free(question->base);
    mp_dictionary_free(question->dictionary);
    mp_policy_free(question->policy);
    free(question);
}

void mp_recording_free(mp_recording *recording)
{
    if (!recording)
        return;
    while (recording->questions) {
        asked *question = recording->questions;
        recording->questions = question->next;
        forget(question);
    }
    mp_model_free(recording->model);
    mp_diagnostics_free(recording->diagnostics);
    free(recording);
}

bool mp_recording_is_usable(const mp_recording *recording)
{
    return mp_model_is_usable(recording->model);
}

bool mp_recording_is_whole(const mp_recording *recording)
{
    return recording->loaded && mp_model_is_whole(recording->model, recording->diagnostics);
}

const mp_diagnostics *mp_recording_diagnostics(const mp_recording *recording)
{
    return recording->diagnostics;
}

/* --- asking --- */

static const char not_a_time[] = "expected a time such as 250ms, 90s or 1:02:03.5";

/* The criterion "type" or "not-type". False: the name is no subject's. */
static bool is_criterion(const mp_setting *setting, mp_criterion *criterion)
{
    bool negated = strncmp(setting->name, "not-", 4) == 0;
    const char *name = setting->name + (negated ? 4 : 0);
    for (int i = 0; i < MP_SUBJECTS; i++)
        if (strcmp(mp_subject_name((mp_subject)i), name) == 0) {
            *criterion = (mp_criterion){(mp_subject)i, negated, setting->value};
            return true;
        }
    return false;
}

/* One setting that is not the report's own. */
static bool take_shared(asked *question, const mp_setting *setting, const char **argument,
                        mp_error *error)
{
    const char *name = setting->name, *value = setting->value;
    mp_selection *selection = &question->request.selection;
    *argument = name;
    if (is_criterion(setting, &question->criteria[selection->count])) {
        *argument = "selection";
        return mp_criterion_check(&question->criteria[selection->count++], error);
    }
    if (strcmp(name, "since") == 0 || strcmp(name, "until") == 0) {
        bool since = *name == 's';
        *argument = "selection";
        selection->has_since |= since;
        selection->has_until |= !since;
        return mp_parse_time(value, since ? &selection->since_us : &selection->until_us) ||
               mp_fail_argument(error, name, value, "%s", not_a_time);
    }
    if (strcmp(name, "suppress") == 0)
        return mp_suppressions_read(&question->suppressions, value, error);
    if (strcmp(name, "today") == 0) {
        *argument = "suppress";
        return mp_parse_date(value, &question->suppressions.today) ||
               mp_fail_argument(error, name, value, "expected a day such as 2027-06-30");
    }
    if (strcmp(name, "base") == 0)
        question->base_path = value;
    else if (strcmp(name, "policy") == 0 && question->report->operand == MP_OPERAND_POLICY)
        question->policy_path = value;
    else
        return mp_fail_unused(error, question->report->name, name, NULL);
    return true;
}

static bool take_settings(asked *question, const mp_setting *settings, size_t count,
                          mp_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const mp_argument *own = mp_argument_find(&question->report->arguments, settings[i].name);
        const char *argument = settings[i].name;
        if (own && own->kind != MP_ARGUMENT_SHARED) {
            if (!mp_arguments_set(question->report, question->arguments, settings[i].name,
                                  settings[i].value, error))
                return false;
        } else if (!take_shared(question, &settings[i], &argument, error)) {
            return false;
        }
        bool is_operand = (question->report->operand == MP_OPERAND_BASE &&
                           argument == settings[i].name && strcmp(argument, "base") == 0) ||
                          strcmp(argument, "policy") == 0;
        if (!is_operand)
            question->given[question->request.given_count++] =
                (mp_given){argument, settings[i].name};
    }
    return true;
}

/* What the recording is held against: a baseline, or another recording that is read now. */
static bool read_base(asked *question, const mp_recording *recording, mp_error *error)
{
    const char *path = question->base_path;
    if (mp_file_is_baseline(path)) {
        question->base = mp_baseline_read(path, question->dictionary, error);
        return question->base != NULL;
    }
    mp_recording *base = mp_recording_load(&path, 1, &recording->options);
    mp_request request = question->request;
    request.model = base->model;
    request.diagnostics = base->diagnostics;
    if (base->loaded && mp_recording_is_usable(base)) {
        question->base = mp_report_digest(&request, error);
    } else {
        const mp_diagnostic *kept;
        size_t count = mp_diagnostics_kept(base->diagnostics, &kept);
        mp_fail_file(error, path, 0, 0, "%s", count ? kept[0].message : "has nothing to compare");
        error->code = MP_ERROR_INPUT;
    }
    mp_recording_free(base);
    return question->base != NULL;
}

static bool read_policy(asked *question, mp_error *error)
{
    char *text;
    size_t length;
    bool ok = mp_file_read(question->policy_path, &text, &length, error);
    if (ok)
        question->policy = mp_policy_parse(question->policy_path, text, length);
    free(text);
    if (ok && question->policy->fault_count) {
        *error = question->policy->faults[0];
        return false;
    }
    return ok;
}

/* A question with all that it needs; NULL with an error. It belongs to the recording. */
static asked *prepare(mp_recording *recording, const char *name, bool with_operand,
                      const mp_setting *settings, size_t count, mp_error *error)
{
    const mp_report *report = mp_report_find(name);
    if (!report) {
        mp_fail(error, MP_ERROR_ARGUMENT, "there is no report \"%s\"", name);
        return NULL;
    }
    asked *question = mp_alloc_zero(1, sizeof *question);
    question->next = recording->questions;
    recording->questions = question;
    question->report = report;
    question->arguments = mp_arguments_new(&report->arguments);
    question->criteria = mp_alloc((count + 1) * sizeof *question->criteria);
    question->given = mp_alloc((count + 1) * sizeof *question->given);
    question->dictionary = mp_dictionary_new();
    question->suppressions.today = mp_today();
    question->request = (mp_request){.model = recording->model,
                                     .diagnostics = recording->diagnostics,
                                     .arguments = question->arguments,
                                     .selection = {.criteria = question->criteria},
                                     .given = question->given,
                                     .dictionary = question->dictionary};
    mp_request *request = &question->request;
    if (!take_settings(question, settings, count, error))
        return NULL;
    if (question->suppressions.count)
        request->suppressions = &question->suppressions;
    if (!mp_recording_is_usable(recording)) {
        mp_fail(error, MP_ERROR_NO_ANSWER, "nothing could be read that can be asked");
        return NULL;
    }
    bool lacks_base = report->operand == MP_OPERAND_BASE && !question->base_path;
    bool lacks_policy = report->operand == MP_OPERAND_POLICY && !question->policy_path;
    if (with_operand && (lacks_base || lacks_policy)) {
        mp_fail_argument(error, lacks_base ? "base" : "policy", NULL,
                         "%s needs one, expected a path", report->name);
        return NULL;
    }
    if ((question->base_path && !read_base(question, recording, error)) ||
        (question->policy_path && !read_policy(question, error)))
        return NULL;
    request->base = question->base;
    request->policy = question->policy;
    return question;
}

mp_document *mp_recording_ask(mp_recording *recording, const char *report,
                              const mp_setting *settings, size_t count, mp_error *error)
{
    asked *question = prepare(recording, report, true, settings, count, error);
    if (!question)
        return NULL;
    mp_document *document = mp_document_new(report);
    if (mp_report_run(question->report, &question->request, document, error))
        return document;
    mp_document_free(document);
    return NULL;
}

bool mp_recording_save_baseline(mp_recording *recording, const char *path,
                                const mp_setting *settings, size_t count, mp_error *error)
{
    /* What a gate can be about, a baseline can. */
    asked *question = prepare(recording, "gate", false, settings, count, error);
    mp_digest *digest = question ? mp_report_digest(&question->request, error) : NULL;
    if (!digest)
        return false;
    size_t length;
    char *text = mp_baseline_text(digest, question->dictionary, &length);
    mp_output output;
    bool ok = mp_output_open(&output, path, error);
    if (ok) {
        fwrite(text, 1, length, output.file);
        ok = mp_output_close(&output, true, error);
    }
    free(text);
    mp_digest_free(digest);
    return ok;
}

mp_document *mp_recording_export(const mp_recording *recording, const char *format,
                                 const char *path, mp_error *error)
{
    const mp_exporter *exporter = mp_exporter_find(format);
    mp_filter *filter = mp_filter_of(recording->model, NULL, error);
    mp_document *document = NULL;
    if (!exporter || exporter->needs & ~filter->holds) {
        mp_fail(error, MP_ERROR_NO_ANSWER, "there is nothing to write as \"%s\"", format);
    } else {
        document = mp_document_new("export");
        if (!exporter->write(filter, path, document, error)) {
            mp_document_free(document);
            document = NULL;
        }
    }
    mp_filter_free(filter);
    return document;
}

mp_document *mp_answers_merge(const char *const *names, const mp_document *const *documents,
                              size_t count, size_t rows)
{
    const mp_report *report = mp_report_find(documents[0]->command);
    mp_part *parts = mp_alloc(count * sizeof *parts);
    for (size_t i = 0; i < count; i++)
        parts[i] = (mp_part){names[i], documents[i]};
    mp_document *document = mp_documents_merge(
        parts, count, &(mp_merging){.rows = rows, .overview = report && report->overview});
    free(parts);
    return document;
}

/* --- printing --- */

bool mp_document_print(const mp_document *document, const char *format,
                       const mp_recording *recording, FILE *file, mp_error *error)
{
    const mp_renderer *renderer = mp_renderer_find(format);
    if (!renderer)
        return mp_fail_argument(error, "format", format, "there is no such format");
    mp_diagnostics *none = recording ? NULL : mp_diagnostics_new(1);
    const mp_style style = {.width = PAGE_WIDTH, .dashes = "--"};
    bool ok =
        renderer->render(document, recording ? recording->diagnostics : none, &style, file, error);
    mp_diagnostics_free(none);
    return ok;
}
