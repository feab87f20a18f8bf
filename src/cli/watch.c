/* The first thread waits for signals, draws the screen, and ends it all; each recording has another
 * (watch_file.h). */
#include "cli/watch.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/console.h"
#include "cli/run.h"
#include "cli/sandbox.h"
#include "cli/screen.h"
#include "cli/signals.h"
#include "cli/watch_file.h"

enum { SLICE_US = 10000000 };

/* Reading options that have an effect, by kind of recording. */
static const mp_argument rows[] = {
    {"slices", MP_SHARED_ARGUMENT, 1u << MP_KIND_EVENTS},
    {"reorder", MP_SHARED_ARGUMENT, 1u << MP_KIND_EVENTS},
    {"skip", MP_SHARED_ARGUMENT, 1u << MP_KIND_EVENTS},
};
const mp_argument_table cli_watch_arguments = {rows, sizeof rows / sizeof *rows, 0, NULL};

/* Gives the exit status, after a message where it is not CLI_OK. */
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
        !options->watch_policy) {
        cli_refuse(options, "--exec needs a limit: --max-growth, --max-leaked or --policy");
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

/* --- signals --- */

/* They wait until the first thread asks for them. Gives the file that it asks. */
static int hold_signals(sigset_t *before)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP};
    const sigset_t held = cli_signals_heeded(signals, sizeof signals / sizeof *signals);
    pthread_sigmask(SIG_BLOCK, &held, before);
    return signalfd(-1, &held, SFD_CLOEXEC);
}

/* --- until the end --- */

/* While somebody else has the terminal, nothing is drawn; what is drawn then is what happened
 * meanwhile. */
static bool draw(cli_watching *watching)
{
    if (!cli_screen_begin())
        return false;
    cli_watching_enter(watching);
    char *text = cli_board_picture(&watching->board);
    cli_watching_leave(watching);
    cli_screen_draw(text);
    free(text);
    return true;
}

static bool is_over(cli_watching *watching)
{
    cli_watching_enter(watching);
    bool over = watching->over || !watching->running;
    cli_watching_leave(watching);
    return over;
}

/* Until all files are over, or something ends them all. Gives the signal that did, or 0. */
static int wait_for_end(cli_watching *watching, int signals)
{
    enum { LOOK_FOR_TERMINAL_MS = 500 }; /* a shell gives it back without a word */
    bool draws = watching->board.draws;
    while (!is_over(watching)) {
        struct pollfd files[] = {
            {.fd = signals, .events = POLLIN},
            {.fd = watching->wake, .events = POLLIN},
            {.fd = watching->stop, .events = POLLIN},
            {.fd = draws ? -1 : STDOUT_FILENO}, /* whose reader may have gone */
        };
        struct signalfd_siginfo info = {0};
        uint64_t unheard;
        int patience = draws && !draw(watching) ? LOOK_FOR_TERMINAL_MS : -1;
        while (poll(files, 4, patience) < 0 && errno == EINTR)
            continue;
        if (files[0].revents && read(signals, &info, sizeof info) == sizeof info) {
            if (info.ssi_signo == SIGTSTP) {
                cli_screen_end();
                raise(SIGSTOP); /* all threads stop */
            } else if (info.ssi_signo != SIGWINCH) {
                return (int)info.ssi_signo;
            }
        }
        if (files[3].revents & (POLLERR | POLLHUP | POLLNVAL))
            return SIGPIPE;
        if (files[1].revents && read(watching->wake, &unheard, sizeof unheard) < 0)
            continue;
    }
    return 0;
}

/* Watch each file until something ends it; *ended_by is the signal that did, or 0. Gives the worst
 * status of a file. */
static int watch(cli_watching *watching, int signals, int *ended_by)
{
    const size_t count = watching->options->path_count;
    int worst = CLI_OK;
    cli_watched **files = mp_alloc_zero(count, sizeof(cli_watched *));
    for (size_t i = 0; i < count; i++)
        files[i] = cli_watched_start(watching, i);
    *ended_by = wait_for_end(watching, signals);
    cli_watching_end(watching);
    for (size_t i = 0; i < count; i++) {
        int status = files[i] ? cli_watched_end(files[i]) : CLI_UNREADABLE;
        worst = status > worst ? status : worst;
    }
    free(files);
    return watching->board.failed ? CLI_UNREADABLE : worst;
}

/* Without the files by which threads and signals are heard it would wait for ever. False after a
 * message. */
static bool can_hear(const cli_watching *watching, int signals)
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
        helper = cli_watch_limit_helper();
    cli_sandbox_enter(options);
    status = read_policy(options);
    if (status != CLI_OK)
        return status;
    cli_watching watching = {.options = options,
                             .stop = eventfd(0, EFD_CLOEXEC),
                             .wake = eventfd(0, EFD_CLOEXEC),
                             .lock = PTHREAD_MUTEX_INITIALIZER};
    const cli_watch_limit *limit = &watching.limit;
    int signals = hold_signals(&before);
    bool hears = can_hear(&watching, signals);
    cli_board_begin(&watching.board, options);
    status = hears ? watch(&watching, signals, &ended_by) : CLI_UNREADABLE;
    cli_board_end(&watching.board);
    if (limit->name) {
        cli_watch_event event = cli_watch_limit_event(limit);
        status = watching.board.failed ? CLI_UNREADABLE : CLI_EXCEEDED;
        cli_board_event(&watching.board, &event);
        cli_put_message(limit->message);
        pthread_sigmask(SIG_SETMASK, &before, NULL); /* for as long as the command takes */
        if (options->command_on_limit)
            cli_watch_limit_run(limit, options->command_on_limit, &helper);
    }
    cli_board_free(&watching.board);
    mp_arena_free(&watching.limit.arena);
    close(watching.stop);
    close(watching.wake);
    close(signals);
    if (ended_by)
        cli_signals_end_by(ended_by);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}
