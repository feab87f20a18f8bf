/* Input of lines from a terminal. libedit is used, with a history and completion of names. If the
 * program was built without libedit, or the terminal cannot move its cursor, a line cannot be
 * edited ("plain"). */
#pragma once

#include "cli/completion.h"

typedef struct cli_lines {
    const cli_completion *completion;
    const char *prompt;
    mp_text_buffer line; /* a plain line */
    unsigned char bytes[4096];
    size_t next, count;      /* bytes that were read, but are after the last line */
    struct editline *editor; /* NULL = lines are plain */
    struct history *entries;
    int history;  /* file descriptor; -1 = no history */
    bool heeding; /* Ctrl-C only sets a flag, and does not end the program */
} cli_lines;

/* Begin. `history`: name of the file of the history. Call it before the sandbox is entered. */
void cli_lines_begin(cli_lines *lines, const char *history, const cli_completion *completion);
void cli_lines_end(cli_lines *lines);

/* Read a line, without its end. It is valid until the next call. Return NULL at the end of the
 * input or after Ctrl-C, which sets `interrupted`. From the first call on, Ctrl-C does not end the
 * program. */
const char *cli_lines_read(cli_lines *lines, const char *prompt, bool *interrupted);

/* Return true if Ctrl-C was typed since the last call of cli_lines_read. */
bool cli_lines_interrupted(void);
