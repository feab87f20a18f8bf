// When how many objects of which site come and go, in closed formulas: the recording follows
// them object by object, and the known answer is worked out from them.
#ifndef GENERATOR_PLAN_H
#define GENERATOR_PLAN_H

#include "shop.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    PLAN_MIN_SNAPSHOTS = 4,
    PLAN_MAX_SNAPSHOTS = 1000,
    PLAN_LIVES = 3,          // of three objects of a site, one lives each number of snapshots
    PLAN_TABLE_SNAPSHOT = 3, // temp-tables with TABLE_LATER are instantiated before it
};

typedef struct Plan {
    Shop shop;
    uint64_t objects;
    int work;            // snapshots 1..work are of the program at work
    bool reusable_apart; // version 1 counts reusable objects as ordinary ones
    bool exit;           // then come _PreCleanUp and _Exit
    int agent_session;   // n of AS-n, 0 for a client
    int weights;
    int64_t churn; // objects of all churn sites together
} Plan;

void plan_init(Plan *plan, uint64_t objects, int snapshots, bool exit, bool reusable, int session);

int plan_last_snapshot(const Plan *plan);

// Where leaks are looked for: _PreCleanUp, else the last snapshot.
int plan_to_snapshot(const Plan *plan);

// Microseconds since the start; 0 is the start itself.
int64_t plan_time(const Plan *plan, int snapshot);
const char *plan_tag(const Plan *plan, int snapshot);

// Objects of a site that are created before snapshot `born` and after the one before.
int64_t plan_created(const Plan *plan, int site, int born);

// Which of the PLAN_LIVES kinds the `index`th of them is, and how many are of a kind.
int plan_life(int born, int64_t index);
int64_t plan_created_of_life(const Plan *plan, int site, int born, int life);

// The snapshot that reports such an object as deleted; past the last one if none does.
int plan_deleted_at(const Plan *plan, int site, int born, int life);

// Size when it was created, and `age` snapshots after the one that first reported it.
int64_t plan_size(const Plan *plan, int site, int life, int age);

// Whether an object that lives on has changed since the snapshot before this age.
bool plan_changed(const Plan *plan, int site, int born, int snapshot);

// Whether its objects are counted apart from the ordinary ones.
bool plan_reusable(const Plan *plan, int site);

#endif
