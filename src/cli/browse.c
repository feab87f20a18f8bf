#include "cli/commands.h"

/* Options for reading that have an effect in the browser, by kind of recording. */
static const mp_argument rows[] = {
    {"slices", MP_SHARED_ARGUMENT, 1u << MP_KIND_EVENTS},
    {"temporary", MP_SHARED_ARGUMENT, 1u << MP_KIND_EVENTS},
    {"reorder", MP_SHARED_ARGUMENT, 1u << MP_KIND_EVENTS},
    {"skip", MP_SHARED_ARGUMENT, 1u << MP_KIND_EVENTS},
    {"domain", MP_SHARED_ARGUMENT, 1u << MP_KIND_DUMP},
    {"listings", MP_SHARED_ARGUMENT, 1u << MP_KIND_PROFILE},
};
const mp_argument_table cli_browse_arguments = {rows, sizeof rows / sizeof *rows, 0, NULL};

#ifdef MEMPROF_BROWSE

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/browse_screen.h"
#include "cli/limits.h"
#include "cli/process.h"
#include "cli/run.h"
#include "cli/sandbox.h"

/* --- the editor ---
 *
 * The sandbox does not allow new programs. Therefore a process is started before the sandbox is
 * entered, and runs the editor on request. It has no access to the recording. */

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

static unsigned char edit_file(const char *path, int64_t line)
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
        unsigned char ok = edit_file(path, asked.line);
        free(path);
        if (!mp_write_all(to, &ok, 1))
            break;
    }
}

/* Start the process that will run the editor: VISUAL, EDITOR or vi. Call it before threads start
 * and before the sandbox is entered. */
static void prepare_editor(void)
{
    waiting = cli_process_make(serve, NULL);
}

/* Let the user edit the file, and wait for the end of the editor. If `line` is above 0, the editor
 * begins at this line. It uses the terminal. Return false if it could not be started, or failed. */
static bool ask_editor(const char *path, int64_t line)
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

static void end_editor(void)
{
    if (!waiting.process)
        return;
    cli_process_close(&waiting);
    cli_process_wait(&waiting);
}

/* --- the loop --- */

/* Signals that end the program. While an answer is computed, they end it at once; while the screen
 * is drawn, they end it after that. */
static const int endings[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};

typedef struct browsing {
    browse_state state;
    sigset_t ends, before;
    int signals; /* file descriptor */
    int ended_by;
} browsing;

/* Run the editor. If it is suspended, suspend this process too, because a shell waits for both. */
static bool run_editor(const browse_state *state)
{
    struct sigaction before, stopping = {.sa_handler = SIG_DFL};
    sigset_t stop, held;
    bool stops = !cli_signal_is_ignored(SIGTSTP);
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    if (stops)
        /* ncurses' own handler would redraw the screen */
        sigaction(SIGTSTP, &stopping, &before);
    pthread_sigmask(SIG_UNBLOCK, &stop, &held);
    bool ok = ask_editor(state->edit_path, state->edit_line);
    pthread_sigmask(SIG_SETMASK, &held, NULL);
    if (stops)
        sigaction(SIGTSTP, &before, NULL);
    return ok;
}

static void edit(browsing *self)
{
    browse_state *state = &self->state;
    struct signalfd_siginfo heard;
    browse_screen_leave();
    bool ok = run_editor(state);
    state->edit_path = NULL;
    /* Discard signals from keys that were typed in the editor, but keep signals that end the
     * program. */
    struct pollfd ready = {.fd = self->signals, .events = POLLIN};
    while (poll(&ready, 1, 0) > 0 && read(self->signals, &heard, sizeof heard) == sizeof heard)
        if (heard.ssi_signo != SIGINT && heard.ssi_signo != SIGQUIT && heard.ssi_signo != SIGTSTP &&
            heard.ssi_signo != SIGWINCH)
            self->ended_by = (int)heard.ssi_signo;
    if (!ok)
        snprintf(state->said, sizeof state->said, "the editor failed: $VISUAL, $EDITOR or vi");
}

static void take_signal(browsing *state)
{
    struct signalfd_siginfo signal_info;
    if (read(state->signals, &signal_info, sizeof signal_info) != sizeof signal_info)
        return;
    if (signal_info.ssi_signo == SIGTSTP) {
        browse_screen_leave();
        raise(SIGSTOP);
    } else if (signal_info.ssi_signo != SIGWINCH) {
        state->ended_by = (int)signal_info.ssi_signo;
    }
}

