/* Heap events of the shop as a C++ program. Each event refers to its block, so the known answer
 * need not find the block by its address. */
#pragma once

#include "gen.h"

enum { TAL_FRAMES = 64, TAL_SIZE_CLASSES = 64 /* classes of 16 bytes each */ };

/* Types in a deletion whose type is unknown. */
extern const char tal_novtbl[], tal_notype[];

typedef enum tal_story { TAL_LEAK, TAL_SLOW, TAL_CACHE, TAL_CHURN, TAL_TEMPORARY } tal_story;

typedef struct tal_site {
    tal_story story;
    int weight;
    int size, step; /* there are four sizes, which differ by `step` */
    const char *type;
    const char *other; /* type in one of five deletions; NULL = the type is always the same */
    bool cross;        /* blocks are deleted by another thread */
    /* Frames that distinguish the site, innermost first, separated by "<". */
    const char *frames, *deleter;
} tal_site;

typedef struct tal_crawl {
    const tal_site *site;
    const char *frames[TAL_FRAMES];
    int count;
    int id;     /* id of the first crawl with this text */
    char *text; /* frames separated by bars */
    size_t length;
} tal_crawl;

typedef struct tal_block {
    uint64_t address;
    int64_t serial; /* unique in a session */
    int64_t time;   /* time of allocation */
    int64_t size;
    const tal_crawl *crawl; /* crawl of its allocation; NULL = it is an old block */
    const tal_crawl *deletion_crawl;
    const char *type; /* type at the deletion; for an old block, always known */
    int thread, deleter;
    int next; /* next in a list of the plan */
} tal_block;

typedef enum tal_kind { TAL_OLD, TAL_ALLOCATION, TAL_DELETION } tal_kind;

typedef enum tal_fault {
    TAL_SOUND,
    TAL_BAD_ADDRESS, /* deletion of an address that was never allocated */
    TAL_DOUBLE,      /* deletion of an address that was already deleted */
    TAL_DISPLACES,   /* allocation at the address of a live block */
    TAL_SKIPPED      /* old line at the address of a live block */
} tal_fault;

typedef struct tal_event {
    tal_kind kind;
    tal_fault fault;
    int thread;
    int64_t time;
    tal_block block;
    const tal_block *displaced;
    int banner;   /* number of lines of a corruption banner before the event */
    bool starred; /* the banner says that the heap was corrupt */
    bool bad_row; /* a malformed line precedes the event */
    int late;     /* number of lines of later events that come before the line of this event */
} tal_event;

typedef struct tal_free_list {
    uint64_t *addresses;
    size_t count, room;
} tal_free_list;

typedef struct tal_plan {
    int64_t events;
    int threads, variants;
    uint64_t seed, random;
    bool damaged;
    tal_crawl *crawls, *deleters; /* `variants` crawls per site, which differ in their callers */
    int crawl_count;
    tal_crawl old_deleter;
    int weights[2]; /* total weight of all churn, and of all temporaries */

    int old_lines; /* number of old lines written so far */
    int64_t index; /* index of the next event */
    int64_t allocations, last_serial;

    tal_block *blocks;
    size_t block_count, block_room;
    int unused; /* list of unused blocks */
    int64_t doomed;

    int *wheel; /* lists of blocks, by the event that deletes them */
    int64_t wheel_size, cursor;
    int due_first, due_last; /* blocks to delete now */

    int temporary; /* block that the next event of its thread deletes; -1 = none */
    int64_t temporary_at;
    int displaceable; /* a block of the leak, which another allocation may displace; -1 = none */
    tal_block displaced;
    int64_t leaks, slow, cached;
    bool has_skipped; /* an old line with the address of a live block was written */
    int unknown;      /* number of unknown addresses so far */
    int starred;      /* number of events that must still be marked */
    bool backward;    /* the next temporary block is deleted before it is allocated */

    uint64_t top; /* top of the heap */
    tal_free_list free_lists[TAL_SIZE_CLASSES];
} tal_plan;

void tal_plan_init(tal_plan *plan, const gen_options *options);
void tal_plan_free(tal_plan *plan);

/* Get the next event, in the order of time. Return false at the end. */
bool tal_plan_next(tal_plan *plan, tal_event *event);
