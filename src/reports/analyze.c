/* The default report: the answer first, then the tables it comes from. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/units.h"
#include "query/suppression.h"
#include "reports/graph_sections.h"
#include "reports/profile_sections.h"

static const mp_column answer_columns[] = {
    {"leaks", "Leaks", MP_TEXT, 0, 0},        {"suppressed", "Suppressed", MP_TEXT, 0, 0},
    {"worst", "Worst leak", MP_TEXT, 0, 0},   {"worst_site", "  at", MP_TEXT, 0, 0},
    {"once", "Maybe a cache", MP_TEXT, 0, 0}, {"once_site", "  at", MP_TEXT, 0, 0},
    {"biggest", "Biggest", MP_TEXT, 0, 0},    {"growth", "Growth", MP_TEXT, 0, 0},
    {"platform", "Platform", MP_TEXT, 0, 0},
};

static void answer_leak(mp_document *document, mp_table *table, const mp_model *model,
                        const mp_leak *leak, const char *what, const char *where)
{
    const mp_group *group = &leak->group;
    bool once = mp_group_grew_once(group), always = group->grew == group->moments;
    const char *grew = once ? "only once"
                       : always
                           ? "at every snapshot"
                           : mp_document_text(document, "at %" PRIu32 " of %" PRIu32 " snapshots",
                                              group->grew, group->moments);
    mp_set_text(document, table, what,
                mp_document_text(document, "%s in %s x %s%s%s, grew %s",
                                 mp_bytes_text(document, group->leaked.bytes, false),
                                 mp_count_text(document, mp_cost_live(group->leaked), false),
                                 leak->type, leak->name ? " " : "", leak->name ? leak->name : "",
                                 grew));
    mp_frame frame = mp_frame_naming(model, (mp_frame){leak->node, leak->line});
    mp_set_text(document, table, where, mp_frame_text(document, model, frame));
}

/* The largest leak that grew again and again; one that grew once may be a cache that filled. */
static const mp_leak *largest(const mp_leaks *leaks, bool grew_once)
{
    for (uint32_t i = 0; i < leaks->count; i++)
        if (mp_group_grew_once(&leaks->at[i].group) == grew_once)
            return &leaks->at[i];
    return NULL;
}

/* Whether `from` and `to` are two snapshots in any session. */
static bool has_span(const mp_window *window)
{
    for (uint32_t i = 1; i < window->model->sessions.count; i++)
        if (window->ranges[i].from.i != window->ranges[i].to.i)
            return true;
    return false;
}

static void answer_leaks(mp_document *document, mp_table *table, const mp_window *window,
                         const mp_leaks *leaks)
{
    const mp_suppressed *suppressed = window->suppressed;
    const mp_leak *steady = largest(leaks, false), *once = largest(leaks, true);
    if (suppressed && suppressed->objects)
        mp_set_text(document, table, "suppressed",
                    mp_amount_text(document, suppressed->objects, suppressed->bytes));
    if (!leaks->count) {
        mp_set_text(document, table, "leaks",
                    has_span(window) ? "none" : "none: there is only one snapshot to look at");
        return;
    }
    mp_set_text(document, table, "leaks",
                mp_document_text(document, "%s in %s object%s from %" PRIu32 " site%s",
                                 mp_bytes_text(document, leaks->bytes, false),
                                 mp_count_text(document, leaks->objects, false),
                                 leaks->objects == 1 ? "" : "s", leaks->count,
                                 leaks->count == 1 ? "" : "s"));
    if (steady)
        answer_leak(document, table, window->model, steady, "worst", "worst_site");
    if (once)
        answer_leak(document, table, window->model, once, "once", "once_site");
}

static int64_t bytes_of(const mp_group *group)
{
    return group->to.bytes;
}

static int64_t change_of(const mp_group *group)
{
    return llabs(group->to.bytes - group->from.bytes);
}

/* Of equal ones the first by label; NULL: there is none. */
static const mp_group *largest_group(const mp_grouping *grouping,
                                     int64_t (*measure)(const mp_group *))
{
    const mp_group *most = NULL;
    for (uint32_t i = 0; i < grouping->count; i++)
        if (!most || measure(&grouping->groups[i]) > measure(most))
            most = &grouping->groups[i];
    return most;
}

