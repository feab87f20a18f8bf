/* Help, on standard output. */
#pragma once

#include "cli/options.h"

/* Print the help of a command. It fits on one screen, and has the command's own options by section.
 * If `complete`, it has all options and details. */
void cli_help_command(const cli_command *command, bool complete);
void cli_help_program(const cli_command *commands, size_t count);
