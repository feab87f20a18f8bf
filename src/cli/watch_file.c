#include "cli/watch_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/run.h"
#include "input/follow.h"
#include "input/unpack.h"
#include "model/build.h"
#include "query/tracker.h"
#include "query/window.h"

enum { SECOND = 1000000 };

struct cli_watched {
    cli_watching *of;
    const char *path;
    size_t place;
    pthread_t thread;
    mp_follow *follow;
    mp_diagnostics *diagnostics; /* of the recording */
    size_t told;                 /* of them */
    mp_model *model;             /* NULL: none is read yet */
    mp_tracker *tracker;
    mp_loading loading;
    char group[sizeof((mp_place *)NULL)->group];
    uint64_t sequence;    /* of the last snapshot */
    mp_snapshot_id last;  /* in the model; none: it has no whole one */
    mp_tracked tracked;   /* at it */
    uint32_t next_judged; /* so many deltas are there when the policy is asked again */
    bool unjudged;
    size_t of_window;  /* snapshots; _Exit is behind it */
    bool seen, exited; /* a snapshot; the last one */
    bool over;         /* what else is in it does not count */
    int status;
};

/* --- what is shared --- */

static void signal_file(int file)
{
    enum { TRIES = 4 }; /* whoever waits for it would wait for ever */
    const uint64_t one = 1;
    for (int tries = 0; tries < TRIES && write(file, &one, sizeof one) < 0;)
        tries++;
}

void cli_watching_enter(cli_watching *watching)
{
    pthread_mutex_lock(&watching->lock);
}

void cli_watching_leave(cli_watching *watching)
{
    if (!watching->over && (watching->limit.name || watching->board.failed)) {
        watching->over = true;
        signal_file(watching->stop);
    }
    if (watching->board.changed || !watching->running)
        signal_file(watching->wake);
    watching->board.changed = false;
    pthread_mutex_unlock(&watching->lock);
}

void cli_watching_end(cli_watching *watching)
{
    cli_watching_enter(watching);
    watching->over = true;
    cli_watching_leave(watching);
    signal_file(watching->stop);
}

/* --- what is wrong with a recording --- */

static void tell_diagnostics(cli_watched *file)
{
    const mp_diagnostic *kept;
    mp_arena arena = {0};
    size_t count = mp_diagnostics_kept(file->diagnostics, &kept);
    if (file->told == count)
        return;
    cli_watching_enter(file->of);
    for (; file->told < count; file->told++) {
        const mp_diagnostic *one = &kept[file->told];
        mp_severity severity = mp_diagnostic_severity(one->id);
        if (file->of->over || (file->of->options->quiet && severity != MP_ERROR))
            continue;
        const char *line = one->line ? mp_arena_format(&arena, ":%" PRIu64, one->line) : "";
        cli_board_note(&file->of->board, mp_arena_format(&arena, "%s%s: %s: %s [%s]",
                                                         one->path ? one->path : file->path, line,
                                                         mp_severity_name(severity), one->message,
                                                         mp_diagnostic_code(one->id)));
    }
    cli_watching_leave(file->of);
    mp_arena_free(&arena);
}

/* Say why there is no answer about a file. */
static bool refuse_file(cli_watched *file, const char *why)
{
    mp_arena arena = {0};
    cli_watching_enter(file->of);
    cli_board_note(&file->of->board, mp_arena_format(&arena, "%s: error: %s", file->path, why));
    cli_watching_leave(file->of);
    mp_arena_free(&arena);
    return false;
}

/* --- a snapshot --- */

static cli_watch_row row_of(const cli_watched *file, mp_arena *arena)
{
    return cli_watch_row_of(arena, file->path, file->model, file->last, &file->tracked,
                            file->of->options->reading.exact_bytes);
}

/* Ask the gate about what is there. What it cannot judge yet it may be able to later. */
static void judge(cli_watched *file, bool last)
{
    cli_watching *of = file->of;
    mp_model *model = file->model;
    mp_error error = {0};
    mp_arena arena = {0};
    mp_diagnostics *unheard = mp_diagnostics_new(1);
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_document *document = mp_document_new("gate");
    cli_watch_row row = row_of(file, &arena);
    mp_model_build_tree(model, unheard);
    mp_request request =
        mp_question_request(&of->options->question, model, file->diagnostics, dictionary, NULL);
    bool answered = mp_report_run(&mp_report_gate, &request, document, &error);
    cli_watching_enter(of);
    if (!of->over)
        cli_watch_limit_judge(&of->limit, document, &row);
    cli_watching_leave(of);
    bool unjudged = last && !document->failed && (!answered || document->unjudged);
    mp_model_drop_tree(model);
    mp_document_free(document);
    mp_dictionary_free(dictionary);
    mp_diagnostics_free(unheard);
    mp_arena_free(&arena);
    file->next_judged = model->deltas.count + model->deltas.count / 8;
    file->unjudged |= unjudged;
    if (unjudged)
        refuse_file(file, "some rules of the policy could not be judged; memprof gate shows why");
}

