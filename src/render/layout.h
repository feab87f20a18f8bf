/* Which columns of a table people see, and how wide each is.
 *
 * Without a width nothing is cut, and the columns are those of the table, whatever its rows hold.
 * In a width, in this order, until the line fits:
 *
 * 1. columns without a value go;
 * 2. names give room, first those that have most of it, down to 30 columns (24 each where there are
 *    several);
 * 3. a stack or a sentence leaves its row and stands below it;
 * 4. columns of numbers and minor words go: first those marked MP_MINOR, then the rank, then the
 *    others, each time the rightmost; the first number stays, as do numbers that say which line or
 *    object it is;
 * 5. names give more, then other words; what is too long for its column goes on in a next line;
 * 6. columns of other words, and of numbers that say which line it is, go from the right. */
#ifndef MP_RENDER_LAYOUT_H
#define MP_RENDER_LAYOUT_H

#include "render/cell.h"

typedef struct mp_text_column {
    const mp_column *as;
    size_t width;       /* width of the widest text or of the title, as they fit */
    size_t whole;       /* the same without a cut */
    const char *title;  /* as it fits: its lines */
    const char **texts; /* by row, as they fit: their lines */
} mp_text_column;

/* Lives in the arena. */
typedef struct mp_layout {
    mp_text_column *columns;
    size_t count;
    bool below; /* lists and sentences begin on lines of their own, and have no column */
    bool cut;   /* columns with values have gone */
} mp_layout;

/* `width`: of a line; 0: any. Two columns stand between columns, and in front of the first. */
mp_layout mp_layout_of(mp_arena *arena, const mp_table *table, size_t width, bool exact_bytes);
enum { MP_GAP = 2 };

#endif
