/* Lists of entries in the making: no two of one key. */
#ifndef MP_COMPARE_ENTRIES_H
#define MP_COMPARE_ENTRIES_H

#include "base/index.h"
#include "compare/digest.h"

/* The place of the key's entry, made without amounts if it is new. `index` belongs to the list
 * and is released by the caller. */
size_t mp_entry_for(mp_entries *entries, mp_hash_index *index, mp_entry_key key);

#endif
