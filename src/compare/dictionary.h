/* What digests and their matching need of a dictionary and of keys beyond digest.h. */
#ifndef MP_COMPARE_DICTIONARY_H
#define MP_COMPARE_DICTIONARY_H

#include "compare/digest.h"

/* The key's entry, made without amounts if it is new. Valid until the next one. */
mp_entry *mp_entry_for(mp_entries *entries, mp_entry_key key);
void mp_entries_free(mp_entries *entries);

/* Of each frame its family: frames of one family have the same names up to the root, whatever
 * their lines are. Release with free(). */
uint32_t *mp_key_families(const mp_dictionary *dictionary);

/* By type, program, name, then stack: the outermost frame that differs decides, by its name, then
 * by its line. Total. */
int mp_key_compare(const mp_dictionary *dictionary, const mp_entry_key *a, const mp_entry_key *b);

#endif
