// The plan of the execution, summed up.
#ifndef GENERATOR_PRF_TABLE_H
#define GENERATOR_PRF_TABLE_H

#include "prf_plan.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    PRF_MAX_NODES = 64,
    PRF_MAX_ROWS = 160,
};

// A row of the line summary.
typedef struct PrfRow {
    int module;
    int line;
    int64_t executions;
    int64_t exclusive;  // microseconds
    int64_t cumulative; // with all that was called from it
} PrfRow;

// A row of the call graph.
typedef struct PrfCall {
    int caller;
    int line;
    int callee;
    int64_t count;
} PrfCall;

typedef struct PrfTable {
    int version;
    int64_t inclusive[PRF_MAX_NODES]; // of each node of the call tree
    PrfRow rows[PRF_MAX_ROWS];        // [0] is the session
    int row_count;
    PrfCall calls[PRF_MAX_NODES];
    int call_count;
    int64_t executions; // of all lines but the prologues
} PrfTable;

void prf_table_init(PrfTable *table, int version);

int64_t prf_table_total(const PrfTable *table);

// The rows without the session, by time descending, then program, method and line. `order` gets
// their indexes; returns how many.
int prf_table_hottest(const PrfTable *table, int order[PRF_MAX_ROWS]);

#endif
