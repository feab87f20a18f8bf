/* Memory: one out-of-memory handler, growable arrays, arenas.
 *
 * Ownership: whoever calls mp_grow owns the array and releases it with free(); what an arena hands
 * out is owned by the arena and lives until mp_arena_free. */
#ifndef MP_BASE_MEMORY_H
#define MP_BASE_MEMORY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* There is none: ends the process by the handler. The result is for `return mp_out_of_memory()`. */
_Noreturn void *mp_out_of_memory(void);
/* A stream that writes to memory. When it was closed, *text has all up to where it stood then,
 * *length bytes and a 0; release with free(). One by open_memstream, where it cannot grow, loses
 * what is written, without a word. */
FILE *mp_memory_open(char **text, size_t *length);
void mp_memory_close(FILE *file);

/* Never returns NULL: calls the out-of-memory handler instead. The memory is not cleared. */
void *mp_alloc(size_t bytes);
/* Like mp_alloc; cleared. */
void *mp_alloc_zero(size_t count, size_t size);

/* A NUL-terminated copy of `length` bytes; release with free(). */
char *mp_copy(const char *text, size_t length);

/* Make room for at least `need` elements of `size` bytes in *array (a pointer variable), doubling.
 * New room is not cleared. *capacity counts elements. */
void mp_grow(void *array, size_t *capacity, size_t need, size_t size);

/* The array moved into as much room as `count` elements of `size` bytes take; NULL of none. */
void *mp_fitted(void *array, size_t count, size_t size);

/* An arena: bytes that live and die together. Zero-initialise to start. */
typedef struct mp_arena {
    struct mp_arena_block *head;
    size_t used;
} mp_arena;

void *mp_arena_alloc(mp_arena *arena, size_t bytes);
/* A NUL-terminated copy of `length` bytes. */
char *mp_arena_copy(mp_arena *arena, const char *text, size_t length);
/* A NUL-terminated string as by printf. */
char *mp_arena_format(mp_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *mp_arena_format_list(mp_arena *arena, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void mp_arena_free(mp_arena *arena);
/* Take back all that the arena has handed out, and keep its last block to hand out again. */
void mp_arena_reset(mp_arena *arena);

/* Addresses from `begin` up to, without, `end`. */
typedef struct mp_memory_range {
    uintptr_t begin, end;
} mp_memory_range;

/* Return the memory ranges that the arena has handed out, sorted by address; the arena owns
 * whatever lies in them. Valid until the arena hands out more; release with free(). */
mp_memory_range *mp_arena_ranges(const mp_arena *arena, size_t *count);
/* Return true if the memory lies in one of the sorted ranges. */
bool mp_ranges_have(const mp_memory_range *ranges, size_t count, const void *memory);

#endif
