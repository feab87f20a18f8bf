#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "reports/figures.h"
#include "reports/sections.h"

typedef struct snapshot_row {
    const char *session_id, *tag, *utc_time, *request, *request_api, *propath, *path, *role;
    int64_t sequence, time_us, created_objects, created_per_second, deleted_objects;
    int64_t changed_objects, live_objects, live_bytes, delta_bytes, peak_bytes, peak_objects;
    int64_t platform_bytes, overhead_bytes, reusable_objects, reusable_bytes, request_start_us;
    int64_t class_depth, stated_peak_objects, roots;
    double cpu_percent;
    mp_texts below;
} snapshot_row;

/* Dumps have no history; snapshots of a log of heap events are slices of its time. */
enum {
    NO_DUMP = MP_OF_RECORDINGS | MP_OF_EVENTS,
    RECORDED = MP_OF_RECORDINGS,
    DETAIL = MP_OF_RECORDINGS | MP_FOR_PROGRAMS,
};

static const mp_column columns[] = {
    MP_COLUMN(snapshot_row, session_id, "Session", MP_TEXT, NO_DUMP | MP_SHORTEN | MP_IF_KNOWN),
    MP_COLUMN(snapshot_row, sequence, "#", MP_NUMBER, 0),
    MP_COLUMN(snapshot_row, tag, "Tag", MP_TEXT, NO_DUMP | MP_SHORTEN | MP_IF_KNOWN),
    MP_COLUMN(snapshot_row, time_us, "Time", MP_TIME, MP_IF_KNOWN),
    MP_COLUMN(snapshot_row, utc_time, "UTC", MP_TEXT, DETAIL),
    MP_COLUMN(snapshot_row, created_objects, "Created", MP_COUNT, NO_DUMP | MP_MINOR),
    MP_COLUMN(snapshot_row, created_per_second, "A second", MP_COUNT, MP_OF_EVENTS | MP_MINOR),
    MP_COLUMN(snapshot_row, deleted_objects, "Deleted", MP_COUNT, NO_DUMP | MP_MINOR),
    MP_COLUMN(snapshot_row, changed_objects, "Changed", MP_COUNT, DETAIL),
    MP_COLUMN(snapshot_row, live_objects, "Alive", MP_COUNT, 0),
    MP_COLUMN(snapshot_row, live_bytes, "Size", MP_BYTES, 0),
    MP_COLUMN(snapshot_row, delta_bytes, "Change", MP_BYTES, MP_SIGNED),
    MP_COLUMN(snapshot_row, peak_bytes, "Peak", MP_BYTES, MP_OF_EVENTS),
    MP_COLUMN(snapshot_row, peak_objects, "Peak objects", MP_COUNT, MP_OF_EVENTS | MP_FOR_PROGRAMS),
    MP_COLUMN(snapshot_row, platform_bytes, "Platform", MP_BYTES,
              RECORDED | MP_MINOR | MP_IF_KNOWN),
    MP_COLUMN(snapshot_row, overhead_bytes, "Overhead", MP_BYTES, DETAIL),
    MP_COLUMN(snapshot_row, cpu_percent, "CPU %", MP_PERCENT, RECORDED | MP_MINOR | MP_IF_KNOWN),
    MP_COLUMN(snapshot_row, reusable_objects, "Reusable", MP_COUNT, DETAIL),
    MP_COLUMN(snapshot_row, reusable_bytes, "Reusable size", MP_BYTES, DETAIL),
    MP_COLUMN(snapshot_row, request, "Request", MP_TEXT, DETAIL),
    MP_COLUMN(snapshot_row, request_api, "API", MP_TEXT, DETAIL),
    MP_COLUMN(snapshot_row, below, "Note", MP_LIST, RECORDED | MP_FOR_PEOPLE | MP_BELOW),
    MP_COLUMN(snapshot_row, request_start_us, "Request start", MP_TIME, DETAIL),
    MP_COLUMN(snapshot_row, propath, "PROPATH", MP_TEXT, DETAIL),
    MP_COLUMN(snapshot_row, class_depth, "Class depth", MP_NUMBER, DETAIL),
    MP_COLUMN(snapshot_row, stated_peak_objects, "Stated peak", MP_COUNT, DETAIL),
    MP_COLUMN(snapshot_row, roots, "Roots", MP_COUNT, MP_OF_DUMPS),
    MP_COLUMN(snapshot_row, role, "", MP_TEXT, 0),
    MP_COLUMN(snapshot_row, path, "File", MP_TEXT, MP_OF_DUMPS | MP_SHORTEN),
};

