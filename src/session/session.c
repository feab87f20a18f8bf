/* Sessions: find and read inputs, answer questions, print the answers. */
#include "session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "document/checks.h"
#include "session/save.h"

enum { KEPT_OF_EACH_CODE = 100 };

/* A question with its answers. Documents may refer to it, so it is released with the session. */
struct mp_asked {
    struct mp_asked *next;
    mp_question question;
    mp_answers answers;
};

const char *mp_version(void)
{
    return MEMPROF_VERSION;
}

/* --- inputs --- */

static void renew_diagnostics(mp_session *session)
{
    session->finding = mp_diagnostics_new(session->kept);
    mp_diagnostics_spell(session->finding, session->dashes ? session->dashes : "");
    mp_diagnostics_alias(session->finding, session->aliases, session->copy_count);
    session->diagnostics = mp_diagnostics_like(session->finding);
}

void mp_session_begin(mp_session *session)
{
    pthread_mutex_init(&session->watching, NULL);
    renew_diagnostics(session);
}

/* Forget the found files and the recording in memory. */
static void forget(mp_session *session)
{
    mp_held_free(&session->held);
    for (size_t i = 0; session->joint && i < session->groups.count; i++)
        mp_held_free(&session->joint[i]);
    free(session->joint);
    session->joint = NULL;
    mp_file_groups_free(&session->groups);
    session->groups = (mp_file_groups){.items = NULL};
    session->grouped = false;
    mp_diagnostics_free(session->finding);
    mp_diagnostics_free(session->diagnostics);
}

void mp_session_end(mp_session *session)
{
    while (session->asked) {
        struct mp_asked *last = session->asked;
        session->asked = last->next;
        mp_answers_free(&last->answers);
        mp_question_free(&last->question);
        free(last);
    }
    forget(session);
    for (size_t i = 0; i < session->copy_count; i++)
        close(session->copies[i]);
    free(session->copies);
    free(session->aliases);
    mp_arena_free(&session->texts);
    free(session->paths.items);
    pthread_mutex_destroy(&session->watching);
}

mp_session *mp_session_new(void)
{
    mp_session *session = mp_alloc_zero(1, sizeof *session);
    session->kept = KEPT_OF_EACH_CODE;
    mp_reading_begin(&session->reading);
    mp_session_begin(session);
    return session;
}

void mp_session_free(mp_session *session)
{
    if (!session)
        return;
    mp_session_end(session);
    mp_reading_free(&session->reading);
    free(session);
}

/* Drop everything that was found and read; the next question finds and reads the inputs again. */
static void start_again(mp_session *session)
{
    forget(session);
    renew_diagnostics(session);
}

static bool set(mp_session *session, const char *name, const char *text, mp_error *error)
{
    const mp_reading_option *option = mp_reading_option_find(name);
    if (!option)
        return mp_fail_argument(error, name, NULL, "unknown reading option");
    start_again(session);
    if (mp_reading_set(&session->reading, option, text))
        return true;
    return mp_fail_argument(error, name, text, "expected %s", option->takes);
}

void mp_session_add(mp_session *session, const char *path)
{
    start_again(session);
    mp_argument_texts_add(&session->paths, mp_arena_format(&session->texts, "%s", path));
}

bool mp_session_set(mp_session *session, const char *name, const char *text, mp_error *error)
{
    return mp_session_told(session, set(session, name, text, mp_session_tells(session)), error);
}

/* Report progress (mp_progress), of one thread at a time. After a cancellation no further file is
 * read. */
static bool watch(void *opaque, const char *path, uint64_t done, uint64_t total)
{
    mp_session *session = opaque;
    const mp_progress *state = &session->progress;
    pthread_mutex_lock(&session->watching);
    session->cancelled |= !state->advance(state->opaque, path, done, total);
    const bool goes_on = !session->cancelled;
    pthread_mutex_unlock(&session->watching);
    return goes_on;
}

