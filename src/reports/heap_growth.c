/* The report growth: what grew or shrank in a heap, and if it did so steadily. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "document/sparkline.h"
#include "query/accumulation.h"
#include "query/trend.h"
#include "reports/figures.h"
#include "reports/graph_sections.h"
#include "reports/stacks.h"

/* --- trends --- */

typedef struct jump_cells {
    int64_t sequence, bytes;
} jump_cells;

/* Columns of a trend, for programs; unknown if the series is too short. */
typedef struct trend_cells {
    double slope, low, high;
    const char *words;
    jump_cells jumps[MP_TREND_STEPS];
    int64_t session; /* number of the trend's session; MP_UNKNOWN if there is only one */
} trend_cells;

/* clang-format off */
#define TREND_COLUMNS(row)                                                                         \
    MP_COLUMN_OF(row, trend.slope, "slope_bytes_per_snapshot", "Slope", MP_BYTE_RATE, MP_FOR_PROGRAMS), \
    MP_COLUMN_OF(row, trend.low, "slope_low_bytes_per_snapshot", "Low", MP_BYTE_RATE, MP_FOR_PROGRAMS), \
    MP_COLUMN_OF(row, trend.high, "slope_high_bytes_per_snapshot", "High", MP_BYTE_RATE, MP_FOR_PROGRAMS), \
    MP_COLUMN_OF(row, trend.words, "trend", "Trend", MP_TEXT, MP_FOR_PROGRAMS),                    \
    MP_COLUMN_OF(row, trend.jumps[0].sequence, "jump_sequence", "Snapshot", MP_NUMBER, MP_FOR_PROGRAMS), \
    MP_COLUMN_OF(row, trend.jumps[0].bytes, "jump_bytes", "Jump", MP_BYTES, MP_FOR_PROGRAMS),         \
    MP_COLUMN_OF(row, trend.jumps[1].sequence, "second_jump_sequence", "Snapshot", MP_NUMBER, MP_FOR_PROGRAMS), \
    MP_COLUMN_OF(row, trend.jumps[1].bytes, "second_jump_bytes", "Jump", MP_BYTES, MP_FOR_PROGRAMS), \
    MP_COLUMN_OF(row, trend.session, "trend_session", "Session", MP_NUMBER, MP_FOR_PROGRAMS)
/* clang-format on */

static const mp_snapshot *snapshot_of_step(const mp_model *model, const mp_course *course,
                                           const mp_step *step)
{
    return &model->snapshots.items[course->snapshots[step->place]];
}

static const trend_cells no_trend = {
    NAN, NAN, NAN, NULL, {{MP_UNKNOWN, MP_UNKNOWN}, {MP_UNKNOWN, MP_UNKNOWN}}, MP_UNKNOWN};

static trend_cells trend_cells_of(const mp_model *model, const mp_course *course)
{
    const mp_trend *trend = &course->trend;
    trend_cells cells = no_trend;
    if (trend->kind == MP_TREND_TOO_SHORT)
        return cells;
    cells.slope = trend->slope;
    cells.low = trend->low;
    cells.high = trend->high;
    cells.words = mp_trend_words(trend->kind);
    for (size_t i = 0; i < MP_TREND_STEPS && trend->steps[i].place; i++)
        cells.jumps[i] =
            (jump_cells){(int64_t)snapshot_of_step(model, course, &trend->steps[i])->sequence,
                         trend->steps[i].size};
    if (model->sessions.count > 2)
        cells.session = course->session;
    return cells;
}

/* Return "+4.1 KiB at snapshot 2 (work)"; "" if there is no step. */
static const char *step_text(mp_document *document, const mp_model *model, const mp_course *course,
                             const mp_step *step)
{
    if (!step->place)
        return "";
    const mp_snapshot *snapshot = snapshot_of_step(model, course, step);
    return mp_document_text(document, "%s at %s", mp_bytes_change(document, step->size),
                            mp_snapshot_text(document, model, snapshot));
}

