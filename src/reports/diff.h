/* What the parts of a diff share. */
#ifndef MP_REPORTS_DIFF_H
#define MP_REPORTS_DIFF_H

#include "memprof/digest.h"
#include "reports/sections.h"

typedef struct diff_context {
    const mp_meanings *meanings;
    mp_kind kind;
    unsigned knows; /* what both sides know */
    mp_grain grain;
    const char *by; /* what the grain is called */
} diff_context;

/* The list that entries are compared by if the user says so; MP_GRAIN_GROUP: recordings of this
 * kind have no list of this name. */
mp_grain mp_grain_asked(mp_kind kind, const char *by);

/* The table "diff": what changed, as large as the view asks for; `rows`: at most so many, 0: all.
 */
void mp_section_differences(mp_document *document, const diff_context *context,
                            const mp_differences *differences, const mp_view *view, size_t rows);

#endif
