#include "cli/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/limits.h"

cli_process cli_process_make(cli_process_serve *serve, void *opaque)
{
    int ends[4] = {-1, -1, -1, -1}; /* ends of the pipes: to the process, and from it */
    fflush(NULL);
    bool ok = pipe2(ends, O_CLOEXEC) == 0 && pipe2(ends + 2, O_CLOEXEC) == 0;
    pid_t process = ok ? fork() : -1;
    if (process == 0) {
        close(ends[1]);
        close(ends[2]);
        serve(ends[0], ends[3], opaque);
        _exit(127);
    }
    cli_process made = {.process = 0};
    if (process > 0) {
        made = (cli_process){process, ends[1], ends[2]};
        ends[1] = ends[2] = -1;
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    return made;
}

void cli_process_close(const cli_process *process)
{
    close(process->to);
    close(process->from);
}

int cli_process_wait(cli_process *state)
{
    int status = 0;
    while (waitpid(state->process, &status, 0) < 0 && errno == EINTR)
        continue;
    state->process = 0;
    return status;
}

bool cli_process_tell(const cli_process *process, const void *from, size_t length)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    sigaction(SIGPIPE, &ignore, &before);
    bool ok = mp_write_all(process->to, from, length);
    int why = errno;
    sigaction(SIGPIPE, &before, NULL);
    errno = why;
    return ok;
}

/* --- a process that waits to become another program --- */

/* Read a word: its length, then its bytes. Ignore an incomplete word, because its sender has
 * ended. */
static void wait_for_word(int word, int failure, void *opaque)
{
    cli_helper_become *const *become = opaque;
    size_t length;
    if (!mp_read_all(word, &length, sizeof length))
        return;
    char *told = mp_alloc_zero(length + 1, 1);
    if (mp_read_all(word, told, length)) {
        cli_limits_leave();
        (*become)(told);
        int error = errno;
        mp_write_all(failure, &error, sizeof error);
    }
}

cli_process cli_helper_make(cli_helper_become *become)
{
    return cli_process_make(wait_for_word, &become);
}

int cli_helper_start(cli_process *helper, const char *told, size_t length)
{
    if (!helper->process)
        return EAGAIN;
    bool ok =
        cli_process_tell(helper, &length, sizeof length) && cli_process_tell(helper, told, length);
    int error = ok ? 0 : errno;
    /* if the helper became the program, the pipe was closed, and no data came */
    if (ok && !mp_read_all(helper->from, &error, sizeof error))
        error = errno;
    cli_process_close(helper);
    if (error)
        cli_process_wait(helper);
    return error;
}

/* --- signals --- */

bool cli_signal_is_ignored(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) != 0 || now.sa_handler == SIG_IGN;
}

sigset_t cli_signals_heeded(const int *signals, size_t count)
{
    sigset_t heeded;
    sigemptyset(&heeded);
    for (size_t i = 0; i < count; i++)
        if (!cli_signal_is_ignored(signals[i]))
            sigaddset(&heeded, signals[i]);
    return heeded;
}

void cli_signals_end_by(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}
