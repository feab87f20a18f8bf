/* JSON for programs: one object, exact numbers, stable names (docs/manual.md has the contract). */
#include <inttypes.h>
#include <json-c/json.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "render/cell.h"

static struct json_object *cell_value(mp_arena *arena, const mp_column *column, const mp_cell *cell)
{
    struct json_object *list;
    const char *text;
    switch (column->unit) {
    case MP_TEXT:
        return json_object_new_string(cell->text);
    case MP_LIST:
        list = json_object_new_array();
        for (int64_t i = 0; i < cell->number; i++)
            json_object_array_add(list, json_object_new_string(cell->list[i]));
        return list;
    case MP_FLAG:
        return json_object_new_boolean(cell->number != 0);
    case MP_SECONDS:
    case MP_AVERAGE:
    case MP_BYTE_RATE:
    case MP_PERCENT:
        text = mp_cell_for_programs(arena, column, cell);
        return json_object_new_double_s(
            column->unit == MP_SECONDS ? (double)cell->number / 1e6 : cell->real, text);
    default:
        return json_object_new_int64(cell->number);
    }
}

static struct json_object *row_object(mp_arena *arena, const mp_table *table, size_t row)
{
    struct json_object *object = json_object_new_object();
    for (size_t i = 0; i < table->column_count; i++) {
        const mp_cell *cell = &table->cells[row * table->column_count + i];
        const mp_column *column = &table->columns[i];
        if (column->flags & MP_FOR_PEOPLE)
            continue;
        if (cell->known || column->flags & MP_NULL)
            json_object_object_add(object, column->name,
                                   cell->known ? cell_value(arena, column, cell) : NULL);
    }
    return object;
}

static struct json_object *table_value(mp_arena *arena, const mp_table *table)
{
    if (table->shape == MP_RECORD)
        return table->row_count ? row_object(arena, table, 0) : json_object_new_object();
    struct json_object *rows = json_object_new_array_ext((int)table->row_count);
    for (size_t row = 0; row < table->row_count; row++)
        json_object_array_add(rows, row_object(arena, table, row));
    return rows;
}

/* The kept diagnostics; the last kept of a code also counts those that were not kept. */
static struct json_object *diagnostics_value(mp_arena *arena, const mp_diagnostics *diagnostics)
{
    const mp_diagnostic *kept;
    size_t count = mp_diagnostics_kept(diagnostics, &kept);
    uint64_t seen[MP_DIAGNOSTIC_COUNT] = {0}, of_code[MP_DIAGNOSTIC_COUNT] = {0};
    struct json_object *list = json_object_new_array();
    for (size_t i = 0; i < count; i++)
        of_code[kept[i].id]++;
    for (size_t i = 0; i < count; i++) {
        mp_diagnostic_id id = kept[i].id;
        struct json_object *object = json_object_new_object();
        const char *severity = mp_severity_name(mp_diagnostic_severity(id));
        uint64_t left = mp_diagnostics_count(diagnostics, id) - of_code[id];
        bool last = ++seen[id] == of_code[id];
        json_object_object_add(object, "severity", json_object_new_string(severity));
        json_object_object_add(object, "code", json_object_new_string(mp_diagnostic_code(id)));
        if (kept[i].path)
            json_object_object_add(object, "path",
                                   json_object_new_string(mp_utf8_copy(arena, kept[i].path)));
        if (kept[i].line)
            json_object_object_add(object, "line", json_object_new_uint64(kept[i].line));
        json_object_object_add(object, "message",
                               json_object_new_string(mp_utf8_copy(arena, kept[i].message)));
        json_object_object_add(object, "count", json_object_new_uint64(last ? 1 + left : 1));
        json_object_array_add(list, object);
    }
    return list;
}

/* Rules have a table of their own. */
static struct json_object *limits_value(const mp_document *document)
{
    struct json_object *list = json_object_new_array();
    for (size_t i = 0; i < document->check_count; i++) {
        const mp_check *limit = &document->checks[i];
        struct json_object *object = json_object_new_object();
        if (limit->file)
            json_object_object_add(object, "file", json_object_new_string(limit->file));
        json_object_object_add(object, "name", json_object_new_string(limit->name));
        if (limit->at_least) {
            json_object_object_add(object, "limit_percent",
                                   json_object_new_double(limit->limit_percent));
            json_object_object_add(object, "actual_percent",
                                   json_object_new_double(limit->measured_percent));
        } else {
            json_object_object_add(object, "limit_bytes",
                                   json_object_new_int64(limit->limit_bytes));
            if (limit->verdict != MP_VERDICT_ERROR)
                json_object_object_add(object, "actual_bytes",
                                       json_object_new_int64(limit->measured_bytes));
        }
        json_object_object_add(object, "exceeded",
                               json_object_new_boolean(limit->verdict == MP_VERDICT_FAIL));
        if (limit->verdict == MP_VERDICT_ERROR)
            json_object_object_add(object, "error", json_object_new_string(limit->message));
        json_object_array_add(list, object);
    }
    return list;
}

/* A table "totals.base" is the member "base" of the object "totals". */
static void add_table(struct json_object *root, mp_arena *arena, const mp_table *table)
{
    const char *dot = strchr(table->name, '.');
    struct json_object *object = root;
    if (dot) {
        char *outer = mp_arena_copy(arena, table->name, (size_t)(dot - table->name));
        if (!json_object_object_get_ex(root, outer, &object)) {
            object = json_object_new_object();
            json_object_object_add(root, outer, object);
        }
    }
    json_object_object_add(object, dot ? dot + 1 : table->name, table_value(arena, table));
}

static bool render_json(const mp_document *document, const mp_diagnostics *diagnostics,
                        const mp_style *style, FILE *file, mp_error *error)
{
    (void)style;
    (void)error;
    mp_arena arena = {0};
    struct json_object *root = json_object_new_object();
    json_object_object_add(root, "schema", json_object_new_string("memprof-report/1"));
    json_object_object_add(root, "command", json_object_new_string(document->command));
    for (size_t i = 0; i < document->table_count; i++)
        if (!(document->tables[i].flags & MP_FOR_PEOPLE))
            add_table(root, &arena, &document->tables[i]);
    if (document->check_count && !document->policy)
        json_object_object_add(root, "limits", limits_value(document));
    json_object_object_add(root, "diagnostics", diagnostics_value(&arena, diagnostics));
    fputs(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
                                                   JSON_C_TO_STRING_NOSLASHESCAPE),
          file);
    fputc('\n', file);
    json_object_put(root);
    mp_arena_free(&arena);
    return true;
}

const mp_renderer mp_renderer_json = {.name = "json",
                                      .summary = "one JSON object with everything, exact",
                                      .for_programs = true,
                                      .render = render_json};
