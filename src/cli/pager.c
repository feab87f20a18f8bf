#include "cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* NULL: none is wanted. */
static const char *wanted(void)
{
    const char *const names[] = {"MEMPROF_PAGER", "PAGER"};
    const char *kind = getenv("TERM"), *command = NULL;
    if (!isatty(STDOUT_FILENO) || !kind || strcmp(kind, "dumb") == 0)
        return NULL;
    for (size_t i = 0; !command && i < sizeof names / sizeof *names; i++)
        command = getenv(names[i]);
    if (!command)
        command = "less";
    return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

/* A process that becomes the pager when there is something to read. */
static struct {
    pid_t process; /* 0: there is none */
    int input;     /* what it will read */
    int word;      /* a byte here, and it begins; the end, and it is not needed */
    int failure;   /* a byte comes from here if it cannot be started, else the end */
} waiting;

/* A short answer is printed and not waited for, colours are colours, and what was read stays on the
 * screen, with the notes above it. */
static void become_pager(const char *command)
{
    /* A shell takes its words apart. If it finds no such program, nothing was read yet. */
    static char script[] = "eval \"$1\"\n[ $? -ne 127 ] || exec cat", shell[] = "sh", run[] = "-c";
    static const int ignored[] = {SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ};
    char *one[] = {(char *)(uintptr_t)command, NULL};
    char *words[] = {shell, run, script, shell, one[0], NULL};
    bool plain = !strpbrk(command, " \t\n|&;<>()$`\\\"'*?[#~=%");
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_DFL);
    setenv("LESS", "FRX", false);
    if (plain)
        execvp(command, one);
    else
        execv("/bin/sh", words);
}

/* The process ends with its parent, whatever that dies of: all ends of the pipes are closed then.
 */
static void wait_to_be_pager(const char *command, const int input[2], const int word[2],
                             const int failure[2])
{
    char byte = 0;
    close(input[1]);
    close(word[1]);
    close(failure[0]);
    if (read(word[0], &byte, 1) == 1 && dup2(input[0], STDIN_FILENO) >= 0) {
        become_pager(command);
        if (write(failure[1], &byte, 1) < 0)
            byte = 0;
    }
    _exit(127);
}

void cli_pager_prepare(void)
{
    const char *command = wanted();
    int ends[6] = {-1, -1, -1, -1, -1, -1};
    if (!command || waiting.process)
        return;
    fflush(NULL);
    bool ok = pipe2(ends, O_CLOEXEC) == 0 && pipe2(ends + 2, O_CLOEXEC) == 0 &&
              pipe2(ends + 4, O_CLOEXEC) == 0;
    pid_t process = ok ? fork() : -1;
    if (process == 0)
        wait_to_be_pager(command, ends, ends + 2, ends + 4);
    if (process > 0) {
        waiting.process = process;
        waiting.input = ends[1];
        waiting.word = ends[3];
        waiting.failure = ends[4];
        ends[1] = ends[3] = ends[4] = -1;
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

/* False where it cannot be started. */
static bool start(void)
{
    char byte = 1;
    bool ok = write(waiting.word, &byte, 1) == 1 && read(waiting.failure, &byte, 1) == 0;
    close(waiting.word);
    close(waiting.failure);
    if (!ok)
        waitpid(waiting.process, NULL, 0);
    return ok;
}

void cli_pager_begin(cli_pager *pager)
{
    *pager = (cli_pager){.process = 0};
    fflush(stdout);
    cli_pager_prepare();
    if (!waiting.process)
        return;
    pager->terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (pager->terminal >= 0 && start()) {
        /* Keys that end a program are the pager's: while it has the terminal, this one waits. */
        const struct sigaction ignore = {.sa_handler = SIG_IGN};
        sigaction(SIGINT, &ignore, &pager->interrupt);
        sigaction(SIGQUIT, &ignore, &pager->quit);
        sigaction(SIGPIPE, &ignore, &pager->pipe);
        dup2(waiting.input, STDOUT_FILENO);
        pager->process = waiting.process;
    } else if (pager->terminal >= 0) {
        close(pager->terminal);
    }
    close(waiting.input);
    waiting.process = 0;
}

void cli_pager_end(cli_pager *pager)
{
    if (!pager->process)
        return;
    fflush(stdout);
    clearerr(stdout);
    dup2(pager->terminal, STDOUT_FILENO); /* closes the pipe: the pager sees the end */
    close(pager->terminal);
    while (waitpid(pager->process, NULL, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGINT, &pager->interrupt, NULL);
    sigaction(SIGQUIT, &pager->quit, NULL);
    sigaction(SIGPIPE, &pager->pipe, NULL);
    pager->process = 0;
}
