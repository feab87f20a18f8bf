/* Export to ClickHouse: the rows of one table as JSON objects, one per line (JSONEachRow). Every
 * row contains the recording and its labels. Unknown values are omitted and become NULL.
 *
 * Identifiers are the same on every machine. A recording is identified by the checksum of its
 * bytes, a site and a stack by the hash of their text. */
#include "export/clickhouse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/text.h"
#include "export/exporter.h"
#include "export/table_folder.h"
#include "sql/values.h"

/* Version of the rows. Increase it when the rows of the same recording change. */
enum { ROW_VERSION = 1 };

typedef struct clickhouse_arguments {
    const char *table;
    mp_argument_texts labels; /* NAME=VALUE */
} clickhouse_arguments;

/* Length of a UUID: its digits, dashes and terminator. */
enum { UUID_TEXT = 37 };

/* State of the output. */
typedef struct row_writer {
    FILE *file;
    mp_clickhouse_column columns[MP_CLICKHOUSE_COLUMNS];
    size_t count;
    const mp_column *type, *frames; /* members of the relation; NULL = none */
    const char *stack;              /* text of the current row's stack, "" if there is none */
    mp_text_buffer shared;          /* start of each row: the shared columns, up to the version */
    mp_text_buffer key;             /* key of the current row, as text */
    mp_id_index seen;               /* number of rows with the same key, by hash of the key */
} row_writer;

/* --- hashes --- */

/* Format a checksum as a UUID. `sum`: its kind, a colon and its digits. */
static const char *uuid_text(const char *sum, char text[UUID_TEXT])
{
    const char *digits = strchr(sum, ':') + 1;
    snprintf(text, UUID_TEXT, "%.8s-%.4s-%.4s-%.4s-%s", digits, digits + 8, digits + 12,
             digits + 16, digits + 20);
    return text;
}

static const char *hash_text(const char *hashed, char text[UUID_TEXT])
{
    char digits[MP_CHECKSUM_TEXT];
    const mp_checksum sum = mp_checksum_of_text(hashed, strlen(hashed));
    return uuid_text(mp_checksum_text(&sum, digits), text);
}

/* Return the hash of the current row's site: the hash of its type, a line feed and its stack. */
static const char *hash_site(const row_writer *writer, mp_cursor *cursor, char text[UUID_TEXT])
{
    const char *type = mp_sql_value_of(writer->type, cursor->row, &cursor->texts).text;
    return hash_text(mp_arena_format(&cursor->texts, "%s\n%s", type ? type : "", writer->stack),
                     text);
}

/* --- rows --- */

/* Return the value of a column in the current row as text without quotes; NULL if it is unknown.
 * `is_text`: set to true if JSON needs quotes. */
static const char *value_text(const row_writer *writer, const mp_clickhouse_column *column,
                              mp_cursor *cursor, char text[64], bool *is_text)
{
    *is_text = true;
    if (column->source == MP_CLICKHOUSE_SITE)
        return hash_site(writer, cursor, text);
    if (column->source == MP_CLICKHOUSE_STACK)
        return hash_text(writer->stack, text);
    if (column->source == MP_CLICKHOUSE_FRAMES)
        return *writer->stack ? writer->stack : NULL;
    const mp_sql_value value = mp_sql_value_of(column->member, cursor->row, &cursor->texts);
    *is_text = value.kind == MP_SQL_TEXT;
    if (value.kind == MP_SQL_INTEGER)
        snprintf(text, 64, "%" PRId64, value.integer);
    else if (value.kind == MP_SQL_REAL)
        snprintf(text, 64, "%.17g", value.real);
    return value.kind == MP_SQL_NULL ? NULL : *is_text ? value.text : text;
}

