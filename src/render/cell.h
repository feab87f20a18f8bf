/* Cells as text, for renderers. */
#ifndef MP_RENDER_CELL_H
#define MP_RENDER_CELL_H

#include "base/memory.h"
#include "render/renderer.h"

/* The cell as people read it; "" where it is not known. A list gives its first text. Lives in the
 * arena or as long as the document. */
const char *mp_cell_for_people(mp_arena *arena, const mp_column *column, const mp_cell *cell,
                               bool exact_bytes);
/* The cell as programs read it: exact, without unit or grouping. A list is joined with " < ". */
const char *mp_cell_for_programs(mp_arena *arena, const mp_column *column, const mp_cell *cell);

/* Return the tone of a cell from its text for people. For everything that memprof measures, more
 * is worse; some columns have words for it. */
mp_tone mp_cell_tone(const mp_column *column, const char *text);

/* The table as people see it. Of a list that is as long as the input makes it, and that the report
 * did not limit, these are the first rows, unless all were asked for. */
mp_table mp_table_for_people(const mp_table *table, const mp_style *style);

/* Return true if a limit of the request left rows out. */
bool mp_rest_is_limited(const mp_rest *rest);
/* A line for people in one text, safe for a terminal; "" if it says nothing. */
const char *mp_line_for_people(mp_arena *arena, const mp_line *line, const mp_style *style);

/* Return a line that names the tables which text leaves out, and how to get them; NULL if it leaves
 * out none. */
const char *mp_more_tables(mp_arena *arena, const mp_document *document, const mp_style *style);

/* Return true if people see the column; return true if any row has a value in it. */
static inline bool mp_column_is_shown(const mp_table *table, size_t column)
{
    return !(table->columns[column].flags & MP_FOR_PROGRAMS);
}
/* Return true if the column's name ends with `ending`; return true if its lists are stacks,
 * which may be cut. */
bool mp_column_is_called(const mp_column *column, const char *ending);
bool mp_column_is_stack(const mp_column *column);
bool mp_column_is_known(const mp_table *table, size_t column);
/* Words, to the left of their column; numbers are to the right. */
static inline bool mp_unit_is_text(mp_unit unit)
{
    return unit == MP_TEXT || unit == MP_LIST || unit == MP_FLAG;
}

/* Text that shows all it has and does nothing to a terminal: control characters as \x1b, others
 * that cannot be seen as \u{202e}. Returns `text` itself where it has none. */
const char *mp_safe_text(mp_arena *arena, const char *text);
/* Columns on a terminal; one for each character whose width is not known. */
size_t mp_text_width(const char *text);
/* Those of the character at `*p`, which is not the end; `*p` then stands behind it. */
size_t mp_next_width(const char **p);

#endif
