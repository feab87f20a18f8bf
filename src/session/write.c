/* Exports: recordings written in the format of another tool. The file appears complete or not at
 * all. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "session/session.h"
#include "session/side_files.h"

/* State of one export. */
typedef struct export_run {
    mp_session *session;
    const mp_question *question;
    const mp_exporter *exporter;
    const mp_load_options *needs;
    mp_document *document;
    const char *path; /* NULL: standard output */
    mp_output output;
    void *sink;
} export_run;

static bool write_held(const export_run *run, const mp_held *held, mp_diagnostics *diagnostics,
                       mp_error *error)
{
    mp_request request = mp_question_request(run->question, held->model, diagnostics, NULL, NULL);
    request.path = run->path ? run->path : "(standard output)";
    request.file = run->exporter->in_place ? NULL : run->output.file;
    request.sink = run->sink;
    return mp_report_run(&run->exporter->report, &request, run->document, error);
}

/* Read the recording of a group, export it, and free it. */
static bool write_group(const export_run *run, const mp_file_group *group, mp_error *error)
{
    mp_session *session = run->session;
    mp_reading reading = session->reading;
    mp_held apart = {.model = NULL};
    mp_held *held = session->groups.count > 1 ? &apart : &session->held;
    reading.load = *run->needs;
    mp_held_read(held, group, &reading, session->diagnostics);
    const bool ok = held->loaded && mp_session_can_ask(session, held) &&
                    write_held(run, held, held->diagnostics, error);
    mp_held_free(&apart);
    return ok;
}

static bool write_recordings(export_run *run, mp_error *error)
{
    const mp_exporter *exporter = run->exporter;
    const mp_session *session = run->session;
    if (!exporter->many)
        return write_held(run, &session->held, session->diagnostics, error);
    bool ok = session->found && session->groups.count > 0;
    size_t refused = 0;
    run->sink = exporter->begin ? exporter->begin(run->path) : NULL;
    for (size_t i = 0; (ok || exporter->skips) && i < session->groups.count; i++) {
        mp_error why = {0};
        const bool written = write_group(run, &session->groups.items[i], &why);
        refused += why.code != 0;
        if (!written && !error->code)
            *error = why;
        ok &= written;
    }
    const size_t length = strlen(error->text);
    if (refused > 1)
        snprintf(error->text + length, sizeof error->text - length,
                 "; %zu more recordings were refused", refused - 1);
    return exporter->end ? exporter->end(run->sink, ok, run->document, error) : ok;
}

static bool write_file(export_run *run, mp_error *error)
{
    mp_error closing = {0};
    if (run->exporter->in_place)
        return write_recordings(run, error);
    run->output.file = stdout;
    if (run->path && !mp_output_open(&run->output, run->path, error))
        return false;
    errno = 0; /* mp_stream_flush reads errno */
    bool ok = write_recordings(run, error);
    if (run->path)
        return mp_output_close(&run->output, ok, ok ? error : &closing) && ok;
    if (!mp_stream_flush(stdout) && ok)
        ok = mp_fail_file(error, "(standard output)", 0, 0, "cannot write: %s", strerror(errno));
    return ok;
}

mp_document *mp_session_write(mp_session *session, const mp_question *question,
                              const mp_exporter *exporter, const char *path,
                              const mp_load_options *needs, mp_error *error)
{
    export_run run = {.session = session,
                      .question = question,
                      .exporter = exporter,
                      .needs = needs,
                      .document = mp_document_new("export"),
                      .path = path};
    run.document->exact_bytes = session->reading.exact_bytes;
    if (mp_output_spares(session->reading.load.inputs, path, NULL, 0, error) &&
        write_file(&run, error))
        return run.document;
    mp_document_free(run.document);
    return NULL;
}
