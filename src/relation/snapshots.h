/* Row of the relation "snapshots". The report "snapshots" adds its notes to it. */
#pragma once

#include "relation/relation.h"

typedef struct mp_snapshot_row {
    const char *session_id, *tag, *utc_time, *request, *request_api, *propath, *path, *role;
    int64_t session, sequence, time_us, created_objects, created_per_second, deleted_objects;
    int64_t changed_objects, live_objects, live_bytes, delta_bytes, peak_bytes, peak_objects;
    int64_t platform_bytes, overhead_bytes, reusable_objects, reusable_bytes, request_start_us;
    int64_t class_depth, stated_peak_objects, roots;
    double cpu_percent;
    mp_texts below; /* notes that the report adds; unknown in the relation */
} mp_snapshot_row;
