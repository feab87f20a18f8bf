/* Memory: an out-of-memory handler, growable arrays, arenas.
 *
 * The caller of mp_grow owns the array and releases it with free(). Memory of an arena belongs to
 * the arena and lives until mp_arena_free or mp_arena_reset. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Call the out-of-memory handler, which ends the process. The return type allows `return
 * mp_out_of_memory()`. */
_Noreturn void *mp_out_of_memory(void);
/* Open a stream that writes to memory. On close, *text becomes the *length bytes before the current
 * position, NUL-terminated; release with free(). If memory runs out, the stream calls the
 * out-of-memory handler; a stream of open_memstream would silently lose output. */
FILE *mp_memory_open(char **text, size_t *length);
void mp_memory_close(FILE *file);

/* Allocate memory, uninitialized. Never return NULL; call the out-of-memory handler instead. */
void *mp_alloc(size_t bytes);
/* Allocate zeroed memory. Never return NULL. */
void *mp_alloc_zero(size_t count, size_t size);

/* Release several pointers, all of which are read before the first is released. */
#define MP_FREE(...)                                                                               \
    mp_free_all((const void *const[]){__VA_ARGS__},                                                \
                sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *))
void mp_free_all(const void *const *memory, size_t count);

/* Return a NUL-terminated copy of `length` bytes; release with free(). */
char *mp_copy(const char *text, size_t length);

/* Grow *array (a pointer variable) to at least `need` elements of `size` bytes by doubling its
 * capacity. *capacity counts elements. New elements are uninitialized. */
void mp_grow(void *array, size_t *capacity, size_t need, size_t size);
/* Add an uninitialized element to an array of `count` elements. Return its address. */
#define MP_APPEND(array, count, capacity)                                                          \
    (mp_grow(&(array), &(capacity), (size_t)(count) + 1, sizeof *(array)), &(array)[(count)++])
/* Lengthen an array of *count elements to at least `need`. New elements are zero. */
#define MP_EXTEND(array, count, capacity, need)                                                    \
    ((need) > (count) ? mp_extend(&(array), &(count), &(capacity), need, sizeof *(array)) : (void)0)
void mp_extend(void *array, size_t *count, size_t *capacity, size_t need, size_t size);

/* Return the array with `count` elements of `size` bytes, moved if necessary. New elements are
 * uninitialized. NULL is an empty array; release with free(). */
void *mp_resized(void *array, size_t count, size_t size);

/* Move the array into memory of exactly `count` elements of `size` bytes. Return NULL for a count
 * of 0. */
void *mp_fitted(void *array, size_t count, size_t size);

/* An arena: memory that is released all at once. Zero-initialise to start. */
typedef struct mp_arena {
    struct mp_arena_block *head;
    size_t used;
} mp_arena;

/* Return uninitialized memory of the arena, aligned for any type. */
void *mp_arena_alloc(mp_arena *arena, size_t bytes);
/* Return a NUL-terminated copy of `length` bytes. */
char *mp_arena_copy(mp_arena *arena, const char *text, size_t length);
/* Format as printf does. Return a NUL-terminated string. */
char *mp_arena_format(mp_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *mp_arena_format_list(mp_arena *arena, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void mp_arena_free(mp_arena *arena);
/* Release everything that the arena has handed out. Its last block is kept for reuse. */
void mp_arena_reset(mp_arena *arena);

/* Addresses from `begin` (inclusive) to `end` (exclusive). */
typedef struct mp_memory_range {
    uintptr_t begin, end;
} mp_memory_range;

/* Return the address ranges of the arena's blocks, sorted by address. They are valid until the
 * arena allocates again; release with free(). */
mp_memory_range *mp_arena_ranges(const mp_arena *arena, size_t *count);
/* Return true if the address lies in one of the sorted ranges. */
bool mp_ranges_have(const mp_memory_range *ranges, size_t count, const void *memory);
