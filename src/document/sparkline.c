#include "document/sparkline.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum {
    LEVELS = 8,       /* number of different characters */
    LEVEL_LENGTH = 3, /* bytes of a character in UTF-8 */
};

int mp_sparkline(const int64_t *values, size_t count, size_t width, char *text, size_t size)
{
    size_t columns = count < width ? count : width, used = 0;
    double *means = mp_alloc((columns + 1) * sizeof *means);
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < columns; i++) {
        size_t from = i * count / columns, to = (i + 1) * count / columns;
        double sum = 0;
        for (size_t index = from; index < to; index++)
            sum += (double)values[index];
        means[i] = sum / (double)(to - from);
        low = means[i] < low ? means[i] : low;
        high = means[i] > high ? means[i] : high;
    }
    for (size_t i = 0; i < columns && used + LEVEL_LENGTH < size; i++) {
        double level = high > low ? floor((means[i] - low) / (high - low) * (LEVELS - 1) + 0.5) : 0;
        text[used++] = (char)0xe2;
        text[used++] = (char)0x96;
        text[used++] = (char)(0x81 + (int)level);
    }
    if (size)
        text[used] = '\0';
    free(means);
    return (int)(columns * LEVEL_LENGTH);
}
