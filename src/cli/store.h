/* The command "baseline": digests of recordings in a store, a folder of text files. */
#ifndef MP_CLI_STORE_H
#define MP_CLI_STORE_H

#include "cli/options.h"

extern const mp_argument_table cli_baseline_arguments;
int cli_baseline(cli_options *options);

#endif
