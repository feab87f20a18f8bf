/* Print the program's tables for its manual pages and for shell completion. Run by the build, never
 * installed.
 *
 *   memprof-tables page docs/man/memprof-leaks.1.scd    the page, with its marks replaced
 *   memprof-tables commands                             the commands, one per line
 *   memprof-tables options leaks                        the options of a command, one per line
 *   memprof-tables complete bash                        completion for a shell: bash, fish, zsh
 *   memprof-tables columns                              the columns of answers, see below
 *
 * A mark is a line "; insert WHAT", which is a comment for scdoc. "; insert options" is followed by
 * texts about single options. Each of them begins with a line "; of --NAME". */
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
#include "relation/relation.h"
#include "session/watch_rows.h"
#include "sql/values.h"
#include "sql/views.h"

/* A page, line by line, and the command that it describes. */
typedef struct page {
    const char *path;
    char **lines;
    size_t count;
    const cli_command *command; /* NULL = none */
    bool common;                /* the page describes all commands; `command` is the default one */
    bool wrong;
} page;

static void complain(page *state, size_t line, const char *what, const char *name)
{
    fprintf(stderr, "%s:%zu: error: %s%s\n", state->path, line + 1, what, name);
    state->wrong = true;
}

/* --- texts --- */

/* Print text with scdoc's mark-up escaped. Names of arguments are in `backquotes`. */
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

/* Where the pages describe an option. */
typedef enum option_place {
    ON_ITS_PAGE,  /* on the page of the command */
    OF_SELECTION, /* in memprof(1): options that select a part of a recording */
    OF_ALL,       /* in memprof(1): options of all commands */
} option_place;

static bool takes(const cli_command *command, const cli_option *option)
{
    return cli_option_of(command, option->name) == option;
}

static option_place place_of(const cli_option *option)
{
    if (mp_text_is(option->part_of ? option->part_of : "", "selection") ||
        mp_text_is(option->name, "min-size") || mp_text_is(option->name, "min-count"))
        return OF_SELECTION;
    return option->scope & (CLI_READS | CLI_PRINTS | CLI_ALWAYS) ? OF_ALL : ON_ITS_PAGE;
}

static void put_option_name(const cli_option *option)
{
    if (option->letter)
        printf("*-%c*, ", option->letter);
    printf("*--%s*", option->name);
    if (option->argument)
        printf(" _%s_", option->argument);
}

static void put_words(const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%s*%s*", !i ? "" : i + 1 < count ? ", " : " or ", words[i]);
    puts(".");
}

static bool is_where(const mp_choice *choice, const char *argument, const char *where)
{
    return mp_text_is(choice->argument, argument) &&
           (choice->where ? where && mp_text_is(choice->where, where) : !where);
}

/* Get the words that an argument accepts for one kind of recording. Return their number. */
static size_t words_of(const mp_report *report, const char *argument, const char *where,
                       unsigned kind, const char **words)
{
    size_t count = 0;
    for (const mp_choice *choice = report->choices; choice->argument; choice++)
        if (is_where(choice, argument, where) && mp_report_kinds(report, choice->variants) & kind)
            count = mp_choice_words(choice, kind, words, count);
    return count;
}

/* Print one line for all kinds that accept the same words. */
static void put_words_of(const mp_report *report, const char *argument, const char *where)
{
    unsigned told = 0;
    for (unsigned kind = 1; kind <= MP_ALL_KINDS; kind <<= 1) {
        const char *words[MP_MOST_WORDS], *others[MP_MOST_WORDS];
        char text[200];
        unsigned alike = 0;
        size_t count = told & kind ? 0 : words_of(report, argument, where, kind, words);
        for (unsigned other = kind; count && other <= MP_ALL_KINDS; other <<= 1)
            if (words_of(report, argument, where, other, others) == count &&
                memcmp(words, others, count * sizeof *words) == 0)
                alike |= other;
        told |= alike;
        if (!alike)
            continue;
        printf("\tOf %s%s%s: ", mp_kinds_text(alike, text, sizeof text), where ? ", " : "",
               where ? where : "");
        put_words(words, count);
    }
}

