/* The report sql: the result of a SELECT over the relations of recordings. */
#include "sql/sql.h"
#include "sql/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sqlite.h"
#include "base/text.h"
#include "reports/sections.h"

typedef struct sql_arguments {
    const char *statement;
    bool schema;
    const char *from, *to;
    int64_t limit; /* maximum rows; 0 = all */
} sql_arguments;

/* All rows of the result; the columns' units are known only after the last row. */
typedef struct sql_rows {
    mp_sql_value *items; /* texts belong to the document */
    size_t count, capacity, columns;
    size_t total; /* number of rows, including those beyond the limit, which are not kept */
} sql_rows;

static void take_row(mp_document *document, mp_sql *sql, sql_rows *rows)
{
    mp_grow(&rows->items, &rows->capacity, (rows->count + 1) * rows->columns, sizeof *rows->items);
    for (size_t i = 0; i < rows->columns; i++) {
        mp_sql_value *value = &rows->items[rows->count * rows->columns + i];
        *value = mp_sql_value_at(sql, i);
        if (value->text)
            value->text = mp_utf8_copy(document->arena, value->text);
    }
    rows->count++;
}

/* --- columns --- */

/* Return the unit of a column. It is that of a relation's column if the values are taken from that
 * column unchanged. */
static mp_unit unit_of(const sql_rows *rows, size_t column, const mp_sql_column *sql_column)
{
    const bool real = sql_column->is_plain &&
                      (sql_column->unit == MP_SECONDS || mp_unit_is_real(sql_column->unit));
    const bool whole =
        sql_column->is_plain && !real && sql_column->unit != MP_TEXT && sql_column->unit != MP_LIST;
    bool texts = false, reals = false, integers = false;
    for (size_t i = 0; i < rows->count; i++) {
        const mp_sql_kind kind = rows->items[i * rows->columns + column].kind;
        texts |= kind == MP_SQL_TEXT;
        reals |= kind == MP_SQL_REAL;
        integers |= kind == MP_SQL_INTEGER;
    }
    if (texts)
        return MP_TEXT;
    if (reals)
        return real ? sql_column->unit : MP_AVERAGE;
    if (integers)
        return whole ? sql_column->unit : MP_NUMBER;
    return sql_column->is_plain && sql_column->unit != MP_LIST ? sql_column->unit : MP_TEXT;
}

/* Return the name of a column, made unique among the columns before it. */
static const char *name_of(mp_document *document, const mp_column *columns, size_t count,
                           const char *name)
{
    const char *made = mp_utf8_copy(document->arena, name);
    for (size_t times = 2; mp_column_find(columns, count, made) < count; times++)
        made = mp_document_text(document, "%s_%zu", name, times);
    return made;
}

static mp_column *columns_of(mp_document *document, const mp_sql *sql, const sql_rows *rows)
{
    mp_column *columns = mp_arena_alloc(document->arena, rows->columns * sizeof *columns);
    for (size_t i = 0; i < rows->columns; i++) {
        const mp_sql_column sql_column = mp_sql_column_at(sql, i);
        const char *name = name_of(document, columns, i, sql_column.name);
        columns[i] = (mp_column){
            .name = name, .title = name, .unit = unit_of(rows, i, &sql_column), .flags = MP_NULL};
    }
    return columns;
}

static mp_cell cell_of(const mp_column *column, const mp_sql_value *value)
{
    mp_cell cell = {.known = value->kind != MP_SQL_NULL};
    if (column->unit == MP_TEXT) {
        cell.text = value->text;
        cell.known &= value->text && *value->text;
    } else if (mp_unit_is_real(column->unit)) {
        cell.real = value->real;
    } else if (column->unit == MP_SECONDS) {
        cell.number = llround(value->real * 1e6);
    } else {
        cell.number = value->integer;
    }
    return cell.known ? cell : (mp_cell){0};
}

static void put_rows(mp_document *document, const mp_sql *sql, const sql_rows *rows)
{
    mp_column *columns = columns_of(document, sql, rows);
    mp_table *table = mp_document_table(document, "rows", NULL, MP_ROWS, columns, rows->columns);
    table->main = true;
    table->limited = true;
    table->empty = "no rows";
    for (size_t row = 0; row < rows->count; row++) {
        mp_cell *cells = mp_table_row(table);
        for (size_t i = 0; i < rows->columns; i++)
            cells[i] = cell_of(&columns[i], &rows->items[row * rows->columns + i]);
    }
    mp_table_left_out(table, rows->total);
}

/* --- recordings --- */

/* Recordings that a statement reads. */
typedef struct sql_inputs {
    mp_sql_recording *items;
    size_t count;
    bool several; /* the tables have a column "recording" */
    mp_arena names;
} sql_inputs;

