/* Facts about a heap log besides the ledger: anomalies, handovers (blocks that one thread allocated
 * and another deleted), and types that are inferred after all logs are read. */
#pragma once

#include "model/ages.h"
#include "model/build.h"
#include "model/events.h"

typedef enum mp_event_kind {
    MP_EVENT_ALLOCATION,
    MP_EVENT_DELETION,
    MP_EVENT_OLD,
} mp_event_kind;

typedef struct mp_event {
    uint64_t address;
    int64_t time_us; /* microseconds since the first event */
    int64_t bytes;   /* size of the block, for allocations and old blocks */
    uint64_t line;
    /* Number of the thread, from 1 in order of appearance in the log, and its name; 0: none. The
     * reader assigns the numbers, so that it need not wait for the replay. */
    uint32_t thread;
    mp_string_id thread_name;
    mp_node_id node;      /* call stack of the event */
    uint32_t source_line; /* for allocations: line in the node's source; MP_NO_LINE: unknown */
    uint32_t site;        /* for allocations: number of the site, which is the node, source line and
                             thread; from 1 */
    mp_type_id type;      /* type of the block, for deletions and old blocks */
    mp_event_kind kind;
} mp_event;

/* A place of the table of live blocks. */
typedef struct mp_block {
    uint64_t address;
    int64_t time_us, bytes;
    uint32_t generation; /* 0: the place is empty */
    uint32_t serial;     /* number of events of its thread up to its birth */
    uint32_t thread;
    uint32_t epoch; /* number of peaks before its birth */
    uint64_t born_line;
} mp_block;

/* A deletion of a block. */
typedef struct mp_freed {
    uint64_t address, line;
    int64_t time_us;
    uint32_t thread, node;
} mp_freed;

typedef struct mp_block_thread {
    mp_string_id name;
    uint32_t serial; /* number of events so far */
} mp_block_thread;

typedef struct mp_event_log {
    mp_model *model;
    mp_events *events;
    mp_diagnostics *diagnostics;
    const char *path; /* path of the log and its index in model->inputs; set by the reader */
    uint32_t input;
    mp_block_thread *threads; /* threads seen in the replay, numbered from 1 */
    size_t thread_count, thread_capacity;
    mp_id_index handover_index;
} mp_event_log;

/* Start a log. `model` and `diagnostics` must outlive the log. mp_event_log_close records what is
 * pending. */
void mp_event_log_open(mp_event_log *log, mp_model *model, mp_diagnostics *diagnostics);
void mp_event_log_close(mp_event_log *log);

/* Count an event for its thread. */
void mp_event_log_count(mp_event_log *log, const mp_event *event);
/* Record that an event contradicts the live block at its address. */
void mp_event_log_contradicted(mp_event_log *log, mp_anomaly_kind kind, const mp_event *event,
                               const mp_block *block);
/* Record a deletion at an address without a live block. `freed` is the last deletion there, or
 * NULL. */
void mp_event_log_unmatched(mp_event_log *log, const mp_event *event, const mp_freed *freed);
void mp_event_log_handover(mp_event_log *log, const mp_block *block, const mp_event *event);
/* Sort by line the anomalies from index `first` on. A reader may report an anomaly of its own
 * before the replay reports those of earlier events. */
void mp_event_log_order(mp_event_log *log, uint32_t first);
/* Record an anomaly that the monitor itself reported, in its own words: a heap corruption, or any
 * other. */
void mp_event_log_says(mp_event_log *log, mp_anomaly_kind kind, uint64_t line, mp_slice text);
