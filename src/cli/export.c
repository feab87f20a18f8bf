#include "cli/export.h"

#include <string.h>

#include "api/beside.h"
#include "base/diagnose.h"
#include "base/memory.h"
#include "cli/console.h"
#include "cli/run.h"
#include "cli/sandbox.h"

/* What of the reading means something, by kinds of recordings. */
static const mp_argument rows[] = {
    {"slices", MP_ARGUMENT_SHARED, 0, 1u << MP_KIND_EVENTS},
    {"reorder", MP_ARGUMENT_SHARED, 0, 1u << MP_KIND_EVENTS},
    {"domain", MP_ARGUMENT_SHARED, 0, 1u << MP_KIND_DUMP},
};
const mp_argument_table cli_export_arguments = {rows, sizeof rows / sizeof *rows, 0, NULL};

static bool write_file(const cli_options *options, const mp_filter *filter, mp_document *document,
                       int *status, mp_error *error)
{
    const mp_exporter *exporter = options->exporter;
    const mp_model *model = filter->model;
    *status = CLI_USAGE;
    if (exporter->needs & ~filter->holds)
        return mp_fail(error, MP_ERROR_NO_ANSWER, "export --to %s has nothing to write of %s",
                       exporter->name, mp_kind_name(model->kind));
    for (size_t i = 0; i < options->question.given_count; i++) {
        const mp_argument *row =
            mp_argument_find(&cli_export_arguments, options->question.given[i].argument);
        if (!options->question.given[i].by_default && !(row->variants & 1u << model->kind))
            return mp_fail_unused(error, "export", options->question.given[i].spelled,
                                  mp_kind_name(model->kind));
    }
    *status = CLI_UNREADABLE;
    return exporter->write(filter, options->export_path, document, error);
}

static int export(const cli_options *options, const mp_model *model,
                  const mp_diagnostics *diagnostics)
{
    int status;
    mp_error error = {0};
    mp_document *document = mp_document_new("export");
    document->exact_bytes = options->exact_bytes;
    mp_filter *filter = mp_filter_of(model, NULL, &error);
    if (write_file(options, filter, document, &status, &error))
        status = cli_put_document(options, document, diagnostics);
    else
        cli_put_error(&error);
    mp_filter_free(filter);
    mp_document_free(document);
    return status;
}

int cli_export(cli_options *options)
{
    cli_groups groups;
    const char *path = options->export_path;
    bool names = options->exporter && path, stream = names && strcmp(path, "-") == 0;
    if (!names)
        cli_refuse(options, "export needs --to FORMAT and --output FILE, and has no --%s",
                   options->exporter ? "output" : "to");
    if (stream)
        cli_refuse(options, "export writes a file, not standard output");
    if (!names || stream)
        return CLI_USAGE;
    mp_diagnostics *diagnostics = cli_diagnostics_new(options);
    mp_model *model = mp_model_new();
    int status = CLI_UNREADABLE;
    bool ok = cli_groups_find(&groups, options, diagnostics);
    if (!cli_groups_spared(&groups, path)) {
        status = CLI_USAGE;
        ok = false;
    } else if (groups.count > 1) {
        status = cli_refuse_many(options, &groups);
        ok = false;
    } else if (groups.count) {
        cli_sandbox_enter(options, &groups);
        ok &= cli_load(options, groups.at[0].paths, groups.at[0].path_count, NULL, model,
                       diagnostics);
    }
    cli_put_diagnostics(diagnostics, options->quiet, true);
    /* Half of what was asked for is not written. */
    if (ok && mp_model_is_usable(model) &&
        (!options->strict || mp_model_is_whole(model, diagnostics)))
        status = export(options, model, diagnostics);
    cli_groups_free(&groups);
    mp_model_free(model);
    mp_diagnostics_free(diagnostics);
    return status;
}
