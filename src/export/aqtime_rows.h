/* Count the rows of a database before it is written. */
#ifndef MP_EXPORT_AQTIME_ROWS_H
#define MP_EXPORT_AQTIME_ROWS_H

#include "export/objects.h"

/* Maximum callers of a stack. Each object has its own copy of its stack, so the stacks of a
 * recursion with an object at each level would grow with the square of its depth. */
enum { AQ_CALLERS = 64 };

/* Return true if the number of rows is acceptable. Each result set has all objects that are alive
 * at its snapshot, so a recording with many long-lived objects and many snapshots could make a
 * database that grows with the square of its size. False with a message. */
bool aq_rows_afforded(const mp_live_objects *live, mp_error *error);

#endif
