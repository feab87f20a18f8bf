#include "cli/run.h"

#include <unistd.h>

#include "cli/operands.h"
#include "cli/print.h"
#include "cli/sandbox.h"

/* --- the session --- */

static size_t kept_of_each_code(const cli_options *options)
{
    enum { KEPT = 5, KEPT_VERBOSE = 100, KEPT_ALL = 10000 };
    const mp_report *report = options->command.report;
    return report && report->tells_faults ? KEPT_ALL : options->verbose ? KEPT_VERBOSE : KEPT;
}

mp_diagnostics *cli_diagnostics_new(const cli_options *options)
{
    mp_diagnostics *diagnostics = mp_diagnostics_new(kept_of_each_code(options));
    mp_diagnostics_spell(diagnostics, "--");
    return diagnostics;
}

void cli_session_begin(cli_session *session, const cli_options *options)
{
    session->session = (mp_session){
        .reading = options->reading, .kept = kept_of_each_code(options), .dashes = "--"};
    for (size_t i = 0; i < options->path_count; i++)
        mp_argument_texts_add(&session->session.paths, options->paths[i]);
    cli_progress_begin(&session->bar, options->quiet);
    mp_session_watch(&session->session, session->bar.progress.advance, &session->bar);
    mp_session_begin(&session->session);
}

void cli_session_end(cli_session *session)
{
    mp_session_end(&session->session);
}

int cli_session_find(cli_session *session, const cli_options *options)
{
    const char *const outputs[] = {options->output, options->chart, options->export_path};
    const mp_load_options *how = &options->reading.load;
    mp_session *state = &session->session;
    mp_session_find(state, options->command.report, mp_question_judges(&options->question));
    cli_progress_end(&session->bar);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        for (size_t k = 0; k < state->groups.count; k++)
            for (size_t l = 0; l < state->groups.items[k].count; l++)
                if (!cli_output_spares(how, outputs[i], &state->groups.items[k].files[l].name, 1))
                    return CLI_USAGE;
    return CLI_OK;
}

static int refuse_many(const mp_session *session, const cli_options *options)
{
    mp_error error = {0};
    mp_session_refuse_many(session, options->command.name, &error);
    cli_put_error(&error);
    return CLI_USAGE;
}

int cli_session_read(cli_session *session, const cli_options *options, const mp_load_options *needs,
                     bool *complete)
{
    mp_session *state = &session->session;
    int status = cli_session_find(session, options);
    if (status == CLI_OK && state->groups.count > 1)
        status = refuse_many(state, options);
    *complete = status == CLI_OK && state->groups.count && mp_session_read(state, needs);
    cli_progress_end(&session->bar);
    cli_put_diagnostics(state->diagnostics, options->quiet, true);
    return status == CLI_OK && !mp_session_is_askable(state) ? CLI_UNREADABLE : status;
}

/* --- statuses --- */

int cli_status_of(int status, const mp_diagnostics *diagnostics)
{
    bool missing = mp_diagnostics_count(diagnostics, MP_DIAG_NO_SNAPSHOT) > 0;
    return status == CLI_UNREADABLE && missing ? CLI_USAGE : status;
}

