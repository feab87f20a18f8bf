/* A share of an amount, exact even if the product exceeds 64 bits. */
#pragma once

#include <assert.h>
#include <stdint.h>

/* Return amount * part / whole, rounded down. Requires amount >= 0 and 0 <= part <= whole, whole >
 * 0. */
static inline int64_t mp_share(int64_t amount, int64_t part, int64_t whole)
{
    assert(amount >= 0 && part >= 0 && part <= whole && whole > 0);
    const int64_t rest = amount % whole, most = part ? INT64_MAX / part : INT64_MAX;
    int64_t share = amount / whole * part, more = 0;
    uint64_t left = 0; /* remainder, less than `whole` */
    if (rest <= most)
        return share + rest * part / whole;
    for (int bit = 62; bit >= 0; bit--) { /* long division of the product */
        left *= 2;
        more = 2 * more + (left >= (uint64_t)whole);
        left -= left >= (uint64_t)whole ? (uint64_t)whole : 0;
        left += rest >> bit & 1 ? (uint64_t)part : 0;
        more += left >= (uint64_t)whole;
        left -= left >= (uint64_t)whole ? (uint64_t)whole : 0;
    }
    return share + more;
}
