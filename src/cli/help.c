/* Help of the program and of its commands, generated from the tables. */
#include "cli/help.h"

#include <string.h>

/* --- lines of 80 columns --- */

enum { WIDTH = 80, LEFT = 2, TEXT_AT = 28 };

/* A blank at which lines must not be broken. */
#define TIED "\001"

/* Print words, from a column on, wrapped into lines that begin at `indent`. Names of arguments are
 * in `backquotes`. */
static void put_words(const char *text, unsigned column, unsigned indent)
{
    bool inside = false, begun = false;
    while (*text) {
        unsigned length = (unsigned)strcspn(text, " \n"), width = length;
        for (unsigned i = 0, quotes = inside; i < length; i++)
            if (text[i] == '`')
                width += quotes++ % 2 ? (unsigned)-1 : 1;
        if (begun && column + 1 + width > WIDTH) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        } else if (begun) {
            putchar(' ');
            column++;
        }
        for (unsigned i = 0; i < length; i++)
            if (text[i] != '`')
                putchar(text[i] == *TIED ? ' ' : text[i]);
            else if ((inside = !inside))
                fputs("--", stdout);
        column += width;
        begun = true;
        text += length + (text[length] != '\0');
    }
    putchar('\n');
}

/* Print a name, and a text that begins at column TEXT_AT. If the name is long, the text is below
 * it. */
static void put_entry(const char *name, const char *text)
{
    unsigned column = LEFT + (unsigned)strlen(name);
    printf("%*s%s", LEFT, "", name);
    if (!*text) {
        putchar('\n');
        return;
    }
    if (column + 2 > TEXT_AT) {
        putchar('\n');
        column = 0;
    }
    printf("%*s", (int)(TEXT_AT - column), "");
    put_words(text, TEXT_AT, TEXT_AT);
}

/* --- an option --- */

/* Return the name of an option, as in "-n, --limit N". Long names are aligned. */
static const char *name_of(mp_arena *arena, const cli_option *option)
{
    char letter[] = {'-', option->letter, ',', ' ', '\0'};
    return mp_arena_format(arena, "%s--%s%s%s", option->letter ? letter : "    ", option->name,
                           option->argument ? " " : "", option->argument ? option->argument : "");
}

/* Return a prefix such as "heap logs: " if the kinds are not those of the heading; otherwise return
 * "". */
static const char *kinds_of(mp_arena *arena, unsigned heading, unsigned kinds)
{
    char text[256];
    if (kinds == heading)
        return "";
    return mp_arena_format(arena, "%s: ", mp_kinds_text(kinds, text, sizeof text));
}

/* Print the words that an option accepts, one line for each group of kinds of recordings. */
static void put_choices(mp_arena *arena, const cli_command *command, const cli_option *option,
                        unsigned heading)
{
    const char *name = name_of(arena, option);
    for (const mp_choice *choice = command->report->choices; choice->argument; choice++) {
        const char *words[MP_MOST_WORDS];
        bool done[MP_MOST_WORDS] = {false};
        unsigned total = mp_report_kinds(command->report, choice->variants);
        bool mine = strcmp(choice->argument, option->name) == 0;
        size_t count = mine ? mp_choice_words(choice, total, words, 0) : 0;
        for (size_t i = 0; i < count; i++) {
            const char *alike[MP_MOST_WORDS], *where = choice->where;
            unsigned kinds = mp_choice_kinds(choice, words[i], total);
            size_t alike_count = 0;
            char list[512];
            if (done[i])
                continue;
            for (size_t j = i; j < count; j++)
                if (mp_choice_kinds(choice, words[j], total) == kinds) {
                    alike[alike_count++] = words[j];
                    done[j] = true;
                }
            if (i == 0 && count > 1 &&
                strcmp(option->name, "of") == 0) /* it always has a default */
                alike[0] = mp_arena_format(arena, "%s (default)", words[0]);
            mp_text_list(alike, alike_count, "or", list, sizeof list);
            const char *some =
                choice->several ? mp_arena_format(arena, ", as %s,%s", words[0], words[1]) : "";
            put_entry(name, mp_arena_format(arena, "%s%s%s%s%s", kinds_of(arena, heading, kinds),
                                            where ? where : "", where ? ": " : "", list, some));
            name = "";
        }
    }
}

