// Writes a ProTop report of the execution profile.
#ifndef GENERATOR_RPT_H
#define GENERATOR_RPT_H

#include "prf_table.h"
#include "writer.h"

#include <stdbool.h>

// The new layout has a column for source code.
void rpt_write(const PrfTable *table, bool new_layout, bool decimal_comma, Writer *writer);

#endif
