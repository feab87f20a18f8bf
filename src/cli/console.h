/* Messages to standard error, and the destination of the report. */
#pragma once

#include "session/terminal.h"

/* Begin a run, or end it. If the run failed (exit status other than 0 and 1) and no message
 * explains why, the end prints a message that --quiet suppressed. */
void cli_console_begin(void);
void cli_console_end(bool failed);
/* Redirect messages to a text that the caller shows in another way. NULL: write them to standard
 * error again. */
void cli_console_catch(FILE *file);
FILE *cli_console(void);
/* Return true if a person can answer: standard input and standard output are a terminal. */
bool cli_is_interactive(void);
/* Redirect all output for standard output. NULL: write it to standard output again. */
void cli_output_catch(FILE *file);

/* Print the diagnostics as compilers print them: "file:line: warning: message [code]". `quiet`:
 * errors only. `violations`: also print diagnostics that `memprof check` would list. */
void cli_put_diagnostics(const mp_diagnostics *diagnostics, bool quiet, bool violations);
/* Print the diagnostics of many files in short form: all errors, the first diagnostic of each other
 * code, and the number of those that follow it. */
void cli_put_diagnostic_kinds(const mp_diagnostics *diagnostics, bool quiet, bool violations);

/* Print text that comes from an input or the user on standard error, with control characters
 * escaped. */
void cli_put_safe(const char *text);
/* Print text that comes from an input or the user, as a line that explains the exit status. */
void cli_put_line(const char *text);
/* Print "memprof: text" as a line. */
void cli_put_message(const char *text);
/* Print "path: error: text", formatted like printf. */
void cli_put_fault(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A progress bar for work that takes over a second. It is only shown on a terminal. */
typedef struct cli_progress {
    bool on, drawn;
    double started, last;
    mp_progress progress; /* callback that draws the bar */
} cli_progress;
void cli_progress_begin(cli_progress *progress, bool quiet);
void cli_progress_end(cli_progress *progress);

typedef enum cli_colour {
    CLI_COLOUR_AUTO,
    CLI_COLOUR_ALWAYS,
    CLI_COLOUR_NEVER,
} cli_colour;
enum { CLI_NARROWEST = 60, CLI_WIDEST = 10000 };
/* Return the style of the answer for its destination. `width`: the width that the user gave. If it
 * is below 0, the width is that of the terminal or of the environment, otherwise unlimited.
 * `to_file`: the destination is not standard output. */
mp_style cli_style(cli_colour colour, int64_t width, bool to_file);

/* Check with mp_output_spares that an output does not overwrite an input. Return false after a
 * message. */
bool cli_output_spares(const mp_load_options *how, const char *output, const char *const *paths,
                       size_t count);
/* Open the output: standard output if `path` is NULL, otherwise a file. The file appears under its
 * name only when it is complete. Return false after a message. */
bool cli_output_open(mp_output *output, const char *path);
/* Close the output. If `keep` is false, discard it. Return false, after a message, if it could not
 * be written. */
bool cli_output_close(mp_output *output, bool keep);

/* Print an error: "path:line:column: error: ..." if it is about a file, otherwise the option that
 * caused it. */
void cli_put_error(const mp_error *error);
