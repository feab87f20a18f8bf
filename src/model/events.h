/* Facts about a heap log besides the ledger: threads, sizes, anomalies, the peak.
 *
 * Times are microseconds since the first event of the log. Generations and contexts are those of
 * the ledger. A block that was deleted with a type belongs to a context of that type from its
 * birth. A block that was never deleted belongs to a context without a type, and its type can only
 * be inferred. */
#pragma once

#include "model/model.h"

typedef enum mp_anomaly_kind {
    MP_ANOMALY_DOUBLE_DELETION, /* deletion of a block that was already deleted */
    MP_ANOMALY_BAD_ADDRESS,     /* deletion at an address without a block */
    MP_ANOMALY_NONUNIQUE,       /* allocation at the address of a live block */
    MP_ANOMALY_CORRUPTION,      /* the monitor found the heap corrupted */
    MP_ANOMALY_OTHER_THREAD,    /* deletion by a thread that did not allocate the block */
    MP_ANOMALY_REPORTED,        /* a line of the anomaly section of a heap analysis file */
    MP_ANOMALY_KINDS,
} mp_anomaly_kind;

/* Return the name, such as "double-deletion"; static. */
const char *mp_anomaly_name(mp_anomaly_kind kind);

typedef struct mp_event_place {
    uint64_t line; /* line of the file; 0: none */
    int64_t time_us;
    mp_string_id thread;
    mp_node_id node; /* call stack */
} mp_event_place;

typedef struct mp_anomaly {
    mp_anomaly_kind kind;
    uint32_t input; /* index in model->inputs */
    uint64_t address;
    int64_t bytes;               /* size of the block; 0: no block */
    mp_event_place here, before; /* place of the anomaly; `before` is that of the allocation or
                                    deletion that it contradicts */
    mp_string_id text;           /* text that the monitor wrote about the anomaly */
} mp_anomaly;

/* Statistics of allocations of 2^(k-1) to 2^k - 1 bytes for class k; class 0 is for 0 bytes. */
typedef struct mp_size_class {
    int64_t created, created_bytes, deleted, temporary;
} mp_size_class;
enum { MP_SIZE_CLASSES = 64 };

/* Blocks that one thread allocated and another thread deleted. */
typedef struct mp_handover {
    mp_string_id from, to;
    int64_t objects, bytes;
} mp_handover;

/* Types that the blocks of one call stack had when they were deleted. */
typedef struct mp_inference {
    mp_type_id type;        /* the most frequent real type; none: no block had one */
    int64_t typed, deleted; /* deletions with that type, and all deletions */
} mp_inference;

typedef struct mp_peak_share {
    int64_t objects, bytes;
} mp_peak_share;

typedef struct mp_events {
    MP_LIST(mp_anomaly) anomalies; /* the first anomalies of each kind, in log order */
    int64_t anomaly_counts[MP_ANOMALY_KINDS];
    mp_size_class sizes[MP_SIZE_CLASSES];
    MP_LIST(mp_handover) handovers;
    mp_peak_share *at_peak; /* blocks of each generation alive at the session's peak of bytes */
    /* 0: unknown; for example if a log is evaluated only up to a snapshot */
    uint32_t at_peak_count;
    mp_inference *inference; /* inferred types, indexed by mp_node_id */
    int64_t old_objects, old_bytes, displaced_objects, corrupt_events;
    int64_t reordered_events, late_events; /* number of late events that were sorted, and number of
                                              those that came too late for that */
    int64_t peak_time_us; /* time of the peak of bytes; if there are several logs, that of the first
                             log */
    uint32_t threads, crawls;
    int64_t temporary; /* maximum age of a temporary block, in events or microseconds */
    bool temporary_is_time;
} mp_events;

/* Return true for a real type. The monitor writes "novtbl" or "notype" if it found none. */
bool mp_type_is_real(const mp_model *model, mp_type_id type);

/* Release the data; NULL is allowed. */
void mp_events_free(mp_events *events);
