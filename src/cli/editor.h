/* Run the user's editor. The sandbox does not allow new programs, so a process that is started
 * before it runs the editor on request. That process has no access to the recording. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Start the process that will run the editor: VISUAL, EDITOR or vi. Call it before threads start
 * and before the sandbox is entered. */
void cli_editor_prepare(void);
/* Edit the file, at this line if it is above 0, and wait for the end of the editor, which uses the
 * terminal meanwhile. False if it could not be started or failed. */
bool cli_editor_run(const char *path, int64_t line);
void cli_editor_end(void);