void mp_session_watch(mp_session *session,
                      bool (*advance)(void *opaque, const char *path, uint64_t done,
                                      uint64_t total),
                      void *opaque)
{
    session->progress = (mp_progress){advance, opaque};
    session->watcher = (mp_progress){watch, session};
    session->reading.load.progress = advance ? &session->watcher : NULL;
}

mp_error *mp_session_tells(mp_session *session)
{
    session->error = (mp_error){0};
    return &session->error;
}

bool mp_session_told(const mp_session *session, bool ok, mp_error *error)
{
    if (!ok && error)
        *error = session->error;
    return ok;
}

const char *mp_session_error(mp_session *session)
{
    return mp_error_line(&session->error, "", session->error_line, sizeof session->error_line);
}

const mp_diagnostics *mp_session_diagnostics(const mp_session *session)
{
    return session->diagnostics;
}

/* --- finding and reading --- */

/* Return true if both reports group files in the same way. */
static bool groups_alike(const mp_report *a, const mp_report *b)
{
    static const mp_report none = {.name = NULL};
    a = a ? a : &none;
    b = b ? b : &none;
    return a->many == b->many && a->unites == b->unites && a->separates == b->separates &&
           a->separates_dumps == b->separates_dumps;
}

bool mp_session_find(mp_session *session, const mp_report *report, bool judges)
{
    bool same = groups_alike(session->report, report) && session->reading.judges >= judges;
    if (session->grouped && !same)
        start_again(session);
    session->report = report;
    session->reading.judges |= judges;
    if (!session->grouped)
        session->found =
            mp_file_groups_find(&session->groups, session->paths.items, session->paths.count,
                                &session->reading, report, session->finding);
    session->grouped = true;
    mp_diagnostics_free(session->diagnostics);
    session->diagnostics = mp_diagnostics_like(session->finding);
    mp_diagnostics_append(session->diagnostics, session->finding);
    return session->found;
}

bool mp_session_read(mp_session *session, const mp_load_options *needs)
{
    mp_reading reading = session->reading;
    reading.load = *needs;
    mp_held_read(&session->held, &session->groups.items[0], &reading, session->diagnostics);
    return session->held.loaded && session->found;
}

mp_document *mp_session_answer_one(const mp_session *session, const mp_question *question,
                                   mp_error *error)
{
    mp_request request =
        mp_question_request(question, session->held.model, session->diagnostics, NULL, NULL);
    mp_document *document = mp_document_new(question->report->name);
    document->exact_bytes = session->reading.exact_bytes;
    if (mp_report_run(question->report, &request, document, error))
        return document;
    mp_document_free(document);
    return NULL;
}

unsigned mp_session_kind(const mp_session *session)
{
    return 1u << session->held.model->kind;
}

bool mp_session_is_askable(const mp_session *session)
{
    return mp_session_can_ask(session, &session->held);
}

bool mp_session_can_ask(const mp_session *session, const mp_held *held)
{
    return held->model && mp_model_is_usable(held->model) &&
           (!session->reading.strict || mp_model_is_whole(held->model, session->diagnostics));
}

bool mp_session_refuse_many(const mp_session *session, const char *asked, mp_error *error)
{
    return mp_fail(error, MP_ERROR_NO_ANSWER,
                   "%s takes one recording, but got %zu separate ones, %s and others; name one, or "
                   "combine them with " MP_DASHES "group all",
                   asked, session->groups.count, session->groups.items[0].name);
}

/* Return the path of a stream among the files, which can be read only once; NULL: none. */
static const char *read_once(const mp_session *session)
{
    for (size_t i = 0; i < session->groups.count; i++) {
        const mp_file_group *group = &session->groups.items[i];
        for (size_t j = 0; j < group->count; j++)
            if (mp_file_is_stream(group->files[j].path))
                return group->files[j].path;
    }
    return NULL;
}

