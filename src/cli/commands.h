/* The commands. */
#ifndef MP_CLI_COMMANDS_H
#define MP_CLI_COMMANDS_H

#include "cli/options.h"

/* Every report, in their order, then what the command line answers itself; the first is the
 * default.
 */
const cli_command *cli_commands(size_t *count);

/* --- those that the command line answers itself, with what they take; each gives the exit status
 * --- */

/* Digests of recordings in a store, a folder of text files. */
extern const mp_argument_table cli_baseline_arguments;
int cli_baseline(cli_options *options);
/* Look at a recording on a full screen. */
extern const mp_argument_table cli_browse_arguments;
int cli_browse(cli_options *options);
/* Statements that create the tables of another database. */
extern const mp_argument_table cli_schema_arguments;
int cli_schema(cli_options *options);
/* Recordings that are being written, a row for each snapshot. */
extern const mp_argument_table cli_watch_arguments;
int cli_watch(cli_options *options);

#endif
