#include "cli/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/limits.h"

/* False where the other end is closed before all is there; errno says why, or is 0. */
static bool read_all(int file, void *into, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = read(file, (char *)into + done, length - done);
        errno = got == 0 ? 0 : errno;
        if (got > 0)
            done += (size_t)got;
        else if (errno != EINTR)
            return false;
    }
    return true;
}

static bool write_all(int file, const void *from, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t put = write(file, (const char *)from + done, length - done);
        if (put >= 0)
            done += (size_t)put;
        else if (errno != EINTR)
            return false;
    }
    return true;
}

/* A word is its length and its bytes. Half of one is none: whoever said it is gone. */
static void wait_for_word(int word, int failure, cli_helper_become *become)
{
    size_t length;
    if (read_all(word, &length, sizeof length)) {
        char *told = mp_alloc_zero(length + 1, 1);
        if (read_all(word, told, length)) {
            cli_limits_leave();
            become(told);
            int error = errno;
            write_all(failure, &error, sizeof error);
        }
    }
    _exit(127);
}

cli_helper cli_helper_make(cli_helper_become *become)
{
    int ends[4] = {-1, -1, -1, -1}; /* of the word, then of the failure */
    fflush(NULL);
    bool ok = pipe2(ends, O_CLOEXEC) == 0 && pipe2(ends + 2, O_CLOEXEC) == 0;
    pid_t process = ok ? fork() : -1;
    if (process == 0) {
        close(ends[1]);
        close(ends[2]);
        wait_for_word(ends[0], ends[3], become);
    }
    cli_helper helper = {.process = 0};
    if (process > 0) {
        helper = (cli_helper){process, ends[1], ends[2]};
        ends[1] = ends[2] = -1;
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    return helper;
}

int cli_helper_start(cli_helper *helper, const char *told, size_t length)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    int error = 0;
    if (!helper->process)
        return EAGAIN;
    sigaction(SIGPIPE, &ignore, &before); /* somebody may have ended it */
    bool ok =
        write_all(helper->word, &length, sizeof length) && write_all(helper->word, told, length);
    error = ok ? 0 : errno;
    sigaction(SIGPIPE, &before, NULL);
    /* Nothing comes where it became the program, which has no such file. */
    if (ok && !read_all(helper->failure, &error, sizeof error))
        error = errno;
    close(helper->word);
    close(helper->failure);
    if (error)
        cli_helper_wait(helper);
    return error;
}

int cli_helper_wait(cli_helper *helper)
{
    int status = 0;
    while (waitpid(helper->process, &status, 0) < 0 && errno == EINTR)
        continue;
    helper->process = 0;
    return status;
}
