/* Defaults of options, from the user's configuration file and from a .memprof file in the current
 * folder or above it. */
#pragma once

#include "cli/options.h"

/* Insert the settings that apply to the command, and that the command line does not contain, before
 * the pairs of the command line; their texts live in options->config. With --verbose, print the
 * origin of each setting. False after messages if a file is invalid. */
bool cli_config_read(cli_options *options);
/* Add to an error message that some of the options come from configuration files. */
void cli_config_remind(const cli_options *options);
