/* Export to an AQTime allocation database: a result set a snapshot, written beside its target and
 * put in its place when it is whole. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "export/aqtime_sets.h"
#include "export/exporter.h"

static bool refuse(mp_error *error, const char *path)
{
    mp_fail(error, MP_ERROR_ARGUMENT, "%s: cannot write: %s", path, strerror(errno));
    return false;
}

/* --- the file --- */

/* An empty file beside the target, with a name of its own in `temporary`. */
static bool make_temporary(const char *path, char *temporary, size_t room, mp_error *error)
{
    struct stat status;
    mode_t mask = umask(0);
    umask(mask);
    if (stat(path, &status) == 0 ? !S_ISREG(status.st_mode) : lstat(path, &status) == 0) {
        mp_fail(error, MP_ERROR_ARGUMENT, "%s: is no file, expected one that can be replaced",
                path);
        return false;
    }
    snprintf(temporary, room, "%s.XXXXXX", path);
    int file = mkstemp(temporary);
    if (file < 0)
        return refuse(error, path);
    bool ok = fchmod(file, 0666 & ~mask) == 0;
    close(file);
    if (!ok)
        unlink(temporary);
    return ok || refuse(error, path);
}

static bool flush(const char *path, int flags)
{
    int file = open(path, flags | O_CLOEXEC);
    bool ok = file >= 0 && fsync(file) == 0;
    if (file >= 0)
        close(file);
    return ok;
}

/* On the disk under its name, or not there at all. */
static bool resolve(const char *temporary, const char *path, mp_error *error)
{
    if (flush(temporary, O_RDONLY) && rename(temporary, path) == 0) {
        char folder[4096];
        snprintf(folder, sizeof folder, "%s", path);
        flush(dirname(folder), O_RDONLY | O_DIRECTORY); /* some file systems have no use for it */
        return true;
    }
    return refuse(error, path);
}

/* --- what is in it --- */

/* Numbers of result sets: those of the snapshots where they rise. */
static bool numbers_rise(const mp_live_objects *live)
{
    const mp_snapshot *snapshots = live->model->snapshots.at;
    for (size_t i = 0; i < live->snapshot_count; i++) {
        uint64_t number = snapshots[live->snapshots[i].i].sequence;
        if (number > INT32_MAX || (i && number <= snapshots[live->snapshots[i - 1].i].sequence))
            return false;
    }
    return true;
}

/* Whether the set says what reports say of the snapshot. */
static bool agrees(const aq_out_sets *sets, const mp_snapshot *snapshot)
{
    if (sets->out->failed ||
        (sets->objects == snapshot->live_objects && sets->bytes == snapshot->live_bytes))
        return true;
    mp_fail(sets->out->error, MP_ERROR_OUTPUT,
            "snapshot %" PRIu64 " has %" PRId64 " objects of %" PRId64 " bytes, and %" PRId64
            " of %" PRId64 " bytes are known one by one: a database would not tell all of them",
            snapshot->sequence, snapshot->live_objects, snapshot->live_bytes, sets->objects,
            sets->bytes);
    sets->out->failed = true;
    return false;
}

static bool fill(aq_out *out, const mp_live_objects *live)
{
    aq_out_sets sets;
    bool rise = numbers_rise(live), ok = true;
    aq_out_sets_open(&sets, out, live);
    for (size_t i = 0; i < live->snapshot_count && ok && !out->failed; i++) {
        const mp_snapshot *snapshot = &live->model->snapshots.at[live->snapshots[i].i];
        out->set = rise ? (int64_t)snapshot->sequence : (int64_t)i + 1;
        aq_out_set(&sets, live->snapshots[i]);
        ok = agrees(&sets, snapshot);
    }
    aq_out_sets_close(&sets);
    return ok && !out->failed;
}

/* --- what is said of it --- */

static const mp_column table_columns[] = {
    {"table", "Table", MP_TEXT, 0, 0},
    {"rows", "Rows", MP_COUNT, 0, 0},
};

static const mp_column total_columns[] = {
    {"snapshots", "Result sets", MP_COUNT, 0, 0},
    {"live_objects", "", MP_COUNT, MP_FOR_PROGRAMS, 0},
    {"live_bytes", "", MP_BYTES, MP_FOR_PROGRAMS, 0},
    {"objects", "Objects of the last", MP_COUNT, MP_FOR_PEOPLE, 0},
    {"size", "Their size", MP_BYTES, MP_FOR_PEOPLE, 0},
};

static void describe(mp_document *document, const char *path, const aq_out *out,
                     const mp_live_objects *live)
{
    const mp_snapshot *last =
        &live->model->snapshots.at[live->snapshots[live->snapshot_count - 1].i];
    document->title =
        mp_document_text(document, "%s: AQTime allocation database of %zu result set%s", path,
                         live->snapshot_count, live->snapshot_count == 1 ? "" : "s");
    mp_table *totals = MP_TABLE(document, "totals", NULL, MP_RECORD, total_columns);
    mp_table_row(totals);
    mp_set_number(totals, "snapshots", (int64_t)live->snapshot_count);
    mp_set_number(totals, "live_objects", last->live_objects);
    mp_set_number(totals, "live_bytes", last->live_bytes);
    mp_set_number(totals, "objects", last->live_objects);
    mp_set_number(totals, "size", last->live_bytes);
    mp_table *tables = MP_TABLE(document, "tables", "Tables", MP_ROWS, table_columns);
    tables->main = true;
    for (int i = 0; i < AQ_OUT_TABLES; i++) {
        mp_table_row(tables);
        mp_set_text(document, tables, "table", aq_out_table_name((aq_out_table)i));
        mp_set_number(tables, "rows", out->rows[i]);
    }
}

static bool write_live_objects(const mp_live_objects *live, const char *path, mp_document *document,
                               mp_error *error)
{
    mp_arena scratch = {0};
    size_t room = strlen(path) + sizeof ".XXXXXX";
    char *temporary = mp_arena_alloc(&scratch, room);
    aq_out out = {.error = error};
    bool ok = make_temporary(path, temporary, room, error);
    if (ok) {
        ok = aq_out_open(&out, temporary) && fill(&out, live);
        ok &= aq_out_close(&out);
        ok = ok && resolve(temporary, path, error);
        if (!ok)
            unlink(temporary);
    }
    if (ok)
        describe(document, path, &out, live);
    mp_arena_free(&scratch);
    return ok;
}

static bool write_aqtime(const mp_filter *filter, const char *path, mp_document *document,
                         mp_error *error)
{
    mp_live_objects live;
    if (!mp_live_objects_of(filter, &live, error))
        return false;
    bool ok = write_live_objects(&live, path, document, error);
    mp_live_objects_free(&live);
    return ok;
}

const mp_exporter mp_exporter_aqtime = {
    .name = "aqtime",
    .summary = "AQTime allocation profiler database (SQLite)",
    .endings = ".sqlite .db",
    .needs = MP_HOLDS_LEDGER,
    .wants_objects = true,
    .write = write_aqtime,
};
