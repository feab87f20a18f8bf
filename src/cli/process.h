/* Helper processes outside the sandbox, and signals. A helper is started before this process enters
 * its sandbox, is connected by a pipe in each direction, and has no access to the recordings. It
 * ends when this process ends for any reason, because the pipe is closed then. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct cli_process {
    pid_t process; /* 0 = there is none */
    int to, from;
} cli_process;

/* Work of the new process, which ends when this function returns. */
typedef void cli_process_serve(int from, int to, void *opaque);

/* Start a process; call it before any thread is started. On failure, the result has no process. */
cli_process cli_process_make(cli_process_serve *serve, void *opaque);
void cli_process_close(const cli_process *process);
/* Wait for the end of the process; return its status, as waitpid() does. */
int cli_process_wait(cli_process *state);

/* Write to the process. False with errno; if the process has ended, there is no SIGPIPE. */
bool cli_process_tell(const cli_process *process, const void *from, size_t length);

/* --- a process that waits to become another program --- */

/* Called in the new process: run the program that `told`, a text ending with a NUL, describes.
 * Return only if that fails, with errno. */
typedef void cli_helper_become(char *told);

/* Start such a process; call it before any thread is started. On failure, the result has no
 * process. */
cli_process cli_helper_make(cli_helper_become *become);
/* Tell the helper which program to become. Return 0 if it has become the program (wait for its end
 * with cli_process_wait). Otherwise return an error number; the helper has ended. */
int cli_helper_start(cli_process *helper, const char *told, size_t length);

/* --- signals --- */

/* Return true if this process was started with the signal ignored (nohup). It then stays
 * ignored. */
bool cli_signal_is_ignored(int number);
/* Return the signals of the list that are not ignored. A signalfd would receive ignored ones
 * too. */
sigset_t cli_signals_heeded(const int *signals, size_t count);
/* End the program by this signal, so that its parent sees the reason. If the signal is blocked, the
 * program ends as soon as it is unblocked. */
void cli_signals_end_by(int number);
