/* Each group of files is read and asked on its own, as many at once as there are processors. The
 * answers of groups that are read apart are merged in the order of the groups. */
#include "cli/run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diagnose.h"
#include "base/memory.h"
#include "cli/console.h"
#include "cli/print.h"
#include "cli/sandbox.h"
#include "document/merge.h"
#include "session/beside.h"

/* What became of a group. */
typedef struct cli_answer {
    mp_diagnostics *diagnostics; /* until it is settled */
    mp_document *document;       /* the same; NULL: there is no answer */
    mp_error *error;             /* why the report refused; NULL: it did not */
    bool no_base;                /* and that is why: what the recording is held against */
    bool passed_over;            /* it was found in a folder and has no answer to such a question */
    bool done;
    int status; /* of reading; CLI_USAGE after a message */
} cli_answer;

/* What all threads share; what changes is changed under the lock. */
typedef struct cli_work {
    const cli_options *options;
    const mp_file_groups *groups;
    bool merges; /* even one answer is one of several */
    cli_answer *answers;
    pthread_mutex_t lock;
    const size_t *turns; /* the groups in the order in which they are read */
    size_t next;         /* of those, the one that is taken next */
    size_t settled;      /* so many answers, in the order of the groups, are in the two below */
    mp_diagnostics *diagnostics;
    /* What is wrong with an archive that the groups are of: what is behind it is not there. */
    mp_diagnostic torn;
    bool is_torn;
    mp_pile pile;
    cli_progress bar;
    uint64_t done, total; /* bytes */
} cli_work;

/* --- reading --- */

mp_reading cli_reading(const cli_options *options, cli_progress *bar)
{
    mp_reading reading = options->reading;
    cli_progress_begin(bar, options->quiet);
    reading.load.progress = &bar->progress;
    return reading;
}

bool cli_load(const cli_options *options, const mp_file_group *group, mp_model *model,
              mp_diagnostics *diagnostics)
{
    cli_progress bar;
    const mp_reading reading = cli_reading(options, &bar);
    bool ok = mp_file_group_load(group, &reading.load, model, diagnostics);
    cli_progress_end(&bar);
    return ok;
}

bool cli_find(const cli_options *options, mp_file_groups *groups, mp_diagnostics *diagnostics)
{
    cli_progress bar;
    const mp_reading reading = cli_reading(options, &bar);
    bool found = mp_file_groups_find(groups, options->paths, options->path_count, &reading,
                                     options->command.report, diagnostics);
    cli_progress_end(&bar);
    return found;
}

bool cli_groups_spared(const mp_file_groups *groups, const char *output)
{
    for (size_t i = 0; i < groups->count; i++)
        for (size_t k = 0; k < groups->at[i].count; k++)
            if (!cli_output_spares(output, &groups->at[i].files[k].name, 1))
                return false;
    return true;
}

mp_diagnostics *cli_diagnostics_new(const cli_options *options)
{
    enum { KEPT = 5, KEPT_VERBOSE = 100, KEPT_ALL = 10000 };
    const mp_report *report = options->command.report;
    mp_diagnostics *diagnostics = mp_diagnostics_new(report && report->tells_faults ? KEPT_ALL
                                                     : options->verbose             ? KEPT_VERBOSE
                                                                                    : KEPT);
    mp_diagnostics_spell(diagnostics, "--");
    return diagnostics;
}

int cli_status_of(int status, const mp_diagnostics *diagnostics)
{
    bool missing = mp_diagnostics_count(diagnostics, MP_DIAG_NO_SNAPSHOT) > 0;
    return status == CLI_UNREADABLE && missing ? CLI_USAGE : status;
}

