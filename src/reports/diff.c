/* The report diff: two recordings, or two snapshots of one, compared by type, name and stack. */
#include "reports/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare/stacks.h"
#include "reports/figures.h"
#include "reports/profile_sections.h"

/* --- totals side by side --- */

/* Figures of one side; missing ones are unknown. */
typedef struct side_row {
    mp_amounts totals;
    int64_t peak_objects, peak_bytes, unreachable_bytes, modules;
} side_row;

#define TOTAL(field, name, unit) MP_COLUMN_OF(side_row, totals.field, name, "", unit, 0)
static const mp_column side_columns[] = {
    TOTAL(objects, "live_objects", MP_COUNT),
    TOTAL(bytes, "live_bytes", MP_BYTES),
    TOTAL(created, "created_objects", MP_COUNT),
    TOTAL(created_bytes, "created_bytes", MP_BYTES),
    TOTAL(deleted, "deleted_objects", MP_COUNT),
    MP_COLUMN(side_row, peak_objects, "", MP_COUNT, 0),
    MP_COLUMN(side_row, peak_bytes, "", MP_BYTES, 0),
    MP_COLUMN(side_row, unreachable_bytes, "", MP_BYTES, 0),
    TOTAL(leaked_objects, "leaked_objects", MP_COUNT),
    TOTAL(leaked_bytes, "leaked_bytes", MP_BYTES),
    TOTAL(exclusive_us, "seconds", MP_SECONDS),
    TOTAL(calls, "calls", MP_COUNT),
    MP_COLUMN(side_row, modules, "", MP_COUNT, 0),
};

static side_row put_side(mp_document *document, const char *name, const mp_digest *digest)
{
    bool history = digest->has & MP_HAS_HISTORY, costs = digest->holds & MP_HOLDS_PROFILE;
    side_row row = {
        .totals = mp_amounts_known(&digest->totals, digest->has),
        .peak_objects = history ? digest->peak_objects : MP_UNKNOWN,
        .peak_bytes = history ? digest->peak_bytes : MP_UNKNOWN,
        .unreachable_bytes = digest->has & MP_HAS_GARBAGE ? digest->unreachable_bytes : MP_UNKNOWN,
        .modules = costs && (digest->modules || !document->uncalled) ? (int64_t)digest->modules
                                                                     : MP_UNKNOWN};
    mp_table *table = MP_TABLE(document, name, NULL, MP_RECORD, side_columns);
    table->flags = MP_FOR_PROGRAMS;
    mp_table_put(document, table, &row);
    return row;
}

typedef struct beside_row {
    const char *what, *base, *new, *change;
    double percent;
} beside_row;

static const mp_column beside_columns[] = {
    MP_COLUMN(beside_row, what, "", MP_TEXT, 0),
    MP_COLUMN(beside_row, base, "Base", MP_TEXT, 0),
    MP_COLUMN(beside_row, new, "New", MP_TEXT, 0),
    MP_COLUMN(beside_row, change, "Change", MP_TEXT, 0),
    MP_COLUMN(beside_row, percent, "%", MP_PERCENT, MP_SIGNED),
};

static const struct {
    const char *what;
    mp_unit unit;
    size_t offset; /* offset in side_row */
} beside[] = {
    {"Alive", MP_BYTES, offsetof(side_row, totals.bytes)},
    {"Objects alive", MP_COUNT, offsetof(side_row, totals.objects)},
    {"Unreachable", MP_BYTES, offsetof(side_row, unreachable_bytes)},
    {"Left behind", MP_BYTES, offsetof(side_row, totals.leaked_bytes)},
    {"Objects left behind", MP_COUNT, offsetof(side_row, totals.leaked_objects)},
    {"Objects created", MP_COUNT, offsetof(side_row, totals.created)},
    {"Objects deleted", MP_COUNT, offsetof(side_row, totals.deleted)},
    {"Peak", MP_BYTES, offsetof(side_row, peak_bytes)},
    {"Seconds", MP_SECONDS, offsetof(side_row, totals.exclusive_us)},
    {"Calls", MP_COUNT, offsetof(side_row, totals.calls)},
    {"Modules", MP_COUNT, offsetof(side_row, modules)},
};

