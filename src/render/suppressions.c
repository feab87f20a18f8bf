/* The leaks as suppressions, for people who accept some of them: to be pasted into a file for
 * --suppress, each with the reason that is still to be written. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "render/cell.h"

/* A pattern that matches this text: as the whole of it, and with nothing that the file's format
 * takes for its own. `special` is escaped, what cannot be in a line is `any`. */
static void put_pattern(FILE *file, const char *text, const char *special, char any)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte < ' ' || byte == 127)
            fputc(any, file);
        else if (byte == ' ' && (i == 0 || i + 1 == length))
            fputs("[ ]", file); /* blanks at the ends of a value go */
        else
            fprintf(file, "%s%c", strchr(special, byte) ? "\\" : "", byte);
    }
}

static void put_glob(FILE *file, const char *key, const char *text)
{
    fprintf(file, "%-6s = ", key);
    put_pattern(file, text, "*?[\\", '?');
    fputc('\n', file);
}

static bool has_column(const mp_table *table, const char *name)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return true;
    return false;
}

/* NULL: the table has no such column. */
static const mp_cell *cell_of(const mp_table *table, size_t row, const char *name)
{
    if (!has_column(table, name))
        return NULL;
    return &table->cells[row * table->column_count + mp_table_column(table, name)];
}

static void put_known(FILE *file, const char *key, const mp_cell *cell)
{
    if (cell && cell->known)
        put_glob(file, key, cell->text);
}

static void put_leak(FILE *file, const mp_table *table, size_t row)
{
    char bytes[MP_UNIT_TEXT], objects[MP_UNIT_TEXT];
    const mp_cell *site = cell_of(table, row, "site");
    mp_format_bytes(bytes, cell_of(table, row, "bytes")->number, false, false);
    mp_format_count(objects, cell_of(table, row, "objects")->number, false);
    fprintf(file, "\n# %s in %s object%s\n[leak %zu]\n", bytes, objects,
            cell_of(table, row, "objects")->number == 1 ? "" : "s", row + 1);
    /* Inferred types are too unsure to accept a leak by. */
    if (!has_column(table, "inferred_type"))
        put_known(file, "type", cell_of(table, row, "type"));
    put_known(file, "name", cell_of(table, row, "name"));
    if (site->number) {
        fputs("stack  = ^", file);
        put_pattern(file, site->list[0], ".[\\()*+?{|^$", '.');
        fputs("$\n", file);
    } else {
        put_glob(file, "source", site->text);
    }
    fputs("reason = TODO: why is this accepted?\n", file);
}

static bool is_same(const mp_cell *a, const mp_cell *b)
{
    if (!a || !b || !a->known || !b->known)
        return !(a && a->known) && !(b && b->known);
    const char *left = a->list && a->number ? a->list[0] : a->text;
    const char *right = b->list && b->number ? b->list[0] : b->text;
    return a->number == b->number && strcmp(left, right) == 0;
}

/* Whether a row before, of another file, accepts the same. */
static bool is_put(const mp_table *table, size_t row)
{
    for (size_t i = 0; has_column(table, "file") && i < row; i++)
        if (is_same(cell_of(table, i, "type"), cell_of(table, row, "type")) &&
            is_same(cell_of(table, i, "name"), cell_of(table, row, "name")) &&
            is_same(cell_of(table, i, "site"), cell_of(table, row, "site")))
            return true;
    return false;
}

static bool render_suppressions(const mp_document *document, const mp_diagnostics *diagnostics,
                                const mp_style *style, FILE *file, mp_error *error)
{
    (void)diagnostics;
    (void)style;
    const mp_table *leaks = mp_document_find(document, "leaks");
    /* Suspects of a heap dump are objects, not sites. */
    if (!leaks || !has_column(leaks, "site")) {
        return mp_fail(
            error, MP_ERROR_NO_ANSWER,
            "suppressions are made of the leaks of a window, expected the command leaks on a "
            "recording that has births and deaths");
    }
    fputs("# Leaks that are known and accepted. Keep those that are, and say why.\n", file);
    for (size_t row = 0; row < leaks->row_count; row++)
        if (!is_put(leaks, row))
            put_leak(file, leaks, row);
    return true;
}

const mp_renderer mp_renderer_suppressions = {.name = "suppressions",
                                              .summary = "the leaks, to be pasted for --suppress",
                                              .for_programs = true,
                                              .render = render_suppressions};
