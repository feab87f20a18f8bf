#include "cli/options.h"

#include <assert.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/console.h"

#define AT(member) .offset = offsetof(cli_options, member)

/* Where one name stands twice, it means one thing to some commands and another to others. */
const cli_option cli_option_table[] = {
    {"from", "SNAPSHOT", "compare from this snapshot: number, tag, tag#k, first, last, peak",
     "a number, a tag, tag#k, first, last or peak", .kind = CLI_ASKS},
    {"to", "SNAPSHOT", "up to this one (default: the last _PreCleanUp, else the last)",
     "a number, a tag, tag#k, first, last or peak", .kind = CLI_ASKS},
    {"at", "MOMENT", "what was alive then: a time such as 90s, 250ms or 1:02:03.5, or peak",
     "peak, or a time from the start such as 1500 (microseconds), 250ms, 90s or 1:02:03.5",
     .kind = CLI_MOMENT},
    {"slices", "N", "make so many snapshots of the log (default 10)", "a number from 1 to 10000",
     .kind = CLI_SLICES},
    {"temporary", "N|TIME", "temporary: deleted within N events of its thread, or so soon",
     "a number of events, or a time such as 250us", .kind = CLI_TEMPORARY},
    {"reorder", "EVENTS",
     "let so many events wait for late ones, to order them by time (default 10000)",
     "a number of events up to 100000000, 0 for the order of the file", .kind = CLI_REORDER},
    {"skip", "GLOB", "do not name sites by such frames; may be repeated", "a pattern",
     .kind = CLI_TEXTS, AT(skips)},
    {"skip", "GLOB", "pass over dominators of such types; may be repeated", "a pattern",
     .kind = CLI_ASKS},
    {"no-skip", NULL, "name sites by their innermost frame, even operator new", NULL,
     .kind = CLI_FLAG, AT(load.no_skips), .of = "skip"},
    {"domain", "NAME", "only this application domain", "a name", .kind = CLI_NAME, AT(load.domain)},
    {"only", "GLOB", "only groups whose name matches", "a pattern", .kind = CLI_ASKS},
    {"type", "GLOB", "in place of one object: all objects of such types", "a pattern",
     .kind = CLI_ASKS},
    {"exclude", "GLOB", "no paths over such types, or over this object; may be repeated",
     "a pattern, or the id of an object", .kind = CLI_ASKS},
    {"paths", "N", "so many paths, which share only what every path leads over", "a whole number",
     .kind = CLI_ASKS},
    {"all-kinds", NULL, "one path from each kind of root", NULL, .kind = CLI_ASKS},
    {"by", "WHAT", "group by this", "a word", .kind = CLI_ASKS},
    {"sort", "WHAT", "order by this", "a word", .kind = CLI_ASKS},
    {"limit", "N", "at most so many rows of a table; 0: all", "a whole number", .kind = CLI_ASKS},
    {"stack-depth", "N", "callers shown below each leak", "a whole number", .kind = CLI_ASKS},
    {"uncovered", NULL, "the lines that were never executed, as ranges", NULL, .kind = CLI_ASKS},
    {"depth", "N", "so many levels of the tree; 0: all", "a whole number", .kind = CLI_ASKS},
    {"min-percent", "P", "leave out what is below this share (default 0.5)",
     "a number from 0 to 100", .kind = CLI_ASKS},
    {"max-growth", "SIZE|P%", "exit with 1 if the bytes alive grew by more",
     "a size such as 64K or 1.5MiB, or a percentage such as 10%", .kind = CLI_ASKS},
    {"max-trend", "SIZE|P%", "exit with 1 if more bytes leaked steadily, snapshot by snapshot",
     "a size such as 64K or 1.5MiB, or a percentage such as 10%", .kind = CLI_ASKS},
    {"max-platform-growth", "SIZE|P%", "exit with 1 if the runtime's own memory grew by more",
     "a size such as 64K or 1.5MiB, or a percentage such as 10%", .kind = CLI_ASKS},
    {"max-leaked", "SIZE", "exit with 1 if more bytes leaked", "a size such as 64K or 1.5MiB",
     .kind = CLI_ASKS},
    {"max-live", "SIZE", "exit with 1 if more bytes are alive", "a size such as 64K or 1.5MiB",
     .kind = CLI_ASKS},
    {"min-lines", "P%", "exit with 1 if a smaller share of the lines was executed",
     "a percentage from 0% to 100%", .kind = CLI_ASKS},
    {"type", "GLOB", "only objects of such types; may be repeated, as all of these", "a pattern",
     .kind = CLI_ASKS, .of = "selection"},
    {"name", "GLOB", "only objects of such names; in profiles, such methods", "a pattern",
     .kind = CLI_ASKS, .of = "selection"},
    {"source", "GLOB", "only what such sources or functions created; such programs", "a pattern",
     .kind = CLI_SOURCE, .of = "selection"},
    {"stack", "REGEX", "only what has such a frame on its stack, as name:line",
     "an extended regular expression", .kind = CLI_ASKS, .of = "selection"},
    {"thread", "GLOB", "only what such threads created", "a pattern", .kind = CLI_ASKS,
     .of = "selection"},
    {"tag", "GLOB", "only objects that first appear in snapshots of such tags", "a pattern",
     .kind = CLI_ASKS, .of = "selection"},
    {"request", "GLOB", "only objects that such requests created", "a pattern", .kind = CLI_ASKS,
     .of = "selection"},
    {"api", "GLOB", "only objects that calls of such APIs created", "a pattern", .kind = CLI_ASKS,
     .of = "selection"},
    {"not-type", "GLOB", "none of such types", "a pattern", .kind = CLI_ASKS, .of = "selection"},
    {"not-name", "GLOB", "none of such names", "a pattern", .kind = CLI_ASKS, .of = "selection"},
    {"not-source", "GLOB", "none of such sources or functions", "a pattern", .kind = CLI_ASKS,
     .of = "selection"},
    {"not-stack", "REGEX", "none with such a frame on its stack", "an extended regular expression",
     .kind = CLI_ASKS, .of = "selection"},
    {"not-thread", "GLOB", "none of such threads", "a pattern", .kind = CLI_ASKS,
     .of = "selection"},
    {"not-tag", "GLOB", "none of such tags", "a pattern", .kind = CLI_ASKS, .of = "selection"},
    {"not-request", "GLOB", "none of such requests", "a pattern", .kind = CLI_ASKS,
     .of = "selection"},
    {"not-api", "GLOB", "none of calls of such APIs", "a pattern", .kind = CLI_ASKS,
     .of = "selection"},
    {"since", "TIME", "only objects that were created from then on; of heap logs, by snapshots",
     "a time such as 250ms, 90s or 1:02:03.5, or by the clock, 2026-03-02T08:16:00+01:00",
     .kind = CLI_ASKS, .of = "selection"},
    {"until", "TIME", "only objects that were created up to then",
     "a time such as 250ms, 90s or 1:02:03.5, or by the clock, 2026-03-02T08:16:00+01:00",
     .kind = CLI_ASKS, .of = "selection"},
    {"min-size", "SIZE", "only rows of at least so many bytes", "a size such as 64K or 1.5MiB",
     .kind = CLI_ASKS},
    {"min-count", "N", "only rows of at least so many objects or calls", "a whole number",
     .kind = CLI_ASKS},
    {"base", "FILE", "hold the recording against this one, or this baseline", "a path",
     .kind = CLI_ASKS},
    {"store", "DIR", "the folder of the baselines", "a path", .kind = CLI_NAME, AT(store),
     .scope = CLI_STORES},
    {"as", "NAME", "the baseline's name (default: the recording's)", "a name without a slash",
     .kind = CLI_FILE_NAME, AT(baseline_name), .scope = CLI_STORES},
    {"policy", "FILE", "the rules of check (default: no more than a tenth more)", "a path",
     .kind = CLI_ASKS, .scope = CLI_STORES},
    {"ignore-lines", NULL, "compare stacks and methods without their lines", NULL,
     .kind = CLI_ASKS},
    {"normalize", "s/RE/TEXT/", "rewrite names before they are compared; may be repeated",
     "a substitution such as s/build-[0-9]+/build/ or s|/tmp/[^/]*||g", .kind = CLI_ASKS},
    {"min-change", "SIZE|P%", "leave out smaller changes; of profiles, a time such as 5ms",
     "a size such as 64K, a time such as 5ms, or a percentage such as 10%", .kind = CLI_ASKS},
    {"keep-profiler", NULL, "of profiles: count what profiled them, lib/zprofiler, too", NULL,
     .kind = CLI_ASKS},
    {"sources", "DIR", "the folder that the sources lie below; may be repeated",
     "a folder that exists", .kind = CLI_ASKS},
    {"context", "N", "lines shown around those that cost something (default 2)", "a whole number",
     .kind = CLI_ASKS},
    {"listings", "DIR", "look for debug listings (.dbg) there; may be repeated",
     "a folder that exists", .kind = CLI_FOLDERS, AT(listings)},
    {"suppress", "FILE", "leaks listed there are accepted; may be repeated", "a path",
     .kind = CLI_ASKS},
    {"today", "DAY", "the day by which suppressions expire (default: by the clock)",
     "a day such as 2027-06-30", .kind = CLI_ASKS, .of = "suppress"},
    {"input-format", "NAME", "do not find out, read as this format (see memprof formats)",
     "the name of a format (see memprof formats)", .kind = CLI_READER, .scope = CLI_READS},
    {"group", "WHICH", "read together: file (each apart), agent (its sessions), all",
     "file, agent or all", .kind = CLI_GROUPING, .scope = CLI_READS},
    {"recursive", NULL, "of a folder, also the recordings in its folders", NULL, .kind = CLI_FLAG,
     AT(recursive), .scope = CLI_READS},
    {"jobs", "N", "so many files at once (default: one for each processor)", "a number from 1 on",
     .kind = CLI_JOBS, .scope = CLI_READS},
    {"bytes", NULL, "sizes as exact bytes, not KiB, MiB, GiB", NULL, .kind = CLI_FLAG,
     AT(exact_bytes), .scope = CLI_READS},
    {"strict", NULL, "exit with 3 if a recording is torn or a record was skipped", NULL,
     .kind = CLI_FLAG, AT(strict), .scope = CLI_READS},
    {"quiet", NULL, "no notes, warnings or progress on standard error", NULL, .kind = CLI_FLAG,
     AT(quiet), .scope = CLI_READS},
    {"verbose", NULL, "more of each warning", NULL, .kind = CLI_FLAG, AT(verbose),
     .scope = CLI_READS},
    {"format", "FORMAT", "how to print it, as below", NULL, .kind = CLI_RENDERER,
     .scope = CLI_ALWAYS},
    {"brief", NULL, "of json: at most 5000 bytes, five rows of a table", NULL, .kind = CLI_FLAG,
     AT(brief), .scope = CLI_PRINTS},
    {"output", "FILE", "write there instead of standard output", "a path", .kind = CLI_NAME,
     AT(output), .scope = CLI_PRINTS},
    {"to", "FORMAT", "write it as another tool's file: cobertura, lcov, sonar-generic",
     "cobertura, lcov or sonar-generic", .kind = CLI_OWN_RENDERER, .of = "format"},
    {"to", "FORMAT", "what to write, as below", "the name of a format (see memprof export --help)",
     .kind = CLI_EXPORTER, .scope = CLI_EXPORTS},
    {"output", "FILE", "the file to write (-o FILE)", "a path", .kind = CLI_NAME, AT(export_path),
     .scope = CLI_EXPORTS},
    {"color", "WHEN", "auto, always or never", "auto, always or never", .kind = CLI_COLOURING,
     .scope = CLI_ALWAYS},
    {"no-pager", NULL, "no pager on a terminal", NULL, .kind = CLI_FLAG, AT(no_pager),
     .scope = CLI_ALWAYS},
    {"help", NULL, "this help", NULL, .kind = CLI_FLAG, AT(help), .scope = CLI_ALWAYS},
    {"version", NULL, "the version", NULL, .kind = CLI_FLAG, AT(version), .scope = CLI_ALWAYS},
};
const size_t cli_option_count = sizeof cli_option_table / sizeof *cli_option_table;