/* Return "grows steadily, +1.2 KiB a snapshot (+1.0 KiB to +1.5 KiB)", "jumps once, +4.1 KiB at
 * snapshot 2 (work)". */
static const char *trend_text(mp_document *document, const mp_model *model, const mp_course *course)
{
    const mp_trend *trend = &course->trend;
    const char *words = mp_trend_words(trend->kind), *range = "";
    const char *step = step_text(document, model, course, &trend->steps[0]);
    const char *second = step_text(document, model, course, &trend->steps[1]);
    char slope[MP_UNIT_TEXT], low[MP_UNIT_TEXT], high[MP_UNIT_TEXT];
    if (trend->kind == MP_TREND_JUMP || trend->kind == MP_TREND_DROP)
        return mp_document_text(document, "%s, %s", words, step);
    const char *besides =
        *second ? mp_document_text(document, ", besides steps of %s and %s", step, second)
        : *step ? mp_document_text(document, ", besides a step of %s", step)
                : "";
    /* The slope would mislead if its confidence interval contains 0, or if it did not last. */
    if (trend->kind == MP_TREND_FLAT && (trend->high > trend->low || trend->slope != 0))
        return mp_document_text(document, "no steady trend%s", besides);
    mp_format_byte_rate(slope, trend->slope, document->exact_bytes, true);
    mp_format_byte_rate(low, trend->low, document->exact_bytes, true);
    mp_format_byte_rate(high, trend->high, document->exact_bytes, true);
    const bool is_certain = trend->low > 0 || trend->high < 0; /* an average has no interval */
    if (is_certain && strcmp(low, high) != 0)
        range = mp_document_text(document, " (%s to %s)", low, high);
    return mp_document_text(document, "%s, %s a snapshot%s%s", words, slope, range, besides);
}

static const char *sparkline_text(mp_document *document, const mp_course *course)
{
    enum { COLUMNS = 16, SIZE = COLUMNS * 4 + 1 };
    char text[SIZE];
    mp_sparkline(course->items, course->length, COLUMNS, text, sizeof text);
    return mp_document_text(document, "%s", text);
}

typedef struct trend_row {
    int64_t snapshots;
    trend_cells trend;
} trend_row;

static const mp_column trend_columns[] = {
    MP_COLUMN(trend_row, snapshots, "", MP_COUNT, MP_FOR_PROGRAMS),
    TREND_COLUMNS(trend_row),
};

/* Return " in session 2 of 2 (AS-2)"; "" if there is only one session. */
static const char *session_text(mp_document *document, const mp_model *model, uint32_t session)
{
    const char *text = mp_session_text(document, model, session);
    return text ? mp_document_text(document, " in %s", text) : "";
}

/* Add the record "trend" of all live bytes, for programs. Return the trend in words, for a line
 * above a table; NULL if the series is too short. Set `session` to the session of the trend. */
static const char *section_trend(mp_document *document, const mp_window *window, uint32_t *session)
{
    const mp_model *model = window->model;
    mp_series series = mp_series_of_all(window, 0);
    mp_course course = mp_series_worst(&series, 0);
    mp_table *table = MP_TABLE(document, "trend", NULL, MP_RECORD, trend_columns);
    table->name_of_many = "trends";
    table->flags = MP_FOR_PROGRAMS;
    trend_row row = {(int64_t)course.length, trend_cells_of(model, &course)};
    mp_table_put(document, table, &row);
    const char *text = NULL;
    if (course.trend.kind != MP_TREND_TOO_SHORT)
        text = mp_document_text(
            document, "All live objects%s  %s  %s", session_text(document, model, course.session),
            sparkline_text(document, &course), trend_text(document, model, &course));
    *session = course.session;
    mp_series_free(&series);
    return text;
}

/* --- growth --- */

typedef struct growth_row {
    const mp_group *group;
    mp_growth growth;
    const char *history, *key;
    mp_texts course, stack;
    trend_cells trend;
    /* bytes including scoped objects; people see scoped_bytes if rows are sorted by it */
    int64_t from_inclusive, to_inclusive, delta_inclusive, scoped_bytes;
} growth_row;

