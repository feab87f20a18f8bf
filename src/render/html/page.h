/* State of a page while it is written: html.c writes the page, html_table.c its tables,
 * html_data.c the data of its figures. */
#pragma once

#include "base/memory.h"
#include "document/document.h"
#include "render/renderer.h"

typedef struct mp_page {
    FILE *file; /* stream in memory, so that output beyond a limit can be removed again */
    const mp_style *style;
    bool exact_bytes;
    long room;      /* bytes left for tables */
    mp_arena arena; /* texts of the current part */
} mp_page;

/* Write the figures as JSON, for scripts to draw, sort and compare, in an element that is not
 * executed. */
void mp_page_data(mp_page *page, const mp_document *document);

/* Write a text, between tags or in an attribute, with all mark-up in it escaped. */
void mp_page_text(mp_page *page, const char *text);
/* Write a text between two pieces of mark-up. */
void mp_page_put(mp_page *page, const char *before, const char *text, const char *behind);
/* Classes of the style sheet, by tone. */
extern const char *const mp_page_tones[];

/* Write a table with its title, lines and footer. */
void mp_page_table(mp_page *page, const mp_table *table);
/* Print rows until the table has used half of the bytes left for tables. Return their number. */
size_t mp_page_rows(mp_page *page, const mp_table *table, const char *title);
