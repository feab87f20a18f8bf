// The known answer of a memory recording, worked out from the plan alone.
#ifndef GENERATOR_OEMP_ANSWER_H
#define GENERATOR_OEMP_ANSWER_H

#include "plan.h"

#include <stdbool.h>

// Writes JSON to the file. False: it cannot be written.
bool oemp_answer(const Plan *plan, const char *path);

#endif
