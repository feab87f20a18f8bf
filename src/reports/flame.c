/* The report flame: stacks by cost, as a flame graph and as rows. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/units.h"
#include "compare/stacks.h"
#include "reports/diff.h"
#include "reports/figures.h"
#include "reports/profile_sections.h"

typedef struct flame_arguments {
    const char *measure, *from, *to; /* NULL = the default */
    mp_stack_bounds bounds;
    bool ignore_lines; /* used when the digests of a comparison are made, like `substitutions` */
    mp_argument_texts substitutions;
} flame_arguments;

/* --- rows --- */

enum { DEEPEST_INDENT = 40 };

/* A frame, in bytes, microseconds or calls; in a comparison, with its change. */
typedef struct frame_row {
    mp_place place; /* must be first, because columns of mp_place address the row */
    int64_t delta, delta_count, depth;
    double percent;
    const char *status, *kind, *told;
} frame_row;

/* clang-format off */
#define PLACE                                                                                      \
    MP_COLUMN(frame_row, depth, "Depth", MP_NUMBER, MP_FOR_PROGRAMS),                              \
    MP_COLUMN(frame_row, kind, "Kind", MP_TEXT, MP_FOR_PROGRAMS),                                  \
    MP_COLUMN_OF(mp_place, label, "frame", "Frame", MP_TEXT, MP_FOR_PROGRAMS)
#define LINE                                                                                       \
    MP_COLUMN(mp_place, line, "Line", MP_NUMBER, MP_FOR_PROGRAMS),                                 \
    MP_COLUMN(frame_row, told, "Frame", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN)
#define AMOUNTS(unit, unit_name)                                                                          \
    MP_COLUMN_OF(mp_place, total, "inclusive_" unit_name, "With callees", unit, 0),                         \
    MP_COLUMN(frame_row, percent, "%", MP_PERCENT, 0),                                             \
    MP_COLUMN_OF(mp_place, self, "own_" unit_name, "Own", unit, 0)
#define COUNTS(unit_name, title)                                                                          \
    MP_COLUMN_OF(mp_place, all_count, "inclusive_" unit_name, title, MP_COUNT, 0),                        \
    MP_COLUMN_OF(mp_place, own_count, "own_" unit_name, "", MP_COUNT, MP_FOR_PROGRAMS)
#define SOURCE MP_COLUMN(mp_place, source, "Source", MP_TEXT, MP_FOR_PROGRAMS)
#define CHANGES(unit, unit_name)                                                                          \
    MP_COLUMN(frame_row, status, "", MP_TEXT, MP_TONED),                                           \
    MP_COLUMN_OF(frame_row, delta, "delta_inclusive_" unit_name, "Change", unit, MP_SIGNED),              \
    MP_COLUMN_OF(frame_row, percent, "delta_percent", "%", MP_PERCENT, MP_SIGNED),                 \
    MP_COLUMN_OF(mp_place, base_all, "base_inclusive_" unit_name, "Base", unit, 0),                       \
    MP_COLUMN_OF(mp_place, total, "inclusive_" unit_name, "New", unit, 0),                                  \
    MP_COLUMN_OF(mp_place, base_own, "base_own_" unit_name, "", unit, MP_FOR_PROGRAMS),                   \
    MP_COLUMN_OF(mp_place, self, "own_" unit_name, "", unit, MP_FOR_PROGRAMS)
#define CHANGED_COUNTS(unit_name, title)                                                                  \
    MP_COLUMN_OF(frame_row, delta_count, "delta_inclusive_" unit_name, title, MP_COUNT, MP_SIGNED),       \
    MP_COLUMN_OF(mp_place, base_all_count, "base_inclusive_" unit_name, "", MP_COUNT, MP_FOR_PROGRAMS),   \
    MP_COLUMN_OF(mp_place, all_count, "inclusive_" unit_name, "", MP_COUNT, MP_FOR_PROGRAMS),             \
    MP_COLUMN_OF(mp_place, base_own_count, "base_own_" unit_name, "", MP_COUNT, MP_FOR_PROGRAMS),         \
    MP_COLUMN_OF(mp_place, own_count, "own_" unit_name, "", MP_COUNT, MP_FOR_PROGRAMS)