static void answer_groups(mp_document *document, mp_table *table, const mp_window *window)
{
    mp_totals totals = mp_totals_of(window);
    const mp_grouping *types = mp_window_groups(window, mp_dimension_find("type"), 0);
    const mp_group *biggest = largest_group(types, bytes_of),
                   *changed = largest_group(types, change_of);
    int64_t delta = totals.live_bytes - totals.from_bytes;
    char percent[MP_UNIT_TEXT] = "";
    if (biggest && totals.live_bytes) {
        mp_format_percent(percent, mp_percent_of(biggest->to.bytes, totals.live_bytes), false);
        mp_set_text(document, table, "biggest",
                    mp_document_text(document, "%s: %s in %s object%s, %s %% of %s alive",
                                     biggest->label,
                                     mp_bytes_text(document, biggest->to.bytes, false),
                                     mp_count_text(document, mp_cost_live(biggest->to), false),
                                     mp_cost_live(biggest->to) == 1 ? "" : "s", percent,
                                     mp_bytes_text(document, totals.live_bytes, false)));
    }
    if (totals.from_bytes)
        mp_format_percent(percent, mp_percent_of(delta, totals.from_bytes), true);
    if (changed && has_span(window))
        mp_set_text(document, table, "growth",
                    mp_document_text(
                        document, "%s from %s to %s%s%s%s, most by %s (%s)",
                        mp_bytes_text(document, delta, true),
                        mp_bytes_text(document, totals.from_bytes, false),
                        mp_bytes_text(document, totals.live_bytes, false),
                        totals.from_bytes ? " (" : "", totals.from_bytes ? percent : "",
                        totals.from_bytes ? " %)" : "", changed->label,
                        mp_bytes_text(document, changed->to.bytes - changed->from.bytes, true)));
}

/* The runtime's own memory may grow where the objects do not: contents of temp-tables live there.
 */
static void answer_platform(mp_document *document, mp_table *table, const mp_window *window)
{
    const mp_model *model = window->model;
    int64_t from = 0, to = 0, growth;
    for (uint32_t i = 1; i < model->sessions.count; i++) {
        from += model->snapshots.at[window->ranges[i].from.i].platform_bytes;
        to += model->snapshots.at[window->ranges[i].to.i].platform_bytes;
    }
    if (!from && !to)
        return;
    mp_platform_id most = mp_platform_growing(window, &growth);
    const char *text = mp_document_text(document, "%s (%s)", mp_bytes_text(document, to, false),
                                        mp_bytes_text(document, to - from, true));
    if (most.i)
        text = mp_document_text(document, "%s, most by %s (%s)", text,
                                mp_model_text(model, model->platforms.at[most.i]),
                                mp_bytes_text(document, growth, true));
    mp_set_text(document, table, "platform", text);
}

static void section_answer(mp_document *document, const mp_window *window, const mp_leaks *leaks)
{
    mp_table *table = MP_TABLE(document, "answer", NULL, MP_RECORD, answer_columns);
    table->flags = MP_FOR_PEOPLE;
    mp_table_row(table);
    answer_leaks(document, table, window, leaks);
    answer_groups(document, table, window);
    answer_platform(document, table, window);
}

static bool put_sections(const mp_request *request, mp_document *document, const mp_window *window,
                         const mp_leaks *leaks, mp_error *error)
{
    const mp_view *view = &request->view;
    size_t rows = mp_view_rows(view, MP_DEFAULT_ROWS);
    mp_section_head(document, request);
    section_answer(document, window, leaks);
    mp_section_limits(document, window, leaks, view);
    if (!mp_section_leaks(document, window, leaks, view, rows,
                          view->stack_depth < 0 ? 2 : (size_t)view->stack_depth, error))
        return false;
    mp_section_suppressions(document, window);
    if (!mp_section_top(document, window, view, rows, error) ||
        !mp_section_growth(document, window, view, rows, false, error))
        return false;
    mp_section_anomaly_counts(document, window->model);
    mp_section_graph(document, request->filter, request->view.min_bytes, rows);
    mp_section_snapshots(document, window, rows);
    mp_section_heap_totals(document, window, leaks, true);
    mp_section_session(document, request, true);
    return true;
}

