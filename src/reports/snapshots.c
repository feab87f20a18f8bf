#include <string.h>

#include "relation/snapshots.h"
#include "reports/figures.h"
#include "reports/sections.h"

/* Set the lines below a row for people: its request, and all that changed since the previous row.
 * `before` is NULL for the first row of a session. */
enum { BELOW = 4 };
static size_t put_below(mp_document *document, const mp_model *model, const mp_snapshot *snapshot,
                        const mp_snapshot *before, const char *below[BELOW])
{
    static const mp_snapshot nothing = {0};
    size_t count = 0;
    const mp_snapshot *last = before ? before : &nothing;
    const char *overhead = mp_bytes_text(document, snapshot->overhead_bytes);
    bool other =
        snapshot->request_api.i != last->request_api.i || snapshot->request.i != last->request.i;
    if (other && snapshot->request_api.i)
        below[count++] = mp_model_text(model, snapshot->request_api);
    if (other && snapshot->request.i)
        below[count++] = mp_model_text(model, snapshot->request);
    if (other && !count)
        below[count++] = "no request";
    if (snapshot->overhead_bytes &&
        !(before && strcmp(overhead, mp_bytes_text(document, last->overhead_bytes)) == 0))
        below[count++] = mp_document_text(document, "overhead %s", overhead);
    if (snapshot->propath.i && snapshot->ordinal > 1)
        below[count++] = "PROPATH changes (see info)";
    return count;
}

void mp_section_snapshots(mp_document *document, const mp_window *window, size_t rows)
{
    const mp_model *model = window->model;
    const uint32_t *order = window->filter->listed.snapshots;
    const char *title = mp_holds_dumps(model->holds) ? "Dumps" : "Snapshots";
    const mp_relation *relation = &mp_relation_snapshots;
    mp_table *table = mp_kind_table(document, model, "snapshots", title, relation->columns,
                                    relation->column_count);
    mp_relation_source *source = mp_relation_source_new(window->filter, window, NULL);
    mp_cursor cursor = mp_cursor_open(relation, source);
    const mp_snapshot *before = NULL;
    /* If not all rows are shown, show the last ones, because problems become visible late. */
    if (rows && rows < cursor.end)
        table->footer.rest = (mp_rest){cursor.end - rows, MP_REST_BEFORE};
    cursor.place = table->footer.rest.count;
    while (mp_cursor_next(&cursor, MP_ALL_COLUMNS)) {
        const mp_snapshot *snapshot = mp_window_snapshot(window, order[cursor.place - 1]);
        mp_snapshot_row *row = cursor.row;
        const char *below[BELOW];
        if (before && before->session.i != snapshot->session.i)
            before = NULL;
        row->below = (mp_texts){.items = below,
                                .count = put_below(document, model, snapshot, before, below)};
        mp_table_put(document, table, row);
        before = snapshot;
    }
    mp_cursor_free(&cursor);
    mp_relation_source_free(source);
}

/* Say the largest snapshot, if there is a single session, and the snapshot that reports use. */
static void say_largest(mp_document *document, const mp_window *window)
{
    const mp_model *model = window->model;
    if (model->sessions.count != 2 || !(model->holds & MP_HOLDS_HISTORY) ||
        !mp_filter_peak(window->filter, 1))
        return;
    const mp_snapshot *largest = mp_window_snapshot(window, mp_filter_peak(window->filter, 1));
    const mp_snapshot *snapshot = mp_window_snapshot(window, window->ranges[1].to.i);
    mp_document_say(document, MP_TONE_PLAIN, "Largest", "%s at %s",
                    mp_amount_text(document, largest->live_objects, largest->live_bytes),
                    mp_snapshot_text(document, model, largest));
    if (snapshot != largest)
        mp_document_say(document, MP_TONE_PLAIN, "To", "%s at %s",
                        mp_amount_text(document, snapshot->live_objects, snapshot->live_bytes),
                        mp_snapshot_text(document, model, snapshot));
    if (model->events)
        mp_say_peak(document, window); /* it may be between snapshots */
}

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_heap_arguments *asked = request->arguments;
    const mp_window *window = mp_section_heap(document, request, false, error);
    if (!window)
        return false;
    say_largest(document, window);
    mp_section_snapshots(document, window, (size_t)asked->limit);
    document->tables[document->table_count - 1].main = true;
    document->tables[document->table_count - 1].limited = true;
    mp_figure_memory(document, window);
    return true;
}

static const mp_heap_arguments defaults = {.limit = 0};

static const mp_argument arguments[] = {
    MP_ASKS_WINDOW(MP_HEAPS | MP_DUMP),
    MP_ASKS("limit", limit, MP_HEAPS | MP_DUMP),
    MP_SHARES("chart", MP_HEAPS | MP_DUMP),
    MP_SHARES("selection", MP_HEAPS | MP_DUMP),
    MP_SHARES_EVENTS(MP_EVENTS),
    MP_SHARES("domain", MP_DUMP),
};

const mp_report mp_report_snapshots = {
    .name = "snapshots",
    .summary = "list the snapshots: created, deleted and live objects, sizes, request",
    .example = "snapshots samples/shop-v2.oemp",
    .details = "Prints one row per snapshot. The last column marks those that leaks, top and "
               "growth compare (from, to) and the one with the most live bytes (peak).",
    MP_ARGUMENTS(arguments, defaults),
    .variants = {MP_HEAP_VARIANTS(run), {.needs = MP_HOLDS_LEDGER, .run = run}},
};
