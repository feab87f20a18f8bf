/* The library as programs see it: a recording, what is asked of it, and what it says. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/memory.h"
#include "base/output.h"
#include "compare/baseline.h"
#include "document/merge.h"
#include "export/formats.h"
#include "memprof/memprof.h"
#include "readers/reader.h"
#include "session/beside.h"
#include "session/digests.h"

enum { KEPT_OF_EACH_CODE = 100 };

/* What was asked. Its answer may refer to it: it is released with the recording. */
typedef struct asked {
    struct asked *next;
    mp_question question;
    mp_dictionary *dictionary;
    mp_digest *base;
    mp_diagnostics *of_base; /* NULL: nothing is judged by it */
    mp_request request;
} asked;

struct mp_recording {
    mp_model *model;
    mp_diagnostics *diagnostics;
    mp_reading reading;
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
    recording->reading.grouping = MP_GROUP_ALL;
    if (options)
        recording->reading.load = *options;
    mp_file_groups groups;
    bool found = mp_file_groups_find(&groups, paths, count, &recording->reading, NULL,
                                     recording->diagnostics);
    recording->loaded = groups.count &&
                        mp_file_group_load(&groups.at[0], &recording->reading.load,
                                           recording->model, recording->diagnostics) &&
                        found;
    mp_file_groups_free(&groups);
    for (size_t i = 0; i < count; i++)
        mp_input_forget_archive(paths[i]);
    return recording;
}

static void forget(asked *old)
{
    mp_question_free(&old->question);
    mp_digest_free(old->base);
    mp_diagnostics_free(old->of_base);
    mp_dictionary_free(old->dictionary);
    free(old);
}

