/* A process that waits to become another program. */
#ifndef MP_CLI_HELPER_H
#define MP_CLI_HELPER_H

#include "cli/process.h"

/* In the new process: become the program, by what it was told, which has a NUL behind it, or come
 * back with errno. */
typedef void cli_helper_become(char *told);

/* Before any thread is started. Gives one without a process where there can be none. */
cli_process cli_helper_make(cli_helper_become *become);
/* Tell it what it waits for. Gives 0 when it has become the program, whose end is waited for by
 * cli_process_wait, or the number of an error: there is none any more then. */
int cli_helper_start(cli_process *helper, const char *told, size_t length);

#endif
