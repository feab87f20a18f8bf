/* Renderers: one const struct an output format of any answer, one line in
 * src/export/formats.def. */
#ifndef MP_RENDER_RENDERER_H
#define MP_RENDER_RENDERER_H

#include <stdio.h>

#include "base/error.h"
#include "document/document.h"
#include "memprof/diagnostics.h"

/* Rows of a table in a small answer. */
enum { MP_BRIEF_ROWS = 5 };

#define MP_ROW_NAMES SIZE_MAX

typedef struct mp_style {
    unsigned width; /* columns that a line for people may have; 0: any, and nothing is cut */
    bool colour;    /* escape sequences */
    bool terminal;  /* somebody sees it: names do nothing to the screen, whatever the format */
    bool whole;     /* lists that no limit is about have all their rows */
    bool brief;     /* the answer alone, and little of each table; if the format can be brief */
    /* How the user writes an argument of the request, in front of its name ("--"). */
    const char *dashes;
    /* Command line that reproduces this answer; NULL: it was not asked from a shell. */
    const char *command;
    /* Command line that shows more of what was found; NULL: none. */
    const char *next;
    /* Command line that opens the interactive view, printed if rows are left out; NULL: none. */
    const char *around;
} mp_style;

typedef struct mp_renderer {
    const char *name;
    const char *summary;
    const char *ending; /* ending of files that selects this format: ".svg"; NULL: none */
    bool for_programs;  /* exact and whole: tables are not cut unless the user asks for it */
    bool can_be_brief;
    bool of_checks; /* shows nothing but rules and limits */
    bool for_tools; /* another tool's file of one kind of answer, which the command export asks for
                     */
    int64_t rows;   /* at least so many of a table, where nobody asks for fewer; 0: the report's */
    bool draws;     /* shows figures: reports are to make them */
    const char
        *command; /* the only one whose documents have what it shows, or "A or B"; NULL: any has */
    /* Arguments of the report that mean nothing to it, NULL last; NULL: none. */
    const char *const *unused;
    /* Print the document. `diagnostics` goes into formats that programs read. False if it does not
     * have what this format shows: then nothing was printed, and `error` says why. */
    bool (*render)(const mp_document *document, const mp_diagnostics *diagnostics,
                   const mp_style *style, FILE *out, mp_error *error);
    /* Print one row of the main table as a line of its own, or, as row MP_ROW_NAMES, what stands
     * above all rows: of an answer that goes on. NULL: the format has no such lines. */
    void (*put_row)(const mp_document *document, size_t row, const mp_style *style, FILE *out);
} mp_renderer;

#endif
