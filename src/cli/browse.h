/* memprof browse: look at a recording on a full screen. */
#ifndef MP_CLI_BROWSE_H
#define MP_CLI_BROWSE_H

#include "cli/options.h"

extern const mp_argument_table cli_browse_arguments;

int cli_browse(cli_options *options);

/* What a person at a terminal types to look around in what was asked about; NULL where there is no
 * such person, or where the browser does not have this answer. Release with free(). */
char *cli_browse_instead(const cli_options *options);

#endif
