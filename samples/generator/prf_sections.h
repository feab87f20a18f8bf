// The sections of an execution profile beyond the tables.
#ifndef GENERATOR_PRF_SECTIONS_H
#define GENERATOR_PRF_SECTIONS_H

#include "prf_table.h"
#include "writer.h"

// The JSON-like object of versions 3 and 4, with the faults that it has in real files.
void prf_properties(const PrfTable *table, Writer *writer);
void prf_tracing(const PrfTable *table, Writer *writer);
void prf_coverage(Writer *writer);
void prf_statistics(const PrfTable *table, Writer *writer);
void prf_tree(const PrfTable *table, Writer *writer);
void prf_user_data(Writer *writer);

#endif
