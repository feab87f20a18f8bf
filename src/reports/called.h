/* Resolve a name written by the user among all names that a recording calls: people use shorter
 * names than recordings do, and may append a line. */
#ifndef MP_REPORTS_CALLED_H
#define MP_REPORTS_CALLED_H

#include "document/document.h"
#include "query/calls.h"

typedef struct mp_called {
    mp_document *document;
    const mp_model *model;
    const mp_calls *calls; /* NULL: not found yet */
    const char *word;      /* as it was written; NULL: what costs most by itself */
    const char *code;      /* without its line */
    bool of_bytes;         /* no session is in the way of what costs most */
    bool has_line;         /* the line is meant: nothing is called as the whole of it */
    int32_t line;
    bool *twins;      /* flag of each callable: others have its name */
    uint32_t *places; /* places of the matching callables, the costliest first */
    size_t count;
} mp_called;

/* The word may be NULL. Whether it has a line is known by now, and what costs can be worked out. */
mp_called mp_called_begin(mp_document *document, const mp_model *model, const char *word,
                          bool of_bytes);
/* Find what it means, at least one; false with an error that says what there is. Release with
 * mp_called_free in each case. */
bool mp_called_find(mp_called *called, const mp_calls *calls, mp_error *error);
void mp_called_free(mp_called *called);

/* A callable for people: "save shop.Order (from 20)" where others have its name. */
const char *mp_called_name(const mp_called *called, uint32_t place);

#endif
