/* What the tables of the program say, for its pages of the manual and for completions in shells:
 * run by the build, never installed.
 *
 *   memprof-tables page docs/man/memprof-leaks.1.scd    the page, with what its marks stand for
 *   memprof-tables commands                             the commands, a line each
 *   memprof-tables options leaks                        the options of a command, a line each
 *   memprof-tables columns                              the columns of answers, see below
 *
 * A mark is a line "; insert WHAT", which scdoc takes for a comment. Behind "; insert options"
 * stand texts that belong to single options, each below a line "; of --NAME". */
#include <ctype.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "document/document.h"
#include "export/formats.h"
#include "query/query.h"

/* A page, line by line, and the command that it is about. */
typedef struct page {
    const char *path;
    char **lines;
    size_t count;
    const cli_command *command; /* NULL: none */
    bool wrong;
} page;

static void complain(page *of, size_t line, const char *what, const char *name)
{
    fprintf(stderr, "%s:%zu: error: %s%s\n", of->path, line + 1, what, name);
    of->wrong = true;
}

/* --- texts --- */

/* As scdoc reads it: no letter of the text is a sign of the page's language. Names of arguments
 * stand in `backquotes`. */
static void put_text(const char *text)
{
    for (bool inside = false; *text; text++) {
        if (*text == '`') {
            fputs((inside = !inside) ? "*--" : "*", stdout);
            continue;
        }
        if (strchr("*_\\", *text))
            putchar('\\');
        putchar(*text);
    }
}

static void put_definition(const char *term, const char *text)
{
    printf("*%s*\n\t", term);
    put_text(text);
    fputs("\n\n", stdout);
}

/* --- options --- */

/* What the pages call groups of options, in their order. */
typedef enum option_group {
    OF_COMMAND,   /* its own, with limits */
    OF_FORMATS,   /* how recordings of some formats are read */
    OF_SELECTION, /* which part of a recording it is about */
    OF_ALL,       /* of all commands */
    OPTION_GROUPS,
} option_group;

static bool takes(const cli_command *command, const cli_option *option)
{
    return cli_option_of(command, option->name) == option;
}

static option_group group_of(const cli_command *command, const cli_option *option)
{
    const char *name = option->of ? option->of : option->name;
    const mp_argument *argument = mp_argument_find(command->arguments, name);
    if (mp_text_is(name, "selection") || mp_text_is(name, "min-size") ||
        mp_text_is(name, "min-count"))
        return OF_SELECTION;
    if (option->scope & (CLI_READS | CLI_PRINTS | CLI_ALWAYS))
        return OF_ALL;
    return argument && argument->kind == MP_ARGUMENT_SHARED && option->kind != CLI_ASKS
               ? OF_FORMATS
               : OF_COMMAND;
}

static void put_option_name(const cli_option *option)
{
    if (option->letter)
        printf("*-%c*, ", option->letter);
    printf("*--%s*", option->name);
    if (option->argument)
        printf(" _%s_", option->argument);
}

/* Whether the text is about the option: "; of --by". */
static bool is_of(const char *line, const char *name)
{
    return strncmp(line, "; of --", 7) == 0 && (!name || mp_text_is(line + 7, name));
}

/* Texts about options are indented, as definitions are. */
static bool is_text(const char *line)
{
    return *line == '\0' || *line == '\t';
}

static size_t end_of_texts(const page *of, size_t line)
{
    while (line < of->count && (is_text(of->lines[line]) || is_of(of->lines[line], NULL)))
        line++;
    return line;
}

/* The page's own text about an option, where it has one behind `from`. */
static void put_more(const page *of, size_t from, const char *name)
{
    size_t line = from, end = end_of_texts(of, from);
    while (line < end && !is_of(of->lines[line], name))
        line++;
    while (++line < end && *of->lines[line] == '\t')
        puts(of->lines[line]);
}

/* The table's text as a sentence, and behind it what the page has to say. */
static void put_option(const page *of, size_t from, const cli_option *option)
{
    char usual[32];
    put_option_name(option);
    printf("\n\t%c", toupper((unsigned char)option->help[0]));
    put_text(option->help + 1);
    if (of->command)
        put_text(cli_option_default(of->command, option, usual, sizeof usual));
    puts(".");
    put_more(of, from, option->name);
    putchar('\n');
}

static size_t put_group(const page *of, size_t from, option_group group, const char *title)
{
    size_t count = 0;
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        if (!takes(of->command, option) || group_of(of->command, option) != group)
            continue;
        if (count++ == 0 && title)
            printf("%s\n\n", title);
        put_option(of, from, option);
    }
    return count;
}

/* Names alone, where memprof(1) has the rest. */
static void put_names(const cli_command *command, option_group group, const char *title)
{
    const char *between = title;
    for (size_t i = 0; i < cli_option_count; i++)
        if (takes(command, &cli_option_table[i]) &&
            group_of(command, &cli_option_table[i]) == group) {
            printf("%s*--%s*", between, cli_option_table[i].name);
            between = ", ";
        }
    if (between != title)
        fputs(".\n\n", stdout);
}