/* Write the columns of the relation to `row`, an open object, and their key to writer->key. */
static void put_values(row_writer *writer, mp_cursor *cursor, mp_json *row)
{
    writer->key.length = 0;
    for (size_t i = MP_CLICKHOUSE_SHARED_COLUMNS; i < writer->count; i++) {
        const mp_clickhouse_column *column = &writer->columns[i];
        char text[64];
        bool is_text;
        const char *value = value_text(writer, column, cursor, text, &is_text);
        if (column->is_key)
            mp_text_put(&writer->key, value ? value : "", strlen(value ? value : "") + 1);
        if (!value)
            continue;
        mp_json_name(row, column->name);
        if (is_text)
            mp_json_put_text(row, value, strlen(value));
        else
            mp_json_put_word(row, value);
    }
}

static void put_row(row_writer *writer, mp_cursor *cursor)
{
    mp_json row = {.file = writer->file, .begun = true, .depth = 1};
    const mp_sql_value stack = writer->frames
                                   ? mp_sql_value_of(writer->frames, cursor->row, &cursor->texts)
                                   : (mp_sql_value){.text = NULL};
    writer->stack = stack.text ? stack.text : "";
    fwrite(writer->shared.text, 1, writer->shared.length, writer->file);
    put_values(writer, cursor, &row);
    const mp_checksum key = mp_checksum_of_text(writer->key.text, writer->key.length);
    uint32_t *seen = mp_id_index_put(&writer->seen, key.low);
    mp_json_number(&row, writer->columns[MP_CLICKHOUSE_PART].name, (*seen)++);
    mp_json_close(&row, '}');
    fputc('\n', writer->file);
}

/* Write the day and the time at which the recording began, if they are known. */
static void put_start(mp_json *row, const row_writer *writer, const mp_model *model)
{
    char text[MP_UNIT_TEXT];
    const int64_t start = model->sessions.count > 1 ? model->sessions.items[1].start_us : 0;
    /* The year 2100, because a DateTime cannot hold later times. */
    const int64_t most = INT64_C(4102444800) * 1000000;
    if (start <= 0 || start >= most || !mp_format_utc(text, start))
        return;
    text[10] = ' ';
    text[19] = '\0';
    mp_json_name(row, writer->columns[MP_CLICKHOUSE_DAY].name);
    mp_json_put_text(row, text, 10);
    mp_json_text(row, writer->columns[MP_CLICKHOUSE_TIME].name, text);
}

static const char *label_value(const char *label)
{
    return strchr(label, '=') + 1;
}

static bool label_is(const char *label, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(label, name, length) == 0 && label[length] == '=';
}

/* Return the name of the column for a label; NULL if the label has no column of its own. */
static const char *label_column(const row_writer *writer, const char *label)
{
    for (size_t i = MP_CLICKHOUSE_HOST; i <= MP_CLICKHOUSE_BUILD; i++)
        if (label_is(label, writer->columns[i].name))
            return writer->columns[i].name;
    return NULL;
}

static void put_labels(mp_json *row, const row_writer *writer, const mp_argument_texts *labels)
{
    for (size_t i = 0; i < labels->count; i++)
        if (label_column(writer, labels->items[i]))
            mp_json_text(row, label_column(writer, labels->items[i]),
                         label_value(labels->items[i]));
    for (int values = 0; values < 2; values++) {
        mp_json_open_member(row, writer->columns[MP_CLICKHOUSE_LABEL_NAMES + values].name, '[');
        for (size_t i = 0; i < labels->count; i++) {
            const char *label = labels->items[i], *value = label_value(label);
            if (label_column(writer, label))
                continue;
            mp_json_next(row);
            mp_json_put_text(row, values ? value : label,
                             values ? strlen(value) : (size_t)(value - 1 - label));
        }
        mp_json_close(row, ']');
    }
}

/* Prepare the columns of the table, and the start that all rows have. */
static void begin_rows(row_writer *writer, const mp_clickhouse_table *table, const mp_model *model,
                       const mp_argument_texts *labels)
{
    char name[UUID_TEXT];
    writer->count = mp_clickhouse_columns(table, writer->columns);
    for (size_t i = 0; i < writer->count; i++) {
        const mp_clickhouse_column *column = &writer->columns[i];
        if (column->source == MP_CLICKHOUSE_FRAMES)
            writer->frames = column->member;
        if (strcmp(column->name, "type") == 0)
            writer->type = column->member;
    }
    mp_arena texts = {0};
    mp_json row = {.buffer = &writer->shared};
    mp_json_open(&row, '{');
    mp_json_text(&row, writer->columns[MP_CLICKHOUSE_RECORDING].name,
                 uuid_text(mp_recording_name(model, &texts), name));
    put_start(&row, writer, model);
    put_labels(&row, writer, labels);
    mp_json_number(&row, writer->columns[MP_CLICKHOUSE_VERSION].name, ROW_VERSION);
    mp_arena_free(&texts);
}