/* --- taking an argument --- */

static const char *argument_of(const cli_option *option)
{
    return option->of ? option->of : option->name;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool add_text(mp_argument_texts *texts, const char *text)
{
    mp_grow(&texts->at, &texts->capacity, texts->count + 1, sizeof *texts->at);
    texts->at[texts->count++] = text;
    return *text != '\0';
}

/* The place of a word among others; `count` where it is none of them. */
static unsigned place_of(const char *const *words, unsigned count, const char *word)
{
    unsigned place = 0;
    while (place < count && strcmp(words[place], word) != 0)
        place++;
    return place;
}

/* False where the text is none that the option takes. */
static bool take(cli_options *options, const cli_option *option, const char *text)
{
    static const char *const groupings[] = {"file", "agent", "all"};
    static const char *const colourings[] = {"auto", "always", "never"};
    void *place = (char *)options + option->offset;
    mp_load_options *load = &options->load;
    mp_error unheard = {0};
    int64_t number = 0;
    switch (option->kind) {
    case CLI_ASKS:
        return mp_question_set(&options->question, option->name, text, &unheard);
    case CLI_FLAG:
        return *(bool *)place = true;
    case CLI_NAME:
        *(const char **)place = text;
        return *text != '\0';
    case CLI_FILE_NAME:
        *(const char **)place = text;
        return *text && !strchr(text, '/');
    case CLI_TEXTS:
        return add_text(place, text);
    case CLI_FOLDERS:
        return is_folder(text) && add_text(place, text);
    case CLI_SOURCE:
        if (!is_folder(text))
            return mp_question_set(&options->question, option->name, text, &unheard);
        /* It was where listings are looked for before sources were selected by pattern. */
        mp_question_note(&options->question, "selection", option->name);
        mp_question_note(&options->question, "listings", option->name);
        return add_text(&options->listings, text);
    case CLI_MOMENT:
        load->at = text;
        return mp_text_is(text, "peak") || mp_parse_time(text, &number);
    case CLI_SLICES:
        if (!mp_parse_count(text, &number) || number < 1 || number > 10000)
            return false;
        load->slices = (uint32_t)number;
        return true;
    case CLI_TEMPORARY:
        load->temporary_is_time = !mp_parse_count(text, &load->temporary);
        return load->temporary_is_time ? mp_parse_time(text, &load->temporary)
                                       : load->temporary > 0;
    case CLI_REORDER:
        if (!mp_parse_count(text, &number) || number < 0 || number > 100000000)
            return false;
        load->reorder = number ? number : -1;
        return true;
    case CLI_READER:
        load->format = text;
        return mp_reader_find(text) != NULL;
    case CLI_JOBS:
        return mp_parse_count(text, &options->jobs) && options->jobs > 0;
    case CLI_RENDERER:
        return (options->renderer = mp_renderer_find(text)) != NULL;
    case CLI_OWN_RENDERER:
        options->renderer = mp_renderer_find(text);
        return options->renderer && options->renderer->command &&
               mp_text_is(options->renderer->command, options->command.name);
    case CLI_EXPORTER:
        options->exporter = mp_exporter_find(text);
        load->keep_objects = options->exporter && options->exporter->wants_objects;
        return options->exporter != NULL;
    case CLI_GROUPING:
        options->group = CLI_GROUP_FILE + place_of(groupings, 3, text);
        return options->group <= CLI_GROUP_ALL;
    case CLI_COLOURING:
        return (options->colour = place_of(colourings, 3, text)) < 3;
    }
    return false;
}

static bool refuse_argument(const cli_option *option, const char *text)
{
    char list[512];
    const char *names[32];
    size_t count;
    const mp_renderer *const *renderers = mp_renderers(&count);
    assert(count <= sizeof names / sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = renderers[i]->name;
    return cli_refuse(
        "--%s takes %s, not \"%s\"", option->name,
        option->takes ? option->takes : mp_text_list(names, count, "or", list, sizeof list), text);
}

/* --- parsing --- */

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
            (option->scope
                 ? option->scope & command->scope
                 : means(option, mp_argument_find(command->arguments, argument_of(option)))))
            return option;
    }
    return NULL;
}

