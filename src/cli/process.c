#include "cli/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/terminal.h"

cli_process cli_process_make(cli_process_serve *serve, void *opaque)
{
    int ends[4] = {-1, -1, -1, -1}; /* to it, then from it */
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

void cli_process_close(const cli_process *of)
{
    close(of->to);
    close(of->from);
}

int cli_process_wait(cli_process *of)
{
    int status = 0;
    while (waitpid(of->process, &status, 0) < 0 && errno == EINTR)
        continue;
    of->process = 0;
    return status;
}

bool cli_process_tell(const cli_process *of, const void *from, size_t length)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    sigaction(SIGPIPE, &ignore, &before);
    bool ok = mp_write_all(of->to, from, length);
    int why = errno;
    sigaction(SIGPIPE, &before, NULL);
    errno = why;
    return ok;
}