/* Print the words that an option accepts; for a report, separately for kinds of recordings if they
 * differ. */
static void put_choices(const cli_command *command, const cli_option *option)
{
    const char *words[MP_MOST_WORDS];
    size_t count = cli_option_words(command, option, words), choices = 0;
    bool by_kind = false;
    for (const mp_choice *choice = command->report ? command->report->choices : NULL;
         option->kind == CLI_ASKS && choice && choice->argument; choice++)
        if (mp_text_is(choice->argument, option->name)) {
            choices++;
            by_kind |= choices > 1 || !choice->words;
        }
    if (!count)
        return;
    if (!by_kind) {
        printf("\tIt is ");
        put_words(words, count);
        return;
    }
    put_words_of(command->report, option->name, NULL);
    for (const mp_choice *state = command->report->choices; state->argument; state++)
        if (state->where && mp_text_is(state->argument, option->name))
            put_words_of(command->report, option->name, state->where);
}

/* Return true if this line says that the text is about the option: "; of --by". */
static bool is_of(const char *line, const char *name)
{
    return strncmp(line, "; of --", 7) == 0 && (!name || mp_text_is(line + 7, name));
}

/* Return true if the line belongs to a text about an option. These lines are indented, like
 * definitions. */
static bool is_text(const char *line)
{
    return *line == '\0' || *line == '\t';
}

static size_t end_of_texts(const page *state, size_t line)
{
    while (line < state->count && (is_text(state->lines[line]) || is_of(state->lines[line], NULL)))
        line++;
    return line;
}

/* Print the page's own text about an option, if there is one after line `from`. */
static void put_more(const page *state, size_t from, const char *name)
{
    size_t line = from, end = end_of_texts(state, from);
    while (line < end && !is_of(state->lines[line], name))
        line++;
    while (++line < end && *state->lines[line] == '\t')
        puts(state->lines[line]);
}

/* Print the kinds of recordings for which an option is valid, if the command also reads other
 * kinds. Name the valid kinds or the others, whichever is shorter. */
static void put_kinds(const cli_command *command, const cli_option *option)
{
    unsigned kinds = cli_option_kinds(command, option);
    unsigned others = cli_command_kinds(command) & ~kinds;
    int more = 0;
    char text[200];
    if (!kinds || !others)
        return;
    for (unsigned kind = 1; kind <= (kinds | others); kind <<= 1)
        more += !!(kinds & kind) - !!(others & kind);
    if (more > 0)
        printf("\tNot of %s.\n", mp_kinds_text(others, text, sizeof text));
    else
        printf("\tOf %s alone.\n", mp_kinds_text(kinds, text, sizeof text));
}

/* Print an option: its help as a sentence, the accepted words, the kinds of recordings, and the
 * page's own text. */
static void put_option(const page *state, size_t from, const cli_option *option)
{
    char usual[32];
    put_option_name(option);
    printf("\n\t%c", toupper((unsigned char)option->help[0]));
    put_text(option->help + 1);
    if (state->command)
        put_text(cli_option_default(state->command, option, usual, sizeof usual));
    puts(".");
    if (!state->common) {
        put_kinds(state->command, option);
        put_choices(state->command, option);
    }
    put_more(state, from, option->name);
    putchar('\n');
}

static bool is_on_page(const cli_option *option)
{
    return place_of(option) == ON_ITS_PAGE || mp_text_is(option->name, "format");
}

/* Print the command's own options, by section of the help. */
static void put_own(const page *state, size_t from)
{
    for (unsigned section = 0; section < CLI_SECTIONS; section++) {
        size_t count = 0;
        for (size_t i = 0; i < cli_option_count; i++) {
            const cli_option *option = &cli_option_table[i];
            if (option->section != section || !takes(state->command, option) || !is_on_page(option))
                continue;
            if (count++ == 0)
                printf("## %s\n\n", cli_section_name(section));
            put_option(state, from, option);
        }
    }
}

