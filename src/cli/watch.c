/* Watch recordings. The main thread waits for signals, draws the screen and ends the program. Each
 * recording has its own thread (session/watch.h). */
#include "cli/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/process.h"
#include "cli/run.h"
#include "cli/sandbox.h"
#include "cli/screen.h"
#include "cli/watch_board.h"

enum { SLICE_US = 10000000 };

/* Options for reading that have an effect in the command watch, by kind of recording. */
static const mp_argument rows[] = {
    {"slices", MP_SHARED_ARGUMENT, 1u << MP_KIND_EVENTS},
    {"reorder", MP_SHARED_ARGUMENT, 1u << MP_KIND_EVENTS},
    {"skip", MP_SHARED_ARGUMENT, 1u << MP_KIND_EVENTS},
};
const mp_argument_table cli_watch_arguments = {rows, sizeof rows / sizeof *rows, 0, NULL};

/* Check and complete the options. Return the exit status. If it is not CLI_OK, a message was
 * printed. */
static int settle(cli_options *options)
{
    if (options->reading.load.slices && !options->reading.load.slice_us) {
        cli_refuse(options,
                   "while watching, --slices needs a time such as 10s because the end is unknown");
        return CLI_USAGE;
    }
    if (!options->reading.load.slice_us)
        options->reading.load.slice_us = SLICE_US;
    if (options->command_on_limit && !options->max_growth.set && !options->max_leaked.set &&
        !options->max_live.set && !options->max_trend.set && !options->watch_policy) {
        cli_refuse(options, "--exec needs a limit: --max-trend, --max-growth, --max-leaked, "
                            "--max-live or --policy");
        return CLI_USAGE;
    }
    return CLI_OK;
}

static int read_policy(cli_options *options)
{
    if (!options->watch_policy)
        return CLI_OK;
    mp_error error = {0};
    mp_question_free(&options->question);
    mp_question_begin(&options->question, &mp_report_gate);
    cli_settle_question(&options->question, options);
    mp_question_set(&options->question, "policy", options->watch_policy, &error);
    return cli_read_beside(options);
}

/* --- the command of --exec --- */

/* Become the shell that runs the command. `told` has the command, then its environment variables,
 * then an empty text. The output of the shell does not mix with that of memprof. */
static void become_shell(char *told)
{
    static char name[] = "sh", option[] = "-c";
    char *words[] = {name, option, told, NULL};
    for (char *text = told + strlen(told) + 1; *text; text += strlen(text) + 1)
        putenv(text);
    if (dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        execv("/bin/sh", words);
}

static void put_word(FILE *word, const char *name, const char *text)
{
    fprintf(word, "%s=%s%c", name, text, '\0');
}

static void put_number(FILE *word, const char *name, int64_t number)
{
    if (number != MP_UNKNOWN)
        fprintf(word, "%s=%" PRId64 "%c", name, number, '\0');
}

/* Return the text that become_shell reads. Release with free(). */
static char *word_of(const mp_watch_limit *limit, const char *command, size_t *length)
{
    const mp_watch_row *row = &limit->row;
    char *told = NULL;
    FILE *word = mp_memory_open(&told, length);
    fprintf(word, "%s%c", command, '\0');
    put_word(word, "MEMPROF_LIMIT", limit->name);
    put_word(word, "MEMPROF_MESSAGE", limit->message);
    put_word(word, "MEMPROF_PATH", row->path);
    put_word(word, "MEMPROF_TAG", row->tag ? row->tag : "");
    put_number(word, "MEMPROF_SEQUENCE", row->sequence);
    put_number(word, "MEMPROF_TIME_US", row->time_us);
    put_number(word, "MEMPROF_LIVE_OBJECTS", row->live_objects);
    put_number(word, "MEMPROF_LIVE_BYTES", row->live_bytes);
    put_number(word, "MEMPROF_LIMIT_BYTES", limit->limit_bytes);
    put_number(word, "MEMPROF_ACTUAL_BYTES", limit->actual_bytes);
    mp_memory_close(word);
    return told;
}

static void run_command(const mp_watch_limit *limit, const char *command, cli_process *helper)
{
    size_t length;
    char text[256], *word = word_of(limit, command, &length);
    int failure = cli_helper_start(helper, word, length);
    int status = failure ? 0 : cli_process_wait(helper);
    free(word);
    if (failure)
        snprintf(text, sizeof text, "--exec: cannot run /bin/sh: %s", strerror(failure));
    else if (WIFSIGNALED(status))
        snprintf(text, sizeof text, "--exec: the command was ended by signal %d", WTERMSIG(status));
    else
        snprintf(text, sizeof text, "--exec: the command ended with status %d",
                 WEXITSTATUS(status));
    if (failure || status)
        cli_put_message(text);
}

/* --- output --- */

typedef struct cli_watching {
    mp_watching watching; /* must be the first member: listeners cast its address to a pointer to
                             the struct */
    cli_board board;
} cli_watching;

static void put_row(mp_watching *watching, size_t place, const mp_watch_row *row)
{
    cli_board_row(&((cli_watching *)watching)->board, place, row);
}

static void put_event(mp_watching *watching, const mp_watch_event *event)
{
    cli_board_event(&((cli_watching *)watching)->board, event);
}

static void put_note(mp_watching *watching, mp_severity severity, const char *text)
{
    cli_board *board = &((cli_watching *)watching)->board;
    if (!board->options->quiet || severity == MP_ERROR)
        cli_board_note(board, text);
}

static const mp_watch_listener listener = {put_row, put_event, put_note};

/* --- signals --- */

/* Block the signals, so that the main thread receives them through a descriptor. Return the
 * descriptor. */
static int hold_signals(sigset_t *before)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP};
    const sigset_t held = cli_signals_heeded(signals, sizeof signals / sizeof *signals);
    pthread_sigmask(SIG_BLOCK, &held, before);
    return signalfd(-1, &held, SFD_CLOEXEC);
}

