/* memprof: from a command line to a report. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/error.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/run.h"

static void out_of_memory(void)
{
    fputs("memprof: error: out of memory\n", stderr);
    _Exit(CLI_UNREADABLE);
}

static int run_formats(const cli_options *options)
{
    static const mp_column columns[] = {
        {"name", "Name", MP_TEXT, 0, 0},
        {"summary", "What it is", MP_TEXT, 0, 0},
        {"versions", "Versions", MP_TEXT, 0, 0},
        {"endings", "Files", MP_TEXT, 0, 0},
    };
    size_t count;
    const mp_reader *const *readers = mp_readers(&count);
    mp_diagnostics *diagnostics = mp_diagnostics_new(CLI_KEPT);
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
    int status = cli_put_document(options, document, diagnostics);
    mp_document_free(document);
    mp_diagnostics_free(diagnostics);
    return status;
}

static int report(const cli_options *options, const mp_request *request)
{
    mp_error error = {0};
    mp_document *document = mp_document_new(options->command.report->name);
    document->exact_bytes = options->exact_bytes;
    int status = CLI_USAGE;
    if (mp_report_run(options->command.report, request, document, &error)) {
        status = cli_put_answer(options, document, request->diagnostics);
    } else {
        cli_put_error(&error);
    }
    mp_document_free(document);
    return status;
}

/* All files of a group in one model. */
static int run_one(const cli_options *options, const cli_files *files, mp_diagnostics *diagnostics,
                   bool ok)
{
    mp_model *model = mp_model_new();
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_digest *base = NULL;
    int status = cli_load_base(options, diagnostics, files, dictionary, &base);
    ok = status == CLI_OK && cli_load(options, model, diagnostics) && ok;
    cli_put_diagnostics(diagnostics, options->quiet, !cli_checks(options));
    if (status == CLI_OK && !cli_has_anything(model)) {
        status = CLI_UNREADABLE;
    } else if (status == CLI_OK) {
        mp_request request = cli_request(options, model, diagnostics, files);
        request.dictionary = dictionary;
        request.base = base;
        status = report(options, &request);
        if (!ok || (options->strict && !cli_is_whole(model, diagnostics)))
            status = status == CLI_USAGE ? CLI_USAGE : CLI_UNREADABLE;
    }
    mp_digest_free(base);
    mp_dictionary_free(dictionary);
    mp_model_free(model);
    return status;
}

static int run_report(const cli_options *options, const cli_files *files)
{
    const mp_report *asked = options->command.report;
    mp_diagnostics *diagnostics = mp_diagnostics_new(cli_kept(options));
    cli_groups groups;
    cli_options how = *options;
    bool found = cli_groups_find(&groups, options, diagnostics);
    int status = CLI_UNREADABLE;
    if (!cli_groups_spared(&groups, options->output)) {
        status = CLI_USAGE;
    } else if (!groups.count) {
        cli_put_diagnostics(diagnostics, options->quiet, true);
    } else if (groups.apart && !(asked->single && groups.count == 1)) {
        status = cli_run_many(options, files, &groups, diagnostics);
        if (!found)
            status = status == CLI_USAGE ? CLI_USAGE : CLI_UNREADABLE;
    } else {
        how.paths = groups.at[0].paths;
        how.path_count = groups.at[0].path_count;
        status = run_one(&how, files, diagnostics, found);
    }
    cli_groups_free(&groups);
    mp_diagnostics_free(diagnostics);
    return status;
}

/* What is accepted and what is demanded is read first: a mistake in it shows before a long
 * recording is read. */
static int run_with_files(const cli_options *options)
{
    cli_files files = {.policy = NULL};
    const char *const others[] = {options->base, options->policy, options->view.object};
    if (!cli_output_spares(options->output, others, sizeof others / sizeof *others) ||
        !cli_output_spares(options->output, options->suppress_paths, options->suppress_count))
        return CLI_USAGE;
    int status = cli_read_suppressions(options, &files.suppressions);
    if (status == CLI_OK)
        status = cli_read_policy(options, &files.policy);
    if (status == CLI_OK)
        status = options->command.report ? run_report(options, &files)
                                         : cli_save_baseline(options, &files);
    mp_policy_free(files.policy);
    mp_suppressions_free(&files.suppressions);
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
            status = options.command.report || options.store ? run_with_files(&options)
                     : options.command.reads                 ? cli_export(&options)
                                                             : run_formats(&options);
    }
    cli_options_free(&options);
    return status;
}
