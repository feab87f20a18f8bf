#include "cli/run.h"
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "cli/console.h"
#include "compare/baseline.h"
#include "document/checks.h"
#include "model/profile.h"

static bool cannot_read(const char *path)
{
    int why = errno;
    cli_put_safe(path);
    fprintf(stderr, ": error: cannot read: %s\n", strerror(why));
    return false;
}

bool cli_read_file(const char *path, char **text, size_t *length)
{
    size_t capacity = 0, got;
    FILE *file = fopen(path, "r");
    *text = NULL;
    *length = 0;
    if (!file)
        return cannot_read(path);
    do {
        mp_grow(text, &capacity, *length + 4096, 1);
        got = fread(*text + *length, 1, capacity - *length, file);
        *length += got;
    } while (got);
    bool ok = !ferror(file) || cannot_read(path);
    fclose(file);
    return ok;
}

int cli_put_document(const cli_options *options, const mp_document *document,
                     const mp_diagnostics *diagnostics)
{
    cli_output output;
    mp_style style = cli_style(options);
    mp_error error = {0};
    if (!cli_output_open(&output, options->output))
        return CLI_UNREADABLE;
    bool rendered = options->renderer->render(document, diagnostics, &style, output.file, &error);
    if (!rendered)
        cli_put_error(&error);
    if (!cli_output_close(&output, rendered))
        return CLI_UNREADABLE;
    return rendered ? CLI_OK : CLI_USAGE;
}

/* Whether anything depends on which thread of an event log created what. */
static bool asks_for_threads(const cli_options *options)
{
    bool asks = options->suppress_count || options->load.keep_objects ||
                (options->view.by && strcmp(options->view.by, "thread") == 0);
    for (size_t i = 0; i < options->selection.count; i++)
        asks |= options->selection.criteria[i].subject == MP_SUBJECT_THREAD;
    return asks;
}

bool cli_load(const cli_options *options, mp_model *model, mp_diagnostics *diagnostics)
{
    cli_progress bar;
    mp_progress progress = {cli_progress_advance, &bar};
    mp_load_options how = options->load;
    bool own = !how.progress;
    how.threads_as_one = !asks_for_threads(options);
    if (own) {
        how.progress = &progress;
        cli_progress_begin(&bar, options->quiet);
    }
    bool ok = mp_load(model, diagnostics, options->paths, options->path_count, &how);
    if (own)
        cli_progress_end(&bar);
    return mp_filter_check_ends(model, diagnostics) && ok;
}

bool cli_checks(const cli_options *options)
{
    return options->command.report && options->command.report == mp_report_find("check");
}

size_t cli_kept(const cli_options *options)
{
    return cli_checks(options) ? CLI_KEPT_BY_CHECK : options->verbose ? CLI_KEPT_VERBOSE : CLI_KEPT;
}

bool cli_is_whole(const mp_model *model, const mp_diagnostics *diagnostics)
{
    for (uint32_t i = 1; i < model->inputs.count; i++)
        if (!model->inputs.at[i].complete)
            return false;
    return mp_diagnostics_severity_count(diagnostics, MP_WARNING) == 0;
}

bool cli_has_anything(const mp_model *model)
{
    mp_filter *filter = mp_filter_of(model, NULL, NULL);
    bool any = filter->sessions.first[model->sessions.count] > 0 ||
               (model->profile && model->profile->lines.count > 1);
    mp_filter_free(filter);
    return any;
}

/* People read the document itself, on standard output. */
static bool shows_text(const cli_options *options)
{
    size_t count;
    return !options->output && options->renderer == mp_renderers(&count)[0];
}

mp_request cli_request(const cli_options *options, const mp_model *model,
                       const mp_diagnostics *diagnostics, const cli_files *files)
{
    mp_request request = {.model = model,
                          .diagnostics = diagnostics,
                          .view = options->view,
                          .selection = options->selection,
                          .arguments = options->arguments,
                          .given_arguments = options->given_arguments,
                          .given_count = options->given_count};
    if (options->suppress_count)
        request.suppressions = &files->suppressions;
    request.policy = files->policy;
    memcpy(request.given, options->given, sizeof request.given);
    return request;
}

bool cli_is_stream(const char *path)
{
    struct stat status;
    return strcmp(path, "-") == 0 ||
           (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

/* A stream is not looked into: what is read of it is gone for whoever reads a recording from it. */
static bool is_baseline(const char *path)
{
    char head[32];
    FILE *file = cli_is_stream(path) ? NULL : fopen(path, "r");
    bool is = file && mp_is_baseline(head, fread(head, 1, sizeof head, file));
    if (file)
        fclose(file);
    return is;
}

int cli_digest(const cli_options *options, const mp_model *model, const mp_diagnostics *diagnostics,
               const cli_files *files, mp_dictionary *dictionary, mp_digest **digest)
{
    mp_error error = {0};
    if (!cli_has_anything(model) || (options->strict && !cli_is_whole(model, diagnostics)))
        return CLI_UNREADABLE;
    mp_request request = cli_request(options, model, diagnostics, files);
    request.dictionary = dictionary;
    *digest = mp_report_digest(&request, &error);
    if (!*digest)
        cli_put_error(&error);
    return *digest ? CLI_OK : CLI_USAGE;
}

int cli_load_base(const cli_options *options, mp_diagnostics *diagnostics, const cli_files *files,
                  mp_dictionary *dictionary, mp_digest **base)
{
    int status = CLI_UNREADABLE;
    if (!options->base)
        return CLI_OK;
    if (is_baseline(options->base)) {
        *base = cli_read_baseline(options->base, dictionary);
        return *base ? CLI_OK : CLI_UNREADABLE;
    }
    cli_options how = *options;
    how.paths = &how.base;
    how.path_count = 1;
    mp_model *model = mp_model_new();
    if (cli_load(&how, model, diagnostics))
        status = cli_digest(&how, model, diagnostics, files, dictionary, base);
    mp_model_free(model);
    return status;
}

/* People who do not see them are told what became of the rules. */
static void put_verdicts(const mp_document *document)
{
    size_t counts[MP_VERDICTS] = {0};
    for (size_t i = 0; i < document->check_count; i++)
        counts[document->checks[i].verdict]++;
    const char *text = mp_verdicts_text(document->arena, "rule", counts);
    cli_put_message(mp_arena_format(document->arena, "gate: %s", text));
}

int cli_put_answer(const cli_options *options, const mp_document *document,
                   const mp_diagnostics *diagnostics)
{
    int status = cli_put_document(options, document, diagnostics);
    for (size_t i = 0; i < document->check_count; i++)
        if (!document->checks[i].line && document->checks[i].verdict == MP_VERDICT_FAIL)
            cli_put_message(mp_limit_text(document->arena, &document->checks[i], "--"));
    if (document->policy && (document->failed || document->unjudged) && !shows_text(options))
        put_verdicts(document);
    if (status == CLI_OK && (document->failed || document->unjudged))
        status = document->failed ? CLI_EXCEEDED : CLI_UNREADABLE;
    return status;
}
