/* JSON for programs: one object, exact numbers, stable names (memprof-report(5) has the contract).
 */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "render/cell.h"

/* How much is shown: rows of the main table, rows of each other one, texts of a list, bytes of a
 * text. */
typedef struct json_cut {
    size_t main_rows, rows, texts, bytes;
    size_t said; /* lines of the answer */
} json_cut;

static const json_cut whole = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX};
/* Of a small answer, the first that is small enough. */
enum { BRIEF_BYTES = 5000 };
static const json_cut brief[] = {{MP_BRIEF_ROWS, MP_BRIEF_ROWS, 3, 400, MP_BRIEF_ROWS},
                                 {MP_BRIEF_ROWS, 3, 3, 400, MP_BRIEF_ROWS},
                                 {MP_BRIEF_ROWS, 3, 1, 400, MP_BRIEF_ROWS},
                                 {MP_BRIEF_ROWS, 1, 1, 400, MP_BRIEF_ROWS},
                                 {3, 1, 1, 400, MP_BRIEF_ROWS},
                                 {MP_BRIEF_ROWS, 0, 1, 400, MP_BRIEF_ROWS},
                                 {3, 0, 1, 400, MP_BRIEF_ROWS},
                                 {1, 0, 1, 400, MP_BRIEF_ROWS},
                                 {1, 0, 1, 100, MP_BRIEF_ROWS},
                                 {0, 0, 1, 100, 3}};

/* What is being built of a document. */
typedef struct json_out {
    struct json_object *root;
    struct json_object *left_out; /* rows, by table */
    json_cut cut;
    mp_arena arena;
} json_out;

/* As much of the text as may be shown, in whole characters. */
static struct json_object *text_value(const json_out *out, const char *text, bool *truncated)
{
    size_t length = strlen(text);
    if (length > out->cut.bytes) {
        length = out->cut.bytes;
        while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
            length--;
        *truncated = true;
    }
    return json_object_new_string_len(text, (int)length);
}

/* Whether the name of a list ends so. */
static bool is_called(const mp_column *column, const char *ending)
{
    size_t length = strlen(column->name), tail = strlen(ending);
    return length >= tail && strcmp(column->name + length - tail, ending) == 0;
}

/* A stack, and the types of a path, tell much by their first. */
static struct json_object *list_value(const json_out *out, const mp_column *column,
                                      const mp_cell *cell, bool *truncated)
{
    bool chain = is_called(column, "stack") || is_called(column, "types");
    struct json_object *list = json_object_new_array();
    size_t count = (size_t)cell->number;
    *truncated = chain && count > out->cut.texts;
    for (size_t i = 0; i < count && (!chain || i < out->cut.texts); i++)
        json_object_array_add(list, text_value(out, cell->list[i], truncated));
    return list;
}

static struct json_object *cell_value(json_out *out, const mp_column *column, const mp_cell *cell,
                                      bool *truncated)
{
    const char *text;
    switch (column->unit) {
    case MP_TEXT:
        return text_value(out, cell->text, truncated);
    case MP_LIST:
        return list_value(out, column, cell, truncated);
    case MP_FLAG:
        return json_object_new_boolean(cell->number != 0);
    case MP_SECONDS:
    case MP_AVERAGE:
    case MP_BYTE_RATE:
    case MP_PERCENT:
        text = mp_cell_for_programs(&out->arena, column, cell);
        return json_object_new_double_s(
            column->unit == MP_SECONDS ? (double)cell->number / 1e6 : cell->real, text);
    default:
        return json_object_new_int64(cell->number);
    }
}

/* The cell; where it is cut, also that it is, and how many texts a list has. */
static void add_cell(json_out *out, struct json_object *object, const mp_column *column,
                     const mp_cell *cell)
{
    const char *unit = is_called(column, "stack") ? "frames" : "count";
    bool truncated = false;
    json_object_object_add(object, column->name, cell_value(out, column, cell, &truncated));
    if (!truncated)
        return;
    json_object_object_add(object, mp_arena_format(&out->arena, "%s_truncated", column->name),
                           json_object_new_boolean(true));
    if (column->unit == MP_LIST)
        json_object_object_add(object, mp_arena_format(&out->arena, "%s_%s", column->name, unit),
                               json_object_new_int64(cell->number));
}

static struct json_object *row_object(json_out *out, const mp_table *table, size_t row)
{
    struct json_object *object = json_object_new_object();
    for (size_t i = 0; i < table->column_count; i++) {
        const mp_cell *cell = &table->cells[row * table->column_count + i];
        const mp_column *column = &table->columns[i];
        if (column->flags & MP_FOR_PEOPLE)
            continue;
        if (cell->known)
            add_cell(out, object, column, cell);
        else if (column->flags & MP_NULL)
            json_object_object_add(object, column->name, NULL);
    }
    return object;
}

static void leave_out(json_out *out, const char *name, size_t count)
{
    if (count)
        json_object_object_add(out->left_out, name, json_object_new_uint64(count));
}

