#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/console.h"
#include "cli/export.h"
#include "cli/print.h"
#include "cli/run.h"

/* --- the command "schema" --- */

const mp_argument_table cli_schema_arguments = {.count = 0};

/* Find the dialect and the table that the options name. Return false after a message. */
static bool choose(const cli_options *options, mp_clickhouse_dialect *dialect,
                   const mp_clickhouse_table **table)
{
    const char *version = options->dialect ? options->dialect : "18", *name = options->inserted;
    const char *names[MP_CLICKHOUSE_TABLES];
    char list[256];
    if (!options->operand || strcmp(options->operand, "clickhouse") != 0)
        return cli_refuse(options, "usage: memprof schema clickhouse");
    for (size_t i = 0; i < MP_CLICKHOUSE_TABLES; i++)
        names[i] = mp_clickhouse_tables[i].name;
    *dialect = strcmp(version, "18") == 0 ? MP_CLICKHOUSE_18 : MP_CLICKHOUSE_CURRENT;
    if (*dialect == MP_CLICKHOUSE_CURRENT && strcmp(version, "current") != 0)
        return cli_refuse(options, "invalid value \"%s\" for --for, expected 18 or current",
                          version);
    *table = name ? mp_clickhouse_table_find(name) : NULL;
    return !name || *table ||
           cli_refuse(options, "invalid value \"%s\" for --insert, expected %s", name,
                      mp_text_list(names, MP_CLICKHOUSE_TABLES, "or", list, sizeof list));
}

int cli_schema(cli_options *options)
{
    mp_clickhouse_dialect dialect;
    const mp_clickhouse_table *table = NULL;
    if (!choose(options, &dialect, &table))
        return CLI_USAGE;
    errno = 0; /* mp_stream_flush reads errno later */
    if (table)
        mp_clickhouse_put_insert(stdout, table);
    else
        mp_clickhouse_put_schema(stdout, options->cluster, dialect);
    if (mp_stream_flush(stdout))
        return CLI_OK;
    cli_put_fault("(standard output)", "cannot write: %s", strerror(errno));
    return CLI_UNREADABLE;
}

static int run_formats(cli_options *options)
{
    mp_diagnostics *none = mp_diagnostics_new(1);
    mp_document *document = mp_formats_document();
    int status = cli_put_document(options, document, none);
    mp_document_free(document);
    mp_diagnostics_free(none);
    return status;
}