static const char *role_of(const mp_window *window, uint32_t snapshot, uint32_t peak)
{
    const mp_range *range = &window->ranges[window->model->snapshots.at[snapshot].session.i];
    if (snapshot == range->from.i)
        return "from";
    if (snapshot == range->to.i)
        return "to";
    return snapshot == peak ? "peak" : NULL;
}

/* Allocations a second, since the slice before. */
static int64_t rate_of(const mp_snapshot *snapshot, const mp_snapshot *before)
{
    int64_t us = before->session.i == snapshot->session.i ? snapshot->time_us - before->time_us : 0;
    return us > 0 ? (int64_t)((double)snapshot->created_objects * 1e6 / (double)us + 0.5)
                  : MP_UNKNOWN;
}

/* What only a memory recording tells. */
static void set_recorded(mp_document *document, snapshot_row *row, const mp_model *model,
                         const mp_snapshot *snapshot)
{
    const mp_session *session = &model->sessions.at[snapshot->session.i];
    char utc[MP_UNIT_TEXT];
    /* The moment by the clock, to be held against the log files of the time. */
    if (session->start_us && mp_format_utc(utc, session->start_us + snapshot->time_us))
        row->utc_time = mp_document_text(document, "%s", utc);
    row->changed_objects = snapshot->changed_objects;
    if (snapshot->has_platform)
        row->platform_bytes = snapshot->platform_bytes;
    if (snapshot->overhead_bytes)
        row->overhead_bytes = snapshot->overhead_bytes;
    row->cpu_percent = (double)snapshot->cpu_hundredths / 100;
    if (session->reusable_apart) {
        row->reusable_objects = snapshot->reusable_objects;
        row->reusable_bytes = snapshot->reusable_bytes;
    }
    row->request = mp_model_text(model, snapshot->request);
    row->request_api = mp_model_text(model, snapshot->request_api);
    if (snapshot->request.i)
        row->request_start_us = snapshot->request_start_us;
    row->propath = mp_model_text(model, snapshot->propath);
    row->class_depth = snapshot->class_depth;
    row->stated_peak_objects = snapshot->stated_peak_objects;
}

/* What people read below a row: whose request it is, and the rest, where it is not the same as in
 * the row before; NULL: there is none of the session. */
enum { BELOW = 4 };
static size_t put_below(mp_document *document, const mp_model *model, const mp_snapshot *snapshot,
                        const mp_snapshot *before, const char *below[BELOW])
{
    static const mp_snapshot nothing = {0};
    size_t count = 0;
    const mp_snapshot *last = before ? before : &nothing;
    const char *overhead = mp_bytes_text(document, snapshot->overhead_bytes, false);
    bool other =
        snapshot->request_api.i != last->request_api.i || snapshot->request.i != last->request.i;
    if (other && snapshot->request_api.i)
        below[count++] = mp_model_text(model, snapshot->request_api);
    if (other && snapshot->request.i)
        below[count++] = mp_model_text(model, snapshot->request);
    if (other && !count)
        below[count++] = "no request";
    if (snapshot->overhead_bytes &&
        !(before && strcmp(overhead, mp_bytes_text(document, last->overhead_bytes, false)) == 0))
        below[count++] = mp_document_text(document, "overhead %s", overhead);
    if (snapshot->propath.i && snapshot->ordinal > 1)
        below[count++] = "PROPATH changes (see info)";
    return count;
}

static void put_snapshot(mp_document *document, mp_table *table, const mp_window *window,
                         uint32_t at, int64_t before, const mp_snapshot *row_before,
                         const char *role)
{
    const mp_model *model = window->model;
    const mp_snapshot *snapshot = mp_window_snapshot(window, at);
    snapshot_row row;
    mp_row_clear(columns, sizeof columns / sizeof *columns, &row);
    if (model->sessions.count > 2)
        row.session_id = mp_model_text(model, model->sessions.at[snapshot->session.i].session_id);
    row.sequence = (int64_t)snapshot->sequence;
    row.tag = mp_model_text(model, snapshot->tag);
    if (model->kind == MP_KIND_DUMP ? snapshot->time_us != 0 : model->kind != MP_KIND_DATABASE)
        row.time_us = snapshot->time_us;
    row.created_objects = snapshot->created_objects;
    row.created_per_second = rate_of(snapshot, snapshot - 1);
    row.deleted_objects = snapshot->deleted_objects;
    row.live_objects = snapshot->live_objects;
    row.live_bytes = snapshot->live_bytes;
    row.delta_bytes = snapshot->live_bytes - before;
    if (snapshot->has_peak) { /* that of a selection is not known */
        row.peak_bytes = snapshot->peak_bytes;
        row.peak_objects = snapshot->peak_objects;
    }
    row.role = role;
    if (model->kind == MP_KIND_RECORDING)
        set_recorded(document, &row, model, snapshot);
    row.path = model->inputs.at[snapshot->input].path;
    row.roots = 0;
    for (uint32_t i = 1; i < model->root_counts.count; i++)
        row.roots += model->root_counts.at[i].snapshot.i == at ? model->root_counts.at[i].roots : 0;
    const char *below[BELOW];
    row.below =
        (mp_texts){.at = below, .count = put_below(document, model, snapshot, row_before, below)};
    mp_table_put(document, table, &row);
}

