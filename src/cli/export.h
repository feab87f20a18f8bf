/* The command "export": read as for a report, write as another tool does, say what was written. */
#ifndef MP_CLI_EXPORT_H
#define MP_CLI_EXPORT_H

#include "cli/options.h"

extern const mp_argument_table cli_export_arguments;
int cli_export(cli_options *options);

#endif
