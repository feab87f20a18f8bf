/* The user's editor, for a program that may start none any more: a process that was started before,
 * and knows nothing of what is read, starts it. */
#ifndef MP_CLI_EDITOR_H
#define MP_CLI_EDITOR_H

#include <stdbool.h>
#include <stdint.h>

/* Have it ready: VISUAL, EDITOR or vi. Before threads, and before the sandbox. */
void cli_editor_prepare(void);
/* Edit the file, from this line on where it is above 0, and wait for the end of that. False where
 * it could not be started or failed. The terminal is the editor's meanwhile. */
bool cli_editor_run(const char *path, int64_t line);
void cli_editor_end(void);

#endif
