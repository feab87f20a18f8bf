// Writes SQL text that makes a database of AQTime's Allocation profiler.
#ifndef GENERATOR_AQTIME_H
#define GENERATOR_AQTIME_H

#include "aqtime_plan.h"
#include "writer.h"

void aqtime_write(const AqPlan *plan, Writer *writer);

#endif
