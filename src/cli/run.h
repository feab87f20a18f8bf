/* From recordings to an answer: they are read, asked, and what they say is printed. */
#ifndef MP_CLI_RUN_H
#define MP_CLI_RUN_H

#include "cli/options.h"

/* A session of what the command line names, read as it says, with a progress bar; diagnostics keep
 * as many of each code as the command needs. End it by cli_session_end. */
typedef struct cli_session {
    mp_session session;
    cli_progress bar;
} cli_session;
void cli_session_begin(cli_session *session, const cli_options *options);
void cli_session_end(cli_session *session);
/* Find all files, and group them. Gives CLI_USAGE after a message where one of them is where the
 * answer, or what else is written, is to go. */
int cli_session_find(cli_session *session, const cli_options *options);
/* Read the one recording that the command is about, as a question needs it, and tell what is wrong
 * with it. *all says whether all of it could be read. Gives CLI_USAGE after a message where there
 * are several, CLI_UNREADABLE where it cannot be asked. */
int cli_session_read(cli_session *session, const cli_options *options, const mp_load_options *needs,
                     bool *complete);

/* Diagnostics that keep as many of each code as the command needs. Release with
 * mp_diagnostics_free. */
mp_diagnostics *cli_diagnostics_new(const cli_options *options);
/* Read the suppressions and the policy of the question. Gives the exit status, after messages where
 * it is not CLI_OK. */
int cli_read_beside(cli_options *options);
/* Exit statuses by mp_outcome. */
extern const int cli_outcome_statuses[];

/* Return the exit status, with regard to diagnostics: a snapshot that was named with a file and
 * does not exist is a wrong argument, not an unreadable file. */
int cli_status_of(int status, const mp_diagnostics *diagnostics);

/* Answer by the command's report; gives the exit status. */
int cli_report(cli_options *options);

#endif
