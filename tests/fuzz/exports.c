/* Exporters. If a format has a grammar, the output conforms to it for any recording. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diagnose.h"
#include "base/error.h"
#include "base/text.h"
#include "export/formats.h"
#include "fuzz/fuzz.h"
#include "input/input.h"
#include "session/question.h"

/* --- checks of the output --- */

static void check_lines_of_json(const char *name, mp_slice text)
{
    for (mp_slice rest = text, line; mp_slice_take_line(&rest, &line);)
        fuzz_check_json(name, line);
}

static void check_packed(const char *name, mp_slice text)
{
    size_t length;
    char packing[64];
    mp_diagnostics *diagnostics = mp_diagnostics_new(1);
    mp_input *input = mp_input_from_memory("export", text.start, text.length, 1 << 16, diagnostics);
    char *whole = mp_input_whole(input, &length);
    fuzz_hold(mp_text_is(mp_input_packing(input, packing, sizeof packing), "gzip") && length > 0 &&
                  mp_input_is_whole(input),
              name, (mp_slice){NULL, 0});
    free(whole);
    mp_input_close(input);
    mp_diagnostics_free(diagnostics);
}

/* Checks, by name of the exporter. All other exporters write plain text. */
static const struct {
    const char *name;
    void (*check)(const char *name, mp_slice text);
} checks[] = {{"heapsnapshot", fuzz_check_json}, {"trace", fuzz_check_json},
              {"dhat", fuzz_check_json},         {"ndjson", check_lines_of_json},
              {"pprof", check_packed},           {"openmetrics", fuzz_check_text},
              {"dot", fuzz_check_text},          {"callgrind", fuzz_check_text},
              {"massif", fuzz_check_text}};

static void check_export(const char *name, mp_slice text)
{
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (mp_text_is(checks[i].name, name)) {
            checks[i].check(name, text);
            return;
        }
    fuzz_hold(false, "an exporter has a check", mp_slice_of(name));
}

/* --- exporters that create a file --- */

/* Return the path for exporters that create their file themselves. */
static const char *file_path(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/memprof-fuzz-%ld.sqlite", (long)getpid());
    return path;
}

static void check_file(const char *path, bool written)
{
    static const char magic[] = "SQLite format 3";
    char head[sizeof magic] = "";
    FILE *file = fopen(path, "rb");
    fuzz_hold(written == (file != NULL), "there is a file where one was written",
              mp_slice_of(path));
    if (!file)
        return;
    fuzz_hold(fread(head, 1, sizeof head, file) == sizeof head &&
                  memcmp(head, magic, sizeof head) == 0,
              "the file is a database", mp_slice_of(head));
    fclose(file);
    remove(path);
}

/* --- asking --- */

char *fuzz_export(const fuzz_recording *recording, const mp_exporter *exporter, fuzz_choice *choice)
{
    char *text = NULL, *whole = NULL;
    size_t length = 0, all_length;
    mp_question question;
    mp_error error = {0};
    if (exporter->report.wants_objects && !recording->keeps_objects)
        return NULL;
    mp_question_begin(&question, &exporter->report);
    fuzz_set_some(&question, choice);
    mp_request request =
        mp_question_request(&question, recording->model, recording->diagnostics, NULL, NULL);
    mp_document *document = mp_document_new("export");
    request.path = exporter->in_place ? file_path() : "export";
    request.file = exporter->in_place ? NULL : open_memstream(&text, &length);
    bool ok = mp_report_run(&exporter->report, &request, document, &error);
    if (request.file)
        fclose(request.file);
    FILE *out = open_memstream(&whole, &all_length);
    fprintf(out, "=== %s\n", exporter->report.name);
    if (exporter->in_place)
        check_file(request.path, ok);
    else if (ok)
        check_export(exporter->name, (mp_slice){text, length});
    if (ok) {
        char *said =
            fuzz_render(document, recording->diagnostics, mp_renderer_find("json"), choice);
        fwrite(text ? text : "", 1, length, out);
        fputs(said ? said : "", out);
        free(said);
    } else {
        fuzz_check_error(&error);
        fputs(error.text, out);
    }
    fclose(out);
    free(text);
    mp_document_free(document);
    mp_question_free(&question);
    return whole;
}