static void free_inputs(sql_inputs *inputs)
{
    free(inputs->items);
    mp_arena_free(&inputs->names);
}

/* Return the index of the recording of this name, or the number of recordings if there is none. */
static size_t place_of(const sql_inputs *inputs, const char *name)
{
    size_t place = 0;
    while (place < inputs->count &&
           !(name && inputs->items[place].name && strcmp(inputs->items[place].name, name) == 0))
        place++;
    return place;
}

/* Add the recording of a request, unless a recording with equal bytes was added already. */
static bool add_input(sql_inputs *inputs, const mp_request *request, mp_document *document,
                      mp_error *error)
{
    const char *name = mp_recording_name(request->model, &inputs->names);
    if (place_of(inputs, name) < inputs->count) {
        mp_document_say(document, MP_TONE_PLAIN, "Once",
                        "%s has the same bytes as an earlier recording, and is left out",
                        request->model->inputs.items[1].path);
        return true;
    }
    mp_relation_source *source = mp_request_relations(request, error);
    if (source)
        inputs->items[inputs->count++] = (mp_sql_recording){source, name};
    return source != NULL;
}

/* --- the query --- */

static bool fits_any(const mp_relation *relation, const sql_inputs *inputs)
{
    bool fits = false;
    for (size_t i = 0; i < inputs->count; i++)
        fits |= mp_relation_fits(relation, inputs->items[i].source);
    return fits;
}

typedef struct schema_row {
    const char *table, *column, *unit, *meaning;
    int64_t available;
} schema_row;

/* Return 1 if a recording has the table of a relation, 0 if none has it; MP_UNKNOWN without
 * recordings. */
static int64_t availability(const mp_relation *relation, const sql_inputs *inputs)
{
    return inputs->count ? fits_any(relation, inputs) : MP_UNKNOWN;
}

/* Add the views, each in one row that lists its columns. */
static void put_views(mp_document *document, mp_table *table, const sql_inputs *inputs)
{
    size_t count, relation_count;
    const mp_sql_view *views = mp_sql_view_list(&count);
    const mp_relation *const *relations = mp_relations(&relation_count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < relation_count; j++)
            if (mp_text_is(relations[j]->name, views[i].table))
                mp_table_put(document, table,
                             &(schema_row){views[i].name, NULL, "view", views[i].meaning,
                                           availability(relations[j], inputs)});
}

/* Add the schema: all tables, including those that no recording has, and the views. */
static void put_schema(mp_document *document, const sql_inputs *inputs)
{
    static const mp_column columns[] = {
        MP_COLUMN(schema_row, table, "Table", MP_TEXT, 0),
        MP_COLUMN(schema_row, column, "Column", MP_TEXT, 0),
        MP_COLUMN(schema_row, unit, "Unit", MP_TEXT, 0),
        MP_COLUMN(schema_row, meaning, "Meaning", MP_TEXT, MP_WRAP),
        MP_COLUMN(schema_row, available, "Here", MP_FLAG, MP_IF_KNOWN),
    };
    size_t count;
    const mp_relation *const *relations = mp_relations(&count);
    mp_table *table = MP_TABLE(document, "relations", NULL, MP_ROWS, columns);
    table->main = true;
    table->limited = true;
    for (size_t i = 0; i < count; i++) {
        const mp_relation *relation = relations[i];
        const int64_t fits = availability(relation, inputs);
        mp_table_put(document, table,
                     &(schema_row){relation->name, NULL, NULL, relation->meaning, fits});
        if (inputs->several)
            mp_table_put(document, table,
                         &(schema_row){relation->name, "recording", mp_sql_type(MP_TEXT),
                                       "checksum of the recording's bytes", fits});
        for (size_t index = 0; index < relation->column_count; index++)
            if (!(relation->columns[index].flags & MP_FOR_PEOPLE))
                mp_table_put(document, table,
                             &(schema_row){relation->name, relation->columns[index].name,
                                           mp_sql_type(relation->columns[index].unit),
                                           relation->columns[index].meaning, fits});
    }
    put_views(document, table, inputs);
}

static bool put_answer(const mp_request *request, const sql_inputs *inputs, mp_document *document,
                       mp_error *error)
{
    const sql_arguments *asked = request->arguments;
    if (asked->schema) {
        put_schema(document, inputs);
        return true;
    }
    mp_error why = {0};
    mp_sql *sql =
        mp_sql_open(inputs->items, inputs->count, inputs->several, asked->statement, error);
    if (!sql)
        return false;
    mp_sql_watch(sql, request->goes_on, request->opaque);
    sql_rows rows = {.columns = mp_sql_column_count(sql)};
    for (; mp_sql_step(sql, &why); rows.total++)
        if (mp_shown_of(rows.total + 1, (size_t)asked->limit) > rows.count)
            take_row(document, sql, &rows);
    if (why.code)
        *error = why;
    else
        put_rows(document, sql, &rows);
    free(rows.items);
    mp_sql_close(sql);
    return !why.code;
}