bool cli_compares(const cli_command *command)
{
    return command->report && command->report->operand == MP_OPERAND_BASE;
}

/* Each name once, with its place in the table behind the letters. */
static void list_names(struct option *known)
{
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        size_t first = 0;
        while (strcmp(cli_option_table[first].name, option->name) != 0)
            first++;
        if (first == i)
            *known++ =
                (struct option){option->name, option->argument ? required_argument : no_argument,
                                NULL, 256 + (int)i};
    }
    *known = (struct option){0};
}

/* The text that was given last; NULL: none was. */
static const char *text_of(const cli_options *options, const char *name)
{
    for (size_t i = options->pair_count; i-- > 0;)
        if (strcmp(options->pairs[i].name, name) == 0)
            return options->pairs[i].text;
    return NULL;
}

/* Take the options off the command line; what they mean is the command's matter. */
static bool collect(int argc, char **argv, cli_options *options)
{
    struct option known[sizeof cli_option_table / sizeof *cli_option_table + 1];
    int found;
    list_names(known);
    opterr = 0;
    while ((found = getopt_long(argc, argv, ":ho:", known, NULL)) != -1) {
        cli_pair *pair = &options->pairs[options->pair_count];
        char letter[] = {'-', (char)optopt, '\0'}; /* one of several behind a dash, such as -xyz */
        if (found >= 256)
            *pair = (cli_pair){cli_option_table[found - 256].name, optarg ? optarg : ""};
        else if (found == 'h')
            *pair = (cli_pair){"help", ""};
        else if (found == 'o' && optarg && *optarg)
            *pair = (cli_pair){"output", optarg};
        else if (found == 'o')
            return cli_refuse("-o takes a path");
        else if (found == ':')
            return cli_refuse("%s needs an argument", argv[optind - 1]);
        else if (optopt && optopt < 256)
            return cli_refuse("%s is not an option of memprof",
                              optopt > 0 ? letter : "a dash with no ASCII letter behind it");
        else
            return cli_refuse("%s is not an option of memprof, stands for several, or takes no "
                              "argument",
                              argv[optind - 1]);
        options->pair_count++;
    }
    return true;
}

