/* Libraries that are loaded when they are first needed. Most questions need none of them, and
 * loading and relocating them takes longer than the analysis of a small recording.
 *
 * A library is a list MP_X(SYMBOL) with SYMBOL(name) for each function and variable that memprof
 * uses, and a struct of pointers to them: struct { MP_X(MP_LATE_MEMBER) }. The static program
 * contains the libraries, and defines filled structs (src/cli/static). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define MP_LATE_MEMBER(name) __typeof__(name) *name;
#define MP_LATE_NAME(name) #name,
#define MP_LATE_LINKED(name) .name = &name,

/* Load the shared library `soname`, and set the pointers of `table`, one for each of `names`.
 * Return false if the library or one of the names was not found. The library stays loaded. */
bool mp_late_load(const char *soname, const char *const *names, size_t count, void *table);

/* Reason why there is no library, for mp_fail and similar functions. */
#define MP_LATE_FAILURE(soname) "needs " soname ", which cannot be loaded"
