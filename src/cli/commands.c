/* The commands: every report, and those that the command line answers itself. */
#include <stdio.h>
#include <string.h>

#include "cli/option_table.h"

static const cli_command own[] = {
    {.name = "baseline",
     .summary = "keep what a gate needs of a recording as a small text file",
     .example = "baseline save samples/shop-v2.oemp --store baselines",
     .details = "save writes DIR/NAME.baseline, a JSON object a line in an order that does not\n"
                "depend on figures, for version control. check judges the recording against it:\n"
                "by --policy, or by no new leak site and no more than a tenth more of what leaks,\n"
                "is alive or is spent. diff and gate --base take a baseline for a recording.",
     .operand = "save|check",
     .reads = true,
     .honours =
         EVERY | PRINTS | STORES | MP_HONOURS_WINDOW | MP_HONOURS_SELECT | MP_HONOURS_SUPPRESS},
    {.name = "export",
     .summary = "write what was read as another tool's file",
     .example = "export --to aqtime -o shop.sqlite samples/shop-v2.oemp",
     .details = "Writes all snapshots with all objects that were alive at them, their sizes,\n"
                "stacks, threads and, where they are known, references. The file appears under\n"
                "its name when it is whole. What is printed is how many rows each table has.",
     .reads = true,
     .honours = EVERY | EXPORTS | MP_HONOURS_SLICES | MP_HONOURS_DOMAIN},
    {.name = "formats",
     .summary = "the formats that memprof reads",
     .example = "formats",
     .honours = EVERY_COMMAND | PRINTS},
};

const cli_command *cli_own_commands(size_t *count)
{
    *count = sizeof own / sizeof *own;
    return own;
}

/* The bits of all options that mean something to the report. */
static unsigned honours_of(const mp_report *report)
{
    unsigned honours = mp_report_honours(report);
    for (size_t i = 0; report->arguments && i < cli_option_count; i++)
        if (mp_argument_find(report, cli_option_argument(&cli_option_table[i])))
            honours |= cli_option_table[i].honoured_with & ((1u << MP_HONOURS_COUNT) - 1);
    return honours;
}

bool cli_command_find(const char *name, cli_command *command)
{
    const mp_report *report = mp_report_find(name);
    if (report) {
        *command = (cli_command){.name = report->name,
                                 .summary = report->summary,
                                 .example = report->example,
                                 .details = report->details,
                                 .operand = report->operand,
                                 .report = report,
                                 .reads = true,
                                 .honours = honours_of(report) | EVERY | PRINTS};
        return true;
    }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i].name, name) == 0) {
            *command = own[i];
            return true;
        }
    return false;
}

void cli_help_options(const cli_command *command)
{
    for (size_t i = 0; i < cli_option_count; i++) {
        char left[64];
        if (!(cli_option_table[i].honoured_with & command->honours))
            continue;
        snprintf(left, sizeof left, "--%s%s%s", cli_option_table[i].name,
                 cli_option_table[i].argument ? " " : "",
                 cli_option_table[i].argument ? cli_option_table[i].argument : "");
        printf("  %-22s  %s\n", left, cli_option_table[i].help);
    }
}
