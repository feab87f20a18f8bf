/* Export to a folder of CSV files: one file per SQL table, named after it, even if it has no rows.
 *
 * Files are written under hidden names and appear when all recordings are written. "recordings.csv"
 * is removed before the first file of an earlier export is replaced, and appears last. So if a
 * folder contains it, all tables belong to one export. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/index.h"
#include "base/output.h"
#include "export/fleet.h"
#include "render/cell.h"
#include "render/csv.h"
#include "sql/values.h"

static const char ending[] = ".csv", first_column[] = "recording";

typedef struct csv_file {
    char *path;
    mp_output output;
    bool is_open;
} csv_file;

typedef struct csv_folder {
    mp_fleet fleet;
    csv_file *files; /* indexed by relation */
    size_t count;
    bool made;           /* the folder did not exist */
    mp_hash_index index; /* number of each recording, by its name */
    char **names;        /* names of the recordings */
    size_t name_count, name_capacity;
} csv_folder;

static bool fail(const mp_fleet *fleet, const char *path)
{
    mp_fail_file(fleet->error, path, 0, 0, "cannot write: %s", strerror(errno));
    fleet->error->code = MP_ERROR_OUTPUT;
    return false;
}

static char *path_in(const char *folder, const char *name, const char *end)
{
    char *path = mp_alloc(strlen(folder) + strlen(name) + strlen(end) + sizeof "/");
    stpcpy(stpcpy(stpcpy(stpcpy(path, folder), "/"), name), end);
    return path;
}

/* --- the folder --- */

/* Return true if a file is a table of an earlier export: it has the name of a relation, and its
 * first column names the recording. */
static bool is_table(const char *path, const char *name)
{
    size_t count;
    const mp_relation *const *relations = mp_relations(&count);
    char expected[64], head[sizeof first_column];
    bool named = false, is = false;
    struct stat status;
    for (size_t i = 0; !named && i < count; i++) {
        snprintf(expected, sizeof expected, "%s%s", relations[i]->name, ending);
        named = strcmp(name, expected) == 0;
    }
    if (!named || lstat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    FILE *file = fopen(path, "re");
    if (file)
        is = fread(head, 1, sizeof head, file) == sizeof head &&
             memcmp(head, "recording,", sizeof head) == 0;
    if (file)
        fclose(file);
    return is;
}

/* Check that the folder contains only tables of an earlier export. */
static bool check_folder(const mp_fleet *fleet)
{
    DIR *folder = opendir(fleet->path);
    bool ok = folder || fail(fleet, fleet->path);
    const struct dirent *entry;
    while (ok && (entry = readdir(folder))) {
        char *path = path_in(fleet->path, entry->d_name, "");
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            !is_table(path, entry->d_name))
            ok = mp_fail(fleet->error, MP_ERROR_OUTPUT,
                         "%s: is no table that memprof wrote, expected a new or empty folder, or "
                         "one with an earlier export",
                         path);
        free(path);
    }
    if (folder)
        closedir(folder);
    return ok;
}

static void put_names(FILE *file, const mp_relation *relation)
{
    mp_csv_put_field(file, first_column, true);
    for (size_t i = 0; i < relation->column_count; i++)
        if (mp_sql_is_column(&relation->columns[i]))
            mp_csv_put_field(file, relation->columns[i].name, false);
    fputc('\n', file);
}

static bool open_folder(mp_fleet *fleet)
{
    csv_folder *state = (csv_folder *)fleet;
    const mp_relation *const *relations = mp_relations(&state->count);
    state->made = mkdir(fleet->path, 0777) == 0;
    if (!state->made && errno != EEXIST)
        return fail(fleet, fleet->path);
    if (!check_folder(fleet))
        return false;
    state->files = mp_alloc_zero(state->count, sizeof *state->files);
    for (size_t i = 0; i < state->count; i++) {
        csv_file *file = &state->files[i];
        file->path = path_in(fleet->path, relations[i]->name, ending);
        file->is_open = mp_output_open(&file->output, file->path, fleet->error);
        if (!file->is_open)
            return false;
        put_names(file->output.file, relations[i]);
    }
    return true;
}

