#include "cli/commands.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/diagnose.h"
#include "cli/export.h"
#include "cli/options.h"
#include "cli/run.h"
#include "cli/store.h"

static int run_formats(cli_options *options)
{
    typedef struct format_row {
        const char *name, *summary, *versions, *endings;
    } format_row;
    static const mp_column columns[] = {
        MP_COLUMN(format_row, name, "Name", MP_TEXT, 0),
        MP_COLUMN(format_row, summary, "What it is", MP_TEXT, 0),
        MP_COLUMN(format_row, versions, "Versions", MP_TEXT, 0),
        MP_COLUMN(format_row, endings, "Files", MP_TEXT, 0),
    };
    size_t count;
    const mp_reader *const *readers = mp_readers(&count);
    mp_diagnostics *diagnostics = mp_diagnostics_new(1);
    mp_document *document = mp_document_new("formats");
    mp_table *table = MP_TABLE(document, "formats", NULL, MP_ROWS, columns);
    table->main = true;
    for (size_t i = 0; i < count; i++)
        mp_table_put(document, table,
                     &(format_row){readers[i]->name, readers[i]->summary, readers[i]->versions,
                                   readers[i]->endings});
    int status = cli_put_document(options, document, diagnostics);
    mp_document_free(document);
    mp_diagnostics_free(diagnostics);
    return status;
}

static const cli_command own[] = {
    {.name = "baseline",
     .summary = "keep what a gate needs of a recording as a small text file",
     .example = "baseline save samples/shop-v2.oemp --store baselines",
     .details = "save writes DIR/NAME.baseline, a JSON object a line in an order that does not\n"
                "depend on figures, for version control. check judges the recording against it:\n"
                "by --policy, or by no new leak site and no more than a tenth more of what leaks,\n"
                "is alive or is spent. diff and gate --base take a baseline for a recording.",
     .operand = "save|check",
     .report = &mp_report_gate,
     .scope = CLI_READS | CLI_PRINTS | CLI_STORES | CLI_ALWAYS,
     .arguments = &cli_baseline_arguments,
     .run = cli_baseline},
    {.name = "export",
     .summary = "write what was read as another tool's file",
     .example = "export --to aqtime -o shop.sqlite samples/shop-v2.oemp",
     .details = "Writes all snapshots with all objects that were alive at them, their sizes,\n"
                "stacks, threads and, where they are known, references. The file appears under\n"
                "its name when it is whole. What is printed is how many rows each table has.\n"
                "Coverage is written by memprof coverage --to.",
     .scope = CLI_READS | CLI_EXPORTS | CLI_ALWAYS,
     .arguments = &cli_export_arguments,
     .run = cli_export},
    {.name = "formats",
     .summary = "the formats that memprof reads",
     .example = "formats",
     .scope = CLI_PRINTS | CLI_ALWAYS,
     .arguments = &(const mp_argument_table){.count = 0},
     .run = run_formats},
};
enum { OWN = sizeof own / sizeof *own };

const cli_command *cli_commands(size_t *count)
{
    static const char *const operands[] = {NULL, "OBJECT", "BASE", "POLICY", "[NAME]", "SOURCE"};
    static cli_command all[CLI_MOST_COMMANDS];
    const mp_report *const *reports = mp_reports(count);
    assert(*count + OWN <= sizeof all / sizeof *all);
    for (size_t i = 0; i < *count; i++)
        all[i] = (cli_command){.name = reports[i]->name,
                               .summary = reports[i]->summary,
                               .example = reports[i]->example,
                               .details = reports[i]->details,
                               .operand = operands[reports[i]->operand],
                               .operand_last = reports[i]->operand >= MP_OPERAND_CODE,
                               .report = reports[i],
                               .scope = CLI_READS | CLI_PRINTS | CLI_ALWAYS,
                               .arguments = &reports[i]->arguments,
                               .run = cli_report};
    memcpy(all + *count, own, sizeof own);
    *count += OWN;
    return all;
}

/* --- help --- */

/* Names of arguments stand in `backquotes`. */
static void help_text(const char *text)
{
    for (bool inside = false; *text; text++)
        if (*text != '`')
            putchar(*text);
        else if ((inside = !inside))
            fputs("--", stdout);
    putchar('\n');
}

static void help_line(const char *name, const char *summary)
{
    printf("  %-22s  ", name);
    help_text(summary);
}

static void help_options(const cli_command *command)
{
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        char left[64];
        if (cli_option_of(command, option->name) != option)
            continue;
        snprintf(left, sizeof left, "--%s%s%s", option->name, option->argument ? " " : "",
                 option->argument ? option->argument : "");
        help_line(left, option->help);
    }
}

static void help_renderers(void)
{
    size_t count;
    const mp_renderer *const *renderers = mp_renderers(&count);
    printf("\nOutput formats (--format):\n");
    for (size_t i = 0; i < count; i++)
        help_line(renderers[i]->name, renderers[i]->summary);
}

static void help_command(const cli_command *command)
{
    size_t count;
    const char *operand = command->operand ? command->operand : "";
    const char *files = !(command->scope & CLI_READS)              ? ""
                        : cli_compares(command) || *operand == '[' ? " FILE"
                                                                   : " FILE...";
    if (command->operand_last)
        printf("Usage: memprof %s [OPTIONS]%s %s\n", command->name, files, operand);
    else
        printf("Usage: memprof %s [OPTIONS]%s%s%s\n", command->name, *operand ? " " : "", operand,
               files);
    printf("\nmemprof %s: %s.\n", command->name, command->summary);
    if (command->details)
        help_text(command->details);
    printf("\nOptions:\n");
    help_options(command);
    if (mp_argument_find(command->arguments, "by")) {
        const mp_dimension *dimensions = mp_dimensions(&count);
        printf("\nGroups of a memory recording (--by):\n");
        for (size_t i = 0; i < count; i++)
            help_line(dimensions[i].name, dimensions[i].summary);
    }
    if (command->scope & CLI_EXPORTS) {
        const mp_exporter *const *exporters = mp_exporters(&count);
        printf("\nWhat can be written (--to):\n");
        for (size_t i = 0; i < count; i++)
            help_line(exporters[i]->name, exporters[i]->summary);
    }
    help_renderers();
    printf("\nExample:\n  memprof %s\n", command->example);
}

static void help_program(void)
{
    size_t count;
    const cli_command *commands = cli_commands(&count);
    printf(
        "Usage: memprof [COMMAND] [OPTIONS] FILE...\n\n"
        "Answers from memory- and execution-profile recordings: what leaks, what is biggest,\n"
        "what grows, and which code did it. \"-\" reads standard input, a folder stands for the\n"
        "recordings in it.\n\n"
        "Commands:\n");
    for (size_t i = 0; i < count; i++)
        printf("  %-10s  %s\n", commands[i].name, commands[i].summary);
    printf(
        "\nOptions of the default command, analyze (memprof COMMAND --help tells the others):\n");
    help_options(commands);
    help_renderers();
    printf("\nExit status: 0 done; 1 a limit was exceeded, a rule of gate fails or check found\n"
           "something; 2 wrong usage; 3 an input or the output could not be read or written, or a\n"
           "rule could not be judged.\n\n"
           "Example:\n  memprof %s\n",
           commands->example);
}

void cli_help(const cli_options *options)
{
    if (options->command_named)
        help_command(&options->command);
    else
        help_program();
}
