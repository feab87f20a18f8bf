/* memprof browse: look at a recording on a full screen. */
#ifndef MP_CLI_BROWSE_H
#define MP_CLI_BROWSE_H

#include "cli/options.h"

extern const mp_argument_table cli_browse_arguments;

int cli_browse(cli_options *options);

#endif
