/* The runtime's own memory, area by area. */
#ifndef MP_QUERY_PLATFORM_H
#define MP_QUERY_PLATFORM_H

#include "query/window.h"

/* One area at the first and last whole snapshot and at most; of several sessions, added up. */
typedef struct mp_platform_area {
    mp_platform_id platform; /* 0: areas that are not in the catalogue */
    int64_t first_bytes, last_bytes, peak_bytes;
    int64_t block_bytes, pool_bytes; /* at the last snapshot */
} mp_platform_area;

/* By platform id, model->platforms.count of them. Release with free(). */
mp_platform_area *mp_platform_areas_of(const mp_filter *filter);

/* An area at both ends of a window; of several sessions, added up. */
typedef struct mp_platform_span {
    int64_t from_bytes, to_bytes;
    bool told; /* there is such an area */
} mp_platform_span;

/* By platform id, model->platforms.count of them. Release with free(). */
mp_platform_span *mp_platform_spans_of(const mp_window *window);
/* All areas together. */
mp_platform_span mp_platform_span_of_all(const mp_window *window);

/* The area that grew most from one end of the window to the other, and by how many bytes; 0 if none
 * grew. */
mp_platform_id mp_platform_growing(const mp_window *window, int64_t *growth);

#endif
