/* Replay of a heap: births, changes and deaths of objects between snapshots.
 *
 * There is one mp_heap per session. A reader opens it, begins a snapshot, reports events, and ends
 * the snapshot; these events belong to this snapshot. A snapshot that is never ended stays
 * incomplete and is not evaluated. Its events then count for the next snapshot that is ended. */
#pragma once

#include "memprof/diagnostics.h"
#include "model/ages.h"
#include "model/build.h"
#include "model/history.h"
#include "model/live.h"
#include "model/model.h"
#include "model/request_peak.h"

/* Properties shared by all objects of one allocation site and one name. */
typedef struct mp_origin {
    mp_type_id type;
    mp_node_id node;
    uint32_t line;
    mp_symbol_id name;
    /* Context of an owner that is not an object itself, such as a pool of which only the name is
     * known. It owns the births that state no owner. None: there is no such owner. */
    mp_context_id owner;
} mp_origin;

typedef struct mp_birth {
    uint64_t id;
    int64_t bytes;
    int64_t time_us; /* time of creation, microseconds */
    uint64_t owner;  /* id of the owner; 0: none */
    uint32_t origin; /* number from mp_heap_origin */
    bool idle;
    bool repeated; /* the record equals the previous one; for the reader's use */
} mp_birth;

typedef struct mp_death {
    uint64_t id;
    int64_t time_us; /* microseconds */
} mp_death;

/* A birth whose owner is not known yet. Until then, its object is alive in generation
 * MP_GENERATION_PENDING, and the `size` of the object is not its bytes, but the number of this
 * birth, from 1. */
typedef struct mp_pending {
    mp_birth birth;
    uint64_t line;
    const mp_live_object *owner; /* set during resolution; NULL: the owner is not alive */
    uint8_t state;
} mp_pending;

/* Properties of an owner that determine the contexts of its children. */
typedef struct mp_owner {
    mp_context_id context; /* set even if the generation is unknown */
    mp_generation_id generation;
} mp_owner;

/* An origin, and the generation of its last birth, with its delta at `snapshot`. The next birth
 * usually belongs to the same generation. */
typedef struct mp_heap_origin_entry {
    mp_origin origin;
    mp_owner owner;
    mp_snapshot_id snapshot;
    mp_generation_id generation;
    uint32_t delta;
    uint8_t marks;
    bool reusable;
} mp_heap_origin_entry;

typedef struct mp_heap {
    mp_model *model;
    mp_diagnostics *diagnostics;
    const char *path; /* path of the file that is read, for diagnostics; set by the reader */
    mp_session_id session;
    mp_snapshot_id snapshot; /* the open snapshot, or none */
    mp_live_set live;
    mp_tally tally; /* changes since the last ended snapshot */
    int64_t reusable_objects, reusable_bytes;
    mp_heap_origin_entry *origins; /* origins, numbered from 1 */
    size_t origin_count, origin_capacity;
    uint64_t last_owner_id; /* cache of the last owner, because objects of one owner come in runs */
    mp_owner last_owner;
    /* Births of which the owner comes later in the same section. */
    mp_pending *pending;
    size_t pending_count, pending_capacity;
    mp_request_peak request; /* peak of the open snapshot's request */
    mp_ages *ages;           /* NULL: ages are not recorded */
    mp_history *history;     /* NULL: objects are not recorded */
    /* Objects created outside of this range are marked MP_BORN_BEYOND. The default range has no
     * bounds. */
    int64_t since_us, until_us;
} mp_heap;

/* Start a session. `model` and `diagnostics` must outlive the heap. Release with mp_heap_close. */
void mp_heap_open(mp_heap *heap, mp_model *model, mp_session_id session,
                  mp_diagnostics *diagnostics);
void mp_heap_close(mp_heap *heap);
/* Record the objects in model->objects. Call it before the first birth. */
void mp_heap_keep_objects(mp_heap *heap);
/* Record the ages of deleted objects in model->ages. Call it before the first birth. */
void mp_heap_keep_ages(mp_heap *heap);
/* Find the peak of each request (mp_snapshot.request_peak_objects). Call it before the first
 * birth. */
void mp_heap_watch_requests(mp_heap *heap);

/* Begin a snapshot, or continue one that was not ended. The caller sets what the file says about
 * it. The pointer is valid until the next snapshot begins. */
mp_snapshot *mp_heap_begin(mp_heap *heap);
/* Continue with a snapshot of the heap's session, which the caller has begun in the model. */
void mp_heap_continue(mp_heap *heap, mp_snapshot_id snapshot);
/* Announce that the request of the open snapshot is known, even if it is "no request". Call this
 * before the events of the snapshot. */
void mp_heap_in_request(mp_heap *heap);
/* End the open snapshot, which must exist, and mark it as whole. */
mp_snapshot *mp_heap_end(mp_heap *heap);

/* Register an origin. Return its number, from 1, for use in births. Each call makes a new origin,
 * so register each only once. */
uint32_t mp_heap_origin(mp_heap *heap, mp_origin origin);

/* Add `count` objects; `line` is the line of the first birth in the file, the others follow. Return
 * their number, or the index of the first one that is already alive, for which nothing is done. */
size_t mp_heap_births(mp_heap *heap, const mp_birth *births, size_t count, uint64_t line);
/* Add one object. Return false, and do nothing, if the id is already alive. */
static inline bool mp_heap_birth(mp_heap *heap, const mp_birth *birth, uint64_t line)
{
    return mp_heap_births(heap, birth, 1, line) == 1;
}
/* Change the size, and perhaps the type, of an object. Return false, and do nothing, if it is not
 * alive. */
bool mp_heap_change(mp_heap *heap, uint64_t id, mp_type_id type, int64_t bytes, bool idle,
                    uint64_t line);
/* Delete `count` objects. Return their number, or the index of the first one that is not alive. */
size_t mp_heap_deaths(mp_heap *heap, const mp_death *deaths, size_t count);
/* Delete one object. Return false if it is not alive. */
static inline bool mp_heap_death(mp_heap *heap, uint64_t id, int64_t time_us)
{
    return mp_heap_deaths(heap, &(mp_death){id, time_us}, 1) == 1;
}
/* Find the owners of births that precede their owners in the file. Changes, deaths and the end of a
 * snapshot do this too; call it only if you need figures before that. */
void mp_heap_resolve_pending(mp_heap *heap);
static inline void mp_heap_resolve_owners(mp_heap *heap)
{
    if (heap->pending_count)
        mp_heap_resolve_pending(heap);
}