/* The command, if the first operand names one; else the default with all operands as files. */
static bool take_command(cli_options *options, const cli_command *commands, size_t command_count,
                         char **operands, int count)
{
    const cli_command *command = commands;
    const char *first = count > 0 ? operands[0] : "";
    struct stat status;
    for (size_t i = 0; i < command_count; i++)
        if (mp_text_is(commands[i].name, first)) {
            command = &commands[i];
            options->command_named = true;
        }
    options->command = *command;
    if (!options->command_named && count > 0 && !strpbrk(first, "./") && strcmp(first, "-") != 0 &&
        stat(first, &status) != 0)
        return cli_refuse("%s is neither a command nor a file", first);
    operands += options->command_named;
    count -= options->command_named;
    /* A type of objects takes the place of one. */
    bool replaced = mp_argument_find(command->arguments, "object") && text_of(options, "type");
    bool optional = command->operand_last && *command->operand == '[';
    if (command->operand_last && (count == 2 || (count > 2 && !optional))) {
        options->operand = operands[--count];
    } else if (command->operand && !command->operand_last && !replaced && count > 0) {
        options->operand = *operands++;
        count--;
    }
    options->path_count = (size_t)count;
    options->paths = mp_alloc((options->path_count + 1) * sizeof *options->paths);
    for (size_t i = 0; i < options->path_count; i++)
        options->paths[i] = operands[i];
    return true;
}

