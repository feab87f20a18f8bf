/* The command line as a user would type it again. */
#ifndef MP_CLI_COMMAND_LINE_H
#define MP_CLI_COMMAND_LINE_H

#include "cli/options.h"

/* What was asked, quoted for a shell, without how it was printed. Release with free(). */
char *cli_command_line(const cli_options *options);

#endif
