/* Reports over many files: each group of files is read and asked on its own, as many at once as
 * there are processors; the answers are merged in the order of the groups. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diagnose.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/console.h"
#include "cli/run.h"
#include "document/merge.h"

/* What became of a group. */
typedef struct cli_answer {
    mp_diagnostics *diagnostics;
    mp_document *document; /* NULL: there is no answer */
    mp_error error;        /* why the report refused; of code MP_ERROR_NONE: it did not */
    bool unreadable;
} cli_answer;

/* What all threads share; what changes is changed under the lock. */
typedef struct cli_work {
    const cli_options *options;
    const cli_files *files;
    const cli_groups *groups;
    cli_answer *answers;
    pthread_mutex_t lock;
    size_t next; /* the group that is taken next */
    cli_progress bar;
    uint64_t done, total; /* bytes */
} cli_work;

/* --- progress --- */

/* How far one group is. Files are looked at before they are read: a file that starts again is not
 * counted twice, as only the farthest counts. */
typedef struct cli_advance {
    cli_work *work;
    const char *path;
    uint64_t done; /* of this file */
} cli_advance;

static void advance(void *opaque, const char *path, uint64_t done, uint64_t total)
{
    cli_advance *own = opaque;
    cli_work *work = own->work;
    (void)total;
    if (own->path != path) {
        own->path = path;
        own->done = 0;
    }
    if (done <= own->done)
        return;
    pthread_mutex_lock(&work->lock);
    work->done += done - own->done;
    own->done = done;
    if (work->done > work->total)
        work->done = work->total;
    cli_progress_advance(&work->bar, "all files", work->done, work->total);
    pthread_mutex_unlock(&work->lock);
}

static uint64_t bytes_of(const cli_groups *groups)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < groups->count; i++)
        for (size_t j = 0; j < groups->at[i].path_count; j++) {
            struct stat status;
            if (stat(groups->at[i].paths[j], &status) == 0 && S_ISREG(status.st_mode))
                bytes += (uint64_t)status.st_size;
        }
    return bytes;
}

/* --- one group --- */

static void ask(const cli_work *work, const cli_options *how, mp_request *request, bool found,
                cli_answer *answer)
{
    const mp_report *report = how->command.report;
    if (found && !mp_report_answers(report, request, &answer->error)) {
        char line[1024];
        mp_error_line(&answer->error, "--", line, sizeof line);
        const char *advice = strstr(line, ": try "); /* it is the same for each file */
        size_t length = advice ? (size_t)(advice - line) : strlen(line);
        mp_diagnose(answer->diagnostics, MP_DIAG_NO_ANSWER, how->paths[0], 0, "passed over: %.*s",
                    (int)length, line);
        return;
    }
    answer->document = mp_document_new(report->name);
    answer->document->exact_bytes = work->options->exact_bytes;
    if (mp_report_run(report, request, answer->document, &answer->error))
        return;
    mp_document_free(answer->document);
    answer->document = NULL;
}

static void run_group(cli_work *work, size_t place)
{
    const cli_group *group = &work->groups->at[place];
    cli_answer *answer = &work->answers[place];
    cli_options how = *work->options;
    cli_advance own = {.work = work};
    mp_progress progress = {advance, &own};
    how.paths = group->paths;
    how.path_count = group->path_count;
    how.load.progress = &progress;
    answer->diagnostics = mp_diagnostics_new(cli_kept(&how));
    mp_model *model = mp_model_new();
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_digest *base = NULL;
    /* What is wrong with the base is told once. */
    mp_diagnostics *unheard = mp_diagnostics_new(1);
    bool ok = cli_load_base(&how, place ? unheard : answer->diagnostics, work->files, dictionary,
                            &base) == CLI_OK;
    ok = ok && cli_load(&how, model, answer->diagnostics);
    if (cli_has_anything(model)) {
        mp_request request = cli_request(&how, model, answer->diagnostics, work->files);
        request.dictionary = dictionary;
        request.base = base;
        ok &= !how.strict || cli_is_whole(model, answer->diagnostics);
        ask(work, &how, &request, group->found, answer);
    } else {
        ok = false;
    }
    answer->unreadable = !ok;
    mp_diagnostics_free(unheard);
    mp_digest_free(base);
    mp_dictionary_free(dictionary);
    mp_model_free(model);
}

/* --- all of them --- */

static void *run_groups(void *opaque)
{
    cli_work *work = opaque;
    for (;;) {
        pthread_mutex_lock(&work->lock);
        size_t place = work->next;
        work->next += place < work->groups->count;
        pthread_mutex_unlock(&work->lock);
        if (place == work->groups->count)
            return NULL;
        run_group(work, place);
    }
}

static size_t jobs_of(const cli_options *options, size_t groups)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t jobs = options->jobs ? (size_t)options->jobs : processors > 0 ? (size_t)processors : 1;
    return jobs < groups ? jobs : groups;
}