/* Of what was checked, where not all of it is shown, what does not hold goes first. */
static bool holds(const mp_table *table, size_t row)
{
    size_t status = mp_column_find(table->columns, table->column_count, "status");
    const mp_cell *cells = &table->cells[row * table->column_count];
    return table->flags & MP_OF_CHECKS && status < table->column_count && cells[status].known &&
           strcmp(cells[status].text, mp_verdict_name(MP_VERDICT_PASS)) == 0;
}

/* Rows that are not in the table because of a limit; of several files, a line for each tells it. */
static size_t cut_before(const mp_table *table)
{
    size_t count = 0;
    for (size_t i = 0; i <= table->line_count; i++) {
        const mp_rest *rest = i ? &table->lines[i - 1].rest : &table->footer.rest;
        bool asked = rest->kind == MP_REST_UNCHANGED || rest->kind == MP_REST_SMALLER;
        if (!asked && (i == 0 || !table->order))
            count += rest->count;
    }
    return count;
}

static struct json_object *rows_value(json_out *out, const mp_table *table)
{
    struct json_object *rows = json_object_new_array();
    size_t most = table->main ? out->cut.main_rows : out->cut.rows, shown = 0;
    bool all = table->row_count <= most;
    /* Of what is in the order of time, the latest. */
    size_t from = !all && table->footer.rest.kind == MP_REST_BEFORE ? table->row_count - most : 0;
    size_t holding = most;
    for (size_t row = 0; row < table->row_count; row++)
        holding -= holding && !holds(table, row);
    for (size_t row = from; row < table->row_count && shown < most; row++) {
        if (!all && holds(table, row) && !holding)
            continue;
        holding -= holding && holds(table, row);
        json_object_array_add(rows, row_object(out, table, row));
        shown++;
    }
    leave_out(out, table->name, table->row_count - shown + cut_before(table));
    return rows;
}

static struct json_object *table_value(json_out *out, const mp_table *table)
{
    if (table->shape == MP_RECORD)
        return table->row_count ? row_object(out, table, 0) : json_object_new_object();
    return rows_value(out, table);
}

/* The kept diagnostics; the last kept of a code also counts those that were not kept. Of a small
 * answer, one of each code, which counts all. */
static struct json_object *diagnostics_value(json_out *out, const mp_diagnostics *diagnostics)
{
    const mp_diagnostic *kept;
    size_t count = mp_diagnostics_kept(diagnostics, &kept), left_out = 0;
    uint64_t seen[MP_DIAGNOSTIC_COUNT] = {0}, of_code[MP_DIAGNOSTIC_COUNT] = {0};
    struct json_object *list = json_object_new_array();
    bool small = out->cut.rows != whole.rows, unheard;
    for (size_t i = 0; i < count; i++)
        of_code[kept[i].id]++;
    for (size_t i = 0; i < count; i++) {
        mp_diagnostic_id id = kept[i].id;
        const char *severity = mp_severity_name(mp_diagnostic_severity(id));
        uint64_t all = mp_diagnostics_count(diagnostics, id), left = all - of_code[id];
        bool last = ++seen[id] == of_code[id];
        if (small && (seen[id] > 1 || json_object_array_length(list) >= out->cut.rows)) {
            left_out += seen[id] == 1;
            continue;
        }
        struct json_object *object = json_object_new_object();
        json_object_object_add(object, "severity", json_object_new_string(severity));
        json_object_object_add(object, "code", json_object_new_string(mp_diagnostic_code(id)));
        if (kept[i].path)
            json_object_object_add(
                object, "path", text_value(out, mp_utf8_copy(&out->arena, kept[i].path), &unheard));
        if (kept[i].line)
            json_object_object_add(object, "line", json_object_new_uint64(kept[i].line));
        json_object_object_add(
            object, "message",
            text_value(out, mp_utf8_copy(&out->arena, kept[i].message), &unheard));
        json_object_object_add(object, "count",
                               json_object_new_uint64(small  ? all
                                                      : last ? 1 + left
                                                             : 1));
        json_object_array_add(list, object);
    }
    leave_out(out, "diagnostics", left_out);
    return list;
}

static struct json_object *answer_value(json_out *out, const mp_document *document)
{
    struct json_object *list = json_object_new_array();
    for (size_t i = 0; i < document->said_count && i < out->cut.said; i++) {
        const mp_said *said = &document->said[i];
        struct json_object *object = json_object_new_object();
        bool truncated = false;
        if (said->file)
            json_object_object_add(object, "file", json_object_new_string(said->file));
        json_object_object_add(object, "label", json_object_new_string(said->label));
        json_object_object_add(object, "text", text_value(out, said->text, &truncated));
        if (truncated)
            json_object_object_add(object, "text_truncated", json_object_new_boolean(true));
        json_object_array_add(list, object);
    }
    leave_out(out, "answer", document->said_count - json_object_array_length(list));
    return list;
}

