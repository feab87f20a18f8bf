/* HTML: tables of a page. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "render/cell.h"
#include "render/html/page.h"

/* The columns of a table on the page, the column that names a row, and the CSS class of each
 * column. */
typedef struct shown_table {
    const mp_table *table;
    size_t *columns, count;
    const char **classes; /* class of each of `columns` */
    size_t name;          /* index in `columns` of the column that names a row; SIZE_MAX = none */
} shown_table;

static bool is_note(const mp_column *column)
{
    return column->unit == MP_LIST && column->flags & MP_BELOW;
}

/* Return the length of the longest text of a column, in bytes. `figures`: set to true if all texts
 * are amounts, such as "+9.9 KiB". */
static size_t longest_text(const mp_table *table, size_t column, bool *figures)
{
    const mp_column *as = &table->columns[column];
    size_t longest = 0;
    *figures = true;
    for (size_t row = 0; row < table->row_count; row++) {
        const mp_cell cell = mp_table_cell(table, row, column);
        const char *text = cell.known && as->unit == MP_TEXT ? cell.text : "";
        const char *first = text + (*text == '+' || *text == '-');
        const char *end = first + strspn(first, "0123456789.,:");
        longest = strlen(text) > longest ? strlen(text) : longest;
        *figures &= !*text || (end > first && (!*end || *end == ' '));
    }
    return longest;
}

static const char *class_of(const mp_table *table, size_t column)
{
    enum { WORDS = 20 };
    const mp_column *as = &table->columns[column];
    bool figures;
    if (!mp_unit_is_text(as->unit))
        return "n"; /* number */
    if (as->flags & MP_SHORTEN || as->unit == MP_LIST)
        return as->flags & MP_SHORTEN ? "c" : "long"; /* name; list */
    if (longest_text(table, column, &figures) > WORDS)
        return "long";          /* sentences */
    return figures ? "r" : "s"; /* amounts as text; short texts, which are not wrapped */
}

static shown_table shown_table_of(const mp_table *table)
{
    shown_table shown = {.table = table,
                         .columns = mp_alloc((table->column_count + 1) * sizeof(size_t)),
                         .classes = mp_alloc((table->column_count + 1) * sizeof(char *)),
                         .name = SIZE_MAX};
    for (size_t i = 0; i < table->column_count; i++) {
        const mp_column *column = &table->columns[i];
        if (!mp_column_is_shown(table, i) || !mp_column_is_known(table, i) || is_note(column))
            continue;
        if (column->unit == MP_LIST || (column->unit == MP_TEXT && column->flags & MP_SHORTEN))
            shown.name = shown.count;
        shown.classes[shown.count] = class_of(table, i);
        shown.columns[shown.count++] = i;
    }
    return shown;
}

/* Return the longest list of a row under this column's title. A stack in the column for people may
 * be cut; then a column for programs with the same title has more callers. */
static const mp_cell *whole_list(const mp_table *table, const mp_cell *row, size_t column)
{
    const mp_cell *whole = &row[column];
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].unit == MP_LIST && table->columns[i].flags & MP_FOR_PROGRAMS &&
            strcmp(table->columns[i].title, table->columns[column].title) == 0 && row[i].known &&
            row[i].count > whole->count)
            whole = &row[i];
    return whole;
}

/* Print the innermost frame; its callers unfold. */
static void put_list(mp_page *page, const mp_table *table, const mp_cell *row, size_t column)
{
    enum { FRAMES = 48 };
    const mp_cell *cell = &row[column], *whole = whole_list(table, row, column);
    const char *first = cell->count ? cell->list[0] : cell->text ? cell->text : "";
    int64_t shown = whole->count < FRAMES ? whole->count : FRAMES;
    if (shown < 2) {
        mp_page_text(page, first);
        return;
    }
    mp_page_put(page, "<details><summary>", first, "</summary><ol>");
    for (int64_t i = strcmp(whole->list[0], first) == 0; i < shown; i++)
        mp_page_put(page, "<li>", whole->list[i], "");
    fputs("</ol>", page->file);
    if (mp_list_length(whole) > shown)
        fprintf(page->file, "<p>and %" PRId64 " more</p>", mp_list_length(whole) - shown);
    fputs("</details>", page->file);
}

static void put_notes(mp_page *page, const mp_table *table, const mp_cell *row)
{
    for (size_t i = 0; i < table->column_count; i++)
        for (uint32_t j = 0; is_note(&table->columns[i]) && row[i].known && j < row[i].count; j++)
            mp_page_put(page, "<small>", row[i].list[j], "</small>");
}

static bool is_exact(mp_unit unit)
{
    return unit == MP_NUMBER || unit == MP_FLAG || mp_unit_is_text(unit);
}

/* Print a cell. A number that was rounded for people also gets its exact value, by which scripts
 * sort. */
