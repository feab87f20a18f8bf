/* Archives that came through a pipe, by the names that they go by: kept in a temporary file for
 * whoever opens a member. */
#ifndef MP_INPUT_PIPES_H
#define MP_INPUT_PIPES_H

#include "input/stream.h"

/* The stream, at its start, is given away. */
void mp_pipes_put(const char *name, mp_stream *stream);
bool mp_pipes_has(const char *name);
/* Another one of the same bytes, of a kept one. NULL: there is none. */
mp_stream *mp_pipes_again(const char *name);
void mp_pipes_forget(void);

#endif