/* Complain of texts about what is no option; gives the first line behind them. */
static size_t check_texts(page *of, size_t from)
{
    size_t end = end_of_texts(of, from);
    for (size_t i = from; i < end; i++)
        if (is_of(of->lines[i], NULL) && !cli_option_of(of->command, of->lines[i] + 7))
            complain(of, i, "no option of the command: --", of->lines[i] + 7);
    return end;
}

/* All options of a page's command. */
static size_t insert_options(page *of, size_t line)
{
    size_t end = check_texts(of, line + 1);
    put_group(of, line + 1, OF_COMMAND, NULL);
    put_group(of, line + 1, OF_FORMATS, "How recordings of some formats are read:");
    put_names(of->command, OF_SELECTION,
              "Which part of a recording it is about (see *memprof*(1)): ");
    put_names(of->command, OF_ALL, "As of all commands (see *memprof*(1)): ");
    return end;
}

/* Those of all commands, in full: the default command has all of them. */
static size_t insert_common(page *of, size_t line)
{
    size_t count;
    of->command = cli_commands(&count);
    size_t end = check_texts(of, line + 1);
    put_group(of, line + 1, OF_ALL, NULL);
    put_group(of, line + 1, OF_SELECTION, "Which part of a recording it is about:");
    of->command = NULL;
    return end;
}

/* --- other insertions --- */

static void insert_synopsis(const cli_command *command)
{
    const char *operand = command->operand ? command->operand : "";
    bool one = cli_compares(command) || *operand == '[';
    printf("*memprof %s* [_OPTIONS_]", command->name);
    if (*operand && !command->operand_last)
        printf(" _%s_", operand);
    if (command->scope & CLI_READS)
        printf(one ? " _FILE_" : " _FILE_...");
    if (*operand && command->operand_last) {
        fputc(' ', stdout);
        bool optional = *operand == '[';
        printf(optional ? "\\[_%.*s_\\]" : "_%.*s_", (int)(strlen(operand) - (optional ? 2 : 0)),
               operand + optional);
    }
    fputs("\n\n", stdout);
}

static void insert_commands(void)
{
    size_t count;
    const cli_command *commands = cli_commands(&count);
    for (size_t i = 0; i < count; i++) {
        printf("*memprof-%s*(1)\n\t", commands[i].name);
        put_text(commands[i].summary);
        fputs("\n\n", stdout);
    }
}

static void insert_groups(const cli_command *command)
{
    const char *words[MP_MOST_WORDS];
    size_t count = mp_report_words(command->report, "by", ~0u, MP_ALL_KINDS, words);
    for (size_t i = 0; i < count; i++) {
        const mp_dimension *dimension = mp_dimension_find(words[i]);
        if (dimension)
            put_definition(dimension->name, dimension->summary);
    }
}

static void insert_renderers(void)
{
    size_t count;
    const mp_renderer *const *renderers = mp_renderers(&count);
    for (size_t i = 0; i < count; i++)
        put_definition(renderers[i]->name, renderers[i]->summary);
}

static void insert_exporters(void)
{
    size_t count;
    const mp_exporter *const *exporters = mp_exporters(&count);
    for (size_t i = 0; i < count; i++)
        put_definition(exporters[i]->name, exporters[i]->summary);
}

static void insert_readers(void)
{
    size_t count;
    const mp_reader *const *readers = mp_readers(&count);
    for (size_t i = 0; i < count; i++) {
        printf("*%s*\n\t", readers[i]->name);
        put_text(readers[i]->summary);
        printf("; versions: ");
        put_text(readers[i]->versions);
        printf("; files: ");
        put_text(readers[i]->endings);
        fputs("\n\n", stdout);
    }
}

/* One mark; gives the line behind it and what belongs to it. */
static size_t insert(page *of, size_t line)
{
    const char *what = of->lines[line] + strlen("; insert ");
    if (mp_text_is(what, "common"))
        return insert_common(of, line);
    if (of->command && mp_text_is(what, "options"))
        return insert_options(of, line);
    if (mp_text_is(what, "commands"))
        insert_commands();
    else if (mp_text_is(what, "renderers"))
        insert_renderers();
    else if (mp_text_is(what, "exporters"))
        insert_exporters();
    else if (mp_text_is(what, "readers"))
        insert_readers();
    else if (of->command && mp_text_is(what, "synopsis"))
        insert_synopsis(of->command);
    else if (of->command && mp_text_is(what, "groups"))
        insert_groups(of->command);
    else
        complain(of, line, "nothing to insert: ", what);
    return line + 1;
}

/* --- the program --- */

