/* Pipes that cannot be opened again, by the names that they go by: what was looked at, or kept, is
 * there for who opens them next. */
#ifndef MP_INPUT_PIPES_H
#define MP_INPUT_PIPES_H

#include "input/stream.h"

/* The stream, at its start, is given away. */
void mp_pipes_put(const char *name, mp_stream *stream);
bool mp_pipes_has(const char *name);
/* The stream, which is then no longer there; NULL: there is none. */
mp_stream *mp_pipes_take(const char *name);
/* Another one of the same bytes, of a kept one. NULL: there is none. */
mp_stream *mp_pipes_again(const char *name);
void mp_pipes_forget(void);

#endif