bool mp_session_find_for(mp_session *session, const mp_question *question, mp_load_options *needs,
                         mp_error *error)
{
    *needs = session->reading.load;
    mp_reading_suit(needs, question);
    const mp_held *held = session->joint ? session->joint : &session->held;
    if (held->model && !mp_reading_suits(&held->read_with, needs)) {
        const char *path = read_once(session);
        if (path) {
            mp_fail_file(error, path, 0, 0,
                         "was read without what %s needs, and cannot be read again: ask that first",
                         question->report->name);
            error->code = MP_ERROR_INPUT;
            return false;
        }
        start_again(session);
    }
    mp_session_find(session, question->report, mp_question_judges(question));
    return true;
}

bool mp_session_answer(mp_session *session, const mp_question *question,
                       const mp_merge_style *style, mp_answers *answers, mp_error *error)
{
    const mp_file_groups *groups = &session->groups;
    const mp_report *report = question->report;
    mp_reading reading = session->reading;
    mp_reading_suit(&reading.load, question);
    mp_question_diagnose(question, session->diagnostics);
    if (groups->apart && style->single && groups->count > 1 && !report->together)
        return mp_session_refuse_many(session, report->name, error);
    if (report->together && groups->count > 1) {
        if (!session->joint)
            session->joint = mp_alloc_zero(groups->count, sizeof *session->joint);
        mp_groups_ask_together(groups, question, &reading, session->joint, session->diagnostics,
                               answers);
    } else if (report->many) {
        mp_groups_compare(groups, question, &reading, session->diagnostics, answers);
    } else {
        mp_groups_answer(groups, question, &reading, style, &session->held, session->diagnostics,
                         answers);
    }
    if (answers->document)
        mp_document_settle_verdict(answers->document, session->diagnostics);
    return true;
}

/* --- asking --- */

/* Note the reading options that change figures, because they are part of a baseline. Options that
 * do not apply to the report are left out. */
static void note_reading(mp_question *question, const mp_load_options *options)
{
    const struct {
        const char *argument, *spelled;
        bool given;
    } notes[] = {{"at", "at", options->moment != NULL},
                 {"skip", "skip", options->skip_count > 0},
                 {"skip", "no-skip", options->no_skips},
                 {"domain", "domain", options->domain != NULL}};
    question->by_default = true; /* a setting that does not apply is ignored */
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (notes[i].given && mp_argument_find(&question->report->arguments, notes[i].argument))
            mp_question_note(question, notes[i].argument, notes[i].spelled);
    question->by_default = false;
}

/* Return a question with its settings and its own files read, after finding the inputs; NULL with
 * an error. It belongs to the session. */
static struct mp_asked *prepare(mp_session *session, const mp_report *report, bool with_operand,
                                const mp_setting *settings, size_t count, mp_load_options *needs,
                                mp_error *error)
{
    struct mp_asked *asked = mp_alloc_zero(1, sizeof *asked);
    mp_question *question = &asked->question;
    asked->next = session->asked;
    session->asked = asked;
    mp_question_begin(question, report);
    mp_question_read_as(question, &session->reading.load);
    question->strict = session->reading.strict;
    question->allow_torn = session->reading.allow_torn;
    for (size_t i = 0; i < count; i++)
        if (!mp_question_set(question, settings[i].name, settings[i].value, error))
            return NULL;
    note_reading(question, &session->reading.load);
    bool lacks_base = report->operand == MP_OPERAND_BASE && !question->base;
    bool lacks_policy = report->operand == MP_OPERAND_POLICY && !question->policy_path;
    if (with_operand && (lacks_base || lacks_policy)) {
        mp_fail_argument(error, lacks_base ? "base" : "policy", NULL,
                         "%s needs one, expected a path", report->name);
        return NULL;
    }
    session->cancelled = false;
    if (!mp_question_read(question, error) || !mp_session_find_for(session, question, needs, error))
        return NULL;
    if (session->groups.count)
        return asked;
    mp_fail(error, MP_ERROR_INPUT, "%s",
            session->paths.count ? "no recording was found" : "there is no input");
    return NULL;
}

