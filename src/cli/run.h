/* From recordings to an answer: they are read, asked, and what they say is printed. */
#ifndef MP_CLI_RUN_H
#define MP_CLI_RUN_H

#include "cli/options.h"
#include "session/digests.h"

/* Begin a progress bar, and give how recordings are read with it. End it by cli_progress_end. */
mp_reading cli_reading(const cli_options *options, cli_progress *bar);
/* Read a group with a progress bar. False if any of its files could not be read. */
bool cli_load(const cli_options *options, const mp_file_group *group, mp_model *model,
              mp_diagnostics *diagnostics);
/* Find all files of the command line, and group them. False as mp_file_groups_find. */
bool cli_find(const cli_options *options, mp_file_groups *groups, mp_diagnostics *diagnostics);
/* Return whether the output, NULL for none, is none of the files of the groups. False after a
 * message. */
bool cli_groups_spared(const mp_file_groups *groups, const char *output);
/* Read the suppressions and the policy of the question. Gives the exit status, after messages where
 * it is not CLI_OK. */
int cli_read_beside(cli_options *options);
/* Say why there is no digest, where no diagnostic does; gives the exit status. */
int cli_put_refusal(const mp_error *error);

/* Diagnostics that keep as many of each code as the command needs. Release with
 * mp_diagnostics_free. */
mp_diagnostics *cli_diagnostics_new(const cli_options *options);

/* What was told of it made of a status: a snapshot that is named with a file and is not there is an
 * argument that is wrong, and nothing that cannot be read. */
int cli_status_of(int status, const mp_diagnostics *diagnostics);

/* Answer by the command's report; gives the exit status. */
int cli_report(cli_options *options);
/* Say that the command takes one group; gives the exit status. */
int cli_refuse_many(const cli_options *options, const mp_file_groups *groups);

#endif
