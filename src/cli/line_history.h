/* A file of the lines that a person typed in earlier sessions: $XDG_STATE_HOME/memprof/NAME, or
 * ~/.local/state/memprof/NAME. No other user may read it. */
#pragma once

enum { CLI_HISTORY_LINES = 1000 };

/* Open the file. Create it and its folders if necessary. Return its descriptor; -1 if it cannot be
 * written. Call this before the sandbox is entered, which denies access to these paths. */
int cli_history_open(const char *name);
/* Pass the last CLI_HISTORY_LINES lines to `take`, the oldest first. If the file has grown far
 * beyond this number of lines, cut it to the last lines. */
void cli_history_load(int file, void (*take)(void *opaque, const char *line), void *opaque);
/* Append a line. */
void cli_history_add(int file, const char *line);
