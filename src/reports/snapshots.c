
#include "base/error.h"
#include "base/units.h"
#include "reports/sections.h"

static const mp_column columns[] = {
    {"session_id", "Session", MP_TEXT, MP_SHRINKS, 0},
    {"sequence", "#", MP_NUMBER, 0, 0},
    {"tag", "Tag", MP_TEXT, MP_SHORTEN | MP_SHRINKS, 0},
    {"time_us", "Time", MP_TIME, 0, 0},
    {"utc_time", "UTC", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"created_objects", "Created", MP_COUNT, 0, 0},
    {"deleted_objects", "Deleted", MP_COUNT, 0, 0},
    {"changed_objects", "Changed", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"live_objects", "Alive", MP_COUNT, 0, 0},
    {"live_bytes", "Size", MP_BYTES, 0, 0},
    {"delta_bytes", "Change", MP_BYTES, MP_SIGNED, 0},
    {"platform_bytes", "Platform", MP_BYTES, 0, 0},
    {"overhead_bytes", "Overhead", MP_BYTES, MP_FOR_PROGRAMS, 0},
    {"cpu_percent", "CPU %", MP_PERCENT, MP_FOR_PROGRAMS, 0},
    {"reusable_objects", "Reusable", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"reusable_bytes", "Reusable size", MP_BYTES, MP_FOR_PROGRAMS, 0},
    {"request", "Request", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"request_api", "API", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"asked", "Request", MP_LIST, MP_FOR_PEOPLE | MP_BELOW, 0},
    {"request_start_us", "Request start", MP_TIME, MP_FOR_PROGRAMS, 0},
    {"propath", "PROPATH", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"class_depth", "Class depth", MP_NUMBER, MP_FOR_PROGRAMS, 0},
    {"stated_peak_objects", "Stated peak", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"role", "", MP_TEXT, 0, 0},
};

/* Of dumps: no history, and a time where two tell theirs. */
static const mp_column dump_columns[] = {
    {"sequence", "#", MP_NUMBER, 0, 0},
    {"time_us", "Time", MP_TIME, 0, 0},
    {"live_objects", "Alive", MP_COUNT, 0, 0},
    {"live_bytes", "Size", MP_BYTES, 0, 0},
    {"delta_bytes", "Change", MP_BYTES, MP_SIGNED, 0},
    {"roots", "Roots", MP_COUNT, 0, 0},
    {"role", "", MP_TEXT, 0, 0},
};

