#ifndef MP_CLI_TREND_H
#define MP_CLI_TREND_H

#include "cli/options.h"

/* The command trend: read one build after the other, then answer. Gives the exit status. */
int cli_trend(cli_options *options);

#endif
