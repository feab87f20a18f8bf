/* Parse the words of a command line from left to right. They are options and operands. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/config.h"
#include "cli/console.h"
#include "cli/export.h"
#include "cli/fits.h"
#include "cli/operands.h"
#include "cli/options.h"

bool cli_refuse(const cli_options *options, const char *format, ...)
{
    char text[1024];
    const char *command = options->command.name;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cli_put_message(text);
    fprintf(cli_console(), "Try: memprof %s%s--help\n", command ? command : "", command ? " " : "");
    return false;
}

/* Return the last use of an option; NULL if it was not given. */
static const cli_pair *pair_of(const cli_options *options, const char *name)
{
    for (size_t i = options->pair_count; i-- > 0;)
        if (strcmp(options->pairs[i].name, name) == 0)
            return &options->pairs[i];
    return NULL;
}

/* Return the text of an option; NULL if it was not given. */
static const char *text_of(const cli_options *options, const char *name)
{
    const cli_pair *pair = pair_of(options, name);
    return pair ? pair->text : NULL;
}

/* --- the command line, from left to right --- */

typedef struct cli_line {
    char **words; /* remaining arguments, ending with NULL */
    const char **operands;
    size_t operand_count;
    bool helps; /* the first argument was "help" */
} cli_line;

/* Return true if the command has the option. While the command is unknown, return true for the
 * first option with each name. */
static bool is_taken(const cli_command *command, const cli_option *option)
{
    if (command->name)
        return cli_option_of(command, option->name) == option;
    const cli_option *first = cli_option_table;
    while (strcmp(first->name, option->name) != 0)
        first++;
    return first == option;
}

/* Return the name of an option in the table of all options; NULL if there is none. */
static const char *static_name(const char *name)
{
    for (size_t i = 0; i < cli_option_count; i++)
        if (strcmp(cli_option_table[i].name, name) == 0)
            return cli_option_table[i].name;
    return NULL;
}

static bool is_option(const char *name)
{
    return static_name(name) != NULL;
}

/* Refuse an option that exists, but not for this command. Returns false. */
static bool refuse_foreign(const cli_options *options, const char *name)
{
    enum { SEVERAL = 8 };
    const char *takers[CLI_MOST_COMMANDS];
    size_t count = 0;
    char list[512];
    if (options->exporter)
        return cli_refuse(options, "export --to %s does not accept --%s", options->exporter->name,
                          name);
    for (size_t i = 0; i < options->command_count; i++)
        if (cli_option_of(&options->commands[i], name))
            takers[count++] = options->commands[i].name;
    if (count > SEVERAL)
        return cli_refuse(options, "%s does not accept --%s; most other commands do",
                          options->command.name, name);
    return cli_refuse(options, "%s does not accept --%s; %s %s", options->command.name, name,
                      mp_text_list(takers, count, "and", list, sizeof list),
                      count == 1 ? "does" : "do");
}

/* Refuse an unknown option. Suggest commands that have it, or a similar option. Always return
 * false. */
static bool refuse_unknown(const cli_options *options, const char *name)
{
    const char *taken[CLI_MOST_OPTIONS], *others[CLI_MOST_OPTIONS];
    size_t taken_count = 0, other_count = 0;
    if (is_option(name))
        return refuse_foreign(options, name);
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        if (is_taken(&options->command, option))
            taken[taken_count++] = option->name;
        else if (strncmp(option->name, name, strlen(name)) == 0)
            return refuse_foreign(options, option->name);
        else
            others[other_count++] = option->name;
    }
    const char *nearest = mp_text_nearest(name, taken, taken_count);
    if (nearest)
        return cli_refuse(options, "unknown option '--%s'; did you mean '--%s'?", name, nearest);
    nearest = mp_text_nearest(name, others, other_count);
    return nearest ? refuse_foreign(options, nearest)
                   : cli_refuse(options, "unknown option '--%s'", name);
}

