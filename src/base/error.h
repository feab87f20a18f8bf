/* Why something that was asked for cannot be done: one value from the place that finds it to the
 * one that says it.
 *
 * The library never spells an option of the command line: it names the argument of the request
 * ("sort"), the command line puts its dashes in front. */
#ifndef MP_BASE_ERROR_H
#define MP_BASE_ERROR_H

#include "memprof/diagnostics.h"

/* In a text, before the name of an argument of the request: mp_error_line puts the dashes there. */
#define MP_DASHES "\001"
/* Copy a text into `line` of `size` bytes, at least 1, with the dashes in the place of such marks;
 * what does not fit is cut. Returns `line`. */
const char *mp_spell(char *line, size_t size, const char *text, const char *dashes);

/* Set the error; returns false, for `return mp_fail(...)`. */
bool mp_fail(mp_error *error, mp_error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same of an argument (MP_ERROR_ARGUMENT) with its value, which may be NULL. */
bool mp_fail_argument(mp_error *error, const char *argument, const char *value, const char *format,
                      ...) __attribute__((format(printf, 4, 5)));
/* `report` does not use the argument (MP_ERROR_UNUSED), if only with `recording` ("a heap dump");
 * NULL: with none. */
bool mp_fail_unused(mp_error *error, const char *report, const char *argument,
                    const char *recording);
/* The same of a file (MP_ERROR_FILE) at a line and column, or 0. */
bool mp_fail_file(mp_error *error, const char *path, uint32_t line, uint32_t column,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
