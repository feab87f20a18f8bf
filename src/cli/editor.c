#include "cli/editor.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/limits.h"
#include "cli/process.h"

static cli_process waiting;

typedef struct editing {
    int64_t line;
    uint64_t length; /* length of the path that follows */
} editing;

static const char *wanted(void)
{
    const char *const names[] = {"VISUAL", "EDITOR"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *command = getenv(names[i]);
        if (command && *command)
            return command;
    }
    return "vi";
}

/* Replace this process by the editor. A shell splits the command into words. The path is passed as
 * an argument, which the shell does not interpret. */
static void become_editor(const char *path, int64_t line)
{
    static char script[] = "editor=$1; shift; eval \"exec $editor \\\"\\$@\\\"\"", shell[] = "sh",
                run[] = "-c";
    char positions[32];
    char *command = mp_copy(wanted(), strlen(wanted())), *file = mp_copy(path, strlen(path));
    snprintf(positions, sizeof positions, "+%" PRId64, line);
    char *words[] = {shell, run, script, shell, command, line > 0 ? positions : file, file, NULL};
    words[6] = line > 0 ? file : NULL;
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    cli_limits_leave();
    execv("/bin/sh", words);
    _exit(127);
}

static unsigned char run_editor(const char *path, int64_t line)
{
    int status = 0;
    pid_t editor = fork();
    if (editor == 0)
        become_editor(path, line);
    while (editor > 0 && waitpid(editor, &status, 0) < 0 && errno == EINTR)
        continue;
    return editor > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void serve(int from, int to, void *unused)
{
    (void)unused;
    editing asked;
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    while (mp_read_all(from, &asked, sizeof asked)) {
        char *path = mp_alloc(asked.length + 1);
        path[asked.length] = '\0';
        if (!mp_read_all(from, path, asked.length))
            break;
        unsigned char ok = run_editor(path, asked.line);
        free(path);
        if (!mp_write_all(to, &ok, 1))
            break;
    }
}

void cli_editor_prepare(void)
{
    waiting = cli_process_make(serve, NULL);
}

bool cli_editor_run(const char *path, int64_t line)
{
    unsigned char ok = 0;
    char *plain = mp_alloc(strlen(path) + sizeof "./");
    stpcpy(stpcpy(plain, *path == '-' ? "./" : ""), path);
    const editing asked = {line, strlen(plain)};
    bool done = waiting.process && cli_process_tell(&waiting, &asked, sizeof asked) &&
                cli_process_tell(&waiting, plain, asked.length) &&
                mp_read_all(waiting.from, &ok, 1);
    free(plain);
    return done && ok;
}

void cli_editor_end(void)
{
    if (!waiting.process)
        return;
    cli_process_close(&waiting);
    cli_process_wait(&waiting);
}
