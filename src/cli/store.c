#include "cli/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/print.h"
#include "cli/run.h"
#include "cli/sandbox.h"

/* Arguments of a gate that can be stored with a baseline. */
static const mp_argument rows[] = {
    {"from", MP_SHARED_ARGUMENT, 0},
    {"to", MP_SHARED_ARGUMENT, 0},
    {"selection", MP_SHARED_ARGUMENT, 0},
    {"suppress", MP_SHARED_ARGUMENT, 0},
};
const mp_argument_table cli_baseline_arguments = {rows, sizeof rows / sizeof *rows, 0, NULL};

/* --- save --- */

static int put_baseline(const cli_options *options, mp_runs *runs,
                        const mp_diagnostics *diagnostics)
{
    mp_error error = {0};
    int status = CLI_UNREADABLE;
    mp_document *saved = NULL;
    char *path = mp_store_path(options->reading.load.inputs, options->store, options->baseline_name,
                               options->paths[0]);
    if (!cli_output_spares(&options->reading.load, path, NULL, 0))
        status = CLI_USAGE;
    else if (mkdir(options->store, 0777) != 0 && errno != EEXIST)
        cli_put_fault(options->store, "cannot be saved: %s", strerror(errno));
    else if (!mp_runs_may_replace(runs, path, &options->reading.load, &error) ||
             !(saved = mp_runs_save(runs, path, &error)))
        cli_put_error(&error);
    if (saved) {
        saved->exact_bytes = options->reading.exact_bytes;
        status = cli_put_document(options, saved, diagnostics);
    }
    mp_document_free(saved);
    free(path);
    return status;
}

/* Read a run. Return the exit status. If it is not CLI_OK, a message was printed. */
static int add_run(const cli_options *options, const char *path, mp_runs *runs,
                   mp_diagnostics *diagnostics)
{
    mp_diagnostics *state = cli_diagnostics_new(options);
    mp_error error = {0};
    cli_progress bar;
    mp_reading reading = options->reading;
    cli_progress_begin(&bar, options->quiet);
    reading.load.progress = &bar.progress;
    mp_outcome outcome = mp_runs_read(runs, path, &options->question, &reading, state, &error);
    cli_progress_end(&bar);
    cli_put_diagnostics(state, options->quiet, true);
    if (error.code)
        cli_put_error(&error);
    int status = cli_status_of(cli_outcome_statuses[outcome], state);
    mp_diagnostics_append(diagnostics, state);
    mp_diagnostics_free(state);
    return status;
}

/* Save a baseline. Runs are read one after another, so that only one is in memory. */
static int save(cli_options *options)
{
    mp_diagnostics *diagnostics = cli_diagnostics_new(options);
    mp_runs runs = {.count = 0};
    options->question.policy_path = NULL;
    options->reading.load.checksums = true;
    cli_sandbox_enter(options);
    int status = cli_read_beside(options);
    mp_question_diagnose(&options->question, diagnostics);
    cli_put_diagnostics(diagnostics, options->quiet, true);
    for (size_t i = 0; status == CLI_OK && i < options->path_count; i++)
        status = add_run(options, options->paths[i], &runs, diagnostics);
    if (status == CLI_OK)
        status = put_baseline(options, &runs, diagnostics);
    mp_runs_free(&runs);
    mp_diagnostics_free(diagnostics);
    return status;
}

/* --- check --- */

/* Check a recording. This runs a gate, whose base is the stored baseline. */
static int check(cli_options *options)
{
    mp_question *question = &options->question;
    mp_error error = {0};
    char *path = mp_store_path(options->reading.load.inputs, options->store, options->baseline_name,
                               options->paths[0]);
    int status = CLI_UNREADABLE;
    question->base = path;
    cli_sandbox_enter(options);
    /* Compare the checksum with that of the baseline. This is not possible for pipes, because the
     * data of the pipe would have to be stored. */
    options->reading.load.checksums = !mp_file_is_stream(options->paths[0]);
    if (!question->policy_path) {
        question->policy_path = "baseline check";
        question->rules = "";
    }
    if (access(path, F_OK) != 0)
        cli_put_fault(path, "no baseline of this name, expected one saved by \"baseline save\"; "
                            "--as gives another name");
    else if (question->rules &&
             !(question->rules = mp_usual_rules(path, &options->reading.load, &error)))
        cli_put_error(&error);
    else
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
    else if (options->path_count > (checks ? 1 : MP_MOST_SAVED_RUNS))
        cli_refuse(options, checks ? "baseline check takes one recording"
                                   : "baseline save takes at most 1000 runs");
    else
        return checks ? check(options) : save(options);
    return CLI_USAGE;
}