/* Return the name that the command has for an option that other commands have under this name. */
static const char *name_here(const cli_command *command, const char *name)
{
    static const char *const same[][2] = {{"sources", "listings"}, {"listings", "sources"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(name, same[i][0]) == 0 && !cli_option_of(command, name) &&
            cli_option_of(command, same[i][1]))
            return same[i][1];
    return name;
}

/* Return the option with this name, or the only option that begins with it. Return NULL after a
 * message. */
static const cli_option *find_named(const cli_options *options, const char *name)
{
    if (options->command.name)
        name = name_here(&options->command, name);
    const cli_option *found = NULL;
    const char *begun[CLI_MOST_OPTIONS];
    size_t count = 0;
    char list[1024];
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        if (strncmp(option->name, name, strlen(name)) != 0 || !is_taken(&options->command, option))
            continue;
        if (strcmp(option->name, name) == 0)
            return option;
        begun[count++] = option->name;
        found = option;
    }
    /* --by, an option of other commands, is not an abbreviation of --bytes */
    if (count == 1 && !is_option(name))
        return found;
    if (count > 1 && !is_option(name))
        cli_refuse(options, "ambiguous option '--%s': it matches %s", name,
                   mp_text_list(begun, count, "or", list, sizeof list));
    else
        refuse_unknown(options, name);
    return NULL;
}

/* Return the option of this letter, which is in `argument`. NULL after a message. */
static const cli_option *find_lettered(const cli_options *options, const char *letter,
                                       const char *argument)
{
    const cli_option *known = NULL;
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        if (option->letter == *letter && is_taken(&options->command, option))
            return option;
        if (option->letter == *letter)
            known = option;
    }
    bool is_name = options->command.name ? cli_option_of(&options->command, argument + 1) != NULL
                                         : is_option(argument + 1);
    if (known)
        refuse_foreign(options, known->name);
    else if (argument[2] && is_name)
        cli_refuse(options, "unknown option '%s'; did you mean '-%s'?", argument, argument);
    else if (*letter > ' ' && *letter < 127)
        cli_refuse(options, "unknown option '-%c'", *letter);
    else
        cli_refuse(options, "unknown option: a dash needs an ASCII letter after it");
    return NULL;
}

/* Add an option. If it takes an argument and `text` is NULL, the next word is the argument. */
static bool add_pair(cli_options *options, cli_line *line, const cli_option *option,
                     const char *text)
{
    if (option->argument && !text)
        text = *line->words++;
    if (option->argument && !text)
        return cli_refuse(options, "option '--%s' requires an argument: --%s %s", option->name,
                          option->name, option->argument);
    mp_grow(&options->pairs, &options->pair_capacity, options->pair_count + 1,
            sizeof *options->pairs); /* one word may contain many short options */
    options->pairs[options->pair_count++] = (cli_pair){option->name, text ? text : "", NULL, NULL};
    return true;
}

/* --name, --name=text */
static bool add_named(cli_options *options, cli_line *line, const char *argument)
{
    const char *equals = strchr(argument, '=');
    char *name = mp_copy(argument, equals ? (size_t)(equals - argument) : strlen(argument));
    const cli_option *option = find_named(options, name);
    const char *typed = static_name(name);
    free(name);
    if (option && equals && !option->argument)
        return cli_refuse(options, "option '--%s' takes no argument, but got \"%s\"", option->name,
                          equals + 1);
    if (!option || !add_pair(options, line, option, equals ? equals + 1 : NULL))
        return false;
    options->pairs[options->pair_count - 1].typed = typed;
    return true;
}

/* -q, -n3, -qn 3 */
static bool add_lettered(cli_options *options, cli_line *line, const char *argument)
{
    for (const char *letter = argument + 1; *letter; letter++) {
        const cli_option *option = find_lettered(options, letter, argument);
        bool takes = option && option->argument;
        if (!option || !add_pair(options, line, option, takes && letter[1] ? letter + 1 : NULL))
            return false;
        if (takes)
            return true;
    }
    return true;
}