static void section_totals(mp_document *document, const mp_digest *base, const mp_digest *now)
{
    side_row before = put_side(document, "totals.base", base);
    side_row after = put_side(document, "totals.new", now);
    mp_table *table = MP_TABLE(document, "beside", "Totals", MP_ROWS, beside_columns);
    table->flags = MP_FOR_PEOPLE;
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        int64_t a = *(const int64_t *)((const char *)&before + beside[i].offset);
        int64_t b = *(const int64_t *)((const char *)&after + beside[i].offset);
        mp_unit unit = beside[i].unit;
        if (a == MP_UNKNOWN || b == MP_UNKNOWN ||
            (document->uncounted && strncmp(beside[i].what, "Objects ", strlen("Objects ")) == 0) ||
            (document->uncalled && strcmp(beside[i].what, "Calls") == 0))
            continue;
        beside_row row = {.what =
                              unit == MP_SECONDS && document->sampled ? "Samples" : beside[i].what,
                          .base = mp_unit_text(document, unit, a, false),
                          .new = mp_unit_text(document, unit, b, false),
                          .change = mp_unit_text(document, unit, b - a, true),
                          .percent = a ? mp_percent_of(b - a, a) : NAN};
        mp_table_put(document, table, &row);
    }
}

/* --- totals by kind of change --- */

typedef struct change_row {
    const char *status;
    int64_t groups;
    mp_amounts delta;
} change_row;

#define DELTA(field, name, unit)                                                                   \
    MP_COLUMN_OF(change_row, delta.field, "delta_" name, "", unit, MP_SIGNED)
static const mp_column change_columns[] = {
    MP_COLUMN(change_row, status, "", MP_TEXT, 0),
    MP_COLUMN(change_row, groups, "", MP_COUNT, 0),
    DELTA(bytes, "bytes", MP_BYTES),
    DELTA(objects, "objects", MP_COUNT),
    DELTA(exclusive_us, "seconds", MP_SECONDS),
    DELTA(calls, "calls", MP_COUNT),
};

/* Add the totals of each kind of change, for programs. People read them in the summary. */
static void section_changes(mp_document *document, const mp_diff *diff)
{
    static const mp_change order[] = {MP_CHANGE_NEW, MP_CHANGE_GROWN, MP_CHANGE_SHRUNK,
                                      MP_CHANGE_GONE, MP_CHANGE_NONE};
    mp_table *table = MP_TABLE(document, "changes", NULL, MP_ROWS, change_columns);
    table->flags = MP_FOR_PROGRAMS;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        change_row row = {.status = mp_change_name(order[k])};
        for (size_t i = 0; i < diff->differences.count; i++) {
            const mp_difference *difference = &diff->differences.items[i];
            if (difference->change != order[k])
                continue;
            row.groups++;
            row.delta =
                mp_amounts_add(row.delta, mp_amounts_subtract(difference->now, difference->base));
        }
        row.delta = mp_amounts_known(&row.delta, diff->has);
        mp_table_put(document, table, &row);
    }
}

/* --- inputs --- */

typedef struct input_row {
    const char *path, *format, *role;
    int64_t format_version, bytes, records, complete;
} input_row;

static const mp_column input_columns[] = {
    MP_COLUMN(input_row, path, "File", MP_TEXT, 0),
    MP_COLUMN(input_row, format, "Format", MP_TEXT, 0),
    MP_COLUMN(input_row, format_version, "Version", MP_NUMBER, 0),
    MP_COLUMN(input_row, bytes, "Size", MP_BYTES, 0),
    MP_COLUMN(input_row, records, "Records", MP_COUNT, 0),
    MP_COLUMN(input_row, complete, "Complete", MP_FLAG, 0),
    MP_COLUMN(input_row, role, "Role", MP_TEXT, 0),
};

static void put_input(mp_document *document, mp_table *table, const mp_digest *digest,
                      const char *role)
{
    input_row row = {.path = digest->path,
                     .format = digest->format,
                     .role = role,
                     .format_version =
                         digest->format_version ? (int64_t)digest->format_version : MP_UNKNOWN,
                     .bytes = (int64_t)digest->bytes,
                     .records = (int64_t)digest->records,
                     .complete = digest->damaged || digest->torn          ? 0
                                 : digest->complete && digest->open_ended ? MP_UNKNOWN
                                                                          : digest->complete};
    mp_table_put(document, table, &row);
}