void mp_recording_free(mp_recording *recording)
{
    if (!recording)
        return;
    while (recording->questions) {
        asked *last = recording->questions;
        recording->questions = last->next;
        forget(last);
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

/* Read what the recording is held against. */
static bool read_base(asked *asking, const mp_recording *recording, mp_error *error)
{
    const mp_question *question = &asking->question;
    const mp_diagnostic *kept;
    bool of_bytes = mp_argument_find(&question->report->arguments, "against") != NULL;
    if (of_bytes && !recording->reading.load.checksums)
        return mp_fail(error, MP_ERROR_NO_ANSWER, "the recording was loaded without checksums");
    asking->of_base = mp_diagnostics_new(1);
    asking->base =
        mp_base_digest(question, &recording->reading, asking->dictionary, asking->of_base, error);
    mp_input_forget_archive(question->base);
    if (asking->base || error->code)
        return asking->base != NULL;
    size_t count = mp_diagnostics_kept(asking->of_base, &kept);
    mp_fail_file(error, question->base, 0, 0, "%s",
                 count ? kept[0].message : "has nothing to compare");
    error->code = MP_ERROR_INPUT;
    return false;
}

/* How the recording was read is part of what a baseline is about; where it means something. */
static void note_reading(mp_question *question, const mp_recording *recording)
{
    const mp_load_options *options = &recording->reading.load;
    const struct {
        const char *argument, *spelled;
        unsigned needs;
        bool given;
    } notes[] = {{"at", "at", MP_HOLDS_EVENTS, options->at != NULL},
                 {"skip", "skip", MP_HOLDS_NATIVE, options->skip_count > 0},
                 {"skip", "no-skip", MP_HOLDS_NATIVE, options->no_skips},
                 {"domain", "domain", MP_HOLDS_GRAPH, options->domain != NULL}};
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (notes[i].given && recording->model->holds & notes[i].needs &&
            mp_argument_find(&question->report->arguments, notes[i].argument))
            mp_question_note(question, notes[i].argument, notes[i].spelled);
}

/* A question with all that it needs; NULL with an error. It belongs to the recording. */
static asked *prepare(mp_recording *recording, const char *name, bool with_operand,
                      const mp_setting *settings, size_t count, mp_error *error)
{
    const mp_report *report = mp_report_find(name);
    if (!report) {
        mp_fail_argument(error, "report", name, "there is no such report");
        return NULL;
    }
    asked *asking = mp_alloc_zero(1, sizeof *asking);
    mp_question *question = &asking->question;
    asking->next = recording->questions;
    recording->questions = asking;
    asking->dictionary = mp_dictionary_new();
    mp_question_begin(question, report);
    mp_question_read_as(question, &recording->reading.load);
    for (size_t i = 0; i < count; i++)
        if (!mp_question_set(question, settings[i].name, settings[i].value, error))
            return NULL;
    note_reading(question, recording);
    bool lacks_base = report->operand == MP_OPERAND_BASE && !question->base;
    bool lacks_policy = report->operand == MP_OPERAND_POLICY && !question->policy_path;
    if (with_operand && (lacks_base || lacks_policy)) {
        mp_fail_argument(error, lacks_base ? "base" : "policy", NULL,
                         "%s needs one, expected a path", report->name);
        return NULL;
    }
    if (!mp_recording_is_usable(recording)) {
        mp_fail(error, MP_ERROR_NO_ANSWER, "nothing could be read that can be asked");
        return NULL;
    }
    if (!mp_question_read(question, error) ||
        (question->base && !read_base(asking, recording, error)))
        return NULL;
    asking->request = mp_question_request(question, recording->model, recording->diagnostics,
                                          asking->dictionary, asking->base);
    if (!asking->request.torn && asking->of_base)
        asking->request.torn = mp_question_torn(question, asking->of_base);
    return asking;
}

mp_document *mp_recording_ask(mp_recording *recording, const char *report,
                              const mp_setting *settings, size_t count, mp_error *error)
{
    asked *asking = prepare(recording, report, true, settings, count, error);
    if (!asking)
        return NULL;
    mp_document *document = mp_document_new(asking->question.report->name);
    document->draws = asking->question.draws;
    if (mp_report_run(asking->question.report, &asking->request, document, error))
        return document;
    mp_document_free(document);
    return NULL;
}

bool mp_recording_save_baseline(mp_recording *recording, const char *path,
                                const mp_setting *settings, size_t count, mp_error *error)
{
    /* What a gate can be about, a baseline can. */
    asked *asking = prepare(recording, "gate", false, settings, count, error);
    mp_digest *digest = asking ? mp_report_digest(&asking->request, error) : NULL;
    if (!digest)
        return false;
    if (!mp_question_keeps(&asking->question, recording->diagnostics, digest, error)) {
        mp_digest_free(digest);
        return false;
    }
    size_t length;
    char *text = mp_baseline_text(digest, asking->dictionary, &length);
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

static bool write_export(const mp_exporter *exporter, mp_request *request, const char *path,
                         mp_document *document, mp_error *error)
{
    mp_output output;
    mp_error closing = {0};
    request->path = path;
    if (exporter->in_place)
        return mp_report_run(&exporter->report, request, document, error);
    if (!mp_output_open(&output, path, error))
        return false;
    request->file = output.file;
    bool ok = mp_report_run(&exporter->report, request, document, error);
    return mp_output_close(&output, ok, ok ? error : &closing) && ok;
}

mp_document *mp_recording_export(const mp_recording *recording, const char *format,
                                 const char *path, mp_error *error)
{
    mp_question question;
    const mp_exporter *exporter = mp_exporter_find(format);
    if (!exporter) {
        mp_fail_argument(error, "format", format, "there is no such format");
        return NULL;
    }
    if (exporter->wants_objects && !recording->reading.load.keep_objects) {
        mp_fail(error, MP_ERROR_NO_ANSWER, "the recording was loaded without keep_objects");
        return NULL;
    }
    mp_question_begin(&question, &exporter->report);
    note_reading(&question, recording);
    mp_request request =
        mp_question_request(&question, recording->model, recording->diagnostics, NULL, NULL);
    mp_document *document = mp_document_new("export");
    if (!write_export(exporter, &request, path, document, error)) {
        mp_document_free(document);
        document = NULL;
    }
    mp_question_free(&question);
    return document;
}

mp_document *mp_answers_merge(const char *const *names, const mp_document *const *documents,
                              size_t count, size_t rows)
{
    const mp_report *report = mp_report_find(documents[0]->command);
    mp_part *parts = mp_alloc(count * sizeof *parts);
    for (size_t i = 0; i < count; i++)
        parts[i] = (mp_part){names[i], documents[i]};
    mp_document *document =
        mp_documents_merge(parts, count,
                           &(mp_merging){.rows = rows,
                                         .overview = report && report->overview,
                                         .sum_up = report ? report->sum_up : NULL});
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
    const mp_style style = {.dashes = ""};
    errno = 0;
    bool ok =
        renderer->render(document, recording ? recording->diagnostics : none, &style, file, error);
    mp_diagnostics_free(none);
    if (!ok || mp_stream_flush(file))
        return ok;
    return mp_fail(error, MP_ERROR_OUTPUT, "cannot write: %s", strerror(errno));
}
