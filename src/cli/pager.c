#include "cli/pager.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Return the command of the pager; NULL if no pager is wanted. */
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

/* The process that waits to become the pager. */
static struct {
    cli_process helper;
    const char *command;
    int ends[2]; /* both ends of the pipe from which the pager reads */
} waiting;

/* Replace this process by the pager. The variable LESS tells less to print short answers at once,
 * to show colours, and to leave its output on the screen. */
static void become_pager(char *command)
{
    /* The shell splits the command into words. If the pager does not exist, nothing has been read
     * from the pipe yet, so cat can print everything. */
    static char script[] = "eval \"$1\"\n[ $? -ne 127 ] || exec cat", shell[] = "sh", run[] = "-c";
    static const int ignored[] = {SIGINT, SIGQUIT, SIGPIPE};
    char *one[] = {command, NULL};
    char *words[] = {shell, run, script, shell, command, NULL};
    bool plain = !strpbrk(command, " \t\n|&;<>()$`\\\"'*?[#~=%");
    if (dup2(waiting.ends[0], STDIN_FILENO) < 0)
        return;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_DFL);
    setenv("LESS", "FRX", false);
    if (plain)
        execvp(command, one);
    else
        execv("/bin/sh", words);
}

void cli_pager_prepare(void)
{
    const char *command = wanted();
    if (!command || waiting.helper.process || pipe2(waiting.ends, O_CLOEXEC) != 0)
        return;
    waiting.command = command;
    waiting.helper = cli_helper_make(become_pager);
    close(waiting.ends[0]);
    if (!waiting.helper.process)
        close(waiting.ends[1]);
}

void cli_pager_begin(cli_pager *pager)
{
    *pager = (cli_pager){.terminal = 0};
    fflush(stdout);
    cli_pager_prepare();
    if (!waiting.helper.process)
        return;
    pager->terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (pager->terminal >= 0 &&
        cli_helper_start(&waiting.helper, waiting.command, strlen(waiting.command)) == 0) {
        /* The pager handles keys that usually end a program. This process waits while the pager has
         * the terminal. */
        const struct sigaction ignore = {.sa_handler = SIG_IGN};
        sigaction(SIGINT, &ignore, &pager->interrupt);
        sigaction(SIGQUIT, &ignore, &pager->quit);
        sigaction(SIGPIPE, &ignore, &pager->pipe);
        dup2(waiting.ends[1], STDOUT_FILENO);
        pager->helper = waiting.helper;
    } else if (pager->terminal >= 0) {
        close(pager->terminal);
    }
    close(waiting.ends[1]);
    waiting.helper.process = 0;
}

void cli_pager_end(cli_pager *pager)
{
    if (!pager->helper.process)
        return;
    fflush(stdout);
    clearerr(stdout);
    /* Close the pipe, so that the pager sees the end of the text. */
    dup2(pager->terminal, STDOUT_FILENO);
    close(pager->terminal);
    cli_process_wait(&pager->helper);
    sigaction(SIGINT, &pager->interrupt, NULL);
    sigaction(SIGQUIT, &pager->quit, NULL);
    sigaction(SIGPIPE, &pager->pipe, NULL);
}