static void put_cell(mp_page *page, const shown_table *shown, size_t place, const mp_cell *row)
{
    const mp_table *table = shown->table;
    const size_t column = shown->columns[place];
    const bool is_name = place == shown->name;
    const mp_column *as = &table->columns[column];
    const mp_cell *cell = &row[column];
    const char *text = mp_cell_for_people(&page->arena, as, cell, page->exact_bytes);
    mp_tone tone = mp_cell_tone(as, text);
    fprintf(page->file, is_name ? "<th scope=\"row\" class=\"%s\"" : "<td class=\"%s\"",
            shown->classes[place]);
    if (!is_exact(as->unit) && cell->known)
        fprintf(page->file, " data-v=\"%s\"", mp_cell_for_programs(&page->arena, as, cell));
    fputc('>', page->file);
    if (tone != MP_TONE_PLAIN)
        fprintf(page->file, "<span class=\"%s\">", mp_page_tones[tone]);
    if (as->unit == MP_LIST && cell->known)
        put_list(page, table, row, column);
    else {
        for (; *text == ' '; text++) /* indentation of a tree */
            fputs("&#160;", page->file);
        mp_page_text(page, text);
    }
    if (is_name)
        put_notes(page, table, row);
    fputs(tone != MP_TONE_PLAIN ? "</span>" : "", page->file);
}

static void put_row(mp_page *page, const shown_table *shown, size_t row)
{
    const mp_table *table = shown->table;
    const mp_cell *cells = mp_table_cells(&page->arena, table, row);
    fputs("<tr>", page->file);
    for (size_t i = 0; i < shown->count; i++)
        put_cell(page, shown, i, cells);
    fputc('\n', page->file);
    mp_arena_free(&page->arena);
}

size_t mp_page_rows(mp_page *page, const mp_table *table, const char *title)
{
    shown_table shown = shown_table_of(table);
    size_t row = 0;
    const long begin = ftell(page->file);
    const long room = page->room / 2;
    mp_page_put(page, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"", title,
                "\">\n<table class=\"rows\">\n<thead><tr>");
    for (size_t i = 0; i < shown.count; i++) {
        const mp_column *column = &table->columns[shown.columns[i]];
        const char *name = *column->title ? column->title : "";
        if (!*name && table->flags & MP_FOR_PROGRAMS)
            name = column->name;
        const bool right = *shown.classes[i] == 'n' || *shown.classes[i] == 'r';
        fprintf(page->file, "<%s%s%s>", *name ? "th scope=\"col\"" : "td", right ? " class=" : "",
                right ? shown.classes[i] : "");
        mp_page_text(page, name);
    }
    fputs("</thead>\n<tbody>\n", page->file);
    long end = ftell(page->file);
    for (; row < table->row_count; row++) {
        put_row(page, &shown, row);
        long position = ftell(page->file);
        if (position - begin > room)
            break;
        end = position;
    }
    if (row < table->row_count)
        fseek(page->file, end, SEEK_SET);
    fputs("</tbody>\n</table>\n</div>\n", page->file);
    page->room -= end - begin;
    free(shown.columns);
    free(shown.classes);
    return row;
}

static void put_record(mp_page *page, const mp_table *table)
{
    fputs("<dl class=\"record\">\n", page->file);
    for (size_t i = 0; i < table->column_count; i++) {
        const mp_column *column = &table->columns[i];
        const mp_cell *cell = &table->cells[i];
        if (!cell->known || !mp_column_is_shown(table, i))
            continue;
        mp_page_put(page, "<div><dt>", column->title, "</dt><dd>");
        if (column->unit == MP_LIST)
            put_list(page, table, table->cells, i);
        else
            mp_page_text(page, mp_cell_for_people(&page->arena, column, cell, page->exact_bytes));
        fputs("</dd></div>\n", page->file);
    }
    fputs("</dl>\n", page->file);
}

void mp_page_table(mp_page *page, const mp_table *table)
{
    const char *title = table->title ? table->title : table->columns[0].title;
    size_t rows = table->row_count;
    fprintf(page->file, "<section id=\"table-%s\">\n", table->name);
    if (table->title)
        mp_page_put(page, "<h2>", table->title, "</h2>\n");
    for (size_t i = 0; i < table->line_count; i++)
        mp_page_put(page, "<p>", mp_line_for_people(&page->arena, &table->lines[i], page->style),
                    "</p>\n");
    if (table->shape == MP_RECORD && table->row_count)
        put_record(page, table);
    else if (table->row_count)
        rows = mp_page_rows(page, table, title);
    else if (table->empty)
        mp_page_put(page, "<p>", table->empty, "</p>\n");
    if (rows < table->row_count)
        fprintf(page->file,
                "<p>and %zu more that the page has no room for (%sformat json has "
                "all)</p>\n",
                table->row_count - rows, page->style->dashes);
    const char *footer = mp_line_for_people(&page->arena, &table->footer, page->style);
    if (*footer)
        mp_page_put(page, "<p>", footer, "</p>\n");
    fputs("</section>\n", page->file);
    mp_arena_free(&page->arena);
}