/* Of a log of heap events: slices of its time. */
static const mp_column event_columns[] = {
    {"session_id", "Session", MP_TEXT, MP_SHRINKS, 0},
    {"sequence", "#", MP_NUMBER, 0, 0},
    {"tag", "Tag", MP_TEXT, MP_SHORTEN | MP_SHRINKS, 0},
    {"time_us", "Time", MP_TIME, 0, 0},
    {"created_objects", "Created", MP_COUNT, 0, 0},
    {"created_per_second", "A second", MP_COUNT, 0, 0},
    {"deleted_objects", "Deleted", MP_COUNT, 0, 0},
    {"live_objects", "Alive", MP_COUNT, 0, 0},
    {"live_bytes", "Size", MP_BYTES, 0, 0},
    {"delta_bytes", "Change", MP_BYTES, MP_SIGNED, 0},
    {"peak_bytes", "Peak", MP_BYTES, 0, 0},
    {"peak_objects", "Peak objects", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"role", "", MP_TEXT, 0, 0},
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

/* The moment by the clock, to be held against the log files of the time. */
static void set_utc(mp_document *document, mp_table *table, const mp_session *session,
                    const mp_snapshot *snapshot)
{
    char text[MP_UNIT_TEXT];
    if (session->start_us && mp_format_utc(text, session->start_us + snapshot->time_us))
        mp_set_text(document, table, "utc_time", text);
}

static void set_request(mp_document *document, mp_table *table, const mp_model *model,
                        const mp_snapshot *snapshot)
{
    const char *asked[2];
    size_t count = 0;
    if (snapshot->request_api.i)
        asked[count++] = mp_model_text(model, snapshot->request_api);
    if (snapshot->request.i)
        asked[count++] = mp_model_text(model, snapshot->request);
    mp_set_text(document, table, "request", mp_model_text(model, snapshot->request));
    mp_set_text(document, table, "request_api", mp_model_text(model, snapshot->request_api));
    if (snapshot->request.i)
        mp_set_number(table, "request_start_us", snapshot->request_start_us);
    if (count)
        mp_set_list(document, table, "asked", asked, count);
}

/* Allocations a second, since the slice before. */
static void set_slice(mp_table *table, const mp_window *window, uint32_t at)
{
    const mp_snapshot *snapshot = mp_window_snapshot(window, at), *before = snapshot - 1;
    int64_t us = before->session.i == snapshot->session.i ? snapshot->time_us - before->time_us : 0;
    mp_set_number(table, "peak_bytes", snapshot->peak_bytes);
    mp_set_number(table, "peak_objects", snapshot->peak_objects);
    if (us > 0)
        mp_set_number(table, "created_per_second",
                      (int64_t)((double)snapshot->created_objects * 1e6 / (double)us + 0.5));
}

static void fill_dump(mp_document *document, mp_table *table, const mp_window *window, uint32_t at,
                      int64_t before, const char *role)
{
    const mp_model *model = window->model;
    const mp_snapshot *snapshot = mp_window_snapshot(window, at);
    int64_t roots = 0;
    for (uint32_t i = 1; i < model->root_counts.count; i++)
        roots += model->root_counts.at[i].snapshot.i == at ? model->root_counts.at[i].roots : 0;
    mp_table_row(table);
    mp_set_number(table, "sequence", (int64_t)snapshot->sequence);
    if (snapshot->time_us)
        mp_set_number(table, "time_us", snapshot->time_us);
    mp_set_number(table, "live_objects", snapshot->live_objects);
    mp_set_number(table, "live_bytes", snapshot->live_bytes);
    mp_set_number(table, "delta_bytes", snapshot->live_bytes - before);
    mp_set_number(table, "roots", roots);
    mp_set_text(document, table, "role", role);
}

/* What only a memory recording tells. */
static void set_recorded(mp_document *document, mp_table *table, const mp_model *model,
                         const mp_snapshot *snapshot)
{
    const mp_session *session = &model->sessions.at[snapshot->session.i];
    set_utc(document, table, session, snapshot);
    mp_set_number(table, "changed_objects", snapshot->changed_objects);
    if (snapshot->has_platform)
        mp_set_number(table, "platform_bytes", snapshot->platform_bytes);
    if (snapshot->overhead_bytes)
        mp_set_number(table, "overhead_bytes", snapshot->overhead_bytes);
    mp_set_real(table, "cpu_percent", (double)snapshot->cpu_hundredths / 100);
    if (session->reusable_apart) {
        mp_set_number(table, "reusable_objects", snapshot->reusable_objects);
        mp_set_number(table, "reusable_bytes", snapshot->reusable_bytes);
    }
    set_request(document, table, model, snapshot);
    mp_set_text(document, table, "propath", mp_model_text(model, snapshot->propath));
    mp_set_number(table, "class_depth", snapshot->class_depth);
    mp_set_number(table, "stated_peak_objects", snapshot->stated_peak_objects);
}

static void fill(mp_document *document, mp_table *table, const mp_window *window, uint32_t at,
                 int64_t before, const char *role)
{
    const mp_model *model = window->model;
    const mp_snapshot *snapshot = mp_window_snapshot(window, at);
    const mp_session *session = &model->sessions.at[snapshot->session.i];
    mp_table_row(table);
    if (model->sessions.count > 2)
        mp_set_text(document, table, "session_id", mp_model_text(model, session->session_id));
    mp_set_number(table, "sequence", (int64_t)snapshot->sequence);
    mp_set_text(document, table, "tag", mp_model_text(model, snapshot->tag));
    if (model->kind != MP_KIND_DATABASE)
        mp_set_number(table, "time_us", snapshot->time_us);
    mp_set_number(table, "created_objects", snapshot->created_objects);
    mp_set_number(table, "deleted_objects", snapshot->deleted_objects);
    mp_set_number(table, "live_objects", snapshot->live_objects);
    mp_set_number(table, "live_bytes", snapshot->live_bytes);
    mp_set_number(table, "delta_bytes", snapshot->live_bytes - before);
    if (model->events)
        set_slice(table, window, at);
    else if (model->kind == MP_KIND_RECORDING)
        set_recorded(document, table, model, snapshot);
    mp_set_text(document, table, "role", role);
}

void mp_section_snapshots(mp_document *document, const mp_window *window, size_t rows)
{
    const mp_model *model = window->model;
    const mp_session_snapshots *snapshots = &window->filter->sessions;
    size_t count = snapshots->first[model->sessions.count];
    bool dumps = model->kind == MP_KIND_DUMP;
    mp_table *table = dumps ? MP_TABLE(document, "snapshots", "Dumps", MP_ROWS, dump_columns)
                      : model->events
                          ? MP_TABLE(document, "snapshots", "Snapshots", MP_ROWS, event_columns)
                          : MP_TABLE(document, "snapshots", "Snapshots", MP_ROWS, columns);
    for (uint32_t session = 1; session < model->sessions.count; session++) {
        uint32_t peak = mp_filter_peak(window->filter, session);
        int64_t before = 0;
        for (uint32_t i = snapshots->first[session]; i < snapshots->first[session + 1]; i++) {
            /* Where not all are shown, the last ones are: that is where things went wrong. */
            const char *role = role_of(window, snapshots->at[i], peak);
            if (!rows || i + rows >= count) {
                if (dumps)
                    fill_dump(document, table, window, snapshots->at[i], before, role);
                else
                    fill(document, table, window, snapshots->at[i], before, role);
            }
            before = mp_window_snapshot(window, snapshots->at[i])->live_bytes;
        }
    }
    if (table->row_count < count)
        table->footer.rest = (mp_rest){count - table->row_count, MP_REST_BEFORE};
}

typedef struct snapshots_arguments {
    const char *from, *to; /* NULL: the report's own; see mp_window_resolve */
    int64_t limit;         /* 0: all */
} snapshots_arguments;

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    const snapshots_arguments *asked = request->arguments;
    mp_window window;
    if (!mp_request_window(request, &window, error))
        return false;
    mp_section_head(document, request);
    mp_section_session(document, request, false);
    mp_section_heap_totals(document, &window, NULL, false);
    mp_section_snapshots(document, &window, (size_t)asked->limit);
    document->tables[document->table_count - 1].main = true;
    mp_window_free(&window);
    return true;
}

