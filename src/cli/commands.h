/* The commands: every report, and those that the command line answers itself. */
#ifndef MP_CLI_COMMANDS_H
#define MP_CLI_COMMANDS_H

#include "reports/report.h"

struct cli_options;

/* Exit statuses. */
enum { CLI_OK = 0, CLI_EXCEEDED = 1, CLI_USAGE = 2, CLI_UNREADABLE = 3 };

/* Options that are no arguments of a report, by who takes them: a bit each. */
typedef enum cli_scope {
    CLI_READS = 1,   /* commands that read recordings */
    CLI_PRINTS = 2,  /* those whose document is what they are for */
    CLI_STORES = 4,  /* the command baseline */
    CLI_EXPORTS = 8, /* the command export */
    CLI_ALWAYS = 16,
} cli_scope;

typedef struct cli_command {
    const char *name;
    const char *summary;
    const char *example;
    const char *details;
    const char *operand;     /* what stands before the files; NULL: nothing */
    const mp_report *report; /* that is asked; NULL: none */
    unsigned scope;          /* of its options, beside its arguments */
    const mp_argument_table *arguments;
    int (*run)(struct cli_options *options); /* gives the exit status */
} cli_command;

/* False where there is none of this name. */
bool cli_command_find(const char *name, cli_command *command);

/* Help for the program, or for the command if the user named one. */
void cli_help(const struct cli_options *options);

#endif