static void put_option(mp_arena *arena, const cli_command *command, const cli_option *option,
                       unsigned heading)
{
    const char *words[MP_MOST_WORDS];
    char list[512], usual[32];
    size_t count = cli_option_words(command, option, words);
    if (count && option->kind == CLI_ASKS) {
        put_choices(arena, command, option, heading);
        return;
    }
    if (option->kind == CLI_EXPORTER) /* exporters are listed separately */
        count = 0;
    const char *kinds = kinds_of(arena, heading, cli_option_kinds(command, option));
    mp_text_list(words, count, "or", list, sizeof list);
    put_entry(name_of(arena, option),
              mp_arena_format(arena, "%s%s%s%s%s", kinds, option->help, count ? ": " : "",
                              count ? list : "",
                              cli_option_default(command, option, usual, sizeof usual)));
}

/* --- sections of options --- */

static bool is_of(const cli_command *command, const cli_option *option, cli_section section)
{
    return option->section == section && cli_option_of(command, option->name) == option &&
           (cli_option_kinds(command, option) || !(command->scope & CLI_READS));
}

static bool selects(const cli_option *option)
{
    return option->part_of && strcmp(option->part_of, "selection") == 0;
}

static bool is_listed(const cli_command *command, const cli_option *option)
{
    return is_of(command, option, CLI_PART) && selects(option) && !mp_option_excludes(option->name);
}

/* Print the options that select, grouped by their arguments: "--type, --name GLOB, --stack REGEX".
 * Options that exclude are only mentioned by their prefix. */
static void put_selection(mp_arena *arena, const cli_command *command)
{
    bool done[CLI_MOST_OPTIONS] = {false};
    const char *names = "";
    for (size_t i = 0; i < cli_option_count; i++) {
        const char *argument = cli_option_table[i].argument;
        if (done[i] || !is_listed(command, &cli_option_table[i]))
            continue;
        for (size_t j = i; j < cli_option_count; j++) {
            const cli_option *option = &cli_option_table[j];
            if (!is_listed(command, option) || strcmp(option->argument, argument) != 0)
                continue;
            names = mp_arena_format(arena, "%s%s--%s", names, *names ? ", " : "", option->name);
            done[j] = true;
        }
        names = mp_arena_format(arena, "%s" TIED "%s", names, argument);
    }
    if (!*names)
        return;
    printf("%*s", LEFT + 4, "");
    put_words(names, LEFT + 4, LEFT + 4);
    put_entry("", "keep matching objects; `not-type` etc. exclude them");
}

/* Return the kinds of recordings for the section's heading: the kinds of its first option, or all
 * kinds if any option is for all. */
static unsigned heading_of(const cli_command *command, cli_section section)
{
    unsigned total = cli_command_kinds(command), heading = 0;
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        unsigned kinds = cli_option_kinds(command, option);
        if (!is_of(command, option, section))
            continue;
        if (kinds == total)
            return total;
        heading = heading ? heading : kinds;
    }
    return heading;
}

static void put_section(mp_arena *arena, const cli_command *command, cli_section section,
                        bool complete)
{
    char text[256];
    bool begun = false, compact = section == CLI_PART && !complete;
    unsigned heading =
        section == CLI_READING ? cli_command_kinds(command) : heading_of(command, section);
    bool some = heading != cli_command_kinds(command);
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        if (!is_of(command, option, section))
            continue;
        if (!begun)
            printf("%s%s%s%s:\n", cli_section_name(section), some ? ", for " : "",
                   some ? mp_kinds_text(heading, text, sizeof text) : "",
                   section == CLI_LIMITS ? " (exit status 1 if one is exceeded)" : "");
        if (!begun && compact)
            put_selection(arena, command);
        begun = true;
        if (!compact || !selects(option))
            put_option(arena, command, option, heading);
    }
}

