/* Facts about a log of heap events beyond the ledger: threads, sizes, anomalies, the peak.
 *
 * Times are microseconds since the first event of the log. Generations and contexts are those of
 * the ledger. A block that was deleted with a type belongs to a context of that type from its
 * birth; a block that is never deleted belongs to a context without a type, and its type can
 * only be inferred. */
#ifndef MP_MODEL_EVENTS_H
#define MP_MODEL_EVENTS_H

#include "model/model.h"

typedef enum mp_anomaly_kind {
    MP_ANOMALY_DOUBLE_DELETION, /* deletion of a block that was deleted before */
    MP_ANOMALY_BAD_ADDRESS,     /* deletion where no block was seen */
    MP_ANOMALY_NONUNIQUE,       /* an address that is alive is handed out again */
    MP_ANOMALY_CORRUPTION,      /* the monitor found the heap corrupt */
    MP_ANOMALY_OTHER_THREAD,    /* deleted by another thread than the allocation's */
    MP_ANOMALY_REPORTED,        /* a line of the anomaly section of a heap analysis file */
    MP_ANOMALY_KINDS,
} mp_anomaly_kind;

/* "double-deletion"; static. */
const char *mp_anomaly_name(mp_anomaly_kind kind);

typedef struct mp_event_place {
    uint64_t line; /* in the file; 0: none */
    int64_t time_us;
    mp_string_id thread;
    mp_node_id node; /* its crawl */
} mp_event_place;

typedef struct mp_anomaly {
    mp_anomaly_kind kind;
    uint32_t input; /* place in model->inputs */
    uint64_t address;
    int64_t bytes;               /* bytes of the block, if there is one */
    mp_event_place here, before; /* before: the deletion or allocation that it contradicts */
    mp_string_id text;           /* text of a corruption, in the monitor's words */
} mp_anomaly;

/* Allocations of 2^(k-1) to 2^k - 1 bytes; [0]: of none. */
typedef struct mp_size_class {
    int64_t created, created_bytes, deleted, temporary;
} mp_size_class;
enum { MP_SIZE_CLASSES = 64 };

/* Blocks that one thread allocated and another deleted. */
typedef struct mp_handover {
    mp_string_id from, to;
    int64_t objects, bytes;
} mp_handover;

/* Types of the blocks of one crawl at their deletion. */
typedef struct mp_inference {
    mp_type_id type;        /* the most frequent real type; none: none had one */
    int64_t typed, deleted; /* deletions with that type, and all */
} mp_inference;

typedef struct mp_peak_share {
    int64_t objects, bytes;
} mp_peak_share;

typedef struct mp_events {
    MP_LIST(mp_anomaly) anomalies; /* the first of each kind, in the order of the log */
    int64_t anomaly_counts[MP_ANOMALY_KINDS];
    mp_size_class sizes[MP_SIZE_CLASSES];
    MP_LIST(mp_handover) handovers;
    mp_peak_share *at_peak;  /* blocks of each generation alive at its session's peak of bytes */
    uint32_t at_peak_count;  /* 0: not known, of a log that is looked at up to a snapshot */
    mp_inference *inference; /* types of the blocks of each node of model->nodes */
    int64_t old_objects, old_bytes, displaced_objects, corrupt_events;
    int64_t reordered_events, late_events; /* put in the order of time; not, as it was too late */
    int64_t peak_time_us; /* when most bytes were alive; of several logs, of the first */
    uint32_t threads, crawls;
    int64_t temporary; /* longest life of a temporary block, in events or microseconds */
    bool temporary_is_time;
} mp_events;

/* Return true if the type means something: the monitor writes novtbl and notype if it found no
 * type. */
bool mp_type_is_real(const mp_model *model, mp_type_id type);

/* NULL: nothing happens. */
void mp_events_free(mp_events *events);

#endif
