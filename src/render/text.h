/* Text as the renderer "text" prints it, for who shows it a line at a time and has to know what
 * each line is of. */
#ifndef MP_RENDER_TEXT_H
#define MP_RENDER_TEXT_H

#include "render/renderer.h"

/* The escape sequences of its colours: MP_TEXT_PLAIN ends each of the others, and an answer has no
 * others. None of them is the only sign of what it says. */
#define MP_TEXT_BOLD "\033[1m"
#define MP_TEXT_FAINT "\033[2m"
#define MP_TEXT_UNDERLINED "\033[4m"
#define MP_TEXT_WORSE "\033[31m"
#define MP_TEXT_BETTER "\033[36m"
#define MP_TEXT_WARNING "\033[35m"
#define MP_TEXT_PLAIN "\033[0m"

#define MP_ROW_NONE (SIZE_MAX - 1)

typedef struct mp_text_guide {
    void *opaque;
    /* Report that the following output belongs to this row of this table, and to this text of a
     * list, counted from 0; 0 is also the row itself. Row MP_ROW_NAMES stands for the column
     * titles, MP_ROW_NONE for everything else of the table. The table is NULL outside all
     * tables. */
    void (*position)(void *opaque, const mp_table *table, size_t row, size_t text);
    /* How many callers are shown below the row, in place of as many as the table has. */
    size_t (*depth)(void *opaque, const mp_table *table, size_t row);
    const char *wider; /* key or option that shows the columns left out: "w" */
} mp_text_guide;

/* Print the document as the renderer does. */
void mp_text_guided(const mp_document *document, const mp_style *style, const mp_text_guide *guide,
                    FILE *file);

#endif
