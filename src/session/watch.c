#include "session/watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "input/follow.h"
#include "input/unpack.h"
#include "model/build.h"

enum { SECOND = 1000000 };

typedef struct mp_watched {
    mp_watching *watching;
    const char *path;
    size_t place;
    pthread_t thread;
    bool started;
    mp_follow *follow;
    mp_diagnostics *diagnostics; /* diagnostics of the recording */
    size_t told;                 /* number of diagnostics that were already reported */
    mp_model *model;             /* NULL: no recording read yet */
    mp_tracker *tracker;
    mp_loading loading;
    char group[sizeof((mp_place *)NULL)->group];
    uint64_t sequence;    /* sequence number of the last snapshot */
    mp_snapshot_id last;  /* last complete snapshot in the model; 0: none */
    mp_tracked tracked;   /* figures at the last snapshot */
    uint32_t next_judged; /* the policy is checked again at this number of deltas */
    uint32_t next_trend;  /* the same for the limit of steady leaks, once `trend_work` is used up */
    uint64_t trend_work;  /* number of deltas read to check that limit */
    bool unjudged;
    size_t of_window;  /* number of snapshots before _Exit */
    bool seen, exited; /* a snapshot was read; _Exit was read */
    bool over;         /* ignore the remaining data of the recording */
    bool ok;
} watched;

/* --- shared state --- */

static void signal_file(int file)
{
    enum { TRIES = 4 }; /* retry, because a lost signal would block its receiver for ever */
    const uint64_t one = 1;
    for (int tries = 0; tries < TRIES && write(file, &one, sizeof one) < 0;)
        tries++;
}

void mp_watching_enter(mp_watching *watching)
{
    pthread_mutex_lock(&watching->lock);
}

void mp_watching_leave(mp_watching *watching)
{
    if (!watching->over && (watching->limit.name || watching->failed)) {
        watching->over = true;
        signal_file(watching->stop);
    }
    if (watching->changed || !watching->running)
        signal_file(watching->wake);
    watching->changed = false;
    pthread_mutex_unlock(&watching->lock);
}

/* --- diagnostics --- */

static void report_diagnostics(watched *file)
{
    mp_watching *watching = file->watching;
    const mp_diagnostic *kept;
    mp_arena arena = {0};
    size_t count = mp_diagnostics_kept(file->diagnostics, &kept);
    if (file->told == count)
        return;
    mp_watching_enter(watching);
    for (; file->told < count && !watching->over; file->told++) {
        const mp_diagnostic *one = &kept[file->told];
        mp_severity severity = mp_diagnostic_severity(one->id);
        const char *line = one->line ? mp_arena_format(&arena, ":%" PRIu64, one->line) : "";
        const char *text =
            mp_arena_format(&arena, "%s%s: %s: %s [%s]", one->path ? one->path : file->path, line,
                            mp_severity_name(severity), one->message, mp_diagnostic_code(one->id));
        watching->listener->note(watching, severity, text);
    }
    file->told = count;
    mp_watching_leave(watching);
    mp_arena_free(&arena);
}

/* Report an error about a file. Always return false. */
static bool refuse_file(watched *file, const char *why)
{
    mp_watching *watching = file->watching;
    mp_arena arena = {0};
    char text[4096];
    why = mp_spell(text, sizeof text, why, watching->session->dashes);
    mp_watching_enter(watching);
    watching->listener->note(watching, MP_ERROR,
                             mp_arena_format(&arena, "%s: error: %s", file->path, why));
    watching->listener->event(watching, &(mp_watch_event){.event = "error",
                                                          .path = file->path,
                                                          .message = why,
                                                          .limit_bytes = MP_UNKNOWN,
                                                          .actual_bytes = MP_UNKNOWN});
    mp_watching_leave(watching);
    mp_arena_free(&arena);
    return false;
}

/* --- a snapshot --- */

