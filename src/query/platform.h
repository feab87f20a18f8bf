/* Memory of the runtime itself, by area. */
#pragma once

#include "query/window.h"

/* An area at the first and the last complete snapshot, and its maximum. The figures of several
 * sessions are added. */
typedef struct mp_platform_area {
    mp_platform_id platform; /* 0: sum of the areas that are missing from the catalogue */
    int64_t first_bytes, last_bytes, peak_bytes;
    int64_t block_bytes, pool_bytes; /* at the last snapshot */
} mp_platform_area;

/* Return the name of an area for people. */
const char *mp_platform_label(const mp_model *model, uint32_t platform);

/* Return the areas by platform id, model->platforms.count of them. Release with free(). */
mp_platform_area *mp_platform_areas_of(const mp_filter *filter);

/* An area at both ends of a window. The figures of several sessions are added. */
typedef struct mp_platform_span {
    int64_t from_bytes, to_bytes;
    bool told; /* the area was recorded */
} mp_platform_span;

/* Return the areas by platform id, model->platforms.count of them. Release with free(). */
mp_platform_span *mp_platform_spans_of(const mp_window *window);
/* Return the sum of all areas. */
mp_platform_span mp_platform_span_of_all(const mp_window *window);

/* Return the area that grew most over the window, and its growth in bytes; 0 if none grew. */
mp_platform_id mp_platform_growing(const mp_window *window, int64_t *growth);
