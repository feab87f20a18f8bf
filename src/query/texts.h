/* Texts that many patterns are held against: those that have what a pattern must have are found by
 * three bytes in a row. */
#ifndef MP_QUERY_TEXTS_H
#define MP_QUERY_TEXTS_H

#include <stdint.h>

#include "base/memory.h"
#include "base/slice.h"

/* Zero-initialise to start; release with mp_texts_free. The texts are borrowed. */
typedef struct mp_texts {
    const char **items;
    uint32_t *owners; /* id that each text was added with */
    size_t count, capacity, of_capacity;
    size_t bytes, asked;
    uint32_t *first;  /* start of each bucket in `posted`, and the end; NULL: not made yet */
    uint32_t *posted; /* texts, by bucket, ascending */
} mp_texts;

/* Before the first question. */
void mp_texts_add(mp_texts *texts, const char *text, uint32_t id);
void mp_texts_free(mp_texts *texts);

/* Places of texts, among them all that have the core; some twice. `items` NULL: all are, as where
 * one question is asked, or the texts are very long. */
typedef struct mp_some_texts {
    const uint32_t *items;
    size_t count;
} mp_some_texts;
mp_some_texts mp_texts_with(mp_texts *texts, mp_slice core);

#endif
