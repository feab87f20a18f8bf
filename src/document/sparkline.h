#ifndef MP_DOCUMENT_SPARKLINE_H
#define MP_DOCUMENT_SPARKLINE_H

#include <stddef.h>
#include <stdint.h>

/* One character of U+2581 to U+2588 for each of at most `width` columns, lowest value lowest; the
 * lowest for all where all are equal. Where there are more values than columns, a column is the
 * mean of its share of them. Returns as snprintf does; what does not fit is cut between characters.
 */
int mp_sparkline(const int64_t *values, size_t count, size_t width, char *text, size_t size);

#endif