/* Print the options for reading that only some kinds of recordings have. Each line is about a group
 * of kinds: "--at MOMENT, --slices N" for heap logs, and so on. */
static void put_reading(mp_arena *arena, const cli_command *command)
{
    bool done[CLI_MOST_OPTIONS] = {false}, begun = false;
    for (size_t i = 0; i < cli_option_count; i++) {
        if (done[i] || !is_of(command, &cli_option_table[i], CLI_READING))
            continue;
        unsigned kinds = cli_option_kinds(command, &cli_option_table[i]);
        const char *list = "";
        char text[256];
        for (size_t j = i; j < cli_option_count; j++) {
            const cli_option *option = &cli_option_table[j];
            if (!is_of(command, option, CLI_READING) || cli_option_kinds(command, option) != kinds)
                continue;
            done[j] = true;
            list = mp_arena_format(arena, "%s%s--%s%s%s", list, *list ? ", " : "", option->name,
                                   option->argument ? TIED : "",
                                   option->argument ? option->argument : "");
        }
        if (!begun)
            printf("%s:\n", cli_section_name(CLI_READING));
        begun = true;
        put_entry(mp_kinds_text(kinds, text, sizeof text), list);
    }
}

static void put_general(mp_arena *arena, const cli_command *command)
{
    const char *list = "";
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        const bool of_time = strcmp(option->name, "max-time") == 0;
        bool limit = strncmp(option->name, "max-", 4) == 0 && !of_time;
        if (!is_of(command, option, CLI_GENERAL) || limit) /* show only one of the limits */
            continue;
        char letter[] = {'-', option->letter, '/', '\0'};
        list = mp_arena_format(arena, "%s%s%s--%s%s", list, *list ? ", " : "",
                               option->letter ? letter : "", option->name,
                               of_time ? " and other limits" : "");
    }
    printf("%s (details: memprof %s --help --all):\n"
           "  ",
           cli_section_name(CLI_GENERAL), command->name);
    put_words(list, LEFT, LEFT);
}

/* --- a command --- */

static void put_usage(const cli_command *command)
{
    const char *operand = command->operand ? command->operand : "";
    const char *files = command->scope & CLI_SERVES                ? " FOLDER..."
                        : !(command->scope & CLI_READS)            ? ""
                        : cli_compares(command) || *operand == '[' ? " FILE"
                                                                   : " FILE...";
    printf("Usage: memprof %s [OPTIONS]%s%s%s\n", command->name, *operand ? " " : "", operand,
           files);
}

static void put_groups(const cli_command *command)
{
    const char *words[MP_MOST_WORDS];
    size_t count =
        command->report ? mp_report_words(command->report, "by", ~0u, MP_ALL_KINDS, words) : 0;
    bool begun = false;
    for (size_t i = 0; i < count; i++) {
        const char *summary = mp_group_summary(words[i]);
        if (!summary)
            continue;
        if (!begun)
            printf("Groups for memory (--by):\n");
        begun = true;
        put_entry(words[i], summary);
    }
}

static void put_formats(const cli_command *command)
{
    size_t count;
    const mp_renderer *const *renderers = mp_renderers(&count);
    printf("Output formats (--format):\n");
    for (size_t i = 0; i < count; i++)
        if (cli_command_writes(command, renderers[i]))
            put_entry(renderers[i]->name, renderers[i]->summary);
}

static void put_exporters(const cli_command *command)
{
    mp_target target;
    if (!(command->scope & CLI_EXPORTS))
        return;
    printf("Export formats (--to):\n");
    for (size_t i = 0; mp_target_at(i, &target); i++)
        put_entry(target.name, target.summary);
}

/* Print details. A line that begins with blanks is printed unchanged; any other line is a
 * paragraph. */
static void put_details(mp_arena *arena, const char *details)
{
    while (details && *details) {
        size_t length = strcspn(details, "\n");
        bool as_it_is = *details == ' ';
        while (!as_it_is && details[length] && details[length + 1] != ' ')
            length += 1 + strcspn(details + length + 1, "\n");
        const char *text = mp_arena_copy(arena, details, length);
        if (as_it_is)
            puts(text);
        else
            put_words(text, 0, 0);
        details += length + (details[length] != '\0');
    }
}

