/* Helper processes outside the sandbox; also signals. A helper is started before this process
 * enters its sandbox. It is connected by a pipe in each direction, and has no access to the
 * recordings. When this process ends for any reason, the pipe is closed, and the helper ends. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct cli_process {
    pid_t process; /* 0 = there is no process */
    int to, from;
} cli_process;

/* Work of the new process. The process ends when this function returns. */
typedef void cli_process_serve(int from, int to, void *opaque);

/* Start a process; call it before any thread is started. On failure, the result has no process. */
cli_process cli_process_make(cli_process_serve *serve, void *opaque);
void cli_process_close(const cli_process *process);
/* Wait for the end of the process. Return its status, in the form of waitpid(). */
int cli_process_wait(cli_process *state);

/* Write to the process. Return false with errno. If the process has ended, there is no SIGPIPE. */
bool cli_process_tell(const cli_process *process, const void *from, size_t length);

/* --- a process that waits to become another program --- */

/* Function that the new process calls to become the program that `told` describes, a text that ends
 * with a NUL. It returns only on failure, with errno. */
typedef void cli_helper_become(char *told);

/* Start a helper that can become a program. Call this before any thread is started. On failure, the
 * result has no process. */
cli_process cli_helper_make(cli_helper_become *become);
/* Tell the helper which program to become. Return 0 if it has become the program (wait for its end
 * with cli_process_wait). Otherwise return an error number; the helper has ended. */
int cli_helper_start(cli_process *helper, const char *told, size_t length);

/* --- signals --- */

/* Return true if the signal was ignored when this process was started (nohup). It then stays
 * ignored. */
bool cli_signal_is_ignored(int number);
/* Return those signals of the list that are not ignored. A signalfd would also receive ignored
 * signals. */
sigset_t cli_signals_heeded(const int *signals, size_t count);
/* End the program by this signal, so that its parent sees the reason. If the signal is blocked, the
 * program ends as soon as the signal is unblocked. */
void cli_signals_end_by(int number);
