#include "cli/print.h"

#include <stdlib.h>
#include <string.h>

#include "cli/browse_ask.h"
#include "cli/command_line.h"
#include "cli/fits.h"
#include "cli/pager.h"

/* Return the command line of the document's next command, with the options and files of this run;
 * NULL if there is none. If files were read separately, the command is about the file with the
 * worst leak. If there are many files, FILE... stands for them, because their names would hide the
 * command. */
static char *next_command(const cli_options *options, const mp_document *document)
{
    enum { MOST_FILES = 6 };
    cli_options next = *options;
    next.operand = document->next_operand;
    const char *file = document->verdict.file;
    if (!document->files || !file || !cli_is_input(file))
        file = next.path_count > MOST_FILES ? "FILE..." : NULL;
    if (file) {
        next.paths = &file;
        next.path_count = 1;
    }
    const cli_command *command =
        document->next ? cli_command_find(options, document->next, strlen(document->next)) : NULL;
    if (!command)
        return NULL;
    next.command = *command;
    return cli_command_line(&next);
}

int cli_put_document(const cli_options *options, const mp_document *document,
                     const mp_diagnostics *diagnostics)
{
    mp_output output;
    mp_style style = cli_style(options->colour, options->width, options->output != NULL);
    for (size_t i = 0; i < options->pair_count; i++)
        if (strcmp(options->pairs[i].name, "limit") == 0)
            style.whole = strcmp(options->pairs[i].text, "0") == 0;
    style.brief = options->brief;
    mp_error error = {0};
    cli_pager pager = {0};
    if (!cli_output_spares(&options->reading.load, options->output, NULL, 0))
        return CLI_USAGE;
    if (!cli_output_open(&output, options->output))
        return CLI_UNREADABLE;
    char *command = cli_command_line(options);
    /* before the pager is started */
    char *around = document->files ? NULL : cli_browse_instead(options);
    char *next = next_command(options, document);
    if (cli_is_for_people(options) && !options->no_pager)
        cli_pager_begin(&pager);
    style.command = command;
    style.next = next;
    style.around = around;
    bool rendered = options->renderer->render(document, diagnostics, &style, output.file, &error);
    MP_FREE(command, around, next);
    cli_pager_end(&pager);
    if (!rendered)
        cli_put_error(&error);
    if (!cli_output_close(&output, rendered))
        return CLI_UNREADABLE;
    return rendered ? CLI_OK : CLI_USAGE;
}

/* If --chart was given, write the picture of the answer. Return the exit status. */
static int put_chart(const cli_options *options, const mp_document *document,
                     const mp_diagnostics *diagnostics)
{
    mp_output output;
    mp_error error = {0};
    if (!options->chart)
        return CLI_OK;
    if (!cli_output_open(&output, options->chart))
        return CLI_UNREADABLE;
    mp_style style = cli_style(options->colour, options->width, true);
    bool drawn =
        mp_renderer_find("svg")->render(document, diagnostics, &style, output.file, &error);
    if (!drawn)
        cli_put_error(&error);
    if (!cli_output_close(&output, drawn))
        return CLI_UNREADABLE;
    return drawn ? CLI_OK : CLI_USAGE;
}

/* If the format does not show the rules, print a summary of them on standard error. */
static void put_verdicts(const mp_document *document, const mp_diagnostics *diagnostics)
{
    const mp_checks checks = mp_checks_of(document, diagnostics, "--", document->arena);
    const char *text = mp_checks_summary(&checks, document->arena);
    cli_put_message(mp_arena_format(document->arena, "gate: %s", text));
}

/* Warn on standard error that the selection matches nothing. CSV has no place for this warning. */
static void warn_of_nothing(const cli_options *options, const mp_document *document)
{
    if (!document->fits_nothing || document->files || options->quiet ||
        strcmp(options->renderer->name, "csv") != 0)
        return;
    for (size_t i = 0; i < document->said_count; i++)
        if (document->said[i].tone == MP_TONE_WARNING)
            cli_put_message(
                mp_arena_format(document->arena, "warning: %s", document->said[i].text));
}

/* Print the first line of the summary on standard error if the format does not show it. A limit
 * that is exceeded says the same. */
static void put_receipt(const cli_options *options, const mp_document *document)
{
    if (options->renderer->needs_receipt && document->said_count && !document->failed &&
        !options->quiet)
        cli_put_message(mp_arena_format(document->arena, "%s: %s", document->said[0].label,
                                        document->said[0].text));
}

int cli_put_answer(const cli_options *options, const mp_document *document,
                   const mp_diagnostics *diagnostics)
{
    int status = cli_output_spares(&options->reading.load, options->chart, NULL, 0)
                     ? cli_put_document(options, document, diagnostics)
                     : CLI_USAGE;
    if (status == CLI_OK)
        status = put_chart(options, document, diagnostics);
    if (status == CLI_OK)
        put_receipt(options, document);
    warn_of_nothing(options, document);
    for (size_t i = 0; i < document->check_count; i++) {
        const mp_check *check = &document->checks[i];
        bool warns = check->verdict == MP_VERDICT_PASS && *check->warning && !options->quiet;
        const char *text = mp_limit_text(document->arena, check, check->line ? "" : "--");
        if (!check->line && check->verdict != MP_VERDICT_PASS)
            cli_put_message(text);
        else if (warns && !(check->line && cli_is_for_people(options)))
            cli_put_message(mp_arena_format(document->arena, "warning: %s", text));
    }
    /* an error is printed in place of an answer */
    bool unjudged = document->unjudged && !document->failed;
    if (document->policy && (unjudged || (document->failed && !cli_is_for_people(options))))
        put_verdicts(document, diagnostics);
    if (status == CLI_OK && (document->failed || document->unjudged))
        status = document->failed ? CLI_EXCEEDED : CLI_UNREADABLE;
    return status;
}
