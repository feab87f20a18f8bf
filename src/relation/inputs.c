/* Relations about the input: recordings with their totals, and their files. */
#include "base/diagnose.h"
#include "base/text.h"
#include "relation/source.h"

/* --- recordings --- */

typedef struct recording_row {
    const char *path, *format;
    int64_t format_version, files, bytes, records, complete, snapshots;
    int64_t live_objects, live_bytes, created_objects, created_bytes, deleted_objects;
    int64_t leaked_objects, leaked_bytes, peak_bytes, seconds, calls, samples;
} recording_row;

static const mp_column recording_columns[] = {
    MP_FIELD(recording_row, path, MP_TEXT, "path of its first file, as it was named"),
    MP_FIELD(recording_row, format, MP_TEXT, "its format"),
    MP_FIELD(recording_row, format_version, MP_NUMBER, "version of the format"),
    MP_FIELD(recording_row, files, MP_COUNT, "files that it is in"),
    MP_FIELD(recording_row, bytes, MP_BYTES, "bytes of its files, decompressed"),
    MP_FIELD(recording_row, records, MP_COUNT, "records in them"),
    MP_FIELD(recording_row, complete, MP_FLAG, "nothing of it is cut off or damaged"),
    MP_FIELD(recording_row, snapshots, MP_COUNT, "snapshots, slices of a log, or dumps"),
    MP_FIELD(recording_row, live_objects, MP_COUNT, "objects alive at the end of the window"),
    MP_FIELD(recording_row, live_bytes, MP_BYTES, "bytes alive at the end of the window"),
    MP_FIELD(recording_row, created_objects, MP_COUNT, "objects created"),
    MP_FIELD(recording_row, created_bytes, MP_BYTES, "bytes created"),
    MP_FIELD(recording_row, deleted_objects, MP_COUNT, "objects deleted"),
    MP_FIELD(recording_row, leaked_objects, MP_COUNT,
             "objects created in the window that are alive at its end"),
    MP_FIELD(recording_row, leaked_bytes, MP_BYTES, "their bytes"),
    MP_FIELD(recording_row, peak_bytes, MP_BYTES, "most bytes alive at a snapshot"),
    MP_FIELD(recording_row, seconds, MP_SECONDS, "of a profile: time of all lines"),
    MP_FIELD(recording_row, calls, MP_COUNT, "of a profile: calls of all methods"),
    MP_FIELD(recording_row, samples, MP_COUNT, "of a profile of samples: all of them"),
};

static uint64_t count_recordings(mp_relation_source *source)
{
    (void)source;
    return 1;
}

/* Return true if a part of the file could not be used. Some faults are found only after all files
 * were read. */
static bool is_damaged(const mp_relation_source *source, const mp_input_summary *input)
{
    const mp_diagnostic *kept;
    const size_t count = source->diagnostics ? mp_diagnostics_kept(source->diagnostics, &kept) : 0;
    for (size_t i = 0; i < count; i++)
        if (mp_diagnostic_is_unsound(kept[i].id) && kept[i].path &&
            mp_text_is(kept[i].path, input->path))
            return true;
    return input->damaged;
}

/* Return 1 if the whole file was used, 0 if it is truncated or damaged, MP_UNKNOWN if neither is
 * known because the format does not mark the end of a file. */
static int64_t completeness(const mp_relation_source *source, const mp_input_summary *input)
{
    if (is_damaged(source, input))
        return false;
    return input->complete && input->open_ended ? MP_UNKNOWN : input->complete;
}

static void set_files(const mp_relation_source *source, recording_row *row)
{
    const mp_model *model = source->model;
    row->files = (int64_t)model->inputs.count - 1;
    row->complete = true;
    for (uint32_t i = 1; i < model->inputs.count; i++) {
        const mp_input_summary *input = &model->inputs.items[i];
        const int64_t complete = completeness(source, input);
        row->bytes += (int64_t)input->bytes;
        row->records += (int64_t)input->records;
        if (!complete || row->complete == true)
            row->complete = complete;
    }
}

