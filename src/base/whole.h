/* Bytes of a descriptor, all of them, however many calls of the system that takes. Safe in signal
 * handlers. */
#ifndef MP_BASE_WHOLE_H
#define MP_BASE_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

/* False where the other end is closed before all is there; errno says why, or is 0. */
bool mp_read_all(int file, void *buffer, size_t length);
/* False with errno. */
bool mp_write_all(int file, const void *from, size_t length);

#endif
