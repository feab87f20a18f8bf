// Writes garbage-collector heap dumps.
#ifndef GENERATOR_RPM_H
#define GENERATOR_RPM_H

#include "rpm_plan.h"
#include "writer.h"

typedef struct RpmLayout {
    bool no_stamps;
    bool torn; // without an end
    bool types_last;
} RpmLayout;

void rpm_write(const RpmPlan *plan, const RpmLayout *layout, Writer *writer);

// The known answer. False: it cannot be written, or out of memory.
bool rpm_answer(const RpmPlan *plan, const char *path);

#endif
