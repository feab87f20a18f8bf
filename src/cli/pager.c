#include "cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
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

/* A short answer is printed and not waited for, colours are colours, and what was read stays on the
 * screen, with the notes above it. False where the pager cannot be started. */
static bool start(cli_pager *pager, const char *command, int input)
{
    /* A shell takes its words apart. If it finds no such program, nothing was read yet. */
    static char script[] = "eval \"$1\"\n[ $? -ne 127 ] || exec cat", shell[] = "sh", run[] = "-c";
    char *one[] = {(char *)(uintptr_t)command, NULL};
    char *words[] = {shell, run, script, shell, one[0], NULL};
    bool plain = !strpbrk(command, " \t\n|&;<>()$`\\\"'*?[#~=%");
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t ignored;
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGINT);
    sigaddset(&ignored, SIGQUIT);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGXFSZ);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &ignored);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    setenv("LESS", "FRX", false);
    bool ok = posix_spawnp(&pager->process, plain ? command : "/bin/sh", &actions, &attributes,
                           plain ? one : words, environ) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return ok;
}

void cli_pager_begin(cli_pager *pager)
{
    const char *command = wanted();
    int ends[2];
    *pager = (cli_pager){.process = 0};
    fflush(stdout);
    if (!command || pipe2(ends, O_CLOEXEC) != 0)
        return;
    pager->terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (pager->terminal >= 0 && start(pager, command, ends[0])) {
        /* Keys that end a program are the pager's: while it has the terminal, this one waits. */
        const struct sigaction ignore = {.sa_handler = SIG_IGN};
        sigaction(SIGINT, &ignore, &pager->interrupt);
        sigaction(SIGQUIT, &ignore, &pager->quit);
        sigaction(SIGPIPE, &ignore, &pager->pipe);
        dup2(ends[1], STDOUT_FILENO);
    } else {
        pager->process = 0;
        if (pager->terminal >= 0)
            close(pager->terminal);
    }
    close(ends[0]);
    close(ends[1]);
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