/* Set the error to the reason for the missing answer: the error of the report or, if there is none,
 * the first diagnostic of severity error. */
static void explain(const mp_session *session, const mp_answers *answers, mp_error *error)
{
    const mp_diagnostic *kept;
    for (size_t i = 0; i < answers->count; i++)
        if (answers->groups[i].error) {
            *error = *answers->groups[i].error;
            return;
        }
    size_t count = mp_diagnostics_kept(session->diagnostics, &kept);
    for (size_t i = 0; i < count; i++)
        if (mp_diagnostic_severity(kept[i].id) == MP_ERROR) {
            mp_fail_file(error, kept[i].path, (uint32_t)kept[i].line, 0, "%s", kept[i].message);
            error->code = MP_ERROR_INPUT;
            return;
        }
    mp_fail(error, MP_ERROR_NO_ANSWER, "no recording could be read");
}

/* Return true if reading was cancelled. Also set the error, in place of any other error. */
static bool is_cancelled(mp_session *session, mp_error *error)
{
    if (!session->cancelled)
        return false;
    start_again(session);
    *error = (mp_error){0};
    mp_fail(error, MP_ERROR_CANCELLED, "reading was cancelled");
    return true;
}

static mp_document *ask(mp_session *session, const char *name, const mp_setting *settings,
                        size_t count, mp_error *error)
{
    const mp_report *report = mp_report_find(name);
    mp_load_options needs;
    if (!report) {
        mp_fail_argument(error, "report", name, "unknown report");
        return NULL;
    }
    struct mp_asked *asked = prepare(session, report, true, settings, count, &needs, error);
    if (!asked)
        return NULL;
    const int64_t *limit = mp_question_limit(&asked->question);
    const mp_merge_style style = {.rows = limit ? (size_t)*limit : mp_report_rows(report),
                                  .single = report->single};
    if (!mp_session_answer(session, &asked->question, &style, &asked->answers, error))
        return NULL;
    mp_document *document = mp_answers_take(&asked->answers);
    if (!document)
        explain(session, &asked->answers, error);
    if (!is_cancelled(session, error))
        return document;
    mp_document_free(document);
    return NULL;
}

mp_document *mp_session_ask(mp_session *session, const char *report, const mp_setting *settings,
                            size_t count, mp_error *error)
{
    mp_document *answer = ask(session, report, settings, count, mp_session_tells(session));
    mp_session_told(session, answer, error);
    return answer;
}

bool mp_session_is_whole(const mp_session *session)
{
    const mp_held *held = &session->held;
    return session->grouped && session->found &&
           mp_diagnostics_severity_count(session->diagnostics, MP_WARNING) == 0 &&
           mp_diagnostics_severity_count(session->diagnostics, MP_ERROR) == 0 &&
           (!held->model || (held->loaded && mp_model_is_whole(held->model, session->diagnostics)));
}

/* Read the only recording that a question is about. Return false with an error. */
static bool read_one(mp_session *session, const mp_question *question, const mp_load_options *needs,
                     mp_error *error)
{
    if (session->groups.count > 1)
        return mp_session_refuse_many(session, question->report->name, error);
    mp_session_read(session, needs);
    if (mp_session_is_askable(session))
        return !is_cancelled(session, error);
    explain(session, &(mp_answers){.count = 0}, error);
    is_cancelled(session, error);
    return false;
}

