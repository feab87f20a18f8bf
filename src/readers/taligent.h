/* Taligent heap monitoring: what the two kinds of its files share. */
#ifndef MP_READERS_TALIGENT_H
#define MP_READERS_TALIGENT_H

#include "base/pipeline.h"
#include "input/input.h"
#include "model/blocks.h"
#include "readers/reader.h"

/* One line of a log, taken apart; slices borrow from it. */
typedef struct taligent_line {
    mp_event_kind kind;
    mp_slice thread, type, crawl;
    int64_t time_us; /* since 1970 */
    int64_t bytes;
    uint64_t address;
    const char *wrong; /* fault of a line that is no event; static */
} taligent_line;

/* False, with `wrong` set, for what is no event. The line has no star in front. */
bool taligent_parse(mp_slice line, taligent_line *event);
bool taligent_is_title(mp_slice line);

/* One line of a heap analysis file. */
typedef struct taligent_block {
    uint64_t address;
    int64_t bytes, age_us, born_us;
    mp_slice type, thread, crawl, deleter, deletion_crawl;
    bool old, undated, deleted; /* undated: old, and nobody knows since when */
} taligent_block;

bool taligent_parse_block(mp_slice line, taligent_block *block);

/* The threads of one log, numbered from 1 as they come: of the thread that reads. */
typedef struct taligent_threads {
    mp_id_index index; /* by what their names say */
    mp_string_id *names;
    size_t count, capacity;
} taligent_threads;

/* Events on their way from the lines of a log to the replay: of a log in order, a step into a queue
 * and a step out of it. */
typedef struct taligent_order {
    size_t
        most; /* that wait; an event that stands behind so many later ones still finds its place */
    mp_event *queue; /* a ring, in order: none of it was late */
    size_t places, first, queued;
    mp_event *late; /* a heap: the earliest first */
    size_t late_count, late_capacity;
    mp_event taken;
    int64_t highest_us; /* latest time of all so far */
    int64_t
        within_us; /* one that is older by more than this waits no longer; 0: that is no reason */
    int64_t moved; /* that were late */
} taligent_order;

/* `asked` as in mp_load_options. */
void taligent_order_open(taligent_order *order, int64_t asked);
void taligent_order_close(taligent_order *order);
/* Put an event in, with its time since 1970; gives the one whose turn it is, until the next call.
 * NULL: none yet. Without an event, those that are left come, one at a time. Old blocks, which have
 * no time, come behind what stands before them. */
const mp_event *taligent_order_next(taligent_order *order, const mp_event *event);
/* Behind that: one that has waited long enough by its time, until the next call. NULL: none. */
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

/* Distinct texts of the files and what they became in the model. */
typedef struct taligent_names {
    mp_model *model;
    const mp_load_options *options;
    mp_arena texts;
    mp_hash_index type_index, symbol_index, crawl_index;
    mp_id_index node_index;          /* (parent, symbol) to node */
    taligent_distinct_crawl *crawls; /* from 1 */
    size_t crawl_count, crawl_capacity;
    uint32_t allocating;           /* crawls of allocations */
    taligent_distinct_type *types; /* from 1 */
    size_t type_count, type_capacity;
    mp_id_index type_by_name; /* mp_string_id to type */
    bool converted;           /* some text was not UTF-8 */
} taligent_names;

void taligent_names_free(taligent_names *names);
/* The innermost frame of a crawl, none of an empty one; `allocates`: it is one of an allocation. */
mp_node_id taligent_crawl(taligent_names *names, mp_slice crawl, bool allocates);
mp_type_id taligent_type(taligent_names *names, mp_slice type);

/* One pass over one file. */
typedef struct taligent_pass taligent_pass;
struct taligent_pass {
    mp_model *model;
    mp_diagnostics *diagnostics;
    const mp_load_options *options;
    taligent_names *names;
    const char *path;
    mp_blocks blocks;
    bool timed, begun;                     /* an event was seen; one was replayed */
    bool in_banner;                        /* the last line was of a banner */
    int64_t first_us, last_us, highest_us; /* since 1970 */
    uint32_t slices, slice;                /* in all; the open one, 0: the start */
    int64_t slice_us;                      /* how long one is; 0: as long as `slices` makes it */
    bool asks_time, asks_line;             /* a moment that is still to come */
    int64_t asked_us;                      /* since the first event */
    uint64_t asked_line;                   /* the moment behind this line */
    mp_string_id start_tag, asked_tag;
    uint64_t records;
    int64_t corrupt_events, late_events; /* late: older than one that was replayed before it */
    mp_pipeline *replay;                 /* pipeline of taligent_batch */
    size_t batched;                      /* events in the batch that is being filled */
    taligent_threads threads;
    taligent_order order;
};

/* Events on their way from the thread that reads to the one that replays. */
enum { TALIGENT_BATCH = 512 };
typedef struct taligent_batch {
    taligent_pass *pass;
    size_t count;
    mp_event events[TALIGENT_BATCH];
} taligent_batch;

/* Replay a taligent_batch. */
void taligent_replay(void *opaque);
/* Wait until all events whose turn it was are replayed: before diagnostics and whatever else both
 * threads would touch. */
void taligent_resolve(taligent_pass *pass);

/* The slices are of the time from the first event to `last_us`. */
void taligent_begin(taligent_pass *pass, int64_t first_us, int64_t last_us);
void taligent_event(taligent_pass *pass, const taligent_line *line, uint64_t offset);
/* End all snapshots. */
void taligent_end(taligent_pass *pass);

/* Read a heap analysis file to its end, beginning with `line`; false where its last line is cut
 * off. */
bool taligent_read_analysis(taligent_pass *pass, mp_input *input, mp_slice line);

#endif
