/* memprof: from a command line to a report. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "cli/options.h"

enum { KEPT = 5, KEPT_VERBOSE = 100, KEPT_BY_CHECK = 10000 };

static void out_of_memory(void)
{
    fputs("memprof: error: out of memory\n", stderr);
    _Exit(CLI_UNREADABLE);
}

/* Print the document where it belongs; gives the exit status. */
static int put_document(const cli_options *options, const mp_document *document,
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

static int run_formats(const cli_options *options)
{
    static const mp_column columns[] = {
        {"name", "Name", MP_TEXT, 0},
        {"summary", "What it is", MP_TEXT, 0},
        {"versions", "Versions", MP_TEXT, 0},
        {"endings", "Files", MP_TEXT, 0},
    };
    size_t count;
    const mp_reader *const *readers = mp_readers(&count);
    mp_diagnostics *diagnostics = mp_diagnostics_new(KEPT);
    mp_document *document = mp_document_new("formats");
    mp_table *table = MP_TABLE(document, "formats", NULL, MP_ROWS, columns);
    table->main = true;
    for (size_t i = 0; i < count; i++) {
        mp_table_row(table);
        mp_set_text(document, table, "name", readers[i]->name);
        mp_set_text(document, table, "summary", readers[i]->summary);
        mp_set_text(document, table, "versions", readers[i]->versions);
        mp_set_text(document, table, "endings", readers[i]->endings);
    }
    int status = put_document(options, document, diagnostics);
    mp_document_free(document);
    mp_diagnostics_free(diagnostics);
    return status;
}

static bool load(const cli_options *options, mp_model *model, mp_diagnostics *diagnostics)
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

static bool is_whole(const mp_model *model, const mp_diagnostics *diagnostics)
{
    for (uint32_t i = 1; i < model->inputs.count; i++)
        if (!model->inputs.at[i].complete)
            return false;
    return mp_diagnostics_severity_count(diagnostics, MP_WARNING) == 0;
}

static bool has_anything(const mp_model *model)
{
    for (uint32_t i = 1; i < model->sessions.count; i++)
        if (model->sessions.at[i].marks)
            return true;
    return model->profile && model->profile->lines.count > 1;
}

static int report(const cli_options *options, const mp_model *model,
                  const mp_diagnostics *diagnostics)
{
    char error[1024] = "";
    mp_request request = {.model = model, .diagnostics = diagnostics, .view = options->view};
    memcpy(request.given, options->given, sizeof request.given);
    mp_document *document = mp_document_new(options->command.name);
    document->exact_bytes = options->exact_bytes;
    int status = CLI_USAGE;
    if (mp_report_run(options->command.report, &request, document, error, sizeof error)) {
        status = put_document(options, document, diagnostics);
        for (size_t i = 0; i < document->limit_count; i++)
            if (document->limits[i].exceeded)
                cli_put_message(document->limits[i].message);
        if (status == CLI_OK && document->failed)
            status = CLI_EXCEEDED;
    } else {
        cli_put_message(error);
    }
    mp_document_free(document);
    return status;
}

static int run_report(const cli_options *options)
{
    bool checks = options->command.report == mp_report_find("check");
    mp_diagnostics *diagnostics = mp_diagnostics_new(checks             ? KEPT_BY_CHECK
                                                     : options->verbose ? KEPT_VERBOSE
                                                                        : KEPT);
    mp_model *model = mp_model_new();
    int status = CLI_UNREADABLE;
    bool ok = load(options, model, diagnostics);
    cli_put_diagnostics(diagnostics, options->quiet, !checks);
    if (has_anything(model)) {
        status = report(options, model, diagnostics);
        if (!ok || (options->strict && !is_whole(model, diagnostics)))
            status = status == CLI_USAGE ? CLI_USAGE : CLI_UNREADABLE;
    }
    mp_model_free(model);
    mp_diagnostics_free(diagnostics);
    return status;
}

/* The version, or help: on standard output like a report, and as sure to arrive. */
static int tell(const cli_options *options)
{
    cli_output output;
    cli_output_open(&output, NULL);
    if (options->version)
        printf("memprof %s\n", mp_version());
    else
        cli_help(options);
    return cli_output_close(&output, true) ? CLI_OK : CLI_UNREADABLE;
}

int main(int argc, char **argv)
{
    cli_options options;
    /* Names are UTF-8 whatever the user's locale says; numbers and order know no locale. */
    setlocale(LC_CTYPE, "C.UTF-8");
    mp_set_out_of_memory_handler(out_of_memory);
    if (argc < 2) {
        cli_put_message("what is to be read? memprof [COMMAND] [OPTIONS] FILE...");
        fputs("Try: memprof --help\n", stderr);
        return CLI_USAGE;
    }
    int status = CLI_USAGE;
    if (cli_parse(argc, argv, &options)) {
        if (options.version || options.help)
            status = tell(&options);
        else
            status = options.command.report ? run_report(&options) : run_formats(&options);
    }
    cli_options_free(&options);
    return status;
}
