#include "reports/sections.h"
#include "support/units.h"

static const mp_column total_columns[] = {
    {"live_objects", "Alive", MP_COUNT, 0},
    {"live_bytes", "Alive, size", MP_BYTES, 0},
    {"created_objects", "Created", MP_COUNT, 0},
    {"created_bytes", "Created, size", MP_BYTES, 0},
    {"deleted_objects", "Deleted", MP_COUNT, 0},
    {"peak_objects", "Peak", MP_COUNT, 0},
    {"peak_bytes", "Peak, size", MP_BYTES, 0},
    {"leaked_objects", "Leaked", MP_COUNT, 0},
    {"leaked_bytes", "Leaked, size", MP_BYTES, 0},
    {"leak_sites", "Leaking sites", MP_COUNT, 0},
    {"reusable_objects", "Reusable, kept on purpose", MP_COUNT, 0},
    {"reusable_bytes", "Reusable, size", MP_BYTES, 0},
    {"from_sequence", "From snapshot", MP_NUMBER, MP_FOR_PROGRAMS},
    {"to_sequence", "To snapshot", MP_NUMBER, MP_FOR_PROGRAMS},
};

void mp_section_heap_totals(mp_document *document, const mp_window *window, const mp_leaks *leaks,
                            bool shown)
{
    const mp_model *model = window->model;
    mp_totals totals = mp_totals_of(window);
    mp_table *table = MP_TABLE(document, "totals", NULL, MP_RECORD, total_columns);
    table->title =
        mp_document_text(document, "Totals at %s", mp_moment_text(document, window, false));
    table->flags = shown ? 0 : MP_FOR_PROGRAMS;
    mp_table_row(table);
    mp_set_number(table, "live_objects", totals.live_objects);
    mp_set_number(table, "live_bytes", totals.live_bytes);
    mp_set_number(table, "created_objects", totals.created_objects);
    mp_set_number(table, "created_bytes", totals.created_bytes);
    mp_set_number(table, "deleted_objects", totals.deleted_objects);
    mp_set_number(table, "peak_objects", totals.peak_objects);
    mp_set_number(table, "peak_bytes", totals.peak_bytes);
    if (leaks) {
        mp_set_number(table, "leaked_objects", leaks->objects);
        mp_set_number(table, "leaked_bytes", leaks->bytes);
        mp_set_number(table, "leak_sites", leaks->count);
    }
    if (totals.has_reusable) {
        mp_set_number(table, "reusable_objects", totals.reusable_objects);
        mp_set_number(table, "reusable_bytes", totals.reusable_bytes);
    }
    if (model->sessions.count == 2) {
        const mp_range *range = &window->ranges[1];
        mp_set_number(table, "from_sequence", (int64_t)model->marks.at[range->from.i].sequence);
        mp_set_number(table, "to_sequence", (int64_t)model->marks.at[range->to.i].sequence);
    }
}
