/* From recordings to an answer: they are read, asked, and what they say is printed. */
#ifndef MP_CLI_RUN_H
#define MP_CLI_RUN_H

#include "cli/files.h"
#include "cli/options.h"

/* Read all files, with a progress bar where `progress` is NULL. False if any of them could not be
 * read. */
bool cli_load(const cli_options *options, const char *const *paths, size_t count,
              const mp_progress *progress, mp_model *model, mp_diagnostics *diagnostics);
/* Read the suppressions and the policy of the question. Gives the exit status, after messages where
 * it is not CLI_OK. */
int cli_read_beside(cli_options *options);
/* The model's digest, whose texts and frames are numbers of `dictionary`; *digest is released with
 * mp_digest_free. Gives CLI_UNREADABLE where the model has nothing or should be whole, CLI_USAGE
 * after a message. */
int cli_digest(const cli_options *options, const mp_model *model, const mp_diagnostics *diagnostics,
               mp_dictionary *dictionary, mp_digest **digest);

/* Diagnostics that keep as many of each code as the command needs. Release with
 * mp_diagnostics_free. */
mp_diagnostics *cli_diagnostics_new(const cli_options *options);

/* What was told of it made of a status: a snapshot that is named with a file and is not there is an
 * argument that is wrong, and nothing that cannot be read. */
int cli_status_of(int status, const mp_diagnostics *diagnostics);

/* Answer by the command's report; gives the exit status. */
int cli_report(cli_options *options);
/* Say that the command takes one group; gives the exit status. */
int cli_refuse_many(const cli_options *options, const cli_groups *groups);

#endif
