/* A page in the making: html.c puts it together, figures.c draws what is in it. */
#ifndef MP_RENDER_HTML_PAGE_H
#define MP_RENDER_HTML_PAGE_H

#include "base/memory.h"
#include "document/document.h"
#include "render/renderer.h"

typedef struct mp_page {
    FILE *file; /* in memory: what turns out to be too much is taken back */
    const mp_style *style;
    bool exact_bytes;
    long room;      /* bytes that tables may still take */
    mp_arena arena; /* texts of the piece at hand */
} mp_page;

/* Write the figures as JSON, for scripts to draw, sort and compare, in an element that is not
 * executed. */
void mp_page_data(mp_page *page, const mp_document *document);

/* A text, between tags or in an attribute, so that nothing in it does anything. */
void mp_page_text(mp_page *page, const char *text);

#endif