/* Set the totals of a heap. Dumps have no figures of created and deleted objects. */
static void set_heap(mp_relation_source *source, recording_row *row)
{
    const mp_totals totals = mp_totals_of(source->window);
    row->snapshots = (int64_t)mp_relation_snapshots.count(source);
    row->live_objects = totals.live_objects;
    row->live_bytes = totals.live_bytes;
    row->peak_bytes = totals.peak_bytes;
    if (mp_holds_dumps(source->model->holds))
        return;
    row->created_objects = totals.created_objects;
    row->created_bytes = totals.created_bytes;
    row->deleted_objects = totals.deleted_objects;
    row->leaked_objects = totals.leaked_objects;
    row->leaked_bytes = totals.leaked_bytes;
}

static bool recording_at(mp_relation_source *source, uint64_t place, uint64_t wanted,
                         mp_arena *texts, void *made)
{
    (void)place, (void)wanted, (void)texts;
    const mp_model *model = source->model;
    recording_row *row = made;
    if (model->inputs.count < 2)
        return false;
    const mp_input_summary *input = &model->inputs.items[1];
    mp_row_clear(recording_columns, sizeof recording_columns / sizeof *recording_columns, row);
    row->path = input->path;
    row->format = input->format;
    row->format_version = input->format_version ? input->format_version : MP_UNKNOWN;
    row->bytes = row->records = 0;
    set_files(source, row);
    if (source->window)
        set_heap(source, row);
    if (source->filter->holds & MP_HOLDS_PROFILE) {
        const mp_profile_totals totals = mp_profile_total(source->filter);
        const bool sampled = source->filter->holds & MP_HOLDS_SAMPLES;
        *(sampled ? &row->samples : &row->seconds) = totals.exclusive_us;
        row->calls = totals.calls;
    }
    return true;
}

const mp_relation mp_relation_recordings = {
    .name = "recordings",
    .meaning = "each recording with its totals",
    MP_FIELDS(recording_columns, recording_row),
    .count = count_recordings,
    .row = recording_at,
    .key = MP_NO_KEY,
};

/* --- files --- */

typedef struct file_row {
    const char *path, *format;
    int64_t format_version, bytes, records, complete;
} file_row;

static const mp_column file_columns[] = {
    MP_SHOWN(file_row, path, "File", MP_TEXT, MP_SHORTEN, "path of the file, as it was named"),
    MP_SHOWN(file_row, format, "Format", MP_TEXT, 0, "its format"),
    MP_SHOWN(file_row, format_version, "Version", MP_NUMBER, 0, "version of the format"),
    MP_SHOWN(file_row, bytes, "Size", MP_BYTES, 0, "bytes of the file, decompressed"),
    MP_SHOWN(file_row, records, "Records", MP_COUNT, 0, "records in it"),
    MP_SHOWN(file_row, complete, "Complete", MP_FLAG, 0, "nothing of it is cut off or damaged"),
};

static uint64_t count_files(mp_relation_source *source)
{
    return source->model->inputs.count - 1;
}

static bool file_at(mp_relation_source *source, uint64_t place, uint64_t wanted, mp_arena *texts,
                    void *row)
{
    (void)wanted, (void)texts;
    const mp_input_summary *input = &source->model->inputs.items[place + 1];
    *(file_row *)row =
        (file_row){.path = input->path,
                   .format = input->format,
                   .format_version = input->format_version ? input->format_version : MP_UNKNOWN,
                   .bytes = (int64_t)input->bytes,
                   .records = (int64_t)input->records,
                   .complete = completeness(source, input)};
    return true;
}

const mp_relation mp_relation_files = {
    .name = "files",
    .meaning = "each file that was read",
    MP_FIELDS(file_columns, file_row),
    .count = count_files,
    .row = file_at,
    .key = MP_NO_KEY,
};
