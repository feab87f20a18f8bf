// Counts what the plan of the C++ shop does: the numbers of its known answer.
#ifndef GENERATOR_TALIGENT_TALLY_H
#define GENERATOR_TALIGENT_TALLY_H

#include "taligent_plan.h"

#define TAL_UNKNOWN_TYPE "(unknown)"

enum {
    TAL_SLICES = 10,
};

typedef struct TalSum {
    int64_t objects;
    int64_t bytes;
} TalSum;

typedef struct TalTotals {
    TalSum created;
    int64_t deleted_objects;
    int64_t peak_objects;
    int64_t peak_bytes;
    int64_t peak_time;
    TalSum old;
    TalSum old_live;
    TalSum temporary;
    int64_t double_deletions;
    int64_t bad_addresses;
    int64_t nonunique;
    int64_t displaced;
    int64_t corruptions;
    int64_t corrupt_events;
    int64_t cross_thread;
    int64_t crawls;
} TalTotals;

typedef struct TalSlice {
    int64_t created;
    int64_t deleted;
    TalSum live; // at its end
} TalSlice;

// A site is an allocation crawl.
typedef struct TalSiteTally {
    const TalCrawl *crawl;
    TalSum live;
    int64_t created;
    int64_t deleted;
    int64_t types[TAL_TYPE_COUNT]; // deletions
} TalSiteTally;

typedef struct TalThreadTally {
    int64_t events;
    TalSum created;
    TalSum live; // what it allocated
    int64_t deleted;
    int64_t last; // serial of the block that its latest event allocated, 0: that was a deletion
} TalThreadTally;

typedef struct TalTally {
    TalPlan plan;
    TalTotals totals;
    TalSum live;
    int64_t first_time;
    int64_t last_time;
    int slice; // the current one
    TalSlice slices[TAL_SLICES + 1];
    TalThreadTally *threads;
    TalSiteTally *sites;
    int site_count;
    TalSum old_live_types[TAL_TYPE_COUNT];
    int64_t *ages; // of deleted blocks
    int64_t age_count;
} TalTally;

// False: out of memory; to be freed in either case.
bool taligent_tally_init(TalTally *tally, const TalOptions *options);
void taligent_tally_free(TalTally *tally);

// The time at which a slice ends, in microseconds since 1970.
int64_t taligent_tally_boundary(const TalTally *tally, int slice);

// The type that most of the site's blocks had at their deletion; TAL_NOVTBL: not known.
TalType taligent_tally_inferred(const TalSiteTally *site);
const char *taligent_tally_type(const TalSiteTally *site);

#endif
