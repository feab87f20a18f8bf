/* Processes that are made before this one goes into its sandbox, and stay outside, with a pipe each
 * way; and what signals do to this one. Such a process knows nothing of what is read, and ends with
 * this one, whatever that dies of: the pipe is closed then. */
#ifndef MP_CLI_PROCESS_H
#define MP_CLI_PROCESS_H

#include <signal.h>
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
void cli_process_close(const cli_process *process);
/* Wait for its end; gives its status, as by waitpid. */
int cli_process_wait(cli_process *state);

/* False with errno: somebody may have ended it, which is no signal here. */
bool cli_process_tell(const cli_process *process, const void *from, size_t length);

/* --- a process that waits to become another program --- */

/* In the new process: become the program, by what it was told, which has a NUL behind it, or come
 * back with errno. */
typedef void cli_helper_become(char *told);

/* Before any thread is started. Gives one without a process where there can be none. */
cli_process cli_helper_make(cli_helper_become *become);
/* Tell it what it waits for. Gives 0 when it has become the program, whose end is waited for by
 * cli_process_wait, or the number of an error: there is none any more then. */
int cli_helper_start(cli_process *helper, const char *told, size_t length);

/* --- signals --- */

/* Return true if the parent had ignored the signal (nohup), which then stays ignored. */
bool cli_signal_is_ignored(int number);
/* Those of them that are not ignored, which a signalfd would be told of nevertheless. */
sigset_t cli_signals_heeded(const int *signals, size_t count);
/* End the program by this signal, so that its parent sees the reason; if the signal is blocked,
 * as soon as it is not. */
void cli_signals_end_by(int number);

#endif
