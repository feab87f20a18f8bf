/* What the parts of a diff share. */
#ifndef MP_REPORTS_DIFF_H
#define MP_REPORTS_DIFF_H

#include "compare/digest.h"
#include "reports/sections.h"

typedef struct diff_call {
    const mp_dictionary *dictionary;
    mp_kind kind;
    unsigned has; /* what both sides know */
    mp_level level;
    const char *by; /* what the level is called */
} diff_call;

/* The list that entries are compared by if the user says so; MP_LEVEL_GROUP: recordings of this
 * kind have no list of this name. */
mp_level mp_level_asked(mp_kind kind, const char *by);

/* The table "diff": what changed, as large as the view asks for; `rows`: at most so many, 0: all.
 */
void mp_section_differences(mp_document *document, const diff_call *opaque,
                            const mp_differences *differences, const mp_view *view, size_t rows);

#endif
