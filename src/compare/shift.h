/* Shifted lines. The entries of a family have the same stack except for line numbers. A family can
 * be matched in two ways: either line numbers did not change, or lines were inserted or deleted,
 * and entries moved to other line numbers. */
#pragma once

#include "compare/dictionary.h"

/* An entry that is in both digests, or in one of them. */
typedef struct mp_couple {
    mp_entry_key key; /* key for comparison */
    mp_amounts base, now;
    bool in_base, in_now;
    uint32_t group; /* group in the current step */
    /* Key for people. Its type is the type in the new digest or, if the entry is gone, in the base.
     * It has a name if all objects have the same name. */
    mp_entry_key told;
    bool names_differ;
} mp_couple;

/* Two sides of a family: `fewer` has the entries of the side with fewer entries, `more` the entries
 * of the other side. They are paired in order, except for `extra` entries of `more` after the first
 * `split` pairs, which have no partner. */
typedef struct mp_shift {
    const mp_couple **fewer, **more;
    size_t count, extra, split;
    bool fewer_now; /* `fewer` is the new side */
} mp_shift;

/* Return true if a family, sorted by line, should be matched as shifted. Its lines must have moved
 * in blocks, and the shifted match must have at most half as much change. In doubt, lines count as
 * unchanged. If true, release with mp_shift_free; the result refers to the couples. */
bool mp_shift_of(const mp_dictionary *dictionary, const mp_couple *couples, size_t count,
                 mp_shift *shift);
void mp_shift_free(mp_shift *shift);

/* Return the index, in `more`, of the partner of an entry of `fewer`. */
size_t mp_shift_partner(const mp_shift *shift, size_t place);
