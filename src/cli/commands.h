/* The commands, and help for them. */
#ifndef MP_CLI_COMMANDS_H
#define MP_CLI_COMMANDS_H

#include "cli/options.h"

/* Every report, in their order, then what the command line answers itself; the first is the
 * default.
 */
const cli_command *cli_commands(size_t *count);

/* Help for the program, or for the command if the user named one. */
void cli_help(const cli_options *options);

#endif
