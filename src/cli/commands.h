/* The commands. */
#pragma once

#include "cli/options.h"

/* Return all commands. First come the reports in their order, then the commands that have their own
 * function. The first is the default. */
const cli_command *cli_commands(size_t *count);

/* --- commands that the command line implements itself: their arguments, and functions that run
 * them and return the exit status --- */

/* Store the figures of recordings as baselines in a folder of text files. */
extern const mp_argument_table cli_baseline_arguments;
int cli_baseline(cli_options *options);
/* Show a recording on a full screen. */
extern const mp_argument_table cli_browse_arguments;
int cli_browse(cli_options *options);
/* Answer an assistant's questions about the recordings in folders. */
extern const mp_argument_table cli_mcp_arguments;
int cli_mcp(cli_options *options);
/* Add each recording that is written to a folder to a database and an archive. */
extern const mp_argument_table cli_spool_arguments;
int cli_spool(cli_options *options);
/* Print the statements that create the tables of another database. */
extern const mp_argument_table cli_schema_arguments;
int cli_schema(cli_options *options);
/* Follow recordings while they are being written, with a row for each snapshot. */
extern const mp_argument_table cli_watch_arguments;
int cli_watch(cli_options *options);
