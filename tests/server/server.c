/* Run command lines of memprof one after the other in one process. With sanitizers, starting the
 * program takes ten times as long as most test runs.
 *
 * Standard input is a socket of packets. A packet is a command line, whose words end with NUL
 * bytes, and three descriptors: standard input, output and error of the run. The answer is the
 * run's exit status as an int. If a run ends the process, there is no answer; the exit status of
 * the server then shows how the run ended. When the socket is closed, the exit status of the server
 * shows whether the sanitizer found leaks. */
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STREAMS = 3, MOST_BYTES = 1 << 16, MOST_WORDS = 256, FIRST_OWN = 100 };

/* The main() of src/cli/main.c. */
int memprof_main(int argc, char **argv);

static void fail(const char *why)
{
    fprintf(stderr, "memprof-server: %s\n", why);
    exit(EXIT_FAILURE);
}

/* Receive the next command line and its descriptors. Return its length in bytes; 0 = there are no
 * more. */
static size_t receive(int from, char *line, size_t size, int streams[STREAMS])
{
    union {
        char bytes[CMSG_SPACE(STREAMS * sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct iovec where = {.iov_base = line, .iov_len = size};
    struct msghdr message = {.msg_iov = &where,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t got = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
    if (got == 0)
        return 0;
    struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!header || header->cmsg_type != SCM_RIGHTS ||
        header->cmsg_len != CMSG_LEN(STREAMS * sizeof(int)) || message.msg_flags & MSG_TRUNC)
        fail("this is no command line with three descriptors");
    memcpy(streams, CMSG_DATA(header), STREAMS * sizeof(int));
    return (size_t)got;
}

static void put_streams(const int streams[STREAMS], bool close_them)
{
    for (int i = 0; i < STREAMS; i++) {
        dup2(streams[i], i);
        if (close_them)
            close(streams[i]);
    }
}

/* Run a command line. Set the global state to that of a new process before. */
static int run(char *line, size_t length)
{
    char *words[MOST_WORDS + 1];
    int count = 0;
    for (size_t index = 0; index < length; index += strlen(line + index) + 1) {
        if (count == MOST_WORDS)
            fail("this has too many words");
        words[count++] = line + index;
    }
    words[count] = NULL;
    optind = 0;
    clearerr(stdout);
    clearerr(stderr);
    int status = memprof_main(count, words);
    fflush(stdout);
    return status;
}

static int first_free(void)
{
    int file = dup(STDIN_FILENO);
    close(file);
    return file;
}

int main(void)
{
    static char line[MOST_BYTES + 1];
    int streams[STREAMS], values[STREAMS],
        commands = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, FIRST_OWN);
    values[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    values[1] = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FIRST_OWN);
    values[2] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, FIRST_OWN);
    size_t length;
    while ((length = receive(commands, line, MOST_BYTES, streams)) > 0) {
        line[length] = '\0';
        put_streams(streams, true);
        int before = first_free(), status = run(line, length), after = first_free();
        put_streams(values, false);
        if (after != before)
            fail("a run left a file open");
        if (send(commands, &status, sizeof status, 0) != sizeof status)
            fail("nobody wants to know");
    }
    return EXIT_SUCCESS;
}
