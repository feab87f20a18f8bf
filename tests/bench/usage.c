// Measure the cost of a command: usage FILE COMMAND ARGUMENT... writes elapsed seconds, CPU seconds
// and peak memory in KiB to FILE, and ends with the status of the command.
//
// A process inherits the peak memory of its parent, so the parent must be small.
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: usage FILE COMMAND ARGUMENT...\n");
        return 2;
    }
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pid_t pid;
    int error = posix_spawnp(&pid, argv[2], NULL, NULL, argv + 2, environ);
    if (error) {
        fprintf(stderr, "%s: %s\n", argv[2], strerror(error));
        return 2;
    }
    int status;
    struct rusage usage;
    while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    FILE *file = fopen(argv[1], "w");
    if (!file) {
        perror(argv[1]);
        return 2;
    }
    fprintf(file, "%.6f %.6f %ld\n",
            (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9,
            seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss);
    fclose(file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
