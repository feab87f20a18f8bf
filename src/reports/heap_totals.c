/* The totals of a heap: one record, mostly for programs. */
#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "reports/graph_sections.h"
#include "reports/stacks.h"

typedef struct totals_row {
    mp_totals totals;
    mp_graph_totals graph;
    int64_t leaking_objects, leaking_bytes, leak_sites, suppressed_objects, suppressed_bytes,
        from_sequence, to_sequence;
    int64_t types, app_domains;
    /* figures that only logs of heap events have */
    int64_t peak_time_us, old_objects, old_bytes, old_live_objects, old_live_bytes;
    int64_t unmatched_deletions, double_deletions, bad_address_deletions, nonunique_allocations;
    int64_t displaced_objects, corruptions, corrupt_events, reordered_events, late_events;
    int64_t cross_thread_deletions;
    int64_t threads, crawls;
    const char *peak_of; /* session of the peak, if there are several */
    /* Texts for people: each number of objects with its size. */
    const char *alive, *created, *deleted, *peak, *leaked, *suppressed, *temporary, *old, *reusable,
        *untracked;
} totals_row;

#define ADDS (MP_FOR_PROGRAMS | MP_ADDS)
#define TOTAL(name, title, unit, flags)                                                            \
    MP_COLUMN_OF(totals_row, totals.name, #name, title, unit, ADDS | (flags))
#define OWN(name, unit, flags) MP_COLUMN(totals_row, name, "", unit, flags)
#define GRAPH(name, title, unit, flags)                                                            \
    MP_COLUMN_OF(totals_row, graph.name, #name, title, unit, MP_ADDS | (flags))
#define WORDS(name, title) MP_COLUMN(totals_row, name, title, MP_TEXT, MP_FOR_PEOPLE)

static const mp_column total_columns[] = {
    TOTAL(live_objects, "Objects", MP_COUNT, MP_SUMMARY),
    TOTAL(live_bytes, "Alive", MP_BYTES, MP_SUMMARY),
    TOTAL(created_objects, "Created", MP_COUNT, 0),
    TOTAL(created_bytes, "", MP_BYTES, 0),
    TOTAL(deleted_objects, "Deleted", MP_COUNT, 0),
    TOTAL(retyped_objects, "", MP_COUNT, 0),
    TOTAL(peak_objects, "", MP_COUNT, 0),
    TOTAL(peak_bytes, "Peak", MP_BYTES, MP_SUMMARY),
    OWN(peak_of, MP_TEXT, MP_FOR_PROGRAMS),
    TOTAL(stated_peak_objects, "", MP_COUNT, 0),
    MP_COLUMN(totals_row, leaking_bytes, "Leaking", MP_BYTES, ADDS | MP_SUMMARY),
    MP_COLUMN(totals_row, leaking_objects, "Leaking objects", MP_COUNT, ADDS | MP_SUMMARY),
    TOTAL(leaked_objects, "", MP_COUNT, 0),
    TOTAL(leaked_bytes, "Left behind", MP_BYTES, MP_SUMMARY),
    MP_COLUMN(totals_row, leak_sites, "Sites", MP_COUNT, ADDS | MP_SUMMARY),
    OWN(suppressed_objects, MP_COUNT, ADDS),
    OWN(suppressed_bytes, MP_BYTES, ADDS),
    TOTAL(reusable_objects, "", MP_COUNT, 0),
    TOTAL(reusable_bytes, "", MP_BYTES, 0),
    OWN(peak_time_us, MP_TIME, MP_FOR_PROGRAMS),
    OWN(old_objects, MP_COUNT, ADDS),
    OWN(old_bytes, MP_BYTES, ADDS),
    OWN(old_live_objects, MP_COUNT, ADDS),
    OWN(old_live_bytes, MP_BYTES, ADDS),
    TOTAL(temporary_objects, "", MP_COUNT, 0),
    TOTAL(temporary_bytes, "", MP_BYTES, 0),
    OWN(unmatched_deletions, MP_COUNT, ADDS),
    OWN(double_deletions, MP_COUNT, ADDS),
    OWN(bad_address_deletions, MP_COUNT, ADDS),
    OWN(nonunique_allocations, MP_COUNT, ADDS),
    OWN(displaced_objects, MP_COUNT, ADDS),
    OWN(corruptions, MP_COUNT, ADDS),
    OWN(corrupt_events, MP_COUNT, ADDS),
    OWN(reordered_events, MP_COUNT, ADDS),
    OWN(late_events, MP_COUNT, ADDS),
    OWN(cross_thread_deletions, MP_COUNT, ADDS),
    OWN(threads, MP_COUNT, MP_FOR_PROGRAMS),
    OWN(crawls, MP_COUNT, MP_FOR_PROGRAMS),
    OWN(from_sequence, MP_NUMBER, MP_FOR_PROGRAMS),
    OWN(to_sequence, MP_NUMBER, MP_FOR_PROGRAMS),
    WORDS(alive, "Alive"),
    WORDS(created, "Created"),
    WORDS(deleted, "Deleted"),
    WORDS(peak, "Peak"),
    WORDS(leaked, "Left behind"),
    WORDS(suppressed, "Suppressed"),
    WORDS(temporary, "Temporary"),
    WORDS(old, "Older than the log"),
    WORDS(reusable, "Kept for reuse"),
    GRAPH(roots, "Roots", MP_COUNT, 0),
    GRAPH(roots_without_object, "", MP_COUNT, MP_FOR_PROGRAMS),
    GRAPH(references, "References", MP_COUNT, 0),
    GRAPH(dangling_references, "", MP_COUNT, MP_FOR_PROGRAMS),
    GRAPH(reachable_objects, "", MP_COUNT, MP_FOR_PROGRAMS),
    GRAPH(reachable_bytes, "Reachable", MP_BYTES, 0),
    GRAPH(unreachable_objects, "", MP_COUNT, MP_FOR_PROGRAMS),
    GRAPH(unreachable_bytes, "Unreachable", MP_BYTES, MP_SUMMARY),
    GRAPH(untracked_objects, "", MP_COUNT, MP_FOR_PROGRAMS),
    GRAPH(untracked_bytes, "", MP_BYTES, MP_FOR_PROGRAMS),
    WORDS(untracked, "Unknown"),
    MP_COLUMN(totals_row, types, "Types", MP_COUNT, MP_FOR_PROGRAMS),
    GRAPH(duplicate_objects, "", MP_COUNT, MP_FOR_PROGRAMS),
    OWN(app_domains, MP_COUNT, MP_FOR_PROGRAMS),
};

/* Return the cost of old blocks that are alive at the end of the window. Old blocks belong to
 * generations that were born at the start of a log. */
static mp_cost old_at(const mp_window *window)
{
    const mp_model *model = window->model;
    mp_cost sum = {0};
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.items[i];
        mp_snapshot_id born = model->generations.items[delta->generation.i].born;
        if (mp_filter_has_generation(window->filter, delta->generation) &&
            model->snapshots.items[born.i].ordinal == 1 &&
            mp_window_before_to(window, delta->snapshot))
            sum = mp_cost_add(sum, delta->cost);
    }
    return sum;
}

/* Set the figures that only logs of heap events have. */
static void set_events(mp_document *document, const mp_window *window, totals_row *row)
{
    const mp_events *events = window->model->events;
    const int64_t *anomalies = events->anomaly_counts;
    mp_cost old = old_at(window);
    char time[MP_UNIT_TEXT];
    row->old_objects = events->old_objects;
    row->old_bytes = events->old_bytes;
    row->old_live_objects = mp_cost_live(old);
    row->old_live_bytes = old.bytes;
    row->double_deletions = anomalies[MP_ANOMALY_DOUBLE_DELETION];
    row->bad_address_deletions = anomalies[MP_ANOMALY_BAD_ADDRESS];
    row->unmatched_deletions = row->double_deletions + row->bad_address_deletions;
    row->nonunique_allocations = anomalies[MP_ANOMALY_NONUNIQUE];
    row->displaced_objects = events->displaced_objects;
    row->corruptions = anomalies[MP_ANOMALY_CORRUPTION];
    row->corrupt_events = events->corrupt_events;
    row->reordered_events = events->reordered_events;
    row->late_events = events->late_events;
    row->cross_thread_deletions = anomalies[MP_ANOMALY_OTHER_THREAD];
    row->threads = events->threads;
    row->crawls = events->crawls;
    /* The peak of a selection is unknown, because it may be between snapshots. */
    if (!window->filter->selects) {
        row->peak_time_us = window->filter->peak_time_us;
        mp_format_time(time, row->peak_time_us);
        row->peak = mp_document_text(document, "%s at %s", row->peak, time);
    }
    row->temporary =
        mp_amount_text(document, row->totals.temporary_objects, row->totals.temporary_bytes);
    if (events->old_objects)
        row->old =
            mp_document_text(document, "%s; %s of them alive",
                             mp_amount_text(document, events->old_objects, events->old_bytes),
                             mp_amount_text(document, mp_cost_live(old), old.bytes));
}

/* Set the sums over the sites that leak. */
static void set_leaking(const mp_document *document, const mp_leaks *sites, totals_row *row)
{
    row->leaking_objects = row->leaking_bytes = 0;
    for (uint32_t i = 0; i < sites->leaking; i++) {
        row->leaking_objects += mp_leak_objects(&sites->items[i]);
        row->leaking_bytes += sites->items[i].leaking_bytes;
    }
    if (document->unsized)
        row->leaking_bytes = MP_UNKNOWN;
}

/* Set the figures that only recordings of births and deaths have. */
static void set_history(mp_document *document, const mp_window *window, const mp_totals *state,
                        bool leaks, totals_row *row)
{
    const mp_events *events = window->model->events;
    const mp_suppressed *suppressed = window->suppressed;
    mp_totals *totals = &row->totals;
    *totals = *state;
    row->created = mp_amount_text(document, totals->created_objects, totals->created_bytes);
    if (!document->uncounted)
        row->deleted = mp_counted_text(document, totals->deleted_objects, "object");
    row->peak = mp_amount_text(document, totals->peak_objects, totals->peak_bytes);
    if (!totals->has_stated_peak)
        totals->stated_peak_objects = MP_UNKNOWN;
    else if (totals->stated_peak_objects > totals->peak_objects)
        row->peak =
            mp_document_text(document, "%s at a snapshot, %s objects at any moment", row->peak,
                             mp_count_text(document, totals->stated_peak_objects));
    if (totals->reusable_objects)
        row->reusable = mp_amount_text(document, totals->reusable_objects, totals->reusable_bytes);
    if (leaks) {
        const mp_leaks *sites = mp_window_leak_sites(window);
        row->leak_sites = sites->left;
        row->leaked = mp_amount_text(document, sites->objects, sites->bytes);
        if (!mp_leaks_unknown_text(document, window, sites))
            set_leaking(document, sites, row);
    }
    if (suppressed) {
        row->suppressed_objects = suppressed->objects;
        row->suppressed_bytes = suppressed->bytes;
        row->suppressed = mp_amount_text(document, suppressed->objects, suppressed->bytes);
    }
    if (events)
        set_events(document, window, row);
    else
        totals->temporary_objects = totals->temporary_bytes = MP_UNKNOWN;
    if (totals->peak_of_one) {
        row->peak = mp_document_text(document, "%s, of the largest session", row->peak);
        row->peak_of = "largest-session";
    }
    if (!leaks && !events)
        totals->leaked_objects = totals->leaked_bytes = MP_UNKNOWN;
    if (!totals->retyped_objects)
        totals->retyped_objects = MP_UNKNOWN;
    if (!totals->has_reusable)
        totals->reusable_objects = totals->reusable_bytes = MP_UNKNOWN;
}

void mp_section_heap_totals(mp_document *document, const mp_window *window, bool leaks, bool shown)
{
    const mp_model *model = window->model;
    const mp_graph *graph = window->filter->graph;
    mp_totals totals = mp_totals_of(window);
    document->uncounted |= (model->holds & MP_HOLDS_UNCOUNTED) != 0;
    mp_table *table = MP_TABLE(document, "totals", NULL, MP_RECORD, total_columns);
    table->title =
        mp_document_text(document, "Totals at %s", mp_moment_text(document, window, false));
    table->flags = shown ? 0 : MP_FOR_PROGRAMS;
    table->order = leaks ? "leaked_bytes" : "live_bytes";
    totals_row row;
    mp_row_clear(total_columns, table->column_count, &row);
    row.totals.live_objects = totals.live_objects;
    row.totals.live_bytes = totals.live_bytes;
    row.alive = mp_amount_text(document, totals.live_objects, totals.live_bytes);
    if (model->holds & MP_HOLDS_HISTORY)
        set_history(document, window, &totals, leaks, &row);
    if (graph)
        row.graph = mp_graph_totals_of(graph, NULL);
    if (graph && row.graph.untracked_objects)
        row.untracked = mp_untracked_text(document, &row.graph);
    if (graph && !graph->untracked)
        row.graph.untracked_objects = row.graph.untracked_bytes = MP_UNKNOWN;
    if (graph && mp_holds_dumps(model->holds)) { /* a database declares no types */
        row.types = graph->declared_types;
        if (graph->domains.count > 1)
            row.app_domains = (int64_t)graph->domains.count - 1;
    }
    if (model->sessions.count == 2) {
        const mp_range *range = &window->ranges[1];
        row.from_sequence = (int64_t)model->snapshots.items[range->from.i].sequence;
        row.to_sequence = (int64_t)model->snapshots.items[range->to.i].sequence;
    }
    mp_table_put(document, table, &row);
}

/* Return when the peak of a heap log was, and which group held most; "" if that is unknown, as for
 * a selection of its blocks, or for several sessions, or if the peak is after the window. */
static const char *peak_cause(mp_document *document, const mp_window *window)
{
    const mp_grouping *groups = mp_window_groups(window, mp_dimension_usual(window->model), 0);
    const mp_group *most = groups->groups;
    char time[MP_UNIT_TEXT];
    if (window->filter->selects || !window->filter->knows_peak || !groups->count ||
        window->model->sessions.count != 2 ||
        window->filter->peak_time_us > mp_window_snapshot(window, window->ranges[1].to.i)->time_us)
        return "";
    for (uint32_t i = 1; i < groups->count; i++)
        if (groups->groups[i].at_peak.bytes > most->at_peak.bytes)
            most = &groups->groups[i];
    mp_format_time(time, window->filter->peak_time_us);
    return mp_document_text(document, " at %s, most by %s (%s)", time, most->label,
                            mp_bytes_text(document, most->at_peak.bytes));
}

/* Return the stack that held most at a snapshot, as ", most by parse:33 called from main:12 (1.5
 * KiB)"; "" if that is unknown, because the sites of the snapshot are not recorded. */
static const char *stack_at(mp_document *document, const mp_window *window,
                            const mp_snapshot *snapshot)
{
    enum { CALLERS = 2 };
    const mp_model *model = window->model;
    const mp_group *most = NULL;
    const char *text = "";
    char name[32];
    mp_error error = {0};
    mp_window then;
    snprintf(name, sizeof name, "%" PRIu64, snapshot->sequence);
    if (snapshot->only_total || !mp_window_of(window->filter, NULL, name, &then, &error))
        return text;
    const mp_grouping *groups = mp_window_groups(&then, mp_dimension_find("site"), 0);
    for (uint32_t i = 0; i < groups->count; i++)
        if (!most || groups->groups[i].end.bytes > most->end.bytes)
            most = &groups->groups[i];
    if (most && mp_window_snapshot(&then, then.ranges[1].to.i) == snapshot) {
        const uint32_t context = model->generations.items[most->example.i].context.i;
        const mp_frame site = {most->node, model->contexts.items[context].line};
        const mp_texts stack = mp_stack_texts(document, model, mp_frame_naming(model, site));
        text = mp_document_text(document, ", most by %s", stack.count ? stack.items[0] : "");
        for (size_t i = 1; i < stack.count && i <= CALLERS; i++)
            text = mp_document_text(document, "%s%s%s", text, i == 1 ? " called from " : ", ",
                                    stack.items[i]);
        text =
            mp_document_text(document, "%s (%s)", text, mp_bytes_text(document, most->end.bytes));
    }
    mp_window_free(&then);
    return text;
}

/* Say the largest snapshot of a single session, if it is not the one that the other tables show. */
static void say_largest(mp_document *document, const mp_window *window)
{
    const mp_model *model = window->model;
    const mp_session_snapshots *listed = &window->filter->listed;
    const mp_snapshot *largest = NULL;
    char time[MP_UNIT_TEXT];
    if (model->kind != MP_KIND_DATABASE || model->sessions.count != 2 || window->filter->selects)
        return;
    for (uint32_t i = listed->first[1]; i < listed->first[2]; i++) {
        const mp_snapshot *snapshot = mp_window_snapshot(window, listed->snapshots[i]);
        largest = !largest || snapshot->live_bytes > largest->live_bytes ? snapshot : largest;
    }
    if (!largest || !largest->live_bytes ||
        largest == mp_window_snapshot(window, window->ranges[1].to.i))
        return;
    mp_format_time(time, largest->time_us);
    mp_document_say(document, MP_TONE_PLAIN, "Peak", "%s at %s%s%s%s",
                    mp_amount_text(document, largest->live_objects, largest->live_bytes),
                    mp_snapshot_text(document, model, largest), largest->time_us ? ", " : "",
                    largest->time_us ? time : "", stack_at(document, window, largest));
}

void mp_say_peak(mp_document *document, const mp_window *window)
{
    const mp_totals totals = mp_totals_of(window);
    if (!window->model->events)
        say_largest(document, window);
    else if (totals.created_objects)
        mp_document_say(document, MP_TONE_PLAIN, "Peak", "%s%s",
                        mp_amount_text(document, totals.peak_objects, totals.peak_bytes),
                        peak_cause(document, window));
}
