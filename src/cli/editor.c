#include "cli/editor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/limits.h"

static struct {
    pid_t process; /* 0: there is none */
    int to, from;
} waiting;

typedef struct editing {
    int64_t line;
    uint64_t length; /* of the path, which follows */
} editing;

static bool put_all(int file, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t put = write(file, (const char *)bytes + done, size - done);
        if (put < 0 && errno != EINTR)
            return false;
        done += put > 0 ? (size_t)put : 0;
    }
    return true;
}

static bool get_all(int file, void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = read(file, (char *)bytes + done, size - done);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

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

/* A shell takes the words of the command apart; the path is never looked into. */
static void become_editor(const char *path, int64_t line)
{
    static char script[] = "editor=$1; shift; eval \"exec $editor \\\"\\$@\\\"\"", shell[] = "sh",
                run[] = "-c";
    char at[32];
    char *command = mp_copy(wanted(), strlen(wanted())), *file = mp_copy(path, strlen(path));
    snprintf(at, sizeof at, "+%" PRId64, line);
    char *words[] = {shell, run, script, shell, command, line > 0 ? at : file, file, NULL};
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

/* It ends with its parent, whatever that dies of: the pipe is closed then. */
static void serve(int from, int to)
{
    editing asked;
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    while (get_all(from, &asked, sizeof asked)) {
        char *path = mp_alloc(asked.length + 1);
        path[asked.length] = '\0';
        if (!get_all(from, path, asked.length))
            break;
        unsigned char ok = run_editor(path, asked.line);
        free(path);
        if (!put_all(to, &ok, 1))
            break;
    }
    _exit(0);
}

void cli_editor_prepare(void)
{
    int ends[4] = {-1, -1, -1, -1};
    fflush(NULL);
    bool ok = pipe2(ends, O_CLOEXEC) == 0 && pipe2(ends + 2, O_CLOEXEC) == 0;
    pid_t process = ok ? fork() : -1;
    if (process == 0) {
        close(ends[1]);
        close(ends[2]);
        serve(ends[0], ends[3]);
    }
    if (process > 0) {
        waiting.process = process;
        waiting.to = ends[1];
        waiting.from = ends[2];
        ends[1] = ends[2] = -1;
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

bool cli_editor_run(const char *path, int64_t line)
{
    unsigned char ok = 0;
    char *plain = mp_alloc(strlen(path) + sizeof "./");
    stpcpy(stpcpy(plain, *path == '-' ? "./" : ""), path);
    const editing asked = {line, strlen(plain)};
    bool done = waiting.process && put_all(waiting.to, &asked, sizeof asked) &&
                put_all(waiting.to, plain, asked.length) && get_all(waiting.from, &ok, 1);
    free(plain);
    return done && ok;
}

void cli_editor_end(void)
{
    if (!waiting.process)
        return;
    close(waiting.to);
    close(waiting.from);
    while (waitpid(waiting.process, NULL, 0) < 0 && errno == EINTR)
        continue;
    waiting.process = 0;
}