static const mp_column growth_columns[] = {
    MP_GROWTH_COLUMNS(growth_row, growth),
    MP_COLUMN(growth_row, scoped_bytes, "With scoped", MP_BYTES,
              MP_OF_RECORDINGS | MP_FOR_PEOPLE | MP_SIGNED | MP_IF_KNOWN),
    MP_COLUMN(growth_row, history, "History", MP_TEXT, MP_FOR_PEOPLE | MP_IF_KNOWN),
    MP_COLUMN(growth_row, key, "Group", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(growth_row, course, "Trend", MP_LIST, MP_FOR_PEOPLE | MP_BELOW),
    MP_COLUMN(growth_row, stack, "Stack", MP_LIST, MP_FOR_PROGRAMS),
    TREND_COLUMNS(growth_row),
    MP_COLUMN_OF(growth_row, from_inclusive, "from_inclusive_bytes", "From", MP_BYTES,
                 MP_OF_RECORDINGS | MP_FOR_PROGRAMS),
    MP_COLUMN_OF(growth_row, to_inclusive, "to_inclusive_bytes", "To", MP_BYTES,
                 MP_OF_RECORDINGS | MP_FOR_PROGRAMS),
    MP_COLUMN_OF(growth_row, delta_inclusive, "delta_inclusive_bytes", "With scoped", MP_BYTES,
                 MP_OF_RECORDINGS | MP_FOR_PROGRAMS | MP_SIGNED),
};

static const mp_order growth_orders[] = {
    {"bytes", {"delta_bytes"}},
    {"objects", {"delta_objects", "delta_bytes"}},
    {"key", {"key"}},
    {"inclusive", {"delta_inclusive_bytes", "delta_bytes"}}, /* only for recordings */
};
enum { ALL_GROWTH = 3 };

/* Number of rows for which trends are computed, even if fewer rows are shown. */
enum { TRENDS_AT_LEAST = 200 };

/* Return the groups that changed enough, in their order. If the number of rows is limited, groups
 * that did not change are left out, and `unchanged` is set to their number. */
static mp_best growth_rows(const mp_grouping *grouping, const mp_heap_arguments *asked,
                           const mp_order *order, size_t *unchanged)
{
    bool has_scope = grouping->has_scope, kept_too = strcmp(order->name, "inclusive") == 0;
    const size_t limit = (size_t)asked->limit;
    mp_best best = MP_BEST(order, growth_columns, growth_row,
                           limit && limit < TRENDS_AT_LEAST ? TRENDS_AT_LEAST : limit);
    *unchanged = 0;
    for (uint32_t i = 0; i < grouping->count; i++) {
        const mp_group *group = &grouping->groups[i];
        mp_amount from = {group->from_objects, group->from_bytes};
        mp_amount to = {mp_cost_live(group->end), group->end.bytes};
        mp_growth growth = mp_growth_of(from, to);
        if ((!from.objects && !from.bytes && !to.objects && !to.bytes) ||
            !mp_is_asked(asked, llabs(growth.delta_bytes), llabs(growth.delta_objects)))
            continue;
        const mp_group_scope scope = mp_group_scope_of(grouping, group);
        int64_t scoped = scope.inclusive_bytes - scope.from_inclusive_bytes;
        if (!asked->limit || growth.delta_objects || growth.delta_bytes || (kept_too && scoped))
            *(growth_row *)mp_best_add(&best) =
                (growth_row){.group = group,
                             .growth = growth,
                             .key = group->label,
                             .trend = no_trend,
                             .from_inclusive = has_scope ? scope.from_inclusive_bytes : MP_UNKNOWN,
                             .to_inclusive = has_scope ? scope.inclusive_bytes : MP_UNKNOWN,
                             .delta_inclusive = has_scope ? scoped : MP_UNKNOWN,
                             .scoped_bytes = has_scope && kept_too ? scoped : MP_UNKNOWN};
        else
            ++*unchanged;
    }
    mp_best_end(&best);
    return best;
}

/* Return the series of the rows' groups; series i belongs to rows[i]. */
static mp_series series_of_rows(const mp_window *window, const mp_grouping *grouping,
                                const growth_row *rows, size_t count)
{
    uint32_t *row_of = mp_alloc_zero((size_t)grouping->count + 1, sizeof *row_of);
    for (size_t i = 0; i < count; i++)
        row_of[rows[i].group - grouping->groups + 1] = (uint32_t)i + 1;
    mp_series series = mp_series_of(window, 0, grouping, row_of, (uint32_t)count);
    free(row_of);
    return series;
}

/* Set the trends of `count` rows, and the texts of the first `shown` rows. */
static void set_trends(mp_document *document, const mp_window *window, const mp_grouping *grouping,
                       growth_row *rows, size_t count, size_t shown)
{
    const mp_model *model = window->model;
    const growth_row *end = shown ? rows + shown : rows;
    size_t batch = mp_series_batch(window);
    for (; count; rows += batch, count -= batch) {
        batch = count < batch ? count : batch;
        mp_series series = series_of_rows(window, grouping, rows, batch);
        for (size_t i = 0; i < batch; i++) {
            mp_course course = mp_series_worst(&series, i);
            rows[i].trend = trend_cells_of(model, &course);
            if (course.trend.kind == MP_TREND_TOO_SHORT || rows + i >= end)
                continue;
            rows[i].history = sparkline_text(document, &course);
            if (course.trend.kind != MP_TREND_FLAT)
                rows[i].course = mp_one_text(
                    document,
                    mp_document_text(document, "%s%s", trend_text(document, model, &course),
                                     session_text(document, model, course.session)));
        }
        mp_series_free(&series);
    }
}

/* Say which groups grow steadily, the steepest first. The largest change may only be a cache that
 * was filled. */
static void say_steady(mp_document *document, const mp_model *model, const growth_row *rows,
                       size_t count)
{
    enum { NAMED = 3 };
    const growth_row *steepest[NAMED] = {NULL};
    const char *text = "", *words = mp_trend_words(MP_TREND_GROWS);
    size_t steady = 0;
    for (size_t i = 0; i < count; i++) {
        const growth_row *row = &rows[i];
        if (!row->trend.words || strcmp(row->trend.words, words) != 0)
            continue;
        steady++;
        for (size_t k = 0; k < NAMED && row; k++)
            if (!steepest[k] || row->trend.slope > steepest[k]->trend.slope) {
                const growth_row *less = steepest[k];
                steepest[k] = row;
                row = less;
            }
    }
    for (size_t k = 0; k < NAMED && steepest[k]; k++) {
        char slope[MP_UNIT_TEXT];
        mp_format_byte_rate(slope, steepest[k]->trend.slope, document->exact_bytes, true);
        text = mp_document_text(
            document, "%s%s%s, %s a snapshot%s", k ? text : "", k ? "; " : "", steepest[k]->key,
            slope, session_text(document, model, (uint32_t)steepest[k]->trend.session));
    }
    if (steady > NAMED)
        text = mp_document_text(document, "%s; and %s more", text,
                                mp_count_text(document, (int64_t)(steady - NAMED)));
    if (steady && !document->unsized) /* slopes are of bytes */
        mp_document_say(document, MP_TONE_WORSE, "Grows steadily", "%s", text);
}

/* Say the change of all live bytes in the window, and the group that changed most. */
void mp_say_change(mp_document *document, const mp_window *window, const mp_grouping *grouping)
{
    const mp_totals totals = mp_totals_of(window);
    const bool unsized = document->unsized;
    const int64_t from = unsized ? totals.from_objects : totals.from_bytes;
    const int64_t to = unsized ? totals.live_objects : totals.live_bytes;
    const mp_unit unit = unsized ? MP_COUNT : MP_BYTES;
    int64_t change = 0;
    /* group that changed most; if several changed equally, the first by name */
    const mp_group *most = NULL;
    char percent[MP_UNIT_TEXT];
    for (uint32_t i = 0; i < grouping->count; i++) {
        const mp_group *group = &grouping->groups[i];
        const int64_t grew = mp_cost_weight(window->model, group->end) -
                             (unsized ? group->from_objects : group->from_bytes);
        if (!most || llabs(grew) > llabs(change)) {
            most = group;
            change = grew;
        }
    }
    if (!most)
        return;
    mp_format_change(percent, mp_percent_of(to - from, from));
    const char *by = !change ? ""
                             : mp_document_text(document, ", most by %s (%s)", most->label,
                                                mp_unit_text(document, unit, change, true));
    mp_document_say(document, MP_TONE_PLAIN, "Growth", "%s%s from %s to %s%s%s%s%s",
                    mp_unit_text(document, unit, to - from, true), unsized ? " objects" : "",
                    mp_unit_text(document, unit, from, false),
                    mp_unit_text(document, unit, to, false), from ? " (" : "", from ? percent : "",
                    from ? ")" : "", by);
}

bool mp_section_growth(mp_document *document, const mp_window *window,
                       const mp_heap_arguments *asked, bool trends, mp_error *error)
{
    const mp_dimension *dimension = mp_asked_dimension(asked, window->model);
    const mp_order *order =
        MP_ORDER_FIND(growth_orders, mp_asked_sort(asked, window->model), "groups", error);
    if (!order || !mp_order_suits(order, dimension, error))
        return false;
    uint32_t session = 0;
    const char *trend = trends ? section_trend(document, window, &session) : NULL;
    mp_table *table = MP_KIND_TABLE(document, window->model, "growth", NULL, growth_columns);
    if (trend)
        mp_table_line(document, table, "%s", trend);
    table->title = mp_document_text(
        document, "Growth by %s, from %s to %s", mp_dimension_title(dimension),
        mp_moment_text(document, window, true), mp_moment_text(document, window, false));
    table->title_of_many =
        mp_document_text(document, "Growth by %s", mp_dimension_title(dimension));
    table->order = order->columns[0];
    table->empty = mp_empty_text(asked, mp_window_has_span(window) ? "nothing grew or shrank"
                                                                   : MP_ONE_SNAPSHOT);
    size_t unchanged;
    const mp_grouping *grouping = mp_window_groups(window, dimension, MP_GROUPS_SCOPED);
    mp_best best = growth_rows(grouping, asked, order, &unchanged);
    growth_row *rows = best.rows;
    const size_t shown = mp_shown_of(best.count, (size_t)asked->limit);
    /* Trends do not include scoped objects. */
    if (trends && strcmp(order->name, "inclusive") != 0) {
        const size_t judged =
            shown > TRENDS_AT_LEAST ? shown : mp_shown_of(best.count, TRENDS_AT_LEAST);
        set_trends(document, window, grouping, rows, judged, shown);
        say_steady(document, window->model, rows, judged);
        if (mp_window_has_span(window))
            mp_say_change(document, window, grouping);
        else
            mp_document_say(
                document, MP_TONE_PLAIN, "Growth", "unknown: " MP_ONE_SNAPSHOT "%s",
                asked->from || asked->to ? "" : "; give two or more files, the oldest first");
    }
    if (trends)
        mp_figure_growth(document, window, session, grouping, mp_dimension_title(dimension));
    for (size_t i = 0; i < shown; i++) {
        rows[i].stack = mp_group_stack(document, window->model, rows[i].group, dimension);
        mp_table_put(document, table, &rows[i]);
    }
    mp_table_left_out(table, best.added);
    if (best.added == shown && unchanged)
        table->footer.rest = (mp_rest){unchanged, MP_REST_UNCHANGED};
    free(rows);
    return true;
}

/* --- the report --- */

/* Return a hint at the option by which files are one recording; "" unless they are separate ones.
 */
static const char *together(mp_document *document, const mp_request *request)
{
    return request->one_of_many
               ? mp_document_text(document, "; %sgroup all compares the files with each other",
                                  mp_diagnostics_dashes(request->diagnostics))
               : "";
}

static bool growth_of_heap(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_window *window = mp_section_heap(document, request, true, error);
    if (!window)
        return false;
    mp_section_limits(document, request, window);
    bool ok = mp_section_growth(document, window, request->arguments, true, error);
    mp_table *table = &document->tables[document->table_count - 1];
    table->main = true;
    if (ok && !mp_window_has_span(window))
        table->empty =
            mp_document_text(document, "%s%s", table->empty, together(document, request));
    mp_section_suppressions(document, window);
    return ok;
}

static void put_holders(const mp_request *request, mp_document *document, const mp_window *window,
                        size_t rows)
{
    if (!mp_window_tells_holders(window))
        return;
    mp_graph_view *view = mp_request_graph(request);
    mp_name_ways(document, view, false, rows);
    mp_say_growing(document, view);
    mp_section_accumulations(document, view, rows);
}

/* Compare dumps by type, because the same object has different ids in two dumps. */
static bool growth_of_dumps(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_heap_arguments *asked = request->arguments;
    const mp_window *window = mp_section_heap(document, request, false, error);
    if (!window)
        return false;
    const bool unread = mp_diagnostics_severity_count(request->diagnostics, MP_ERROR) > 0;
    if (window->ranges[1].from.i == window->ranges[1].to.i)
        return mp_fail(error, unread ? MP_ERROR_INPUT : MP_ERROR_ARGUMENT,
                       "growth compares dumps: give two or more, the oldest first%s%s",
                       unread ? "; only one could be read" : "", together(document, request));
    mp_say_dump_order(document, window->model);
    mp_section_limits(document, request, window);
    put_holders(request, document, window, (size_t)asked->limit);
    mp_section_growers(document, window, (size_t)asked->limit);
    bool ok = mp_section_growth(document, window, asked, true, error);
    document->tables[document->table_count - 1].main = true;
    mp_section_root_growth(document, window);
    return ok;
}

static const mp_heap_arguments defaults = {.limit = MP_REPORT_ROWS,
                                           .stack_depth = MP_PROGRAM_CALLERS};

static const mp_argument growth_arguments[] = {
    MP_ASKS_WINDOW(MP_HEAPS | MP_DUMP),
    MP_ASKS("by", by, MP_HEAPS),
    MP_ASKS("sort", sort, MP_HEAPS | MP_DUMP),
    MP_ASKS("limit", limit, MP_HEAPS | MP_DUMP),
    MP_SHARES("chart", MP_HEAPS | MP_DUMP),
    MP_ASKS("stack-depth", stack_depth, MP_HEAPS),
    MP_ASKS_MINIMA(MP_HEAPS | MP_DUMP),
    MP_ASKS_LIMITS(MP_DUMP),
    MP_SHARES("selection", MP_HEAPS | MP_DUMP),
    MP_SHARES("suppress", MP_HEAPS),
    MP_SHARES_READING,
};

static const mp_choice growth_choices[] = {
    {.argument = "by", .variants = MP_HEAPS},
    {.argument = "sort", .variants = MP_HEAPS | MP_DUMP, MP_WORDS_OF(growth_orders, 0, ALL_GROWTH)},
    {.argument = "sort", .variants = MP_HISTORY, MP_WORDS_OF(growth_orders, ALL_GROWTH, 1)},
    {0},
};

const mp_report mp_report_growth = {
    .name = "growth",
    .summary = "show what grew or shrank between two snapshots",
    .example = "growth samples/shop-v2.oemp --by source",
    .details =
        "Compares the live objects at the snapshot `from` (the first) and at `to` (the last "
        "_PreCleanUp, else before _Exit, else the last); the largest change first. With four "
        "snapshots or more, it distinguishes steady growth from a single jump. `from` can exclude "
        "a warm-up. `sort` inclusive includes the objects that are scoped to a group.",
    .wants_holders = true,
    MP_ARGUMENTS(growth_arguments, defaults),
    .choices = growth_choices,
    .variants = {MP_HEAP_VARIANTS(growth_of_heap),
                 {.needs = MP_HOLDS_LEDGER, .run = growth_of_dumps}},
};
