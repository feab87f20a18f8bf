#include "session/answer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diagnose.h"
#include "document/checks.h"
#include "reports/sections.h"
#include "reports/trend.h"

/* Work shared by all threads. Changes need the lock. */
typedef struct group_work {
    const mp_file_groups *groups;
    const mp_question *question;
    const mp_reading *reading;
    const mp_merge_style *style;
    mp_held *held;
    mp_diagnostics *diagnostics;
    mp_answers *answers;
    mp_base base;
    bool has_base; /* the base was read, or could not be read; true if there is none */
    pthread_cond_t base_read;
    pthread_mutex_t lock;
    const size_t *turns; /* indexes of the groups in the order in which they are read */
    size_t next;         /* index in `turns` of the next group to read */
    size_t settled;      /* number of answers, from the first group on, that are final */
    /* Error of the archive that contains the groups; members after it are missing. */
    mp_diagnostic torn;
    bool is_torn;
    uint64_t done, total; /* bytes */
} group_work;

/* --- progress of several groups --- */

/* Progress on one group. A file is opened twice, first to detect its format. A position counts only
 * if it is beyond all earlier positions. */
typedef struct group_progress {
    group_work *work;
    const char *path;
    uint64_t done; /* bytes read of this file */
} group_progress;

static bool advance(void *opaque, const char *path, uint64_t done, uint64_t total)
{
    group_progress *state = opaque;
    group_work *work = state->work;
    const mp_progress *self = work->reading->load.progress;
    bool goes_on = true;
    (void)total;
    if (state->path != path) {
        state->path = path;
        state->done = 0;
    }
    if (done <= state->done || !self)
        return true;
    pthread_mutex_lock(&work->lock);
    work->done += done - state->done;
    state->done = done;
    if (work->done > work->total)
        work->done = work->total;
    goes_on = self->advance(self->opaque, "all files", work->done, work->total);
    pthread_mutex_unlock(&work->lock);
    return goes_on;
}

static uint64_t bytes_at(const char *path)
{
    struct stat status;
    return path && stat(path, &status) == 0 && S_ISREG(status.st_mode) ? (uint64_t)status.st_size
                                                                       : 0;
}

static uint64_t bytes_of(const mp_file_groups *groups, const mp_question *question)
{
    uint64_t bytes = bytes_at(question->base);
    for (size_t i = 0; i < groups->count; i++)
        for (size_t j = 0; j < groups->items[i].count; j++)
            bytes += bytes_at(groups->items[i].files[j].path);
    return bytes;
}

/* --- a group --- */

static mp_error *keep_error(const mp_error *error)
{
    mp_error *kept = mp_alloc(sizeof *kept);
    *kept = *error;
    return kept;
}

bool mp_group_is_passed_over(const mp_file_group *group, const mp_request *request,
                             mp_diagnostics *diagnostics, mp_group_answer *answer)
{
    mp_error error = {0};
    char line[1024];
    if (!group->found || mp_report_answers(request->report, request, &error))
        return false;
    answer->error = keep_error(&error);
    answer->passed_over = true;
    *error.advice = '\0'; /* identical for each file, so omitted */
    mp_diagnose(diagnostics, MP_DIAG_NO_ANSWER, group->files[0].name, 0, "skipped: %s",
                mp_error_line(&error, mp_diagnostics_dashes(diagnostics), line, sizeof line));
    return true;
}

static bool goes_on(void *opaque)
{
    const mp_progress *progress = opaque;
    return progress->advance(progress->opaque, "statement", 0, 0);
}

void mp_request_watch(mp_request *request, const mp_reading *reading)
{
    request->goes_on = reading->load.progress ? goes_on : NULL;
    request->opaque = (void *)reading->load.progress;
}

/* Read a group into `held` unless that is already done. */
static void load_held(mp_held *held, const mp_file_group *group, const mp_reading *reading,
                      const mp_diagnostics *like)
{
    if (held->model)
        return;
    held->model = mp_model_new();
    held->diagnostics = mp_diagnostics_like(like);
    held->read_with = reading->load;
    held->loaded = mp_file_group_load(group, &reading->load, held->model, held->diagnostics);
}

static void ask(const group_work *work, const mp_file_group *group, const mp_request *request,
                mp_group_answer *answer)
{
    const mp_report *report = request->report;
    mp_error error = {0};
    if (work->answers->merged &&
        mp_group_is_passed_over(group, request, answer->diagnostics, answer))
        return;
    answer->document = mp_document_new(report->name);
    answer->document->exact_bytes = work->reading->exact_bytes;
    answer->document->draws = request->draws;
    if (mp_report_run(report, request, answer->document, &error))
        return;
    answer->error = error.code ? keep_error(&error) : NULL;
    mp_document_free(answer->document);
    answer->document = NULL;
}

