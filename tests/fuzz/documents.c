/* Documents with any tables, cells and lines, printed by every renderer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "document/merge.h"
#include "export/formats.h"
#include "fuzz/fuzz.h"

static const char *const names[] = {"rank",    "type",    "name",  "where", "bytes",
                                    "objects", "site",    "stack", "line",  "share",
                                    "owner",   "seconds", "state", "parts"};
enum { NAMES = sizeof names / sizeof *names, MOST_TABLES = 4, MOST_ROWS = 12 };

/* --- columns --- */

static mp_column make_column(fuzz_bytes *bytes, const char *name)
{
    static const unsigned flags[] = {
        MP_FOR_PEOPLE, MP_FOR_PROGRAMS, MP_SIGNED, MP_SHORTEN,  MP_IF_KNOWN, MP_BELOW, MP_NULL,
        MP_ADDS,       MP_SUMMARY,      MP_MINOR,  MP_SENTENCE, MP_WRAP,     MP_TONED};
    mp_column column = {.name = name, .title = name, .offset = 0};
    column.unit = (mp_unit)fuzz_take(bytes, MP_LIST + 1);
    for (unsigned more = fuzz_take(bytes, 4); more-- > 0;)
        column.flags |= flags[fuzz_take(bytes, sizeof flags / sizeof *flags)];
    bool words = column.unit == MP_TEXT, list = column.unit == MP_LIST;
    if (!words)
        column.flags &= ~(unsigned)(MP_SENTENCE | MP_WRAP | MP_TONED | MP_SHORTEN);
    if (words || list || column.unit == MP_FLAG)
        column.flags &= ~(unsigned)(MP_SIGNED | MP_ADDS);
    if (!list)
        column.flags &= ~(unsigned)MP_BELOW;
    if ((column.flags & MP_FOR_PEOPLE) && (column.flags & MP_FOR_PROGRAMS))
        column.flags &= ~(unsigned)MP_FOR_PROGRAMS;
    return column;
}

static size_t make_columns(fuzz_bytes *bytes, mp_column *columns)
{
    size_t count = 0;
    unsigned first = fuzz_take(bytes, NAMES), step = 1 + 2 * fuzz_take(bytes, 3);
    for (unsigned wanted = 1 + fuzz_take(bytes, 7); count < wanted; count++) {
        unsigned name = (first + (unsigned)count * step) % NAMES;
        if (name == 0)
            columns[count] = (mp_column)MP_RANK(MP_FOR_PEOPLE);
        else
            columns[count] = make_column(bytes, names[name]);
    }
    return count;
}

/* --- cells --- */

static mp_cell make_list(fuzz_bytes *bytes)
{
    mp_cell cell = {.known = true, .count = fuzz_take(bytes, 9)};
    cell.list = mp_arena_alloc(&bytes->arena, ((size_t)cell.count + 1) * sizeof *cell.list);
    for (uint32_t i = 0; i < cell.count; i++)
        cell.list[i] = fuzz_take_text(bytes);
    if (!cell.count)
        cell.text = fuzz_take_text(bytes);
    return cell;
}

static mp_cell make_cell(fuzz_bytes *bytes, const mp_column *column, size_t row)
{
    mp_cell cell = {.known = true};
    if (column->offset == MP_NO_MEMBER)
        return (mp_cell){.known = true, .number = (int64_t)row};
    if (fuzz_take(bytes, 8) == 7)
        return (mp_cell){.known = false};
    switch (column->unit) {
    case MP_TEXT:
        cell.text = fuzz_take_text(bytes);
        cell.known = *cell.text != '\0';
        return cell;
    case MP_LIST:
        return make_list(bytes);
    case MP_FLAG:
        cell.number = fuzz_take(bytes, 2);
        return cell;
    case MP_PERCENT:
    case MP_AVERAGE:
    case MP_BYTE_RATE:
        cell.real = fuzz_take_real(bytes);
        return cell;
    default:
        cell.number = fuzz_take_number(bytes);
        cell.known = cell.number != MP_UNKNOWN;
        cell.number = cell.known ? cell.number : 0;
        return cell;
    }
}

/* --- tables --- */

static void make_line(fuzz_bytes *bytes, mp_line *line)
{
    if (fuzz_take(bytes, 3) == 0)
        line->rest =
            (mp_rest){fuzz_take(bytes, 256), (mp_rest_kind)fuzz_take(bytes, MP_REST_SMALLER + 1)};
    line->argument = fuzz_take(bytes, 3) ? NULL : "limit";
}

