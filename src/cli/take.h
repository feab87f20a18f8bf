/* Conversion of an option's text to its value. */
#pragma once

#include "cli/options.h"

/* Set the option. False after a message that says what it accepts. */
bool cli_take(cli_options *options, const cli_option *option, const cli_pair *pair);
/* Print the message of cli_take without setting the option. Returns false. */
bool cli_refuse_argument(const cli_options *options, const cli_option *option,
                         const cli_pair *pair);
