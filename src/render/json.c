/* JSON for programs: one object, exact numbers, stable names (memprof-report(5) has the
 * contract). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/memory.h"
#include "base/text.h"
#include "render/cell.h"
#include "render/json_line.h"

/* Maximum numbers of rows of the main table, rows of each other table, texts of a list, and bytes
 * of a text. */
typedef struct json_cut {
    size_t main_rows, rows, texts, bytes;
    size_t said; /* lines of the summary */
} json_cut;

static const json_cut whole = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX};
/* Limits of a brief answer. The first limits that make it small enough are used. */
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

/* Number of rows left out of a table, or of another member. */
typedef struct json_rest {
    const char *name;
    size_t count;
} json_rest;

/* State of the output. */
typedef struct json_out {
    mp_json json;
    json_cut cut;
    json_rest *left_out;
    size_t rest_count, rest_capacity;
    mp_arena arena;
} json_out;

/* Print all digits, and never an integer. */
static void put_percent(json_out *out, const char *name, double percent)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", percent);
    mp_json_name(&out->json, name);
    mp_json_put_word(&out->json, text);
    if (!strpbrk(text, ".en"))
        mp_json_put_word(&out->json, ".0");
}

/* Print the text up to the maximum length, in whole characters. Return true if it was cut. */
static bool put_cut_text(json_out *out, const char *text)
{
    size_t length = strlen(text);
    bool truncated = length > out->cut.bytes;
    if (truncated) {
        length = out->cut.bytes;
        while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
            length--;
    }
    mp_json_put_text(&out->json, text, length);
    return truncated;
}

/* Print a list. Stacks, and the types of a path, are cut to their first texts. Return true if it
 * was cut. */
static bool put_list(json_out *out, const mp_column *column, const mp_cell *cell)
{
    bool chain = mp_column_is_stack(column) || mp_column_is_called(column, "types");
    size_t count = cell->count, shown = chain && count > out->cut.texts ? out->cut.texts : count;
    bool truncated = mp_list_length(cell) > (int64_t)shown;
    mp_json_open(&out->json, '[');
    for (size_t i = 0; i < shown; i++) {
        mp_json_next(&out->json);
        truncated |= put_cut_text(out, cell->list[i]);
    }
    mp_json_close(&out->json, ']');
    return truncated;
}

/* Print a value. Return true if a part of it is not shown. */
static bool put_value(json_out *out, const mp_column *column, const mp_cell *cell)
{
    switch (column->unit) {
    case MP_TEXT:
        return put_cut_text(out, cell->text);
    case MP_LIST:
        return put_list(out, column, cell);
    case MP_FLAG:
    case MP_SECONDS:
    case MP_AVERAGE:
    case MP_BYTE_RATE:
    case MP_PERCENT:
        mp_json_put_word(&out->json, mp_unit_is_real(column->unit) && !isfinite(cell->real)
                                         ? "null"
                                         : mp_cell_for_programs(&out->arena, column, cell));
        return false;
    default:
        mp_json_put_number(&out->json, cell->number);
        return false;
    }
}

/* Print a cell. If its value was cut, also print that it was cut, and the length of a list. */
static void put_cell(json_out *out, const char *name, const mp_column *column, const mp_cell *cell)
{
    const char *unit = mp_column_is_stack(column) ? "frames" : "count";
    mp_json_name(&out->json, name);
    if (!put_value(out, column, cell))
        return;
    mp_json_flag(&out->json, mp_arena_format(&out->arena, "%s_truncated", column->name), true);
    if (column->unit == MP_LIST)
        mp_json_number(&out->json, mp_arena_format(&out->arena, "%s_%s", column->name, unit),
                       mp_list_length(cell));
}

/* Print a row as an object. `kind`: its first member, "kind", or NULL. A column named "kind" is
 * then renamed to the value of `kind`, or to "site_kind" if a column "site" exists. */
static void put_row(json_out *out, const mp_column *columns, size_t count, const mp_cell *cells,
                    const char *kind)
{
    mp_json_open(&out->json, '{');
    if (kind)
        mp_json_text(&out->json, "kind", kind);
    for (size_t i = 0; i < count; i++) {
        const mp_cell *cell = &cells[i];
        const mp_column *column = &columns[i];
        if (column->flags & MP_FOR_PEOPLE)
            continue;
        const char *name = column->name;
        /* Leak sites have a column "site" (a number) already. */
        if (kind && strcmp(name, "kind") == 0)
            name = mp_column_find(columns, count, kind) == count
                       ? kind
                       : mp_arena_format(&out->arena, "%s_kind", kind);
        if (cell->known)
            put_cell(out, name, column, cell);
        else if (column->flags & MP_NULL)
            mp_json_word(&out->json, name, "null");
    }
    mp_json_close(&out->json, '}');
    mp_arena_free(&out->arena);
}