int cli_read_beside(cli_options *options)
{
    mp_question *question = &options->question;
    const mp_argument_texts *suppressions = &question->suppression_paths;
    const char *const others[] = {question->base, question->rules ? NULL : question->policy_path};
    mp_error error = {0};
    const char *const outputs[] = {options->output, options->chart, options->export_path};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (!cli_output_spares(outputs[i], others, sizeof others / sizeof *others) ||
            !cli_output_spares(outputs[i], suppressions->at, suppressions->count))
            return CLI_USAGE;
    if (mp_question_read(question, &error))
        return CLI_OK;
    const mp_policy *policy = question->policy;
    for (size_t i = 0; policy && i < policy->fault_count && i < MP_POLICY_FAULTS; i++)
        cli_put_error(&policy->faults[i]);
    if (policy && policy->fault_count > MP_POLICY_FAULTS)
        cli_put_fault(policy->path, "and %zu more; is it a policy?",
                      policy->fault_count - MP_POLICY_FAULTS);
    if (!policy)
        cli_put_error(&error);
    return error.code == MP_ERROR_INPUT ? CLI_UNREADABLE : CLI_USAGE;
}

int cli_put_refusal(const mp_error *error)
{
    if (error->code)
        cli_put_error(error);
    return error->code && !error->path ? CLI_USAGE : CLI_UNREADABLE;
}

/* --- progress of several groups --- */

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
    work->bar.progress.advance(&work->bar, "all files", work->done, work->total);
    pthread_mutex_unlock(&work->lock);
}

static uint64_t bytes_of(const mp_file_groups *groups)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < groups->count; i++)
        for (size_t j = 0; j < groups->at[i].count; j++) {
            struct stat status;
            if (stat(groups->at[i].files[j].path, &status) == 0 && S_ISREG(status.st_mode))
                bytes += (uint64_t)status.st_size;
        }
    return bytes;
}

/* --- asking --- */

static mp_error *keep_error(const mp_error *error)
{
    mp_error *kept = mp_alloc(sizeof *kept);
    *kept = *error;
    return kept;
}

static void ask(const cli_work *work, const mp_file_group *group, const mp_request *request,
                cli_answer *answer)
{
    const mp_report *report = work->options->command.report;
    mp_error error = {0};
    if (work->merges && group->found && !mp_report_answers(report, request, &error)) {
        mp_error why = error;
        char line[1024];
        answer->error = keep_error(&error);
        *why.advice = '\0'; /* it is the same for each file */
        mp_diagnose(answer->diagnostics, MP_DIAG_NO_ANSWER, group->files[0].name, 0, "skipped: %s",
                    mp_error_line(&why, "--", line, sizeof line));
        answer->passed_over = true;
        return;
    }
    answer->document = mp_document_new(report->name);
    answer->document->exact_bytes = work->options->exact_bytes;
    answer->document->draws = request->draws;
    if (mp_report_run(report, request, answer->document, &error))
        return;
    answer->error = error.code ? keep_error(&error) : NULL;
    mp_document_free(answer->document);
    answer->document = NULL;
}

/* Read what the group is held against, if anything. False with the answer's status. */
static bool read_base(const cli_options *options, const mp_reading *reading, bool first,
                      mp_diagnostics *diagnostics, mp_dictionary *dictionary, mp_digest **base,
                      cli_answer *answer)
{
    mp_error error = {0};
    if (!options->question.base)
        return true;
    *base = mp_base_digest(&options->question, reading, dictionary, diagnostics, &error);
    if (*base)
        return true;
    answer->status = error.code && !error.path ? CLI_USAGE : CLI_UNREADABLE;
    answer->no_base = true;
    answer->error = first && error.code ? keep_error(&error) : NULL;
    return false;
}

static void run_group(cli_work *work, size_t place)
{
    const cli_options *options = work->options;
    const mp_file_group *group = &work->groups->at[place];
    cli_answer *answer = &work->answers[place];
    cli_advance own = {.work = work};
    const mp_progress shared = {advance, &own};
    mp_reading reading = options->reading;
    reading.load.progress = work->merges ? &shared : &work->bar.progress;
    mp_model *model = mp_model_new();
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_digest *base = NULL;
    answer->diagnostics = work->merges ? cli_diagnostics_new(options) : work->diagnostics;
    /* What is wrong with the base is told once. */
    mp_diagnostics *unheard = mp_diagnostics_new(1);
    if (read_base(options, &reading, !place, place ? unheard : answer->diagnostics, dictionary,
                  &base, answer)) {
        bool ok = mp_file_group_load(group, &reading.load, model, answer->diagnostics);
        if (!mp_model_is_usable(model)) {
            ok = false;
        } else {
            mp_request request = mp_question_request(&options->question, model, answer->diagnostics,
                                                     dictionary, base);
            request.one_of_many = work->merges;
            if (!request.torn)
                request.torn =
                    work->is_torn ? &work->torn : mp_question_torn(&options->question, unheard);
            ok &= !reading.strict || mp_model_is_whole(model, answer->diagnostics);
            ask(work, group, &request, answer);
        }
        answer->status = ok ? CLI_OK : CLI_UNREADABLE;
    }
    mp_diagnostics_free(unheard);
    mp_digest_free(base);
    mp_dictionary_free(dictionary);
    mp_model_free(model);
}

