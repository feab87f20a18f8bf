/* Help, on standard output. */
#ifndef MP_CLI_HELP_H
#define MP_CLI_HELP_H

#include "cli/options.h"

/* Print the help of a command: on one screen, its own options by section; or, if `complete`, all
 * options and details. */
void cli_help_command(const cli_command *command, bool complete);
void cli_help_program(const cli_command *commands, size_t count);

#endif
