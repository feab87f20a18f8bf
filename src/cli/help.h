/* Help, on standard output. */
#pragma once

#include "cli/options.h"

/* Print the help of a command: on one screen, its own options by section; or, if `complete`, all
 * options and details. */
void cli_help_command(const cli_command *command, bool complete);
void cli_help_program(const cli_command *commands, size_t count);
