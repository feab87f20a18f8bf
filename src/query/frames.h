/* Groups by every frame of a stack, for mp_group_by. */
#ifndef MP_QUERY_FRAMES_H
#define MP_QUERY_FRAMES_H

#include "query/query.h"

mp_grouping mp_group_frames(const mp_window *window);

#endif
