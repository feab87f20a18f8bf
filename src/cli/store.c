#include "cli/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diagnose.h"
#include "base/memory.h"
#include "cli/console.h"
#include "cli/print.h"
#include "cli/run.h"
#include "cli/sandbox.h"
#include "compare/baseline.h"
#include "compare/runs.h"
#include "input/input.h"
#include "session/beside.h"

/* Arguments of a gate that can be stored with a baseline. */
static const mp_argument rows[] = {
    {"from", MP_SHARED_ARGUMENT, 0},
    {"to", MP_SHARED_ARGUMENT, 0},
    {"selection", MP_SHARED_ARGUMENT, 0},
    {"suppress", MP_SHARED_ARGUMENT, 0},
};
const mp_argument_table cli_baseline_arguments = {rows, sizeof rows / sizeof *rows, 0, NULL};

/* A name without the ending that says what the file is, and without the one of what packed it. */
static int without_endings(const char *name, int length)
{
    length = (int)mp_input_name_length(name, (size_t)length);
    const char *dot = memrchr(name, '.', (size_t)length);
    return dot && dot > name ? (int)(dot - name) : length;
}

/* Return the path of the recording's baseline in the store: DIR/NAME.baseline. NAME is "shop"
 * for "folder/shop.oemp@last" and for "shop.zip:folder/shop.oemp"; an @ may also be part of the
 * file's own name. Release with free(). */
static char *path_of(const cli_options *options)
{
    const char *name = options->baseline_name, *file = options->paths[0];
    int length = name ? (int)strlen(name) : 0;
    if (!name) {
        size_t archive = mp_input_archive_of(file);
        name = archive ? file + archive + 1 : file;
        const char *slash = strrchr(name, '/');
        name = slash ? slash + 1 : name;
        const char *at = mp_input_exists(file) ? NULL : strrchr(name, '@');
        length = at && at > name ? (int)(at - name) : (int)strlen(name);
        length = without_endings(name, length);
    }
    size_t size = strlen(options->store) + (size_t)length + sizeof "/" MP_BASELINE_ENDING;
    char *path = mp_alloc(size);
    snprintf(path, size, "%s/%.*s" MP_BASELINE_ENDING, options->store, length, name);
    return path;
}

/* --- save --- */

static int tell(const cli_options *options, const mp_digest *digest, const char *path,
                size_t length, const mp_diagnostics *diagnostics)
{
    typedef struct saved_row {
        const char *path;
        int64_t runs, sites, types, lines, bytes;
    } saved_row;
    static const mp_column columns[] = {
        MP_COLUMN(saved_row, path, "Baseline", MP_TEXT, 0),
        MP_COLUMN(saved_row, runs, "Runs", MP_COUNT, 0),
        MP_COLUMN(saved_row, sites, "Sites", MP_COUNT, 0),
        MP_COLUMN(saved_row, types, "Types", MP_COUNT, 0),
        MP_COLUMN(saved_row, lines, "Lines", MP_COUNT, 0),
        MP_COLUMN(saved_row, bytes, "Size", MP_BYTES, 0),
    };
    mp_document *document = mp_document_new("baseline");
    mp_table *table = MP_TABLE(document, "baseline", "Saved", MP_RECORD, columns);
    document->exact_bytes = options->reading.exact_bytes;
    table->main = true;
    mp_digest *any = digest->run_count ? mp_digest_of_any_run(digest) : NULL;
    const mp_entries *lists = any ? any->lists : digest->lists;
    saved_row row = {path, MP_UNKNOWN, MP_UNKNOWN, MP_UNKNOWN, MP_UNKNOWN, (int64_t)length};
    if (any)
        row.runs = (int64_t)digest->run_count;
    if (digest->kind == MP_KIND_PROFILE) {
        row.lines = (int64_t)lists[MP_LEVEL_LINE].count;
    } else {
        row.sites = (int64_t)lists[MP_LEVEL_SITE].count;
        row.types = (int64_t)lists[MP_LEVEL_TYPE].count;
    }
    mp_digest_free(any);
    mp_table_put(document, table, &row);
    if (digest->kind == MP_KIND_RECORDING && !digest->complete && !digest->of_moment)
        mp_document_say(document, MP_TONE_WARNING, "Not complete",
                        "objects in use count as leaked, so it cannot judge complete runs");
    int status = cli_put_document(options, document, diagnostics);
    mp_document_free(document);
    return status;
}

/* "shop.oemp" and "shop.prf" have one name: one must not take the other's place. What is no whole
 * baseline may be replaced: that is how a torn one is mended. */
static bool is_free(const char *path, const mp_limits *limits, const mp_digest *digest)
{
    mp_error error = {0};
    if (access(path, F_OK) != 0)
        return true;
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_digest *there = mp_baseline_read(path, limits, dictionary, NULL, &error);
    bool is = error.code != MP_ERROR_INPUT && (!there || there->kind == digest->kind);
    if (!is && there)
        cli_put_fault(path, "is a baseline of %s, expected another name by --as",
                      mp_kind_name(there->kind));
    else if (!is)
        cli_put_error(&error);
    mp_digest_free(there);
    mp_dictionary_free(dictionary);
    return is;
}