/* The lines of a file, which stay for good. */
static bool read_page(page *of)
{
    FILE *file = fopen(of->path, "r");
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    if (!file) {
        perror(of->path);
        return false;
    }
    while ((length = getline(&line, &size, file)) > 0) {
        line[strcspn(line, "\n")] = '\0';
        of->lines = realloc(of->lines, (of->count + 1) * sizeof *of->lines);
        if (!of->lines)
            abort();
        of->lines[of->count++] = strdup(line);
    }
    free(line);
    return fclose(file) == 0;
}

static const cli_command *command_of(const char *name, size_t length)
{
    size_t count;
    const cli_command *commands = cli_commands(&count);
    for (size_t i = 0; i < count; i++)
        if (strlen(commands[i].name) == length && strncmp(commands[i].name, name, length) == 0)
            return &commands[i];
    return NULL;
}

/* A page is called memprof-COMMAND.1.scd. */
static int put_page(const char *path)
{
    static const char prefix[] = "memprof-";
    page of = {.path = path};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strncmp(name, prefix, strlen(prefix)) == 0)
        of.command = command_of(name + strlen(prefix), strcspn(name + strlen(prefix), "."));
    if (!read_page(&of))
        return EXIT_FAILURE;
    for (size_t line = 0; line < of.count;)
        if (strncmp(of.lines[line], "; insert ", strlen("; insert ")) == 0)
            line = insert(&of, line);
        else
            puts(of.lines[line++]);
    return of.wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int put_commands(void)
{
    size_t count;
    const cli_command *commands = cli_commands(&count);
    for (size_t i = 0; i < count; i++)
        puts(commands[i].name);
    return EXIT_SUCCESS;
}

static int put_options(const char *name)
{
    const cli_command *command = command_of(name, strlen(name));
    for (size_t i = 0; command && i < cli_option_count; i++)
        if (takes(command, &cli_option_table[i]))
            printf("--%s\n", cli_option_table[i].name);
    return command ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* --- columns of answers --- */

static const char *const unit_names[] = {
    [MP_TEXT] = "text",       [MP_NUMBER] = "number",   [MP_COUNT] = "count",
    [MP_BYTES] = "bytes",     [MP_TIME] = "time",       [MP_AGE] = "age",
    [MP_SECONDS] = "seconds", [MP_AVERAGE] = "average", [MP_BYTE_RATE] = "byte-rate",
    [MP_PERCENT] = "percent", [MP_FLAG] = "flag",       [MP_LIST] = "list",
};

/* All that JSON can say of the document's tables, whether or not these rows say it: command, table,
 * whether it is a record or has rows, column, unit, and "null" where that may stand for a value, or
 * "people" where JSON does not have it. */
static bool put_columns(const mp_document *document, const mp_diagnostics *diagnostics,
                        const mp_style *style, FILE *out, mp_error *error)
{
    (void)diagnostics;
    (void)style;
    (void)error;
    for (size_t i = 0; i < document->table_count; i++) {
        const mp_table *table = &document->tables[i];
        for (size_t j = 0; j < table->column_count; j++) {
            const mp_column *column = &table->columns[j];
            bool for_people = table->flags & MP_FOR_PEOPLE || column->flags & MP_FOR_PEOPLE;
            fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\n", document->command, table->name,
                    table->shape == MP_RECORD ? "record" : "rows", column->name,
                    unit_names[column->unit],
                    for_people                ? "people"
                    : column->flags & MP_NULL ? "null"
                                              : "");
        }
    }
    return true;
}

/* Command lines from standard input, a line each, with tabs between their words. What they complain
 * of does not matter here. */
static int put_all_columns(void)
{
    static const mp_renderer columns = {
        .name = "columns", .for_programs = true, .render = put_columns};
    size_t command_count, size = 0;
    const cli_command *commands = cli_commands(&command_count);
    char *line = NULL, *words[64];
    if (!freopen("/dev/null", "w", stderr))
        return EXIT_FAILURE;
    while (getline(&line, &size, stdin) > 0) {
        cli_options options;
        int count = 0;
        words[count++] = "memprof";
        for (char *word = strtok(line, "\t\n"); word && count < 63; word = strtok(NULL, "\t\n"))
            words[count++] = word;
        words[count] = NULL;
        optind = 0;
        if (cli_parse(count, words, commands, command_count, &options)) {
            options.renderer = &columns;
            options.command.run(&options);
        }
        cli_options_free(&options);
    }
    free(line);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (argc == 3 && mp_text_is(what, "page"))
        return put_page(argv[2]);
    if (argc == 2 && mp_text_is(what, "commands"))
        return put_commands();
    if (argc == 3 && mp_text_is(what, "options"))
        return put_options(argv[2]);
    if (argc == 2 && mp_text_is(what, "columns"))
        return put_all_columns();
    fputs("usage: memprof-tables page FILE | commands | options COMMAND | columns\n", stderr);
    return EXIT_FAILURE;
}
