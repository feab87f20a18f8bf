/* Facts that the replay of a heap log records besides the ledger: anomalies, and blocks deleted
 * by a thread other than the one that allocated them; and the inferences made when all logs are
 * read. */
#ifndef MP_MODEL_EVENT_LOG_H
#define MP_MODEL_EVENT_LOG_H

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
    int64_t time_us; /* since the first event */
    int64_t bytes;   /* bytes of allocations and old blocks */
    /* A number from 1 in the order of the log's threads, and its name; 0: none. Whoever reads the
     * log gives the numbers, so that nobody has to wait for the replay. */
    uint32_t thread;
    mp_string_id thread_name;
    mp_node_id node; /* the crawl */
    uint32_t site;   /* allocations: site returned by mp_blocks_site */
    mp_type_id type; /* type of deletions and old blocks */
    uint64_t line;
    mp_event_kind kind;
} mp_event;

/* A place of the table: a block that is alive, or the memory of one that was freed. */
typedef struct mp_block {
    uint64_t address;
    int64_t time_us, bytes;
    uint32_t generation; /* 0: the place is empty */
    uint32_t serial;     /* count of its thread's events at its birth */
    uint32_t thread;
    uint32_t epoch; /* number of the peak before its birth */
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
    uint32_t serial; /* events so far */
} mp_block_thread;

typedef struct mp_event_log {
    mp_model *model;
    mp_events *events;
    mp_diagnostics *diagnostics;
    const char *path; /* path of the log, and its place in model->inputs; set by the reader */
    uint32_t input;
    mp_block_thread *threads; /* from 1; those that were met in the replay */
    size_t thread_count, thread_capacity;
    mp_id_index handover_index;
} mp_event_log;

/* Open the log. The pointers must outlive it. Closing records everything that is still pending. */
void mp_event_log_open(mp_event_log *log, mp_model *model, mp_diagnostics *diagnostics);
void mp_event_log_close(mp_event_log *log);

/* One more event of its thread. */
void mp_event_log_count(mp_event_log *log, const mp_event *event);
/* The event contradicts the block that is alive at its address. */
void mp_event_log_contradicted(mp_event_log *log, mp_anomaly_kind kind, const mp_event *event,
                               const mp_block *block);
/* A deletion at an address where nothing is alive; `freed`: what was there, or NULL. */
void mp_event_log_unmatched(mp_event_log *log, const mp_event *event, const mp_freed *freed);
void mp_event_log_handover(mp_event_log *log, const mp_block *block, const mp_event *event);
/* Put the anomalies since there were `first` of them in the order of their lines: those that
 * readers tell may be told before those of events that stand before them. */
void mp_event_log_order(mp_event_log *log, uint32_t first);
/* Record an anomaly that the monitor itself reported: a corruption, or another one in its own
 * words. */
void mp_event_log_says(mp_event_log *log, mp_anomaly_kind kind, uint64_t line, mp_slice text);

#endif