static void section_inputs(mp_document *document, const mp_digest *base, const mp_digest *now)
{
    mp_table *table = MP_TABLE(document, "inputs", NULL, MP_ROWS, input_columns);
    table->flags = MP_FOR_PROGRAMS;
    put_input(document, table, base, "base");
    put_input(document, table, now, "new");
    document->title = mp_document_text(document, "%s compared with %s", now->path, base->path);
}

void mp_section_sides(mp_document *document, const mp_digest *base, const mp_digest *now)
{
    section_inputs(document, base, now);
    section_totals(document, base, now);
}

/* --- level of comparison --- */

static void choose_level(const char *by, mp_diff *diff)
{
    bool profile = diff->holds & MP_HOLDS_PROFILE;
    const char *usual = diff->holds & MP_HOLDS_SAMPLES ? "method"
                        : profile                      ? "line"
                        : diff->holds & MP_HOLDS_SITES ? "site"
                                                       : "type";
    diff->by = by ? by : usual;
    diff->level = mp_level_asked(diff->holds, diff->by);
}

bool mp_can_compare(const mp_digest *base, const mp_digest *now, mp_error *error)
{
    return strcmp(base->noun, now->noun) == 0 ||
           mp_fail(error, MP_ERROR_ARGUMENT,
                   "%s is %s and %s is %s: only recordings of one kind can be compared", base->path,
                   base->noun, now->path, now->noun);
}

static bool can_group(const mp_diff *diff, const mp_digest *base, mp_error *error)
{
    bool kept = diff->level != MP_LEVEL_GROUP && diff->level != MP_LEVEL_DOMINATOR;
    return kept || !base->kept ||
           mp_fail_argument(error, "by", diff->by,
                            "a baseline has only sites and types, and %s is one", base->path);
}

static const struct sort_word {
    const char *word;
    mp_diff_order order;
} heap_sorts[] = {{"worse", MP_DIFF_WORSE},
                  {"bytes", MP_DIFF_SIZE},
                  {"objects", MP_DIFF_OBJECTS},
                  {"inclusive", MP_DIFF_INCLUSIVE}},
  profile_sorts[] = {{"worse", MP_DIFF_WORSE},
                     {"seconds", MP_DIFF_SIZE},
                     {"calls", MP_DIFF_CALLS},
                     {"samples", MP_DIFF_SIZE}};
enum {
    HEAP_SORTS = 4,
    DUMP_SORTS = 3,
    PROFILE_SORTS = 4
}; /* dumps use the first three orders of heaps */

static bool choose_order(const char *sort, mp_diff *diff, const mp_digest *base,
                         const mp_digest *now, mp_error *error)
{
    bool profile = diff->holds & MP_HOLDS_PROFILE;
    const struct sort_word *words = profile ? profile_sorts : heap_sorts;
    const size_t count = profile ? PROFILE_SORTS : HEAP_SORTS;
    if (sort && diff->level == MP_LEVEL_DOMINATOR)
        return mp_fail_argument(error, "sort", sort,
                                "dominators are sorted by the change of their retained size");
    for (size_t i = 0; sort && i < count; i++)
        if (mp_text_is(words[i].word, sort))
            diff->order = words[i].order;
    if (profile && sort && diff->order != MP_DIFF_WORSE &&
        !mp_cost_word_fits(sort, diff->holds, "sort", error))
        return false;
    if (diff->order != MP_DIFF_INCLUSIVE || base->has & now->has & MP_HAS_SCOPED)
        return true;
    return mp_fail_argument(error, "sort", sort, "%s does not record scopes of objects",
                            (base->has & MP_HAS_SCOPED ? now : base)->path);
}

/* Refuse a minimum change in bytes for profiles, in time for memory, and in either for samples. */
static bool check_min_change(const mp_ceiling *least, unsigned holds, mp_error *error)
{
    const bool profile = holds & MP_HOLDS_PROFILE, samples = holds & MP_HOLDS_SAMPLES;
    if (!least->set || least->bound.reference || (least->is_time == profile && !samples))
        return true;
    return mp_fail_argument(error, "min-change", least->bound.text, "expected a percentage%s",
                            samples   ? ", such as 5%"
                            : profile ? " or a time, such as 5ms"
                                      : " or a size, such as 4K");
}