static mp_watch_row row_of(const watched *file, mp_arena *arena)
{
    return mp_watch_row_of(arena, file->path, file->model, file->last, &file->tracked,
                           file->watching->session->reading.exact_bytes);
}

/* Check the policy against the part of the recording that was read so far. Rules that cannot be
 * checked yet are reported only if `last` is true. */
static void judge(watched *file, bool last)
{
    mp_watching *watching = file->watching;
    mp_model *model = file->model;
    mp_error error = {0};
    mp_arena arena = {0};
    mp_diagnostics *unheard = mp_diagnostics_new(1);
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_document *document = mp_document_new("gate");
    mp_watch_row row = row_of(file, &arena);
    mp_model_build_tree(model, unheard);
    mp_request request =
        mp_question_request(watching->question, model, file->diagnostics, dictionary, NULL);
    bool answered = mp_report_run(&mp_report_gate, &request, document, &error);
    mp_watching_enter(watching);
    if (!watching->over)
        mp_watch_limit_judge(&watching->limit, document, &row);
    mp_watching_leave(watching);
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

/* Return true if the policy should be checked at this snapshot. Before a process cleans up, objects
 * in use would count as left behind. A check reads all deltas. So in a file with many clean-ups,
 * the next check waits until the number of deltas has grown by an eighth. */
static bool is_to_be_judged(const watched *file, const char *tag)
{
    const mp_model *model = file->model;
    return file->watching->question->policy && model->kind == MP_KIND_RECORDING &&
           model->deltas.count >= file->next_judged &&
           (mp_text_is(tag, "_PreCleanUp") || mp_text_is(tag, "_Exit"));
}

static bool has_limits(const mp_watching *watching)
{
    return watching->max_growth.set || watching->max_leaked.set || watching->max_live.set ||
           watching->max_trend.set;
}

/* Check the limit of steady leaks. At the clean-up and at the end of the recording (`last`), judge
 * as `leaks` does. Before, only leaks that are almost certain count, because a program must not be
 * stopped for a cache that is filling. That the limit cannot be checked is a fault only if `last`
 * is true. */
static void judge_trend(watched *file, bool last)
{
    mp_watching *watching = file->watching;
    mp_model *model = file->model;
    mp_error error = {0};
    mp_arena arena = {0};
    mp_window window;
    mp_diagnostics *unheard = mp_diagnostics_new(1);
    const mp_heap_arguments asked = {.max_trend = watching->max_trend};
    mp_document *document = mp_document_new("leaks");
    const mp_watch_row row = row_of(file, &arena);
    const char *why = NULL;
    document->exact_bytes = watching->session->reading.exact_bytes;
    mp_model_build_tree(model, unheard);
    mp_request request =
        mp_question_request(watching->question, model, file->diagnostics, NULL, NULL);
    request.arguments = &asked;
    if (mp_window_resolve(model, NULL, NULL, &window, &error)) {
        if (!last && !mp_text_is(row.tag, "_PreCleanUp"))
            mp_window_keep_certain_leaks(&window);
        mp_section_limits(document, &request, &window);
        why = document->unjudged ? document->checks[0].message : NULL;
        mp_window_free(&window);
    }
    mp_watching_enter(watching);
    if (!watching->over && document->failed)
        mp_watch_limit_exceed(&watching->limit, &document->checks[0], &row,
                              watching->session->dashes);
    mp_watching_leave(watching);
    mp_model_drop_tree(model);
    if (last && why && !file->unjudged) {
        file->unjudged = true;
        refuse_file(file, mp_arena_format(&arena, "its limits could not be judged: %s", why));
    }
    mp_document_free(document);
    mp_diagnostics_free(unheard);
    mp_arena_free(&arena);
    file->trend_work += model->deltas.count;
    file->next_trend = model->deltas.count + model->deltas.count / 8;
}

/* Return true if the limit of steady leaks should be checked at this snapshot. A check reads all
 * deltas. So in recordings with very many snapshots, the next check waits until the number of
 * deltas has grown by an eighth. */
static bool is_trend_due(const watched *file)
{
    enum { MOST_WORK = 100000000 };
    return file->watching->max_trend.set && !file->over &&
           (file->trend_work < MOST_WORK || file->model->deltas.count >= file->next_trend);
}

static void hold(mp_watching *watching, const mp_watch_row *row, mp_model *model)
{
    const struct {
        const char *name;
        mp_measure measure;
        const mp_ceiling *limit;
    } limits[] = {{"max-growth", MP_MEASURE_GROWTH, &watching->max_growth},
                  {"max-leaked", MP_MEASURE_LEAKED, &watching->max_leaked},
                  {"max-live", MP_MEASURE_LIVE, &watching->max_live}};
    const char *dashes = watching->session->dashes;
    bool exact = watching->session->reading.exact_bytes;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const mp_rule rule =
            mp_rule_of_limit(limits[i].name, limits[i].measure, &limits[i].limit->bound);
        if (limits[i].limit->set)
            mp_watch_limit_hold(&watching->limit, &rule, row, model, dashes, exact);
    }
}

