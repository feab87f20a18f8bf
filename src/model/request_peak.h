/* The largest amount that a request has alive at once of the objects created after it began.
 *
 * The time is exact: rows say when objects were created and deleted, and the rows of a snapshot
 * are sorted by time when it ends. Sizes are those of the snapshot; creations come before
 * deletions of the same microsecond. */
#ifndef MP_MODEL_REQUEST_PEAK_H
#define MP_MODEL_REQUEST_PEAK_H

#include "model/model.h"

typedef struct mp_request_event {
    int64_t time_us, bytes;
    int32_t objects; /* 1: created, -1: deleted, 0: its size changed */
} mp_request_event;

/* Zero-initialise; release with mp_request_peak_free. */
typedef struct mp_request_peak {
    bool asked; /* else nothing is written down */
    mp_string_id request;
    int64_t start_us;
    mp_snapshot_id first;     /* first of the request's snapshots; none: no request runs */
    int64_t objects, bytes;   /* amounts of its own alive at the snapshot before */
    mp_request_event *events; /* since then */
    size_t count, capacity;
} mp_request_peak;

/* A snapshot begins that is of this request, perhaps of none; the same request goes on. */
void mp_request_peak_begin(mp_request_peak *peak, mp_snapshot_id id, const mp_snapshot *snapshot);
/* Tell the snapshot, which ends, what the most was. */
void mp_request_peak_end(mp_request_peak *peak, mp_snapshot *snapshot);
void mp_request_peak_add(mp_request_peak *peak, int64_t time_us, int32_t objects, int64_t bytes);
void mp_request_peak_free(mp_request_peak *peak);

#endif
