#include "export/exporter.h"

#include "query/profile_costs.h"

bool mp_export_is_whole(const mp_request *request, mp_error *error)
{
    const mp_model *model = request->model;
    for (uint32_t i = 1; i < model->sessions.count; i++)
        if (mp_filter_is_cut(request->filter, i))
            return mp_fail(error, MP_ERROR_INPUT,
                           "%s: a database has whole recordings, expected it without @SNAPSHOT",
                           mp_model_text(model, model->sessions.items[i].file));
    for (uint32_t i = 1; i < model->inputs.count; i++)
        if (!model->inputs.items[i].checksum.known)
            return mp_fail(error, MP_ERROR_INPUT,
                           "%s: its bytes could not be read again to name it",
                           model->inputs.items[i].path);
    return true;
}

const mp_written_totals mp_nothing_written = {
    .snapshots = MP_UNKNOWN,
    .live_objects = MP_UNKNOWN,
    .live_bytes = MP_UNKNOWN,
    .created_objects = MP_UNKNOWN,
    .created_bytes = MP_UNKNOWN,
    .leaked_objects = MP_UNKNOWN,
    .leaked_bytes = MP_UNKNOWN,
    .retained_bytes = MP_UNKNOWN,
    .references = MP_UNKNOWN,
    .roots = MP_UNKNOWN,
    .calls = MP_UNKNOWN,
    .seconds = MP_UNKNOWN,
    .samples = MP_UNKNOWN,
    .truncated_stacks = MP_UNKNOWN,
};

int64_t *mp_written_total(mp_written_totals *totals, mp_weighing weighing, bool counts)
{
    switch (weighing) {
    case MP_WEIGH_CREATED:
        return counts ? &totals->created_objects : &totals->created_bytes;
    case MP_WEIGH_LEAKED:
        return counts ? &totals->leaked_objects : &totals->leaked_bytes;
    case MP_WEIGH_SECONDS:
        return counts ? &totals->calls : &totals->seconds;
    case MP_WEIGH_SAMPLES:
        return &totals->samples;
    default:
        return counts ? &totals->live_objects : &totals->live_bytes;
    }
}

static void add(int64_t *total, int64_t more)
{
    *total = *total == MP_UNKNOWN ? more : *total + more;
}

void mp_written_add_profile(mp_written_totals *totals, const mp_filter *filter)
{
    const mp_profile_totals profile = mp_profile_total(filter);
    if (filter->holds & MP_HOLDS_SAMPLES) {
        add(&totals->samples, profile.exclusive_us);
        return;
    }
    add(&totals->seconds, profile.exclusive_us);
    if (!(filter->holds & MP_HOLDS_UNCALLED))
        add(&totals->calls, profile.calls);
}

#define TOTAL(member, title, unit) MP_COLUMN(mp_written_totals, member, title, unit, MP_IF_KNOWN)

static const mp_column total_columns[] = {
    TOTAL(snapshots, "Snapshots", MP_COUNT),
    TOTAL(live_objects, "Objects alive", MP_COUNT),
    TOTAL(live_bytes, "Size alive", MP_BYTES),
    TOTAL(created_objects, "Objects created", MP_COUNT),
    TOTAL(created_bytes, "Size created", MP_BYTES),
    TOTAL(leaked_objects, "Objects leaked", MP_COUNT),
    TOTAL(leaked_bytes, "Size leaked", MP_BYTES),
    TOTAL(retained_bytes, "Retained", MP_BYTES),
    TOTAL(references, "References", MP_COUNT),
    TOTAL(roots, "Roots", MP_COUNT),
    TOTAL(calls, "Calls", MP_COUNT),
    TOTAL(seconds, "Seconds", MP_SECONDS),
    TOTAL(samples, "Samples", MP_COUNT),
    TOTAL(truncated_stacks, "Stacks that are cut", MP_COUNT),
};

typedef struct written_row {
    const char *table;
    int64_t rows;
} written_row;

static const mp_column row_columns[] = {
    MP_COLUMN(written_row, table, "Table", MP_TEXT, 0),
    MP_COLUMN(written_row, rows, "Rows", MP_COUNT, 0),
};

void mp_written(mp_document *document, const mp_request *request, const char *what,
                const mp_written_totals *totals)
{
    document->title = mp_document_text(document, "%s: %s", request->path, what);
    document->uncounted = request->model && request->model->holds & MP_HOLDS_UNCOUNTED;
    mp_table_put(document, MP_TABLE(document, "totals", NULL, MP_RECORD, total_columns), totals);
}

mp_table *mp_written_table(mp_document *document)
{
    mp_table *table = MP_TABLE(document, "tables", "Tables", MP_ROWS, row_columns);
    table->main = true;
    return table;
}

void mp_written_rows(mp_document *document, mp_table *table, const char *what, int64_t rows)
{
    mp_table_put(document, table, &(written_row){what, rows});
}