/* Find the first operand that names a command and is not a file. It becomes the command, so that
 * "memprof FILE leaks" works like "memprof leaks FILE". If there is none, all operands belong to
 * the default command. */
static void add_operand(cli_options *options, cli_line *line, const char *operand)
{
    const cli_command *command =
        options->command_named ? NULL : cli_command_find(options, operand, strlen(operand));
    if (command && (!options->command.name || !cli_is_there(operand))) {
        options->command = *command;
        options->command_named = true;
    } else if (!options->command.name && !line->helps && mp_text_is(operand, "help")) {
        line->helps = true;
    } else {
        line->operands[line->operand_count++] = operand;
        if (!options->command.name)
            options->command = options->commands[0];
    }
}

/* Collect options and operands, which may be in any order. There are no options after "--". Two
 * dashes before a blank are not an option, but begin a comment of SQL. */
static bool collect(cli_options *options, cli_line *line)
{
    bool ok = true, ended = false;
    while (ok && *line->words) {
        const char *argument = *line->words++;
        if (ended || *argument != '-' || !argument[1] || strncmp(argument, "-- ", 3) == 0)
            add_operand(options, line, argument);
        else if (strcmp(argument, "--") == 0)
            ended = true;
        else
            ok = argument[1] == '-' ? add_named(options, line, argument + 2)
                                    : add_lettered(options, line, argument);
    }
    return ok;
}

/* Report that the first operand is not a command, and suggest a command. Always return false. */
static bool refuse_command(cli_options *options, const cli_line *line, bool or_file)
{
    const char *first = line->operands[0];
    const char *nearest = cli_command_nearest(options, first);
    options->command.name = NULL;
    if (nearest)
        return cli_refuse(options, "unknown command '%s'; did you mean '%s'?", first, nearest);
    return cli_refuse(
        options, or_file ? "'%s' is neither a command nor a file" : "unknown command '%s'", first);
}

/* Check the first operand. It must be a command or a file, or look like a path. Return false after
 * a message. */
static bool check_first(cli_options *options, const cli_line *line)
{
    const char *first = line->operand_count ? line->operands[0] : "-";
    return options->command_named || strcmp(first, "-") == 0 || strpbrk(first, "./@") ||
           cli_is_there(first) || refuse_command(options, line, true);
}

/* Handle "help COMMAND" like "COMMAND --help". There must be no files. Return false after a
 * message. */
static bool check_help(cli_options *options, const cli_line *line)
{
    if (!line->helps || line->operand_count == 0)
        return true;
    return options->command_named
               ? cli_refuse(options, "help takes one command, but got %s too", line->operands[0])
               : refuse_command(options, line, false);
}

void cli_settle_question(mp_question *question, const cli_options *options)
{
    mp_question_read_as(question, &options->reading.load);
    question->strict = options->reading.strict;
    question->allow_torn = options->reading.allow_torn;
}

/* Set all options that were given. Return false after a message if the command does not have one of
 * them. */
static bool take_options(cli_options *options)
{
    const cli_command *command = &options->command;
    mp_question *question = &options->question;
    mp_error unheard = {0};
    for (size_t i = 0; i < options->pair_count; i++) {
        const cli_pair *pair = &options->pairs[i];
        const cli_option *option = cli_option_of(command, pair->name);
        question->by_default = pair->origin != NULL;
        if (option && !cli_take(options, option, pair))
            return false;
    }
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        const cli_pair *pair = pair_of(options, option->name);
        const cli_option *meant = pair ? cli_option_of(command, option->name) : NULL;
        if (!pair || (meant && meant != option))
            continue;
        question->by_default = pair->origin != NULL;
        if (!meant)
            return refuse_foreign(options, option->name);
        bool noted = option->scope || option->kind == CLI_ASKS;
        if (!noted)
            mp_question_note(question, cli_option_argument(option), option->name);
    }
    question->by_default = false;
    if (options->operand && command->report && !(command->scope & CLI_STORES))
        mp_question_set(question, mp_operand_argument(command->report->operand), options->operand,
                        &unheard);
    cli_settle_question(question, options);
    return true;
}

