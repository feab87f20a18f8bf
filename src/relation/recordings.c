/* Relations about the recorded process: snapshots, the runtime's own memory, and diagnostics. */
#include <string.h>

#include "base/units.h"
#include "relation/snapshots.h"
#include "relation/source.h"

/* --- snapshots --- */

/* Kinds of models that have a column. Dumps have no history; the snapshots of an event log are
 * slices of its time. */
enum {
    NO_DUMP = MP_OF_RECORDINGS | MP_OF_EVENTS,
    RECORDED = MP_OF_RECORDINGS,
    DETAIL = MP_OF_RECORDINGS | MP_FOR_PROGRAMS,
};

enum { SEQUENCE = 2, PLATFORM_SEQUENCE = 1 };

static const mp_column columns[] = {
    MP_SHOWN(mp_snapshot_row, session, "", MP_NUMBER, MP_OF_RELATIONS,
             "session, where there are several"),
    MP_SHOWN(mp_snapshot_row, session_id, "Session", MP_TEXT, NO_DUMP | MP_SHORTEN | MP_IF_KNOWN,
             "session, as the file names it; where there are several"),
    [SEQUENCE] = MP_SHOWN(mp_snapshot_row, sequence, "#", MP_NUMBER, 0, "number of the snapshot"),
    MP_SHOWN(mp_snapshot_row, tag, "Tag", MP_TEXT, NO_DUMP | MP_SHORTEN | MP_IF_KNOWN,
             "tag of the snapshot"),
    MP_SHOWN(mp_snapshot_row, time_us, "Time", MP_TIME, MP_IF_KNOWN, "time since the start"),
    MP_SHOWN(mp_snapshot_row, utc_time, "UTC", MP_TEXT, DETAIL, "time by the clock"),
    MP_SHOWN(mp_snapshot_row, created_objects, "Created", MP_COUNT, NO_DUMP | MP_MINOR,
             "objects created since the snapshot before"),
    MP_SHOWN(mp_snapshot_row, created_per_second, "A second", MP_COUNT, MP_OF_EVENTS | MP_MINOR,
             "the same, each second"),
    MP_SHOWN(mp_snapshot_row, deleted_objects, "Deleted", MP_COUNT, NO_DUMP | MP_MINOR,
             "objects deleted since the snapshot before"),
    MP_SHOWN(mp_snapshot_row, changed_objects, "Changed", MP_COUNT, DETAIL,
             "objects changed since the snapshot before"),
    MP_SHOWN(mp_snapshot_row, live_objects, "Alive", MP_COUNT, 0, "objects alive"),
    MP_SHOWN(mp_snapshot_row, live_bytes, "Size", MP_BYTES, 0, "bytes alive"),
    MP_SHOWN(mp_snapshot_row, delta_bytes, "Change", MP_BYTES, MP_SIGNED,
             "change of the bytes alive since the snapshot before"),
    MP_SHOWN(mp_snapshot_row, peak_bytes, "Peak", MP_BYTES, MP_OF_EVENTS,
             "most bytes alive since the snapshot before"),
    MP_SHOWN(mp_snapshot_row, peak_objects, "Peak objects", MP_COUNT,
             MP_OF_EVENTS | MP_FOR_PROGRAMS, "objects alive then"),
    MP_SHOWN(mp_snapshot_row, platform_bytes, "Platform", MP_BYTES,
             RECORDED | MP_MINOR | MP_IF_KNOWN, "memory of the runtime itself"),
    MP_SHOWN(mp_snapshot_row, overhead_bytes, "Overhead", MP_BYTES, DETAIL,
             "memory of the recorder"),
    MP_SHOWN(mp_snapshot_row, cpu_percent, "CPU %", MP_PERCENT, RECORDED | MP_MINOR | MP_IF_KNOWN,
             "share of the processor that the process used"),
    MP_SHOWN(mp_snapshot_row, reusable_objects, "Reusable", MP_COUNT, DETAIL,
             "objects that the runtime keeps for reuse"),
    MP_SHOWN(mp_snapshot_row, reusable_bytes, "Reusable size", MP_BYTES, DETAIL, "their bytes"),
    MP_SHOWN(mp_snapshot_row, request, "Request", MP_TEXT, DETAIL,
             "request that ends at the snapshot"),
    MP_SHOWN(mp_snapshot_row, request_api, "API", MP_TEXT, DETAIL, "what the request called"),
    MP_COLUMN(mp_snapshot_row, below, "Note", MP_LIST, RECORDED | MP_FOR_PEOPLE | MP_BELOW),
    MP_SHOWN(mp_snapshot_row, request_start_us, "Request start", MP_TIME, DETAIL,
             "time at which the request began"),
    MP_SHOWN(mp_snapshot_row, propath, "PROPATH", MP_TEXT, DETAIL, "PROPATH at the snapshot"),
    MP_SHOWN(mp_snapshot_row, class_depth, "Class depth", MP_NUMBER, DETAIL,
             "depth of the class hierarchy, as the file says"),
    MP_SHOWN(mp_snapshot_row, stated_peak_objects, "Stated peak", MP_COUNT, DETAIL,
             "most objects alive, as the file says"),
    MP_SHOWN(mp_snapshot_row, roots, "Roots", MP_COUNT, MP_OF_DUMPS, "roots of the dump"),
    MP_SHOWN(mp_snapshot_row, role, "", MP_TEXT, 0, "from, to or peak: what it is to the window"),
    MP_SHOWN(mp_snapshot_row, path, "File", MP_TEXT, MP_OF_DUMPS | MP_SHORTEN, "file of the dump"),
};

