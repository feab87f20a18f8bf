/* Conversion of an option's text to its value. */
#pragma once

#include "cli/options.h"

/* Set the option. Return false after a message, which says which texts the option accepts. */
bool cli_take(cli_options *options, const cli_option *option, const cli_pair *pair);
/* Print the message that cli_take would print, and do not set the option. Always return false. */
bool cli_refuse_argument(const cli_options *options, const cli_option *option,
                         const cli_pair *pair);