/* --- rows --- */

typedef struct named_recording {
    const csv_folder *folder;
    const char *name;
} named_recording;

static bool is_same(const void *opaque, uint32_t value)
{
    const named_recording *named = opaque;
    return strcmp(named->folder->names[value - 1], named->name) == 0;
}

static bool find_recording(mp_fleet *fleet, bool *known)
{
    csv_folder *state = (csv_folder *)fleet;
    const size_t length = strlen(fleet->recording);
    uint32_t *number = mp_hash_index_put(&state->index, mp_hash_bytes(fleet->recording, length),
                                         is_same, &(named_recording){state, fleet->recording});
    *known = *number != 0;
    if (*known)
        return true;
    mp_grow(&state->names, &state->name_capacity, state->name_count + 1, sizeof *state->names);
    state->names[state->name_count] = mp_copy(fleet->recording, length);
    *number = (uint32_t)++state->name_count;
    return true;
}

static bool put_rows(mp_fleet *fleet, size_t table, mp_cursor *cursor, int64_t *count)
{
    const mp_relation *relation = cursor->relation;
    FILE *file = ((csv_folder *)fleet)->files[table].output.file;
    for (; mp_cursor_next(cursor, MP_ALL_COLUMNS); ++*count) {
        mp_csv_put_field(file, fleet->recording, true);
        for (size_t i = 0; i < relation->column_count; i++) {
            const mp_column *column = &relation->columns[i];
            const mp_cell cell = mp_row_cell(&cursor->texts, column, cursor->row);
            if (mp_sql_is_column(column))
                mp_csv_put_field(file, mp_cell_for_programs(&cursor->texts, column, &cell), false);
        }
        fputc('\n', file);
    }
    return true;
}

/* --- the export --- */

static const mp_fleet_format format = {false, open_folder, find_recording, put_rows};

static void *begin_folder(const char *path)
{
    csv_folder *state = mp_alloc_zero(1, sizeof *state);
    mp_fleet_init(&state->fleet, &format, path);
    return state;
}

/* Return true if all rows could be written; otherwise set errno. */
static bool is_written(const csv_folder *state)
{
    for (size_t i = 0; i < state->count; i++)
        if (!mp_stream_flush(state->files[i].output.file))
            return false;
    return true;
}

/* Close the files from the last to the first, the list of recordings. If `keep` is true, they
 * replace those of an earlier export. */
static bool close_files(csv_folder *state, bool keep, mp_error *error)
{
    mp_error closing = {0};
    if (keep && !is_written(state))
        keep = fail(&state->fleet, state->fleet.path);
    if (keep && unlink(state->files[0].path) != 0 && errno != ENOENT)
        keep = fail(&state->fleet, state->files[0].path);
    for (size_t i = state->count; state->files && i-- > 0;) {
        csv_file *file = &state->files[i];
        if (file->is_open)
            keep = mp_output_close(&file->output, keep, keep ? error : &closing) && keep;
        free(file->path);
    }
    free(state->files);
    return keep;
}

static bool end_folder(void *sink, bool keep, mp_document *document, mp_error *error)
{
    csv_folder *state = sink;
    state->fleet.error = error;
    const bool ok = close_files(state, keep && state->files, error);
    if (ok)
        mp_fleet_describe(&state->fleet, document);
    else if (state->made)
        rmdir(state->fleet.path);
    for (size_t i = 0; i < state->name_count; i++)
        free(state->names[i]);
    free(state->names);
    mp_hash_index_free(&state->index);
    mp_fleet_free(&state->fleet);
    free(state);
    return ok;
}

const mp_exporter mp_exporter_csv = {
    .name = "csv",
    .endings = "",
    .report = {.name = MP_EXPORT_TO("csv"),
               .summary = "folder with the tables of SQL, a CSV file each",
               MP_FLEET_REPORT},
    .in_place = true,
    .many = true,
    .begin = begin_folder,
    .end = end_folder,
};
