/* Help, on standard output. */
#ifndef MP_CLI_HELP_H
#define MP_CLI_HELP_H

#include "cli/options.h"

/* A screen for people who know what they want to ask: the command's own options, by sections; or
 * all that there is. */
void cli_help_command(const cli_command *command, bool complete);
void cli_help_program(const cli_command *commands, size_t count);

#endif
