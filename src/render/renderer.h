/* Renderers. Each is a const struct for one output format of answers, and a line in
 * src/export/formats.def. */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "document/document.h"
#include "memprof/diagnostics.h"

/* Maximum rows of a table in a brief answer. */
enum { MP_BRIEF_ROWS = 5 };

#define MP_ROW_NAMES SIZE_MAX

typedef struct mp_style {
    unsigned width; /* columns of a line for people; 0 = unlimited, nothing is cut */
    bool colour;    /* use escape sequences */
    /* The output is a terminal: replace characters in names that would affect it, in any format. */
    bool terminal;
    bool whole; /* show all rows of lists that no option limits */
    bool brief; /* print the summary and few rows of each table, if the format can */
    /* Prefix of argument names in the user's interface ("--"). */
    const char *dashes;
    /* Command line that reproduces this answer; NULL = it does not come from a command line. */
    const char *command;
    /* Command line that shows more details; NULL = none. */
    const char *next;
    /* Command line that opens the interactive view, printed if rows are left out; NULL = none. */
    const char *around;
} mp_style;

typedef struct mp_renderer {
    const char *name;
    const char *summary;
    const char *ending; /* file name extension that selects this format: ".svg"; NULL = none */
    bool for_programs;  /* exact and complete: tables are cut only if the user asks for it */
    bool can_be_brief;
    bool of_checks;     /* shows only rules and limits */
    bool needs_receipt; /* lacks the summary, so its first line is printed elsewhere */
    /* File for another tool, written by the command export, from one kind of answer. */
    bool for_tools;
    int64_t rows;        /* minimum default limit of rows; 0 = the report's default */
    bool draws;          /* shows figures, so reports add them */
    const char *command; /* commands whose documents it can show, as "A, B or C"; NULL = any */
    /* Arguments of the report that have no effect in this format; NULL ends the list. NULL = there
     * are none. */
    const char *const *unused;
    /* Print the document. Formats for programs include `diagnostics`. If the document lacks the
     * data that this format shows, print nothing, and return false with the reason in `error`. */
    bool (*render)(const mp_document *document, const mp_diagnostics *diagnostics,
                   const mp_style *style, FILE *out, mp_error *error);
    /* Print one row of the main table as a line, for answers that are continued. Row MP_ROW_NAMES
     * prints the header. NULL = the format has no such lines. */
    void (*put_row)(const mp_document *document, size_t row, const mp_style *style, FILE *out);
} mp_renderer;
