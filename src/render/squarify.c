#include "render/squarify.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

/* Return the amounts scaled to areas of the box, small enough that their products do not
 * overflow. */
static int64_t *areas_of(const int64_t *amounts, size_t count, mp_box in)
{
    int64_t *areas = mp_alloc((count + 1) * sizeof *areas), total = 0;
    int64_t sum = (int64_t)in.width * in.height;
    int shift = 0;
    for (size_t i = 0; i < count; i++)
        total += amounts[i];
    while (total >> shift > INT32_MAX)
        shift++;
    for (size_t i = 0; i < count; i++) {
        assert(amounts[i] > 0);
        areas[i] = (amounts[i] >> shift) * sum / (total >> shift);
        areas[i] += areas[i] == 0;
    }
    return areas;
}

/* Return the worst aspect ratio in a row, in 256ths. `sum` is the sum of the areas in the row,
 * `smallest` and `largest` are two of these areas, and `side` is the length of the row. */
static int64_t worst_of(int64_t sum, int64_t smallest, int64_t largest, int64_t side)
{
    int64_t square = side * side, of_sum = sum * sum;
    int64_t flat = square * largest / (of_sum / 256 + 1);
    int64_t tall = of_sum / ((square * smallest) / 256 + 1);
    return flat > tall ? flat : tall;
}

/* Return how many of the first areas make the row with the best aspect ratios, if the row is along
 * that side. */
static size_t row_of(const int64_t *areas, size_t count, int64_t side, int64_t *sum)
{
    size_t taken = 1;
    *sum = areas[0];
    int64_t worst = worst_of(*sum, areas[0], areas[0], side);
    while (taken < count) {
        int64_t more = *sum + areas[taken];
        int64_t then = worst_of(more, areas[taken], areas[0], side);
        if (then > worst)
            break;
        worst = then;
        *sum = more;
        taken++;
    }
    return taken;
}

void mp_squarify(const int64_t *amounts, size_t count, mp_box in, mp_box *boxes)
{
    assert(in.width <= MP_BOX_MOST && in.height <= MP_BOX_MOST);
    int64_t *areas = areas_of(amounts, count, in), rest = 0;
    for (size_t i = 0; i < count; i++)
        rest += areas[i];
    for (size_t i = 0, taken; i < count; i += taken) {
        int64_t sum, before = 0;
        /* `across`: lay the row out as a column at the left; otherwise at the top. */
        bool across = in.width >= in.height;
        int32_t side = across ? in.height : in.width, length = across ? in.width : in.height;
        taken = row_of(areas + i, count - i, side ? side : 1, &sum);
        int32_t depth = (int32_t)(length * sum / rest);
        for (size_t k = i; k < i + taken; k++) {
            int32_t from = (int32_t)(side * before / sum);
            before += areas[k];
            int32_t size = (int32_t)(side * before / sum) - from;
            boxes[k] = across ? (mp_box){in.x, in.y + from, depth, size}
                              : (mp_box){in.x + from, in.y, size, depth};
        }
        rest -= sum;
        if (across) {
            in.x += depth;
            in.width -= depth;
        } else {
            in.y += depth;
            in.height -= depth;
        }
    }
    free(areas);
}