static void make_table(fuzz_bytes *bytes, mp_document *document, size_t place)
{
    static const char *const tables[MOST_TABLES] = {"totals", "leaks", "groups", "sites"};
    mp_column made[8];
    size_t count = make_columns(bytes, made);
    mp_column *columns = mp_arena_alloc(&bytes->arena, count * sizeof *columns);
    memcpy(columns, made, count * sizeof *columns);
    bool record = place == 0 && fuzz_take(bytes, 2);
    mp_table *table = mp_document_table(document, tables[place],
                                        fuzz_take(bytes, 4) ? fuzz_take_text(bytes) : NULL,
                                        record ? MP_RECORD : MP_ROWS, columns, count);
    table->main = place == 1;
    table->list_depth = fuzz_take(bytes, 4);
    table->empty = fuzz_take(bytes, 2) ? "none" : NULL;
    size_t order = fuzz_take(bytes, 16);
    if (!record && order < count && columns[order].unit != MP_LIST)
        table->order = columns[order].name;
    for (unsigned lines = fuzz_take(bytes, 3); lines-- > 0;)
        make_line(bytes, mp_table_line(document, table, "%s", fuzz_take_text(bytes)));
    table->footer.text = fuzz_take(bytes, 3) ? fuzz_take_text(bytes) : NULL;
    make_line(bytes, &table->footer);
    for (unsigned rows = record ? 1 : fuzz_take(bytes, MOST_ROWS); rows-- > 0;) {
        mp_cell *cells = mp_table_row(table);
        for (size_t i = 0; i < count; i++)
            cells[i] = make_cell(bytes, &columns[i], table->row_count);
    }
}

static void make_check(fuzz_bytes *bytes, mp_document *document)
{
    mp_check check = {.verdict = (mp_verdict)fuzz_take(bytes, MP_VERDICTS)};
    check.file = fuzz_take(bytes, 4) ? NULL : fuzz_take_text(bytes);
    check.line = document->policy ? 1 + fuzz_take(bytes, 200) : 0;
    check.name = check.line ? fuzz_take_text(bytes) : "max-leaked";
    check.measured = fuzz_take_text(bytes);
    check.limit = fuzz_take_text(bytes);
    check.message = fuzz_take_text(bytes);
    check.measured_bytes = fuzz_take_number(bytes);
    check.limit_bytes = fuzz_take_number(bytes);
    check.measured_percent = fuzz_take_real(bytes);
    check.limit_percent = fuzz_take_real(bytes);
    check.warning = fuzz_take(bytes, 4) ? "" : fuzz_take_text(bytes);
    check.note = fuzz_take(bytes, 4) ? "" : fuzz_take_text(bytes);
    mp_document_check(document, check);
    document->failed |= check.verdict == MP_VERDICT_FAIL;
    document->unjudged |= check.verdict == MP_VERDICT_ERROR;
}

static mp_document *make_document(fuzz_bytes *bytes)
{
    static const char *const labels[] = {"Worst leak", "Peak", MP_SAID_VERDICT};
    mp_document *document = mp_document_new(fuzz_take(bytes, 2) ? "gate" : "analyze");
    document->title = fuzz_take(bytes, 4) ? fuzz_take_text(bytes) : NULL;
    document->exact_bytes = fuzz_take(bytes, 2);
    document->policy = fuzz_take(bytes, 2) ? fuzz_take_text(bytes) : NULL;
    for (unsigned said = fuzz_take(bytes, 4); said-- > 0;)
        mp_document_say(document, (mp_tone)fuzz_take(bytes, MP_TONE_WARNING + 1),
                        labels[fuzz_take(bytes, 3)], "%s", fuzz_take_text(bytes));
    for (unsigned checks = fuzz_take(bytes, 4); checks-- > 0;)
        make_check(bytes, document);
    if (fuzz_take(bytes, 2))
        fuzz_make_figures(bytes, document);
    for (unsigned tables = 1 + fuzz_take(bytes, MOST_TABLES), i = 0; i < tables; i++)
        make_table(bytes, document, i);
    return document;
}

/* --- printing --- */

/* Print in a chosen format. HTML is chosen rarely: a page contains its scripts, so it takes as long
 * as all other formats together. */
static void print(const mp_document *document, const mp_diagnostics *diagnostics,
                  fuzz_choice *choice)
{
    size_t count;
    const mp_renderer *const *renderers = mp_renderers(&count);
    for (size_t i = 0; i < count; i++)
        if (!mp_text_is(renderers[i]->name, "html") || fuzz_choose(choice, 4) == 0)
            free(fuzz_render(document, diagnostics, renderers[i], choice));
}

void fuzz_document(const fuzz_target *target, mp_slice input)
{
    (void)target;
    fuzz_choice choice = fuzz_choose_by(input);
    fuzz_bytes bytes = {.left = input};
    mp_diagnostics *diagnostics = mp_diagnostics_new(5);
    for (unsigned more = fuzz_take(&bytes, 3); more-- > 0;)
        mp_diagnose(diagnostics, (mp_diagnostic_id)fuzz_take(&bytes, MP_DIAGNOSTIC_COUNT),
                    fuzz_take_text(&bytes), fuzz_take(&bytes, 256), "%s", fuzz_take_text(&bytes));
    mp_document *document = make_document(&bytes);
    print(document, diagnostics, &choice);
    const mp_part parts[] = {{"a.oemp", document}, {"b.oemp", document}};
    mp_merging how = {.rows = fuzz_take(&bytes, 8), .overview = fuzz_take(&bytes, 2)};
    mp_document *merged = mp_documents_merge(parts, 1 + fuzz_take(&bytes, 2), &how);
    print(merged, diagnostics, &choice);
    mp_document_free(merged);
    mp_document_free(document);
    mp_diagnostics_free(diagnostics);
    mp_arena_free(&bytes.arena);
}
