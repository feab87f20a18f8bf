/* What a recording is held against. */
#ifndef MP_CLI_BASE_H
#define MP_CLI_BASE_H

#include "cli/options.h"

/* Whether the base is one recording: of an archive of several the sum would be it, and each of them
 * passes below that. False after a diagnostic. */
bool cli_base_is_one(const cli_options *options, mp_diagnostics *diagnostics);

#endif