void cli_help_command(const cli_command *command, bool complete)
{
    mp_arena arena = {0};
    put_usage(command);
    putchar('\n');
    put_words(mp_arena_format(&arena, "memprof %s: %s.", command->name, command->summary), 0, 0);
    put_details(&arena, command->details);
    putchar('\n');
    for (cli_section section = CLI_WHAT; section < CLI_READING; section++)
        put_section(&arena, command, section, complete);
    if (complete) {
        put_section(&arena, command, CLI_READING, true);
        put_section(&arena, command, CLI_GENERAL, true);
        put_groups(command);
        put_formats(command);
    } else {
        put_reading(&arena, command);
        put_general(&arena, command);
    }
    put_exporters(command);
    printf("\nExample:\n  memprof %s\n", command->example);
    mp_arena_free(&arena);
}

/* --- the program --- */

/* The commands that most people need. */
static const char *const main_commands[] = {"analyze", "leaks", "top",    "growth",
                                            "diff",    "gate",  "browse", "export"};
enum { MAIN_COMMANDS = sizeof main_commands / sizeof *main_commands };

static const struct {
    const char *title, *names;
} topics[] = {
    {"memory", " requests lifetimes tree flame treemap "},
    {"heap dumps", " retained dominators path object waste "},
    {"profiles", " coverage annotate calls timeline "},
    {"many recordings", " trend baseline watch schema spool mcp "},
    {"the file", ""}, /* all commands that have no topic */
};
enum { TOPICS = sizeof topics / sizeof *topics };

static bool is_main(const char *name)
{
    for (size_t i = 0; i < MAIN_COMMANDS; i++)
        if (strcmp(main_commands[i], name) == 0)
            return true;
    return false;
}

static unsigned topic_of(const char *name)
{
    char word[32];
    unsigned topic = 0;
    snprintf(word, sizeof word, " %s ", name);
    while (topic < TOPICS - 1 && !strstr(topics[topic].names, word))
        topic++;
    return topic;
}

void cli_help_program(const cli_command *commands, size_t count)
{
    printf("memprof analyzes recordings of memory and execution profilers. It shows what\n"
           "leaks, what grows, what is largest, and which code is responsible.\n\n"
           "Usage: memprof [COMMAND] [OPTIONS] FILE...\n\n"
           "Main commands:\n");
    for (size_t main = 0; main < MAIN_COMMANDS; main++)
        for (size_t i = 0; i < count; i++)
            if (strcmp(commands[i].name, main_commands[main]) == 0)
                printf("  %-8s  %s\n", commands[i].name, commands[i].summary);
    printf("\ngrowth compares two moments of one recording, diff compares two recordings, and\n"
           "trend follows a series of builds.\n\nMore commands:\n");
    for (unsigned topic = 0; topic < TOPICS; topic++) {
        const char *separator = "";
        printf("  %-15s  ", topics[topic].title);
        for (size_t i = 0; i < count; i++)
            if (!is_main(commands[i].name) && topic_of(commands[i].name) == topic) {
                printf("%s%s", separator, commands[i].name);
                separator = ", ";
            }
        putchar('\n');
    }
    printf("\nThe default command is analyze. \"-\" reads standard input; a folder means all\n"
           "recordings in it. memprof COMMAND --help shows the options of a command.\n\n"
           "Examples:\n"
           "  memprof %s\n"
           "  memprof leaks samples/shop-v2.oemp --max-trend 1M\n"
           "  memprof diff samples/shop-v2.oemp samples/shop-fixed.oemp\n\n"
           "Exit status: 0 %s; 1 %s; 2 %s;\n"
           "3 %s.\n",
           commands->example, cli_status_meanings[CLI_OK], cli_status_meanings[CLI_EXCEEDED],
           cli_status_meanings[CLI_USAGE], cli_status_meanings[CLI_UNREADABLE]);
}