void mp_section_snapshots(mp_document *document, const mp_window *window, size_t rows)
{
    const mp_model *model = window->model;
    const mp_session_snapshots *sessions = &window->filter->sessions;
    size_t count = sessions->first[model->sessions.count];
    const char *title = model->kind == MP_KIND_DUMP ? "Dumps" : "Snapshots";
    mp_table *table = MP_KIND_TABLE(document, model, "snapshots", title, columns);
    for (uint32_t session = 1; session < model->sessions.count; session++) {
        uint32_t peak = mp_filter_peak(window->filter, session);
        const mp_snapshot *before = NULL, *row_before = NULL;
        for (uint32_t i = sessions->first[session]; i < sessions->first[session + 1]; i++) {
            /* Where not all are shown, the last ones are: that is where things went wrong. */
            const mp_snapshot *snapshot = mp_window_snapshot(window, sessions->at[i]);
            if (!rows || i + rows >= count) {
                put_snapshot(document, table, window, sessions->at[i],
                             before ? before->live_bytes : 0, row_before,
                             role_of(window, sessions->at[i], peak));
                row_before = snapshot;
            }
            before = snapshot;
        }
    }
    if (table->row_count < count)
        table->footer.rest = (mp_rest){count - table->row_count, MP_REST_BEFORE};
}

/* Of one session: the snapshot with most, and the one that answers are about. */
static void say_largest(mp_document *document, const mp_window *window)
{
    const mp_model *model = window->model;
    if (model->sessions.count != 2 || model->kind == MP_KIND_DUMP ||
        !mp_filter_peak(window->filter, 1))
        return;
    const mp_snapshot *largest = mp_window_snapshot(window, mp_filter_peak(window->filter, 1));
    const mp_snapshot *to = mp_window_snapshot(window, window->ranges[1].to.i);
    mp_document_say(document, MP_TONE_PLAIN, "Largest", "%s at %s",
                    mp_amount_text(document, largest->live_objects, largest->live_bytes),
                    mp_snapshot_text(document, model, largest));
    if (to != largest)
        mp_document_say(document, MP_TONE_PLAIN, "To", "%s at %s",
                        mp_amount_text(document, to->live_objects, to->live_bytes),
                        mp_snapshot_text(document, model, to));
}

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_heap_arguments *asked = request->arguments;
    mp_window window;
    if (!mp_section_heap(document, request, false, &window, error))
        return false;
    say_largest(document, &window);
    mp_section_snapshots(document, &window, (size_t)asked->limit);
    document->tables[document->table_count - 1].main = true;
    document->tables[document->table_count - 1].limited = true;
    mp_figure_memory(document, &window);
    mp_window_free(&window);
    return true;
}

static const mp_heap_arguments own = {.limit = 0};

static const mp_argument arguments[] = {
    MP_ASKS_WINDOW(MP_HEAPS | MP_DUMP),
    MP_ASKS("limit", COUNT, limit, MP_HEAPS | MP_DUMP),
    MP_SHARES("chart", MP_HEAPS | MP_DUMP),
    MP_SHARES("selection", MP_HEAPS | MP_DUMP),
    MP_SHARES_EVENTS(MP_EVENTS),
    MP_SHARES("domain", MP_DUMP),
};

const mp_report mp_report_snapshots = {
    .name = "snapshots",
    .summary = "every snapshot: created, deleted, alive, sizes, request",
    .example = "snapshots samples/shop-v2.oemp",
    .details = "A row for each snapshot. The last column marks those that leaks, top and growth\n"
               "compare (from, to) and the one with the most bytes alive (peak).",
    MP_ARGUMENTS(arguments, own),
    .variants = {MP_HEAP_VARIANTS(run), {.needs = MP_HOLDS_LEDGER, .run = run}},
};