/* This thread is one of them; where there are no more, it does the work of all. */
static void run_all(cli_work *work)
{
    size_t jobs = jobs_of(work->options, work->groups->count), started = 0;
    pthread_t *threads = mp_alloc(jobs * sizeof *threads);
    pthread_mutex_init(&work->lock, NULL);
    cli_progress_begin(&work->bar, work->options->quiet);
    while (started + 1 < jobs && pthread_create(&threads[started], NULL, run_groups, work) == 0)
        started++;
    run_groups(work);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    cli_progress_end(&work->bar);
    pthread_mutex_destroy(&work->lock);
    free(threads);
}

/* --- the answers as one --- */

static void put_title(mp_document *document, const cli_groups *groups, size_t answered)
{
    bool agents = false;
    for (size_t i = 0; i < groups->count; i++)
        agents |= groups->at[i].agent;
    const char *what = answered == 1 ? agents ? "agent or recording" : "recording"
                       : agents      ? "agents or recordings, each on its own"
                                     : "recordings, each on its own";
    document->title = mp_document_text(document, "%s%s%zu %s", groups->folder ? groups->folder : "",
                                       groups->folder ? ": " : "", answered, what);
}

/* Print the merged document; gives the exit status. `parts`: at least one. */
static int put_merged(const cli_options *options, const cli_groups *groups, const mp_part *parts,
                      size_t count, const mp_diagnostics *diagnostics)
{
    const mp_report *report = options->command.report;
    int64_t rows = options->view.limit;
    mp_merging how = {.rows = rows < 0 ? mp_report_rows(report) : (size_t)rows,
                      .overview = report->overview};
    mp_document *document = mp_documents_merge(parts, count, &how);
    put_title(document, groups, count);
    int status = cli_put_answer(options, document, diagnostics);
    mp_document_free(document);
    return status;
}

/* Refusals are told, each with its file. A group that was found and has no answer to such a
 * question is passed over, unless none has one. */
static bool put_refusals(const cli_work *work, bool answered)
{
    bool refused = false;
    for (size_t i = 0; i < work->groups->count; i++) {
        const cli_answer *answer = &work->answers[i];
        const char *name = work->groups->at[i].name;
        char line[1024], message[2048];
        if (!answer->error.code ||
            (answered && mp_diagnostics_count(answer->diagnostics, MP_DIAG_NO_ANSWER)))
            continue;
        snprintf(message, sizeof message, "%s: %s", name,
                 mp_error_line(&answer->error, "--", line, sizeof line));
        cli_put_message(message);
        refused = true;
    }
    return refused;
}

static int put_answers(const cli_work *work, mp_diagnostics *diagnostics)
{
    const cli_options *options = work->options;
    size_t count = 0;
    bool unreadable = false;
    mp_part *parts = mp_alloc((work->groups->count + 1) * sizeof *parts);
    for (size_t i = 0; i < work->groups->count; i++) {
        const cli_answer *answer = &work->answers[i];
        mp_diagnostics_append(diagnostics, answer->diagnostics);
        unreadable |= answer->unreadable;
        if (answer->document)
            parts[count++] = (mp_part){work->groups->at[i].name, answer->document};
    }
    cli_put_diagnostics(diagnostics, options->quiet, !cli_checks(options));
    int status =
        count ? put_merged(options, work->groups, parts, count, diagnostics) : CLI_UNREADABLE;
    if (put_refusals(work, count > 0))
        status = CLI_USAGE;
    else if (unreadable && status != CLI_USAGE)
        status = CLI_UNREADABLE;
    free(parts);
    return status;
}

int cli_refuse_many(const cli_options *options, const cli_groups *groups)
{
    char message[1024];
    snprintf(message, sizeof message,
             "%s is about one recording, not about %zu that are read apart, %s and others: name "
             "one, or --group all to read them as one",
             options->command.name, groups->count, groups->at[0].name);
    cli_put_message(message);
    return CLI_USAGE;
}

int cli_run_many(const cli_options *options, const cli_files *files, const cli_groups *groups,
                 mp_diagnostics *diagnostics)
{
    cli_work work = {
        .options = options, .files = files, .groups = groups, .total = bytes_of(groups)};
    if (options->command.report->single)
        return cli_refuse_many(options, groups);
    if (options->base && groups->count > 1 && cli_is_stream(options->base)) {
        cli_put_message("the base is read anew for each recording, expected a file, not a stream");
        return CLI_USAGE;
    }
    work.answers = mp_alloc_zero(groups->count, sizeof *work.answers);
    run_all(&work);
    int status = put_answers(&work, diagnostics);
    for (size_t i = 0; i < groups->count; i++) {
        mp_diagnostics_free(work.answers[i].diagnostics);
        mp_document_free(work.answers[i].document);
    }
    free(work.answers);
    return status;
}
