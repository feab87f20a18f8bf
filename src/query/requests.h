/* The requests of a server, and what each left behind. */
#ifndef MP_QUERY_REQUESTS_H
#define MP_QUERY_REQUESTS_H

#include "base/column.h"
#include "query/window.h"

/* One request of one session, from its first snapshot in the window to its last. Of its own are the
 * objects that were created after it began, and before another snapshot told of its end. */
typedef struct mp_served {
    mp_session_id session;
    mp_string_id request, api;
    mp_snapshot_id first, last;
    int64_t start_us;
    int64_t duration_us; /* MP_UNKNOWN: no snapshot was taken at its end */
    bool ended;          /* else what it holds is in use */
    int64_t created_objects, created_bytes;
    int64_t left_objects, left_bytes; /* alive at the window's end; 0 while it runs */
    int64_t peak_objects, peak_bytes; /* maxima of its own objects; MP_UNKNOWN: not known */
} mp_served;

/* All requests of one API. Sums are over its calls, the rest is the most of one. */
typedef struct mp_served_api {
    mp_string_id api;
    int64_t calls, running_calls, leaving_calls; /* leaving: that left anything behind */
    int64_t duration_us, longest_us;             /* MP_UNKNOWN: of no call */
    int64_t timed_calls;                         /* that the durations are of */
    int64_t created_objects, created_bytes, left_objects, left_bytes;
    int64_t peak_objects, peak_bytes;
} mp_served_api;

/* In the order of sessions and time; APIs in that of their first calls. */
typedef struct mp_requests {
    mp_served *items;
    size_t count;
    mp_served_api *apis;
    size_t api_count;
    int64_t created_objects, created_bytes; /* in no request, or before it began */
} mp_requests;

/* Return the requests of the whole window; `later`: only those after its `from`. Release with
 * mp_requests_free. */
mp_requests mp_requests_of(const mp_window *window, bool later);
void mp_requests_free(mp_requests *requests);

#endif
