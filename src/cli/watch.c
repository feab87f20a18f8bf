/* Each recording is followed and read on a thread of its own, as it is written. At the end of each
 * snapshot that thread works out its row, prints it, and holds it to the limits; all that is
 * printed is printed under one lock. The first thread waits for signals, draws the screen, and ends
 * it all.
 */
#include "cli/watch.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diagnose.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/console.h"
#include "cli/run.h"
#include "cli/screen.h"
#include "document/checks.h"
#include "input/follow.h"
#include "input/unpack.h"
#include "model/build.h"
#include "query/labels.h"
#include "query/tracker.h"
#include "render/cell.h"

enum { SECOND = 1000000, KEPT_ROWS = 200, KEPT_NOTES = 5 };

/* What of the reading means something, by kinds of recordings. */
static const mp_argument rows[] = {
    {"slices", MP_ARGUMENT_SHARED, 0, 1u << MP_KIND_EVENTS},
    {"reorder", MP_ARGUMENT_SHARED, 0, 1u << MP_KIND_EVENTS},
    {"skip", MP_ARGUMENT_SHARED, 0, 1u << MP_KIND_EVENTS},
};
const mp_argument_table cli_watch_arguments = {rows, sizeof rows / sizeof *rows, 0, NULL};

typedef struct watch_row {
    const char *file; /* for people: the path, as long as the longest */
    int64_t sequence;
    const char *tag;
    int64_t time_us, live_objects, live_bytes, delta_bytes;
    const char *path;
    int64_t grown_bytes, leaked_objects, leaked_bytes;
    const char *grower_type, *grower_site;
    int64_t grower_bytes;
    const char *grower; /* for people: the three in one */
} watch_row;