static bool save_baseline(mp_session *session, const char *path, const mp_setting *settings,
                          size_t count, mp_error *error)
{
    mp_load_options needs;
    session->reading.load.checksums = true;
    /* Use the gate's options, because a baseline is made of recordings that a gate accepts. */
    struct mp_asked *asked =
        prepare(session, &mp_report_gate, false, settings, count, &needs, error);
    session->reading.load.checksums = false;
    if (!asked || !read_one(session, &asked->question, &needs, error))
        return false;
    mp_runs runs = {.dictionary = mp_dictionary_new()};
    mp_digest *digest = mp_model_digest(session->held.model, &asked->question, &session->reading,
                                        runs.dictionary, session->diagnostics, error);
    mp_document *saved =
        digest &&
                mp_runs_add(&runs, session->groups.items[0].name, digest, &asked->question,
                            session->diagnostics, error) &&
                mp_output_spares(session->reading.load.inputs, path, NULL, 0, error)
            ? mp_runs_save(&runs, path, error)
            : NULL;
    mp_document_free(saved);
    mp_runs_free(&runs);
    return saved != NULL;
}

bool mp_session_save_baseline(mp_session *session, const char *path, const mp_setting *settings,
                              size_t count, mp_error *error)
{
    return mp_session_told(
        session, save_baseline(session, path, settings, count, mp_session_tells(session)), error);
}

static mp_document *export(mp_session *session, const char *format, const char *path,
                           const mp_setting *settings, size_t count, mp_error *error)
{
    const mp_exporter *exporter = mp_exporter_find(format);
    mp_load_options needs;
    if (!exporter) {
        mp_fail_argument(error, "format", format, "unknown format");
        return NULL;
    }
    struct mp_asked *asked =
        prepare(session, &exporter->report, false, settings, count, &needs, error);
    if (!asked || (!exporter->many && !read_one(session, &asked->question, &needs, error)))
        return NULL;
    mp_document *written =
        mp_session_write(session, &asked->question, exporter, path, &needs, error);
    if (!written && !error->code)
        explain(session, &(mp_answers){.count = 0}, error);
    if (!is_cancelled(session, error))
        return written;
    mp_document_free(written);
    return NULL;
}

mp_document *mp_session_export(mp_session *session, const char *format, const char *path,
                               const mp_setting *settings, size_t count, mp_error *error)
{
    mp_document *written =
        export(session, format, path, settings, count, mp_session_tells(session));
    mp_session_told(session, written, error);
    return written;
}

/* --- printing --- */

bool mp_document_print(const mp_document *document, const char *format, const mp_session *session,
                       FILE *file, mp_error *error)
{
    mp_error unheard = {0};
    const mp_renderer *renderer = mp_renderer_find(format);
    error = error ? error : &unheard;
    if (!renderer)
        return mp_fail_argument(error, "format", format, "unknown format");
    mp_diagnostics *none = session ? NULL : mp_diagnostics_new(1);
    const mp_style style = {.dashes = ""};
    errno = 0;
    bool ok =
        renderer->render(document, session ? session->diagnostics : none, &style, file, error);
    mp_diagnostics_free(none);
    if (!ok || mp_stream_flush(file))
        return ok;
    return mp_fail(error, MP_ERROR_OUTPUT, "cannot write: %s", strerror(errno));
}

/* Function that receives the bytes of a stream. */
typedef struct byte_sink {
    bool (*write)(void *opaque, const void *bytes, size_t length);
    void *opaque;
} byte_sink;

static ssize_t put_bytes(void *opaque, const char *bytes, size_t length)
{
    const byte_sink *sink = opaque;
    errno = EIO; /* in case the function does not set errno itself */
    return sink->write(sink->opaque, bytes, length) ? (ssize_t)length : 0;
}

bool mp_document_write(const mp_document *document, const char *format, const mp_session *session,
                       bool (*write)(void *opaque, const void *bytes, size_t length), void *opaque,
                       mp_error *error)
{
    byte_sink sink = {write, opaque};
    FILE *file = fopencookie(&sink, "w", (cookie_io_functions_t){.write = put_bytes});
    if (!file)
        return mp_fail(error, MP_ERROR_OUTPUT, "cannot write: %s", strerror(errno));
    bool ok = mp_document_print(document, format, session, file, error);
    fclose(file);
    return ok;
}
