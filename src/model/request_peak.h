/* The peak of a request: the highest numbers of objects and bytes alive at once, counting only
 * objects created since the request began.
 *
 * It is exact in time: rows state when objects were created and deleted, and the rows of a snapshot
 * are sorted by time when it ends. Objects count with their sizes at the snapshot. Within the same
 * microsecond, creations come before deletions. */
#pragma once

#include "model/model.h"

typedef struct mp_request_event {
    int64_t time_us, bytes;
    int32_t objects; /* 1: created; -1: deleted; 0: its size changed */
} mp_request_event;

/* State of the running request. Zero-initialise; release with mp_request_peak_free. */
typedef struct mp_request_peak {
    bool asked; /* false: the peak is not recorded */
    mp_string_id request;
    int64_t start_us;
    mp_snapshot_id first;     /* first snapshot of the request; none: no request is running */
    int64_t objects, bytes;   /* live objects of the request at the previous snapshot */
    mp_request_event *events; /* events since the previous snapshot */
    size_t count, capacity;
} mp_request_peak;

/* Start a snapshot of `snapshot->request`, or of none. A request that is already running
 * continues. */
void mp_request_peak_begin(mp_request_peak *peak, mp_snapshot_id id, const mp_snapshot *snapshot);
/* Set the peak in the snapshot that ends. */
void mp_request_peak_end(mp_request_peak *peak, mp_snapshot *snapshot);
void mp_request_peak_add(mp_request_peak *peak, int64_t time_us, int32_t objects, int64_t bytes);
void mp_request_peak_free(mp_request_peak *peak);
