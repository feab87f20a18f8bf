/* Lists of entries in the making: no two of one meaning. */
#ifndef MP_COMPARE_ENTRIES_H
#define MP_COMPARE_ENTRIES_H

#include "memprof/digest.h"
#include "support/index.h"

/* The place of the meaning's entry, made without amounts if it is new. `index` belongs to the list
 * and is released by the caller. */
size_t mp_entry_for(mp_entries *entries, mp_hash_index *index, mp_meaning meaning);

#endif
