/* Read recordings, run the command's report, and print its answer. */
#pragma once

#include "cli/options.h"

/* Begin the session of a command line. It has the inputs and options for reading, a progress bar,
 * and diagnostics. As many diagnostics of each code are kept as the command needs. Release with
 * cli_session_end. */
typedef struct cli_session {
    mp_session session;
    cli_progress bar;
} cli_session;
void cli_session_begin(cli_session *session, const cli_options *options);
void cli_session_end(cli_session *session);
/* Find and group the input files. Return CLI_USAGE, after a message, if an input file is also an
 * output file. */
int cli_session_find(cli_session *session, const cli_options *options);
/* Read the command's only recording with the data that the question needs, and print its
 * diagnostics. `complete`: set to true if the whole recording could be read. Return CLI_USAGE,
 * after a message, if there are several recordings; CLI_UNREADABLE if the recording could not be
 * read. */
int cli_session_read(cli_session *session, const cli_options *options, const mp_load_options *needs,
                     bool *complete);

/* Return diagnostics that keep as many of each code as the command needs. Release with
 * mp_diagnostics_free. */
mp_diagnostics *cli_diagnostics_new(const cli_options *options);
/* Read the suppressions and the policy of the question. Return CLI_OK, or another exit status after
 * messages. */
int cli_read_beside(cli_options *options);
/* Exit statuses, by mp_outcome. */
extern const int cli_outcome_statuses[];

/* Return the exit status for an outcome. If a diagnostic says that the snapshot named with a file
 * does not exist, the argument is wrong, but the file is readable. */
int cli_status_of(int status, const mp_diagnostics *diagnostics);

/* Ask a question about the files that the session found. Return false, after a message, if there
 * are several files and the report takes only one. Release the answers with mp_answers_free. */
bool cli_ask(cli_session *session, const cli_options *options, const mp_question *question,
             mp_answers *answers);
/* Print the problems of the files that an answer is about. */
void cli_put_findings(const cli_options *options, const mp_session *session,
                      const mp_answers *answers);
/* Report why there is no answer. If there are several files, report it for each. Mention skipped
 * groups only if no group has an answer. Return the exit status; CLI_OK if there is nothing to
 * report. */
int cli_put_refusals(const mp_answers *answers, const mp_file_groups *groups);

/* Ask the question of the options about the files that the session found, and print the answer.
 * Return the exit status. */
int cli_answer(cli_session *session, const cli_options *options);
/* Run the command's report and print the answer. Return the exit status. */
int cli_report(cli_options *options);