/* List the suppressed leaks of the new recording. */
static void section_suppressions(mp_document *document, const mp_request *request)
{
    mp_error error = {0};
    const mp_window *window = request->suppressions ? mp_request_window(request, &error) : NULL;
    if (window)
        mp_section_suppressions(document, window);
}

/* Return true if either side has scoped bytes. */
static bool is_scoped(const mp_differences *differences)
{
    for (size_t i = 0; i < differences->count; i++)
        if (differences->items[i].base.scoped_bytes || differences->items[i].now.scoped_bytes)
            return true;
    return false;
}

/* Draw the stacks of both sides; the width of a frame is the larger of the two. */
static void draw_stacks(mp_document *document, const mp_request *request, const mp_digest *base,
                        const mp_digest *now)
{
    const mp_weighing weighing = mp_weighing_usual(request->filter);
    /* Baselines do not contain retained sizes by stack. */
    if (!document->draws || (weighing == MP_WEIGH_RETAINED && base->kept))
        return;
    const mp_level level = mp_level_of_stacks(base, now, weighing);
    mp_differences differences = mp_differences_of(request->dictionary, base, now, level);
    mp_weights weights = mp_weights_of_differences(request->dictionary, &differences, level,
                                                   weighing, now->holds & MP_HOLDS_STARTS);
    mp_figure *figure = mp_stack_figure(document, &weights, "changed_stacks");
    figure->title =
        mp_document_text(document, "Changes by stack (%s)",
                         weighing == MP_WEIGH_SECONDS ? "spent" : mp_weighing_name(weighing));
    mp_weights_free(&weights);
    free(differences.items);
}

/* Return a view of the graph of the new recording for names of references; it has no dominators,
 * which the digest had. Without a graph, or names in its format, nothing is in it. */
static mp_graph_view naming_view(const mp_request *request)
{
    const mp_filter *filter = request->filter;
    if (!filter || !filter->graph || !filter->graph->names.read)
        return (mp_graph_view){.graph = NULL};
    return (mp_graph_view){.filter = filter,
                           .model = filter->model,
                           .graph = filter->graph,
                           .roots = mp_roots_by_object(filter->graph),
                           .diagnostics = request->diagnostics};
}

/* Match both sides. Release with free_matches(). */
static void match(mp_diff *diff, const mp_digest *base, const mp_digest *now, mp_graph_view *view)
{
    diff->view = view->graph ? view : NULL;
    diff->named = now;
    diff->differences = mp_differences_of(diff->dictionary, base, now, diff->level);
    diff->has = (base->has & now->has) | (diff->holds & MP_HOLDS_PROFILE ? 0 : MP_HAS_LIVE);
    if (!is_scoped(&diff->differences)) /* inclusive bytes would only repeat the bytes */
        diff->has &= ~(unsigned)MP_HAS_SCOPED;
    diff->nodes = diff->level == MP_LEVEL_DOMINATOR ? mp_diff_nodes_of(diff) : NULL;
}

static void free_matches(mp_diff *diff)
{
    free(diff->nodes);
    free(diff->differences.items);
    if (diff->view)
        mp_graph_view_free(diff->view);
}

void mp_diff_say_usual(mp_document *document, const mp_request *request, const mp_digest *now,
                       const char *target)
{
    const mp_diff_arguments asked = {.to = target};
    mp_diff diff = {.dictionary = request->dictionary, .holds = request->model->holds};
    mp_graph_view view = naming_view(request);
    choose_level(NULL, &diff);
    match(&diff, request->base, now, &view);
    mp_diff_say(document, &diff, request->base, now, &asked);
    free_matches(&diff);
}

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_diff_arguments *asked = request->arguments;
    const mp_digest *base = request->base;
    mp_diff diff = {.dictionary = request->dictionary, .holds = request->model->holds};
    document->uncounted = (base->holds | diff.holds) & MP_HOLDS_UNCOUNTED;
    choose_level(asked->by, &diff);
    if (!check_min_change(&asked->min_change, diff.holds, error) ||
        !mp_cost_minimum_fits(asked->min_count, diff.holds, error) ||
        !can_group(&diff, base, error))
        return false;
    mp_digest *now = mp_report_digest(request, error);
    if (!now)
        return false;
    bool ok = mp_can_compare(base, now, error) && mp_base_is_alike(request, now, error) &&
              choose_order(asked->sort, &diff, base, now, error);
    if (ok) {
        mp_graph_view view = naming_view(request);
        match(&diff, base, now, &view);
        mp_differences_want(&diff, asked);
        section_inputs(document, base, now);
        mp_say_faults(document, request);
        mp_section_selection(document, request,
                             base->totals.objects || base->totals.created || base->totals.calls);
        mp_diff_say(document, &diff, base, now, asked);
        draw_stacks(document, request, base, now);
        section_totals(document, base, now);
        section_changes(document, &diff);
        mp_section_differences(document, &diff, asked);
        section_suppressions(document, request);
        free_matches(&diff);
    }
    mp_digest_free(now);
    return ok;
}

