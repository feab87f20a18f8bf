/* The files that were read, so that no output overwrites them.
 *
 * The set is kept for the whole process once mp_read_set_begin was called; a program that never
 * calls it has no list that grows. */
#ifndef MP_INPUT_READ_SET_H
#define MP_INPUT_READ_SET_H

#include <stdbool.h>
#include <sys/stat.h>

void mp_read_set_begin(void);
/* Forget all files, and keep no more. */
void mp_read_set_forget(void);

/* Add a file by its status; what is no regular file is left out. `is_database`: SQLite keeps
 * changes of it in sidecar files. */
void mp_read_set_add(const struct stat *file, bool is_database);

/* Relation of a path, at the end of its links, to the files that were read. */
typedef enum mp_read_state {
    MP_NOT_READ,
    MP_READ,         /* it is one of the files */
    MP_READ_SIDECAR, /* it is where SQLite keeps changes of a database that was read */
} mp_read_state;
mp_read_state mp_read_set_find(const char *path);

#endif
