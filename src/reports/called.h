/* Resolve a name given by the user to callables of a recording. Users write shorter names than
 * recordings have, and may append a line. */
#pragma once

#include "document/document.h"
#include "query/calls.h"

typedef struct mp_called {
    mp_document *document;
    const mp_model *model;
    const mp_calls *calls; /* NULL until mp_called_find */
    const char *word; /* name as the user wrote it; NULL = the callable with the highest own cost */
    const char *code; /* name without the line */
    bool of_bytes;    /* costs are bytes, so there is no session to exclude */
    bool has_line;    /* the word ends in a line number, `line`, and does not match a callable as a
                         whole */
    int32_t line;
    /* Flag of each callable: true if anything is known about the line. NULL: unknown */
    const bool *at_line;
    uint32_t *places; /* places of the matching callables, the most expensive first */
    size_t count;
} mp_called;

/* Begin to resolve a word, which may be NULL. The result says if the word may end with a line, so
 * that the caller knows which costs mp_calls must contain. */
mp_called mp_called_begin(mp_document *document, const mp_model *model, const char *word,
                          bool of_bytes);
/* Find the callables that the word names. If there are none, return false with an error that
 * suggests names. Release with mp_called_free in either case. */
bool mp_called_find(mp_called *called, const mp_calls *calls, mp_error *error);
void mp_called_free(mp_called *called);