/* Whether anything depends on which thread of an event log created what. */
static bool asks_for_threads(const cli_options *options)
{
    const char *by = text_of(options, "by");
    const mp_selection *selection = &options->question.selection;
    bool asks = options->question.suppression_paths.count || options->load.keep_objects ||
                (by && mp_text_is(by, "thread"));
    for (size_t i = 0; i < selection->count; i++)
        asks |= selection->criteria[i].subject == MP_SUBJECT_THREAD;
    return asks;
}

/* Take all that was given, and refuse what means nothing to the command. */
static bool take_options(cli_options *options)
{
    const cli_command *command = &options->command;
    mp_question *question = &options->question;
    mp_error unheard = {0};
    for (size_t i = 0; i < options->pair_count; i++) {
        const cli_option *option = cli_option_of(command, options->pairs[i].name);
        if (option && !take(options, option, options->pairs[i].text))
            return refuse_argument(option, options->pairs[i].text);
    }
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        const cli_option *meant = cli_option_of(command, option->name);
        if (!text_of(options, option->name) || (meant && meant != option))
            continue;
        if (!meant)
            return cli_refuse("%s does not use --%s", command->name, option->name);
        bool noted = option->scope || option->kind == CLI_ASKS || option->kind == CLI_SOURCE;
        if (!noted)
            mp_question_note(question, argument_of(option), option->name);
    }
    if (options->operand && !(command->scope & CLI_STORES))
        mp_question_set(question, mp_operand_argument(command->report->operand), options->operand,
                        &unheard);
    options->load.source_folders = options->listings.at;
    options->load.source_folder_count = options->listings.count;
    options->load.skips = options->skips.at;
    options->load.skip_count = options->skips.count;
    options->load.threads_as_one = !asks_for_threads(options);
    options->load.traces_folded = !command->report || !command->report->wants_traces;
    options->load.keep_ages = command->report && command->report->wants_ages;
    options->load.request_peaks = command->report && command->report->wants_request_peaks;
    options->load.since = text_of(options, "since");
    options->load.until = text_of(options, "until");
    return true;
}

