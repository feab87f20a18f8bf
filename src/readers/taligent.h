/* The Taligent reader: declarations for both kinds of files. */
#pragma once

#include "input/input.h"
#include "readers/reader.h"
#include "readers/replay.h"

/* A parsed line of a log. Slices borrow from the line. */
typedef struct taligent_line {
    mp_event_kind kind;
    mp_slice thread, type, crawl;
    int64_t time_us; /* microseconds since 1970 */
    int64_t bytes;
    uint64_t address;
    const char *wrong; /* reason why the line is not an event; static */
} taligent_line;

/* Parse a line of a log, without its star. Return false and set `wrong` if it is not an event. */
bool taligent_parse(mp_slice line, taligent_line *event);
/* Read the next line of a log if it is an event in the usual form: one tab between columns, and
 * numbers of up to 16 digits. For any other line, or one that is not completely in the window,
 * return false and consume nothing; taligent_parse gives the same result for both. */
bool taligent_take(mp_input *input, taligent_line *event);
bool taligent_is_title(mp_slice line);

/* A parsed line of a heap analysis file. */
typedef struct taligent_block {
    uint64_t address;
    int64_t bytes, age_us, born_us;
    mp_slice type, thread, crawl, deleter, deletion_crawl;
    bool old, undated, deleted; /* undated: an old block without a time of birth */
} taligent_block;

/* Parse the line of a block, which the texts borrow. Return false if it is none. */
bool taligent_parse_block(mp_slice line, taligent_block *block);

/* The threads of a log, numbered from 1 in order of appearance. Only the reader's thread uses
 * them. */
typedef struct taligent_threads {
    mp_id_index index; /* maps a thread_key() to its number */
    mp_string_id *names;
    size_t count, capacity;
} taligent_threads;

/* Sorting of events by time, between parsing and replay. Events that are already in order only pass
 * through a queue. */
typedef struct taligent_order {
    size_t most; /* maximum number of waiting events, and so of the events that may precede a late
                    one in the file */
    mp_event *queue; /* ring of events that are already in order */
    size_t places, first, queued;
    mp_event *late; /* a binary heap of late events, earliest first */
    size_t late_count, late_capacity;
    mp_event taken;
    int64_t highest_us; /* latest time of all events so far */
    int64_t within_us;  /* maximum time that an event waits, in microseconds; 0: no maximum */
    int64_t moved;      /* number of late events */
} taligent_order;

/* Open an empty order. `asked` is the value of mp_load_options.reorder. */
void taligent_order_open(taligent_order *order, int64_t asked);
void taligent_order_close(taligent_order *order);
/* Return the place of the next event, for the caller to fill. Its time is since 1970. Old blocks
 * have no time, and stay after the event that precedes them. */
mp_event *taligent_order_place(taligent_order *order);
/* With `more`, add the event at this place, and return the earliest waiting event, valid until the
 * next call, if too many wait; otherwise return NULL. Without `more`, return one of the remaining
 * events per call. */
const mp_event *taligent_order_next(taligent_order *order, bool more);
/* Return an event that has waited longer than `within_us`, valid until the next call; NULL: there
 * is none. Call it after taligent_order_next, until it returns NULL. */
const mp_event *taligent_order_due(taligent_order *order);

typedef struct taligent_distinct_crawl {
    mp_fingerprint print;
    mp_node_id node;
    bool allocates;
} taligent_distinct_crawl;

typedef struct taligent_distinct_type {
    mp_slice text;
    mp_type_id type;
} taligent_distinct_type;

/* The distinct call stacks and types of the files, and their ids in the model. */
typedef struct taligent_names {
    mp_model *model;
    const mp_load_options *options;
    mp_arena texts;
    mp_hash_index type_index, crawl_index;
    mp_id_index symbol_index; /* by name */
    uint32_t *first_nodes;    /* first node of each symbol; 0: none */
    size_t symbol_count, symbol_capacity;
    mp_id_index node_index; /* maps a (parent, symbol) to its node, if it is not the first one of
                               the symbol */
    taligent_distinct_crawl *crawls; /* from 1 */
    size_t crawl_count, crawl_capacity;
    uint32_t allocating;           /* number of distinct stacks of allocations */
    taligent_distinct_type *types; /* from 1 */
    size_t type_count, type_capacity;
} taligent_names;

void taligent_names_free(taligent_names *names);
/* Return the node of the innermost frame of a stack; none if the stack is empty. `allocates`: it is
 * the stack of an allocation. */
mp_node_id taligent_crawl(taligent_names *names, mp_slice crawl, bool allocates);
mp_type_id taligent_type(taligent_names *names, mp_slice type);

/* The state of one pass over one file. */
typedef struct taligent_pass taligent_pass;
struct taligent_pass {
    mp_model *model;
    mp_diagnostics *diagnostics;
    const mp_load_options *options;
    taligent_names *names;
    const char *path;
    mp_replay replay;
    bool begun;     /* an event that has a time was handed over */
    bool in_banner; /* the previous line is part of a banner */
    int64_t first_us,
        last_us; /* microseconds since 1970; `last_us` is the expected time of the last event */
    int64_t corrupt_events;
    taligent_threads threads;
    taligent_order order;
};

/* Begin the replay. Its slices divide the time from the first event to `last_us`. */
void taligent_begin(taligent_pass *pass, int64_t first_us, int64_t last_us);
void taligent_event(taligent_pass *pass, const taligent_line *line, uint64_t offset);
/* Replay the remaining events, and end all snapshots. */
void taligent_end(taligent_pass *pass);

/* Read a heap analysis file to its end, starting with `line`. Return false if its last line is
 * truncated. */
bool taligent_read_analysis(taligent_pass *pass, mp_input *input, mp_slice line);
