#include "cli/export.h"

#include <string.h>
#include <unistd.h>

#include "cli/print.h"
#include "cli/run.h"
#include "cli/sandbox.h"

/* --- the target and its arguments --- */

static bool is_among(const char *argument, const char *const *names)
{
    while (names && *names && strcmp(*names, argument) != 0)
        names++;
    return names && *names;
}

/* Return true if the target uses the argument. In this command --to is the format, so it cannot be
 * the end of a window. Comparisons have a command of their own. */
static bool is_used(const mp_target *target, const char *argument)
{
    static const char *const others[] = {"to", "base", "ignore-lines", "normalize", NULL};
    return !is_among(argument, others) &&
           !(target->renderer && is_among(argument, target->renderer->unused));
}

/* Maximum number of arguments of all targets together. */
enum { MOST = 64 };

static void add_arguments(const mp_target *target, mp_argument *rows, size_t *count)
{
    const mp_report *report = target->report;
    for (size_t i = 0; i < report->arguments.count; i++) {
        const mp_argument *row = &report->arguments.items[i];
        size_t index = 0;
        if (!is_used(target, row->name))
            continue;
        while (index < *count && strcmp(rows[index].name, row->name) != 0)
            index++;
        assert(index < MOST);
        if (index == *count)
            rows[(*count)++] = (mp_argument){.name = row->name, .offset = row->offset};
        rows[index].variants |= mp_report_kinds(report, row->variants);
    }
}

const mp_argument_table *cli_export_arguments(void)
{
    static mp_argument rows[MOST];
    static mp_argument_table table = {.items = rows};
    mp_target target;
    table.count = 0;
    for (size_t i = 0; mp_target_at(i, &target); i++)
        add_arguments(&target, rows, &table.count);
    return &table;
}

/* Remove the option from the list of given options. */
static void drop(cli_options *options, const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; i < options->pair_count; i++)
        if (strcmp(options->pairs[i].name, name) != 0)
            options->pairs[kept++] = options->pairs[i];
    options->pair_count = kept;
}

static bool choose_renderer(cli_options *options, const mp_renderer *renderer)
{
    for (size_t i = 0; i < options->pair_count; i++)
        if (strcmp(options->pairs[i].name, "format") == 0 && !options->pairs[i].origin)
            return cli_refuse(options,
                              "--to %s and --format both set the output format; use only one",
                              renderer->name);
    drop(options, "to");
    drop(options, "format"); /* the option was a default */
    options->renderer = renderer;
    options->format_named = true;
    const cli_command *shown =
        cli_command_find(options, renderer->command, strlen(renderer->command));
    if (shown)
        options->command = *shown;
    options->command.name = "export"; /* name in messages */
    return true;
}

bool cli_export_refuse(const cli_options *options, const mp_renderer *renderer)
{
    const char *names = renderer->command ? renderer->command : options->commands->name;
    const cli_command *state = cli_command_find(options, names, strcspn(names, ", "));
    const cli_option *option = cli_option_of(state, "to");
    return cli_refuse(options, "%s is an output format of a report: use memprof %s --%s %s",
                      renderer->name, state->name,
                      option && option->kind == CLI_OWN_RENDERER ? "to" : "format", renderer->name);
}

bool cli_export_choose(cli_options *options)
{
    const char *end = NULL, *output = NULL;
    mp_target target;
    for (size_t i = 0; i < options->pair_count; i++) {
        if (strcmp(options->pairs[i].name, "to") == 0)
            end = options->pairs[i].text;
        else if (strcmp(options->pairs[i].name, "output") == 0)
            output = options->pairs[i].text;
    }
    if (!end)
        return cli_refuse(options, "export needs --to FORMAT");
    bool found = mp_target_find(end, &target);
    assert(found);
    if (found && target.renderer)
        return choose_renderer(options, target.renderer);
    const mp_exporter *exporter = target.exporter;
    bool stream = !output || strcmp(output, "-") == 0;
    if (stream && exporter->in_place)
        return cli_refuse(options,
                          "export --to %s cannot write to standard output; use --output FILE", end);
    if (exporter->binary && !output)
        return cli_refuse(
            options, "%s is binary; use --output FILE, or --output - for standard output", end);
    if (exporter->binary && stream && isatty(STDOUT_FILENO))
        return cli_refuse(options,
                          "%s is binary and standard output is a terminal; use --output FILE", end);
    options->command.report = &exporter->report;
    options->command.arguments = &exporter->report.arguments;
    options->exporter = exporter;
    return true;
}

/* --- writing --- */

static int export(const cli_options *options, cli_session *state, const mp_load_options *needs)
{
    mp_error error = {0};
    mp_session *session = &state->session;
    mp_document *written = mp_session_write(session, &options->question, options->exporter,
                                            options->export_path, needs, &error);
    int status = CLI_OK;
    if (options->exporter->many) {
        cli_progress_end(&state->bar);
        if (session->groups.count > 1 && !options->verbose)
            cli_put_diagnostic_kinds(session->diagnostics, options->quiet, true);
        else
            cli_put_diagnostics(session->diagnostics, options->quiet, true);
    }
    if (!written && !error.code) {
        status = CLI_UNREADABLE;
    } else if (!written) { /* the user can change the options or the output file */
        bool usage =
            error.argument || error.code == MP_ERROR_ARGUMENT || error.code == MP_ERROR_NO_ANSWER;
        status = usage ? CLI_USAGE : CLI_UNREADABLE;
        cli_put_error(&error);
    } else if (options->export_path) {
        status = cli_put_document(options, written, session->diagnostics);
    }
    mp_document_free(written);
    return status;
}

int cli_export(cli_options *options)
{
    cli_session session;
    mp_load_options needs = options->reading.load;
    mp_reading_suit(&needs, &options->question);
    cli_session_begin(&session, options);
    needs.progress = &session.bar.progress;
    cli_sandbox_enter(options);
    bool complete = true;
    int status = cli_read_beside(options);
    if (status == CLI_OK)
        status = options->exporter->many ? cli_session_find(&session, options)
                                         : cli_session_read(&session, options, &needs, &complete);
    /* Do not write an incomplete export. */
    if (status == CLI_OK)
        status = complete ? export(options, &session, &needs) : CLI_UNREADABLE;
    status = cli_status_of(status, session.session.diagnostics);
    cli_session_end(&session);
    return status;
}