static int put_baseline(const cli_options *options, const mp_digest *digest,
                        const mp_dictionary *dictionary, const mp_diagnostics *diagnostics)
{
    mp_output output;
    size_t length;
    const char *store = options->store;
    int status = CLI_UNREADABLE;
    char *path = path_of(options), *text = mp_baseline_text(digest, dictionary, &length);
    if (!cli_output_spares_read(path)) {
        status = CLI_USAGE;
    } else if (mkdir(store, 0777) != 0 && errno != EEXIST) {
        cli_put_fault(store, "cannot be saved: %s", strerror(errno));
    } else if (is_free(path, &options->reading.load.limits, digest) &&
               cli_output_open(&output, path)) {
        fwrite(text, 1, length, output.file);
        if (cli_output_close(&output, true))
            status = tell(options, digest, path, length, diagnostics);
    }
    free(text);
    free(path);
    return status;
}

/* The digest of a run, or NULL with a status other than CLI_OK after a message. */
static mp_digest *digest_of(const cli_options *options, const char *path, mp_dictionary *dictionary,
                            mp_diagnostics *diagnostics, int *status)
{
    mp_diagnostics *own = cli_diagnostics_new(options);
    mp_error error = {0};
    cli_progress bar;
    mp_reading reading = options->reading;
    cli_progress_begin(&bar, options->quiet);
    reading.load.progress = &bar.progress;
    mp_digest *digest =
        mp_recording_digest(path, &options->question, &reading, dictionary, own, &error);
    cli_progress_end(&bar);
    cli_put_diagnostics(own, options->quiet, true);
    *status = digest ? CLI_OK : cli_put_refusal(&error);
    if (digest && !mp_question_keeps(&options->question, own, digest, &error)) {
        cli_put_error(&error);
        mp_digest_free(digest);
        digest = NULL;
        *status = CLI_UNREADABLE;
    }
    *status = cli_status_of(*status, own);
    mp_diagnostics_append(diagnostics, own);
    mp_diagnostics_free(own);
    return digest;
}

/* A run after the other, so that no two are in memory together. */
static int save(cli_options *options)
{
    mp_diagnostics *diagnostics = cli_diagnostics_new(options);
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_digest **runs = mp_alloc(options->path_count * sizeof(mp_digest *));
    size_t count = 0;
    options->question.policy_path = NULL;
    options->reading.load.checksums = true;
    cli_sandbox_enter(options);
    int status = cli_read_beside(options);
    while (status == CLI_OK && count < options->path_count) {
        const char *path = options->paths[count];
        mp_digest *run = digest_of(options, path, dictionary, diagnostics, &status);
        if (!run)
            break;
        runs[count++] = run;
        if (run->kind != runs[0]->kind) {
            cli_put_fault(path, "is %s, and %s is %s: expected runs of one kind",
                          mp_kind_name(run->kind), options->paths[0], mp_kind_name(runs[0]->kind));
            status = CLI_USAGE;
        }
    }
    if (status == CLI_OK) {
        mp_digest *digest = mp_digest_of_runs(runs, count);
        status = put_baseline(options, digest, dictionary, diagnostics);
        mp_digest_free(digest);
        count = 0;
    }
    while (count)
        mp_digest_free(runs[--count]);
    free(runs);
    mp_dictionary_free(dictionary);
    mp_diagnostics_free(diagnostics);
    return status;
}

/* --- check --- */

/* Rules that no change should break badly, whatever the program. */
static const char heap_rules[] = "leaked <= 1.1 x base + 64 KiB\n"
                                 "live <= 1.1 x base + 64 KiB\n"
                                 "no new leak site\n";
static const char dump_rules[] = "live <= 1.1 x base + 64 KiB\n"
                                 "no new type\n";
static const char profile_rules[] = "seconds <= 1.1 x base\n"
                                    "calls <= 1.1 x base\n";

/* NULL after a message, where the baseline cannot be read. */
static const char *rules_for(const char *path, const mp_limits *limits)
{
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_error error = {0};
    mp_digest *digest = mp_baseline_read(path, limits, dictionary, NULL, &error);
    if (!digest)
        cli_put_error(&error);
    const char *rules = !digest                           ? NULL
                        : digest->kind == MP_KIND_PROFILE ? profile_rules
                        : digest->has & MP_HAS_HISTORY    ? heap_rules
                                                          : dump_rules;
    mp_digest_free(digest);
    mp_dictionary_free(dictionary);
    return rules;
}

/* A check is a gate whose base is in the store. */
static int check(cli_options *options)
{
    mp_question *question = &options->question;
    char *path = path_of(options);
    int status = CLI_UNREADABLE;
    question->base = path;
    cli_sandbox_enter(options);
    /* Bytes are held against those that the baseline was made of; a pipe's would have to be kept.
     */
    options->reading.load.checksums = !mp_file_is_stream(options->paths[0]);
    if (!question->policy_path) {
        question->policy_path = "baseline check";
        question->rules = "";
    }
    if (access(path, F_OK) != 0)
        cli_put_fault(path, "no baseline of this name, expected one saved by \"baseline save\"");
    else if (!question->rules || (question->rules = rules_for(path, &options->reading.load.limits)))
        status = cli_report(options);
    free(path);
    return status;
}

int cli_baseline(cli_options *options)
{
    const char *action = options->operand ? options->operand : "";
    bool checks = strcmp(action, "check") == 0;
    if (!checks && strcmp(action, "save") != 0)
        cli_refuse(options, "usage: memprof baseline save|check FILE... --store DIR");
    else if (!options->store)
        cli_refuse(options, "baseline needs --store DIR");
    else if (options->path_count > (checks ? 1 : MP_MOST_RUNS))
        cli_refuse(options, checks ? "baseline check takes one recording"
                                   : "baseline save takes at most 1000 runs");
    else
        return checks ? check(options) : save(options);
    return CLI_USAGE;
}
