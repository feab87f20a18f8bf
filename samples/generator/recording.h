// The state of the application that is recorded: what is alive, what was published, the totals.
#ifndef GENERATOR_RECORDING_H
#define GENERATOR_RECORDING_H

#include "heap.h"
#include "oemp.h"
#include "plan.h"
#include "writer.h"

#include <stdbool.h>
#include <stdint.h>

// Ids are given in the order in which things turn up; `order` holds the indexes in that order, and
// what stands from `fresh` on is new in this snapshot.
typedef struct Published {
    int order[SHOP_MAX_NAMES];
    int ids[SHOP_MAX_NAMES]; // 0: not published
    int count;
    int fresh;
} Published;

typedef struct Tally {
    int64_t objects;
    int64_t bytes;
} Tally;

typedef struct Recording {
    const Plan *plan;
    const OempOptions *options;
    Writer *writer;
    int snapshot;

    HeapList *due; // by the snapshot that reports the deletion
    int list_count;
    HeapList created; // in this interval
    HeapList changed;

    uint64_t last_id;
    uint64_t objects; // ever created
    int32_t last_table;
    uint64_t latest[SHOP_MAX_SITES]; // id of the site's latest object
    int64_t quota[SHOP_MAX_SITES];   // objects of the site in this interval
    int64_t done[SHOP_MAX_SITES];

    Tally live; // as the trailer counts: version 1 knows no reusable objects
    Tally reusable;
    int64_t high_water;

    Published names;
    Published others;
    Published nodes;
} Recording;

// False: out of memory. To be freed in either case.
bool recording_init(Recording *recording, const Plan *plan, const OempOptions *options,
                    Writer *writer);
void recording_free(Recording *recording);

bool recording_create(Recording *recording, int site);
void recording_change(Recording *recording, HeapObject *object);
void recording_delete(Recording *recording, const HeapObject *object);

// Spreads the creations over the interval, once their number is known.
void recording_stamp(Recording *recording);

// When the `index`th of the interval's deletions happens.
int64_t recording_deletion_time(const Recording *recording, size_t index);

// Finds the most objects alive at any moment of the interval.
void recording_high_water(Recording *recording);

// Gives ids to the names and nodes that the interval's new objects use for the first time.
void recording_publish(Recording *recording);

int64_t recording_size(const Recording *recording, const HeapObject *object);

#endif
