/* Defaults of options, from files: of the user, and of the folder where the work is done. */
#ifndef MP_CLI_CONFIG_H
#define MP_CLI_CONFIG_H

#include "cli/options.h"

/* Put the settings that mean something to the command, and that the command line does not make
 * itself, before the pairs of the command line; their texts live in options->config. With verbose
 * it tells what came from where. False after messages: a file is no configuration. */
bool cli_config_read(cli_options *options, const cli_command *commands, size_t count);
/* Add to a refusal that some of the options come from configuration files. */
void cli_config_remind(const cli_options *options);

#endif
