/* The default report: a summary in words, then the tables from which it is derived. */
#include <string.h>

#include "reports/figures.h"
#include "reports/graph_sections.h"
#include "reports/profile_sections.h"

/* Return the largest group; if several are equally large, the first by name. There must be at least
 * one group. */
static const mp_group *biggest_of(const mp_model *model, const mp_grouping *groups)
{
    const mp_group *best = &groups->groups[0];
    for (uint32_t i = 1; i < groups->count; i++)
        if (mp_cost_weight(model, groups->groups[i].end) > mp_cost_weight(model, best->end))
            best = &groups->groups[i];
    return best;
}

static void answer_groups(mp_document *document, const mp_window *window)
{
    mp_totals totals = mp_totals_of(window);
    const mp_grouping *types = mp_window_groups(window, mp_dimension_usual(window->model), 0);
    const int64_t alive = document->unsized ? totals.live_objects : totals.live_bytes;
    if (types->count && alive) {
        const mp_group *biggest = biggest_of(window->model, types);
        mp_document_say(document, MP_TONE_PLAIN, "Biggest", "%s",
                        mp_biggest_text(document, biggest->label,
                                        (mp_amount){mp_cost_live(biggest->end), biggest->end.bytes},
                                        alive));
    }
    if (mp_window_has_span(window))
        mp_say_change(document, window, types);
}

/* Say the peak of a heap log, and the share of temporary allocations. */
static void answer_events(mp_document *document, const mp_window *window)
{
    const mp_totals totals = mp_totals_of(window);
    char share[MP_UNIT_TEXT];
    if (!window->model->events || !totals.created_objects)
        return;
    mp_format_percent(share, mp_percent_of(totals.temporary_objects, totals.created_objects),
                      false);
    mp_say_peak(document, window);
    mp_document_say(document, MP_TONE_PLAIN, "Allocations", "%s, %s of them temporary (%s %%)",
                    mp_amount_text(document, totals.created_objects, totals.created_bytes),
                    mp_count_text(document, totals.temporary_objects), share);
}

/* Say how the runtime's own memory grew. It may grow although no object grows, because it includes
 * the contents of temp-tables. */
static void answer_platform(mp_document *document, const mp_window *window)
{
    const mp_model *model = window->model;
    mp_platform_span platform_span = mp_platform_span_of_all(window);
    int64_t from = platform_span.from_bytes, to = platform_span.to_bytes, growth;
    if (!from && !to)
        return;
    mp_platform_id most = mp_platform_growing(window, &growth);
    const char *text = mp_document_text(document, "%s (%s)", mp_bytes_text(document, to),
                                        mp_bytes_change(document, to - from));
    if (most.i)
        text = mp_document_text(document, "%s, most by %s (%s)", text,
                                mp_model_text(model, model->platforms.items[most.i]),
                                mp_bytes_change(document, growth));
    mp_document_say(document, MP_TONE_PLAIN, "Platform", "%s", text);
}

/* Draw a figure of stacks for each metric that the model has. */
static void draw_stacks(mp_document *document, const mp_filter *filter, const mp_window *window)
{
    static const struct {
        mp_weighing subject;
        const char *name, *title;
    } asked[] = {
        {MP_WEIGH_LEAKED, "leaked_stacks", "Left behind, by stack"},
        {MP_WEIGH_ALIVE, "alive_stacks", "Alive, by stack"},
        {MP_WEIGH_CREATED, "created_stacks", "Created, by stack"},
        {MP_WEIGH_SECONDS, "seconds_stacks", "Seconds, by stack"},
        {MP_WEIGH_SAMPLES, "samples_stacks", "Samples, by stack"},
        {MP_WEIGH_RETAINED, "retained_stacks", "Retained size by owner"},
    };
    enum { MOST_FRAMES = 4000 };
    const bool dump = mp_weighing_usual(filter) == MP_WEIGH_RETAINED;
    mp_weighing weighings[MP_MOST_WEIGHINGS];
    size_t count = 0, which[MP_MOST_WEIGHINGS];
    for (size_t i = 0; document->draws && i < sizeof asked / sizeof *asked; i++) {
        bool wanted = dump == (asked[i].subject == MP_WEIGH_RETAINED);
        if (!wanted || !mp_weighing_fits(filter, asked[i].subject))
            continue;
        which[count] = i;
        weighings[count++] = asked[i].subject;
    }
    if (!count)
        return;
    mp_weights weights = mp_weights_of(filter, window, weighings, count);
    for (size_t i = 0; i < count; i++) {
        mp_weights seen = mp_weights_pruned(filter->model, &weights, i, MOST_FRAMES);
        mp_figure *figure = mp_stack_figure(document, &seen, asked[which[i]].name);
        figure->title = asked[which[i]].title;
        if (seen.left_out)
            figure->note = mp_document_text(document, "%s %s summed up as \"(smaller ones)\".",
                                            mp_count_text(document, seen.left_out),
                                            seen.left_out == 1 ? "frame is" : "frames are");
        mp_weights_free(&seen);
    }
    mp_weights_free(&weights);
}

