#include "cli/option_table.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "base/units.h"
#include "compare/digest.h"

static bool set_count(int64_t *place, const char *argument)
{
    char *end;
    long long value = strtoll(argument, &end, 10);
    if (*argument < '0' || *argument > '9' || *end || value > INT32_MAX)
        return false;
    *place = value;
    return true;
}

static bool set_size(mp_ceiling *ceiling, const char *argument)
{
    ceiling->set = true;
    ceiling->text = argument;
    return mp_parse_bytes(argument, &ceiling->bytes);
}

static bool set_from(cli_options *options, const char *argument)
{
    options->view.from = argument;
    return *argument != '\0';
}

static bool set_to(cli_options *options, const char *argument)
{
    options->view.to = argument;
    return *argument != '\0';
}

static bool set_by(cli_options *options, const char *argument)
{
    options->view.by = argument;
    return true;
}

static bool set_sort(cli_options *options, const char *argument)
{
    options->view.sort = argument;
    return true;
}

static bool set_limit(cli_options *options, const char *argument)
{
    return set_count(&options->view.limit, argument);
}

static bool set_stack_depth(cli_options *options, const char *argument)
{
    return set_count(&options->view.stack_depth, argument);
}

static bool set_depth(cli_options *options, const char *argument)
{
    return set_count(&options->view.depth, argument);
}

static bool set_min_percent(cli_options *options, const char *argument)
{
    char *end;
    double value = strtod(argument, &end);
    if (*end == '%')
        end++;
    if (*argument < '0' || *argument > '9' || *end || !(value >= 0 && value <= 100))
        return false;
    options->view.min_percent = value;
    return true;
}

static bool set_at(cli_options *options, const char *argument)
{
    int64_t us;
    options->load.at = argument;
    return mp_text_is(argument, "peak") || mp_parse_time(argument, &us);
}

static bool set_slices(cli_options *options, const char *argument)
{
    int64_t slices = 0;
    bool ok = set_count(&slices, argument) && slices > 0 && slices <= 10000;
    options->load.slices = (uint32_t)slices;
    return ok;
}

/* A number of events, or a time. */
static bool set_temporary(cli_options *options, const char *argument)
{
    if (!set_count(&options->load.temporary, argument)) {
        options->load.temporary_is_time = true;
        if (!mp_parse_time(argument, &options->load.temporary))
            return false;
    }
    return options->load.temporary > 0 || options->load.temporary_is_time;
}

static bool set_skip(cli_options *options, const char *argument)
{
    options->skips[options->load.skip_count++] = argument;
    return *argument != '\0';
}

static bool set_no_skip(cli_options *options, const char *argument)
{
    (void)argument;
    return options->load.no_skips = true;
}

static bool set_domain(cli_options *options, const char *argument)
{
    options->load.domain = argument;
    return *argument != '\0';
}

static bool set_only(cli_options *options, const char *argument)
{
    options->view.only = argument;
    return *argument != '\0';
}

static bool set_type(cli_options *options, const char *argument)
{
    options->view.object_type = argument;
    return *argument != '\0';
}

static bool set_listings(cli_options *options, const char *argument)
{
    struct stat status;
    if (stat(argument, &status) != 0 || !S_ISDIR(status.st_mode))
        return false;
    options->source_folders[options->load.source_folder_count++] = argument;
    return true;
}

/* --- selection --- */

static bool add_criterion(cli_options *options, mp_subject subject, bool negated,
                          const char *pattern)
{
    mp_error error = {0};
    mp_criterion *criterion = &options->criteria[options->selection.count++];
    *criterion = (mp_criterion){subject, negated, pattern};
    return *pattern && mp_criterion_check(criterion, &error);
}

