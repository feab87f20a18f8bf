/* Which files were read, so that nothing that is made of them takes their place.
 *
 * Kept for the whole process, once it has asked for that: a program that never asks has no list
 * that grows. */
#ifndef MP_INPUT_TAKEN_H
#define MP_INPUT_TAKEN_H

#include <stdbool.h>

void mp_taken_begin(void);
/* All of them, and keep no more. */
void mp_taken_forget(void);

/* A descriptor that is read from. `is_database`: what stands beside it is part of it. */
void mp_taken_add(int file, bool is_database);

/* How a path stands to what was read: at the end of its links. */
typedef enum mp_taken {
    MP_NOT_TAKEN,
    MP_TAKEN,        /* it is one of the files */
    MP_TAKEN_BESIDE, /* it is where SQLite keeps changes of a database that was read */
} mp_taken;
mp_taken mp_taken_is(const char *path);

#endif
