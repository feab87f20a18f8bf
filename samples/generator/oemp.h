// Writes a memory-profiler recording.
#ifndef GENERATOR_OEMP_H
#define GENERATOR_OEMP_H

#include "plan.h"
#include "writer.h"

#include <stdbool.h>

typedef struct OempOptions {
    int version;
    const char *uuid;
    int first_sequence; // only the snapshots from this one
    int last_sequence;  // to this one are written
} OempOptions;

// False: out of memory.
bool oemp_write(const Plan *plan, const OempOptions *options, Writer *writer);

#endif
