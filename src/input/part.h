/* A part of a file, as a stream that can be read again and again. */
#ifndef MP_INPUT_PART_H
#define MP_INPUT_PART_H

#include "input/stream.h"

/* `length` bytes from `from` on of the file, whose descriptor stays the caller's. NULL, with errno
 * set, where there are no more descriptors. */
mp_stream *mp_part_new(int file, uint64_t from, uint64_t length);

#endif