/* clang-format on */

static const mp_column byte_columns[] = {AMOUNTS(MP_BYTES, "bytes"), COUNTS("objects", "Objects"),
                                         PLACE, SOURCE, LINE};
static const mp_column second_columns[] = {AMOUNTS(MP_SECONDS, "seconds"), COUNTS("calls", "Calls"),
                                           PLACE, SOURCE, LINE};
static const mp_column call_columns[] = {AMOUNTS(MP_COUNT, "calls"), PLACE, SOURCE, LINE};
static const mp_column sample_columns[] = {AMOUNTS(MP_COUNT, "samples"), PLACE, SOURCE, LINE};
static const mp_column byte_changes[] = {CHANGES(MP_BYTES, "bytes"),
                                         CHANGED_COUNTS("objects", "Objects"), PLACE, LINE};
static const mp_column second_changes[] = {CHANGES(MP_SECONDS, "seconds"),
                                           CHANGED_COUNTS("calls", "Calls"), PLACE, LINE};
static const mp_column call_changes[] = {CHANGES(MP_COUNT, "calls"), PLACE, LINE};
static const mp_column sample_changes[] = {CHANGES(MP_COUNT, "samples"), PLACE, LINE};

static const char *kind_name(mp_place_kind kind)
{
    static const char *const names[] = {[MP_PLACE_CODE] = "code",
                                        [MP_PLACE_TYPE] = "type",
                                        [MP_PLACE_GROUP] = "program",
                                        [MP_PLACE_NONE] = "none",
                                        [MP_PLACE_REST] = "rest"};
    return names[kind];
}

static const char *told(mp_document *document, const mp_place *place, int64_t depth)
{
    int indent = (int)(depth < DEEPEST_INDENT ? depth : DEEPEST_INDENT) * 2;
    return mp_document_text(document, "%*s%s", indent, "", place->label);
}

static mp_change change_of(const mp_place *place)
{
    const bool is = place->total || place->all_count,
               was = place->base_all || place->base_all_count;
    int64_t by = place->total - place->base_all;
    by = by ? by : place->all_count - place->base_all_count;
    return is != was ? is ? MP_CHANGE_NEW : MP_CHANGE_GONE
           : by > 0  ? MP_CHANGE_GROWN
           : by < 0  ? MP_CHANGE_SHRUNK
                     : MP_CHANGE_NONE;
}

static void put_row(mp_document *document, mp_table *table, const mp_tree_figure *tree,
                    const mp_place *place, int64_t depth)
{
    int64_t part = place->total, whole = tree->items[0].total;
    frame_row row = {.place = *place,
                     .depth = depth,
                     .kind = kind_name(place->kind),
                     .told = told(document, place, depth)};
    if (tree->has_base) {
        row.status = mp_change_name(change_of(place));
        part = row.delta = place->total - place->base_all;
        row.delta_count = place->all_count - place->base_all_count;
        whole = place->base_all;
    }
    row.percent = tree->has_base && !whole ? NAN : mp_percent_of(part, whole);
    mp_table_put(document, table, &row);
}

/* Add the rows, callers first. Siblings are in the order of the figure: the largest first or, in a
 * comparison, the largest change. */
static void put_places(mp_document *document, mp_table *table, const mp_tree_figure *tree,
                       const mp_stack_bounds *bounds)
{
    size_t fit;
    bool *shown = mp_stacks_shown(tree, bounds, &fit);
    mp_tree_walk walk = mp_tree_walk_begin(tree);
    for (bool descend = true; mp_tree_walk_next(&walk, descend);) {
        descend = shown[walk.place];
        if (descend)
            put_row(document, table, tree, &tree->items[walk.place], walk.depth - 1);
    }
    mp_table_left_out(table, fit);
    mp_tree_walk_free(&walk);
    free(shown);
}

