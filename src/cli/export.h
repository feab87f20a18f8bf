/* The command "export": read as for a report, write as another tool does, say what was written. */
#ifndef MP_CLI_EXPORT_H
#define MP_CLI_EXPORT_H

#include "cli/options.h"

/* Return all arguments that any output format accepts, with the kinds of recordings. */
const mp_argument_table *cli_export_arguments(void);
/* The command becomes what --to names: an exporter is asked, or a report whose answer a renderer
 * shows. False after a message. */
bool cli_export_choose(cli_options *options, const cli_command *commands, size_t count);
/* Say which command prints what is no recording's format. */
bool cli_export_refuse(const cli_options *options, const mp_renderer *renderer,
                       const cli_command *commands, size_t count);
int cli_export(cli_options *options);

#endif