static void put_place(const page *state, size_t from, option_place place)
{
    for (size_t i = 0; i < cli_option_count; i++)
        if (takes(state->command, &cli_option_table[i]) && place_of(&cli_option_table[i]) == place)
            put_option(state, from, &cli_option_table[i]);
}

/* Print only the names of options that memprof(1) describes. */
static void put_names(const cli_command *command, option_place place, const char *title)
{
    const char *between = title;
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        if (takes(command, option) && place_of(option) == place && !is_on_page(option)) {
            printf("%s*--%s*", between, option->name);
            between = ", ";
        }
    }
    if (between != title)
        fputs(".\n\n", stdout);
}

/* Report texts about unknown options. Return the first line after all texts. */
static size_t check_texts(page *state, size_t from)
{
    size_t end = end_of_texts(state, from);
    for (size_t i = from; i < end; i++)
        if (is_of(state->lines[i], NULL) && !cli_option_of(state->command, state->lines[i] + 7))
            complain(state, i, "no option of the command: --", state->lines[i] + 7);
    return end;
}

/* Print all options of a page's command. Return the first line after their texts. */
static size_t insert_options(page *state, size_t line)
{
    size_t end = check_texts(state, line + 1);
    put_own(state, line + 1);
    fputs("## Options of all commands\n\n", stdout);
    put_names(state->command, OF_SELECTION, "Filters (see *memprof*(1)): ");
    put_names(state->command, OF_ALL, "Common options (see *memprof*(1)): ");
    return end;
}

/* Print the options of all commands in full. The default command has every option of them. */
static size_t insert_common(page *state, size_t line)
{
    size_t count;
    state->command = cli_commands(&count);
    size_t end = check_texts(state, line + 1);
    state->common = true;
    put_place(state, line + 1, OF_ALL);
    fputs("## Filters\n\n", stdout);
    put_place(state, line + 1, OF_SELECTION);
    state->command = NULL;
    return end;
}

/* --- other insertions --- */

