/* Libraries that are loaded when they are first needed. Most questions need none of them, and
 * loading and relocating them takes longer than the analysis of a small recording.
 *
 * A library is a list MP_X(SYMBOL) with SYMBOL(name) for each function and variable that memprof
 * uses, a struct of pointers to them, struct { MP_X(MP_LATE_MEMBER) }, and a mp_late. The static
 * program contains the libraries, and defines filled structs (src/cli/static). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define MP_LATE_MEMBER(name) __typeof__(name) *name;
#define MP_LATE_NAME(name) #name,
#define MP_LATE_LINKED(name) .name = &name,

typedef struct mp_late {
    const char *soname;
    const char *const *names; /* the symbols, in the order of the struct */
    size_t size;              /* of the struct */
    void *table;              /* the struct to fill */
    const void *linked;       /* the filled struct of the static program; elsewhere NULL */
    const char *failure;      /* why the library cannot be loaded */
    bool tried, loaded;
} mp_late;

/* Initializer of a mp_late. `linked_table` is a weak symbol. */
#define MP_LATE(file, symbols, table_to_fill, linked_table)                                        \
    {                                                                                              \
        .soname = (file), .names = (symbols), .size = sizeof(table_to_fill),                       \
        .table = &(table_to_fill), .linked = &(linked_table),                                      \
        .failure = "needs " file ", which cannot be loaded"                                        \
    }

/* Fill the library's struct, unless it is filled already. Return NULL, or a static text with the
 * reason why it cannot be filled; its contents are then undefined. The library stays loaded.
 * Thread-safe. */
const char *mp_late_load(mp_late *library);
