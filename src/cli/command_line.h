/* Print a command line as a user would type it. */
#pragma once

#include "cli/options.h"

/* Return the command line of the question, quoted for a shell. It has no options for printing.
 * Release with free(). */
char *cli_command_line(const cli_options *options);
