/* The description line of an execution profile. */
#ifndef MP_READERS_PRF_HEADER_H
#define MP_READERS_PRF_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/slice.h"

/* All slices borrow from the line or from the arena that was given to prf_header_parse. */
typedef struct prf_header {
    uint64_t version;
    mp_slice date, description, time, user;
    mp_slice extra; /* from version 3: what looks like JSON and is none */
} prf_header;

/* False if the line is no description. Any version is accepted: the caller judges it. */
bool prf_header_parse(mp_slice line, mp_arena *scratch, prf_header *header);

/* TotTime in microseconds; -1 where there is none. */
int64_t prf_header_total(mp_slice extra);

/* The number behind a key; -1: there is none. */
int64_t prf_header_number(mp_slice extra, const char *key);

/* The last value of a key that is a string and not empty; the empty slice if there is none. */
mp_slice prf_header_text(mp_slice extra, const char *key);

#endif
