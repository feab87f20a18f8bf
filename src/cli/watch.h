/* The command "watch": recordings that are being written, a row for each snapshot. */
#ifndef MP_CLI_WATCH_H
#define MP_CLI_WATCH_H

#include "cli/options.h"

extern const mp_argument_table cli_watch_arguments;
int cli_watch(cli_options *options);

#endif
