/* Print a command line as a user would type it. */
#pragma once

#include "cli/options.h"

/* Return the question's command line, quoted for a shell, without options for printing. Release
 * with free(). */
char *cli_command_line(const cli_options *options);