/* Under the lock: take over the answers whose turn it is. Of many files only that stays in memory
 * which will be printed. */
static void settle(cli_work *work)
{
    for (; work->settled < work->groups->count; work->settled++) {
        cli_answer *answer = &work->answers[work->settled];
        if (!answer->done)
            return;
        if (work->merges) {
            mp_diagnostics_append(work->diagnostics, answer->diagnostics);
            mp_diagnostics_free(answer->diagnostics);
        }
        if (answer->document)
            mp_pile_add(&work->pile, work->groups->at[work->settled].name, answer->document);
        answer->diagnostics = NULL;
        answer->document = NULL;
    }
}

static void *run_groups(void *opaque)
{
    cli_work *work = opaque;
    pthread_mutex_lock(&work->lock);
    while (work->next < work->groups->count) {
        size_t place = work->turns[work->next++];
        pthread_mutex_unlock(&work->lock);
        run_group(work, place);
        pthread_mutex_lock(&work->lock);
        cli_answer *answer = &work->answers[place];
        /* What one kind of answer alone is printed by are the structs of its rows. */
        if (answer->document && work->merges && !work->options->renderer->command)
            mp_pile_pack(&work->pile, answer->document);
        answer->done = true;
        settle(work);
    }
    pthread_mutex_unlock(&work->lock);
    return NULL;
}

/* This thread counts as one of the jobs; if no other can be started it does everything. */
static void run_all(cli_work *work)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t jobs = work->options->jobs ? (size_t)work->options->jobs
                  : processors > 0    ? (size_t)processors
                                      : 1;
    if (jobs > work->groups->count)
        jobs = work->groups->count;
    size_t started = 0;
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

/* --- printing --- */

/* Say that what was selected is in none of many files, perhaps as it is misspelt; limits are then
 * not judged. */
static void warn_of_nothing(mp_document *document)
{
    if (!document->fits_nothing)
        return;
    cli_put_message("nothing in the files matches the filters; a pattern matches a whole name, "
                    "*NAME* a part of it");
    document->unjudged |= document->check_count > 0;
}

/* Print several answers, at least one, as one. */
static int put_merged(const cli_work *work)
{
    const mp_file_groups *groups = work->groups;
    size_t count = work->pile.count;
    mp_document *document = mp_documents_merge(work->pile.parts, count, &work->pile.how);
    bool agents = false;
    for (size_t i = 0; i < groups->count; i++)
        agents |= groups->at[i].agent;
    const char *what = count == 1 ? agents ? "agent or recording" : "recording"
                       : agents   ? "agents or recordings, each separately"
                                  : "recordings, each separately";
    document->title = mp_document_text(document, "%s%s%zu %s", groups->folder ? groups->folder : "",
                                       groups->folder ? ": " : "", count, what);
    warn_of_nothing(document);
    int status = cli_put_answer(work->options, document, work->diagnostics);
    mp_document_free(document);
    return status;
}

/* Report why there is no answer, by file if there are several. Mention skipped groups only if none
 * has an answer. Gives the status that they ask for; CLI_OK: there is nothing to tell. */
static int put_refusals(const cli_work *work, bool answered)
{
    int status = CLI_OK;
    for (size_t i = 0; i < work->groups->count; i++) {
        const cli_answer *answer = &work->answers[i];
        char line[1024], message[2048];
        if (!answer->error || (answered && answer->passed_over))
            continue;
        snprintf(message, sizeof message, "%s: %s", work->groups->at[i].name,
                 mp_error_line(answer->error, "--", line, sizeof line));
        if (work->merges && !answer->no_base)
            cli_put_message(message);
        else
            cli_put_error(answer->error);
        if (answer->no_base)
            return answer->status;
        if (status != CLI_USAGE)
            status = answer->error->code == MP_ERROR_INPUT ? CLI_UNREADABLE : CLI_USAGE;
    }
    return status;
}

