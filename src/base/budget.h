/* A budget that keeps 64-bit sums from overflowing: take each amount from the budget before adding
 * it to a sum. The magnitudes of all amounts taken stay below INT64_MAX / 4. Zero-initialise to
 * start. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef int64_t mp_budget; /* sum of the magnitudes taken so far */

/* Take an amount of either sign. Return false, and take nothing, if the budget would be
 * exceeded. */
static inline bool mp_budget_take(mp_budget *spent, int64_t amount)
{
    const int64_t most = INT64_MAX / 4;
    if (amount < -most || (amount < 0 ? -amount : amount) > most - *spent)
        return false;
    *spent += amount < 0 ? -amount : amount;
    return true;
}
