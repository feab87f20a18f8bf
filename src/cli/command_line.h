/* Print a command line as a user would type it. */
#ifndef MP_CLI_COMMAND_LINE_H
#define MP_CLI_COMMAND_LINE_H

#include "cli/options.h"

/* Return the question's command line, quoted for a shell, without options for printing. Release
 * with free(). */
char *cli_command_line(const cli_options *options);

#endif