/* Report that the limits could not be checked with the data that was read, unless the watching was
 * stopped. */
static void refuse_too_short(watched *file)
{
    if (file->unjudged || mp_follow_last(file->follow) == MP_FOLLOW_STOPPED)
        return;
    if (file->of_window > 1) {
        if (file->watching->max_trend.set)
            judge_trend(file, true);
        return;
    }
    const mp_watching *watching = file->watching;
    if (file->of_window == 1 && !watching->max_growth.set && !watching->max_leaked.set &&
        !watching->max_trend.set) /* one snapshot is enough for max-live */
        return;
    file->unjudged = true;
    refuse_file(file, "its limits could not be judged: " MP_ONE_SNAPSHOT);
}

/* Process a finished snapshot. Called as mp_model.tell on the file's thread. */
static void take_snapshot(void *opaque, mp_snapshot_id id)
{
    watched *file = opaque;
    mp_watching *watching = file->watching;
    mp_arena arena = {0};
    file->tracked = mp_tracker_take(file->tracker, id);
    if (file->over)
        return;
    file->last = id;
    file->seen = true;
    mp_watch_row row = row_of(file, &arena);
    file->sequence = (uint64_t)row.sequence;
    mp_watching_enter(watching);
    if (!watching->over) {
        watching->listener->row(watching, file->place, &row);
        hold(watching, &row, file->model);
    }
    mp_watching_leave(watching);
    report_diagnostics(file);
    if (is_trend_due(file))
        judge_trend(file, false);
    bool exits = mp_text_is(row.tag, "_Exit"), ends = watching->until_exit && exits;
    file->of_window += !exits;
    if (ends && has_limits(watching))
        refuse_too_short(file);
    if (is_to_be_judged(file, row.tag) || (ends && watching->question->policy))
        judge(file, ends);
    if (ends) {
        file->exited = file->over = true;
        mp_follow_stop(file->follow);
    }
    mp_arena_free(&arena);
}

/* --- one file, on its thread --- */

/* Report that limits could not be checked because the file is damaged. A truncated file does not
 * count as damaged: its limits were checked up to its end, and it may still be growing. A pipe that
 * its writers have closed does not grow. */
static void refuse_damaged(watched *file)
{
    const mp_diagnostic *kept;
    const size_t count = mp_diagnostics_kept(file->diagnostics, &kept);
    const bool closed = mp_follow_last(file->follow) == MP_FOLLOW_CLOSED;
    mp_arena arena = {0};
    for (size_t i = 0; i < count && !file->unjudged; i++)
        if (mp_diagnostic_is_unsound(kept[i].id) &&
            (closed || !mp_diagnostic_breaks_off(kept[i].id))) {
            file->unjudged = true;
            refuse_file(file, mp_arena_format(&arena,
                                              "its limits could not be judged: it is %s at "
                                              "line %" PRIu64 ": %s",
                                              mp_diagnostic_breaks_off(kept[i].id) ? "truncated"
                                                                                   : "damaged",
                                              kept[i].line, kept[i].message));
        }
    mp_arena_free(&arena);
}

