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
    {"from", "SNAPSHOT", "from this snapshot: number, tag, tag#k, first, peak",
     "a number, a tag, tag#k, first, last or peak", .kind = CLI_ASKS, .section = CLI_WHAT,
     .judged = true},
    {"to", "SNAPSHOT", "up to this one (default: last _PreCleanUp, before _Exit, or last)",
     "a number, a tag, tag#k, first, last or peak", .kind = CLI_ASKS, .section = CLI_WHAT,
     .judged = true},
    {"at", "MOMENT", "what was alive then: 90s, 250ms, 1:02:03.5, 1500 (microseconds) or peak",
     "peak, or a time from the start such as 1500 (microseconds), 250ms, 90s or 1:02:03.5",
     .kind = CLI_MOMENT, .section = CLI_READING, .judged = true},
    {"slices", "N|TIME", "make so many snapshots of the log, or one each so long (default 20)",
     "a number from 1 to 10000, or a time such as 10s", .kind = CLI_SLICES, .section = CLI_READING,
     .judged = true},
    {"temporary", "N|TIME", "temporary: deleted within N events of its thread, or so soon",
     "a number of events, or a time such as 250us", .kind = CLI_TEMPORARY, .section = CLI_READING},
    {"reorder", "EVENTS",
     "let so many events wait for late ones, to order them by time (default 10000)",
     "a number of events up to 100000000, 0 for the order of the file", .kind = CLI_REORDER,
     .section = CLI_READING, .judged = true},
    {"skip", "GLOB", "do not name sites by such frames; may be repeated", "a pattern",
     .kind = CLI_TEXTS, AT(reading.skips), .section = CLI_READING, .repeats = true, .judged = true},
    {"skip", "GLOB", "pass over dominators of such types; may be repeated", "a pattern",
     .kind = CLI_ASKS, .section = CLI_WHAT, .repeats = true},
    {"no-skip", NULL, "name sites by their innermost frame, even operator new", NULL,
     .kind = CLI_FLAG, AT(reading.load.no_skips), .of = "skip", .section = CLI_READING,
     .judged = true},
    {"domain", "NAME", "only this application domain", "a name", .kind = CLI_NAME,
     AT(reading.load.domain), .section = CLI_READING, .judged = true},
    {"only", "GLOB", "only groups whose name matches", "a pattern", .kind = CLI_ASKS,
     .section = CLI_PART},
    {"type", "GLOB", "in place of one object: all objects of such types", "a pattern",
     .kind = CLI_ASKS, .section = CLI_WHAT},
    {"exclude", "GLOB", "no paths over such types, or over this object; may be repeated",
     "a pattern, or the id of an object", .kind = CLI_ASKS, .section = CLI_WHAT, .repeats = true},
    {"paths", "N", "so many paths, which share only what every path leads over", "a whole number",
     .kind = CLI_ASKS, .section = CLI_WHAT},
    {"all-kinds", NULL, "one path from each kind of root", NULL, .kind = CLI_ASKS,
     .section = CLI_WHAT},
    {"of", "WHAT", "what is weighed", "a word", .kind = CLI_ASKS, .section = CLI_WHAT},
    {"by", "WHAT", "group by this", "a word", .kind = CLI_ASKS, .section = CLI_WHAT},
    {"sort", "WHAT", "order by this", "a word", .kind = CLI_ASKS, .section = CLI_LOOKS,
     .letter = 's'},
    {"status", "WHAT", "only what became so: some of these, with commas between them", "a word",
     .kind = CLI_ASKS, .section = CLI_PART},
    {"order", "WHAT", "builds by the time they began, or by name: time, name", "time or name",
     .kind = CLI_ASKS, .section = CLI_LOOKS, .judged = true},
    {"limit", "N", "at most so many rows of a table; 0: all", "a whole number", .kind = CLI_ASKS,
     .section = CLI_LOOKS, .letter = 'n'},
    {"stack-depth", "N", "callers of a stack; in JSON 64", "a whole number", .kind = CLI_ASKS,
     .section = CLI_LOOKS},
    {"uncovered", NULL, "the lines that were never executed, as ranges", NULL, .kind = CLI_ASKS,
     .section = CLI_WHAT},
    {"depth", "N", "so many levels of the tree; 0: all", "a whole number", .kind = CLI_ASKS,
     .section = CLI_LOOKS},
    {"min-percent", "P", "leave out what is below this share", "a number from 0 to 100",
     .kind = CLI_ASKS, .section = CLI_LOOKS},
    {"max-trend", "SIZE|P%", "fail if leaks that keep growing have more bytes",
     "a size such as 64K or 1.5MiB, or a percentage such as 10%", .kind = CLI_ASKS,
     .section = CLI_LIMITS},
    {"max-growth", "SIZE|P%", "fail if the bytes alive grew by more, from start to end",
     "a size such as 64K or 1.5MiB, or a percentage such as 10%", .kind = CLI_ASKS,
     .section = CLI_LIMITS},
    {"max-growth", "SIZE|P%", "end with 1 if the bytes alive grow by more, from the start on",
     "a size such as 64K or 1.5MiB, or a percentage such as 10%", .kind = CLI_GROWTH,
     AT(max_growth), .scope = CLI_WATCHES, .section = CLI_LIMITS},
    {"max-slope", "SIZE", "fail if a site grows by more a build", "a size such as 64K or 1.5MiB",
     .kind = CLI_ASKS, .section = CLI_LIMITS},
    {"max-platform-growth", "SIZE|P%", "fail if the runtime's own memory grew by more",
     "a size such as 64K or 1.5MiB, or a percentage such as 10%", .kind = CLI_ASKS,
     .section = CLI_LIMITS},
    {"max-leaked", "SIZE", "fail if more bytes leaked",
     "a size such as 64K or 1.5MiB (of a percentage there is --max-trend)", .kind = CLI_ASKS,
     .section = CLI_LIMITS},
    {"max-leaked", "SIZE", "end with 1 if more bytes that were created since are alive",
     "a size such as 64K or 1.5MiB", .kind = CLI_CEILING, AT(max_leaked), .scope = CLI_WATCHES,
     .section = CLI_LIMITS},
    {"policy", "FILE", "end with 1 if a rule of these fails", "a path", .kind = CLI_NAME,
     AT(watch_policy), .scope = CLI_WATCHES, .section = CLI_LIMITS},
    {"exec", "CMD", "then have the shell run this, which finds what it was in MEMPROF_...",
     "a command", .kind = CLI_NAME, AT(command_on_limit), .scope = CLI_WATCHES,
     .section = CLI_LIMITS, .by_hand = true},
    {"until-exit", NULL, "end when each recording says that its process ended", NULL,
     .kind = CLI_FLAG, AT(until_exit), .scope = CLI_WATCHES, .section = CLI_WHAT},
    {"timeout", "TIME", "end when nothing came for so long (default: never)",
     "a time with its unit, such as 90s or 10min", .kind = CLI_TIME, AT(quiet_us),
     .scope = CLI_WATCHES, .section = CLI_WHAT},
    {"poll", "TIME", "look so often (default: be told of changes, and look each second)",
     "a time with its unit, such as 250ms or 2s", .kind = CLI_TIME, AT(look_us),
     .scope = CLI_WATCHES, .section = CLI_WHAT},
    {"max-live", "SIZE", "fail if more bytes are alive",
     "a size such as 64K or 1.5MiB (of a percentage there is --max-growth)", .kind = CLI_ASKS,
     .section = CLI_LIMITS},
    {"min-lines", "P%", "fail if a smaller share of the lines was executed",
     "a percentage from 0% to 100%", .kind = CLI_ASKS, .section = CLI_LIMITS},
    {"type", "GLOB", "only objects of such types; may be repeated, as all of these", "a pattern",
     .kind = CLI_ASKS, .of = "selection", .section = CLI_PART, .repeats = true},
    {"name", "GLOB", "only objects of such names; in profiles, such methods", "a pattern",
     .kind = CLI_ASKS, .of = "selection", .section = CLI_PART, .repeats = true},
    {"source", "GLOB", "only what such sources or functions created; such programs", "a pattern",
     .kind = CLI_ASKS, .of = "selection", .section = CLI_PART, .repeats = true},
    {"stack", "REGEX", "only what has such a frame on its stack, as name:line",
     "an extended regular expression", .kind = CLI_ASKS, .of = "selection", .section = CLI_PART,
     .repeats = true},
    {"thread", "GLOB", "only what such threads created", "a pattern", .kind = CLI_ASKS,
     .of = "selection", .section = CLI_PART, .repeats = true},
    {"tag", "GLOB", "only objects that first appear in snapshots of such tags", "a pattern",
     .kind = CLI_ASKS, .of = "selection", .section = CLI_PART, .repeats = true},
    {"request", "GLOB", "only objects that such requests created", "a pattern", .kind = CLI_ASKS,
     .of = "selection", .section = CLI_PART, .repeats = true},
    {"api", "GLOB", "only objects that calls of such APIs created", "a pattern", .kind = CLI_ASKS,
     .of = "selection", .section = CLI_PART, .repeats = true},
    {"not-type", "GLOB", "none of such types", "a pattern", .kind = CLI_ASKS, .of = "selection",
     .section = CLI_PART, .repeats = true},
    {"not-name", "GLOB", "none of such names", "a pattern", .kind = CLI_ASKS, .of = "selection",
     .section = CLI_PART, .repeats = true},
    {"not-source", "GLOB", "none of such sources or functions", "a pattern", .kind = CLI_ASKS,
     .of = "selection", .section = CLI_PART, .repeats = true},
    {"not-stack", "REGEX", "none with such a frame on its stack", "an extended regular expression",
     .kind = CLI_ASKS, .of = "selection", .section = CLI_PART, .repeats = true},
    {"not-thread", "GLOB", "none of such threads", "a pattern", .kind = CLI_ASKS, .of = "selection",
     .section = CLI_PART, .repeats = true},
    {"not-tag", "GLOB", "none of such tags", "a pattern", .kind = CLI_ASKS, .of = "selection",
     .section = CLI_PART, .repeats = true},
    {"not-request", "GLOB", "none of such requests", "a pattern", .kind = CLI_ASKS,
     .of = "selection", .section = CLI_PART, .repeats = true},
    {"not-api", "GLOB", "none of calls of such APIs", "a pattern", .kind = CLI_ASKS,
     .of = "selection", .section = CLI_PART, .repeats = true},
    {"since", "TIME",
     "only objects created from then on: 90s, 1500 (microseconds); of heap logs, by snapshots",
     "a time such as 1500 (microseconds), 90s or 1:02:03.5, or by the clock, "
     "2026-03-02T08:16:00+01:00",
     .kind = CLI_ASKS, .of = "selection", .section = CLI_PART},
    {"until", "TIME", "only objects created up to then: 90s, 1500 (microseconds)",
     "a time such as 1500 (microseconds), 90s or 1:02:03.5, or by the clock, "
     "2026-03-02T08:16:00+01:00",
     .kind = CLI_ASKS, .of = "selection", .section = CLI_PART},
    {"min-size", "SIZE", "only rows of at least so many bytes", "a size such as 64K or 1.5MiB",
     .kind = CLI_ASKS, .section = CLI_PART},
    {"min-count", "N", "only rows of at least so many objects or calls", "a whole number",
     .kind = CLI_ASKS, .section = CLI_PART},
    {"base", "FILE", "hold the recording against this one, or this baseline", "a path",
     .kind = CLI_ASKS, .section = CLI_WHAT},
    {"against", "FILE", "fail if it is not byte for byte what this baseline was made of", "a path",
     .kind = CLI_ASKS, .section = CLI_WHAT},
    {"store", "DIR", "the folder of the baselines", "a path", .kind = CLI_NAME, AT(store),
     .scope = CLI_STORES, .section = CLI_WHAT, .by_hand = true},
    {"as", "NAME", "the baseline's name (default: the recording's)", "a name without a slash",
     .kind = CLI_FILE_NAME, AT(baseline_name), .scope = CLI_STORES, .section = CLI_WHAT,
     .by_hand = true},
    {"policy", "FILE", "the policy, in place of POLICY before the files", "a path",
     .kind = CLI_ASKS, .section = CLI_WHAT},
    {"policy", "FILE", "the rules of check (default: no more than a tenth more)", "a path",
     .kind = CLI_ASKS, .scope = CLI_STORES, .section = CLI_WHAT},
    {"ignore-lines", NULL, "compare stacks and methods without their lines", NULL, .kind = CLI_ASKS,
     .section = CLI_WHAT},
    {"normalize", "s/RE/TEXT/", "rewrite names before they are compared; may be repeated",
     "a substitution such as s/build-[0-9]+/build/ or s|/tmp/[^/]*||g", .kind = CLI_ASKS,
     .section = CLI_WHAT, .repeats = true, .judged = true},
    {"min-change", "SIZE|P%", "leave out smaller; of profiles, a time such as 5ms",
     "a size such as 64K, a time such as 5ms, or a percentage such as 10%", .kind = CLI_ASKS,
     .section = CLI_PART},
    {"keep-profiler", NULL, "count what profiled them, lib/zprofiler, too", NULL, .kind = CLI_ASKS,
     .section = CLI_WHAT, .judged = true},
    {"sources", "DIR", "the folder that the sources lie below; may be repeated",
     "a folder that exists", .kind = CLI_ASKS, .section = CLI_WHAT, .repeats = true},
    {"sources", "DIR", "the folder of the sources that an editor is to open; may be repeated",
     "a folder that exists", .kind = CLI_FOLDERS, AT(source_folders), .scope = CLI_BROWSES,
     .section = CLI_WHAT, .repeats = true},
    {"context", "N", "lines shown around those that cost something", "a whole number",
     .kind = CLI_ASKS, .section = CLI_LOOKS},
    {"listings", "DIR", "look for debug listings (.dbg) there; may be repeated",
     "a folder that exists", .kind = CLI_FOLDERS, AT(reading.listings), .section = CLI_READING,
     .repeats = true},
    {"suppress", "FILE", "leaks listed there are accepted; may be repeated", "a path",
     .kind = CLI_ASKS, .section = CLI_WHAT, .repeats = true, .judged = true},
    {"today", "DAY", "the day that suppressions expire by (default: today)",
     "a day such as 2027-06-30", .kind = CLI_ASKS, .of = "suppress", .section = CLI_WHAT,
     .judged = true},
    {"input-format", "NAME", "do not find out, read as this format",
     "the name of a format (see memprof formats)", .kind = CLI_READER, .scope = CLI_READS,
     .section = CLI_GENERAL, .judged = true},
    {"encoding", "NAME", "texts of recordings are encoded so (default: UTF-8, else ISO 8859-1)",
     "the name of an encoding such as CP1252 (iconv -l lists them)", .kind = CLI_ENCODING,
     .scope = CLI_READS, .section = CLI_GENERAL},
    {"group", "WHICH", "read together: each apart, an agent's sessions, all", "file, agent or all",
     .kind = CLI_GROUPING, .scope = CLI_LOADS, .section = CLI_GENERAL, .judged = true},
    {"recursive", NULL, "of a folder, also the recordings in its folders", NULL, .kind = CLI_FLAG,
     AT(reading.recursive), .scope = CLI_LOADS, .section = CLI_GENERAL},
    {"jobs", "N", "so many files at once (default: one for each processor)", "a number from 1 on",
     .kind = CLI_NUMBER, AT(jobs), .scope = CLI_LOADS, .section = CLI_GENERAL, .letter = 'j'},
    {"max-memory", "SIZE", "take no more memory (default: three quarters of what there is)",
     "a size such as 512M or 4G", .kind = CLI_SIZE, AT(max_memory), .scope = CLI_READS,
     .section = CLI_GENERAL},
    {"max-time", "TIME", "end without an answer after so long (default: any)",
     "a time with its unit, such as 90s or 5min", .kind = CLI_SPAN, AT(max_time),
     .scope = CLI_READS, .section = CLI_GENERAL},
    {"max-unpacked", "SIZE", "of one packed file, unpack no more (default 64 GiB)",
     "a size such as 512M or 4G", .kind = CLI_SIZE, AT(reading.load.limits.unpacked),
     .scope = CLI_LOADS, .section = CLI_GENERAL},
    {"max-ratio", "N",
     "of one packed file, beyond 64 MiB, no more than N times its size (default 250)",
     "a number from 1 on", .kind = CLI_NUMBER, AT(reading.load.limits.ratio), .scope = CLI_LOADS,
     .section = CLI_GENERAL},
    {"max-nesting", "N", "so many packings in one another (default 4)", "a number from 1 to 16",
     .kind = CLI_NESTING, AT(reading.load.limits.nesting), .scope = CLI_LOADS,
     .section = CLI_GENERAL},
    {"max-files", "N", "so many files in a folder or an archive (default 100000)",
     "a number from 1 on", .kind = CLI_NUMBER, AT(reading.load.limits.files), .scope = CLI_LOADS,
     .section = CLI_GENERAL},
    {"max-line", "SIZE", "skip lines that are longer (default 16 MiB)",
     "a size such as 64K or 1.5MiB", .kind = CLI_SIZE, AT(reading.load.limits.line),
     .scope = CLI_LOADS, .section = CLI_GENERAL},
    {"max-name", "SIZE", "cut names that are longer (default 64 KiB)",
     "a size such as 64K or 1.5MiB", .kind = CLI_SIZE, AT(reading.load.limits.name),
     .scope = CLI_LOADS, .section = CLI_GENERAL, .judged = true},
    {"bytes", NULL, "sizes as exact bytes, not KiB, MiB, GiB", NULL, .kind = CLI_FLAG,
     AT(exact_bytes), .scope = CLI_READS, .section = CLI_GENERAL},
    {"strict", NULL, "exit with 3 at any warning, with 1 if a limit hides a leak", NULL,
     .kind = CLI_FLAG, AT(reading.strict), .scope = CLI_LOADS, .section = CLI_GENERAL},
    {"allow-torn", NULL, "limits and rules also judge a recording that breaks off or is damaged",
     NULL, .kind = CLI_FLAG, AT(reading.allow_torn), .scope = CLI_LOADS, .section = CLI_GENERAL,
     .judged = true},
    {"quiet", NULL, "no notes, warnings or progress on standard error", NULL, .kind = CLI_FLAG,
     AT(quiet), .scope = CLI_READS, .section = CLI_GENERAL, .letter = 'q'},
    {"verbose", NULL, "more of each warning", NULL, .kind = CLI_FLAG, AT(verbose),
     .scope = CLI_LOADS, .section = CLI_GENERAL, .letter = 'v'},
    {"format", "FORMAT", "how to print it", NULL, .kind = CLI_RENDERER, .scope = CLI_ALWAYS,
     .section = CLI_LOOKS, .letter = 'f'},
    {"brief", NULL, "the answer alone; of json at most 5000 bytes", NULL, .kind = CLI_FLAG,
     AT(brief), .scope = CLI_PRINTS, .section = CLI_LOOKS},
    {"output", "FILE", "write there; .html, .json ... say the format", "a path", .kind = CLI_NAME,
     AT(output), .scope = CLI_PRINTS, .section = CLI_LOOKS, .letter = 'o', .by_hand = true},
    {"chart", "FILE", "draw it, too, as SVG in this file", "a path", .kind = CLI_NAME, AT(chart),
     .section = CLI_LOOKS, .by_hand = true},
    {"to", "FORMAT", "write it as another tool's file", "cobertura, lcov or sonar-generic",
     .kind = CLI_OWN_RENDERER, .of = "format", .section = CLI_LOOKS},
    {"to", "FORMAT", "what to write: one of the formats that are listed here",
     "the name of a format (see memprof export --help)", .kind = CLI_EXPORTER, .scope = CLI_EXPORTS,
     .section = CLI_WHAT},
    {"output", "FILE", "the file to write; -: standard output", "a path", .kind = CLI_NAME,
     AT(export_path), .scope = CLI_EXPORTS, .section = CLI_WHAT, .letter = 'o', .by_hand = true},
    {"color", "WHEN", "colour", "auto, always or never", .kind = CLI_COLOURING, .scope = CLI_ALWAYS,
     .section = CLI_GENERAL},
    {"width", "N", "fit text to so many columns; 0: cut nothing (default: the terminal, if any)",
     "0, or a number from 60 to 10000", .kind = CLI_WIDTH, .scope = CLI_ALWAYS,
     .section = CLI_GENERAL},
    {"no-pager", NULL, "no pager on a terminal", NULL, .kind = CLI_FLAG, AT(no_pager),
     .scope = CLI_ALWAYS, .section = CLI_GENERAL},
    {"no-sandbox", NULL, "do not keep the program from files, network and programs", NULL,
     .kind = CLI_FLAG, AT(no_sandbox), .scope = CLI_READS, .section = CLI_GENERAL, .by_hand = true},
    {"all", NULL, "with --help: all options of the command", NULL, .kind = CLI_FLAG, AT(help_all),
     .scope = CLI_ALWAYS, .section = CLI_GENERAL, .by_hand = true},
    {"no-config", NULL, "no defaults from .memprof and the user's configuration", NULL,
     .kind = CLI_FLAG, AT(no_config), .scope = CLI_ALWAYS, .section = CLI_GENERAL, .by_hand = true},
    {"help", NULL, "this help", NULL, .kind = CLI_FLAG, AT(help), .scope = CLI_ALWAYS,
     .section = CLI_GENERAL, .letter = 'h', .by_hand = true},
    {"version", NULL, "the version", NULL, .kind = CLI_FLAG, AT(version), .scope = CLI_ALWAYS,
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
    const char *names[CLI_MOST_COMMANDS];
    for (size_t i = 0; i < count; i++)
        names[i] = commands[i].name;
    return mp_text_nearest(name, names, count);
}

const char *cli_section_name(cli_section section)
{
    static const char *const names[] = {
        "What", "Which part", "How it looks", "Limits", "Of some recordings alone", "In general"};
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
    const char *only = renderer->command, *at = only ? strstr(only, command->name) : NULL;
    size_t length = strlen(command->name);
    if (command->scope & CLI_WATCHES)
        return renderer->put_row != NULL;
    if (command->scope & CLI_EXPORTS && renderer->draws)
        return false; /* what was written has no picture */
    bool named = at && (at == only || at[-1] == ' ') && (!at[length] || at[length] == ' ');
    return only ? named : !renderer->of_checks || has_checks(command);
}

/* As cli_grouping and cli_colour have them. */
static const char *const groupings[] = {"file", "agent", "all"};
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
    case CLI_READER:
        for (const mp_reader *const *reader = mp_readers(&all); count < all; count++)
            words[count] = reader[count]->name;
        return count;
    case CLI_GROUPING:
        return put_words(groupings, sizeof groupings / sizeof *groupings, words);
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
