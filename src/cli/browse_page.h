/* A page of the browser: one answer as lines of text, a cursor on one of them, and what of it is
 * open, folded and in which order. It knows no terminal. */
#ifndef MP_CLI_BROWSE_PAGE_H
#define MP_CLI_BROWSE_PAGE_H

#include "session/terminal.h"

/* A line of the text, and what it is of. */
typedef struct browse_line {
    size_t from, length; /* in the text */
    size_t table, row; /* place in the document as the report made it; MP_ROW_NONE and others too */
    size_t frame;      /* frame in the row's list; 0: the row itself */
    bool begins;       /* a row or a frame: the cursor may stand here */
} browse_line;

/* How one table is shown. */
typedef struct browse_table {
    size_t *order; /* rows of the document, as they are shown */
    size_t count;
    bool *open;       /* by row: its stack is shown */
    bool *folded;     /* by row: what is deeper is not shown */
    size_t depth;     /* the column of a tree's levels; the count of columns: it is none */
    size_t sorted_by; /* a column; the count of columns: as the report has it */
    bool turned;      /* sorted the other way round */
} browse_table;

typedef struct browse_page {
    mp_document *document; /* its own */
    browse_table *tables;
    unsigned columns, rows; /* size of the screen that it is shown on */
    bool wide;              /* nothing is cut, and it is moved sideways */
    bool colour;
    char *text;
    browse_line *lines;
    size_t line_count, line_capacity;
    size_t cursor; /* a line */
    size_t top;    /* the first line that is seen */
    size_t left;   /* so many columns are to the left of what is seen */
} browse_page;

/* A page takes over the document. Release with browse_page_free. */
void browse_page_begin(browse_page *page, mp_document *document, unsigned rows, unsigned columns,
                       bool colour);
void browse_page_free(browse_page *page);

/* Show it on a screen of another size. */
void browse_page_resize(browse_page *page, unsigned rows, unsigned columns);
void browse_page_set_wide(browse_page *page, bool wide);

/* Move the cursor by so many rows, the view by so many lines, or to an end. */
void browse_page_move(browse_page *page, long by);
void browse_page_scroll(browse_page *page, long by);
void browse_page_to_end(browse_page *page, bool last);
/* Put the cursor on the row that is seen at a line of the screen. False where none is. */
bool browse_page_point(browse_page *page, unsigned line);
/* Move sideways; of a page that is not wide, nothing happens. */
void browse_page_shift(browse_page *page, long by);

/* Return the line under the cursor. NULL: it is on no row. */
const browse_line *browse_page_at(const browse_page *page);
/* A cell of the row that the cursor is on, by the column's name, as programs read it; NULL where it
 * has none that is known. */
const char *browse_page_cell(mp_arena *arena, const browse_page *page, const char *column);
/* The stack of the row, or what else is listed for it; NULL: it has none. */
const mp_cell *browse_page_stack(const browse_page *page);

/* Open the row's stack or unfold its branch, or the opposite. False where there is nothing to open
 * or to close. */
bool browse_page_open(browse_page *page, bool open);
/* The same of all rows of the table that the cursor is in. */
bool browse_page_open_all(browse_page *page, bool open);
bool browse_page_is_open(const browse_page *page);

/* Order the table that the cursor is in by a column, the other way round if it is by that already;
 * the count of columns: as the report has it. False where its order means something. */
bool browse_page_sort(browse_page *page, size_t column);

/* Go to the next row or frame, in this direction, that has the text in it, upper or lower case, and
 * open its stack where it is there. False where none has. */
bool browse_page_find(browse_page *page, const char *text, bool forward);

/* Lines of the titles of columns that the first line that is seen stands below, where those are
 * above it: they are shown in its place. 0: none. */
size_t browse_page_titles(const browse_page *page, size_t *first);
/* A text of the line, without its end. */
const char *browse_page_text(const browse_page *page, size_t line, size_t *length);
/* So many lines are for the page; the others are for what is around it. */
unsigned browse_page_height(const browse_page *page);

/* --- for its own files --- */

/* Make the text and its lines anew; the cursor stays on its row. */
void browse_page_make(browse_page *page);
/* The line where the same row or frame begins, or the nearest of its row; SIZE_MAX: none does. */
size_t browse_page_line_of(const browse_page *page, const browse_line *was);
/* See the cursor, and no more empty lines below the end than there must be. */
void browse_page_follow(browse_page *page);
/* The column of lists that are opened below their rows; the count of columns: there is none. */
size_t browse_list_column(const mp_table *table);

#endif
