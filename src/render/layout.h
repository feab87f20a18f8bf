/* Choose the columns of a table for people, and their widths.
 *
 * Without a width nothing is cut, and the columns do not depend on the rows. With a width, these
 * steps are taken in order until a line fits:
 *
 * 1. remove columns without values;
 * 2. narrow names, the widest first, to 30 columns (24 each if there are several);
 * 3. move stacks and sentences to lines below the row;
 * 4. remove columns of numbers and minor words: first those marked MP_MINOR, then the rank, then
 * the others, each time the rightmost. The first number stays, as do numbers that identify a line
 * or an object;
 * 5. narrow names further, then other words, and wrap texts that are too long;
 * 6. remove columns of other words, and of numbers that identify a line, from the right. */
#pragma once

#include "render/cell.h"

typedef struct mp_text_column {
    const mp_column *as;
    size_t width;       /* width of the widest line or of the title, after fitting */
    size_t whole;       /* width before fitting */
    const char *title;  /* title, wrapped into lines */
    const char **texts; /* text of each row, wrapped into lines */
} mp_text_column;

/* Layout of a table, allocated in the arena. */
typedef struct mp_layout {
    mp_text_column *columns;
    size_t count;
    bool below; /* lists and sentences are printed on lines below the row */
    bool cut;   /* columns with values were removed */
} mp_layout;

/* Return the layout for lines of `width` columns; 0 = unlimited. MP_GAP blanks precede each column,
 * including the first. */
mp_layout mp_layout_of(mp_arena *arena, const mp_table *table, size_t width, bool exact_bytes);
enum { MP_GAP = 2 };
