/* A heap being replayed: births, changes and deaths of objects between snapshots.
 *
 * One mp_heap a session. A reader opens it, begins a snapshot, reports what happened, and ends the
 * snapshot; what is reported between two ends belongs to the second one's snapshot. A snapshot that
 * is begun and never ended stays not whole, and nothing is concluded from it; what it held counts
 * for the next snapshot that is ended, if one comes. */
#ifndef MP_MODEL_HEAP_H
#define MP_MODEL_HEAP_H

#include "memprof/diagnostics.h"
#include "model/ages.h"
#include "model/build.h"
#include "model/history.h"
#include "model/live.h"
#include "model/model.h"
#include "model/request_peak.h"

/* Properties shared by the objects of one allocation site and one name. */
typedef struct mp_origin {
    mp_type_id type;
    mp_node_id node;
    uint32_t line;
    mp_symbol_id name;
} mp_origin;

typedef struct mp_birth {
    uint64_t id;
    int64_t bytes;
    int64_t time_us; /* time of its creation */
    uint64_t owner;  /* id of the object it is scoped to; 0: none */
    uint32_t origin; /* by mp_heap_origin */
    bool idle;
} mp_birth;

/* Its object is alive, of the generation MP_GENERATION_PENDING, and has the pending birth's number,
 * from 1, in place of its size. */
typedef struct mp_pending {
    mp_birth birth;
    uint64_t line;
    const mp_live_object *owner; /* while it is resolved; NULL: it is not alive */
    uint8_t state;
} mp_pending;

/* An owner as its children need it. */
typedef struct mp_owner {
    mp_context_id context; /* also of one that is not known */
    mp_generation_id generation;
} mp_owner;

/* An origin, and the generation of its last birth: the next one mostly belongs to it too. */
typedef struct mp_heap_origin_entry {
    mp_origin origin;
    mp_owner owner;
    mp_snapshot_id snapshot;
    mp_generation_id generation;
    uint8_t marks;
} mp_heap_origin_entry;

typedef struct mp_heap {
    mp_model *model;
    mp_diagnostics *diagnostics;
    const char *path; /* path of the file being read, for diagnostics; set by the reader */
    mp_session_id session;
    mp_snapshot_id snapshot; /* the open one, or none */
    mp_live_set live;
    mp_tally tally; /* since the last snapshot that was ended */
    int64_t reusable_objects, reusable_bytes;
    mp_heap_origin_entry *origins; /* from 1 */
    size_t origin_count, origin_capacity;
    uint64_t last_owner_id; /* objects of one owner come in runs */
    mp_owner last_owner;
    /* Births whose owner comes later in the same section. */
    mp_pending *pending;
    size_t pending_count, pending_capacity;
    mp_request_peak request; /* that the open snapshot is of */
    mp_ages *ages;           /* NULL: how long objects lived is not asked */
    mp_history *history;     /* NULL: objects are not kept */
    /* Objects that were created before or after it are told apart; all, if nobody sets it. */
    int64_t since_us, until_us;
} mp_heap;

/* Open the heap. The pointers must outlive it. Release with mp_heap_close. */
void mp_heap_open(mp_heap *heap, mp_model *model, mp_session_id session,
                  mp_diagnostics *diagnostics);
void mp_heap_close(mp_heap *heap);
/* Keep the objects themselves, in model->objects; before the first birth. */
void mp_heap_keep_objects(mp_heap *heap);
/* Keep how long those lived that are deleted, in model->ages; before the first birth. */
void mp_heap_keep_ages(mp_heap *heap);
/* Tell what requests had alive at once, in their snapshots; before the first birth. */
void mp_heap_watch_requests(mp_heap *heap);

/* Begin a snapshot, or go on with the one that was never ended. The caller fills in what the file
 * says of it. Valid until the next snapshot begins. */
mp_snapshot *mp_heap_begin(mp_heap *heap);
/* The open snapshot says of which request it is, perhaps of none; before what happened in it. */
void mp_heap_in_request(mp_heap *heap);
/* End the open snapshot, which there must be: it is whole. */
mp_snapshot *mp_heap_end(mp_heap *heap);

/* A number, from 1, for births to refer to. Each call makes a new one: ask once for each origin. */
uint32_t mp_heap_origin(mp_heap *heap, mp_origin origin);

/* Fetch what a birth, change or death of this id will touch, some work ahead of it. */
static inline void mp_heap_prefetch(const mp_heap *heap, uint64_t id)
{
    mp_live_prefetch(&heap->live, id);
}

/* `line` is where it stands in the file. False if the id is alive already: nothing was done. */
bool mp_heap_birth(mp_heap *heap, const mp_birth *birth, uint64_t line);
/* A new size, and perhaps type, of an object. False if it is not alive: nothing was done. */
bool mp_heap_change(mp_heap *heap, uint64_t id, mp_type_id type, int64_t bytes, bool idle,
                    uint64_t line);
/* False if it is not alive. */
bool mp_heap_death(mp_heap *heap, uint64_t id, int64_t time_us);
/* Find the owners of births that came before them. Changes, deaths and the end of a snapshot
 * resolve what waits; whoever wants figures before that asks for it. */
void mp_heap_resolve_pending(mp_heap *heap);
static inline void mp_heap_resolve_owners(mp_heap *heap)
{
    if (heap->pending_count)
        mp_heap_resolve_pending(heap);
}

#endif