enum { HEAPS = MP_HEAPS | MP_DUMP, ALL = HEAPS | MP_PROFILE };

static const mp_diff_arguments usual = {.limit = 20, .stack_depth = MP_PROGRAM_CALLERS};
static const mp_argument arguments[] = {
    {"from", offsetof(mp_diff_arguments, from), HEAPS},
    {"to", offsetof(mp_diff_arguments, to), HEAPS},
    {"by", offsetof(mp_diff_arguments, by), ALL},
    {"sort", offsetof(mp_diff_arguments, sort), ALL},
    {"status", offsetof(mp_diff_arguments, status), ALL},
    {"limit", offsetof(mp_diff_arguments, limit), ALL},
    {"stack-depth", offsetof(mp_diff_arguments, stack_depth), MP_HEAPS},
    {"min-size", offsetof(mp_diff_arguments, min_bytes), HEAPS},
    {"min-count", offsetof(mp_diff_arguments, min_count), ALL},
    {"min-change", offsetof(mp_diff_arguments, min_change), ALL},
    {"ignore-lines", offsetof(mp_diff_arguments, ignore_lines), ALL},
    {"normalize", offsetof(mp_diff_arguments, substitutions), ALL},
    MP_SHARES("selection", ALL),
    MP_SHARES("suppress", MP_HEAPS),
    MP_SHARES_READING,
};

static const char *const dump_groups[] = {"type", "dominators"};
static const char *const statuses[] = {"new", "grown", "shrunk", "gone", "unchanged"};

static const mp_choice choices[] = {
    {.argument = "by", .variants = MP_HEAPS, .apart = true},
    {.argument = "by", .variants = MP_DUMP, MP_WORDS(dump_groups)},
    {.argument = "by", .variants = MP_PROFILE, MP_WORDS(mp_profile_groups)},
    {.argument = "sort", .variants = MP_HEAPS, MP_WORDS_OF(heap_sorts, 0, DUMP_SORTS)},
    {.argument = "sort", .variants = MP_HISTORY, MP_WORDS_OF(heap_sorts, DUMP_SORTS, 1)},
    {.argument = "sort",
     .variants = MP_DUMP,
     .where = "by type",
     MP_WORDS_OF(heap_sorts, 0, DUMP_SORTS)},
    {.argument = "sort", .variants = MP_PROFILE, MP_WORDS(profile_sorts)},
    {.argument = "status", .variants = ALL, .several = true, MP_WORDS(statuses)},
    {0},
};

const mp_report mp_report_diff = {
    .name = "diff",
    .summary = "show what changed between two recordings",
    .example = "diff samples/shop-v2.oemp@1 samples/shop-v2.oemp@last",
    .details = "Compares two recordings of one kind, or two snapshots, by types, names and stacks, "
               "never by ids. The first line is the answer, and the worst change comes first. For "
               "heap dumps, `by` dominators shows which branch of the dominator tree grew. The "
               "exit status is 0 whatever changed; memprof gate fails on changes.",
    .single = true,
    .operand = MP_OPERAND_BASE,
    MP_ARGUMENTS(arguments, usual),
    .choices = choices,
    .variants = {MP_HEAP_VARIANTS(run),
                 {.needs = MP_HOLDS_LEDGER, .run = run},
                 {.needs = MP_HOLDS_PROFILE, .run = run}},
};
