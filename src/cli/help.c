#include <stdio.h>

#include "cli/option_table.h"

static void help_dimensions(void)
{
    size_t count;
    const mp_dimension *dimensions = mp_dimensions(&count);
    printf("\nGroups of a memory recording (--by):\n");
    for (size_t i = 0; i < count; i++)
        printf("  %-22s  %s\n", dimensions[i].name, dimensions[i].summary);
}

static void help_renderers(void)
{
    size_t count;
    const mp_renderer *const *renderers = mp_renderers(&count);
    printf("\nOutput formats (--format):\n");
    for (size_t i = 0; i < count; i++)
        printf("  %-22s  %s\n", renderers[i]->name, renderers[i]->summary);
}

static void help_exporters(void)
{
    size_t count;
    const mp_exporter *const *exporters = mp_exporters(&count);
    printf("\nWhat can be written (--to):\n");
    for (size_t i = 0; i < count; i++)
        printf("  %-22s  %s\n", exporters[i]->name, exporters[i]->summary);
}

static void help_command(const cli_command *command)
{
    printf("Usage: memprof %s [OPTIONS]%s%s%s\n\nmemprof %s: %s.\n", command->name,
           command->operand ? " " : "", command->operand ? command->operand : "",
           !command->reads                         ? ""
           : command->honours & MP_HONOURS_COMPARE ? " FILE"
                                                   : " FILE...",
           command->name, command->summary);
    if (command->details)
        printf("%s\n", command->details);
    printf("\nOptions:\n");
    cli_help_options(command);
    if (command->honours & MP_HONOURS_BY)
        help_dimensions();
    if (command->honours & EXPORTS)
        help_exporters();
    help_renderers();
    printf("\nExample:\n  memprof %s\n", command->example);
}

static void help_program(void)
{
    size_t count;
    const mp_report *const *reports = mp_reports(&count);
    printf(
        "Usage: memprof [COMMAND] [OPTIONS] FILE...\n\n"
        "Answers from memory- and execution-profile recordings: what leaks, what is biggest,\n"
        "what grows, and which code did it. \"-\" reads standard input, a folder stands for the\n"
        "recordings in it.\n\n"
        "Commands:\n");
    for (size_t i = 0; i < count; i++)
        printf("  %-10s  %s\n", reports[i]->name, reports[i]->summary);
    const cli_command *own = cli_own_commands(&count);
    for (size_t i = 0; i < count; i++)
        printf("  %-10s  %s\n", own[i].name, own[i].summary);
    printf(
        "\nOptions of the default command, analyze (memprof COMMAND --help tells the others):\n");
    cli_command first;
    cli_command_find(reports[0]->name, &first);
    cli_help_options(&first);
    help_renderers();
    printf("\nExit status: 0 done; 1 a limit was exceeded, a rule of gate fails or check found\n"
           "something; 2 wrong usage; 3 an input or the output could not be read or written, or a\n"
           "rule could not be judged.\n\n"
           "Example:\n  memprof %s\n",
           reports[0]->example);
}

void cli_help(const cli_options *options)
{
    if (options && options->command_named)
        help_command(&options->command);
    else
        help_program();
}
