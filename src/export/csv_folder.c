/* Export to a folder of CSV files, one file per SQL table. The file has the name of the table, and
 * exists even if the table has no rows. */
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "export/fleet.h"
#include "export/table_folder.h"
#include "render/cell.h"
#include "render/csv.h"
#include "sql/values.h"

static const char first_column[] = "recording";

typedef struct csv_folder {
    mp_fleet fleet;
    mp_table_folder tables;
    mp_key_index recordings; /* 1 for the name of each recording */
} csv_folder;

static void put_names(FILE *file, const mp_relation *relation)
{
    mp_csv_put_field(file, first_column, true);
    for (size_t i = 0; i < relation->column_count; i++)
        if (mp_sql_is_column(&relation->columns[i]))
            mp_csv_put_field(file, relation->columns[i].name, false);
    fputc('\n', file);
}

static const char *name_of(size_t table)
{
    size_t count;
    const mp_relation *const *relations = mp_relations(&count);
    return table < count ? relations[table]->name : NULL;
}

static bool open_folder(mp_fleet *fleet)
{
    static const mp_table_files files = {name_of, .ending = ".csv", .head = "recording,"};
    csv_folder *state = (csv_folder *)fleet;
    size_t count;
    const mp_relation *const *relations = mp_relations(&count);
    if (!mp_table_folder_open(&state->tables, fleet->path, &files, fleet->error))
        return false;
    for (size_t i = 0; i < count; i++)
        put_names(mp_table_folder_file(&state->tables, i), relations[i]);
    return true;
}

/* --- rows --- */

static bool find_recording(mp_fleet *fleet, bool *known)
{
    csv_folder *state = (csv_folder *)fleet;
    uint32_t *seen =
        mp_key_index_put(&state->recordings, fleet->recording, strlen(fleet->recording));
    *known = *seen != 0;
    *seen = 1;
    return true;
}

static bool put_rows(mp_fleet *fleet, size_t table, mp_cursor *cursor, int64_t *count)
{
    const mp_relation *relation = cursor->relation;
    FILE *file = mp_table_folder_file(&((csv_folder *)fleet)->tables, table);
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

static bool end_folder(void *sink, bool keep, mp_document *document, mp_error *error)
{
    csv_folder *state = sink;
    state->fleet.error = error;
    const bool ok = mp_table_folder_close(&state->tables, keep, error);
    if (ok)
        mp_fleet_describe(&state->fleet, document);
    mp_key_index_free(&state->recordings);
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
