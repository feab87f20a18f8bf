/* The commands. */
#ifndef MP_CLI_COMMANDS_H
#define MP_CLI_COMMANDS_H

#include "cli/options.h"

/* Every report, in their order, then what the command line answers itself; the first is the
 * default.
 */
const cli_command *cli_commands(size_t *count);

#endif
