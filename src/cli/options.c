#include "cli/options.h"

#include <string.h>

const char *const cli_status_meanings[CLI_STATUSES] = {
    [CLI_OK] = "done",
    [CLI_EXCEEDED] = "a limit, a rule or a check failed",
    [CLI_USAGE] = "wrong usage",
    [CLI_UNREADABLE] = "something could not be read, written or judged",
};

#define SETS(how, member)                                                                          \
    .kind = CLI_SETS, .value = MP_ARGUMENT_##how, .offset = offsetof(cli_options, member)

const cli_option cli_option_table[] = {
#define MP_OPTION(name, argument, help, takes, how, place, ...)                                    \
    {name, argument, help, takes, .kind = CLI_READS_AS, __VA_ARGS__},
#define MP_ASKED(name, argument, help, takes, how, ...)                                            \
    {name, argument, help, takes, .kind = CLI_ASKS, .value = MP_ARGUMENT_##how, __VA_ARGS__},
#define MP_SHARED(name, whole, argument, help, takes, how, place, ...)                             \
    {name, argument, help, takes, .kind = CLI_ASKS, .part_of = whole, __VA_ARGS__},
#define CLI_OPTION(...) {__VA_ARGS__},
#include "session/options.def"
#undef MP_OPTION
#undef MP_ASKED
#undef MP_SHARED
#undef CLI_OPTION
};
_Static_assert(sizeof cli_option_table / sizeof *cli_option_table <= CLI_MOST_OPTIONS, "too many");
const size_t cli_option_count = sizeof cli_option_table / sizeof *cli_option_table;

/* --- arguments of options --- */

const char *cli_option_argument(const cli_option *option)
{
    return option->part_of ? option->part_of : option->name;
}

/* --- options of commands --- */

/* Return true if the option sets this argument, which belongs to the report or is a shared one
 * about reading. */
static bool means(const cli_option *option, const mp_argument *argument)
{
    return argument && (option->kind == CLI_ASKS || argument->offset == MP_SHARED_ARGUMENT);
}

const cli_option *cli_option_of(const cli_command *command, const char *name)
{
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        if (strcmp(option->name, name) == 0 &&
            (option->scope ? option->scope & command->scope
                           : means(option, mp_argument_find(command->arguments,
                                                            cli_option_argument(option)))))
            return option;
    }
    return NULL;
}

bool cli_option_is_heeded(const cli_option *option)
{
    return option->harmless || option->section == CLI_LOOKS || option->section == CLI_LIMITS;
}

bool cli_compares(const cli_command *command)
{
    return command->report && command->report->operand == MP_OPERAND_BASE;
}

const cli_command *cli_command_find(const cli_options *options, const char *name, size_t length)
{
    for (size_t i = 0; i < options->command_count; i++)
        if (strlen(options->commands[i].name) == length &&
            strncasecmp(options->commands[i].name, name, length) == 0)
            return &options->commands[i];
    return NULL;
}

const char *cli_command_nearest(const cli_options *options, const char *name)
{
    /* Names that commands have in other programs. */
    static const struct {
        const char *other, *name;
    } synonyms[] = {
        {"stats", "analyze"}, {"summary", "analyze"}, {"report", "analyze"}, {"show", "analyze"},
        {"compare", "diff"},  {"convert", "export"},  {"verify", "check"},   {"view", "browse"},
    };
    const char *names[CLI_MOST_COMMANDS];
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (strcmp(synonyms[i].other, name) == 0)
            return synonyms[i].name;
    for (size_t i = 0; i < options->command_count; i++)
        names[i] = options->commands[i].name;
    return mp_text_nearest(name, names, options->command_count);
}

const char *cli_section_name(cli_section section)
{
    static const char *const names[] = {
        "Analysis", "Filters", "Output", "Limits", "Format-specific options", "Common options"};
    return names[section];
}

unsigned cli_command_kinds(const cli_command *command)
{
    return !(command->scope & CLI_READS) ? 0
           : command->report             ? mp_report_kinds(command->report, ~0u)
           : command->kinds              ? command->kinds
                                         : MP_ALL_KINDS;
}

unsigned cli_option_kinds(const cli_command *command, const cli_option *option)
{
    const char *name = cli_option_argument(option);
    const mp_report *report = command->report;
    const mp_argument *argument = mp_argument_find(command->arguments, name);
    unsigned total = cli_command_kinds(command);
    if (option->scope || !argument || !total)
        return total;
    unsigned kinds = report && command->arguments == &report->arguments
                         ? mp_report_kinds(report, argument->variants)
                         : argument->variants;
    /* rows of the command baseline have 0, which stands for all kinds */
    kinds = kinds ? kinds : total;
    return strcmp(name, "selection") == 0 ? mp_report_selects(report, option->name, kinds) : kinds;
}

const char *cli_option_default(const cli_command *command, const cli_option *option, char *text,
                               size_t size)
{
    const mp_argument_table *table = command->arguments;
    const mp_argument *row = mp_argument_find(table, option->name);
    const void *place = row && table->defaults ? (const char *)table->defaults + row->offset : NULL;
    *text = '\0';
    if (place && option->value == MP_ARGUMENT_COUNT && *(const int64_t *)place > 0)
        snprintf(text, size, " (default %d)", (int)*(const int64_t *)place);
    else if (place && option->value == MP_ARGUMENT_PERCENT && *(const double *)place > 0)
        snprintf(text, size, " (default %g)", *(const double *)place);
    return text;
}

/* Return true if the command checks rules or limits. */
static bool has_checks(const cli_command *command)
{
    bool has = command->report == &mp_report_gate;
    for (size_t i = 0; i < cli_option_count; i++)
        has |= cli_option_table[i].section == CLI_LIMITS &&
               mp_argument_find(command->arguments, cli_option_table[i].name);
    return has;
}

