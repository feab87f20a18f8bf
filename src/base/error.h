/* Errors of a request. The function that finds a problem fills an mp_error, and its callers pass it
 * on to the one that prints it.
 *
 * The library never spells command-line options: it names arguments ("sort"), and the command line
 * adds the dashes. */
#pragma once

#include "memprof/diagnostics.h"

/* Mark before the name of an argument in a message; mp_error_line replaces it with the dashes. */
#define MP_DASHES "\001"
/* Copy a text into `line` of `size` bytes (at least 1), and replace each MP_DASHES by `dashes`. A
 * text that does not fit is cut. Return `line`. */
const char *mp_spell(char *line, size_t size, const char *text, const char *dashes);

/* Set the error. Return false, so callers can write `return mp_fail(...)`. */
bool mp_fail(mp_error *error, mp_error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Set an error about an argument (MP_ERROR_ARGUMENT). `value` may be NULL. Return false. */
bool mp_fail_argument(mp_error *error, const char *argument, const char *value, const char *format,
                      ...) __attribute__((format(printf, 4, 5)));
/* Set the error that `report` does not use the argument (MP_ERROR_UNUSED). `recording` ("a heap
 * dump") limits the error to this kind of input; NULL: the error is the same for all kinds. Return
 * false. */
bool mp_fail_unused(mp_error *error, const char *report, const char *argument,
                    const char *recording);
/* Set an error about a file (MP_ERROR_FILE). `line` and `column` are 0 if unknown. Return false. */
bool mp_fail_file(mp_error *error, const char *path, uint32_t line, uint32_t column,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));