static void put_table_row(json_out *out, const mp_table *table, size_t row)
{
    put_row(out, table->columns, table->column_count, mp_table_cells(&out->arena, table, row),
            NULL);
}

/* Count rows of a member that are left out. `name` is static. */
static void leave_out(json_out *out, const char *name, size_t count)
{
    if (!count)
        return;
    *MP_APPEND(out->left_out, out->rest_count, out->rest_capacity) = (json_rest){name, count};
}

/* Return true if a check passes. If not all checks are shown, failed checks come first. */
static bool holds(const mp_table *table, size_t row)
{
    size_t status = mp_column_find(table->columns, table->column_count, "status");
    if (!(table->flags & MP_OF_CHECKS) || status == table->column_count)
        return false;
    const mp_cell cell = mp_table_cell(table, row, status);
    return cell.known && strcmp(cell.text, mp_verdict_name(MP_VERDICT_PASS)) == 0;
}

/* Return the number of rows that a limit left out of the table. In a merged table without an order,
 * lines for each file state it. */
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

static void put_rows(json_out *out, const mp_table *table)
{
    size_t most = table->main ? out->cut.main_rows : out->cut.rows, shown = 0;
    bool complete = table->row_count <= most;
    /* If the rows are in the order of time, print the latest ones. */
    size_t from =
        !complete && table->footer.rest.kind == MP_REST_BEFORE ? table->row_count - most : 0;
    size_t holding = most;
    for (size_t row = 0; row < table->row_count; row++)
        holding -= holding && !holds(table, row);
    mp_json_open(&out->json, '[');
    for (size_t row = from; row < table->row_count && shown < most; row++) {
        if (!complete && holds(table, row) && !holding)
            continue;
        holding -= holding && holds(table, row);
        mp_json_next(&out->json);
        put_table_row(out, table, row);
        shown++;
    }
    mp_json_close(&out->json, ']');
    leave_out(out, table->name, table->row_count - shown + cut_before(table));
}

static void put_table(json_out *out, const mp_table *table, const char *name)
{
    mp_json_name(&out->json, name);
    if (table->shape != MP_RECORD) {
        put_rows(out, table);
    } else if (table->row_count) {
        put_table_row(out, table, 0);
    } else {
        mp_json_open(&out->json, '{');
        mp_json_close(&out->json, '}');
    }
}

/* Print the diagnostics that were kept. The last one of each code also counts those that were not
 * kept. In a brief answer, each code has one diagnostic, with the number of all. */
static void put_diagnostics(json_out *out, const mp_diagnostics *diagnostics)
{
    const mp_diagnostic *kept;
    size_t count = mp_diagnostics_kept(diagnostics, &kept), left_out = 0, shown = 0;
    uint64_t seen[MP_DIAGNOSTIC_COUNT] = {0}, of_code[MP_DIAGNOSTIC_COUNT] = {0};
    bool small = out->cut.rows != whole.rows;
    for (size_t i = 0; i < count; i++)
        of_code[kept[i].id]++;
    mp_json_open_member(&out->json, "diagnostics", '[');
    for (size_t i = 0; i < count; i++) {
        mp_diagnostic_id id = kept[i].id;
        uint64_t total = mp_diagnostics_count(diagnostics, id), left = total - of_code[id];
        bool last = ++seen[id] == of_code[id];
        if (small && (seen[id] > 1 || shown >= out->cut.rows)) {
            left_out += seen[id] == 1;
            continue;
        }
        mp_json_next(&out->json);
        mp_json_open(&out->json, '{');
        mp_json_text(&out->json, "severity", mp_severity_name(mp_diagnostic_severity(id)));
        mp_json_text(&out->json, "code", mp_diagnostic_code(id));
        if (kept[i].path) {
            mp_json_name(&out->json, "path");
            put_cut_text(out, mp_utf8_copy(&out->arena, kept[i].path));
        }
        if (kept[i].line)
            mp_json_number(&out->json, "line", (int64_t)kept[i].line);
        mp_json_name(&out->json, "message");
        put_cut_text(out, mp_utf8_copy(&out->arena, kept[i].message));
        mp_json_number(&out->json, "count", (int64_t)(small ? total : last ? 1 + left : 1));
        mp_json_close(&out->json, '}');
        shown++;
    }
    mp_json_close(&out->json, ']');
    leave_out(out, "diagnostics", left_out);
}