bool cli_command_writes(const cli_command *command, const mp_renderer *renderer)
{
    const char *name = command->report ? command->report->name : command->name;
    const char *only = renderer->command, *cursor = only ? strstr(only, name) : NULL;
    size_t length = strlen(name);
    if (command->scope & CLI_WATCHES)
        return renderer->put_row != NULL;
    if (command->scope & CLI_EXPORTS && renderer->draws)
        return false; /* exports have no picture */
    bool named = cursor && (cursor == only || cursor[-1] == ' ') && strchr(", ", cursor[length]);
    return only ? named : !renderer->of_checks || has_checks(command);
}

/* Words for colours, in the order of cli_colour. */
static const char *const colourings[] = {"auto", "always", "never"};

static size_t put_words(const char *const *from, size_t count, const char **words)
{
    memcpy(words, from, count * sizeof *words);
    return count;
}

size_t cli_option_words(const cli_command *command, const cli_option *option, const char **words)
{
    size_t count = 0, total;
    const mp_renderer *const *renderers = mp_renderers(&total);
    bool owned = option->kind == CLI_OWN_RENDERER;
    switch (option->kind) {
    case CLI_ASKS:
        return command->report ? mp_report_words(command->report, cli_option_argument(option), ~0u,
                                                 MP_ALL_KINDS, words)
                               : 0;
    case CLI_RENDERER:
    case CLI_OWN_RENDERER:
        for (size_t i = 0; i < total; i++)
            if ((!owned ||
                 mp_text_is(renderers[i]->command ? renderers[i]->command : "", command->name)) &&
                cli_command_writes(command, renderers[i]))
                words[count++] = renderers[i]->name;
        return count;
    case CLI_EXPORTER:
        for (mp_target target; mp_target_at(count, &target); count++)
            words[count] = target.name;
        return count;
    case CLI_READS_AS:
        return mp_reading_option_words(mp_reading_option_find(option->name), words);
    case CLI_COLOURING:
        return put_words(colourings, sizeof colourings / sizeof *colourings, words);
    default:
        return 0;
    }
}

bool cli_is_for_people(const cli_options *options)
{
    size_t count;
    return !options->output && options->renderer == mp_renderers(&count)[0];
}

/* --- values of options --- */

static bool take_own_renderer(cli_options *options, const char *text)
{
    options->renderer = mp_renderer_find(text);
    return options->renderer && options->renderer->command &&
           mp_text_is(options->renderer->command, options->command.name);
}

static bool take_width(int64_t *width, const char *text)
{
    return mp_parse_count(text, width) && *width <= CLI_WIDEST &&
           (*width == 0 || *width >= CLI_NARROWEST);
}

/* Find the index of a word in the list of words that the option accepts. Return false if it is not
 * in the list. */
static bool find_word(const cli_options *options, const cli_option *option, const char *word,
                      unsigned *place)
{
    const char *words[MP_MOST_WORDS];
    size_t count = cli_option_words(&options->command, option, words);
    *place = 0;
    while (*place < count && strcmp(words[*place], word) != 0)
        ++*place;
    return *place < count;
}

/* Store the option's value. Return false if the text is not accepted. */
static bool take(cli_options *options, const cli_option *option, const char *text)
{
    mp_error unheard = {0};
    unsigned word;
    switch (option->kind) {
    case CLI_ASKS:
        return mp_question_set(&options->question, option->name, text, &unheard);
    case CLI_READS_AS:
        return mp_reading_set(&options->reading, mp_reading_option_find(option->name), text);
    case CLI_RENDERER:
        return (options->renderer = mp_renderer_find(text)) != NULL;
    case CLI_OWN_RENDERER:
        return take_own_renderer(options, text);
    case CLI_EXPORTER:
        return options->exporter != NULL; /* set by cli_export_choose */
    case CLI_COLOURING:
        if (!find_word(options, option, text, &word))
            return false;
        options->colour = CLI_COLOUR_AUTO + word;
        return true;
    case CLI_WIDTH:
        return take_width(&options->width, text);
    case CLI_SETS:
        return mp_argument_parse(option->value, text, (char *)options + option->offset);
    }
    return false;
}

bool cli_refuse_argument(const cli_options *options, const cli_option *option, const cli_pair *pair)
{
    const char *text = pair->text, *name = pair->typed ? pair->typed : option->name;
    const char *words[MP_MOST_WORDS];
    char list[512];
    size_t count = cli_option_words(&options->command, option, words);
    const char *meant = option->kind == CLI_EXPORTER ? mp_target_meant(text) : NULL;
    const char *nearest = meant ? meant : mp_text_nearest(text, words, count);
    const char *takes = count ? mp_text_list(words, count, "or", list, sizeof list)
                              : mp_spell(list, sizeof list, option->takes, "--");
    if (pair->origin) {
        cli_put_fault(pair->origin, "invalid value \"%s\" for %s, expected %s", text, option->name,
                      takes);
        return false;
    }
    if (strcmp(option->name, "encoding") == 0) {
        const char *why = "";
        mp_encoding_close(mp_encoding_open(text, &why));
        return cli_refuse(options, "invalid value \"%s\" for --%s, expected %s: %s", text, name,
                          takes, why);
    }
    if (nearest)
        return cli_refuse(options, "invalid value \"%s\" for --%s; did you mean '%s'? Expected %s",
                          text, name, nearest, takes);
    return cli_refuse(options, "invalid value \"%s\" for --%s, expected %s", text, name, takes);
}

bool cli_take(cli_options *options, const cli_option *option, const cli_pair *pair)
{
    return take(options, option, pair->text) || cli_refuse_argument(options, option, pair);
}
