/* A budget for sums: what is added up in 64 bits takes its amount first, so that no sum of what was
 * taken can overflow, whatever a file says. Starts at 0. */
#ifndef MP_BASE_BUDGET_H
#define MP_BASE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

typedef int64_t mp_budget; /* spent so far */

/* Take an amount of either sign; false, with nothing taken, where there is no room for it. */
static inline bool mp_budget_take(mp_budget *spent, int64_t amount)
{
    const int64_t most = INT64_MAX / 4;
    if (amount < -most || (amount < 0 ? -amount : amount) > most - *spent)
        return false;
    *spent += amount < 0 ? -amount : amount;
    return true;
}

#endif
