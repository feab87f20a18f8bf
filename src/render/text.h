/* Text of the renderer "text", for programs that show it line by line and need to know what each
 * line shows. */
#pragma once

#include "render/renderer.h"

/* Escape sequences of the colours. MP_TEXT_PLAIN ends each of the others. An answer contains no
 * other sequences. No difference is shown by colour alone. */
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
     * list. Texts are counted from 0; the row itself is also reported as text 0. Row MP_ROW_NAMES
     * means the column titles, MP_ROW_NONE all other parts of the table. The table is NULL outside
     * all tables. */
    void (*position)(void *opaque, const mp_table *table, size_t row, size_t text);
    /* Return the number of callers to show below the row. It replaces the table's list_depth. */
    size_t (*depth)(void *opaque, const mp_table *table, size_t row);
    const char *wider; /* key or option that shows the columns left out: "w" */
} mp_text_guide;

/* Print the document like the renderer "text", and report positions to the guide. */
void mp_text_guided(const mp_document *document, const mp_style *style, const mp_text_guide *guide,
                    FILE *file);
