/* Why something that was asked for cannot be done: one value from the place that finds it to the
 * one that says it.
 *
 * The library never spells an option of the command line: it names the argument of the request
 * ("sort"), the command line puts its dashes in front. */
#ifndef MP_BASE_ERROR_H
#define MP_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum mp_error_code {
    MP_ERROR_NONE,
    MP_ERROR_ARGUMENT,  /* an argument's value cannot be used */
    MP_ERROR_UNUSED,    /* an argument that means nothing to what is asked */
    MP_ERROR_NO_ANSWER, /* such a recording cannot tell that */
    MP_ERROR_FILE,      /* a file that is read beside recordings (a policy, a baseline) is wrong */
    MP_ERROR_OUTPUT,    /* a file cannot be written */
} mp_error_code;

/* Zero-initialise; what the pointers refer to is the request's, or static. */
typedef struct mp_error {
    mp_error_code code;
    const char *argument;  /* of the request, such as "sort"; NULL: none in particular */
    const char *value;     /* of that argument, as it was given; NULL: it does not matter */
    const char *unused_by; /* of MP_ERROR_UNUSED: the report that does not use the argument */
    const char *path;      /* of the file that is wrong; NULL: none is */
    uint32_t line, column; /* there, from 1; 0: the whole file, the whole line */
    char text[1024];       /* what is wrong, what was expected; no full stop, no newline */
    char advice[256];      /* what to do instead; "": nothing in particular */
} mp_error;

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

/* The whole of it as a line: "path:line:column: error: text" of a file, "sort x: text" of an
 * argument, "top does not use sort" of one that is not used, with `dashes` in front of the
 * argument. Returns `line`; what does not fit is cut. */
const char *mp_error_line(const mp_error *error, const char *dashes, char *line, size_t size);

#endif