/* Rules have a table of their own. */
static struct json_object *limits_value(json_out *out, const mp_document *document)
{
    struct json_object *list = json_object_new_array();
    bool all = document->check_count <= out->cut.rows;
    for (size_t i = 0; i < document->check_count; i++) {
        const mp_check *limit = &document->checks[i];
        if (!all &&
            (limit->verdict == MP_VERDICT_PASS || json_object_array_length(list) >= out->cut.rows))
            continue;
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
        if (*limit->note)
            json_object_object_add(object, "note", json_object_new_string(limit->note));
        if (*limit->warning)
            json_object_object_add(object, "warning", json_object_new_string(limit->warning));
        if (limit->verdict == MP_VERDICT_ERROR)
            json_object_object_add(object, "error", json_object_new_string(limit->message));
        json_object_array_add(list, object);
    }
    leave_out(out, "limits", document->check_count - json_object_array_length(list));
    return list;
}

/* A table "totals.base" is the member "base" of the object "totals". */
static void add_table(json_out *out, const mp_table *table)
{
    const char *dot = strchr(table->name, '.');
    struct json_object *object = out->root;
    if (dot) {
        char *outer = mp_arena_copy(&out->arena, table->name, (size_t)(dot - table->name));
        if (!json_object_object_get_ex(out->root, outer, &object)) {
            object = json_object_new_object();
            json_object_object_add(out->root, outer, object);
        }
    }
    json_object_object_add(object, dot ? dot + 1 : table->name, table_value(out, table));
}

/* Release root and left_out with json_object_put. */
static void build(json_out *out, const mp_document *document, const mp_diagnostics *diagnostics)
{
    struct json_object *root = out->root = json_object_new_object();
    out->left_out = json_object_new_object();
    json_object_object_add(root, "schema", json_object_new_string("memprof-report/1"));
    json_object_object_add(root, "command", json_object_new_string(document->command));
    if (document->said_count)
        json_object_object_add(root, "answer", answer_value(out, document));
    for (size_t i = 0; i < document->table_count; i++)
        if (!(document->tables[i].flags & MP_FOR_PEOPLE))
            add_table(out, &document->tables[i]);
    if (document->check_count && !document->policy)
        json_object_object_add(root, "limits", limits_value(out, document));
    json_object_object_add(root, "diagnostics", diagnostics_value(out, diagnostics));
}

static void put_whole(const mp_document *document, const mp_diagnostics *diagnostics, FILE *file)
{
    json_out out = {.cut = whole};
    build(&out, document, diagnostics);
    fputs(json_object_to_json_string_ext(out.root, JSON_C_TO_STRING_PRETTY |
                                                       JSON_C_TO_STRING_SPACED |
                                                       JSON_C_TO_STRING_NOSLASHESCAPE),
          file);
    fputc('\n', file);
    json_object_put(out.left_out);
    json_object_put(out.root);
    mp_arena_free(&out.arena);
}

/* A table a line. */
static void put_brief(const mp_document *document, const mp_diagnostics *diagnostics, FILE *file)
{
    enum { HOW = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE };
    const size_t count = sizeof brief / sizeof *brief;
    for (size_t i = 0; i < count; i++) {
        json_out out = {.cut = brief[i]};
        build(&out, document, diagnostics);
        if (json_object_object_length(out.left_out))
            json_object_object_add(out.root, "rows_left_out", json_object_get(out.left_out));
        const char *separator = "{";
        size_t length = strlen(json_object_to_json_string_ext(out.root, HOW)) +
                        (size_t)json_object_object_length(out.root) + 1;
        bool fits = length <= BRIEF_BYTES || i + 1 == count;
        json_object_object_foreach(out.root, name, value)
        {
            if (!fits)
                break;
            fprintf(file, "%s\"%s\":%s", separator, name,
                    json_object_to_json_string_ext(value, HOW));
            separator = ",\n";
        }
        fputs(fits ? "}\n" : "", file);
        json_object_put(out.left_out);
        json_object_put(out.root);
        mp_arena_free(&out.arena);
        if (fits)
            return;
    }
}

static bool render_json(const mp_document *document, const mp_diagnostics *diagnostics,
                        const mp_style *style, FILE *file, mp_error *error)
{
    (void)error;
    if (style->brief)
        put_brief(document, diagnostics, file);
    else
        put_whole(document, diagnostics, file);
    return true;
}

/* No line stands above them. */
static void put_row(const mp_document *document, size_t row, const mp_style *style, FILE *file)
{
    (void)style;
    json_out out = {.cut = whole};
    if (row == MP_ROW_NAMES)
        return;
    struct json_object *object = row_object(&out, mp_document_main_table(document), row);
    fputs(json_object_to_json_string_ext(object,
                                         JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE),
          file);
    fputc('\n', file);
    json_object_put(object);
    mp_arena_free(&out.arena);
}

const mp_renderer mp_renderer_json = {.name = "json",
                                      .summary = "one JSON object with everything, exact",
                                      .for_programs = true,
                                      .can_be_brief = true,
                                      .render = render_json,
                                      .put_row = put_row};