static bool run_profile(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_model *model = request->model;
    mp_profile_costs costs = mp_profile_costs_of(request->filter);
    mp_costs_asked asked = {.min_calls = request->view.min_count,
                            .rows = mp_view_rows(&request->view, MP_DEFAULT_ROWS)};
    mp_section_head(document, request);
    mp_section_profile_totals(document, request->filter, true);
    bool ok = mp_section_profile_top(document, model, &costs, &asked, error);
    document->tables[document->table_count - 1].main = true;
    mp_section_methods(document, model, &costs, &asked);
    mp_section_session(document, request, true);
    mp_profile_costs_free(&costs);
    return ok;
}

static bool run_heap(const mp_request *request, mp_document *document, mp_error *error)
{
    mp_window window;
    if (!mp_request_window(request, &window, error))
        return false;
    bool ok = put_sections(request, document, &window, mp_window_leak_sites(&window), error);
    mp_window_free(&window);
    return ok;
}

static bool run_dump(const mp_request *request, mp_document *document, mp_error *error)
{
    static const mp_view all_types = {.limit = -1};
    mp_window window;
    if (!mp_request_window(request, &window, error))
        return false;
    size_t rows = mp_view_rows(&request->view, MP_DEFAULT_ROWS);
    mp_graph_view view = mp_graph_view_of(request->filter);
    mp_section_head(document, request);
    mp_section_dump_answer(document, &view);
    mp_section_suspects(document, &view, rows);
    mp_section_retained(document, &view, request->view.min_bytes, rows);
    mp_section_dump_top(document, &view, &(mp_histogram_asked){.rows = rows}, error);
    mp_section_roots(document, &view, true);
    mp_section_statics(document, &view, rows);
    mp_section_shared(document, &view, rows);
    if (has_span(&window))
        mp_section_growth(document, &window, &all_types, rows, false, error);
    mp_section_snapshots(document, &window, rows);
    mp_section_dump_totals(document, &view, true);
    mp_section_session(document, request, true);
    mp_graph_view_free(&view);
    mp_window_free(&window);
    return true;
}

/* Of heaps with births and deaths. */
enum {
    HEAP = MP_HONOURS_SELECT | MP_HONOURS_MINIMA | MP_HONOURS_WINDOW | MP_HONOURS_LIMIT |
           MP_HONOURS_STACK_DEPTH | MP_HONOURS_LIMITS | MP_HONOURS_SUPPRESS
};

const mp_report mp_report_analyze = {
    .name = "analyze",
    .summary = "the whole answer: leaks, biggest, growth, snapshots (the default)",
    .example = "analyze samples/shop-v2.oemp",
    .details =
        "Each table has ten rows; --limit says otherwise. The other commands show one table\n"
        "in full, with more options.",
    .overview = true,
    .variants = {{.needs = MP_HOLDS_PROFILE,
                  .honours = MP_HONOURS_SELECT | MP_HONOURS_MIN_COUNT | MP_HONOURS_LIMIT |
                             MP_HONOURS_SOURCES,
                  .run = run_profile},
                 {.needs = MP_HOLDS_EVENTS, .honours = HEAP | MP_HONOURS_EVENTS, .run = run_heap},
                 {.needs = MP_HOLDS_HISTORY | MP_HOLDS_NATIVE,
                  .honours = HEAP | MP_HONOURS_SKIP,
                  .run = run_heap},
                 {.needs = MP_HOLDS_LEDGER | MP_HOLDS_HISTORY, .honours = HEAP, .run = run_heap},
                 {.needs = MP_HOLDS_LEDGER | MP_HOLDS_GRAPH,
                  .honours = MP_HONOURS_LIMIT | MP_HONOURS_DOMAIN,
                  .run = run_dump}},
};
