/* Lay out boxes in a box: areas proportional to amounts, and nearly square. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct mp_box {
    int32_t x, y, width, height;
} mp_box;

/* Maximum side of the box. */
enum { MP_BOX_MOST = 16384 };

/* Fill the box with one box for each amount, the first in the upper left corner. The boxes touch,
 * do not overlap and leave no gap; sides are rounded. Amounts must be positive and descending, and
 * their sum must not overflow. Integer arithmetic gives the same result everywhere.
 *
 * Source: M. Bruls, K. Huizing, J. J. van Wijk, "Squarified Treemaps", 2000. */
void mp_squarify(const int64_t *amounts, size_t count, mp_box in, mp_box *boxes);
