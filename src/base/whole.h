/* Complete reads and writes of a descriptor, repeated until all bytes are transferred. Safe in
 * signal handlers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Read exactly `length` bytes. Return false with errno, or with errno 0 if the input ends early. */
bool mp_read_all(int file, void *buffer, size_t length);
/* Write exactly `length` bytes. Return false with errno. */
bool mp_write_all(int file, const void *from, size_t length);
