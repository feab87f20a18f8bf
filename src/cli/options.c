#include "cli/options.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

const char *const cli_status_meanings[CLI_STATUSES] = {
    [CLI_OK] = "done",
    [CLI_EXCEEDED] = "a limit, a rule or a check failed",
    [CLI_USAGE] = "wrong usage",
    [CLI_UNREADABLE] = "something could not be read, written or judged",
};

#define AT(member) .offset = offsetof(cli_options, member)

/* Where one name stands twice, it means one thing to some commands and another to others. */
const cli_option cli_option_table[] = {
    {"from", "SNAPSHOT", "first snapshot: number, tag, tag#k, first or peak",
     "a number, a tag, tag#k, first, last or peak", .kind = CLI_ASKS, .section = CLI_WHAT,
     .judged = true},
    {"to", "SNAPSHOT", "last snapshot (default: last _PreCleanUp, else before _Exit, else last)",
     "a number, a tag, tag#k, first, last or peak", .kind = CLI_ASKS, .section = CLI_WHAT,
     .judged = true},
#define MP_OPTION(name, argument, help, takes, how, place, ...)                                    \
    {name, argument, help, takes, .kind = CLI_READS_AS, __VA_ARGS__},
#define CLI_OPTION(...) {__VA_ARGS__},
#include "session/options.def"
#undef MP_OPTION
#undef CLI_OPTION
    {"skip", "GLOB", "skip dominators of matching types; repeatable", "a pattern", .kind = CLI_ASKS,
     .section = CLI_WHAT, .repeats = true},
    {"file", "FILE", "read the statement from this file", "a path", .kind = CLI_ASKS,
     .section = CLI_WHAT, .by_hand = true},
    {"schema", NULL, "list the tables and their columns", NULL, .kind = CLI_ASKS,
     .section = CLI_WHAT, .by_hand = true},
    {"only", "GLOB", "keep only groups whose name matches", "a pattern", .kind = CLI_ASKS,
     .section = CLI_PART},
    {"type", "GLOB", "select all objects of matching types instead of one object", "a pattern",
     .kind = CLI_ASKS, .section = CLI_WHAT},
    {"exclude", "GLOB", "exclude paths through matching types, or through this object; repeatable",
     "a pattern, or the id of an object", .kind = CLI_ASKS, .section = CLI_WHAT, .repeats = true},
    {"paths", "N", "show N paths that share only the objects common to all paths", "a whole number",
     .kind = CLI_ASKS, .section = CLI_WHAT},
    {"all-kinds", NULL, "show one path from each kind of root", NULL, .kind = CLI_ASKS,
     .section = CLI_WHAT},
    {"of", "WHAT", "metric", "a word", .kind = CLI_ASKS, .section = CLI_WHAT},
    {"by", "WHAT", "group rows by", "a word", .kind = CLI_ASKS, .section = CLI_WHAT},
    {"sort", "WHAT", "sort rows by", "a word", .kind = CLI_ASKS, .section = CLI_LOOKS,
     .letter = 's'},
    {"status", "WHAT", "keep only rows of this status; separate several by commas", "a word",
     .kind = CLI_ASKS, .section = CLI_PART},
    {"order", "WHAT", "order builds by start time or by name: time, name", "time or name",
     .kind = CLI_ASKS, .section = CLI_LOOKS, .judged = true},
    {"limit", "N", "maximum rows per table (0 = no limit)", "a whole number", .kind = CLI_ASKS,
     .section = CLI_LOOKS, .letter = 'n'},
    {"stack-depth", "N", "callers shown per stack; 64 in JSON", "a whole number", .kind = CLI_ASKS,
     .section = CLI_LOOKS},
    {"uncovered", NULL, "list the lines that were never executed, as ranges", NULL,
     .kind = CLI_ASKS, .section = CLI_WHAT},
    {"depth", "N", "maximum levels of the tree (0 = no limit)", "a whole number", .kind = CLI_ASKS,
     .section = CLI_LOOKS},
    {"min-percent", "P", "omit entries below this share in percent", "a number from 0 to 100",
     .kind = CLI_ASKS, .section = CLI_LOOKS},
    {"max-trend", "SIZE|P%", "fail if leaks that keep growing exceed this size",
     "a size such as 64K or 1.5MiB, or a percentage such as 10%", .kind = CLI_ASKS,
     .section = CLI_LIMITS},
    {"max-growth", "SIZE|P%", "fail if live bytes grew by more between --from and --to",
     "a size such as 64K or 1.5MiB, or a percentage such as 10%", .kind = CLI_ASKS,
     .section = CLI_LIMITS},
    {"max-growth", "SIZE|P%",
     "exit with status 1 when live bytes have grown by more since the first snapshot",
     "a size such as 64K or 1.5MiB, or a percentage such as 10%", .kind = CLI_GROWTH,
     AT(max_growth), .scope = CLI_WATCHES, .section = CLI_LIMITS},
    {"max-slope", "SIZE", "fail if a site grows by more bytes per build",
     "a size such as 64K or 1.5MiB", .kind = CLI_ASKS, .section = CLI_LIMITS},
    {"max-platform-growth", "SIZE|P%", "fail if the runtime's own memory grew by more",
     "a size such as 64K or 1.5MiB, or a percentage such as 10%", .kind = CLI_ASKS,
     .section = CLI_LIMITS},
    {"max-leaked", "SIZE", "fail if more bytes leaked",
     "a size such as 64K or 1.5MiB (for a percentage: --max-trend)", .kind = CLI_ASKS,
     .section = CLI_LIMITS},
    {"max-leaked", "SIZE",
     "exit with status 1 when more bytes created since the first snapshot are alive",
     "a size such as 64K or 1.5MiB", .kind = CLI_CEILING, AT(max_leaked), .scope = CLI_WATCHES,
     .section = CLI_LIMITS},
    {"policy", "FILE", "exit with status 1 when a rule of this policy fails", "a path",
     .kind = CLI_NAME, AT(watch_policy), .scope = CLI_WATCHES, .section = CLI_LIMITS},
    {"exec", "CMD",
     "shell command to run when a limit is exceeded; MEMPROF_... variables describe it",
     "a command", .kind = CLI_NAME, AT(command_on_limit), .scope = CLI_WATCHES,
     .section = CLI_LIMITS, .by_hand = true},
    {"until-exit", NULL, "stop when every recording reports the end of its process", NULL,
     .kind = CLI_FLAG, AT(until_exit), .scope = CLI_WATCHES, .section = CLI_WHAT},
    {"timeout", "TIME", "stop when nothing was written for this long (default: never)",
     "a time with its unit, such as 90s or 10min", .kind = CLI_TIME, AT(quiet_us),
     .scope = CLI_WATCHES, .section = CLI_WHAT},
    {"poll", "TIME",
     "interval between checks for changes (default: notifications, and every second)",
     "a time with its unit, such as 250ms or 2s", .kind = CLI_TIME, AT(look_us),
     .scope = CLI_WATCHES, .section = CLI_WHAT},
    {"max-live", "SIZE", "fail if more bytes are alive",
     "a size such as 64K or 1.5MiB (for a percentage: --max-growth)", .kind = CLI_ASKS,
     .section = CLI_LIMITS},
    {"min-lines", "P%", "fail if a smaller percentage of lines was executed",
     "a percentage from 0% to 100%", .kind = CLI_ASKS, .section = CLI_LIMITS},
    {"type", "GLOB", "keep only objects of matching types; repeatable", "a pattern",
     .kind = CLI_ASKS, .of = "selection", .section = CLI_PART, .repeats = true},
    {"name", "GLOB", "keep only objects with matching names; in profiles, matching methods",
     "a pattern", .kind = CLI_ASKS, .of = "selection", .section = CLI_PART, .repeats = true},
    {"source", "GLOB",
     "keep only objects created by matching sources or functions; in profiles, programs",
     "a pattern", .kind = CLI_ASKS, .of = "selection", .section = CLI_PART, .repeats = true},
    {"stack", "REGEX", "keep only stacks with a matching frame, written name:line",
     "an extended regular expression", .kind = CLI_ASKS, .of = "selection", .section = CLI_PART,
     .repeats = true},
    {"thread", "GLOB", "keep only objects created by matching threads", "a pattern",
     .kind = CLI_ASKS, .of = "selection", .section = CLI_PART, .repeats = true},
    {"tag", "GLOB", "keep only objects that first appear in snapshots with matching tags",
     "a pattern", .kind = CLI_ASKS, .of = "selection", .section = CLI_PART, .repeats = true},
    {"request", "GLOB", "keep only objects created by matching requests", "a pattern",
     .kind = CLI_ASKS, .of = "selection", .section = CLI_PART, .repeats = true},
    {"api", "GLOB", "keep only objects created by calls of matching APIs", "a pattern",
     .kind = CLI_ASKS, .of = "selection", .section = CLI_PART, .repeats = true},
    {"not-type", "GLOB", "exclude objects of matching types", "a pattern", .kind = CLI_ASKS,
     .of = "selection", .section = CLI_PART, .repeats = true},
    {"not-name", "GLOB", "exclude objects with matching names", "a pattern", .kind = CLI_ASKS,
     .of = "selection", .section = CLI_PART, .repeats = true},
    {"not-source", "GLOB", "exclude objects created by matching sources or functions", "a pattern",
     .kind = CLI_ASKS, .of = "selection", .section = CLI_PART, .repeats = true},
    {"not-stack", "REGEX", "exclude stacks with a matching frame", "an extended regular expression",
     .kind = CLI_ASKS, .of = "selection", .section = CLI_PART, .repeats = true},
    {"not-thread", "GLOB", "exclude objects created by matching threads", "a pattern",
     .kind = CLI_ASKS, .of = "selection", .section = CLI_PART, .repeats = true},
    {"not-tag", "GLOB", "exclude objects that first appear in snapshots with matching tags",
     "a pattern", .kind = CLI_ASKS, .of = "selection", .section = CLI_PART, .repeats = true},
    {"not-request", "GLOB", "exclude objects created by matching requests", "a pattern",
     .kind = CLI_ASKS, .of = "selection", .section = CLI_PART, .repeats = true},
    {"not-api", "GLOB", "exclude objects created by calls of matching APIs", "a pattern",
     .kind = CLI_ASKS, .of = "selection", .section = CLI_PART, .repeats = true},
    {"since", "TIME",
     "keep only objects created from this time on: 90s, 1500 (microseconds); in heap logs, rounded "
     "to snapshots",
     "a time such as 1500 (microseconds), 90s or 1:02:03.5, or by the clock, "
     "2026-03-02T08:16:00+01:00",
     .kind = CLI_ASKS, .of = "selection", .section = CLI_PART},
    {"until", "TIME", "keep only objects created up to this time: 90s, 1500 (microseconds)",
     "a time such as 1500 (microseconds), 90s or 1:02:03.5, or by the clock, "
     "2026-03-02T08:16:00+01:00",
     .kind = CLI_ASKS, .of = "selection", .section = CLI_PART},
    {"min-size", "SIZE", "minimum bytes per row", "a size such as 64K or 1.5MiB", .kind = CLI_ASKS,
     .section = CLI_PART},
    {"min-count", "N", "minimum objects or calls per row", "a whole number", .kind = CLI_ASKS,
     .section = CLI_PART},
    {"base", "FILE", "recording or baseline to compare with", "a path", .kind = CLI_ASKS,
     .section = CLI_WHAT},
    {"against", "FILE", "fail unless the file is byte for byte the one this baseline was made from",
     "a path", .kind = CLI_ASKS, .section = CLI_WHAT},
    {"store", "DIR", "folder that stores the baselines", "a path", .kind = CLI_NAME, AT(store),
     .scope = CLI_STORES, .section = CLI_WHAT, .by_hand = true},
    {"as", "NAME", "name of the baseline (default: the name of the recording)",
     "a name without a slash", .kind = CLI_FILE_NAME, AT(baseline_name), .scope = CLI_STORES,
     .section = CLI_WHAT, .by_hand = true},
    {"policy", "FILE", "policy file, instead of the operand POLICY", "a path", .kind = CLI_ASKS,
     .section = CLI_WHAT},
    {"policy", "FILE", "policy that check applies (default: at most 10 % more)", "a path",
     .kind = CLI_ASKS, .scope = CLI_STORES, .section = CLI_WHAT},
    {"ignore-lines", NULL, "ignore line numbers in stacks and methods", NULL, .kind = CLI_ASKS,
     .section = CLI_WHAT},
    {"normalize", "s/RE/TEXT/", "rewrite names before comparing them; repeatable",
     "a substitution such as s/build-[0-9]+/build/ or s|/tmp/[^/]*||g", .kind = CLI_ASKS,
     .section = CLI_WHAT, .repeats = true, .judged = true},
    {"min-change", "SIZE|P%", "omit smaller changes (profiles: a time such as 5ms)",
     "a size such as 64K, a time such as 5ms, or a percentage such as 10%", .kind = CLI_ASKS,
     .section = CLI_PART},
    {"keep-profiler", NULL, "include the profiler's own code, lib/zprofiler", NULL,
     .kind = CLI_ASKS, .section = CLI_WHAT, .judged = true},
    {"sources", "DIR", "folder that contains the sources; repeatable", "a folder that exists",
     .kind = CLI_ASKS, .section = CLI_WHAT, .repeats = true},
    {"sources", "DIR", "folder that contains the sources an editor opens; repeatable",
     "a folder that exists", .kind = CLI_FOLDERS, AT(source_folders), .scope = CLI_BROWSES,
     .section = CLI_WHAT, .repeats = true},
    {"context", "N", "lines shown around each line with a cost", "a whole number", .kind = CLI_ASKS,
     .section = CLI_LOOKS},
    {"suppress", "FILE", "accept the leaks listed in this file; repeatable", "a path",
     .kind = CLI_ASKS, .section = CLI_WHAT, .repeats = true, .judged = true},
    {"today", "DAY", "date used to expire suppressions (default: today)",
     "a day such as 2027-06-30", .kind = CLI_ASKS, .of = "suppress", .section = CLI_WHAT,
     .judged = true},
    {"quiet", NULL, "print no notes, warnings or progress on standard error", NULL,
     .kind = CLI_FLAG, AT(quiet), .scope = CLI_READS, .section = CLI_GENERAL, .letter = 'q'},
    {"verbose", NULL, "print every occurrence of each warning", NULL, .kind = CLI_FLAG, AT(verbose),
     .scope = CLI_LOADS, .section = CLI_GENERAL, .letter = 'v'},
    {"format", "FORMAT", "output format", NULL, .kind = CLI_RENDERER, .scope = CLI_ALWAYS,
     .section = CLI_LOOKS, .letter = 'f'},
    {"brief", NULL, "print only the summary; at most 5000 bytes of JSON", NULL, .kind = CLI_FLAG,
     AT(brief), .scope = CLI_PRINTS, .section = CLI_LOOKS},
    {"output", "FILE", "file to write; .html, .json etc. select the format", "a path",
     .kind = CLI_NAME, AT(output), .scope = CLI_PRINTS, .section = CLI_LOOKS, .letter = 'o',
     .by_hand = true},
    {"chart", "FILE", "also draw the result as SVG in this file", "a path", .kind = CLI_NAME,
     AT(chart), .section = CLI_LOOKS, .by_hand = true},
    {"to", "FORMAT", "output format for another tool", "cobertura, lcov or sonar-generic",
     .kind = CLI_OWN_RENDERER, .of = "format", .section = CLI_LOOKS},
    {"to", "FORMAT", "format to write: one of those listed below",
     "the name of a format (see memprof export --help)", .kind = CLI_EXPORTER, .scope = CLI_EXPORTS,
     .section = CLI_WHAT},
    {"output", "FILE", "file to write; - is standard output", "a path", .kind = CLI_NAME,
     AT(export_path), .scope = CLI_EXPORTS, .section = CLI_WHAT, .letter = 'o', .by_hand = true},
    {"color", "WHEN", "use colours", "auto, always or never", .kind = CLI_COLOURING,
     .scope = CLI_ALWAYS, .section = CLI_GENERAL},
    {"width", "N", "columns to fit text to; 0 = no limit (default: width of the terminal)",
     "0, or a number from 60 to 10000", .kind = CLI_WIDTH, .scope = CLI_ALWAYS,
     .section = CLI_GENERAL},
    {"no-pager", NULL, "use no pager on a terminal", NULL, .kind = CLI_FLAG, AT(no_pager),
     .scope = CLI_ALWAYS, .section = CLI_GENERAL},
    {"no-sandbox", NULL, "run without the sandbox, which denies other files, network and programs",
     NULL, .kind = CLI_FLAG, AT(no_sandbox), .scope = CLI_READS, .section = CLI_GENERAL,
     .by_hand = true},
    {"all", NULL, "with --help: show all options of the command", NULL, .kind = CLI_FLAG,
     AT(help_all), .scope = CLI_ALWAYS, .section = CLI_GENERAL, .by_hand = true},
    {"no-config", NULL, "ignore .memprof and the user's configuration", NULL, .kind = CLI_FLAG,
     AT(no_config), .scope = CLI_ALWAYS, .section = CLI_GENERAL, .by_hand = true},
    {"help", NULL, "show this help", NULL, .kind = CLI_FLAG, AT(help), .scope = CLI_ALWAYS,
     .section = CLI_GENERAL, .letter = 'h', .by_hand = true},
    {"version", NULL, "show the version", NULL, .kind = CLI_FLAG, AT(version), .scope = CLI_ALWAYS,
     .section = CLI_GENERAL, .letter = 'V', .by_hand = true},
};
_Static_assert(sizeof cli_option_table / sizeof *cli_option_table <= CLI_MOST_OPTIONS, "too many");
const size_t cli_option_count = sizeof cli_option_table / sizeof *cli_option_table;

