/* Cells as text, for renderers. */
#pragma once

#include "base/memory.h"
#include "render/renderer.h"

/* Return the cell's text for people; "" if it is unknown. For a list it is the first text. It
 * belongs to the arena or the document. */
const char *mp_cell_for_people(mp_arena *arena, const mp_column *column, const mp_cell *cell,
                               bool exact_bytes);
/* Return the cell's text for programs: exact, without unit or grouping. Texts of a list are joined
 * with " < ". */
const char *mp_cell_for_programs(mp_arena *arena, const mp_column *column, const mp_cell *cell);

/* Return the tone of a cell, from its text for people. An increase is worse and a decrease better;
 * in columns with MP_TONED, words have tones. */
mp_tone mp_cell_tone(const mp_column *column, const char *text);

/* Return the table as people see it. If the report did not limit the number of its rows, only the
 * first ones are kept, unless style->whole is set. */
mp_table mp_table_for_people(const mp_table *table, const mp_style *style);

/* Return true if a limit of an option left out the rows. */
bool mp_rest_is_limited(const mp_rest *rest);
/* Return a line for people as text that is safe for a terminal; "" if it is empty. */
const char *mp_line_for_people(mp_arena *arena, const mp_line *line, const mp_style *style);

/* Return a line that names the tables left out of the text, and says how to get them; NULL if none
 * is left out. */
const char *mp_more_tables(mp_arena *arena, const mp_document *document, const mp_style *style);

/* Return true if people see the column. */
static inline bool mp_column_is_shown(const mp_table *table, size_t column)
{
    return !(table->columns[column].flags & MP_FOR_PROGRAMS);
}
/* Return true if the column's name ends with `ending`. */
bool mp_column_is_called(const mp_column *column, const char *ending);
/* Return true if the column's lists are stacks, which may be cut. */
bool mp_column_is_stack(const mp_column *column);
/* Return true if the column has a value in any row. */
bool mp_column_is_known(const mp_table *table, size_t column);
/* Return true for units whose texts are aligned left; numbers are aligned right. */
static inline bool mp_unit_is_text(mp_unit unit)
{
    return unit == MP_TEXT || unit == MP_LIST || unit == MP_FLAG;
}

/* Return the text with control characters written as \x1b, and other invisible characters as
 * \u{202e}, so that it cannot affect a terminal. Returns `text` itself if there are none. */
const char *mp_safe_text(mp_arena *arena, const char *text);
/* Return the width of a text in terminal columns. Characters of unknown width count as one
 * column. */
size_t mp_text_width(const char *text);
/* Return the width of the character at `*p`, and advance `*p` past it. `*p` must not be at the
 * end. */
size_t mp_next_width(const char **p);