/* --- the export --- */

bool mp_clickhouse_check_labels(const mp_argument_texts *labels, mp_error *error)
{
    for (size_t i = 0; i < labels->count; i++) {
        const char *label = labels->items[i], *equals = strchr(label, '=');
        if (!equals || equals == label)
            return mp_fail_argument(error, "label", label, "expected NAME=VALUE");
        for (size_t j = 0; j < i; j++)
            if (strncmp(labels->items[j], label, (size_t)(equals - label) + 1) == 0)
                return mp_fail_argument(error, "label", label, "this label was already given as %s",
                                        labels->items[j]);
    }
    return true;
}

/* State of an export to ClickHouse. */
typedef struct rows_written {
    const char *path;                   /* NULL: standard output */
    mp_table_folder folder;             /* files, if all tables are exported */
    int64_t rows[MP_CLICKHOUSE_TABLES]; /* number of rows of all recordings, by table; MP_UNKNOWN:
                                           the table is not exported */
} rows_written;

/* Write the rows of a table, and count them. If there are no rows and `fills` is true, write an
 * empty line: ClickHouse clients accept it, but do not accept an empty input. */
static void write_rows(const mp_request *request, mp_relation_source *source,
                       const mp_clickhouse_table *table, FILE *file, bool fills)
{
    const clickhouse_arguments *asked = request->arguments;
    row_writer writer = {.file = file};
    int64_t rows = 0;
    begin_rows(&writer, table, request->model, &asked->labels);
    if (mp_relation_fits(table->relation, source)) {
        mp_cursor cursor = mp_cursor_open(table->relation, source);
        for (; mp_cursor_next(&cursor, MP_ALL_COLUMNS); rows++)
            put_row(&writer, &cursor);
        mp_cursor_free(&cursor);
    }
    if (fills && !rows)
        fputc('\n', writer.file);
    int64_t *written = &((rows_written *)request->sink)->rows[table - mp_clickhouse_tables];
    *written = (*written == MP_UNKNOWN ? 0 : *written) + rows;
    mp_id_index_free(&writer.seen);
    free(writer.shared.text);
    free(writer.key.text);
}

/* Write the rows of tables: for one table, to the file of the request; for all tables (`only` is
 * NULL), to the files of the folder. */
static bool write_recording(const mp_request *request, const mp_clickhouse_table *only,
                            mp_error *error)
{
    const rows_written *written = request->sink;
    mp_relation_source *source = mp_request_relations(request, error);
    if (!source)
        return false;
    for (size_t i = 0; i < MP_CLICKHOUSE_TABLES; i++) {
        const mp_clickhouse_table *table = &mp_clickhouse_tables[i];
        if (only == table)
            write_rows(request, source, table, request->file, true);
        else if (!only)
            write_rows(request, source, table, mp_table_folder_file(&written->folder, i), false);
    }
    return true;
}

/* Return true if the labels are valid and the recording can be identified. Otherwise fail. */
static bool is_accepted(const mp_request *request, mp_error *error)
{
    const clickhouse_arguments *asked = request->arguments;
    return mp_clickhouse_check_labels(&asked->labels, error) && mp_export_is_whole(request, error);
}

static bool write_table(const mp_request *request, mp_document *document, mp_error *error)
{
    (void)document;
    const clickhouse_arguments *asked = request->arguments;
    return is_accepted(request, error) &&
           write_recording(request, mp_clickhouse_table_find(asked->table), error);
}

static const char *table_name(size_t table)
{
    return table < MP_CLICKHOUSE_TABLES ? mp_clickhouse_tables[table].name : NULL;
}

