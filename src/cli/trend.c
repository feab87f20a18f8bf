#include "cli/trend.h"

#include "api/beside.h"
#include "base/diagnose.h"
#include "cli/console.h"
#include "cli/print.h"
#include "cli/run.h"
#include "cli/sandbox.h"
#include "reports/trend.h"

/* The digest of a build, or NULL with a status other than CLI_OK after a message. */
static mp_digest *digest_of(const cli_options *options, const cli_group *group,
                            mp_dictionary *dictionary, mp_diagnostics *diagnostics, int *status)
{
    mp_error error = {0};
    mp_digest *digest = NULL;
    const mp_limits *limits = &options->load.limits;
    *status = CLI_UNREADABLE;
    if (group->path_count == 1 && mp_file_is_baseline(group->paths[0], limits)) {
        digest = mp_baseline_read(group->paths[0], limits, dictionary, diagnostics, &error);
        if (!digest)
            cli_put_error(&error);
        return digest;
    }
    mp_model *model = mp_model_new();
    bool ok = cli_load(options, group->paths, group->path_count, NULL, model, diagnostics);
    if (mp_model_is_usable(model))
        *status = cli_digest(options, model, diagnostics, dictionary, &digest);
    if (digest && !ok)
        *status = CLI_UNREADABLE;
    mp_model_free(model);
    return digest;
}

/* Each is freed before the next is read. What is found in a folder and is of another kind than what
 * was read before it is passed over. */
static int read_build(const cli_options *options, const cli_group *group, mp_builds *builds,
                      mp_diagnostics *diagnostics)
{
    mp_error error = {0};
    int status;
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_digest *digest = digest_of(options, group, dictionary, diagnostics, &status);
    if (digest && group->found && builds->count && digest->kind != builds->kind) {
        mp_diagnose(diagnostics, MP_DIAG_NO_ANSWER, group->paths[0], 0,
                    "passed over: it is %s, expected %s", mp_kind_name(digest->kind),
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
    cli_groups groups;
    mp_builds builds = {.kind = 0};
    mp_diagnostics *diagnostics = cli_diagnostics_new(options);
    cli_sandbox_enter(options);
    int status = cli_read_beside(options), reading = CLI_OK;
    if (status == CLI_OK) {
        bool found = cli_groups_find(&groups, options, diagnostics);
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
        cli_groups_free(&groups);
    }
    mp_builds_free(&builds);
    mp_diagnostics_free(diagnostics);
    return status;
}