/* Until a process cleans up, what it needs at the moment counts as leaked. Rules are about all that
 * was read: of a file with many ends, too much to look at for each of them, unless an eighth more
 * has happened. */
static bool is_to_be_judged(const cli_watched *file, const char *tag)
{
    const mp_model *model = file->model;
    return file->of->options->question.policy && model->kind == MP_KIND_RECORDING &&
           model->deltas.count >= file->next_judged &&
           (mp_text_is(tag, "_PreCleanUp") || mp_text_is(tag, "_Exit"));
}

static bool has_limits(const cli_options *options)
{
    return options->max_growth.set || options->max_leaked.set;
}

/* mp_model.tell, on the file's thread. */
static void take_snapshot(void *opaque, mp_snapshot_id id)
{
    cli_watched *file = opaque;
    cli_watching *of = file->of;
    mp_arena arena = {0};
    file->tracked = mp_tracker_take(file->tracker, id);
    if (file->over)
        return;
    file->last = id;
    file->seen = true;
    cli_watch_row row = row_of(file, &arena);
    file->sequence = (uint64_t)row.sequence;
    cli_watching_enter(of);
    if (!of->over) {
        cli_board_row(&of->board, file->place, &row);
        cli_watch_limit_hold(&of->limit, of->options, &row);
    }
    cli_watching_leave(of);
    tell_diagnostics(file);
    bool ends = of->options->until_exit && mp_text_is(row.tag, "_Exit");
    file->of_window += !mp_text_is(row.tag, "_Exit");
    if (ends && file->of_window < 2 && has_limits(of->options)) {
        file->unjudged = true;
        refuse_file(file, "its limits could not be judged: " MP_ONE_SNAPSHOT);
    }
    if (is_to_be_judged(file, row.tag) || (ends && of->options->question.policy))
        judge(file, ends);
    if (ends) {
        file->exited = file->over = true;
        mp_follow_stop(file->follow);
    }
    mp_arena_free(&arena);
}

/* --- a file, on its thread --- */

/* Refuse the limits if figures may miss a part. What breaks off was judged up to there, and may
 * still be written. */
static void refuse_damaged(cli_watched *file)
{
    const mp_diagnostic *kept;
    const size_t count = mp_diagnostics_kept(file->diagnostics, &kept);
    mp_arena arena = {0};
    for (size_t i = 0; i < count && !file->unjudged; i++)
        if (mp_diagnostic_is_unsound(kept[i].id) && !mp_diagnostic_breaks_off(kept[i].id)) {
            file->unjudged = true;
            refuse_file(file, mp_arena_format(&arena,
                                              "its limits could not be judged: it is damaged at "
                                              "line %" PRIu64 ": %s",
                                              kept[i].line, kept[i].message));
        }
    mp_arena_free(&arena);
}

static void end_recording(cli_watched *file)
{
    if (!file->model)
        return;
    mp_loading_end(&file->loading);
    if (!file->over)
        tell_diagnostics(file);
    if (has_limits(file->of->options))
        refuse_damaged(file);
    if (!file->over && file->last.i && file->of->options->question.policy)
        judge(file, true);
    mp_tracker_free(file->tracker);
    mp_model_free(file->model);
    file->model = NULL;
}

static void begin_recording(cli_watched *file, const mp_reader *reader, const mp_place *place)
{
    end_recording(file);
    mp_diagnostics_free(file->diagnostics);
    file->diagnostics = cli_diagnostics_new(file->of->options);
    file->told = 0;
    file->model = mp_model_new();
    file->model->kind = reader->kind;
    file->model->tell = take_snapshot;
    file->model->tell_opaque = file;
    file->tracker = mp_tracker_new(file->model);
    file->loading = (mp_loading){file->model, file->diagnostics, &file->of->options->reading.load,
                                 reader, NULL};
    memcpy(file->group, place->group, sizeof file->group);
    file->sequence = 0;
    file->last.i = file->next_judged = 0;
}

/* The next part of the same recording goes on with it; anything else begins anew. False where no
 * reader can follow it, after a message. */
static bool choose_recording(cli_watched *file, mp_input *input, mp_slice head)
{
    mp_place place = {.group = ""};
    if (mp_packing_of(head) != MP_UNPACKED)
        return refuse_file(
            file, "is compressed, and can be read only when it is complete, by other commands");
    const char *path = mp_input_path(input);
    const mp_reader *reader =
        mp_reader_of(head, path, file->of->options->reading.load.format, file->diagnostics);
    if (!reader)
        return false;
    if (!reader->grows || !reader->grows(head))
        return refuse_file(file, "can be read only when it is complete, by other commands; "
                                 "expected a recording that grows (.oemp, a heap log)");
    if (file->of->options->until_exit && reader->kind == MP_KIND_EVENTS)
        return refuse_file(file, "is a heap log, which does not record the end of its program; "
                                 "--timeout ends the watching");
    bool has_place = reader->place && reader->place(head, &place);
    if (!file->model || reader != file->loading.reader || !has_place || !*place.group ||
        strcmp(place.group, file->group) != 0 || place.sequence <= file->sequence)
        begin_recording(file, reader, &place);
    mp_input_diagnose_to(input, file->diagnostics);
    return true;
}