/* Report that limits in bytes hold only because objects of unknown size count as 0 bytes. */
static void refuse_unsized(watched *file)
{
    mp_watching *watching = file->watching;
    const mp_model *model = file->model;
    mp_watching_enter(watching);
    const bool holds =
        !watching->limit.name &&
        (watching->max_growth.set || watching->max_leaked.set || watching->max_live.set);
    mp_watching_leave(watching);
    if (file->unjudged || !holds || !(model->holds & MP_HOLDS_UNSIZED) ||
        model->generations.count < 2)
        return;
    file->unjudged = true;
    refuse_file(file, "its limits could not be judged: " MP_NO_SIZES);
}

/* Report what happened to a file, as a line for people and as an event for programs. The line
 * consists of the file's name, `title` and `text`. */
static void announce(watched *file, const char *name, const char *title, const char *text)
{
    mp_watching *watching = file->watching;
    mp_arena arena = {0};
    mp_watching_enter(watching);
    if (!watching->over) {
        watching->listener->note(
            watching, MP_NOTE,
            mp_arena_format(&arena, "memprof: %s: %s%s", file->path, title, text));
        watching->listener->event(watching, &(mp_watch_event){.event = name,
                                                              .path = file->path,
                                                              .message = text,
                                                              .limit_bytes = MP_UNKNOWN,
                                                              .actual_bytes = MP_UNKNOWN});
    }
    mp_watching_leave(watching);
    mp_arena_free(&arena);
}

static void report_worst_leak(watched *file)
{
    mp_arena arena = {0};
    const bool exact = file->watching->session->reading.exact_bytes;
    const char *worst = mp_watch_worst_leak(file->model, exact, &arena);
    if (worst)
        announce(file, "worst-leak", "worst leak: ", worst);
    mp_arena_free(&arena);
}

static void end_recording(watched *file)
{
    if (!file->model)
        return;
    mp_loading_end(&file->loading);
    if (!file->over)
        report_diagnostics(file);
    if (has_limits(file->watching)) {
        refuse_damaged(file);
        refuse_unsized(file);
        if (file->last.i)
            refuse_too_short(file);
    }
    if (file->last.i)
        report_worst_leak(file);
    if (!file->over && file->last.i && file->watching->question->policy)
        judge(file, true);
    mp_tracker_free(file->tracker);
    mp_model_free(file->model);
    file->model = NULL;
}

static void begin_recording(watched *file, const mp_reader *reader, const mp_place *place)
{
    end_recording(file);
    mp_diagnostics_free(file->diagnostics);
    file->diagnostics = mp_diagnostics_like(file->watching->session->finding);
    file->told = 0;
    file->model = mp_model_new();
    file->model->kind = reader->kind;
    file->model->tell = take_snapshot;
    file->model->tell_opaque = file;
    file->tracker = mp_tracker_new(file->model);
    file->loading = (mp_loading){file->model, file->diagnostics,
                                 &file->watching->session->reading.load, reader, NULL};
    memcpy(file->group, place->group, sizeof file->group);
    file->sequence = 0;
    file->last.i = file->next_judged = file->next_trend = 0;
    file->trend_work = 0;
    file->of_window = 0;
}

/* Continue the recording if the input is its next part; otherwise begin a new one. Return false,
 * after a message, if the input cannot be followed. */
