/* Choice of an output format by the file's name. */
#ifndef MP_CLI_ENDING_H
#define MP_CLI_ENDING_H

#include "cli/options.h"

/* Choose the format by the ending of --output, where nothing else says it; an ending that says none
 * leaves it. False after a message: such a file is not written, here or as a --chart. */
bool cli_ending_choose(cli_options *options);

#endif