static void put_answer(json_out *out, const mp_document *document)
{
    size_t shown = 0;
    mp_json_open_member(&out->json, "answer", '[');
    for (; shown < document->said_count && shown < out->cut.said; shown++) {
        const mp_said *said = &document->said[shown];
        mp_json_next(&out->json);
        mp_json_open(&out->json, '{');
        if (said->file)
            mp_json_text(&out->json, "file", said->file);
        mp_json_text(&out->json, "label", said->label);
        mp_json_name(&out->json, "text");
        if (put_cut_text(out, said->text))
            mp_json_flag(&out->json, "text_truncated", true);
        mp_json_close(&out->json, '}');
    }
    mp_json_close(&out->json, ']');
    leave_out(out, "answer", document->said_count - shown);
}

static void put_limit(json_out *out, const mp_check *limit)
{
    mp_json_open(&out->json, '{');
    if (limit->file)
        mp_json_text(&out->json, "file", limit->file);
    mp_json_text(&out->json, "name", limit->name);
    if (limit->at_least) {
        put_percent(out, "limit_percent", limit->limit_percent);
        if (!isnan(limit->measured_percent))
            put_percent(out, "actual_percent", limit->measured_percent);
    } else {
        mp_json_number(&out->json, "limit_bytes", limit->limit_bytes);
        if (limit->verdict != MP_VERDICT_ERROR)
            mp_json_number(&out->json, "actual_bytes", limit->measured_bytes);
    }
    mp_json_flag(&out->json, "exceeded", limit->verdict == MP_VERDICT_FAIL);
    if (*limit->note)
        mp_json_text(&out->json, "note", limit->note);
    if (*limit->warning)
        mp_json_text(&out->json, "warning", limit->warning);
    if (limit->verdict == MP_VERDICT_ERROR)
        mp_json_text(&out->json, "error", limit->message);
    mp_json_close(&out->json, '}');
}

static void put_cut_member(json_out *out, const char *name, const char *text)
{
    mp_json_name(&out->json, name);
    if (put_cut_text(out, text))
        mp_json_flag(&out->json, mp_arena_format(&out->arena, "%s_truncated", name), true);
}

static void put_leak_verdict(json_out *out, const mp_told_verdict *verdict)
{
    mp_json_open_member(&out->json, "verdict", '{');
    mp_json_text(&out->json, "leaks", verdict->leaks);
    put_cut_member(out, "reason", verdict->reason);
    if (verdict->kind && verdict->total_bytes != MP_UNKNOWN)
        mp_json_number(&out->json, "leaking_bytes", verdict->total_bytes);
    if (verdict->kind) {
        mp_json_open_member(&out->json, "worst", '{');
        if (verdict->file)
            put_cut_member(out, "file", verdict->file);
        put_cut_member(out, "type", verdict->type);
        if (verdict->name)
            put_cut_member(out, "name", verdict->name);
        put_cut_member(out, "site", verdict->site);
        mp_json_text(&out->json, "kind", verdict->kind);
        if (verdict->bytes != MP_UNKNOWN)
            mp_json_number(&out->json, "bytes", verdict->bytes);
        if (verdict->objects != MP_UNKNOWN)
            mp_json_number(&out->json, "objects", verdict->objects);
        if (verdict->leaking_bytes != MP_UNKNOWN)
            mp_json_number(&out->json, "leaking_bytes", verdict->leaking_bytes);
        mp_json_number(&out->json, "confidence", verdict->confidence);
        mp_json_close(&out->json, '}');
    }
    mp_json_close(&out->json, '}');
}

/* Print the limits. Rules have a separate table. */
static void put_limits(json_out *out, const mp_document *document)
{
    bool complete = document->check_count <= out->cut.rows;
    size_t shown = 0;
    mp_json_open_member(&out->json, "limits", '[');
    for (size_t i = 0; i < document->check_count; i++) {
        const mp_check *limit = &document->checks[i];
        if (!complete && (limit->verdict == MP_VERDICT_PASS || shown >= out->cut.rows))
            continue;
        mp_json_next(&out->json);
        put_limit(out, limit);
        shown++;
    }
    mp_json_close(&out->json, ']');
    leave_out(out, "limits", document->check_count - shown);
}