static bool answer(const mp_request *requests, size_t count, bool several, mp_document *document,
                   size_t *wrong, mp_error *error)
{
    const sql_arguments *asked = requests->arguments;
    if (!asked->schema && !asked->statement)
        return mp_fail(error, MP_ERROR_ARGUMENT, "sql needs a statement: STATEMENT FILE");
    sql_inputs inputs = {.items = mp_alloc_zero(count, sizeof *inputs.items), .several = several};
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        *wrong = i;
        ok = add_input(&inputs, &requests[i], document, error);
    }
    if (several) {
        mp_section_heads(document, requests, count);
        document->title = mp_document_text(document, "%zu recording%s", inputs.count,
                                           inputs.count == 1 ? "" : "s");
    } else {
        mp_section_head(document, requests);
    }
    if (ok) {
        *wrong = count;
        ok = put_answer(requests, &inputs, document, error);
    }
    free_inputs(&inputs);
    return ok;
}

static bool run_together(const mp_request *requests, size_t count, mp_document *document,
                         size_t *wrong, mp_error *error)
{
    return answer(requests, count, true, document, wrong, error);
}

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    size_t wrong;
    return answer(request, 1, false, document, &wrong, error);
}

/* Describe the tables that recordings of any kind may have. Return false if the arguments ask for
 * something else. */
static bool answer_without_input(const void *arguments, mp_document *document)
{
    const sql_arguments *asked = arguments;
    if (asked->schema && document) {
        document->title = "tables of memprof sql";
        put_schema(document, &(sql_inputs){.several = true});
    }
    return asked->schema;
}

/* Return true if the statement may read a column "recording". Its values are checksums, for which
 * files are read again. */
static bool names_recordings(const void *arguments)
{
    const sql_arguments *asked = arguments;
    return asked->statement && strcasestr(asked->statement, "recording");
}

/* Return true if the statement may read the table of all objects of a memory recording, for which
 * objects are kept in memory. A statement that is not known yet may read it. */
static bool lists_objects(const void *arguments)
{
    const sql_arguments *asked = arguments;
    return !asked->statement || strcasestr(asked->statement, mp_relation_lives.name);
}

enum { ALL = MP_HEAPS | MP_DUMP | MP_PROFILE };

static const sql_arguments usual;
static const mp_argument arguments[] = {
    {"statement", offsetof(sql_arguments, statement), ALL},
    {"file", MP_SHARED_ARGUMENT, ALL},
    {"schema", offsetof(sql_arguments, schema), ALL},
    {"limit", offsetof(sql_arguments, limit), ALL},
    {"from", offsetof(sql_arguments, from), MP_HEAPS | MP_DUMP},
    {"to", offsetof(sql_arguments, to), MP_HEAPS | MP_DUMP},
    MP_SHARES("selection", ALL),
    MP_SHARES("suppress", MP_HEAPS),
    MP_SHARES("keep-profiler", MP_PROFILE),
    MP_SHARES_READING,
};

const mp_report mp_report_sql = {
    .name = "sql",
    .summary = "answer a SELECT over tables of recordings",
    .example = "sql \"select type, line, human(leaked_bytes) from leaks limit 3\" "
               "samples/shop-v2.oemp",
    .details =
        "STATEMENT is one SELECT in SQLite's dialect, and cannot change anything. - reads it from "
        "standard input. Without STATEMENT, a terminal shows a prompt. `schema` lists the tables "
        "(sites, types, snapshots, deltas, objects, refs, lines and others) and their columns, "
        "even without FILE. Several files are several recordings: the column recording of each "
        "table names them.",
    .operand = MP_OPERAND_STATEMENT,
    .separates = true,
    .single = true,
    .names_recordings = names_recordings,
    .lists_objects = lists_objects,
    .word = mp_sql_word,
    .without_input = answer_without_input,
    .together = run_together,
    .wants_traces = true,
    .wants_objects = true,
    .loads = mp_sqlite_load,
    MP_ARGUMENTS(arguments, usual),
    .variants = {MP_HEAP_VARIANTS(run),
                 {.needs = MP_HOLDS_LEDGER, .run = run},
                 {.needs = MP_HOLDS_PROFILE, .run = run}},
};