int cli_read_beside(cli_options *options)
{
    mp_question *question = &options->question;
    const mp_argument_texts *suppressions = &question->suppression_paths;
    const mp_load_options *how = &options->reading.load;
    const char *const others[] = {question->base, question->rules ? NULL : question->policy_path};
    mp_error error = {0};
    const char *const outputs[] = {options->output, options->chart, options->export_path};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (!cli_output_spares(how, outputs[i], others, sizeof others / sizeof *others) ||
            !cli_output_spares(how, outputs[i], suppressions->items, suppressions->count))
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

const int cli_outcome_statuses[] = {
    [MP_GROUP_READ] = CLI_OK, [MP_GROUP_REFUSED] = CLI_USAGE, [MP_GROUP_UNREAD] = CLI_UNREADABLE};

/* --- answers --- */

int cli_put_refusals(const mp_answers *answers, const mp_file_groups *groups)
{
    const int *statuses = cli_outcome_statuses;
    int status = CLI_OK, reading = CLI_OK;
    for (size_t i = 0; i < answers->count; i++) {
        const mp_group_answer *answer = &answers->groups[i];
        const mp_error *error = answer->error;
        char line[1024], message[2048];
        reading = statuses[answer->outcome] > reading ? statuses[answer->outcome] : reading;
        if (!error || (answers->document && answer->passed_over))
            continue;
        snprintf(message, sizeof message, "%s: %s", groups->items[i].name,
                 mp_error_line(error, "--", line, sizeof line));
        if (answers->merged && !answer->of_file)
            cli_put_message(message);
        else
            cli_put_error(error);
        if (status != CLI_USAGE)
            status = answer->of_file                 ? statuses[answer->outcome]
                     : error->code == MP_ERROR_INPUT ? CLI_UNREADABLE
                                                     : CLI_USAGE;
    }
    return status != CLI_OK ? status : reading;
}

void cli_put_findings(const cli_options *options, const mp_session *session,
                      const mp_answers *answers)
{
    const mp_document *document = answers->document;
    bool violations = !options->command.report->tells_faults;
    if (answers->merged && !options->verbose)
        cli_put_diagnostic_kinds(session->diagnostics, options->quiet, violations);
    else
        cli_put_diagnostics(session->diagnostics, options->quiet, violations);
    if (document && answers->merged && document->fits_nothing)
        cli_put_message("nothing in the files matches the filters; a pattern matches a whole name, "
                        "*NAME* a part of it");
    else if (document && answers->merged && document->misfit)
        cli_put_message(document->misfit);
}

static int put_answers(const cli_options *options, const mp_session *session,
                       const mp_answers *answers)
{
    int status = CLI_UNREADABLE;
    /* People get the answer first. In a pipe the answer comes last, because the reader may end the
     * program as soon as it has enough. */
    const bool last = answers->document && cli_is_for_people(options) && isatty(STDOUT_FILENO);
    if (!last)
        cli_put_findings(options, session, answers);
    if (answers->document)
        status = cli_put_answer(options, answers->document, session->diagnostics);
    if (last)
        cli_put_findings(options, session, answers);
    int refused = cli_put_refusals(answers, &session->groups);
    bool wins = refused == CLI_USAGE || (refused == CLI_UNREADABLE && status != CLI_USAGE);
    return wins ? refused : status;
}

bool cli_ask(cli_session *session, const cli_options *options, const mp_question *question,
             mp_answers *answers)
{
    mp_error error = {0};
    const mp_merge_style style = {.rows = options->merged_rows,
                                  .for_people = !options->renderer->for_programs,
                                  .packed = !options->renderer->command,
                                  .single = options->command.report->single || options->chart};
    bool asked = mp_session_answer(&session->session, question, &style, answers, &error);
    cli_progress_end(&session->bar);
    if (!asked)
        cli_put_error(&error);
    return asked;
}

/* Ask the command's question, and print the answer. Return the exit status. */
static int ask(cli_session *session, const cli_options *options)
{
    mp_answers answers;
    if (!cli_ask(session, options, &options->question, &answers))
        return CLI_USAGE;
    int status = put_answers(options, &session->session, &answers);
    mp_answers_free(&answers);
    return status;
}

/* Answer a question that needs no recording. Return the exit status. */
static int answer_without_input(const cli_options *options)
{
    mp_diagnostics *diagnostics = cli_diagnostics_new(options);
    mp_document *document = mp_document_new(options->command.name);
    options->command.report->without_input(options->question.arguments, document);
    const int status = cli_put_document(options, document, diagnostics);
    mp_document_free(document);
    mp_diagnostics_free(diagnostics);
    return status;
}

int cli_answer(cli_session *session, const cli_options *options)
{
    const mp_session *state = &session->session;
    int status;
    if (state->groups.count) {
        status = ask(session, options);
        if (!state->found && status != CLI_USAGE)
            status = CLI_UNREADABLE;
    } else {
        cli_put_diagnostics(state->diagnostics, options->quiet, true);
        status = CLI_UNREADABLE;
    }
    return cli_status_of(status, state->diagnostics);
}

int cli_report(cli_options *options)
{
    cli_session session;
    if (!options->path_count)
        return answer_without_input(options);
    cli_sandbox_enter(options);
    if (!cli_operands_order(options))
        return CLI_USAGE;
    cli_session_begin(&session, options);
    int status = cli_read_beside(options);
    options->question.draws = options->renderer->draws || options->chart;
    if (status == CLI_OK)
        status = cli_session_find(&session, options);
    if (status == CLI_OK)
        status = cli_answer(&session, options);
    cli_session_end(&session);
    return status;
}
