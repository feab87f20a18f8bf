/* The name of what has most of a whole, for what is said of a rule on it that fails. */
#ifndef MP_COMPARE_MOST_H
#define MP_COMPARE_MOST_H

#include "compare/decide.h"

/* Return "; worst leak: 10.4 KiB, OOABL Obj shop.OrderEvent at placeOrder shop.OrderService:155" of
 * a rule on leaks, or one that hides a leak, and "; most: ..." of what else it measures of the
 * window. "" where nothing has any; NULL where a window does not tell it. In the evaluation's
 * scratch. */
const char *mp_most_of_whole(mp_evaluation *evaluation, const mp_window *window);

#endif