/* The first is for several files. */
static const mp_column columns[] = {
    MP_COLUMN(watch_row, file, "File", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN),
    MP_COLUMN(watch_row, sequence, "#", MP_NUMBER, 0),
    MP_COLUMN(watch_row, tag, "Tag", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(watch_row, time_us, "Time", MP_TIME, MP_MINOR),
    MP_COLUMN(watch_row, live_objects, "Alive", MP_COUNT, MP_MINOR),
    MP_COLUMN(watch_row, live_bytes, "Size", MP_BYTES, 0),
    MP_COLUMN(watch_row, delta_bytes, "Change", MP_BYTES, MP_SIGNED),
    MP_COLUMN(watch_row, grown_bytes, "Grown", MP_BYTES, MP_SIGNED | MP_MINOR),
    MP_COLUMN(watch_row, leaked_objects, "", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN(watch_row, leaked_bytes, "", MP_BYTES, MP_FOR_PROGRAMS),
    MP_COLUMN(watch_row, path, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(watch_row, grower_type, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(watch_row, grower_site, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(watch_row, grower_bytes, "", MP_BYTES, MP_FOR_PROGRAMS),
    MP_COLUMN(watch_row, grower, "Grew most", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN),
};

/* What else programs are told: a line without a sequence. */
typedef struct event_row {
    const char *event, *path, *name, *message;
    int64_t limit_bytes, actual_bytes;
} event_row;

static const mp_column event_columns[] = {
    MP_COLUMN(event_row, event, "", MP_TEXT, 0),
    MP_COLUMN(event_row, path, "", MP_TEXT, 0),
    MP_COLUMN(event_row, name, "", MP_TEXT, 0),
    MP_COLUMN(event_row, limit_bytes, "", MP_BYTES, 0),
    MP_COLUMN(event_row, actual_bytes, "", MP_BYTES, 0),
    MP_COLUMN(event_row, message, "", MP_TEXT, 0),
};

/* The limit that was exceeded first, and the snapshot that did it. */
typedef struct watch_limit {
    mp_arena arena; /* of its texts */
    const char *name, *message;
    int64_t limit_bytes, actual_bytes;
    watch_row row;
} watch_limit;

typedef struct watch_file {
    struct watching *of;
    const char *path;
    char *shown; /* as long as the longest path */
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
    bool seen, exited; /* a snapshot; the last one */
    bool over;         /* what else is in it does not count */
    int status;
} watch_file;

typedef struct watching {
    const cli_options *options;
    watch_file *files;
    size_t count;
    int stop, wake; /* readable: the threads end; the first thread has something to do */
    mp_style style;
    pthread_mutex_t lock; /* of all below, and of what is printed */
    size_t running;
    bool over, draws;
    watch_limit limit; /* without a name: none was exceeded */
    int status;
    /* On a screen: the last rows of one file, or the last row of each; the last of the notes. */
    watch_row *rows;
    size_t row_count;
    char *notes[KEPT_NOTES];
    size_t note_count;
} watching;

static void signal_file(int file)
{
    const uint64_t one = 1;
    ssize_t put = write(file, &one, sizeof one);
    (void)put; /* it is readable anyway */
}

/* --- what is printed, under the lock --- */

static mp_document *document_of(const watching *watch, bool is_event)
{
    mp_document *document = mp_document_new("watch");
    document->exact_bytes = watch->options->exact_bytes;
    const size_t first = watch->count == 1, count = sizeof columns / sizeof *columns;
    mp_table *table = is_event ? MP_TABLE(document, "events", NULL, MP_ROWS, event_columns)
                               : mp_document_table(document, "watch", NULL, MP_ROWS,
                                                   columns + first, count - first);
    table->main = true;
    return document;
}

/* A row, or, where it is NULL, what stands above them. */
static void print_row(watching *watch, const void *row, bool is_event)
{
    mp_document *document = document_of(watch, is_event);
    if (row)
        mp_table_put(document, &document->tables[0], row);
    watch->options->renderer->put_row(document, row ? 0 : MP_ROW_NAMES, &watch->style, stdout);
    mp_document_free(document);
    if (fflush(stdout) != 0 && !watch->over) {
        cli_put_fault("(standard output)", "cannot write: %s", strerror(errno));
        watch->status = CLI_UNREADABLE;
        watch->over = true;
        signal_file(watch->stop);
    }
}

/* Keep what is drawn of a row. */
static void keep_row(watching *watch, const watch_file *file, const watch_row *row)
{
    size_t place = (size_t)(file - watch->files);
    if (watch->count == 1) {
        free((char *)(uintptr_t)watch->rows[KEPT_ROWS - 1].tag);
        free((char *)(uintptr_t)watch->rows[KEPT_ROWS - 1].grower);
        memmove(watch->rows + 1, watch->rows, (KEPT_ROWS - 1) * sizeof *watch->rows);
        watch->row_count += watch->row_count < KEPT_ROWS;
    } else {
        free((char *)(uintptr_t)watch->rows[place].tag);
        free((char *)(uintptr_t)watch->rows[place].grower);
        watch->row_count = watch->count;
    }
    watch->rows[place] = *row;
    watch->rows[place].tag = row->tag ? strdup(row->tag) : NULL;
    watch->rows[place].grower = row->grower ? strdup(row->grower) : NULL;
    watch->rows[place].grower_type = watch->rows[place].grower_site = NULL;
    signal_file(watch->wake);
}

/* A line for people, about anything but a snapshot. */
static void put_note(watching *watch, const char *text)
{
    if (!watch->draws) {
        cli_put_safe(text);
        fputc('\n', stderr);
        return;
    }
    if (watch->note_count == KEPT_NOTES) {
        free(watch->notes[0]);
        memmove(watch->notes, watch->notes + 1, (KEPT_NOTES - 1) * sizeof *watch->notes);
        watch->note_count--;
    }
    watch->notes[watch->note_count++] = strdup(text);
    signal_file(watch->wake);
}

static void put_event(watching *watch, const event_row *row)
{
    if (watch->options->renderer == mp_renderer_find("json"))
        print_row(watch, row, true);
}

/* --- what is wrong with a recording --- */

static void tell_diagnostics(watch_file *file)
{
    const mp_diagnostic *kept;
    mp_arena arena = {0};
    size_t count = mp_diagnostics_kept(file->diagnostics, &kept);
    pthread_mutex_lock(&file->of->lock);
    for (; file->told < count; file->told++) {
        const mp_diagnostic *one = &kept[file->told];
        mp_severity severity = mp_diagnostic_severity(one->id);
        if (file->of->over || (file->of->options->quiet && severity != MP_ERROR))
            continue;
        const char *line = one->line ? mp_arena_format(&arena, ":%" PRIu64, one->line) : "";
        put_note(file->of,
                 mp_arena_format(&arena, "%s%s: %s: %s [%s]", one->path ? one->path : file->path,
                                 line, mp_severity_name(severity), one->message,
                                 mp_diagnostic_code(one->id)));
    }
    pthread_mutex_unlock(&file->of->lock);
    mp_arena_free(&arena);
}

/* Say why there is no answer about a file. */
static bool refuse_file(watch_file *file, const char *why)
{
    mp_arena arena = {0};
    pthread_mutex_lock(&file->of->lock);
    put_note(file->of, mp_arena_format(&arena, "%s: error: %s", file->path, why));
    pthread_mutex_unlock(&file->of->lock);
    mp_arena_free(&arena);
    return false;
}

/* --- limits --- */

static void set_limit(watch_limit *limit, const char *name, const watch_row *row)
{
    limit->name = name;
    limit->row = *row;
    limit->row.tag = row->tag ? mp_utf8_copy(&limit->arena, row->tag) : NULL;
    limit->row.grower = row->grower ? mp_utf8_copy(&limit->arena, row->grower) : NULL;
}

static void hold(watch_file *file, const char *name, const mp_ceiling *ceiling, int64_t actual,
                 const char *what, const watch_row *row)
{
    watch_limit *limit = &file->of->limit;
    int64_t most = mp_ceiling_bytes(ceiling, row->live_bytes - row->grown_bytes);
    char shown[MP_UNIT_TEXT], over[MP_UNIT_TEXT];
    if (!ceiling->set || actual <= most || limit->name)
        return;
    bool exact = file->of->options->exact_bytes;
    mp_format_bytes(shown, actual, exact, false);
    mp_format_bytes(over, actual - most, exact, false);
    mp_check check = {.verdict = MP_VERDICT_FAIL,
                      .name = name,
                      .limit = ceiling->text,
                      .warning = "",
                      .note = "",
                      .file = row->path};
    check.message =
        mp_arena_format(&limit->arena, "%s %s, %s over%s%s", shown, what, over,
                        row->grower ? "; grew most: " : "", row->grower ? row->grower : "");
    limit->limit_bytes = most;
    limit->actual_bytes = actual;
    limit->message = mp_limit_text(&limit->arena, &check, "--");
    set_limit(limit, name, row);
}

/* --- a snapshot --- */

static void put_snapshot(watch_file *file, const watch_row *row)
{
    watching *watch = file->of;
    pthread_mutex_lock(&watch->lock);
    if (!watch->over) {
        if (watch->draws)
            keep_row(watch, file, row);
        else
            print_row(watch, row, false);
        hold(file, "max-growth", &watch->options->max_growth, row->grown_bytes, "grown", row);
        hold(file, "max-leaked", &watch->options->max_leaked, row->leaked_bytes, "leaked", row);
        watch->over |= watch->limit.name != NULL;
        if (watch->over)
            signal_file(watch->stop);
    }
    pthread_mutex_unlock(&watch->lock);
}

/* The row of the last snapshot; its texts are in the arena, or in the model. */
static watch_row row_of(const watch_file *file, mp_arena *arena)
{
    const mp_model *model = file->model;
    const mp_snapshot *snapshot = &model->snapshots.at[file->last.i];
    const mp_tracked *tracked = &file->tracked;
    watch_row row = {.file = file->shown,
                     .path = file->path,
                     .sequence = (int64_t)snapshot->sequence,
                     .tag = mp_model_text(model, snapshot->tag),
                     .time_us = snapshot->time_us,
                     .live_objects = snapshot->live_objects,
                     .live_bytes = snapshot->live_bytes,
                     .delta_bytes = snapshot->live_bytes - tracked->before_bytes,
                     .grown_bytes = snapshot->live_bytes - tracked->first_bytes,
                     .leaked_objects = tracked->leaked_objects,
                     .leaked_bytes = tracked->leaked_bytes,
                     .grower_bytes = MP_UNKNOWN};
    if (tracked->grower.i) {
        char bytes[MP_UNIT_TEXT];
        const mp_context *context = &model->contexts.at[tracked->grower.i];
        mp_format_bytes(bytes, tracked->grower_bytes, file->of->options->exact_bytes, true);
        row.grower_bytes = tracked->grower_bytes;
        row.grower_site = mp_context_place(arena, model, tracked->grower);
        if (!model->events) /* a heap log tells the type of what was deleted */
            row.grower_type = mp_type_label(arena, model, context->type);
        row.grower =
            mp_arena_format(arena, "%s %s%s%s", bytes, row.grower_type ? row.grower_type : "",
                            row.grower_type ? " at " : "", row.grower_site);
    }
    return row;
}

/* --- the policy --- */

static void note_failure(watch_file *file, const mp_document *document)
{
    watching *watch = file->of;
    watch_limit *limit = &watch->limit;
    mp_arena arena = {0};
    watch_row row = row_of(file, &arena);
    size_t at = 0;
    while (at < document->check_count && document->checks[at].verdict != MP_VERDICT_FAIL)
        at++;
    pthread_mutex_lock(&watch->lock);
    if (!watch->over && at < document->check_count) {
        const mp_check *check = &document->checks[at];
        set_limit(limit, mp_utf8_copy(&limit->arena, check->name), &row);
        limit->limit_bytes = limit->actual_bytes = MP_UNKNOWN;
        const char *why = check->message && *check->message ? check->message : check->measured;
        limit->message = mp_arena_format(&limit->arena, "%s: %s fails: %s", file->path, limit->name,
                                         why ? why : "");
        watch->over = true;
        signal_file(watch->stop);
    }
    pthread_mutex_unlock(&watch->lock);
    mp_arena_free(&arena);
}

/* Ask the gate about what is there. What it cannot judge yet it may be able to later. */
static void judge(watch_file *file, bool last)
{
    const mp_question *question = &file->of->options->question;
    mp_model *model = file->model;
    mp_error error = {0};
    mp_diagnostics *unheard = mp_diagnostics_new(1);
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_document *document = mp_document_new("gate");
    mp_model_build_tree(model, unheard);
    mp_request request = mp_question_request(question, model, file->diagnostics, dictionary, NULL);
    bool answered = mp_report_run(&mp_report_gate, &request, document, &error);
    if (document->failed)
        note_failure(file, document);
    file->unjudged = last && !document->failed && (!answered || document->unjudged);
    mp_model_drop_tree(model);
    mp_document_free(document);
    mp_dictionary_free(dictionary);
    mp_diagnostics_free(unheard);
    file->next_judged = model->deltas.count + model->deltas.count / 8;
    if (file->unjudged)
        refuse_file(file, "rules of the policy could not be judged: memprof gate tells why");
}

/* Until a process cleans up, what it needs at the moment counts as leaked. Rules are about all that
 * was read: of a file with many ends, too much to look at for each of them, unless an eighth more
 * has happened. */
static bool is_to_be_judged(const watch_file *file, const char *tag)
{
    const mp_model *model = file->model;
    return file->of->options->question.policy && model->kind == MP_KIND_RECORDING &&
           model->deltas.count >= file->next_judged &&
           (mp_text_is(tag, "_PreCleanUp") || mp_text_is(tag, "_Exit"));
}

/* mp_model.tell, on the file's thread. */
static void take_snapshot(void *opaque, mp_snapshot_id id)
{
    watch_file *file = opaque;
    mp_arena arena = {0};
    file->tracked = mp_tracker_take(file->tracker, id);
    if (file->over)
        return;
    file->last = id;
    file->seen = true;
    watch_row row = row_of(file, &arena);
    file->sequence = (uint64_t)row.sequence;
    put_snapshot(file, &row);
    tell_diagnostics(file);
    bool ends = file->of->options->until_exit && mp_text_is(row.tag, "_Exit");
    if (is_to_be_judged(file, row.tag) || (ends && file->of->options->question.policy))
        judge(file, ends);
    if (ends) {
        file->exited = file->over = true;
        mp_follow_stop(file->follow);
    }
    mp_arena_free(&arena);
}

/* --- a file, on its thread --- */

static void end_recording(watch_file *file)
{
    if (!file->model)
        return;
    mp_loading_end(&file->loading);
    if (!file->over)
        tell_diagnostics(file);
    if (!file->over && file->last.i && file->of->options->question.policy)
        judge(file, true);
    mp_tracker_free(file->tracker);
    mp_model_free(file->model);
    file->model = NULL;
}

static void begin_recording(watch_file *file, const mp_reader *reader, const mp_place *place)
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
    file->loading =
        (mp_loading){file->model, file->diagnostics, &file->of->options->load, reader, NULL};
    memcpy(file->group, place->group, sizeof file->group);
    file->sequence = 0;
    file->last.i = file->next_judged = 0;
}

/* The next part of the same recording goes on with it; anything else begins anew. False where no
 * reader can follow it, after a message. */
static bool choose_recording(watch_file *file, mp_input *input, mp_slice head)
{
    mp_place place = {.group = ""};
    if (mp_packing_of(head) != MP_UNPACKED)
        return refuse_file(file, "is packed: what is packed can be read when it is whole, by other "
                                 "commands");
    const char *path = mp_input_path(input);
    const mp_reader *reader =
        mp_reader_of(head, path, file->of->options->load.format, file->diagnostics);
    if (!reader)
        return false;
    if (!reader->grows || !reader->grows(head))
        return refuse_file(file, "tells nothing before it is whole, expected a recording that "
                                 "is written on (.oemp, a heap log): ask other commands "
                                 "when it is written");
    if (file->of->options->until_exit && reader->kind == MP_KIND_EVENTS)
        return refuse_file(file, "is a heap log, which does not tell that its program ended: "
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
        [MP_FOLLOW_WAITS] = {"waiting", "is not there yet: waiting for it"},
        [MP_FOLLOW_RENAMED] = {"renamed", "has lost its name: read on until another file has it"},
        [MP_FOLLOW_TRUNCATED] = {"truncated", "was cut short: read from its start"},
        [MP_FOLLOW_REPLACED] = {"replaced", "is another file now: read from its start"},
        [MP_FOLLOW_CLOSED] = {"closed", "is closed by all who wrote it"},
        [MP_FOLLOW_QUIET] = {"timeout", "nothing new came for as long as --timeout says"},
    };
    watch_file *file = opaque;
    mp_arena arena = {0};
    pthread_mutex_lock(&file->of->lock);
    if (!file->of->over && !file->over) {
        if (!file->of->options->quiet)
            put_note(file->of,
                     mp_arena_format(&arena, "memprof: %s: %s", file->path, events[event].text));
        put_event(file->of, &(event_row){.event = events[event].name,
                                         .path = file->path,
                                         .message = events[event].text,
                                         .limit_bytes = MP_UNKNOWN,
                                         .actual_bytes = MP_UNKNOWN});
    }
    pthread_mutex_unlock(&file->of->lock);
    mp_arena_free(&arena);
}

/* What became of a file that comes to its end before the watching does. */
static int status_of(watch_file *file)
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
        refuse_file(file, file->seen ? "no snapshot _Exit came: the process still runs, or was "
                                       "killed"
                                     : "no whole snapshot came");
    return CLI_UNREADABLE;
}

static void *watch_file_run(void *opaque)
{
    watch_file *file = opaque;
    watching *watch = file->of;
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
    pthread_mutex_lock(&watch->lock);
    watch->running--;
    pthread_mutex_unlock(&watch->lock);
    signal_file(watch->wake);
    return NULL;
}

/* --- the screen --- */

static char *picture(watching *watch)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    mp_error unheard = {0};
    mp_diagnostics *none = mp_diagnostics_new(1);
    mp_document *document = document_of(watch, false);
    mp_table *table = &document->tables[0];
    watch->style.width = cli_style(watch->options->colour, watch->options->width, false).width;
    document->title = watch->count == 1
                          ? mp_document_text(document, "%s: watching", watch->files[0].path)
                          : mp_document_text(document, "%zu recordings: watching", watch->count);
    for (size_t i = 0; i < watch->row_count; i++)
        if (watch->rows[i].file)
            mp_table_put(document, table, &watch->rows[i]);
    table->empty = "no snapshot yet";
    for (size_t i = watch->note_count; i-- > 0;)
        mp_document_say(document, MP_TONE_WARNING, "Note", "%s", watch->notes[i]);
    watch->options->renderer->render(document, none, &watch->style, file, &unheard);
    mp_diagnostics_free(none);
    mp_document_free(document);
    fclose(file);
    return text;
}

static void draw(watching *watch)
{
    pthread_mutex_lock(&watch->lock);
    char *text = picture(watch);
    pthread_mutex_unlock(&watch->lock);
    cli_screen_draw(text);
    free(text);
}

/* What was on the screen stays behind it. */
static void leave_screen(watching *watch)
{
    pthread_mutex_lock(&watch->lock);
    if (watch->draws) {
        char *text = picture(watch);
        cli_screen_end();
        fputs(text, stdout);
        fflush(stdout);
        free(text);
    }
    watch->draws = false;
    pthread_mutex_unlock(&watch->lock);
}

/* --- the first thread --- */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* The window was left for a while; what is drawn then is what happened meanwhile. */
static void suspend(watching *watch)
{
    if (watch->draws)
        cli_screen_end();
    kill(getpid(), SIGSTOP);
    if (watch->draws)
        cli_screen_begin();
}

/* Until all files are over, or something ends them all. Gives the signal that did, or 0. */
static int wait_for_end(watching *watch, int signals_file)
{
    for (;;) {
        struct pollfd files[] = {
            {.fd = signals_file, .events = POLLIN},
            {.fd = watch->wake, .events = POLLIN},
            {.fd = watch->stop, .events = POLLIN},
            {.fd = watch->draws ? -1 : STDOUT_FILENO}, /* whose reader may have gone */
        };
        struct signalfd_siginfo info = {0};
        uint64_t unheard;
        if (watch->draws)
            draw(watch);
        while (poll(files, 4, -1) < 0 && errno == EINTR)
            continue;
        if (files[0].revents && read(signals_file, &info, sizeof info) == sizeof info) {
            if (info.ssi_signo == SIGTSTP)
                suspend(watch);
            else if (info.ssi_signo != SIGWINCH)
                return (int)info.ssi_signo;
        }
        if (files[3].revents & POLLERR)
            return SIGPIPE;
        if (files[1].revents && read(watch->wake, &unheard, sizeof unheard) < 0)
            continue;
        pthread_mutex_lock(&watch->lock);
        bool over = watch->over || !watch->running;
        pthread_mutex_unlock(&watch->lock);
        if (over)
            return 0;
    }
}

static void set_number(const char *name, int64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, number);
    setenv(name, text, 1);
}

/* Have the shell run what was asked for; what it prints is no answer of ours. */
static void run_command(const watching *watch)
{
    static char shell[] = "/bin/sh", name[] = "sh", option[] = "-c";
    const watch_limit *limit = &watch->limit;
    char *words[] = {name, option, (char *)(uintptr_t)watch->options->command_on_limit, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    pid_t process;
    int status = 0;
    setenv("MEMPROF_LIMIT", limit->name, 1);
    setenv("MEMPROF_MESSAGE", limit->message, 1);
    setenv("MEMPROF_PATH", limit->row.path, 1);
    setenv("MEMPROF_TAG", limit->row.tag ? limit->row.tag : "", 1);
    set_number("MEMPROF_SEQUENCE", limit->row.sequence);
    set_number("MEMPROF_TIME_US", limit->row.time_us);
    set_number("MEMPROF_LIVE_OBJECTS", limit->row.live_objects);
    set_number("MEMPROF_LIVE_BYTES", limit->row.live_bytes);
    if (limit->limit_bytes != MP_UNKNOWN) { /* a rule need not be about bytes */
        set_number("MEMPROF_LIMIT_BYTES", limit->limit_bytes);
        set_number("MEMPROF_ACTUAL_BYTES", limit->actual_bytes);
    }
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int failure = posix_spawn(&process, shell, &actions, &attributes, words, environ);
    while (!failure && waitpid(process, &status, 0) < 0 && errno == EINTR)
        continue;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    char text[256];
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

static int end_watch(watching *watch)
{
    int status = watch->status;
    for (size_t i = 0; i < watch->count; i++)
        if (watch->files[i].status > status)
            status = watch->files[i].status;
    if (!watch->limit.name)
        return status;
    put_event(watch, &(event_row){.event = "limit",
                                  .path = watch->limit.row.path,
                                  .name = watch->limit.name,
                                  .message = watch->limit.message,
                                  .limit_bytes = watch->limit.limit_bytes,
                                  .actual_bytes = watch->limit.actual_bytes});
    cli_put_message(watch->limit.message);
    if (watch->options->command_on_limit)
        run_command(watch);
    return CLI_EXCEEDED;
}

static void free_watch(watching *watch)
{
    for (size_t i = 0; i < watch->count; i++) {
        free(watch->files[i].shown);
        mp_follow_free(watch->files[i].follow);
        mp_diagnostics_free(watch->files[i].diagnostics);
    }
    for (size_t i = 0; i < KEPT_ROWS + watch->count; i++) {
        free((char *)(uintptr_t)watch->rows[i].tag);
        free((char *)(uintptr_t)watch->rows[i].grower);
    }
    for (size_t i = 0; i < watch->note_count; i++)
        free(watch->notes[i]);
    mp_arena_free(&watch->limit.arena);
    free(watch->rows);
    free(watch->files);
    pthread_mutex_destroy(&watch->lock);
    close(watch->stop);
    close(watch->wake);
}

/* Paths, with blanks behind them up to the length of the longest. */
static void show_paths(watching *watch)
{
    size_t widest = 0;
    mp_arena arena = {0};
    for (size_t i = 0; i < watch->count; i++) {
        size_t width = mp_text_width(mp_utf8_copy(&arena, watch->options->paths[i]));
        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < watch->count; i++) {
        const char *path = mp_utf8_copy(&arena, watch->options->paths[i]);
        int blanks = (int)(widest - mp_text_width(path));
        watch->files[i].shown = strdup(mp_arena_format(&arena, "%s%*s", path, blanks, ""));
        mp_arena_free(&arena);
    }
}

static void start_file(watching *watch, size_t place)
{
    const cli_options *options = watch->options;
    watch_file *file = &watch->files[place];
    file->of = watch;
    file->path = options->paths[place];
    file->diagnostics = cli_diagnostics_new(options);
    file->follow = mp_follow_new(&(mp_follow_how){
        .path = file->path,
        .look_us = options->look_us ? options->look_us : SECOND,
        .quiet_us = options->quiet_us,
        .by_looking = options->look_us != 0,
        .stop = watch->stop,
        .tell = tell_event,
        .opaque = file,
    });
    if (pthread_create(&file->thread, NULL, watch_file_run, file) != 0) {
        file->of = NULL;
        file->status = CLI_UNREADABLE;
        pthread_mutex_lock(&watch->lock);
        watch->running--;
        pthread_mutex_unlock(&watch->lock);
        signal_file(watch->wake);
        cli_put_fault(file->path, "cannot be watched: there is no other thread");
    }
}

int cli_watch(cli_options *options)
{
    sigset_t watched, before;
    if (options->load.slices && !options->load.slice_us) {
        cli_refuse(options, "--slices of what is watched, which has no end yet, takes a time such "
                            "as 10s");
        return CLI_USAGE;
    }
    if (!options->load.slice_us)
        options->load.slice_us = 10 * SECOND;
    if (options->command_on_limit && !options->max_growth.set && !options->max_leaked.set &&
        !options->watch_policy) {
        cli_refuse(options, "--exec is for a limit: --max-growth, --max-leaked or --policy");
        return CLI_USAGE;
    }
    if (options->watch_policy) {
        mp_error error = {0};
        mp_question_free(&options->question);
        mp_question_begin(&options->question, &mp_report_gate);
        mp_question_set(&options->question, "policy", options->watch_policy, &error);
        int status = cli_read_beside(options);
        if (status != CLI_OK)
            return status;
    }
    watching watch = {.options = options,
                      .files = mp_alloc_zero(options->path_count, sizeof *watch.files),
                      .count = options->path_count,
                      .running = options->path_count,
                      .stop = eventfd(0, EFD_CLOEXEC),
                      .wake = eventfd(0, EFD_CLOEXEC),
                      .rows = mp_alloc_zero(KEPT_ROWS + options->path_count, sizeof *watch.rows),
                      .style = cli_style(options->colour, options->width, false)};
    pthread_mutex_init(&watch.lock, NULL);
    sigemptyset(&watched);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaddset(&watched, signals[i]);
    pthread_sigmask(SIG_BLOCK, &watched, &before);
    int signals_file = signalfd(-1, &watched, SFD_CLOEXEC);
    size_t count;
    watch.draws = options->renderer == mp_renderers(&count)[0] && cli_screen_begin();
    if (!watch.draws)
        print_row(&watch, NULL, false);
    show_paths(&watch);
    for (size_t i = 0; i < watch.count; i++)
        start_file(&watch, i);
    int ended_by = wait_for_end(&watch, signals_file);
    pthread_mutex_lock(&watch.lock);
    watch.over = true;
    pthread_mutex_unlock(&watch.lock);
    signal_file(watch.stop);
    for (size_t i = 0; i < watch.count; i++)
        if (watch.files[i].of)
            pthread_join(watch.files[i].thread, NULL);
    leave_screen(&watch);
    int status = end_watch(&watch);
    free_watch(&watch);
    close(signals_file);
    if (ended_by) { /* whoever started it sees what ended it */
        signal(ended_by, SIG_DFL);
        raise(ended_by);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}