static bool choose_recording(watched *file, mp_input *input, mp_slice head)
{
    mp_place place = {.group = ""};
    if (mp_packing_of(head) != MP_UNPACKED)
        return refuse_file(
            file, "is compressed, and can be read only when it is complete, by other commands");
    const char *path = mp_input_path(input);
    const mp_reader *reader =
        mp_reader_of(head, path, file->watching->session->reading.load.format, file->diagnostics);
    if (!reader)
        return false;
    if (!reader->grows || !reader->grows(head))
        return refuse_file(file, "can be read only when it is complete, by other commands; "
                                 "expected a recording that grows (.oemp, a heap log)");
    if (file->watching->until_exit && reader->kind == MP_KIND_EVENTS)
        return refuse_file(file,
                           "is a heap log, which does not record the end of its program; " MP_DASHES
                           "timeout ends the watching");
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
        [MP_FOLLOW_QUIET] = {"timeout",
                             "nothing was written during the time of " MP_DASHES "timeout"},
    };
    watched *file = opaque;
    char text[256];
    mp_spell(text, sizeof text, events[event].text, file->watching->session->dashes);
    if (!file->over)
        announce(file, events[event].name, "", text);
}

/* Return true if the file was read to its end and all its limits were checked. */
static bool is_complete(watched *file)
{
    mp_follow_event last = mp_follow_last(file->follow);
    bool misses = file->watching->until_exit ? !file->exited : !file->seen;
    if (file->unjudged || last == MP_FOLLOW_FAILED)
        return false;
    if (last == MP_FOLLOW_STOPPED || !misses)
        return true;
    return refuse_file(
        file, file->seen
                  ? "there was no snapshot _Exit; the process is still running, or was killed"
                  : "there was no complete snapshot");
}

static void *run(void *opaque)
{
    watched *file = opaque;
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
    report_diagnostics(file);
    file->ok = readable && is_complete(file);
    mp_watching_enter(file->watching);
    file->watching->running--;
    mp_watching_leave(file->watching);
    return NULL;
}

/* --- starting and stopping --- */

static watched *start(mp_watching *watching, size_t place)
{
    const mp_session *session = watching->session;
    watched *file = mp_alloc_zero(1, sizeof *file);
    file->watching = watching;
    file->path = session->paths.items[place];
    file->place = place;
    file->diagnostics = mp_diagnostics_like(session->finding);
    file->follow = mp_follow_new(&(mp_follow_how){
        .path = file->path,
        .encoding = session->reading.load.encoding,
        .look_us = watching->look_us ? watching->look_us : SECOND,
        .quiet_us = watching->quiet_us,
        .by_looking = watching->look_us != 0,
        .stop = watching->stop,
        .tell = tell_event,
        .opaque = file,
    });
    mp_watching_enter(watching);
    watching->running++;
    mp_watching_leave(watching);
    file->started = pthread_create(&file->thread, NULL, run, file) == 0;
    if (file->started)
        return file;
    refuse_file(file, "cannot be watched: cannot create a thread");
    mp_watching_enter(watching);
    watching->running--;
    mp_watching_leave(watching);
    return file;
}

void mp_watching_begin(mp_watching *watching)
{
    const size_t count = watching->session->paths.count;
    pthread_mutex_init(&watching->lock, NULL);
    watching->files = mp_alloc_zero(count, sizeof *watching->files);
    for (size_t i = 0; i < count; i++)
        watching->files[i] = start(watching, i);
}

bool mp_watching_end(mp_watching *watching)
{
    bool ok = true;
    mp_watching_enter(watching);
    watching->over = true;
    mp_watching_leave(watching);
    signal_file(watching->stop);
    for (size_t i = 0; i < watching->session->paths.count; i++) {
        watched *file = watching->files[i];
        if (file->started)
            pthread_join(file->thread, NULL);
        ok &= file->ok;
        mp_follow_free(file->follow);
        mp_diagnostics_free(file->diagnostics);
        free(file);
    }
    free(watching->files);
    pthread_mutex_destroy(&watching->lock);
    return ok;
}
