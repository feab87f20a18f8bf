/* How many rows a database has, before the first one is written. */
#ifndef MP_EXPORT_AQTIME_ROWS_H
#define MP_EXPORT_AQTIME_ROWS_H

#include "export/objects.h"

/* Each object has its stack for itself, so that of a recursion with an object on each level would
 * make a database that grows with the square of its depth. */
enum { AQ_CALLERS = 64 };

/* Every result set has all that is alive at it, so that what many snapshots have in common would
 * make a database that grows with the square of the recording. False with a message where it does.
 */
bool aq_rows_afforded(const mp_live_objects *live, mp_error *error);

#endif