static int put_answers(const cli_work *work)
{
    const cli_options *options = work->options;
    const mp_diagnostics *diagnostics = work->diagnostics;
    size_t count = work->pile.count;
    int status = CLI_UNREADABLE, reading = CLI_OK;
    for (size_t i = 0; i < work->groups->count; i++)
        if (work->answers[i].status > reading)
            reading = work->answers[i].status;
    bool violations = !options->command.report->tells_faults;
    if (work->merges && !options->verbose)
        cli_put_diagnostic_kinds(diagnostics, options->quiet, violations);
    else
        cli_put_diagnostics(diagnostics, options->quiet, violations);
    if (count)
        status = work->merges ? put_merged(work)
                              : cli_put_answer(options, work->pile.parts[0].document, diagnostics);
    int refused = put_refusals(work, count > 0);
    if (refused != CLI_OK)
        status = refused;
    else if (reading != CLI_OK && status != CLI_USAGE)
        status = reading;
    return status;
}

int cli_refuse_many(const cli_options *options, const mp_file_groups *groups)
{
    char message[1024];
    snprintf(message, sizeof message,
             "%s takes one recording, but got %zu separate ones, %s and others; name one, or "
             "combine them with --group all",
             options->command.name, groups->count, groups->at[0].name);
    cli_put_message(message);
    return CLI_USAGE;
}

/* --- all of it --- */

static int answer_groups(const cli_options *options, const mp_file_groups *groups,
                         mp_diagnostics *diagnostics)
{
    bool single = options->command.report->single || options->chart;
    cli_work work = {.options = options,
                     .groups = groups,
                     .merges = groups->apart && !(single && groups->count == 1),
                     .total = bytes_of(groups),
                     .diagnostics = diagnostics,
                     .pile = {.for_people = !options->renderer->for_programs,
                              .how = {.rows = options->merged_rows,
                                      .overview = options->command.report->overview,
                                      .within = groups->within,
                                      .sum_up = options->command.report->sum_up}}};
    if (work.merges && single)
        return cli_refuse_many(options, groups);
    const mp_diagnostic *torn = mp_question_torn(&options->question, diagnostics);
    if ((work.is_torn = torn != NULL))
        work.torn = *torn;
    if (groups->count > 1 && options->question.base && mp_file_is_stream(options->question.base)) {
        cli_put_message("the base is read again for each recording, expected a file, not a stream");
        return CLI_USAGE;
    }
    work.answers = mp_alloc_zero(groups->count, sizeof *work.answers);
    size_t *turns = mp_file_groups_turns(groups);
    work.turns = turns;
    run_all(&work);
    int status = put_answers(&work);
    for (size_t i = 0; i < groups->count; i++)
        free(work.answers[i].error);
    mp_pile_free(&work.pile);
    free(work.answers);
    free(turns);
    return status;
}

int cli_report(cli_options *options)
{
    mp_file_groups groups;
    mp_diagnostics *diagnostics = cli_diagnostics_new(options);
    cli_sandbox_enter(options);
    int status = cli_read_beside(options);
    options->question.draws = options->renderer->draws || options->chart;
    if (status == CLI_OK) {
        bool found = cli_find(options, &groups, diagnostics);
        if (!cli_groups_spared(&groups, options->output) ||
            !cli_groups_spared(&groups, options->chart)) {
            status = CLI_USAGE;
        } else if (!groups.count) {
            cli_put_diagnostics(diagnostics, options->quiet, true);
            status = CLI_UNREADABLE;
        } else {
            status = answer_groups(options, &groups, diagnostics);
            if (!found && status != CLI_USAGE)
                status = CLI_UNREADABLE;
        }
        status = cli_status_of(status, diagnostics);
        mp_file_groups_free(&groups);
    }
    mp_diagnostics_free(diagnostics);
    return status;
}