/* --- taking an argument --- */

const char *cli_option_argument(const cli_option *option)
{
    return option->of ? option->of : option->name;
}

/* --- what options are to a command --- */

/* What a report itself is asked is its own argument; how inputs are read is one that it shares. */
static bool means(const cli_option *option, const mp_argument *argument)
{
    return argument && (option->kind == CLI_ASKS || argument->kind == MP_ARGUMENT_SHARED);
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

bool cli_compares(const cli_command *command)
{
    return command->report && command->report->operand == MP_OPERAND_BASE;
}

const char *cli_command_nearest(const cli_command *commands, size_t count, const char *name)
{
    /* Names of commands in other programs. */
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
    for (size_t i = 0; i < count; i++)
        names[i] = commands[i].name;
    return mp_text_nearest(name, names, count);
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

/* What is selected by, of the kinds that can tell it. A graph of objects tells what dumps do. */
static unsigned kinds_to_select(const mp_report *report, const char *name, unsigned kinds)
{
    unsigned can = mp_selection_kinds(name);
    bool of_graph = report->variants[0].needs & MP_HOLDS_GRAPH;
    return of_graph && !(can & 1u << MP_KIND_DUMP) ? 0 : kinds & can;
}

unsigned cli_option_kinds(const cli_command *command, const cli_option *option)
{
    const char *name = cli_option_argument(option);
    const mp_report *report = command->report;
    const mp_argument *argument = mp_argument_find(command->arguments, name);
    unsigned all = cli_command_kinds(command);
    if (option->scope || !argument || !all)
        return all;
    unsigned kinds = report && command->arguments == &report->arguments
                         ? mp_report_kinds(report, argument->variants)
                         : argument->variants;
    kinds = kinds ? kinds : all; /* a baseline's are those of each gate */
    if (strcmp(name, "selection") != 0)
        return kinds;
    return report ? kinds_to_select(report, option->name, kinds)
                  : kinds & mp_selection_kinds(option->name);
}

const char *cli_option_default(const cli_command *command, const cli_option *option, char *text,
                               size_t size)
{
    const mp_argument_table *table = command->arguments;
    const mp_argument *row = mp_argument_find(table, option->name);
    const void *place = row && table->defaults ? (const char *)table->defaults + row->offset : NULL;
    *text = '\0';
    if (place && row->kind == MP_ARGUMENT_COUNT && *(const int64_t *)place > 0)
        snprintf(text, size, " (default %d)", (int)*(const int64_t *)place);
    else if (place && row->kind == MP_ARGUMENT_PERCENT && *(const double *)place > 0)
        snprintf(text, size, " (default %g)", *(const double *)place);
    return text;
}

/* Whether anything can be held to rules or limits. */
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
    const char *only = renderer->command, *at = only ? strstr(only, name) : NULL;
    size_t length = strlen(name);
    if (command->scope & CLI_WATCHES)
        return renderer->put_row != NULL;
    if (command->scope & CLI_EXPORTS && renderer->draws)
        return false; /* what was written has no picture */
    bool named = at && (at == only || at[-1] == ' ') && (!at[length] || at[length] == ' ');
    return only ? named : !renderer->of_checks || has_checks(command);
}

/* As cli_colour has them. */
static const char *const colourings[] = {"auto", "always", "never"};

static size_t put_words(const char *const *from, size_t count, const char **words)
{
    memcpy(words, from, count * sizeof *words);
    return count;
}

size_t cli_option_words(const cli_command *command, const cli_option *option, const char **words)
{
    size_t count = 0, all;
    const mp_renderer *const *renderers = mp_renderers(&all);
    bool own = option->kind == CLI_OWN_RENDERER;
    switch (option->kind) {
    case CLI_ASKS:
        return command->report ? mp_report_words(command->report, cli_option_argument(option), ~0u,
                                                 MP_ALL_KINDS, words)
                               : 0;
    case CLI_RENDERER:
    case CLI_OWN_RENDERER:
        for (size_t i = 0; i < all; i++)
            if ((!own ||
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
