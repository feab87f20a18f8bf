/* The command line as a user would type it again. */
#ifndef MP_CLI_COMMAND_LINE_H
#define MP_CLI_COMMAND_LINE_H

#include "cli/options.h"

/* Return the command line of the question, quoted for a shell, without options for printing.
 * Release with free(). */
char *cli_command_line(const cli_options *options);

#endif
