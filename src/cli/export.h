/* The command "export": reads recordings like a report, writes a file for another tool, and prints
 * a summary. */
#pragma once

#include "cli/options.h"

/* Return all arguments that any output format accepts, with the kinds of recordings. */
const mp_argument_table *cli_export_arguments(void);
/* Set the command's report by --to: an exporter, or the report whose answer a renderer shows.
 * Return false after a message. */
bool cli_export_choose(cli_options *options);
/* Refuse a --to that is not an export format, and name the command that prints that format. Returns
 * false. */
bool cli_export_refuse(const cli_options *options, const mp_renderer *renderer);
int cli_export(cli_options *options);
