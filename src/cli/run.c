#include "cli/run.h"

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