/* A program that asks for a table wants all of it, unless that may be a dump's every object. */
static void choose_limit(cli_options *options)
{
    const mp_report *report = options->command.report;
    if (!report)
        return;
    int64_t *limit = mp_question_limit(&options->question);
    bool given = text_of(options, "limit");
    bool whole = options->renderer->for_programs && !report->overview;
    options->merged_rows = options->brief ? MP_BRIEF_ROWS
                           : whole        ? (size_t)report->program_rows
                                          : mp_report_rows(report);
    if (limit && given)
        options->merged_rows = (size_t)*limit;
    else if (limit && (whole || options->brief))
        *limit = (int64_t)options->merged_rows;
}

static bool reads_stdin_twice(const cli_options *options)
{
    const char *base = options->question.base;
    size_t count = base && strcmp(base, "-") == 0;
    for (size_t i = 0; i < options->path_count; i++)
        count += strcmp(options->paths[i], "-") == 0;
    return count > 1;
}

/* Check the number of inputs, and that the format can show the answer, before reading anything. */
static bool check(const cli_options *options)
{
    const cli_command *command = &options->command;
    const mp_renderer *renderer = options->renderer;
    bool before = command->operand && !command->operand_last;
    if (renderer->command && strcmp(renderer->command, command->name) != 0)
        return cli_refuse("--format %s shows the answer of %s, not of %s", renderer->name,
                          renderer->command, command->name);
    if (options->brief && !renderer->can_be_brief)
        return cli_refuse("--brief goes with --format json, not with %s", renderer->name);
    if (cli_compares(command) && options->path_count != 1)
        return cli_refuse("%s compares BASE with one other recording", command->name);
    const char *behind = command->operand_last ? command->operand : NULL;
    bool optional = behind && *behind == '[';
    if (behind && !optional && !options->operand)
        return cli_refuse("%s needs a file to read (\"-\" is standard input) and, behind it, %s",
                          command->name, behind);
    if (optional && options->path_count > 1)
        return cli_refuse("%s takes one file and, behind it, one name", command->name);
    if (command->scope & CLI_READS && options->path_count == 0)
        return cli_refuse("%s needs %s%sa file to read (\"-\" is standard input)", command->name,
                          before ? command->operand : "", before ? " and " : "");
    if (reads_stdin_twice(options))
        return cli_refuse("standard input (\"-\") can be read once");
    if (!(command->scope & CLI_READS) && options->path_count)
        return cli_refuse("%s takes no file, and got %s", command->name, options->paths[0]);
    return true;
}

bool cli_parse(int argc, char **argv, const cli_command *commands, size_t count,
               cli_options *options)
{
    size_t most = (size_t)argc + 1, renderers;
    *options = (cli_options){
        .renderer = mp_renderers(&renderers)[0],
        .pairs = mp_alloc(most * sizeof(cli_pair)),
    };
    if (!collect(argc, argv, options) ||
        !take_command(options, commands, count, argv + optind, argc - optind))
        return false;
    options->help = text_of(options, "help") != NULL;
    options->version = text_of(options, "version") != NULL;
    options->no_pager = text_of(options, "no-pager") != NULL;
    if (options->help || options->version)
        return true;
    mp_question_begin(&options->question, options->command.report);
    if (!take_options(options) || !check(options))
        return false;
    if (options->output && strcmp(options->output, "-") == 0)
        options->output = NULL;
    choose_limit(options);
    return true;
}

void cli_options_free(cli_options *options)
{
    mp_question_free(&options->question);
    free(options->paths);
    free(options->pairs);
    free(options->listings.at);
    free(options->skips.at);
}