static mp_table *table_of(mp_document *document, const mp_tree_figure *tree)
{
    if (tree->has_base)
        return tree->unit == MP_BYTES ? MP_TABLE(document, "frames", NULL, MP_ROWS, byte_changes)
               : tree->unit == MP_SECONDS
                   ? MP_TABLE(document, "frames", NULL, MP_ROWS, second_changes)
               : document->sampled ? MP_TABLE(document, "frames", NULL, MP_ROWS, sample_changes)
                                   : MP_TABLE(document, "frames", NULL, MP_ROWS, call_changes);
    return tree->unit == MP_BYTES     ? MP_TABLE(document, "frames", NULL, MP_ROWS, byte_columns)
           : tree->unit == MP_SECONDS ? MP_TABLE(document, "frames", NULL, MP_ROWS, second_columns)
           : document->sampled        ? MP_TABLE(document, "frames", NULL, MP_ROWS, sample_columns)
                                      : MP_TABLE(document, "frames", NULL, MP_ROWS, call_columns);
}

/* Return the bounds of the picture, which only the user sets. Default bounds apply only to rows. */
static mp_stack_bounds bounds_of_picture(const mp_request *request)
{
    const mp_stack_bounds *rows = &((const flame_arguments *)request->arguments)->bounds;
    mp_stack_bounds bounds = {0};
    for (size_t i = 0; i < request->given_count; i++) {
        const mp_given *given = &request->given[i];
        if (given->by_default)
            continue;
        if (mp_text_is(given->argument, "limit"))
            bounds.limit = rows->limit;
        else if (mp_text_is(given->argument, "depth"))
            bounds.depth = rows->depth;
        else if (mp_text_is(given->argument, "min-percent"))
            bounds.min_percent = rows->min_percent;
    }
    return bounds;
}

/* Add the picture, and its frames as rows. */
static mp_table *section_frames(const mp_request *request, mp_document *document, mp_figure *figure)
{
    const flame_arguments *asked = request->arguments;
    const mp_stack_bounds bounds = bounds_of_picture(request);
    mp_table *table = table_of(document, &figure->tree);
    document->pictured = true;
    table->title = figure->title;
    table->main = true;
    table->empty = "nothing";
    if (asked->bounds.min_percent > 0)
        mp_table_line(document, table, "entries below %.12g %% of the whole are omitted",
                      asked->bounds.min_percent)
            ->argument = "min-percent";
    put_places(document, table, &figure->tree, &asked->bounds);
    mp_stacks_prune(document, figure, &bounds);
    return table;
}

/* --- metric --- */

static bool choose(const mp_request *request, mp_weighing *weighing, mp_error *error)
{
    const flame_arguments *asked = request->arguments;
    *weighing = mp_weighing_usual(request->filter);
    for (int i = 0; asked->measure && i < MP_WEIGHINGS; i++)
        if (mp_text_is(mp_weighing_name((mp_weighing)i), asked->measure))
            *weighing = (mp_weighing)i;
    const char *kind = mp_holds_name(request->model->kind, request->model->holds);
    if (!mp_weighing_fits(request->filter, *weighing))
        return mp_fail_argument(error, "of", asked->measure, "%s does not have that", kind);
    if (!request->base)
        return true;
    if (!asked->measure && *weighing == MP_WEIGH_RETAINED && !mp_holds_dumps(request->model->holds))
        *weighing = MP_WEIGH_ALIVE;
    return *weighing != MP_WEIGH_TEMPORARY ||
           mp_fail_argument(error, "of", asked->measure, "this metric cannot be compared");
}