static void insert_synopsis(const cli_command *command)
{
    const char *operand = command->operand ? command->operand : "";
    bool one = cli_compares(command) || *operand == '[';
    printf("*memprof %s* [_OPTIONS_]", command->name);
    bool optional = *operand == '[';
    if (*operand)
        printf(optional ? " \\[_%.*s_\\]" : " _%.*s_", (int)(strlen(operand) - (optional ? 2 : 0)),
               operand + optional);
    if (command->scope & CLI_READS)
        printf(one ? " _FILE_" : " _FILE_...");
    if (command->scope & CLI_SERVES)
        printf(" _FOLDER_...");
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
    mp_target target;
    for (size_t i = 0; mp_target_at(i, &target); i++)
        put_definition(target.name, target.summary);
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

/* Return true if the command checks a recording against limits, rules or a baseline. */
static bool can_fail(const cli_command *command)
{
    for (size_t i = 0; i < cli_option_count; i++)
        if (cli_option_table[i].section == CLI_LIMITS && takes(command, &cli_option_table[i]))
            return true;
    return command->scope & CLI_STORES ||
           (command->report &&
            (command->report->tells_faults || command->report->operand == MP_OPERAND_POLICY));
}

static void insert_relations(void)
{
    size_t count;
    const mp_relation *const *relations = mp_relations(&count);
    for (size_t i = 0; i < count; i++) {
        printf("## %s\n\n", relations[i]->name);
        put_text(relations[i]->meaning);
        fputs(".\n\n", stdout);
        for (size_t index = 0; index < relations[i]->column_count; index++) {
            const mp_column *column = &relations[i]->columns[index];
            if (!mp_sql_is_column(column))
                continue;
            printf("*%s* (%s)\n\t", column->name, mp_sql_type(column->unit));
            put_text(column->meaning);
            fputs("\n\n", stdout);
        }
    }
}

static void insert_views(void)
{
    size_t count;
    const mp_sql_view *views = mp_sql_view_list(&count);
    for (size_t i = 0; i < count; i++)
        put_definition(views[i].name, views[i].meaning);
}

static void insert_statuses(const cli_command *command)
{
    for (int status = 0; status < CLI_STATUSES; status++) {
        char number[] = {(char)('0' + status), '\0'};
        if (status != CLI_EXCEEDED || !command || can_fail(command))
            put_definition(number, cli_status_meanings[status]);
    }
}

/* Replace a mark. Return the line after it and its texts. */
static size_t insert(page *state, size_t line)
{
    const char *what = state->lines[line] + strlen("; insert ");
    if (mp_text_is(what, "common"))
        return insert_common(state, line);
    if (state->command && mp_text_is(what, "options"))
        return insert_options(state, line);
    if (mp_text_is(what, "commands"))
        insert_commands();
    else if (mp_text_is(what, "renderers"))
        insert_renderers();
    else if (mp_text_is(what, "exporters"))
        insert_exporters();
    else if (mp_text_is(what, "relations"))
        insert_relations();
    else if (mp_text_is(what, "views"))
        insert_views();
    else if (mp_text_is(what, "statuses"))
        insert_statuses(state->command);
    else if (mp_text_is(what, "readers"))
        insert_readers();
    else if (state->command && mp_text_is(what, "synopsis"))
        insert_synopsis(state->command);
    else if (state->command && mp_text_is(what, "groups"))
        insert_groups(state->command);
    else
        complain(state, line, "nothing to insert: ", what);
    return line + 1;
}

/* --- the program --- */

/* Read the lines of a file. Release with free_page. Return false after a message. */
static bool read_page(page *state)
{
    FILE *file = fopen(state->path, "r");
    char *line = NULL;
    size_t size = 0;
    if (!file) {
        perror(state->path);
        return false;
    }
    while (getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        state->lines = realloc(state->lines, (state->count + 1) * sizeof *state->lines);
        if (!state->lines)
            abort();
        state->lines[state->count++] = strdup(line);
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

static void free_page(page *state)
{
    for (size_t i = 0; i < state->count; i++)
        free(state->lines[i]);
    free(state->lines);
}

/* Print a page. Its file must be named memprof-COMMAND.1.scd. */
static int put_page(const char *path)
{
    static const char prefix[] = "memprof-";
    page state = {.path = path};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strncmp(name, prefix, strlen(prefix)) == 0)
        state.command = command_of(name + strlen(prefix), strcspn(name + strlen(prefix), "."));
    if (!read_page(&state)) {
        free_page(&state);
        return EXIT_FAILURE;
    }
    for (size_t line = 0; line < state.count;)
        if (strncmp(state.lines[line], "; insert ", strlen("; insert ")) == 0)
            line = insert(&state, line);
        else
            puts(state.lines[line++]);
    free_page(&state);
    return state.wrong ? EXIT_FAILURE : EXIT_SUCCESS;
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

/* --- completions --- */

/* An option, and the commands in which it accepts the same words. */
typedef struct row {
    const cli_option *option;
    const char *commands[CLI_MOST_COMMANDS], *words[MP_MOST_WORDS];
    size_t command_count, word_count;
} row;

static bool same_words(const row *a, const row *b)
{
    return a->word_count == b->word_count &&
           memcmp(a->words, b->words, a->word_count * sizeof *a->words) == 0;
}

static void each_row(void (*put)(const row *entry))
{
    size_t count;
    const cli_command *commands = cli_commands(&count);
    for (size_t i = 0; i < cli_option_count; i++) {
        row rows[CLI_MOST_COMMANDS];
        size_t row_count = 0;
        for (size_t j = 0; j < count; j++) {
            row *state = &rows[row_count], *same = rows;
            *state = (row){.option = &cli_option_table[i]};
            if (!takes(&commands[j], state->option))
                continue;
            state->word_count = cli_option_words(&commands[j], state->option, state->words);
            while (!same_words(same, state))
                same++;
            same->commands[same->command_count++] = commands[j].name;
            row_count += same == state;
        }
        for (size_t j = 0; j < row_count; j++)
            put(&rows[j]);
    }
}

static void put_list(const char *const *texts, size_t count, const char *between)
{
    for (size_t i = 0; i < count; i++)
        printf("%s%s", i ? between : "", texts[i]);
}

static bool is_path(const row *entry, const char *argument)
{
    return entry->option->argument && mp_text_is(entry->option->argument, argument);
}

/* Print a text inside single quotes, with options written as on the command line. Characters in
 * `escaped` get a backslash. */
static void put_quoted(const char *text, const char *quote, const char *escaped)
{
    for (bool inside = false; *text; text++)
        if (*text == '\'')
            fputs(quote, stdout);
        else if (*text == '`')
            fputs((inside = !inside) ? "--" : "", stdout);
        else
            printf("%s%c", strchr(escaped, *text) ? "\\" : "", *text);
}

/* Print the words that may follow the command: "save|check". */
static void put_operands(const char *form)
{
    size_t count;
    const cli_command *commands = cli_commands(&count);
    for (size_t i = 0; i < count; i++)
        if (commands[i].operand && islower((unsigned char)commands[i].operand[0])) {
            char words[64];
            snprintf(words, sizeof words, "%s", commands[i].operand);
            for (char *cursor = words; *cursor; cursor++)
                if (*cursor == '|')
                    *cursor = ' ';
            printf(form, commands[i].name, words);
        }
}

static void put_names_of_commands(const char *form)
{
    size_t count;
    const cli_command *commands = cli_commands(&count);
    for (size_t i = 0; i < count; i++)
        printf(form, commands[i].name);
}

static void put_bash_row(const row *entry)
{
    const char *kind = !entry->option->argument ? "flag"
                       : entry->word_count      ? "words"
                       : is_path(entry, "FILE") ? "files"
                       : is_path(entry, "DIR")  ? "folders"
                                                : "text";
    char letter[] = {'-', entry->option->letter, '\0'};
    fputs("    _memprof_option ' ", stdout);
    put_list(entry->commands, entry->command_count, " ");
    printf(" ' --%s '%s' %s%s", entry->option->name, entry->option->letter ? letter : "", kind,
           entry->word_count ? " " : "");
    put_list(entry->words, entry->word_count, " ");
    putchar('\n');
}

static void put_bash(void)
{
    puts("# Completion of memprof for bash, made from the tables of the program.\n\n"
         "# An option: the commands that have it, its names, what it takes, and the words.\n"
         "_memprof_option() {\n"
         "    [[ $1 == *\" $command \"* ]] || return 0\n"
         "    options+=(\"$2\" $3)\n"
         "    [[ $before == \"$2\" || -n $3 && $before == \"$3\" ]] || return 0\n"
         "    kind=$4\n"
         "    words=${*:5}\n"
         "}\n\n"
         "_memprof_options() {");
    each_row(put_bash_row);
    fputs("}\n\n_memprof() {\n    local commands='", stdout);
    put_names_of_commands(" %s");
    puts(" '\n"
         "    local word command= named= before=${COMP_WORDS[COMP_CWORD-1]} kind=flag words= "
         "options=()\n"
         "    local current=${COMP_WORDS[COMP_CWORD]}\n"
         "    COMPREPLY=()\n"
         "    # Of --name=text bash makes three words.\n"
         "    if [[ $current == = ]]; then\n"
         "        current=\n"
         "    elif [[ $before == = ]]; then\n"
         "        before=${COMP_WORDS[COMP_CWORD-2]}\n"
         "    fi\n"
         "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "        if [[ $commands == *\" $word \"* || $word == help ]]; then\n"
         "            command=$word\n"
         "            break\n"
         "        fi\n"
         "    done\n"
         "    named=$command\n"
         "    command=${command:-analyze}\n"
         "    _memprof_options\n"
         "    case $kind in\n"
         "    words) ;;\n"
         "    files) return ;;\n"
         "    folders)\n"
         "        compopt -o filenames 2>/dev/null\n"
         "        mapfile -t COMPREPLY < <(compgen -d -- \"$current\")\n"
         "        return ;;\n"
         "    text)\n"
         "        compopt +o default +o bashdefault 2>/dev/null\n"
         "        return ;;\n"
         "    flag)\n"
         "        if [[ $current == -* ]]; then\n"
         "            words=${options[*]}\n"
         "        elif [[ -z $named || $named == help ]]; then\n"
         "            words=\"$commands help\"");
    put_operands(
        "        elif [[ $named == %s && $before == \"$named\" ]]; then\n            words='%s'\n");
    puts("        fi ;;\n"
         "    esac\n"
         "    # Where no word fits, bash goes on with names of files.\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "}\n\n"
         "complete -o bashdefault -o default -F _memprof memprof");
}

static void put_zsh_row(const row *entry)
{
    const cli_option *option = entry->option;
    const char *equals = option->argument ? "=" : "";
    fputs("    [[ $command == (", stdout);
    put_list(entry->commands, entry->command_count, "|");
    fputs(") ]] && options+=(", stdout);
    if (option->letter && !option->repeats)
        printf("'(-%c --%s)'", option->letter, option->name);
    if (option->letter)
        printf("%s{-%c%s,--%s%s}", option->repeats ? "'*'" : "", option->letter,
               option->argument ? "+" : "", option->name, equals);
    else
        printf("'%s--%s%s'", option->repeats ? "*" : "", option->name, equals);
    fputs("'[", stdout);
    put_quoted(option->help, "'\\''", "[]");
    putchar(']');
    if (option->argument) {
        fputs(": :", stdout);
        if (entry->word_count)
            putchar('(');
        put_list(entry->words, entry->word_count, " ");
        fputs(entry->word_count        ? ")"
              : is_path(entry, "FILE") ? "_files"
              : is_path(entry, "DIR")  ? "_files -/"
                                       : "",
              stdout);
    }
    puts("')");
}

static void put_zsh(void)
{
    size_t count;
    const cli_command *commands = cli_commands(&count);
    puts("#compdef memprof\n"
         "# Completion of memprof for zsh, made from the tables of the program.\n\n"
         "_memprof() {\n"
         "    local word command= named=\n"
         "    local -a commands options operands\n"
         "    commands=(");
    for (size_t i = 0; i < count; i++) {
        printf("        '%s:", commands[i].name);
        put_quoted(commands[i].summary, "'\\''", ":");
        puts("'");
    }
    puts("        'help:the help of a command'\n"
         "    )\n"
         "    for word in ${words[2,CURRENT-1]}; do\n"
         "        if (( ${commands[(I)$word:*]} )); then\n"
         "            named=$word\n"
         "            break\n"
         "        fi\n"
         "    done\n"
         "    command=${named:-analyze}");
    each_row(put_zsh_row);
    puts("    if [[ -z $named ]]; then\n"
         "        _arguments -s : $options '*: :->first' && return\n"
         "        _describe command commands\n"
         "        _files\n"
         "        return\n"
         "    fi\n"
         "    case $named in\n"
         "    help) _describe command commands; return ;;");
    put_operands("    %s) operands=('2: :(%s)') ;;\n");
    puts("    esac\n"
         "    _arguments -s : $options $operands '*: :_files'\n"
         "}\n\n"
         "_memprof \"$@\"");
}

static void put_fish_row(const row *entry)
{
    const cli_option *option = entry->option;
    fputs("complete -c memprof -n '__memprof_is ", stdout);
    put_list(entry->commands, entry->command_count, " ");
    printf("' -l %s", option->name);
    if (option->letter)
        printf(" -s %c", option->letter);
    if (entry->word_count) {
        fputs(" -x -a '", stdout);
        put_list(entry->words, entry->word_count, " ");
        putchar('\'');
    } else if (option->argument) {
        fputs(is_path(entry, "FILE")  ? " -r -F"
              : is_path(entry, "DIR") ? " -x -a '(__fish_complete_directories)'"
                                      : " -x",
              stdout);
    }
    fputs(" -d '", stdout);
    put_quoted(option->help, "\\'", "\\");
    puts("'");
}

static void put_fish(void)
{
    size_t count;
    const cli_command *commands = cli_commands(&count);
    fputs("# Completion of memprof for fish, made from the tables of the program.\n\n"
          "set -g __memprof_commands",
          stdout);
    put_names_of_commands(" %s");
    puts("\n\n"
         "# The command that the line names; nothing: none.\n"
         "function __memprof_command\n"
         "    for word in (commandline -opc)[2..-1]\n"
         "        if contains -- $word $__memprof_commands help\n"
         "            echo $word\n"
         "            return\n"
         "        end\n"
         "    end\n"
         "end\n\n"
         "# Whether it is one of these; without one it is the default.\n"
         "function __memprof_is\n"
         "    set -l command (__memprof_command)\n"
         "    test -n \"$command\"; or set command analyze\n"
         "    contains -- $command $argv\n"
         "end\n");
    for (size_t i = 0; i < count; i++) {
        printf("complete -c memprof -n 'test -z (__memprof_command)' -a %s -d '", commands[i].name);
        put_quoted(commands[i].summary, "\\'", "\\");
        puts("'");
    }
    puts("complete -c memprof -n 'test -z (__memprof_command)' -a help -d 'the help of a command'\n"
         "complete -c memprof -n '__memprof_is help' -f -a \"$__memprof_commands\"");
    put_operands("complete -c memprof -n '__memprof_is %s' -a '%s'\n");
    each_row(put_fish_row);
}

static int put_completion(const char *shell)
{
    static const struct {
        const char *shell;
        void (*put)(void);
    } shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (mp_text_is(shells[i].shell, shell)) {
            shells[i].put();
            return EXIT_SUCCESS;
        }
    fprintf(stderr, "memprof-tables: no completion for %s\n", shell);
    return EXIT_FAILURE;
}

/* --- columns of answers --- */

static const char *const unit_names[] = {
    [MP_TEXT] = "text",       [MP_NUMBER] = "number",   [MP_COUNT] = "count",
    [MP_BYTES] = "bytes",     [MP_TIME] = "time",       [MP_AGE] = "age",
    [MP_SECONDS] = "seconds", [MP_AVERAGE] = "average", [MP_BYTE_RATE] = "byte-rate",
    [MP_PERCENT] = "percent", [MP_FLAG] = "flag",       [MP_LIST] = "list",
};

/* Print the columns of the document's tables that JSON may contain, even if no row has a value. A
 * line has command, table, record or rows, column and unit; also "null" if the value may be null,
 * or "people" if JSON never contains the column. */
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

/* Print the columns of watch. Its lines are not answers, so they do not need a recording. */
static void put_line_columns(void)
{
    mp_document *documents[] = {mp_watch_rows_document(false, false), mp_watch_events_document()};
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        put_columns(documents[i], NULL, NULL, stdout, NULL);
        mp_document_free(documents[i]);
    }
}

/* Run command lines from standard input: one per line, with words separated by tabs. Ignore their
 * diagnostics. */
static int put_all_columns(void)
{
    static const mp_renderer columns = {
        .name = "columns", .for_programs = true, .render = put_columns};
    size_t command_count, size = 0;
    const cli_command *commands = cli_commands(&command_count);
    char *line = NULL, *words[64];
    if (!freopen("/dev/null", "w", stderr))
        return EXIT_FAILURE;
    put_line_columns();
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
    if (argc == 3 && mp_text_is(what, "complete"))
        return put_completion(argv[2]);
    if (argc == 2 && mp_text_is(what, "columns"))
        return put_all_columns();
    fputs("usage: memprof-tables page FILE | commands | options COMMAND | complete SHELL | "
          "columns\n",
          stderr);
    return EXIT_FAILURE;
}
