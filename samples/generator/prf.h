// Writes an execution profile, and its known answer.
#ifndef GENERATOR_PRF_H
#define GENERATOR_PRF_H

#include "prf_table.h"
#include "writer.h"

#include <stdbool.h>

void prf_write(const PrfTable *table, bool old_modules, Writer *writer);

// Writes JSON to the file. False: it cannot be written.
bool prf_answer(const PrfTable *table, bool old_modules, const char *path);

#endif
