/* Requests of a server, and the objects that each left behind. */
#pragma once

#include "base/column.h"
#include "query/window.h"

/* A request of a session, from its first to its last snapshot in the window. Its objects are those
 * created after it began and before a snapshot of another request shows its end. */
typedef struct mp_served {
    mp_session_id session;
    mp_string_id request, api;
    mp_snapshot_id first, last;
    int64_t start_us;
    int64_t duration_us; /* duration in microseconds; MP_UNKNOWN: no snapshot was taken at the end
                            of the request */
    bool ended;          /* false: still running, so its objects are in use */
    int64_t created_objects, created_bytes;
    int64_t left_objects, left_bytes; /* alive at the end of the window; 0 while the request runs */
    /* Maxima of the request's own objects; MP_UNKNOWN: not recorded. */
    int64_t peak_objects, peak_bytes;
} mp_served;

/* All requests to one API. Figures are sums over its calls, except that longest_us and the peaks
 * are maxima. */
typedef struct mp_served_api {
    mp_string_id api;
    int64_t calls, running_calls,
        leaving_calls; /* number of calls, of running ones (running_calls), and of those that left
                          objects behind */
    int64_t duration_us, longest_us; /* MP_UNKNOWN: no call has a duration */
    int64_t timed_calls;             /* number of calls with a duration */
    int64_t created_objects, created_bytes, left_objects, left_bytes;
    int64_t peak_objects, peak_bytes;
} mp_served_api;

/* Requests, sorted by session and time, and APIs in the order of their first calls. Release with
 * mp_requests_free. */
typedef struct mp_requests {
    mp_served *items;
    size_t count;
    mp_served_api *apis;
    size_t api_count;
    int64_t created_objects,
        created_bytes; /* created outside of any request, or before the request began */
} mp_requests;

/* Return the requests of the whole window or, with `later`, only those after its `from`. Release
 * with mp_requests_free. */
mp_requests mp_requests_of(const mp_window *window, bool later);
void mp_requests_free(mp_requests *requests);
