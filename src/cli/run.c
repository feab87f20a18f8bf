#include "cli/run.h"

#include <string.h>

#include "cli/console.h"

int cli_put_document(const cli_options *options, const mp_document *document,
                     const mp_diagnostics *diagnostics)
{
    cli_output output;
    mp_style style = cli_style(options);
    const char *error = NULL;
    if (!cli_output_open(&output, options->output))
        return CLI_UNREADABLE;
    bool rendered = options->renderer->render(document, diagnostics, &style, output.file, &error);
    if (!rendered)
        cli_put_message(error);
    if (!cli_output_close(&output, rendered))
        return CLI_UNREADABLE;
    return rendered ? CLI_OK : CLI_USAGE;
}

bool cli_load(const cli_options *options, mp_model *model, mp_diagnostics *diagnostics)
{
    cli_progress bar;
    mp_progress progress = {cli_progress_advance, &bar};
    mp_load_options how = options->load;
    how.progress = &progress;
    cli_progress_begin(&bar, options->quiet);
    bool ok = mp_load(model, diagnostics, options->paths, options->path_count, &how);
    cli_progress_end(&bar);
    return ok;
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
    for (uint32_t i = 1; i < model->sessions.count; i++)
        if (model->sessions.at[i].marks)
            return true;
    return model->profile && model->profile->lines.count > 1;
}

bool cli_shows_text(const cli_options *options)
{
    size_t count;
    return !options->output && options->renderer == mp_renderers(&count)[0];
}

mp_request cli_request(const cli_options *options, const mp_model *model,
                       const mp_diagnostics *diagnostics, const mp_suppressions *suppressions)
{
    mp_request request = {.model = model,
                          .diagnostics = diagnostics,
                          .view = options->view,
                          .selection = options->selection};
    if (options->suppress_count)
        request.suppressions = suppressions;
    memcpy(request.given, options->given, sizeof request.given);
    return request;
}

int cli_load_base(const cli_options *options, mp_diagnostics *diagnostics,
                  const mp_suppressions *suppressions, mp_meanings *meanings, mp_digest **base)
{
    char error[1024] = "";
    if (!options->base)
        return CLI_OK;
    cli_options how = *options;
    how.paths = &how.base;
    how.path_count = 1;
    mp_model *model = mp_model_new();
    int status = CLI_UNREADABLE;
    if (cli_load(&how, model, diagnostics) && cli_has_anything(model) &&
        (!how.strict || cli_is_whole(model, diagnostics))) {
        mp_request request = cli_request(&how, model, diagnostics, suppressions);
        request.meanings = meanings;
        *base = mp_report_digest(&request, error, sizeof error);
        status = *base ? CLI_OK : CLI_USAGE;
        if (!*base)
            cli_put_message(error);
    }
    mp_model_free(model);
    return status;
}
