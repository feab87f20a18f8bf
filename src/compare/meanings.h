/* What matching needs of a dictionary beyond digest.h. */
#ifndef MP_COMPARE_MEANINGS_H
#define MP_COMPARE_MEANINGS_H

#include "memprof/digest.h"

/* Of each frame its family: frames of one family have the same names up to the root, whatever
 * their lines are. Release with free(). */
uint32_t *mp_meaning_families(const mp_meanings *meanings);

/* By type, program, name, then stack: the outermost frame that differs decides, by its name, then
 * by its line. Total. */
int mp_meaning_compare(const mp_meanings *meanings, const mp_meaning *a, const mp_meaning *b);

#endif