/* Choose the default limit of rows. Formats for programs have all rows, up to
 * report->program_rows. */
static void choose_limit(cli_options *options)
{
    const mp_report *report = options->command.report;
    if (!report)
        return;
    int64_t *limit = mp_question_limit(&options->question);
    bool given = text_of(options, "limit");
    bool whole = options->renderer->for_programs && !report->overview;
    const int64_t wanted = options->renderer->rows;
    const bool more = limit && *limit > 0 && *limit < wanted; /* 0 = all */
    options->merged_rows = options->brief ? MP_BRIEF_ROWS
                           : whole        ? (size_t)report->program_rows
                           : more         ? (size_t)wanted
                                          : mp_report_rows(report);
    if (limit && given)
        options->merged_rows = (size_t)*limit;
    else if (limit && (whole || more || options->brief))
        *limit = (int64_t)options->merged_rows;
}

/* Choose the format of an export, which determines the report. */
static bool choose_format(cli_options *options)
{
    const cli_pair *pair = pair_of(options, "to");
    mp_target target;
    if (pair && mp_renderer_find(pair->text) && !mp_target_find(pair->text, &target))
        return cli_export_refuse(options, mp_renderer_find(pair->text));
    if (pair && !mp_target_find(pair->text, &target))
        return cli_refuse_argument(options, cli_option_of(&options->command, "to"), pair);
    return cli_export_choose(options);
}

static bool parse(cli_options *options, cli_line *line)
{
    if (!collect(options, line))
        return false;
    if (!options->command.name)
        options->command = options->commands[0];
    for (size_t i = 0; i < options->pair_count; i++) /* also of options before the command */
        options->pairs[i].name = name_here(&options->command, options->pairs[i].name);
    options->version = text_of(options, "version") != NULL;
    options->help_all = text_of(options, "all") != NULL;
    options->no_pager = text_of(options, "no-pager") != NULL;
    options->verbose = text_of(options, "verbose") != NULL;
    options->help = line->helps || text_of(options, "help") != NULL;
    if (!check_help(options, line))
        return false;
    if (options->help && !line->helps && !check_first(options, line))
        return false;
    if (options->help || options->version)
        return true;
    if (options->help_all)
        return cli_refuse(options, "--all is only for --help");
    if (!check_first(options, line))
        return false;
    cli_operands_place(options, line->operands, line->operand_count);
    if (!cli_given_once(options) || !cli_config_read(options))
        return false;
    if (options->command.scope & CLI_EXPORTS && !choose_format(options))
        return false;
    mp_question_begin(&options->question, options->command.report);
    if (!take_options(options))
        return false;
    if (!cli_ending_choose(options))
        return false;
    if (options->brief && !options->renderer->can_be_brief && pair_of(options, "brief")->origin)
        options->brief = false;
    if (!cli_fits(options))
        return false;
    if (options->output && strcmp(options->output, "-") == 0)
        options->output = NULL;
    if (options->export_path && strcmp(options->export_path, "-") == 0)
        options->export_path = NULL;
    choose_limit(options);
    return true;
}

bool cli_parse(int argc, char **argv, const cli_command *commands, size_t count,
               cli_options *options)
{
    size_t renderers;
    cli_line line = {.words = argv + (argc > 0),
                     .operands = mp_alloc(((size_t)argc + 1) * sizeof *line.operands)};
    *options = (cli_options){
        .commands = commands,
        .command_count = count,
        .renderer = mp_renderers(&renderers)[0],
        .width = -1,
    };
    mp_reading_begin(&options->reading);
    bool ok = parse(options, &line);
    free(line.operands);
    return ok;
}

void cli_options_free(cli_options *options)
{
    mp_question_free(&options->question);
    mp_reading_free(&options->reading);
    free(options->paths);
    free(options->pairs);
    mp_arena_free(&options->config);
    free(options->source_folders.items);
    free(options->labels.items);
}
