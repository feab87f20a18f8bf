#include "cli/watch_limit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/console.h"
#include "query/window.h"
#include "session/figure.h"

static void exceed(cli_watch_limit *limit, const char *name, const cli_watch_row *row)
{
    limit->name = mp_utf8_copy(&limit->arena, name);
    limit->row = cli_watch_row_keep(&limit->arena, row);
}

/* --- of the command line --- */

static void hold(cli_watch_limit *limit, const mp_rule *rule, int64_t number, const char *note,
                 const cli_watch_row *row, bool exact)
{
    mp_arena arena = {0};
    const mp_figure figure = {
        .path = row->path,
        .number = number,
        .start = row->live_bytes - row->grown_bytes,
        .most = row->grower ? mp_arena_format(&arena, "; grew most: %s", row->grower) : "",
        .note = note,
        .dashes = "--"};
    const char *message = mp_figure_judge(&figure, rule, exact, &arena, &limit->limit_bytes);
    if (message) {
        limit->actual_bytes = number;
        limit->message = mp_utf8_copy(&limit->arena, message);
        exceed(limit, rule->name, row);
    }
    mp_arena_free(&arena);
}

void cli_watch_limit_hold(cli_watch_limit *limit, const cli_options *options,
                          const cli_watch_row *row)
{
    const bool cleans_up = mp_text_is(row->tag, "_PreCleanUp") || mp_text_is(row->tag, "_Exit");
    const mp_ceiling *growth = &options->max_growth, *leaked = &options->max_leaked;
    const mp_rule rules[] = {
        mp_rule_of_limit("max-growth", MP_MEASURE_GROWTH, &growth->bound),
        mp_rule_of_limit("max-leaked", MP_MEASURE_LEAKED, &leaked->bound),
    };
    if (growth->set && !limit->name)
        hold(limit, &rules[0], row->grown_bytes, "", row, options->reading.exact_bytes);
    if (leaked->set && !limit->name)
        hold(limit, &rules[1], row->leaked_bytes, cleans_up ? "" : MP_IN_USE, row,
             options->reading.exact_bytes);
}

/* --- of a policy --- */

void cli_watch_limit_judge(cli_watch_limit *limit, const mp_document *gate,
                           const cli_watch_row *row)
{
    size_t at = 0;
    while (at < gate->check_count && gate->checks[at].verdict != MP_VERDICT_FAIL)
        at++;
    if (limit->name || at == gate->check_count)
        return;
    const mp_check *check = &gate->checks[at];
    const char *why = check->message && *check->message ? check->message : check->measured;
    limit->limit_bytes = limit->actual_bytes = MP_UNKNOWN;
    limit->message =
        mp_arena_format(&limit->arena, "%s: %s fails: %s", row->path, check->name, why ? why : "");
    exceed(limit, check->name, row);
}

/* --- what follows --- */

cli_watch_event cli_watch_limit_event(const cli_watch_limit *limit)
{
    return (cli_watch_event){.event = "limit",
                             .path = limit->row.path,
                             .name = limit->name,
                             .message = limit->message,
                             .limit_bytes = limit->limit_bytes,
                             .actual_bytes = limit->actual_bytes};
}

/* Become the shell of the command, whose output is not ours. `told` has the command, then its
 * environment variables, and an empty text. */
static void become_shell(char *told)
{
    static char name[] = "sh", option[] = "-c";
    char *words[] = {name, option, told, NULL};
    for (char *text = told + strlen(told) + 1; *text; text += strlen(text) + 1)
        putenv(text);
    if (dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        execv("/bin/sh", words);
}

cli_process cli_watch_limit_helper(void)
{
    return cli_helper_make(become_shell);
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

/* As become_shell takes it; release with free(). */
static char *word_of(const cli_watch_limit *limit, const char *command, size_t *length)
{
    const cli_watch_row *row = &limit->row;
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

void cli_watch_limit_run(const cli_watch_limit *limit, const char *command, cli_process *helper)
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
