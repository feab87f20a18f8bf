/* Boxes in a box, as large as amounts are, and as square as can be. */
#ifndef MP_RENDER_SQUARIFY_H
#define MP_RENDER_SQUARIFY_H

#include <stddef.h>
#include <stdint.h>

typedef struct mp_box {
    int32_t x, y, width, height;
} mp_box;

/* The longest side that a box may have. */
enum { MP_BOX_MOST = 16384 };

/* Fill the box with one for each amount, the first in its upper left corner: they touch, overlap
 * nowhere and leave nothing free; sides are rounded. Amounts are above 0, descending, and their sum
 * is no overflow. In whole numbers: the same everywhere.
 *
 * Source: M. Bruls, K. Huizing, J. J. van Wijk, "Squarified Treemaps", 2000. */
void mp_squarify(const int64_t *amounts, size_t count, mp_box in, mp_box *boxes);

#endif
