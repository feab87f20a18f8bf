/* Count the rows of a database before it is written. */
#pragma once

#include "export/objects.h"

/* Maximum callers of a stack. Each object has its own copy of its stack. Without the limit, a
 * recursion that creates an object at each level would make the file grow with the square of its
 * depth. */
enum { AQ_CALLERS = 64 };

/* Return true if the number of rows is acceptable. Each result set contains all objects that are
 * alive at its snapshot. So a recording with many long-lived objects and many snapshots could make
 * a database that grows with the square of its size. Return false with a message. */
bool aq_rows_afforded(const mp_live_objects *live, mp_error *error);