/* Read the base, if there is one, while other threads read groups. */
static void read_base(group_work *work)
{
    group_progress state = {.work = work};
    const mp_progress shared = {advance, &state};
    mp_reading reading = *work->reading;
    if (work->answers->merged)
        reading.load.progress = &shared;
    if (work->question->base)
        mp_base_read(&work->base, work->question, &reading);
    pthread_mutex_lock(&work->lock);
    work->has_base = true;
    pthread_cond_broadcast(&work->base_read);
    pthread_mutex_unlock(&work->lock);
}

/* Return true if there is no base, or if it can be compared with. If `waits`, wait until this is
 * known; before, return true. */
static bool has_base(group_work *work, bool waits)
{
    pthread_mutex_lock(&work->lock);
    while (waits && !work->has_base)
        pthread_cond_wait(&work->base_read, &work->lock);
    const bool lost = work->has_base && work->question->base && !work->base.digest;
    pthread_mutex_unlock(&work->lock);
    return !lost;
}

/* Store that a group is not answered because the base could not be read. An error that is the same
 * for each group is reported only once. */
static void lack_base(const group_work *work, mp_group_answer *answer)
{
    const mp_error *error = &work->base.error;
    answer->of_file = true;
    answer->outcome = error->code && !error->path ? MP_GROUP_REFUSED : MP_GROUP_UNREAD;
    if (error->code && answer == work->answers->groups)
        answer->error = keep_error(error);
}

/* Ask about a group that was read. Return true if it was read completely. */
static bool ask_held(group_work *work, size_t place, const mp_held *held, mp_group_answer *answer)
{
    const bool merged = work->answers->merged;
    if (!mp_model_is_usable(held->model))
        return false;
    mp_dictionary *copy =
        work->answers->count > 1 ? mp_dictionary_copy(work->base.dictionary) : NULL;
    mp_request request =
        mp_question_request(work->question, held->model, answer->diagnostics,
                            copy ? copy : work->base.dictionary, work->base.digest);
    request.one_of_many = merged;
    if (!merged)
        mp_request_watch(&request, work->reading);
    if (!request.torn)
        request.torn =
            work->is_torn ? &work->torn : mp_question_torn(work->question, work->base.diagnostics);
    const bool whole =
        !work->reading->strict || mp_model_is_whole(held->model, answer->diagnostics);
    ask(work, &work->groups->items[place], &request, answer);
    mp_dictionary_free(copy);
    return held->loaded && whole;
}

static void answer_group(group_work *work, size_t place)
{
    const bool merged = work->answers->merged;
    mp_group_answer *answer = &work->answers->groups[place];
    group_progress state = {.work = work};
    const mp_progress shared = {advance, &state};
    mp_reading reading = *work->reading;
    if (merged)
        reading.load.progress = &shared;
    mp_held unheld = {.model = NULL}, *held = merged ? &unheld : work->held;
    if (has_base(work, false))
        load_held(held, &work->groups->items[place], &reading, answer->diagnostics);
    const bool compares = has_base(work, true);
    if (!place) /* report problems of the base only once */
        mp_diagnostics_append(answer->diagnostics, work->base.diagnostics);
    if (compares) {
        mp_diagnostics_append(answer->diagnostics, held->diagnostics);
        answer->outcome = ask_held(work, place, held, answer) ? MP_GROUP_READ : MP_GROUP_UNREAD;
    } else {
        lack_base(work, answer);
    }
    mp_held_free(&unheld);
}

/* --- all groups --- */

/* Move the finished answers, in the order of the groups, to the result. The lock must be held. Data
 * that will not be printed is freed here, which saves memory with many files. */
static void settle(group_work *work)
{
    mp_answers *answers = work->answers;
    for (; work->settled < answers->count; work->settled++) {
        mp_group_answer *answer = &answers->groups[work->settled];
        if (!answer->done)
            return;
        if (answers->merged) {
            mp_diagnostics_append(work->diagnostics, answer->diagnostics);
            mp_diagnostics_free(answer->diagnostics);
        }
        if (answer->document)
            mp_pile_add(&answers->pile, work->groups->items[work->settled].name, answer->document);
        answer->diagnostics = NULL;
        answer->document = NULL;
    }
}

