#include "cli/trend.h"

#include "base/diagnose.h"
#include "cli/console.h"
#include "cli/print.h"
#include "cli/run.h"
#include "cli/sandbox.h"
#include "reports/trend.h"
#include "session/beside.h"

/* The digest of a build, or NULL; *status says whether all of it was read. */
static mp_digest *digest_of(const cli_options *options, const mp_file_group *group,
                            mp_dictionary *dictionary, mp_diagnostics *diagnostics, int *status)
{
    mp_error error = {0};
    cli_progress bar;
    bool loaded = false;
    const mp_reading reading = cli_reading(options, &bar);
    const mp_limits *limits = &reading.load.limits;
    const char *path = group->files[0].path;
    bool kept = group->count == 1 && mp_file_is_baseline(path, limits);
    mp_digest *digest = kept ? mp_baseline_read(path, limits, dictionary, diagnostics, &error)
                             : mp_file_group_digest(group, &options->question, &reading, dictionary,
                                                    diagnostics, &loaded, &error);
    cli_progress_end(&bar);
    *status = digest ? loaded ? CLI_OK : CLI_UNREADABLE : cli_put_refusal(&error);
    return digest;
}

/* Each is freed before the next is read. What is found in a folder and is of another kind than what
 * was read before it is passed over. */
static int read_build(const cli_options *options, const mp_file_group *group, mp_builds *builds,
                      mp_diagnostics *diagnostics)
{
    mp_error error = {0};
    int status;
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_digest *digest = digest_of(options, group, dictionary, diagnostics, &status);
    if (digest && group->found && builds->count && digest->kind != builds->kind) {
        mp_diagnose(diagnostics, MP_DIAG_NO_ANSWER, group->files[0].name, 0,
                    "skipped: it is %s, expected %s", mp_kind_name(digest->kind),
                    mp_kind_name(builds->kind));
        status = CLI_OK;
    } else if (digest && mp_builds_add(builds, digest, dictionary, &error)) {
        status = digest->kept ? CLI_OK : status;
    } else if (digest) {
        cli_put_error(&error);
        status = CLI_USAGE;
    }
    mp_digest_free(digest);
    mp_dictionary_free(dictionary);
    return status;
}

static int answer(const cli_options *options, mp_builds *builds, mp_diagnostics *diagnostics)
{
    mp_error error = {0};
    mp_request request =
        mp_question_request(&options->question, NULL, diagnostics, builds->dictionary, NULL);
    mp_document *document = mp_document_new(options->command.name);
    document->exact_bytes = options->exact_bytes;
    int status = CLI_USAGE;
    if (mp_trend_answer(&request, builds, document, &error))
        status = cli_put_answer(options, document, diagnostics);
    else
        cli_put_error(&error);
    mp_document_free(document);
    return status;
}

/* What could not be read is told, and the others are answered. */
int cli_trend(cli_options *options)
{
    mp_file_groups groups;
    mp_builds builds = {.kind = 0};
    mp_diagnostics *diagnostics = cli_diagnostics_new(options);
    cli_sandbox_enter(options);
    int status = cli_read_beside(options), reading = CLI_OK;
    if (status == CLI_OK) {
        bool found = cli_find(options, &groups, diagnostics);
        status = cli_groups_spared(&groups, options->output) ? CLI_OK : CLI_USAGE;
        for (size_t i = 0; status == CLI_OK && i < groups.count; i++) {
            int at = read_build(options, &groups.at[i], &builds, diagnostics);
            status = at == CLI_USAGE ? at : status;
            reading = at == CLI_UNREADABLE ? at : reading;
        }
        cli_put_diagnostics(diagnostics, options->quiet, true);
        if (status == CLI_OK && builds.count)
            status = answer(options, &builds, diagnostics);
        if ((status == CLI_OK && reading != CLI_OK) || (!found && status != CLI_USAGE) ||
            (!builds.count && status == CLI_OK))
            status = CLI_UNREADABLE;
        status = cli_status_of(status, diagnostics);
        mp_file_groups_free(&groups);
    }
    mp_builds_free(&builds);
    mp_diagnostics_free(diagnostics);
    return status;
}
