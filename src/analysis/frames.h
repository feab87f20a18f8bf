/* Groups by every frame of a stack, for mp_group_by. */
#ifndef MP_ANALYSIS_FRAMES_H
#define MP_ANALYSIS_FRAMES_H

#include "memprof/analysis.h"

mp_grouping mp_group_frames(const mp_window *window);

#endif
