/* Work that a second thread does beside the caller. */
#pragma once

typedef struct mp_beside mp_beside;

/* Begin work(argument) on another thread or, if none can be started, do it at once. Until
 * mp_beside_end, neither thread may use what the other one changes. */
mp_beside *mp_beside_begin(void (*work)(void *argument), void *argument);

/* Wait until the work is done, release it, and set *beside to NULL. NULL: there is none. */
void mp_beside_end(mp_beside **beside);
