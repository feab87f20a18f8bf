/* Diagnostics: what was wrong with an input, where, and how often; errors; verdicts.
 *
 * The library never prints and never exits. It counts each diagnostic and keeps the first few of
 * every code with their place; who calls it decides what becomes of them. */
#ifndef MEMPROF_DIAGNOSTICS_H
#define MEMPROF_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum mp_severity {
    MP_NOTE = 0,
    MP_WARNING = 1,
    MP_ERROR = 2,
} mp_severity;

/* Codes by number, for programs that are compiled with these headers; others know a diagnostic by
 * its code, which stays (mp_diagnostic_code). */
typedef enum mp_diagnostic_id {
#define MP_DIAGNOSTIC(name, code, severity, violation, unsound) MP_DIAG_##name,
#include "memprof/diagnostics.def"
#undef MP_DIAGNOSTIC
    MP_DIAGNOSTIC_COUNT
} mp_diagnostic_id;

/* One kept diagnostic. The strings belong to the mp_diagnostics. */
typedef struct mp_diagnostic {
    mp_diagnostic_id id;
    const char *path;    /* as the user named it; NULL: no input */
    uint64_t line;       /* from 1; 0: the whole file */
    const char *message; /* what is wrong, what was expected; no full stop, no newline */
} mp_diagnostic;

typedef struct mp_diagnostics mp_diagnostics;

/* The kept ones, in the order of their coming. Valid while nothing is read. */
size_t mp_diagnostics_kept(const mp_diagnostics *diagnostics, const mp_diagnostic **first);
/* How many of this code there were, kept or not. */
uint64_t mp_diagnostics_count(const mp_diagnostics *diagnostics, mp_diagnostic_id id);
/* How many of this severity there were. */
uint64_t mp_diagnostics_severity_count(const mp_diagnostics *diagnostics, mp_severity severity);
/* How many contradict the format or the file itself. */
uint64_t mp_diagnostics_violations(const mp_diagnostics *diagnostics);

/* Return the properties of a code from the table: its name ("cannot-open"), its severity, and
 * whether it is a violation. */
const char *mp_diagnostic_code(mp_diagnostic_id id);
mp_severity mp_diagnostic_severity(mp_diagnostic_id id);
bool mp_diagnostic_is_violation(mp_diagnostic_id id);
/* Return whether figures may miss a part of what was recorded, so that nothing judges them. */
bool mp_diagnostic_is_unsound(mp_diagnostic_id id);
/* Return whether it says that an input ends before what was recorded does. */
bool mp_diagnostic_breaks_off(mp_diagnostic_id id);
/* "note", "warning", "error" */
const char *mp_severity_name(mp_severity severity);

/* --- errors: why something that was asked for cannot be done --- */

typedef enum mp_error_code {
    MP_ERROR_NONE = 0,
    MP_ERROR_ARGUMENT = 1,  /* an argument's value cannot be used */
    MP_ERROR_UNUSED = 2,    /* an argument that means nothing to what is asked */
    MP_ERROR_NO_ANSWER = 3, /* such a recording cannot tell that */
    MP_ERROR_FILE = 4,   /* a file that is read beside recordings (a policy, a baseline) is wrong */
    MP_ERROR_INPUT = 5,  /* a file cannot be read */
    MP_ERROR_OUTPUT = 6, /* a file cannot be written */
    MP_ERROR_CANCELLED = 7, /* the reading was ended by who watches it */
} mp_error_code;

/* Never NULL where one is asked for; set by a failure and left alone otherwise. What the pointers
 * refer to is the request's, or static. For people, use mp_error_line: `text` alone may stand for a
 * part of the sentence, and marks names of arguments with a control character. */
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

/* The whole of it as a line: "path:line:column: error: text" of a file, "sort x: text" of an
 * argument, "top does not use sort" of one that is not used, with `dashes` in front of the
 * argument; the advice behind it. `dashes` may be "". Returns `line`, of `size` bytes, at least 1;
 * what does not fit is cut. */
const char *mp_error_line(const mp_error *error, const char *dashes, char *line, size_t size);

/* --- verdicts: what comes of holding a recording to a rule or a limit --- */

typedef enum mp_verdict {
    MP_VERDICT_PASS = 0,
    MP_VERDICT_FAIL = 1,
    MP_VERDICT_ERROR = 2, /* could not be judged */
    MP_VERDICTS = 3,
} mp_verdict;

/* "pass", "fail", "error"; static. */
const char *mp_verdict_name(mp_verdict verdict);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