/* Print the tables. A table "totals.base" becomes the member "base" of the object "totals", at the
 * place of the first of its members. */
static void put_tables(json_out *out, const mp_document *document)
{
    for (size_t i = 0; i < document->table_count; i++) {
        const mp_table *table = &document->tables[i];
        const char *dot = strchr(table->name, '.');
        size_t outer = dot ? (size_t)(dot - table->name) + 1 : 0, first = 0;
        if (table->flags & MP_FOR_PEOPLE)
            continue;
        if (!dot) {
            put_table(out, table, table->name);
            continue;
        }
        while (document->tables[first].flags & MP_FOR_PEOPLE ||
               strncmp(document->tables[first].name, table->name, outer) != 0)
            first++;
        if (first < i)
            continue;
        mp_json_open_member(&out->json, mp_arena_copy(&out->arena, table->name, outer - 1), '{');
        for (; first < document->table_count; first++) {
            const mp_table *member = &document->tables[first];
            if (!(member->flags & MP_FOR_PEOPLE) && strncmp(member->name, table->name, outer) == 0)
                put_table(out, member, member->name + outer);
        }
        mp_json_close(&out->json, '}');
    }
}

static void put_document(json_out *out, const mp_document *document,
                         const mp_diagnostics *diagnostics, bool tells_rest)
{
    mp_json_open(&out->json, '{');
    mp_json_text(&out->json, "schema", "memprof-report/1");
    mp_json_text(&out->json, "command", document->command);
    if (document->said_count)
        put_answer(out, document);
    if (document->verdict.leaks)
        put_leak_verdict(out, &document->verdict);
    put_tables(out, document);
    if (document->check_count && !document->policy)
        put_limits(out, document);
    put_diagnostics(out, diagnostics);
    if (tells_rest && out->rest_count) {
        mp_json_open_member(&out->json, "rows_left_out", '{');
        for (size_t i = 0; i < out->rest_count; i++)
            mp_json_number(&out->json, out->left_out[i].name, (int64_t)out->left_out[i].count);
        mp_json_close(&out->json, '}');
    }
    mp_json_close(&out->json, '}');
    mp_json_put_word(&out->json, "\n");
    free(out->left_out);
    mp_arena_free(&out->arena);
}

/* Print one line per table, with the first limits that make the answer small enough. */
static void put_brief(const mp_document *document, const mp_diagnostics *diagnostics, FILE *file)
{
    const size_t last = sizeof brief / sizeof *brief - 1;
    size_t i = 0;
    for (; i < last; i++) {
        json_out measured = {.cut = brief[i], .json = {.lines = true}};
        put_document(&measured, document, diagnostics, true);
        if (measured.json.length < BRIEF_BYTES)
            break;
    }
    json_out out = {.cut = brief[i], .json = {.file = file, .lines = true}};
    put_document(&out, document, diagnostics, true);
}

static bool render_json(const mp_document *document, const mp_diagnostics *diagnostics,
                        const mp_style *style, FILE *file, mp_error *error)
{
    (void)error;
    json_out out = {.cut = whole, .json = {.file = file, .readable = true}};
    if (style->brief)
        put_brief(document, diagnostics, file);
    else
        put_document(&out, document, diagnostics, false);
    return true;
}

/* Print a row as one line of JSON. The header line, row MP_ROW_NAMES, is empty. */
static void put_row_line(const mp_document *document, size_t row, const mp_style *style, FILE *file)
{
    (void)style;
    json_out out = {.cut = whole, .json = {.file = file}};
    if (row == MP_ROW_NAMES)
        return;
    put_table_row(&out, mp_document_main_table(document), row);
    mp_json_put_word(&out.json, "\n");
}

void mp_json_put_line(FILE *file, const mp_column *columns, size_t count, const mp_cell *cells,
                      const char *kind)
{
    json_out out = {.cut = whole, .json = {.file = file}};
    put_row(&out, columns, count, cells, kind);
    mp_json_put_word(&out.json, "\n");
}

const mp_renderer mp_renderer_json = {.name = "json",
                                      .ending = ".json",
                                      .summary = "one JSON object with everything, exact",
                                      .for_programs = true,
                                      .can_be_brief = true,
                                      .render = render_json,
                                      .put_row = put_row_line};
