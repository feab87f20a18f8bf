/* The command "export": read as for a report, write as another tool does, say what was written. */
#include <stdio.h>
#include <stdlib.h>

#include "base/diagnose.h"
#include "base/error.h"
#include "cli/console.h"
#include "cli/run.h"

/* The document goes to standard output: the output is the file itself. */
static int put(const cli_options *options, const mp_document *document,
               const mp_diagnostics *diagnostics)
{
    cli_options printed = *options;
    printed.output = NULL;
    return cli_put_document(&printed, document, diagnostics);
}

/* Whether what was given means anything for such inputs. */
static bool fits(const cli_options *options, const mp_model *model, mp_error *error)
{
    unsigned honours = model->kind == MP_KIND_EVENTS ? MP_HONOURS_SLICES
                       : model->kind == MP_KIND_DUMP ? MP_HONOURS_DOMAIN
                                                     : 0;
    for (size_t bit = 0; bit < MP_HONOURS_COUNT; bit++)
        if (options->given[bit] && !(honours & 1u << bit)) {
            mp_fail(error, MP_ERROR_ARGUMENT, "export does not use --%s with %s",
                    options->given[bit], mp_kind_name(model->kind));
            return false;
        }
    return true;
}

static int write_file(const cli_options *options, const mp_model *model,
                      const mp_diagnostics *diagnostics)
{
    mp_error error = {0};
    const mp_exporter *exporter = options->exporter;
    mp_filter *filter = mp_filter_of(model, NULL, &error);
    bool holds = (exporter->needs & ~filter->holds) == 0;
    if (!holds)
        mp_fail(&error, MP_ERROR_ARGUMENT, "export --to %s has nothing to write of %s",
                exporter->name, mp_kind_name(model->kind));
    if (!holds || !fits(options, model, &error)) {
        mp_filter_free(filter);
        cli_put_error(&error);
        return CLI_USAGE;
    }
    mp_document *document = mp_document_new("export");
    document->exact_bytes = options->exact_bytes;
    int status = CLI_UNREADABLE;
    char *target = realpath(options->output, NULL); /* what a link points to is replaced */
    if (exporter->write(filter, target ? target : options->output, document, &error))
        status = put(options, document, diagnostics);
    else
        cli_put_error(&error);
    free(target);
    mp_filter_free(filter);
    mp_document_free(document);
    return status;
}

int cli_export(const cli_options *options)
{
    cli_options how = *options;
    cli_groups groups;
    how.load.keep_objects = options->exporter->wants_objects;
    mp_diagnostics *diagnostics = mp_diagnostics_new(cli_kept(options));
    mp_model *model = mp_model_new();
    int status = CLI_UNREADABLE;
    bool ok = cli_groups_find(&groups, options, diagnostics);
    if (!cli_groups_spared(&groups, options->output)) {
        status = CLI_USAGE;
        ok = false;
    } else if (groups.count > 1) {
        status = cli_refuse_many(options, &groups);
        ok = false;
    } else if (groups.count) {
        how.paths = groups.at[0].paths;
        how.path_count = groups.at[0].path_count;
        ok &= cli_load(&how, model, diagnostics);
    }
    cli_put_diagnostics(diagnostics, how.quiet, true);
    /* Half of what was asked for is not written. */
    if (ok && cli_has_anything(model) && (!how.strict || cli_is_whole(model, diagnostics)))
        status = write_file(&how, model, diagnostics);
    cli_groups_free(&groups);
    mp_model_free(model);
    mp_diagnostics_free(diagnostics);
    return status;
}