static void take_keys(browsing *self)
{
    browse_key key;
    while (!self->state.over && !self->ended_by && browse_screen_key(&key)) {
        pthread_sigmask(SIG_UNBLOCK, &self->ends, NULL);
        browse_press(&self->state, key);
        pthread_sigmask(SIG_BLOCK, &self->ends, NULL);
        if (self->state.edit_path)
            edit(self);
    }
}

static void loop(browsing *self)
{
    struct pollfd ready[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                             {.fd = self->signals, .events = POLLIN}};
    while (!self->state.over && !self->ended_by) {
        unsigned lines, columns;
        browse_screen_measure(&lines, &columns);
        if (lines != self->state.rows || columns != self->state.columns)
            browse_resize(&self->state, lines, columns);
        browse_screen_draw(&self->state);
        if (poll(ready, 2, -1) < 0 && errno != EINTR)
            break;
        if (ready[1].revents)
            take_signal(self);
        take_keys(self);
        if (ready[0].revents & (POLLHUP | POLLERR | POLLNVAL))
            break; /* the terminal was closed */
    }
}

/* From now on, receive signals through a descriptor, which the loop polls together with the keys.
 * Return false after a message; without the descriptor, only keys could end the program. */
static bool hear_signals(browsing *state)
{
    char text[160];
    state->ends = cli_signals_heeded(endings, sizeof endings / sizeof *endings);
    sigset_t waited = state->ends;
    sigaddset(&waited, SIGWINCH);
    sigaddset(&waited, SIGTSTP);
    state->signals = signalfd(-1, &waited, SFD_CLOEXEC);
    if (state->signals < 0) {
        snprintf(text, sizeof text, "error: cannot show a report: %s", strerror(errno));
        cli_put_message(text);
        return false;
    }
    pthread_sigmask(SIG_BLOCK, &waited, &state->before);
    return true;
}

static void end_hearing(const browsing *state)
{
    pthread_sigmask(SIG_SETMASK, &state->before, NULL);
    close(state->signals);
}

static int browse(const browse_source *source)
{
    browsing self = {.ended_by = 0};
    unsigned lines, columns;
    mp_style style = cli_style(source->options->colour, -1, false);
    if (!hear_signals(&self))
        return CLI_UNREADABLE;
    if (!browse_screen_begin(style.colour)) {
        end_hearing(&self);
        cli_refuse(source->options, "this terminal is not supported: TERM is %s", getenv("TERM"));
        return CLI_USAGE;
    }
    browse_screen_measure(&lines, &columns);
    browse_begin(&self.state, source, lines, columns, true);
    loop(&self);
    browse_screen_end();
    browse_end(&self.state);
    if (self.ended_by)
        cli_signals_end_by(self.ended_by);
    end_hearing(&self);
    return CLI_OK;
}

/* --- the command --- */

static bool can_show(const cli_options *options)
{
    const char *kind = getenv("TERM");
    if (!cli_is_interactive())
        return cli_refuse(options, "browse needs a terminal; memprof analyze prints a report");
    if (!kind || !*kind || strcmp(kind, "dumb") == 0)
        return cli_refuse(options, "this terminal is not supported: TERM is %s",
                          kind && *kind ? kind : "not set");
    const char *missing = browse_screen_load();
    if (missing)
        return cli_refuse(options, "browse %s", missing);
    if (!browse_screen_is_known(kind))
        return cli_refuse(options, "this terminal is not supported: unknown TERM=%s", kind);
    for (size_t i = 0; i < options->path_count; i++)
        if (strcmp(options->paths[i], "-") == 0)
            return cli_refuse(options,
                              "browse reads keys from standard input, so it cannot be a recording");
    return true;
}

int cli_browse(cli_options *options)
{
    cli_session session;
    bool complete;
    if (!can_show(options))
        return CLI_USAGE;
    mp_load_options needs = options->reading.load; /* anything that a report may need */
    needs.keep_ages = needs.request_peaks = true;
    cli_session_begin(&session, options);
    needs.progress = &session.bar.progress;
    /* nor does the browser need the process that would become the pager */
    options->no_pager = true;
    prepare_editor();
    cli_sandbox_enter(options);
    int status = cli_session_read(&session, options, &needs, &complete);
    if (status == CLI_OK) {
        const browse_source source = {options, &session.session};
        status = browse(&source);
        status = status == CLI_OK && !complete ? CLI_UNREADABLE : status;
    }
    status = cli_status_of(status, session.session.diagnostics);
    end_editor();
    cli_session_end(&session);
    return status;
}

#else

int cli_browse(cli_options *options)
{
    cli_refuse(options, "this memprof was built without browse (-DMEMPROF_BROWSE=OFF); memprof "
                        "analyze and the other commands print the same reports");
    return CLI_USAGE;
}

#endif
