/* Run the user's editor. The sandbox does not allow new programs. Therefore a process is started
 * before the sandbox is entered, and runs the editor on request. It has no access to the
 * recording. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Start the process that will run the editor: VISUAL, EDITOR or vi. Call it before threads start
 * and before the sandbox is entered. */
void cli_editor_prepare(void);
/* Let the user edit the file, and wait for the end of the editor. If `line` is above 0, the editor
 * begins at this line. It uses the terminal. Return false if it could not be started, or failed. */
bool cli_editor_run(const char *path, int64_t line);
void cli_editor_end(void);