static void tell_event(void *opaque, mp_follow_event event)
{
    static const struct {
        const char *name, *text;
    } events[] = {
        [MP_FOLLOW_WAITS] = {"waiting", "does not exist yet; waiting for it"},
        [MP_FOLLOW_RENAMED] =
            {"renamed", "was renamed or removed; reading continues until a new file has its name"},
        [MP_FOLLOW_TRUNCATED] = {"truncated", "was truncated; reading from its start"},
        [MP_FOLLOW_REPLACED] = {"replaced", "was replaced by another file; reading from its start"},
        [MP_FOLLOW_CLOSED] = {"closed", "was closed by all its writers"},
        [MP_FOLLOW_QUIET] = {"timeout", "nothing was written during the time of --timeout"},
    };
    cli_watched *file = opaque;
    cli_board *board = &file->of->board;
    mp_arena arena = {0};
    cli_watching_enter(file->of);
    if (!file->of->over && !file->over) {
        if (!file->of->options->quiet)
            cli_board_note(
                board, mp_arena_format(&arena, "memprof: %s: %s", file->path, events[event].text));
        cli_board_event(board, &(cli_watch_event){.event = events[event].name,
                                                  .path = file->path,
                                                  .message = events[event].text,
                                                  .limit_bytes = MP_UNKNOWN,
                                                  .actual_bytes = MP_UNKNOWN});
    }
    cli_watching_leave(file->of);
    mp_arena_free(&arena);
}

/* Return the status of a file that ends before watching does. */
static int status_of(cli_watched *file)
{
    mp_follow_event last = mp_follow_last(file->follow);
    bool misses = file->of->options->until_exit ? !file->exited : !file->seen;
    if (file->unjudged)
        return CLI_UNREADABLE;
    if (last == MP_FOLLOW_STOPPED)
        return CLI_OK;
    if (last != MP_FOLLOW_FAILED && !misses)
        return CLI_OK;
    if (last != MP_FOLLOW_FAILED)
        refuse_file(file,
                    file->seen
                        ? "there was no snapshot _Exit; the process is still running, or was killed"
                        : "there was no complete snapshot");
    return CLI_UNREADABLE;
}

static void *run(void *opaque)
{
    cli_watched *file = opaque;
    mp_input *input;
    bool readable = true;
    while (readable && (input = mp_follow_next(file->follow, file->diagnostics))) {
        mp_slice head = mp_input_look_ahead(input);
        if (head.length) {
            readable = choose_recording(file, input, head);
            if (readable)
                mp_loading_read(&file->loading, input);
        }
        mp_input_close(input);
    }
    file->over |= mp_follow_last(file->follow) == MP_FOLLOW_STOPPED;
    end_recording(file);
    tell_diagnostics(file);
    file->status = readable ? status_of(file) : CLI_UNREADABLE;
    cli_watching_enter(file->of);
    file->of->running--;
    cli_watching_leave(file->of);
    return NULL;
}

/* --- from outside --- */

static void free_file(cli_watched *file)
{
    mp_follow_free(file->follow);
    mp_diagnostics_free(file->diagnostics);
    free(file);
}

cli_watched *cli_watched_start(cli_watching *watching, size_t place)
{
    const cli_options *options = watching->options;
    cli_watched *file = mp_alloc_zero(1, sizeof *file);
    file->of = watching;
    file->path = options->paths[place];
    file->place = place;
    file->diagnostics = cli_diagnostics_new(options);
    file->follow = mp_follow_new(&(mp_follow_how){
        .path = file->path,
        .encoding = options->reading.load.encoding,
        .look_us = options->look_us ? options->look_us : SECOND,
        .quiet_us = options->quiet_us,
        .by_looking = options->look_us != 0,
        .stop = watching->stop,
        .tell = tell_event,
        .opaque = file,
    });
    cli_watching_enter(watching);
    watching->running++;
    cli_watching_leave(watching);
    if (pthread_create(&file->thread, NULL, run, file) == 0)
        return file;
    cli_put_fault(file->path, "cannot be watched: cannot create a thread");
    free_file(file);
    cli_watching_enter(watching);
    watching->running--;
    cli_watching_leave(watching);
    return NULL;
}

int cli_watched_end(cli_watched *file)
{
    pthread_join(file->thread, NULL);
    int status = file->status;
    free_file(file);
    return status;
}
