/* A page of the browser: an answer as lines of text, a cursor on one of them, and the state of its
 * tables (open and folded rows, order). It is independent of the terminal. */
#pragma once

#include "session/terminal.h"

/* A line of the text, and the row or frame that it shows. */
typedef struct browse_line {
    size_t from, length; /* position in the text, in bytes */
    /* Indexes in the document, in the order of the report. Special values are MP_ROW_NONE and
     * others. */
    size_t table, row;
    size_t frame; /* frame in the row's list; 0 = the row itself */
    bool begins;  /* a row or frame begins in this line, so the cursor may be on it */
} browse_line;

/* How one table is shown. */
typedef struct browse_table {
    size_t *order; /* visible rows of the document, in their order */
    size_t count;
    bool *open;   /* indexed by row: its stack is shown */
    bool *folded; /* indexed by row: deeper rows are hidden */
    size_t depth; /* column that holds the tree level; the number of columns = not a tree */
    /* Column by which rows are sorted; the number of columns = order of the report. */
    size_t sorted_by;
    bool turned; /* sorted in reverse order */
} browse_table;

typedef struct browse_page {
    mp_document *document; /* belongs to the page */
    browse_table *tables;
    unsigned columns, rows; /* size of the screen, in characters */
    bool wide;              /* lines are not cut; the page scrolls sideways */
    bool colour;
    char *text;
    browse_line *lines;
    size_t line_count, line_capacity;
    size_t cursor; /* line of the cursor */
    size_t top;    /* first visible line */
    size_t left;   /* number of columns scrolled out at the left */
} browse_page;

/* Begin a page. It then owns the document. Release with browse_page_free. */
void browse_page_begin(browse_page *page, mp_document *document, unsigned rows, unsigned columns,
                       bool colour);
void browse_page_free(browse_page *page);

/* Adapt the page to a new screen size. `wide`: show lines uncut. */
void browse_page_resize(browse_page *page, unsigned rows, unsigned columns);
void browse_page_set_wide(browse_page *page, bool wide);

/* Move the cursor by a number of rows, scroll by a number of lines, or go to the first or last
 * row. */
void browse_page_move(browse_page *page, long by);
void browse_page_scroll(browse_page *page, long by);
void browse_page_to_end(browse_page *page, bool last);
/* Put the cursor on the row at a line of the screen. Return false if there is none. */
bool browse_page_point(browse_page *page, unsigned line);
/* Scroll sideways, if the lines of the page are not cut. */
void browse_page_shift(browse_page *page, long by);

/* Return the line under the cursor; NULL if it is not on a row. */
const browse_line *browse_page_at(const browse_page *page);
/* Return a cell of the row under the cursor, by the column's name, as text for programs. NULL: its
 * value is unknown, or there is no such column. */
const char *browse_page_cell(mp_arena *arena, const browse_page *page, const char *column);
/* Return the stack (or another list) of the row under the cursor; an unknown cell if it has
 * none. */
mp_cell browse_page_stack(const browse_page *page);

/* Open or close the stack or the branch of the row under the cursor. Return false if nothing
 * changed. */
bool browse_page_open(browse_page *page, bool open);
/* Open or close the stacks or branches of all rows of the table under the cursor. Return true if
 * the row under the cursor is open. */
bool browse_page_open_all(browse_page *page, bool open);
bool browse_page_is_open(const browse_page *page);

/* Sort the table under the cursor by a column. If it is already sorted by this column, reverse the
 * order. The number of columns stands for the order of the report. Return false if the table's
 * order must not change. */
bool browse_page_sort(browse_page *page, size_t column);

/* Go to the next row or frame in this direction that contains the text; case is ignored. If it is
 * in a closed stack, open the stack. Return false if there is none. */
bool browse_page_find(browse_page *page, const char *text, bool forward);

/* Return the number of title lines above the visible part that belong to its first line. Set
 * `first` to the first of them. They are drawn over the top of the visible part. 0 = there are
 * none. */
size_t browse_page_titles(const browse_page *page, size_t *first);
/* Return the text of a line, without the line end. */
const char *browse_page_text(const browse_page *page, size_t line, size_t *length);
/* Return the number of screen lines for the page. */
unsigned browse_page_height(const browse_page *page);

/* --- for browse_page.c and browse_move.c --- */

/* Make the text and its lines again; the cursor stays on its row. */
void browse_page_make(browse_page *page);
/* Return the line where the same row or frame begins. If the frame has no line, return the line of
 * the nearest frame of the row. SIZE_MAX if there is none. */
size_t browse_page_line_of(const browse_page *page, const browse_line *was);
/* Scroll until the cursor is visible, and show as few empty lines as possible after the end. */
void browse_page_follow(browse_page *page);
/* Return the column of the lists that open below rows; the number of columns if there is none. */
size_t browse_list_column(const mp_table *table);
