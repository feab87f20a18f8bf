/* Texts that are matched against many patterns. A pattern requires some three successive bytes, by
 * which an index finds the texts that may match. */
#pragma once

#include <stdint.h>

#include "base/memory.h"
#include "base/slice.h"

/* Indexed texts, which are borrowed. Zero-initialise; release with mp_texts_free. */
typedef struct mp_texts {
    const char **items;
    uint32_t *owners; /* id with which each text was added */
    size_t count, capacity, of_capacity;
    size_t bytes, asked;
    uint32_t *first;  /* start of each bucket in `posted`, and the end; NULL: no index yet */
    uint32_t *posted; /* indexes of texts by bucket, ascending */
} mp_texts;

/* Add a text. Must be called before the first mp_texts_with. */
void mp_texts_add(mp_texts *texts, const char *text, uint32_t id);
void mp_texts_free(mp_texts *texts);

/* Indexes of texts. They include all texts that contain the core; an index may occur twice. `items`
 * NULL: all texts, because only one question was asked, or because the texts are very long. */
typedef struct mp_some_texts {
    const uint32_t *items;
    size_t count;
} mp_some_texts;
mp_some_texts mp_texts_with(mp_texts *texts, mp_slice core);
