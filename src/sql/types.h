/* The types by which SQL declares columns: a unit each, which SQLite reads as an affinity. */
#ifndef MP_SQL_TYPES_H
#define MP_SQL_TYPES_H

#include <stdbool.h>

#include "memprof/document.h"

/* Return the type of a unit: "BYTES". Static. */
const char *mp_sql_type(mp_unit unit);
/* Find the unit of a type. Return false if it is none of these; NULL is none. */
bool mp_sql_unit(const char *type, mp_unit *unit);

#endif