static void *answer_groups(void *opaque)
{
    group_work *work = opaque;
    mp_answers *answers = work->answers;
    pthread_mutex_lock(&work->lock);
    while (work->next < answers->count) {
        size_t place = work->turns[work->next++];
        mp_group_answer *answer = &answers->groups[place];
        answer->diagnostics =
            answers->merged ? mp_diagnostics_like(work->diagnostics) : work->diagnostics;
        pthread_mutex_unlock(&work->lock);
        answer_group(work, place);
        pthread_mutex_lock(&work->lock);
        if (answer->document && answers->merged && work->style->packed)
            mp_pile_pack(&answers->pile, answer->document);
        answer->done = true;
        settle(work);
    }
    pthread_mutex_unlock(&work->lock);
    return NULL;
}

/* Answer all groups on several threads. The calling thread is one of them, and does all the work if
 * no other thread can be started. It reads the base first. */
static void run_all(group_work *work)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t jobs = work->reading->jobs ? (size_t)work->reading->jobs
                  : processors > 0    ? (size_t)processors
                                      : 1;
    const size_t files = work->groups->count + (work->question->base ? 1 : 0);
    if (jobs > files)
        jobs = files;
    size_t started = 0;
    pthread_t *threads = mp_alloc(jobs * sizeof *threads);
    pthread_mutex_init(&work->lock, NULL);
    pthread_cond_init(&work->base_read, NULL);
    while (started + 1 < jobs && pthread_create(&threads[started], NULL, answer_groups, work) == 0)
        started++;
    read_base(work);
    answer_groups(work);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&work->base_read);
    pthread_mutex_destroy(&work->lock);
    free(threads);
}

/* If nothing matches the filters, or one of their patterns, in any file, withdraw the checks. If
 * something matches in one file, nothing in another is a figure. */
static void withdraw_nothing(const mp_pile *pile, const mp_selection *selection)
{
    bool fits = false;
    mp_unmatched unmatched = ~(mp_unmatched)0;
    for (size_t i = 0; i < pile->count; i++) {
        fits |= !pile->documents[i]->fits_nothing;
        unmatched &= pile->documents[i]->unmatched;
    }
    for (size_t i = 0; i < pile->count && (!fits || unmatched); i++) {
        mp_document *document = pile->documents[i];
        const char *misfit = mp_unmatched_text(document->arena, selection, unmatched);
        mp_document_withdraw(document, fits ? misfit : MP_FITS_NOTHING);
    }
}

/* Merge the answers, of which there is at least one. */
static mp_document *merge(const mp_file_groups *groups, const mp_pile *pile,
                          const mp_selection *selection)
{
    withdraw_nothing(pile, selection);
    mp_document *document = mp_documents_merge(pile->parts, pile->count, &pile->how);
    document->misfit = mp_unmatched_text(document->arena, selection, document->unmatched);
    bool agents = false;
    for (size_t i = 0; i < groups->count; i++)
        agents |= groups->items[i].agent;
    const char *what = groups->count == 1 ? agents ? "agent or recording" : "recording"
                       : agents           ? "agents or recordings, each separately"
                                          : "recordings, each separately";
    const char *count = pile->count < groups->count
                            ? mp_document_text(document, "%zu of %zu", pile->count, groups->count)
                            : mp_document_text(document, "%zu", pile->count);
    document->title = mp_document_text(document, "%s%s%s %s", groups->folder ? groups->folder : "",
                                       groups->folder ? ": " : "", count, what);
    return document;
}

void mp_groups_answer(const mp_file_groups *groups, const mp_question *question,
                      const mp_reading *reading, const mp_merge_style *style, mp_held *held,
                      mp_diagnostics *diagnostics, mp_answers *answers)
{
    const mp_report *report = question->report;
    const mp_diagnostic *torn = mp_question_torn(question, diagnostics);
    size_t *turns = mp_file_groups_turns(groups);
    *answers = (mp_answers){.merged = groups->apart && !(style->single && groups->count == 1),
                            .groups = mp_alloc_zero(groups->count, sizeof *answers->groups),
                            .count = groups->count,
                            .pile = {.how = {.rows = style->rows,
                                             .for_people = style->for_people,
                                             .overview = report->overview,
                                             .within = groups->within,
                                             .sum_up = report->sum_up}}};
    group_work work = {.groups = groups,
                       .question = question,
                       .reading = reading,
                       .style = style,
                       .held = held,
                       .diagnostics = diagnostics,
                       .answers = answers,
                       .turns = turns,
                       .is_torn = torn != NULL,
                       .torn = torn ? *torn : (mp_diagnostic){0},
                       .base = {.dictionary = mp_dictionary_new(),
                                .diagnostics = mp_diagnostics_like(diagnostics)},
                       .total = bytes_of(groups, question)};
    run_all(&work);
    mp_base_free(&work.base);
    free(turns);
    if (!answers->pile.count)
        return;
    answers->document = answers->merged ? merge(groups, &answers->pile, &question->selection)
                                        : answers->pile.documents[0];
}