static const struct {
    const char *title, *figure;
} told_as[MP_WEIGHINGS] = {
    [MP_WEIGH_LEAKED] = {"Left behind", "leaked_stacks"},
    [MP_WEIGH_ALIVE] = {"Alive", "alive_stacks"},
    [MP_WEIGH_CREATED] = {"Created", "created_stacks"},
    [MP_WEIGH_TEMPORARY] = {"Temporary", "temporary_stacks"},
    [MP_WEIGH_SECONDS] = {"Time spent", "seconds_stacks"},
    [MP_WEIGH_CALLS] = {"Calls", "calls_stacks"},
    [MP_WEIGH_SAMPLES] = {"Samples", "samples_stacks"},
    [MP_WEIGH_RETAINED] = {"Retained size by owner", "retained_stacks"},
};

static const char *by_what(mp_weighing weighing)
{
    return weighing == MP_WEIGH_RETAINED ? "its dominators" : "stack";
}

/* Return "Left behind at snapshot 7 (_PreCleanUp), by stack: shop-v2.oemp". */
static const char *title_of(mp_document *document, const mp_request *request,
                            const mp_window *window, mp_weighing weighing)
{
    bool up_to = weighing == MP_WEIGH_CREATED || weighing == MP_WEIGH_TEMPORARY;
    const char *when = window ? mp_document_text(document, " %s %s", up_to ? "up to" : "at",
                                                 mp_moment_text(document, window, false))
                              : "";
    return mp_document_text(document, "%s%s, by %s: %s", told_as[weighing].title, when,
                            by_what(weighing), mp_figure_about(document, request->model));
}

static void put_answer(const mp_request *request, mp_document *document, const mp_window *window,
                       mp_weighing weighing)
{
    mp_weights weights = mp_weights_of(request->filter, window, &weighing, 1);
    mp_figure *figure = mp_stack_figure(document, &weights, told_as[weighing].figure);
    mp_weights_free(&weights);
    figure->title = title_of(document, request, window, weighing);
    const char *in_use = weighing == MP_WEIGH_LEAKED ? mp_in_use_text(document, window) : NULL;
    figure->note = in_use ? mp_document_text(document, "%s.", in_use) : NULL;
    mp_table *table = section_frames(request, document, figure);
    if (in_use)
        mp_table_line(document, table, "%s", in_use);
}

/* --- comparison with a base --- */

static void put_difference(const mp_request *request, mp_document *document, const mp_digest *now,
                           mp_weighing weighing)
{
    const mp_digest *base = request->base;
    const mp_level level = mp_level_of_stacks(base, now, weighing);
    const bool starts = now->holds & MP_HOLDS_STARTS;
    mp_differences differences = mp_differences_of(request->dictionary, base, now, level);
    mp_weights weights =
        mp_weights_of_differences(request->dictionary, &differences, level, weighing, starts);
    mp_figure *figure = mp_stack_figure(document, &weights, told_as[weighing].figure);
    figure->title =
        mp_document_text(document, "%s, by %s: %s against %s", told_as[weighing].title,
                         by_what(weighing), mp_file_name(now->path), mp_file_name(base->path));
    const char *flat = level != MP_LEVEL_METHOD ? NULL : now->has_paths ? base->path : now->path;
    if (flat)
        figure->note =
            mp_document_text(document, "By method, as %s has no call tree.", mp_file_name(flat));
    mp_table *table = section_frames(request, document, figure);
    if (flat)
        mp_table_line(document, table, "by method, as %s has no call tree", flat);
    mp_weights_free(&weights);
    free(differences.items);
}

static bool run_difference(const mp_request *request, mp_document *document, mp_weighing weighing,
                           mp_error *error)
{
    const mp_digest *base = request->base;
    if (base->kept && weighing == MP_WEIGH_RETAINED)
        return mp_fail_argument(error, "base", base->path,
                                "a baseline does not have that, expected a heap dump");
    mp_digest *now = mp_report_digest(request, error);
    bool ok = now && mp_can_compare(base, now, error) && mp_base_is_alike(request, now, error);
    if (ok) {
        mp_section_sides(document, base, now);
        mp_say_faults(document, request);
        mp_section_selection(document, request,
                             base->totals.objects || base->totals.created || base->totals.calls);
        mp_diff_say_usual(document, request, now,
                          ((const flame_arguments *)request->arguments)->to);
        put_difference(request, document, now, weighing);
    }
    mp_digest_free(now);
    return ok;
}

