#include "cli/prompt.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/fits.h"
#include "cli/limits.h"
#include "cli/line_input.h"
#include "cli/print.h"
#include "cli/run.h"
#include "cli/sandbox.h"

enum { LONGEST_STATEMENT = 256 * 1024, DEFAULT_ROWS = 1000 };

/* Commands of the prompt, which begin with a dot. */
static const char quit[] = "quit", schema[] = "schema";

typedef struct sql_prompt {
    cli_options *options;
    cli_session session;
    mp_question schema; /* the question that lists the tables */
    cli_completion completion;
    cli_lines lines;
    mp_text_buffer text; /* lines of an unfinished statement */
    mp_progress progress;
    int64_t until_us; /* time at which the statement must end; 0 = no limit */
    bool late;        /* the last statement ran out of time */
    bool over;
} sql_prompt;

/* If a text, quoted name or comment begins here, return its last byte; NULL if it has no end.
 * Otherwise return `text`. */
static const char *part_end(const char *text)
{
    if (*text && strchr("'\"`", *text))
        return strchr(text + 1, *text); /* a doubled quote begins the next part */
    if (*text == '[')
        return strchr(text, ']');
    if (strncmp(text, "--", 2) == 0)
        return strchr(text, '\n');
    if (strncmp(text, "/*", 2) != 0)
        return text;
    const char *end = strstr(text + 2, "*/");
    return end ? end + 1 : NULL;
}

size_t cli_statement_length(const char *text)
{
    const char *next = text;
    while (next && *next && *next != ';') {
        next = part_end(next);
        next = next ? next + 1 : NULL;
    }
    return next && *next ? (size_t)(next + 1 - text) : 0;
}

/* --- questions --- */

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

/* Let a statement run until Ctrl-C, or until its time is over (mp_progress). */
static bool advance(void *opaque, const char *path, uint64_t done, uint64_t total)
{
    sql_prompt *prompt = opaque;
    (void)path, (void)done, (void)total;
    prompt->late = prompt->until_us && now_us() > prompt->until_us;
    return !prompt->late && !cli_lines_interrupted();
}

/* Print the answer to a question. */
static void ask(sql_prompt *prompt, const mp_question *question)
{
    const cli_options *options = prompt->options;
    mp_answers answers;
    mp_load_options needs;
    mp_error error = {0};
    prompt->late = false;
    prompt->until_us = options->max_time ? now_us() + options->max_time : 0;
    if (!mp_session_find_for(&prompt->session.session, question, &needs, &error)) {
        cli_put_error(&error);
        return;
    }
    if (!cli_ask(&prompt->session, options, question, &answers))
        return;
    if (prompt->late)
        cli_put_message("the statement was stopped after the time of --max-time");
    else if (!answers.document)
        cli_put_refusals(&answers, &prompt->session.session.groups);
    if (answers.document) {
        if (cli_is_for_people(options))
            answers.document->title = NULL; /* the tables were shown at the start */
        cli_put_document(options, answers.document, prompt->session.session.diagnostics);
    }
    mp_answers_free(&answers);
}

/* --- start --- */

/* Make the question that lists the tables. It is about the same part of the recordings as the
 * statements. */
static bool begin_schema(sql_prompt *prompt)
{
    const cli_options *options = prompt->options;
    mp_error error = {0};
    mp_question_begin(&prompt->schema, options->command.report);
    cli_settle_question(&prompt->schema, options);
    bool ok = mp_question_set(&prompt->schema, "schema", "", &error);
    for (size_t i = 0; ok && i < options->pair_count; i++) {
        const cli_option *option = cli_option_of(&options->command, options->pairs[i].name);
        if (option && option->kind == CLI_ASKS && !mp_text_is(option->name, "limit"))
            ok = mp_question_set(&prompt->schema, option->name, options->pairs[i].text, &error);
    }
    if (!ok)
        cli_put_error(&error);
    return ok;
}

static mp_cell cell_in(const mp_table *table, size_t row, const char *column)
{
    return mp_table_cell(table, row, mp_column_find(table->columns, table->column_count, column));
}

/* Collect the names that can be completed. They are the tables of the recordings, their columns,
 * and words of SQL. */
static void collect_names(sql_prompt *prompt, const mp_table *tables)
{
    cli_completion *completion = &prompt->completion;
    const mp_report *report = prompt->options->command.report;
    for (size_t i = 0; i < tables->row_count; i++) {
        const mp_cell table = cell_in(tables, i, "table"), column = cell_in(tables, i, "column"),
                      available = cell_in(tables, i, "available");
        if (!available.known || available.number)
            cli_completion_add(completion, column.known ? column.text : table.text,
                               column.known ? table.text : NULL);
    }
    for (size_t i = 0; report->word(i); i++)
        cli_completion_add(completion, report->word(i), NULL);
    cli_completion_add(completion, quit, "");
    cli_completion_add(completion, schema, "");
}