void mp_answers_free(mp_answers *answers)
{
    if (answers->merged || answers->builds.count)
        mp_document_free(answers->document);
    for (size_t i = 0; i < answers->count; i++)
        free(answers->groups[i].error);
    mp_pile_free(&answers->pile);
    mp_builds_free(&answers->builds);
    free(answers->groups);
}

mp_document *mp_answers_take(mp_answers *answers)
{
    mp_document *document = answers->document;
    if (!answers->merged && !answers->builds.count && answers->pile.count)
        answers->pile.documents[0] = NULL;
    answers->document = NULL;
    return document;
}

void mp_held_read(mp_held *held, const mp_file_group *group, const mp_reading *reading,
                  mp_diagnostics *diagnostics)
{
    load_held(held, group, reading, diagnostics);
    mp_diagnostics_append(diagnostics, held->diagnostics);
}

void mp_held_free(mp_held *held)
{
    mp_model_free(held->model);
    mp_diagnostics_free(held->diagnostics);
    *held = (mp_held){.model = NULL};
}

/* --- one group after another --- */

/* Return the digest of a build; NULL on failure. Set *loaded to true if all of the build was
 * read. */
static mp_digest *digest_build(const mp_file_group *group, const mp_question *question,
                               const mp_reading *reading, mp_dictionary *dictionary,
                               mp_diagnostics *diagnostics, bool *loaded, mp_error *error)
{
    const mp_load_options *how = &reading->load;
    const char *path = group->files[0].path;
    *loaded = group->count == 1 && mp_file_is_baseline(path, how);
    return *loaded ? mp_baseline_read(path, how, dictionary, diagnostics, error)
                   : mp_file_group_digest(group, question, reading, dictionary, diagnostics, loaded,
                                          error);
}

/* Read one build and add it to the builds. Its data is freed before the next build is read. A file
 * found in a folder is skipped if its kind differs from the builds before it. */
static void add_build(const mp_file_group *group, const mp_question *question,
                      const mp_reading *reading, mp_diagnostics *diagnostics, mp_builds *builds,
                      mp_group_answer *answer)
{
    mp_error error = {0};
    bool loaded;
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_digest *digest =
        digest_build(group, question, reading, dictionary, diagnostics, &loaded, &error);
    answer->outcome = loaded ? MP_GROUP_READ : MP_GROUP_UNREAD;
    if (!digest) {
        answer->outcome = error.code && !error.path ? MP_GROUP_REFUSED : MP_GROUP_UNREAD;
        answer->of_file = true;
    } else if (group->found && builds->count && strcmp(digest->noun, builds->noun) != 0) {
        mp_diagnose(diagnostics, MP_DIAG_NO_ANSWER, group->files[0].name, 0,
                    "skipped: it is %s, expected %s", digest->noun, builds->noun);
        answer->outcome = MP_GROUP_READ;
    } else if (!mp_builds_add(builds, digest, dictionary, &error)) {
        answer->outcome = MP_GROUP_REFUSED;
    }
    answer->error = error.code ? keep_error(&error) : NULL;
    mp_digest_free(digest);
    mp_dictionary_free(dictionary);
}

void mp_groups_compare(const mp_file_groups *groups, const mp_question *question,
                       const mp_reading *reading, mp_diagnostics *diagnostics, mp_answers *answers)
{
    mp_error error = {0};
    *answers = (mp_answers){.groups = mp_alloc_zero(groups->count, sizeof *answers->groups),
                            .count = groups->count};
    mp_builds *builds = &answers->builds;
    for (size_t i = 0; i < groups->count; i++) {
        add_build(&groups->items[i], question, reading, diagnostics, builds, &answers->groups[i]);
        if (answers->groups[i].outcome == MP_GROUP_REFUSED)
            return;
    }
    if (!builds->count)
        return;
    mp_request request = mp_question_request(question, NULL, diagnostics, builds->dictionary, NULL);
    answers->document = mp_document_new(question->report->name);
    answers->document->exact_bytes = reading->exact_bytes;
    if (mp_trend_answer(&request, builds, answers->document, &error))
        return;
    mp_document_free(answers->document);
    answers->document = NULL;
    mp_group_answer *last = &answers->groups[groups->count - 1];
    free(last->error);
    last->error = keep_error(&error);
}