static uint64_t count_snapshots(mp_relation_source *source)
{
    return source->filter->listed.first[source->model->sessions.count];
}

static const char *role_of(mp_relation_source *source, uint32_t snapshot)
{
    const uint32_t session = source->model->snapshots.items[snapshot].session.i;
    const mp_range *range = &source->window->ranges[session];
    if (source->peak_session != session) {
        source->peak_session = session;
        source->peak = mp_filter_peak(source->filter, session);
    }
    return snapshot == range->from.i  ? "from"
           : snapshot == range->to.i  ? "to"
           : snapshot == source->peak ? "peak"
                                      : NULL;
}

/* Return the allocations per second since the previous slice. */
static int64_t rate_of(const mp_snapshot *snapshot, const mp_snapshot *before)
{
    int64_t us = before->session.i == snapshot->session.i ? snapshot->time_us - before->time_us : 0;
    return us > 0 ? (int64_t)((double)snapshot->created_objects * 1e6 / (double)us + 0.5)
                  : MP_UNKNOWN;
}

/* Set the columns that only memory recordings have. */
static void set_recorded(mp_arena *texts, mp_snapshot_row *row, const mp_model *model,
                         const mp_snapshot *snapshot)
{
    const mp_recorded_session *session = &model->sessions.items[snapshot->session.i];
    char utc[MP_UNIT_TEXT];
    /* Wall-clock time, for comparison with other log files. */
    if (session->start_us && mp_format_utc(utc, session->start_us + snapshot->time_us))
        row->utc_time = mp_arena_copy(texts, utc, strlen(utc));
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

static bool snapshot_at(mp_relation_source *source, uint64_t place, uint64_t wanted,
                        mp_arena *texts, void *made)
{
    (void)wanted;
    const mp_model *model = source->model;
    const uint32_t index = source->filter->listed.snapshots[place];
    const mp_snapshot *snapshot = &source->filter->snapshots[index];
    const uint32_t session = snapshot->session.i;
    const bool first = place == source->filter->listed.first[session];
    const mp_snapshot *before =
        first ? NULL : &source->filter->snapshots[source->filter->listed.snapshots[place - 1]];
    mp_snapshot_row *row = made;
    mp_row_clear(columns, sizeof columns / sizeof *columns, row);
    row->session = mp_session_number(model, snapshot->session);
    if (model->sessions.count > 2)
        row->session_id = mp_model_text(model, model->sessions.items[session].session_id);
    row->sequence = (int64_t)snapshot->sequence;
    row->tag = mp_model_text(model, snapshot->tag);
    if (mp_snapshot_has_time(model, snapshot))
        row->time_us = snapshot->time_us;
    if (snapshot->whole) {
        row->created_objects = snapshot->created_objects;
        row->created_per_second = rate_of(snapshot, snapshot - 1);
        row->deleted_objects = snapshot->deleted_objects;
        row->live_objects = snapshot->live_objects;
    }
    row->live_bytes = snapshot->live_bytes;
    row->delta_bytes = snapshot->live_bytes - (before ? before->live_bytes : 0);
    if (snapshot->has_peak) { /* the peak of a selection of objects is unknown */
        row->peak_bytes = snapshot->peak_bytes;
        row->peak_objects = snapshot->peak_objects;
    }
    row->role = role_of(source, index);
    if (model->holds & MP_HOLDS_RUNTIME)
        set_recorded(texts, row, model, snapshot);
    row->path = model->inputs.items[snapshot->input].path;
    row->roots = 0;
    for (uint32_t i = 1; i < model->root_counts.count; i++)
        row->roots +=
            model->root_counts.items[i].snapshot.i == index ? model->root_counts.items[i].roots : 0;
    return true;
}

static int64_t sequence_at(mp_relation_source *source, uint64_t place)
{
    const mp_filter *filter = source->filter;
    return (int64_t)filter->snapshots[filter->listed.snapshots[place]].sequence;
}

const mp_relation mp_relation_snapshots = {
    .name = "snapshots",
    .meaning = "each snapshot, slice of a log, or dump",
    .needs = MP_HOLDS_LEDGER,
    MP_FIELDS(columns, mp_snapshot_row),
    .count = count_snapshots,
    .row = snapshot_at,
    .key = SEQUENCE,
    .order = sequence_at,
};

/* --- platform --- */

typedef struct platform_row {
    int64_t session, sequence, bytes, block_bytes, pool_bytes;
    const char *area;
} platform_row;

static const mp_column platform_columns[] = {
    MP_FIELD(platform_row, session, MP_NUMBER, "session, where there are several"),
    [PLATFORM_SEQUENCE] = MP_FIELD(platform_row, sequence, MP_NUMBER, "snapshot"),
    MP_FIELD(platform_row, area, MP_TEXT, "area of the runtime's own memory"),
    MP_FIELD(platform_row, bytes, MP_BYTES, "bytes of the area"),
    MP_FIELD(platform_row, block_bytes, MP_BYTES, "bytes of it in blocks"),
    MP_FIELD(platform_row, pool_bytes, MP_BYTES, "bytes of it in pools"),
};

static uint64_t count_platform(mp_relation_source *source)
{
    return source->model->platform_samples.count - 1;
}

static bool platform_at(mp_relation_source *source, uint64_t place, uint64_t wanted,
                        mp_arena *texts, void *row)
{
    (void)wanted, (void)texts;
    const mp_model *model = source->model;
    const mp_platform_sample *sample = &model->platform_samples.items[place + 1];
    const mp_snapshot *snapshot = &source->filter->snapshots[sample->snapshot.i];
    if (!snapshot->whole)
        return false;
    *(platform_row *)row =
        (platform_row){.session = mp_session_number(model, snapshot->session),
                       .sequence = (int64_t)snapshot->sequence,
                       .area = mp_model_text(model, model->platforms.items[sample->platform.i]),
                       .bytes = sample->bytes,
                       .block_bytes = sample->block_bytes,
                       .pool_bytes = sample->pool_bytes};
    return true;
}

static int64_t sequence_of_sample(mp_relation_source *source, uint64_t place)
{
    return mp_snapshot_number(source->model,
                              source->model->platform_samples.items[place + 1].snapshot);
}

const mp_relation mp_relation_platform = {
    .name = "platform",
    .meaning = "each area of the runtime's own memory at each snapshot",
    .needs = MP_HOLDS_HISTORY,
    MP_FIELDS(platform_columns, platform_row),
    .count = count_platform,
    .row = platform_at,
    .key = PLATFORM_SEQUENCE,
    .order = sequence_of_sample,
};

/* --- diagnostics --- */

typedef struct diagnostic_row {
    const char *severity, *code, *path, *message;
    int64_t line, count;
} diagnostic_row;

static const mp_column diagnostic_columns[] = {
    MP_FIELD(diagnostic_row, severity, MP_TEXT, "note, warning or error"),
    MP_FIELD(diagnostic_row, code, MP_TEXT, "code of the diagnostic"),
    MP_FIELD(diagnostic_row, path, MP_TEXT, "file that it is about"),
    MP_FIELD(diagnostic_row, line, MP_NUMBER, "line of the file; none: the whole file"),
    MP_FIELD(diagnostic_row, message, MP_TEXT, "what is wrong"),
    MP_FIELD(diagnostic_row, count, MP_COUNT, "how many; the last one counts those not kept, too"),
};

static uint64_t count_diagnostics(mp_relation_source *source)
{
    const mp_diagnostic *kept;
    return source->diagnostics ? mp_diagnostics_kept(source->diagnostics, &kept) : 0;
}

/* Return the number of diagnostics that a row counts: 1, but the last row of a code also counts the
 * diagnostics of this code that were not kept. */
static uint64_t told_by(const mp_diagnostics *diagnostics, size_t place)
{
    const mp_diagnostic *kept;
    const size_t count = mp_diagnostics_kept(diagnostics, &kept);
    size_t alike = 0, later = 0;
    for (size_t i = 0; i < count; i++) {
        alike += kept[i].id == kept[place].id;
        later += i > place && kept[i].id == kept[place].id;
    }
    return later ? 1 : 1 + mp_diagnostics_count(diagnostics, kept[place].id) - alike;
}

static bool diagnostic_at(mp_relation_source *source, uint64_t place, uint64_t wanted,
                          mp_arena *texts, void *row)
{
    (void)wanted, (void)texts;
    const mp_diagnostic *kept;
    (void)mp_diagnostics_kept(source->diagnostics, &kept);
    *(diagnostic_row *)row =
        (diagnostic_row){.severity = mp_severity_name(mp_diagnostic_severity(kept[place].id)),
                         .code = mp_diagnostic_code(kept[place].id),
                         .path = kept[place].path,
                         .line = kept[place].line ? (int64_t)kept[place].line : MP_UNKNOWN,
                         .message = kept[place].message,
                         .count = (int64_t)told_by(source->diagnostics, place)};
    return true;
}

const mp_relation mp_relation_diagnostics = {
    .name = "diagnostics",
    .meaning = "each diagnostic of the input",
    MP_FIELDS(diagnostic_columns, diagnostic_row),
    .count = count_diagnostics,
    .row = diagnostic_at,
    .key = MP_NO_KEY,
};