/* Read the recordings: ask for the tables. Return the exit status; CLI_USAGE, after a message, if
 * there are no tables. */
static int read_recordings(sql_prompt *prompt)
{
    const cli_options *options = prompt->options;
    const mp_session *session = &prompt->session.session;
    mp_answers answers;
    prompt->session.session.reading.load.checksums = true; /* a statement may ask for checksums */
    if (!cli_ask(&prompt->session, options, &prompt->schema, &answers))
        return CLI_USAGE;
    cli_put_findings(options, session, &answers);
    const int status = cli_put_refusals(&answers, &session->groups);
    prompt->over = !answers.document;
    if (answers.document) {
        collect_names(prompt, mp_document_main_table(answers.document));
        const size_t tables = answers.document->table_count;
        answers.document->table_count = 0; /* show only its title */
        if (cli_is_for_people(options))
            cli_put_document(options, answers.document, session->diagnostics);
        answers.document->table_count = tables;
        if (cli_is_for_people(options) && !options->quiet)
            puts("End statements with a semicolon; .schema lists the tables, .quit leaves.\n");
    }
    mp_answers_free(&answers);
    return session->found ? status : CLI_UNREADABLE;
}

/* --- lines --- */

static void run_statement(sql_prompt *prompt, char *text)
{
    mp_error error = {0};
    if (!text[strspn(text, " \t\r\n;")])
        return;
    if (mp_question_set(&prompt->options->question, "statement", text, &error))
        ask(prompt, &prompt->options->question);
    else
        cli_put_error(&error);
}

/* Add a line to the text, and run the statements that are complete now. After Ctrl-C, drop all
 * other statements. */
static void take_line(sql_prompt *prompt, const char *line)
{
    mp_text_buffer *text = &prompt->text;
    size_t length;
    mp_text_put(text, line, strlen(line));
    mp_text_put(text, "\n", 1);
    char *rest = text->text;
    while (!cli_lines_interrupted() && (length = cli_statement_length(rest))) {
        char *statement = mp_copy(rest, length);
        run_statement(prompt, statement);
        free(statement);
        rest += length;
    }
    length = strlen(rest);
    if (length > LONGEST_STATEMENT)
        cli_put_message("a statement may have 256 KiB, this has more and is dropped");
    if (length > LONGEST_STATEMENT || cli_lines_interrupted() || !rest[strspn(rest, " \t\r\n")])
        length = 0;
    memmove(text->text, rest, length);
    text->length = length;
    text->text[length] = '\0';
}

static void run_command(sql_prompt *prompt, const char *line)
{
    const size_t length = strcspn(line + 1, " \t;");
    if (length && strncmp(line + 1, quit, length) == 0)
        prompt->over = true;
    else if (length && strncmp(line + 1, schema, length) == 0)
        ask(prompt, &prompt->schema);
    else
        cli_put_message("unknown command; expected .schema or .quit");
}

static void loop(sql_prompt *prompt)
{
    while (!prompt->over) {
        bool interrupted;
        const char *line = cli_lines_read(
            &prompt->lines, prompt->text.length ? "    ...> " : "memprof> ", &interrupted);
        if (interrupted)
            prompt->text.length = 0;
        else if (!line)
            prompt->over = true;
        else if (!prompt->text.length && *line == '.')
            run_command(prompt, line);
        else
            take_line(prompt, line);
    }
    if (prompt->text.length)
        cli_put_message("the last statement has no semicolon, and was not run");
}

int cli_prompt(cli_options *options)
{
    sql_prompt prompt = {.options = options};
    int64_t *limit = mp_question_limit(&options->question);
    if (limit && !cli_is_given(options, "limit"))
        *limit = DEFAULT_ROWS;
    options->no_pager = true;
    cli_session_begin(&prompt.session, options);
    cli_lines_begin(&prompt.lines, "sql_history", &prompt.completion);
    cli_sandbox_enter(options);
    int status = cli_read_beside(options);
    if (status == CLI_OK)
        status = begin_schema(&prompt) ? cli_session_find(&prompt.session, options) : CLI_USAGE;
    if (status == CLI_OK)
        status = read_recordings(&prompt);
    else
        prompt.over = true;
    cli_limits_end(); /* from here on, --max-time is the limit of each statement */
    prompt.progress = (mp_progress){advance, &prompt};
    prompt.session.session.reading.load.progress = &prompt.progress;
    loop(&prompt);
    cli_lines_end(&prompt.lines);
    cli_session_end(&prompt.session);
    cli_completion_free(&prompt.completion);
    mp_question_free(&prompt.schema);
    free(prompt.text.text);
    return status;
}
