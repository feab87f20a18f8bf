/* Messages to standard error, and the destination of the report. */
#ifndef MP_CLI_CONSOLE_H
#define MP_CLI_CONSOLE_H

#include "session/terminal.h"

/* At the begin of a run, and at its end: with a status other than 0 and 1, standard error has a
 * line that says why, whatever the run was to keep back. */
void cli_console_begin(void);
void cli_console_end(bool failed);
/* Redirect messages to a text that the caller shows in another way. NULL: standard error again. */
void cli_console_catch(FILE *file);
FILE *cli_console(void);

/* Print the diagnostics as compilers do, "file:line: warning: message [code]". `quiet`: errors
 * only. `violations`: print those that a check would list, too. */
void cli_put_diagnostics(const mp_diagnostics *diagnostics, bool quiet, bool violations);
/* The same of many files, for people who want the answer: the first of each code, and how many more
 * there are; each error. */
void cli_put_diagnostic_kinds(const mp_diagnostics *diagnostics, bool quiet, bool violations);

/* Text of an input or a user on standard error: nothing of it may reach the terminal as a control
 * sequence. */
void cli_put_safe(const char *text);
/* The same as a line of its own, after which nobody asks why it failed. */
void cli_put_line(const char *text);
/* "memprof: text", as a line. */
void cli_put_message(const char *text);
/* "path: error: text" */
void cli_put_fault(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A progress bar for work over a second, only on a terminal. */
typedef struct cli_progress {
    bool on, drawn;
    double started, last;
    mp_progress progress; /* draws it */
} cli_progress;
void cli_progress_begin(cli_progress *progress, bool quiet);
void cli_progress_end(cli_progress *progress);

typedef enum cli_colour {
    CLI_COLOUR_AUTO,
    CLI_COLOUR_ALWAYS,
    CLI_COLOUR_NEVER,
} cli_colour;
enum { CLI_NARROWEST = 60, CLI_WIDEST = 10000 };
/* How the answer looks where it goes. `width`: that was asked for; below 0: as wide as the terminal
 * is or the environment says, else as it needs. `to_file`: it does not go to standard output. */
mp_style cli_style(cli_colour colour, int64_t width, bool to_file);

/* Check an output by mp_output_spares. False after a message. */
bool cli_output_spares(const mp_load_options *how, const char *output, const char *const *paths,
                       size_t count);
/* Open the output: standard output if `path` is NULL, else a file that appears under its name
 * only when it is complete. False after a message. */
bool cli_output_open(mp_output *output, const char *path);
/* `keep`: false throws away what was written. False after a message if it could not be written. */
bool cli_output_close(mp_output *output, bool keep);

/* Say why something cannot be done: "path:line:column: error: ..." of a file, else with the option
 * that it is about. */
void cli_put_error(const mp_error *error);

#endif
