/* Two readings of a family, entries of one stack but for its lines: each line is what it was, or
 * lines were inserted or deleted, and what stands on a line now stood on another one. */
#ifndef MP_COMPARE_SHIFT_H
#define MP_COMPARE_SHIFT_H

#include "compare/dictionary.h"

/* An entry of both sides, or of one. */
typedef struct mp_couple {
    mp_entry_key key; /* that it is compared by */
    mp_amounts base, now;
    bool in_base, in_now;
    uint32_t group; /* number of what it may be matched by, in the step at hand */
    /* The key with the type that it has, in the new one where it is there, and the name if all of
     * its objects have the same. */
    mp_entry_key told;
    bool names_differ;
} mp_couple;

/* The entries of the side that has fewer and of the other one. The fewer are paired with the more
 * in order; `extra` of the more, behind the first `split` pairs, are left over. */
typedef struct mp_shift {
    const mp_couple **fewer, **more;
    size_t count, extra, split;
    bool fewer_now; /* the fewer are those of the new side */
} mp_shift;

/* Return true if a family, sorted by lines, should be read as shifted: its lines moved in
 * blocks, and read this way at most half as much changed. If the lines do not decide it, they
 * are taken as unchanged. If true, release with mp_shift_free; it refers to the couples. */
bool mp_shift_of(const mp_dictionary *dictionary, const mp_couple *couples, size_t count,
                 mp_shift *shift);
void mp_shift_free(mp_shift *shift);

/* Which of the more the fewer one at this place is paired with. */
size_t mp_shift_partner(const mp_shift *shift, size_t place);

#endif
