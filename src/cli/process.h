/* A process that is made before this one goes into its sandbox, and stays outside, with a pipe each
 * way. It knows nothing of what is read, and ends with this one, whatever that dies of: the pipe is
 * closed then. */
#ifndef MP_CLI_PROCESS_H
#define MP_CLI_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct cli_process {
    pid_t process; /* 0: there is none */
    int to, from;
} cli_process;

/* Work of the new process, which ends when this returns. */
typedef void cli_process_serve(int from, int to, void *opaque);

/* Before any thread is started. Gives one without a process where there can be none. */
cli_process cli_process_make(cli_process_serve *serve, void *opaque);
void cli_process_close(const cli_process *of);
/* Wait for its end; gives its status, as by waitpid. */
int cli_process_wait(cli_process *of);

/* False with errno: somebody may have ended it, which is no signal here. */
bool cli_process_tell(const cli_process *of, const void *from, size_t length);

#endif