#define SELECTS(subject, SUBJECT)                                                                  \
    static bool select_##subject(cli_options *options, const char *argument)                       \
    {                                                                                              \
        return add_criterion(options, MP_SUBJECT_##SUBJECT, false, argument);                      \
    }                                                                                              \
    static bool select_not_##subject(cli_options *options, const char *argument)                   \
    {                                                                                              \
        return add_criterion(options, MP_SUBJECT_##SUBJECT, true, argument);                       \
    }
SELECTS(type, TYPE)
SELECTS(name, NAME)
SELECTS(stack, STACK)
SELECTS(thread, THREAD)
SELECTS(tag, TAG)
SELECTS(request, REQUEST)
#undef SELECTS

/* A folder was where debug listings are looked for before sources were selected by pattern. */
static bool select_source(cli_options *options, const char *argument)
{
    return set_listings(options, argument) ||
           add_criterion(options, MP_SUBJECT_SOURCE, false, argument);
}

static bool select_not_source(cli_options *options, const char *argument)
{
    return add_criterion(options, MP_SUBJECT_SOURCE, true, argument);
}

static bool set_since(cli_options *options, const char *argument)
{
    options->selection.has_since = true;
    return mp_parse_time(argument, &options->selection.since_us);
}

static bool set_until(cli_options *options, const char *argument)
{
    options->selection.has_until = true;
    return mp_parse_time(argument, &options->selection.until_us);
}

static bool set_min_size(cli_options *options, const char *argument)
{
    return mp_parse_bytes(argument, &options->view.min_bytes);
}

static bool set_min_count(cli_options *options, const char *argument)
{
    return set_count(&options->view.min_count, argument);
}

/* --- comparing --- */

static bool set_base(cli_options *options, const char *argument)
{
    options->base = argument;
    return *argument != '\0';
}

static bool set_store(cli_options *options, const char *argument)
{
    options->store = argument;
    return *argument != '\0';
}

static bool set_policy(cli_options *options, const char *argument)
{
    options->policy = argument;
    return *argument != '\0';
}

static bool set_name(cli_options *options, const char *argument)
{
    options->name = argument;
    return *argument != '\0' && !strchr(argument, '/');
}

static bool set_ignore_lines(cli_options *options, const char *argument)
{
    (void)argument;
    return options->view.ignore_lines = true;
}

static bool set_normalize(cli_options *options, const char *argument)
{
    mp_error error = {0};
    options->substitutions[options->view.substitution_count++] = argument;
    return mp_substitution_check(argument, &error);
}

/* Of a profile's seconds, a time; of anything, a percentage. */
static bool set_min_change(cli_options *options, const char *argument)
{
    mp_ceiling *least = &options->view.min_change;
    least->set = true;
    least->text = argument;
    least->is_percent = mp_parse_percent(argument, &least->percent);
    if (least->is_percent || mp_parse_bytes(argument, &least->bytes))
        return true;
    return least->is_time = mp_parse_time(argument, &least->bytes);
}

static bool set_all_kinds(cli_options *options, const char *argument)
{
    (void)argument;
    return options->view.all_kinds = true;
}

static bool set_max_growth(cli_options *options, const char *argument)
{
    mp_ceiling *ceiling = &options->view.max_growth;
    ceiling->is_percent = mp_parse_percent(argument, &ceiling->percent);
    if (!ceiling->is_percent)
        return set_size(ceiling, argument);
    ceiling->set = true;
    ceiling->text = argument;
    return true;
}

static bool set_max_leaked(cli_options *options, const char *argument)
{
    return set_size(&options->view.max_leaked, argument);
}

static bool set_max_live(cli_options *options, const char *argument)
{
    return set_size(&options->view.max_live, argument);
}

static bool set_suppress(cli_options *options, const char *argument)
{
    options->suppress_paths[options->suppress_count++] = argument;
    return *argument != '\0';
}

static bool set_today(cli_options *options, const char *argument)
{
    return mp_parse_date(argument, &options->today);
}

static bool set_format(cli_options *options, const char *argument)
{
    options->renderer = mp_renderer_find(argument);
    return options->renderer != NULL;
}

static bool set_output(cli_options *options, const char *argument)
{
    options->output = argument;
    return *argument != '\0';
}

static bool set_exporter(cli_options *options, const char *argument)
{
    options->exporter = mp_exporter_find(argument);
    return options->exporter != NULL;
}

static bool set_input_format(cli_options *options, const char *argument)
{
    options->load.format = argument;
    return mp_reader_find(argument) != NULL;
}

static bool set_group(cli_options *options, const char *argument)
{
    static const char *const words[] = {"file", "agent", "all"};
    for (int i = 0; i < 3; i++)
        if (mp_text_is(argument, words[i])) {
            options->group = (cli_grouping)(CLI_GROUP_FILE + i);
            return true;
        }
    return false;
}

static bool set_recursive(cli_options *options, const char *argument)
{
    (void)argument;
    return options->recursive = true;
}

static bool set_jobs(cli_options *options, const char *argument)
{
    return set_count(&options->jobs, argument) && options->jobs > 0;
}

static bool set_colour(cli_options *options, const char *argument)
{
    static const char *const words[] = {"auto", "always", "never"};
    for (int i = 0; i < 3; i++)
        if (mp_text_is(argument, words[i])) {
            options->colour = (cli_colour)i;
            return true;
        }
    return false;
}

static bool set_bytes(cli_options *options, const char *argument)
{
    (void)argument;
    return options->exact_bytes = true;
}

static bool set_strict(cli_options *options, const char *argument)
{
    (void)argument;
    return options->strict = true;
}

static bool set_quiet(cli_options *options, const char *argument)
{
    (void)argument;
    return options->quiet = true;
}

static bool set_verbose(cli_options *options, const char *argument)
{
    (void)argument;
    return options->verbose = true;
}

static bool set_help(cli_options *options, const char *argument)
{
    (void)argument;
    return options->help = true;
}

static bool set_version(cli_options *options, const char *argument)
{
    (void)argument;
    return options->version = true;
}

const cli_option cli_option_table[] = {
    {"from", "SNAPSHOT", "compare from this snapshot: number, tag, tag#k, first, last, peak",
     "a number, a tag, tag#k, first, last or peak", MP_HONOURS_WINDOW, set_from},
    {"to", "SNAPSHOT", "up to this one (default: the last _PreCleanUp, else the last)",
     "a number, a tag, tag#k, first, last or peak", MP_HONOURS_WINDOW, set_to},
    {"at", "MOMENT", "what was alive then: a time such as 90s, 250ms or 1:02:03.5, or peak",
     "peak, or a time from the start such as 1500 (microseconds), 250ms, 90s or 1:02:03.5",
     MP_HONOURS_AT, set_at},
    {"slices", "N", "make so many snapshots of the log (default 10)", "a number from 1 to 10000",
     MP_HONOURS_SLICES, set_slices},
    {"temporary", "N|TIME", "temporary: deleted within N events of its thread, or so soon",
     "a number of events, or a time such as 250us", MP_HONOURS_TEMPORARY, set_temporary},
    {"skip", "GLOB", "do not name sites by such frames; may be repeated", "a pattern",
     MP_HONOURS_SKIP, set_skip},
    {"no-skip", NULL, "name sites by their innermost frame, even operator new", NULL,
     MP_HONOURS_SKIP, set_no_skip},
    {"domain", "NAME", "only this application domain", "a name", MP_HONOURS_DOMAIN, set_domain},
    {"only", "GLOB", "only groups whose name matches", "a pattern", MP_HONOURS_ONLY, set_only},
    {"type", "GLOB", "in place of one object: all objects of such types", "a pattern",
     MP_HONOURS_OBJECT_TYPE, set_type},
    {"all-kinds", NULL, "one path from each kind of root", NULL, MP_HONOURS_ROOT_KINDS,
     set_all_kinds},
    {"by", "WHAT", "group by this", "a word", MP_HONOURS_BY, set_by},
    {"sort", "WHAT", "order by this", "a word", MP_HONOURS_SORT, set_sort},
    {"limit", "N", "at most so many rows of a table; 0: all", "a whole number", MP_HONOURS_LIMIT,
     set_limit},
    {"stack-depth", "N", "callers shown below each leak", "a whole number", MP_HONOURS_STACK_DEPTH,
     set_stack_depth},
    {"depth", "N", "so many levels of the tree; 0: all", "a whole number", MP_HONOURS_TREE,
     set_depth},
    {"min-percent", "P", "leave out what is below this share (default 0.5)",
     "a number from 0 to 100", MP_HONOURS_TREE, set_min_percent},
    {"max-growth", "SIZE|P%", "exit with 1 if the bytes alive grew by more",
     "a size such as 64K or 1.5MiB, or a percentage such as 10%", MP_HONOURS_LIMITS,
     set_max_growth},
    {"max-leaked", "SIZE", "exit with 1 if more bytes leaked", "a size such as 64K or 1.5MiB",
     MP_HONOURS_LIMITS, set_max_leaked},
    {"max-live", "SIZE", "exit with 1 if more bytes are alive", "a size such as 64K or 1.5MiB",
     MP_HONOURS_LIMITS, set_max_live},
    {"type", "GLOB", "only objects of such types; may be repeated, as all of these", "a pattern",
     MP_HONOURS_SELECT, select_type},
    {"name", "GLOB", "only objects of such names; in profiles, such methods", "a pattern",
     MP_HONOURS_SELECT, select_name},
    {"source", "GLOB", "only what such sources or functions created; such programs", "a pattern",
     MP_HONOURS_SELECT, select_source},
    {"stack", "REGEX", "only what has such a frame on its stack, as name:line",
     "an extended regular expression", MP_HONOURS_SELECT, select_stack},
    {"thread", "GLOB", "only what such threads created", "a pattern", MP_HONOURS_SELECT,
     select_thread},
    {"tag", "GLOB", "only objects that first appear in snapshots of such tags", "a pattern",
     MP_HONOURS_SELECT, select_tag},
    {"request", "GLOB", "only objects that first appear during such requests", "a pattern",
     MP_HONOURS_SELECT, select_request},
    {"not-type", "GLOB", "none of such types", "a pattern", MP_HONOURS_SELECT, select_not_type},
    {"not-name", "GLOB", "none of such names", "a pattern", MP_HONOURS_SELECT, select_not_name},
    {"not-source", "GLOB", "none of such sources or functions", "a pattern", MP_HONOURS_SELECT,
     select_not_source},
    {"not-stack", "REGEX", "none with such a frame on its stack", "an extended regular expression",
     MP_HONOURS_SELECT, select_not_stack},
    {"not-thread", "GLOB", "none of such threads", "a pattern", MP_HONOURS_SELECT,
     select_not_thread},
    {"not-tag", "GLOB", "none of such tags", "a pattern", MP_HONOURS_SELECT, select_not_tag},
    {"not-request", "GLOB", "none of such requests", "a pattern", MP_HONOURS_SELECT,
     select_not_request},
    {"since", "TIME", "only objects that first appear at a snapshot from then on",
     "a time such as 250ms, 90s or 1:02:03.5", MP_HONOURS_SELECT, set_since},
    {"until", "TIME", "only objects that first appear at a snapshot up to then",
     "a time such as 250ms, 90s or 1:02:03.5", MP_HONOURS_SELECT, set_until},
    {"min-size", "SIZE", "only rows of at least so many bytes", "a size such as 64K or 1.5MiB",
     MP_HONOURS_MIN_SIZE, set_min_size},
    {"min-count", "N", "only rows of at least so many objects or calls", "a whole number",
     MP_HONOURS_MIN_COUNT, set_min_count},
    {"base", "FILE", "hold the recording against this one, or this baseline", "a path",
     MP_HONOURS_BASE, set_base},
    {"store", "DIR", "the folder of the baselines", "a path", STORES, set_store},
    {"as", "NAME", "the baseline's name (default: the recording's)", "a name without a slash",
     STORES, set_name},
    {"policy", "FILE", "the rules of check (default: no more than a tenth more)", "a path", STORES,
     set_policy},
    {"ignore-lines", NULL, "compare stacks and methods without their lines", NULL,
     MP_HONOURS_COMPARE, set_ignore_lines},
    {"normalize", "s/RE/TEXT/", "rewrite names before they are compared; may be repeated",
     "a substitution such as s/build-[0-9]+/build/ or s|/tmp/[^/]*||g", MP_HONOURS_COMPARE,
     set_normalize},
    {"min-change", "SIZE|P%", "leave out smaller changes; of profiles, a time such as 5ms",
     "a size such as 64K, a time such as 5ms, or a percentage such as 10%", MP_HONOURS_COMPARE,
     set_min_change},
    {"listings", "DIR", "look for debug listings (.dbg) there; may be repeated",
     "a folder that exists", MP_HONOURS_SOURCES, set_listings},
    {"suppress", "FILE", "leaks listed there are accepted; may be repeated", "a path",
     MP_HONOURS_SUPPRESS, set_suppress},
    {"today", "DAY", "the day by which suppressions expire (default: by the clock)",
     "a day such as 2027-06-30", MP_HONOURS_SUPPRESS, set_today},
    {"input-format", "NAME", "do not find out, read as this format (see memprof formats)",
     "the name of a format (see memprof formats)", EVERY, set_input_format},
    {"group", "WHICH", "read together: file (each apart), agent (its sessions), all",
     "file, agent or all", EVERY, set_group},
    {"recursive", NULL, "of a folder, also the recordings in its folders", NULL, EVERY,
     set_recursive},
    {"jobs", "N", "so many files at once (default: one for each processor)", "a number from 1 on",
     EVERY, set_jobs},
    {"bytes", NULL, "sizes as exact bytes, not KiB, MiB, GiB", NULL, EVERY, set_bytes},
    {"strict", NULL, "exit with 3 if a recording is torn or a record was skipped", NULL, EVERY,
     set_strict},
    {"quiet", NULL, "no notes, warnings or progress on standard error", NULL, EVERY, set_quiet},
    {"verbose", NULL, "more of each warning", NULL, EVERY, set_verbose},
    {"format", "FORMAT", "how to print it, as below", NULL, EVERY | EVERY_COMMAND, set_format},
    {"output", "FILE", "write there instead of standard output", "a path", PRINTS, set_output},
    {"to", "FORMAT", "what to write, as below", "the name of a format (see memprof export --help)",
     EXPORTS, set_exporter},
    {"output", "FILE", "the file to write (-o FILE)", "a path", EXPORTS, set_output},
    {"color", "WHEN", "auto, always or never", "auto, always or never", EVERY | EVERY_COMMAND,
     set_colour},
    {"help", NULL, "this help", NULL, EVERY | EVERY_COMMAND, set_help},
    {"version", NULL, "the version", NULL, EVERY | EVERY_COMMAND, set_version},
};

const size_t cli_option_count = sizeof cli_option_table / sizeof *cli_option_table;
_Static_assert(sizeof cli_option_table / sizeof *cli_option_table <= CLI_OPTIONS_MOST,
               "more options than a parse has room for");

const char *cli_option_argument(const cli_option *option)
{
    switch (option->honoured_with) {
    case MP_HONOURS_SELECT:
        return "selection";
    case MP_HONOURS_SUPPRESS:
        return "suppress";
    case MP_HONOURS_SKIP:
        return "skip";
    default:
        return option->name;
    }
}