static bool write_tables(const mp_request *request, mp_document *document, mp_error *error)
{
    static const mp_table_files files = {table_name, .ending = ".jsonl", .head = "{\"recording\":"};
    (void)document;
    rows_written *written = request->sink;
    return is_accepted(request, error) &&
           (written->folder.files ||
            mp_table_folder_open(&written->folder, written->path, &files, error)) &&
           write_recording(request, NULL, error);
}

static void *begin_rows_written(const char *path)
{
    rows_written *written = mp_alloc_zero(1, sizeof *written);
    written->path = path;
    for (size_t i = 0; i < MP_CLICKHOUSE_TABLES; i++)
        written->rows[i] = MP_UNKNOWN;
    return written;
}

static bool end_rows_written(void *sink, bool keep, mp_document *document, mp_error *error)
{
    (void)error;
    rows_written *written = sink;
    if (keep) {
        const char *path = written->path ? written->path : "(standard output)";
        mp_written(document, &(mp_request){.path = path}, "rows for ClickHouse",
                   &mp_nothing_written);
        mp_table *table = mp_written_table(document);
        for (size_t i = 0; i < MP_CLICKHOUSE_TABLES; i++)
            if (written->rows[i] != MP_UNKNOWN)
                mp_written_rows(document, table, mp_clickhouse_tables[i].name, written->rows[i]);
    }
    free(written);
    return keep;
}

static bool end_tables_written(void *sink, bool keep, mp_document *document, mp_error *error)
{
    rows_written *written = sink;
    for (size_t i = 0; keep && i < MP_CLICKHOUSE_TABLES; i++)
        if (!written->rows[i])
            fputc('\n', mp_table_folder_file(&written->folder, i));
    keep = mp_table_folder_close(&written->folder, keep, error);
    return end_rows_written(sink, keep, document, error);
}

enum { LOGS = 1, EVERY_VARIANT = ~0 };

static const clickhouse_arguments defaults = {.table = "recordings"};

static const mp_choice choices[] = {
    {.argument = "table", .variants = (unsigned)EVERY_VARIANT, MP_WORDS(mp_clickhouse_tables)},
    {0},
};

/* Arguments of both exports. The last one, "table", does not belong to the export of all tables.
 * Options that select objects are missing: rows of a part would be mistaken for rows of the whole
 * recording. */
static const mp_argument arguments[] = {
    {"label", offsetof(clickhouse_arguments, labels), (unsigned)EVERY_VARIANT},
    MP_SHARES("slices", LOGS),
    MP_SHARES("reorder", LOGS),
    {"table", offsetof(clickhouse_arguments, table), (unsigned)EVERY_VARIANT},
};
enum { ARGUMENTS = sizeof arguments / sizeof *arguments };

#define REPORT_OF(argument_count, write)                                                           \
    .wants_checksums = true, .separates = true, .separates_dumps = true,                           \
    .arguments = {arguments, (argument_count), sizeof defaults, &defaults},                        \
    .variants = {MP_HEAP_VARIANTS(write),                                                          \
                 {.needs = MP_HOLDS_LEDGER, .run = (write)},                                       \
                 {.needs = MP_HOLDS_PROFILE, .run = (write)}}

const mp_exporter mp_exporter_clickhouse = {
    .name = "clickhouse",
    .endings = ".jsonl",
    .report = {.name = MP_EXPORT_TO("clickhouse"),
               .summary = "rows of many recordings for a ClickHouse table",
               .choices = choices,
               REPORT_OF(ARGUMENTS, write_table)},
    .many = true,
    .skips = true,
    .begin = begin_rows_written,
    .end = end_rows_written,
};

const mp_exporter mp_exporter_clickhouse_tables = {
    .name = "clickhouse-tables",
    .endings = "",
    .report = {.name = MP_EXPORT_TO("clickhouse-tables"),
               .summary = "folder with the rows of all ClickHouse tables",
               REPORT_OF(ARGUMENTS - 1, write_tables)},
    .in_place = true,
    .many = true,
    .begin = begin_rows_written,
    .end = end_tables_written,
};