/* Name the command that shows each table in full, and the command to run next. Text output shows
 * only the first tables; all other formats have all tables. */
static void finish(mp_document *document, const mp_heap_arguments *asked, const char *next)
{
    enum { FIRST_TABLES = 3 };
    static const struct {
        const char *table, *command;
    } shown_by[] = {{"accumulations", "growth"},
                    {"anomaly_counts", "check"},
                    {"growth", "growth"},
                    {"leaks", "leaks"},
                    {"methods", "top"},
                    {"retained", "retained"},
                    {"session", "info"},
                    {"sessions", "info"},
                    {"snapshots", "snapshots"},
                    {"suppressions", "leaks"},
                    {"top", "top"},
                    {"totals", "info"}};
    for (size_t i = 0; i < document->table_count; i++)
        for (size_t j = 0; j < sizeof shown_by / sizeof *shown_by; j++)
            if (strcmp(document->tables[i].name, shown_by[j].table) == 0)
                document->tables[i].command = shown_by[j].command;
    document->first_tables = asked->all_tables ? 0 : FIRST_TABLES;
    document->next = next;
}

/* Return the command that shows more: about leaks, about growth, or about the largest groups. */
static const char *next_of_heap(const mp_document *document, const mp_window *window)
{
    const mp_table *growth = mp_document_find(document, "growth");
    const mp_table *leaks = mp_document_find(document, "leaks");
    return document->verdict.kind                                      ? "leaks"
           : mp_window_has_span(window) && growth && growth->row_count ? "growth"
           : leaks && leaks->row_count                                 ? "leaks"
                                                                       : "top";
}

static bool run_heap(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_heap_arguments *asked = request->arguments;
    const mp_window *window = mp_request_window(request, error);
    if (!window)
        return false;
    mp_window_group_ahead(window, mp_dimension_usual(window->model));
    mp_section_head(document, request);
    mp_answer_leaks(document, request, window);
    mp_say_damage(document, request);
    answer_events(document, window);
    answer_groups(document, window);
    answer_platform(document, window);
    mp_section_limits(document, request, window);
    mp_figure_memory(document, window);
    mp_figure_history(document, request, window);
    draw_stacks(document, request->filter, window);
    mp_figure_alive(document, window);
    bool ok = mp_section_leaks(document, request, window, error);
    mp_section_suppressions(document, window);
    ok = ok && mp_section_top(document, window, asked, error) &&
         mp_section_growth(document, window, asked, false, error);
    if (ok && !mp_window_has_span(window)) /* growth from a moment to itself is for programs */
        document->tables[document->table_count - 1].flags |= MP_FOR_PROGRAMS;
    mp_section_anomaly_counts(document, window->model);
    mp_section_graph(document, request, asked->min_bytes, (size_t)asked->limit);
    mp_section_snapshots(document, window, (size_t)asked->limit);
    mp_section_heap_totals(document, window, true, true);
    mp_section_session(document, request, true);
    finish(document, asked, next_of_heap(document, window));
    return ok;
}

