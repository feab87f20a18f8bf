// What happens on the heap of the C++ shop, event by event. Every event knows which block it
// concerns, so that the known answer need not find that out from addresses.
#ifndef GENERATOR_TALIGENT_PLAN_H
#define GENERATOR_TALIGENT_PLAN_H

#include "taligent_shop.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    TAL_MAX_THREADS = 65536,
    TAL_SIZE_CLASSES = 64, // of 16 bytes each
    TAL_LATE_OLD = 1,      // old blocks whose line stands within a damaged log
};

typedef struct TalOptions {
    int64_t events;
    int frames;
    int threads;
    uint64_t seed;
    bool damaged;
} TalOptions;

typedef struct TalBlock {
    uint64_t address;
    int64_t serial; // tells all blocks of a session apart
    int64_t time;   // of allocation
    int64_t size;
    const TalCrawl *crawl; // of allocation; NULL: an old block
    const TalCrawl *deletion_crawl;
    TalType type; // at deletion; an old block's at any time
    int thread;
    int deleter; // thread
    int next;    // in a list of the plan
} TalBlock;

typedef enum TalKind {
    TAL_OLD,
    TAL_ALLOCATION,
    TAL_DELETION,
} TalKind;

typedef enum TalFault {
    TAL_SOUND,
    TAL_BAD_ADDRESS, // deletion of an address that never was
    TAL_DOUBLE,      // deletion of an address that was deleted
    TAL_DISPLACES,   // allocation over a living block
    TAL_SKIPPED,     // an old line at the address of a living block
} TalFault;

typedef struct TalEvent {
    TalKind kind;
    TalFault fault;
    int thread;
    int64_t time; // as in the log
    TalBlock block;
    int64_t displaced_size;
    int displaced_thread;
    const TalCrawl *displaced_crawl;
    int banner;   // lines of a corruption banner before it
    bool starred; // the heap was corrupt
    bool bad_row; // a line before it that is none
} TalEvent;

typedef struct TalFreeList {
    uint64_t *addresses;
    size_t count;
    size_t room;
} TalFreeList;

typedef struct TalPlan {
    TalOptions options;
    TalShop shop;
    int weights[2]; // of all churn, of all temporaries
    int old_lines;  // written so far
    int64_t index;  // of the next event
    int64_t allocations;
    int64_t last_serial;
    uint64_t random;
    bool out_of_memory;

    TalBlock *blocks;
    int block_count;
    int block_room;
    int unused; // list of blocks to use again
    int64_t doomed;

    int *wheel; // lists of blocks by the event at which they die
    int64_t wheel_size;
    int64_t cursor;
    int due_first; // blocks that are to be deleted now
    int due_last;

    int temporary; // block that its thread's next event deletes, -1: none
    int64_t temporary_at;
    int displaceable; // a block of the leak, -1: none
    int64_t leaks;
    int64_t slow;
    int64_t cached;
    bool has_skipped; // the old line at the address of a living block is written
    int unknown;      // addresses so far
    int starred;      // events still to be marked
    bool backward;    // the next temporary is deleted before it was made

    uint64_t top; // of the heap
    TalFreeList free_lists[TAL_SIZE_CLASSES];
} TalPlan;

// False: out of memory; to be freed in either case.
bool taligent_plan_init(TalPlan *plan, const TalOptions *options);
void taligent_plan_free(TalPlan *plan);

// False: that was all, or out of memory.
bool taligent_plan_next(TalPlan *plan, TalEvent *event);

// Microseconds since 1970 of an event in a sound log; they rise from event to event.
int64_t taligent_plan_time(const TalPlan *plan, int64_t index);

#endif