static bool run_heap(const mp_request *request, mp_document *document, mp_error *error)
{
    const bool history = request->filter->holds & MP_HOLDS_HISTORY;
    mp_weighing weighing;
    if (!choose(request, &weighing, error))
        return false;
    if (request->base)
        return run_difference(request, document, weighing, error);
    const mp_window *window = mp_section_heap(document, request, history, error);
    if (!window)
        return false;
    put_answer(request, document, window, weighing);
    mp_section_suppressions(document, window);
    return true;
}

static bool run_profile(const mp_request *request, mp_document *document, mp_error *error)
{
    mp_weighing weighing;
    if (!choose(request, &weighing, error))
        return false;
    if (request->base)
        return run_difference(request, document, weighing, error);
    mp_section_profile(document, request);
    put_answer(request, document, NULL, weighing);
    return true;
}

enum { HEAPS = MP_HEAPS | MP_DUMP, ALL = HEAPS | MP_PROFILE };

static const flame_arguments usual = {.bounds = {.limit = 200, .min_percent = 0.5}};
static const mp_argument arguments[] = {
    {"of", offsetof(flame_arguments, measure), ALL},
    {"from", offsetof(flame_arguments, from), MP_HEAPS},
    {"to", offsetof(flame_arguments, to), HEAPS},
    {"limit", offsetof(flame_arguments, bounds.limit), ALL},
    {"depth", offsetof(flame_arguments, bounds.depth), ALL},
    {"min-percent", offsetof(flame_arguments, bounds.min_percent), ALL},
    {"ignore-lines", offsetof(flame_arguments, ignore_lines), MP_HEAPS},
    {"normalize", offsetof(flame_arguments, substitutions), ALL},
    MP_SHARES("base", ALL),
    MP_SHARES("selection", ALL),
    MP_SHARES("keep-profiler", MP_PROFILE),
    MP_SHARES("suppress", MP_HEAPS),
    MP_SHARES_READING,
};

static const char *const of_heaps[] = {"leaked", "alive", "created"};
static const char *const of_events[] = {"temporary"};
static const char *const of_dumps[] = {"retained", "alive"};
static const char *const of_native[] = {"retained"};
static const char *const of_profiles[] = {"seconds", "calls", "samples"};

static const mp_choice choices[] = {
    {.argument = "of", .variants = MP_HEAPS, MP_WORDS(of_heaps)},
    {.argument = "of", .variants = MP_EVENTS, MP_WORDS(of_events)},
    {.argument = "of", .variants = MP_NATIVE, MP_WORDS(of_native)},
    {.argument = "of", .variants = MP_DUMP, MP_WORDS(of_dumps)},
    {.argument = "of", .variants = MP_PROFILE, MP_WORDS(of_profiles)},
    {0},
};

const mp_report mp_report_flame = {
    .name = "flame",
    .summary = "draw a flame graph: stacks whose width is their cost",
    .example = "flame samples/shop-v2.oemp --depth 4",
    .details = "`format` svg or `output` FILE.svg draws a picture. Objects are below the code that "
               "created them, or in heap dumps below the objects that keep them alive. With `base` "
               "it shows the difference: orange is more, blue is less.",
    .single = true,
    MP_ARGUMENTS(arguments, usual),
    .choices = choices,
    .variants = {MP_HEAP_VARIANTS(run_heap),
                 {.needs = MP_HOLDS_LEDGER, .run = run_heap},
                 {.needs = MP_HOLDS_PROFILE, .run = run_profile}},
};