static const cli_command own_commands[] = {
    {.name = "baseline",
     .summary = "save the figures of a recording in a text file, or check against them",
     .example = "baseline save samples/shop-v2.oemp --store baselines",
     .details =
         "save writes DIR/NAME.baseline, with one JSON object per line in a stable order that "
         "suits version control. check compares a recording with it, by the rules of --policy. "
         "The default rules allow no new leak site, 10 % + 4 KiB more leaked or live bytes, and "
         "10 % more time and calls. "
         "diff, and --base of other commands, accept a baseline in place of a recording. "
         "A baseline of several runs also records how much they differ: leaked <= base + 3 "
         "spreads.",
     .operand = "save|check",
     .report = &mp_report_gate,
     .scope = CLI_READS | CLI_LOADS | CLI_PRINTS | CLI_STORES | CLI_ALWAYS,
     .arguments = &cli_baseline_arguments,
     .run = cli_baseline},
    {.name = "browse",
     .summary = "explore a recording interactively on a full screen",
     .example = "browse samples/shop-v2.oemp --sources samples/sources",
     .details = "Shows the reports of the other commands as pages: arrows or j and k move, l opens "
                "a stack, Enter follows a row, / searches, f sets options of the command, o opens "
                "the source line in $VISUAL or $EDITOR, q goes back, ? lists all keys.",
     .scope = CLI_READS | CLI_LOADS | CLI_BROWSES | CLI_ALWAYS,
     .arguments = &cli_browse_arguments,
     .run = cli_browse},
    {.name = "export",
     .summary = "convert a recording for another tool",
     .example = "export --to aqtime -o shop.sqlite samples/shop-v2.oemp",
     .details = "Text formats go to standard output by default; binary formats need `output`. A "
                "file appears under its name only when it is complete; then the number of rows of "
                "each kind and their sums are printed. FILE@SNAPSHOT exports the recording up to "
                "that snapshot. memprof coverage --to writes coverage.",
     .scope = CLI_READS | CLI_LOADS | CLI_EXPORTS | CLI_ALWAYS,
     .run = cli_export},
    {.name = "formats",
     .summary = "list the recording formats that memprof reads",
     .example = "formats",
     .scope = CLI_PRINTS | CLI_ALWAYS,
     .arguments = &(const mp_argument_table){.count = 0},
     .run = run_formats},
    {.name = "mcp",
     .summary = "answer an assistant by the Model Context Protocol",
     .example = "mcp samples </dev/null",
     .details =
         "Reads messages from standard input and writes answers to standard output, until the "
         "input ends. Each report is a tool, with the options of its command as arguments. Only "
         "files in the folders can be read.",
     .scope = CLI_SERVES | CLI_ALWAYS,
     .arguments = &cli_mcp_arguments,
     .run = cli_mcp},
    {.name = "schema",
     .summary = "print the tables that another database needs for exports",
     .example = "schema clickhouse --cluster fleet",
     .details = "Prints the statements that create the database memprof in ClickHouse. `insert` "
                "prints the statement for clickhouse-client --query that reads the rows of memprof "
                "export --to clickhouse.",
     .operand = "clickhouse",
     .scope = CLI_DECLARES | CLI_ALWAYS,
     .arguments = &cli_schema_arguments,
     .run = cli_schema},
    {.name = "spool",
     .summary = "send finished recordings of a folder to a database and an archive",
     .example = "spool /var/spool/memprof --once --rows /tmp/rows",
     .details =
         "Reads each recording that has not changed for a while. Its rows (those of memprof export "
         "--to clickhouse) go to a command or a folder. Its baseline and its compressed file go "
         "to the archive. Then the recording is removed. All steps can be repeated, so the "
         "program may be stopped at any moment.",
     .operand = "DIR",
     .scope = CLI_SPOOLS | CLI_ALWAYS,
     .arguments = &cli_spool_arguments,
     .run = cli_spool},
    {.name = "watch",
     .summary = "follow recordings while they are written, one line per snapshot",
     .example = "watch --until-exit samples/shop-v2.oemp",
     .details = "Each line shows the live bytes, their growth since the previous and since the "
                "first snapshot, and the site that grew most since the first, leak or not. Files "
                "need not exist yet, and may be truncated, renamed and replaced. Watching "
                "continues until it is "
                "interrupted, or until `until-exit`, `timeout` or a limit ends it.",
     .scope = CLI_READS | CLI_WATCHES | CLI_ALWAYS,
     .kinds = 1u << MP_KIND_RECORDING | 1u << MP_KIND_EVENTS,
     .arguments = &cli_watch_arguments,
     .run = cli_watch},
};
enum { OWN = sizeof own_commands / sizeof *own_commands };

const cli_command *cli_commands(size_t *count)
{
    static const char *const operands[] = {NULL,     "OBJECT", "BASE",     "POLICY",
                                           "[NAME]", "SOURCE", "STATEMENT"};
    static cli_command table[CLI_MOST_COMMANDS];
    const mp_report *const *reports = mp_reports(count);
    assert(*count + OWN <= sizeof table / sizeof *table);
    for (size_t i = 0; i < *count; i++)
        table[i] = (cli_command){.name = reports[i]->name,
                                 .summary = reports[i]->summary,
                                 .example = reports[i]->example,
                                 .details = reports[i]->details,
                                 .operand = operands[reports[i]->operand],
                                 .report = reports[i],
                                 .scope = CLI_READS | CLI_LOADS | CLI_PRINTS | CLI_ALWAYS,
                                 .arguments = &reports[i]->arguments,
                                 .run = cli_report};
    memcpy(table + *count, own_commands, sizeof own_commands);
    *count += OWN;
    for (size_t i = *count - OWN; i < *count; i++)
        if (table[i].scope & CLI_EXPORTS)
            table[i].arguments = cli_export_arguments();
    return table;
}