/* --- the main loop --- */

/* Draw the screen, unless another program uses the terminal. Events that come then are drawn
 * later. */
static bool draw(cli_watching *watching)
{
    if (!cli_screen_begin())
        return false;
    mp_watching_enter(&watching->watching);
    char *text = cli_board_picture(&watching->board);
    mp_watching_leave(&watching->watching);
    cli_screen_draw(text);
    free(text);
    return true;
}

static bool is_over(mp_watching *watching)
{
    mp_watching_enter(watching);
    bool over = watching->over || !watching->running;
    mp_watching_leave(watching);
    return over;
}

/* Wait until all files are finished, or until a signal or an error ends the wait. Return the
 * signal, or 0. */
static int wait_for_end(cli_watching *watching, int signals)
{
    /* poll, because no signal says when a shell gives the terminal back */
    enum { LOOK_FOR_TERMINAL_MS = 500 };
    const mp_watching *state = &watching->watching;
    bool draws = watching->board.draws;
    while (!is_over(&watching->watching)) {
        struct pollfd files[] = {
            {.fd = signals, .events = POLLIN},
            {.fd = state->wake, .events = POLLIN},
            {.fd = state->stop, .events = POLLIN},
            {.fd = draws
                       ? -1
                       : STDOUT_FILENO}, /* to notice when the reader of standard output is gone */
        };
        struct signalfd_siginfo info = {0};
        uint64_t unheard;
        int patience = draws && !draw(watching) ? LOOK_FOR_TERMINAL_MS : -1;
        while (poll(files, 4, patience) < 0 && errno == EINTR)
            continue;
        if (files[0].revents && read(signals, &info, sizeof info) == sizeof info) {
            if (info.ssi_signo == SIGTSTP) {
                cli_screen_end();
                raise(SIGSTOP); /* stops all threads */
            } else if (info.ssi_signo != SIGWINCH) {
                return (int)info.ssi_signo;
            }
        }
        if (files[3].revents & (POLLERR | POLLHUP | POLLNVAL))
            return SIGPIPE;
        if (files[1].revents && read(state->wake, &unheard, sizeof unheard) < 0)
            continue;
    }
    return 0;
}

/* Watch all files until a signal, an error or a limit ends it. `ended_by`: set to the signal, or to
 * 0. Return the exit status. */
static int watch(cli_watching *watching, int signals, int *ended_by)
{
    mp_watching_begin(&watching->watching);
    *ended_by = wait_for_end(watching, signals);
    bool ok = mp_watching_end(&watching->watching);
    return ok && !watching->watching.failed ? CLI_OK : CLI_UNREADABLE;
}

/* Return true if the descriptors for threads and signals exist. Without them the program would wait
 * for ever. Return false after a message. */
static bool can_hear(const mp_watching *watching, int signals)
{
    char text[160];
    int why = errno;
    if (watching->stop >= 0 && watching->wake >= 0 && signals >= 0)
        return true;
    snprintf(text, sizeof text, "error: cannot watch: %s", strerror(why));
    cli_put_message(text);
    return false;
}

int cli_watch(cli_options *options)
{
    sigset_t before;
    int ended_by = 0, status = settle(options);
    if (status != CLI_OK)
        return status;
    cli_process helper = {.process = 0};
    if (options->command_on_limit)
        helper = cli_helper_make(become_shell);
    cli_sandbox_enter(options);
    status = read_policy(options);
    if (status != CLI_OK)
        return status;
    cli_session session;
    cli_session_begin(&session, options);
    session.session.reading.load.progress = NULL; /* a file that grows has no known end */
    cli_watching watching = {.watching = {.session = &session.session,
                                          .question = &options->question,
                                          .listener = &listener,
                                          .max_growth = options->max_growth,
                                          .max_leaked = options->max_leaked,
                                          .max_live = options->max_live,
                                          .max_trend = options->max_trend,
                                          .look_us = options->look_us,
                                          .quiet_us = options->quiet_us,
                                          .until_exit = options->until_exit,
                                          .stop = eventfd(0, EFD_CLOEXEC),
                                          .wake = eventfd(0, EFD_CLOEXEC)}};
    mp_watching *state = &watching.watching;
    const mp_watch_limit *limit = &state->limit;
    int signals = hold_signals(&before);
    bool hears = can_hear(state, signals);
    cli_board_begin(&watching.board, options, state);
    status = hears ? watch(&watching, signals, &ended_by) : CLI_UNREADABLE;
    cli_board_end(&watching.board);
    if (limit->name) {
        mp_watch_event event = mp_watch_limit_event(limit);
        status = state->failed ? CLI_UNREADABLE : CLI_EXCEEDED;
        cli_board_event(&watching.board, &event);
        cli_put_message(limit->message);
        pthread_sigmask(SIG_SETMASK, &before,
                        NULL); /* signals are not blocked while the command runs */
        if (options->command_on_limit)
            run_command(limit, options->command_on_limit, &helper);
    }
    cli_board_free(&watching.board);
    mp_arena_free(&state->limit.arena);
    close(state->stop);
    close(state->wake);
    close(signals);
    cli_session_end(&session);
    if (ended_by)
        cli_signals_end_by(ended_by);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}
