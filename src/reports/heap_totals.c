#include "base/units.h"
#include "query/suppression.h"
#include "reports/graph_sections.h"

static const mp_column total_columns[] = {
    {"live_objects", "Objects", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS | MP_SUMMARY, 0},
    {"live_bytes", "Alive", MP_BYTES, MP_FOR_PROGRAMS | MP_ADDS | MP_SUMMARY, 0},
    {"created_objects", "Created", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"created_bytes", "", MP_BYTES, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"deleted_objects", "Deleted", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"retyped_objects", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"peak_objects", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"peak_bytes", "Peak", MP_BYTES, MP_FOR_PROGRAMS | MP_ADDS | MP_SUMMARY, 0},
    {"leaked_objects", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"leaked_bytes", "Leaked", MP_BYTES, MP_FOR_PROGRAMS | MP_ADDS | MP_SUMMARY, 0},
    {"leak_sites", "Sites", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS | MP_SUMMARY, 0},
    {"suppressed_objects", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"suppressed_bytes", "", MP_BYTES, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"reusable_objects", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"reusable_bytes", "", MP_BYTES, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"peak_time_us", "", MP_TIME, MP_FOR_PROGRAMS, 0},
    {"old_objects", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"old_bytes", "", MP_BYTES, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"old_live_objects", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"old_live_bytes", "", MP_BYTES, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"temporary_objects", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"temporary_bytes", "", MP_BYTES, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"unmatched_deletions", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"double_deletions", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"bad_address_deletions", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"nonunique_allocations", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"displaced_objects", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"corruptions", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"corrupt_events", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"late_events", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"cross_thread_deletions", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"threads", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"crawls", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"from_sequence", "", MP_NUMBER, MP_FOR_PROGRAMS, 0},
    {"to_sequence", "", MP_NUMBER, MP_FOR_PROGRAMS, 0},
    {"alive", "Alive", MP_TEXT, MP_FOR_PEOPLE, 0},
    {"created", "Created", MP_TEXT, MP_FOR_PEOPLE, 0},
    {"deleted", "Deleted", MP_TEXT, MP_FOR_PEOPLE, 0},
    {"peak", "Peak", MP_TEXT, MP_FOR_PEOPLE, 0},
    {"leaked", "Leaked", MP_TEXT, MP_FOR_PEOPLE, 0},
    {"suppressed", "Suppressed", MP_TEXT, MP_FOR_PEOPLE, 0},
    {"temporary", "Temporary", MP_TEXT, MP_FOR_PEOPLE, 0},
    {"old", "Older than the log", MP_TEXT, MP_FOR_PEOPLE, 0},
    {"reusable", "Kept for reuse", MP_TEXT, MP_FOR_PEOPLE, 0},
    {"roots", "Roots", MP_COUNT, MP_ADDS, 0},
    {"roots_without_object", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"references", "References", MP_COUNT, MP_ADDS, 0},
    {"dangling_references", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"reachable_objects", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"reachable_bytes", "Reachable", MP_BYTES, MP_ADDS, 0},
    {"unreachable_objects", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"unreachable_bytes", "Unreachable", MP_BYTES, MP_ADDS | MP_SUMMARY, 0},
    {"types", "Types", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"duplicate_objects", "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS, 0},
    {"app_domains", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
};

const char *mp_amount_text(mp_document *document, int64_t objects, int64_t bytes)
{
    return mp_document_text(document, "%s object%s, %s", mp_count_text(document, objects, false),
                            objects == 1 ? "" : "s", mp_bytes_text(document, bytes, false));
}

void mp_set_amount(mp_document *document, mp_table *table, const char *column, int64_t objects,
                   int64_t bytes)
{
    mp_set_text(document, table, column, mp_amount_text(document, objects, bytes));
}

/* What people read: each number of objects with its size. */
static void set_amounts(mp_document *document, mp_table *table, const mp_totals *totals,
                        const mp_leaks *leaks, const mp_events *events)
{
    mp_set_amount(document, table, "created", totals->created_objects, totals->created_bytes);
    mp_set_text(document, table, "deleted",
                mp_document_text(document, "%s object%s",
                                 mp_count_text(document, totals->deleted_objects, false),
                                 totals->deleted_objects == 1 ? "" : "s"));
    if (events) {
        char time[MP_UNIT_TEXT];
        mp_format_time(time, events->peak_time_us);
        mp_set_text(document, table, "peak",
                    mp_document_text(
                        document, "%s at %s",
                        mp_amount_text(document, totals->peak_objects, totals->peak_bytes), time));
    } else {
        mp_set_amount(document, table, "peak", totals->peak_objects, totals->peak_bytes);
    }
    if (leaks)
        mp_set_amount(document, table, "leaked", leaks->objects, leaks->bytes);
    if (totals->reusable_objects)
        mp_set_amount(document, table, "reusable", totals->reusable_objects,
                      totals->reusable_bytes);
}

/* What only a recording of births and deaths knows. */
static void set_history(mp_document *document, mp_table *table, const mp_window *window,
                        const mp_totals *totals, const mp_leaks *leaks)
{
    const mp_model *model = window->model;
    mp_set_number(table, "created_objects", totals->created_objects);
    mp_set_number(table, "created_bytes", totals->created_bytes);
    mp_set_number(table, "deleted_objects", totals->deleted_objects);
    if (totals->retyped_objects)
        mp_set_number(table, "retyped_objects", totals->retyped_objects);
    mp_set_number(table, "peak_objects", totals->peak_objects);
    mp_set_number(table, "peak_bytes", totals->peak_bytes);
    if (leaks || model->events) {
        mp_set_number(table, "leaked_objects", totals->leaked_objects);
        mp_set_number(table, "leaked_bytes", totals->leaked_bytes);
    }
    if (leaks)
        mp_set_number(table, "leak_sites", leaks->count);
    if (window->suppressed) {
        const mp_suppressed *suppressed = window->suppressed;
        mp_set_number(table, "suppressed_objects", suppressed->objects);
        mp_set_number(table, "suppressed_bytes", suppressed->bytes);
        mp_set_amount(document, table, "suppressed", suppressed->objects, suppressed->bytes);
    }
    if (totals->has_reusable) {
        mp_set_number(table, "reusable_objects", totals->reusable_objects);
        mp_set_number(table, "reusable_bytes", totals->reusable_bytes);
    }
    set_amounts(document, table, totals, leaks, model->events);
    if (model->events)
        mp_set_event_totals(document, table, window, totals);
}

void mp_section_heap_totals(mp_document *document, const mp_window *window, const mp_leaks *leaks,
                            bool shown)
{
    const mp_model *model = window->model;
    mp_totals totals = mp_totals_of(window);
    mp_table *table = MP_TABLE(document, "totals", NULL, MP_RECORD, total_columns);
    table->title =
        mp_document_text(document, "Totals at %s", mp_moment_text(document, window, false));
    table->flags = shown ? 0 : MP_FOR_PROGRAMS;
    table->order = leaks ? "leaked_bytes" : "live_bytes";
    mp_table_row(table);
    mp_set_number(table, "live_objects", totals.live_objects);
    mp_set_number(table, "live_bytes", totals.live_bytes);
    mp_set_amount(document, table, "alive", totals.live_objects, totals.live_bytes);
    if (model->holds & MP_HOLDS_HISTORY)
        set_history(document, table, window, &totals, leaks);
    if (model->graph) {
        mp_graph_totals graph = mp_graph_totals_of(model->graph, NULL);
        mp_set_graph_totals(table, model, &graph);
    }
    if (model->sessions.count == 2) {
        const mp_range *range = &window->ranges[1];
        mp_set_number(table, "from_sequence", (int64_t)model->snapshots.at[range->from.i].sequence);
        mp_set_number(table, "to_sequence", (int64_t)model->snapshots.at[range->to.i].sequence);
    }
}