/* The variants, by their places. */
enum { EVENTS = 1, HISTORY = 2, DUMPS = 4, ALL = EVENTS | HISTORY | DUMPS };

static const snapshots_arguments own = {.limit = 0};

static const mp_argument arguments[] = {
    {"from", MP_ARGUMENT_NAME, offsetof(snapshots_arguments, from), ALL},
    {"to", MP_ARGUMENT_NAME, offsetof(snapshots_arguments, to), ALL},
    {"limit", MP_ARGUMENT_COUNT, offsetof(snapshots_arguments, limit), ALL},
    {"selection", MP_ARGUMENT_SHARED, 0, ALL},
    {"at", MP_ARGUMENT_SHARED, 0, EVENTS},
    {"slices", MP_ARGUMENT_SHARED, 0, EVENTS},
    {"temporary", MP_ARGUMENT_SHARED, 0, EVENTS},
    {"domain", MP_ARGUMENT_SHARED, 0, DUMPS},
};

const mp_report mp_report_snapshots = {
    .name = "snapshots",
    .summary = "every snapshot: created, deleted, alive, sizes, request",
    .example = "snapshots samples/shop-v2.oemp",
    .details = "A row for each snapshot. The last column marks those that leaks, top and growth\n"
               "compare (from, to) and the one with the most bytes alive (peak).",
    MP_ARGUMENTS(arguments, own),
    .variants = {{.needs = MP_HOLDS_EVENTS, .run = run},
                 {.needs = MP_HOLDS_LEDGER | MP_HOLDS_HISTORY, .run = run},
                 {.needs = MP_HOLDS_LEDGER, .run = run}},
};