static bool run_profile(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_model *model = request->model;
    mp_profile_costs costs = mp_profile_costs_of(request->filter);
    const mp_heap_arguments *state = request->arguments;
    mp_costs_asked asked = {.min_calls = state->min_count, .rows = (size_t)state->limit};
    mp_section_head(document, request);
    mp_section_profile_answer(document, model, &costs);
    draw_stacks(document, request->filter, NULL);
    if (mp_costs_have_lines(&costs)) { /* otherwise, the only table has the methods */
        mp_section_methods(document, model, &costs, &asked);
        asked.by = "line";
    }
    bool ok = mp_section_profile_top(document, model, &costs, &asked, error);
    document->tables[document->table_count - 1].main = true;
    mp_section_profile_totals(document, request->filter, true);
    mp_section_session(document, request, true);
    finish(document, state, model->profile->nodes.count > 1 ? "tree" : "top");
    mp_profile_costs_free(&costs);
    return ok;
}

static bool run_dump(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_heap_arguments *asked = request->arguments;
    size_t rows = (size_t)asked->limit;
    const mp_window *window = mp_request_window(request, error);
    mp_graph_view *view = mp_request_graph(request);
    if (!window)
        return false;
    mp_graph_share_ahead(view);
    mp_retained_want(view, asked->min_bytes, rows);
    (void)mp_graph_types(view); /* early, so that types and suspects share a pass */
    mp_name_ways(document, view, true, rows);
    mp_section_head(document, request);
    mp_say_dump(document, view);
    mp_say_dump_more(document, view);
    mp_figure_memory(document, window);
    mp_figure_history(document, request, window);
    draw_stacks(document, request->filter, window);
    mp_figure_alive_in_graph(document, request->model, view);
    mp_section_accumulations(document, view, rows);
    mp_section_suspects(document, view, rows);
    mp_section_retained(document, view, asked->min_bytes, rows);
    mp_section_dump_top(document, view, &(mp_histogram_asked){.rows = rows}, error);
    mp_section_roots(document, view, true);
    mp_section_statics(document, view, rows);
    mp_section_shared(document, view, rows);
    if (mp_window_has_span(window))
        mp_section_growth(document, window, asked, false, error);
    mp_section_snapshots(document, window, rows);
    mp_section_dump_totals(document, view, true);
    mp_section_session(document, request, true);
    finish(document, asked, mp_window_has_span(window) ? "growth" : "dominators");
    return true;
}

static void sum_up(mp_document *merged)
{
    mp_sum_up_leaks(merged);
    merged->next = merged->verdict.leaking ? "leaks" : "top";
}

static const mp_heap_arguments defaults = {.limit = MP_DEFAULT_ROWS, .stack_depth = 2};

static const mp_argument arguments[] = {
    MP_ASKS_WINDOW(MP_HEAPS),
    MP_ASKS("limit", limit, MP_PROFILE | MP_HEAPS | MP_DUMP),
    MP_ASKS("all-tables", all_tables, MP_PROFILE | MP_HEAPS | MP_DUMP),
    MP_ASKS("stack-depth", stack_depth, MP_HEAPS),
    MP_ASKS("min-size", min_bytes, MP_HEAPS),
    MP_ASKS("min-count", min_count, MP_PROFILE | MP_HEAPS),
    MP_ASKS_LIMITS(0),
    MP_SHARES("selection", MP_PROFILE | MP_HEAPS),
    MP_SHARES("suppress", MP_HEAPS),
    MP_SHARES("listings", MP_PROFILE),
    MP_SHARES("keep-profiler", MP_PROFILE),
    MP_SHARES_READING,
};

const mp_report mp_report_analyze = {
    .name = "analyze",
    .summary = "show an overview: leaks, largest groups, growth, snapshots",
    .example = "analyze samples/shop-v2.oemp",
    .details =
        "Text has the first three tables and ends with the command to run next; `all-tables` "
        "shows every table. Each table has ten rows, or as many as `limit` allows. The "
        "other commands show one table in full, with more options.",
    .overview = true,
    .wants_holders = true,
    MP_ARGUMENTS(arguments, defaults),
    .sum_up = sum_up,
    .variants = {MP_HEAP_VARIANTS(run_heap),
                 {.needs = MP_HOLDS_LEDGER | MP_HOLDS_GRAPH, .run = run_dump},
                 {.needs = MP_HOLDS_PROFILE, .run = run_profile}},
};
