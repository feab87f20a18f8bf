/* Diagnostics of inputs (what is wrong, where, and how often), errors, and verdicts.
 *
 * The library never prints and never exits. It counts every diagnostic and keeps the first few
 * of each code with their places; the caller decides what to do with them. */
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

/* Codes as numbers, for programs compiled with these headers. Other programs use the code's
 * name, which does not change (mp_diagnostic_code). */
typedef enum mp_diagnostic_id {
#define MP_DIAGNOSTIC(name, code, severity, violation, unsound) MP_DIAG_##name,
#include "memprof/diagnostics.def"
#undef MP_DIAGNOSTIC
    MP_DIAGNOSTIC_COUNT
} mp_diagnostic_id;

/* A diagnostic that was kept. Its strings belong to the mp_diagnostics. */
typedef struct mp_diagnostic {
    mp_diagnostic_id id;
    const char *path;    /* path as the user wrote it; NULL: not about an input */
    uint64_t line;       /* line number from 1; 0: the whole file */
    const char *message; /* fault and expected input, without full stop and newline */
} mp_diagnostic;

typedef struct mp_diagnostics mp_diagnostics;

/* Return the diagnostics that were kept, in the order in which they were reported. The array is
 * valid until more input is read. */
size_t mp_diagnostics_kept(const mp_diagnostics *diagnostics, const mp_diagnostic **first);
/* Return the number of diagnostics with this code, kept or not. */
uint64_t mp_diagnostics_count(const mp_diagnostics *diagnostics, mp_diagnostic_id id);
/* Return the number of diagnostics of this severity. */
uint64_t mp_diagnostics_severity_count(const mp_diagnostics *diagnostics, mp_severity severity);
/* Return the number of diagnostics that contradict the format or the file itself. */
uint64_t mp_diagnostics_violations(const mp_diagnostics *diagnostics);

/* Return the properties of a code: its name ("cannot-open"), its severity, and true if it is a
 * violation. */
const char *mp_diagnostic_code(mp_diagnostic_id id);
mp_severity mp_diagnostic_severity(mp_diagnostic_id id);
bool mp_diagnostic_is_violation(mp_diagnostic_id id);
/* Return true if the code means that figures may be incomplete. Limits and rules are then not
 * checked. */
bool mp_diagnostic_is_unsound(mp_diagnostic_id id);
/* Return true if the code means that an input ends before the end of the recording. */
bool mp_diagnostic_breaks_off(mp_diagnostic_id id);
/* Return "note", "warning" or "error". */
const char *mp_severity_name(mp_severity severity);

/* --- errors: the reason why a request failed --- */

typedef enum mp_error_code {
    MP_ERROR_NONE = 0,
    MP_ERROR_ARGUMENT = 1,  /* an argument has an unusable value */
    MP_ERROR_UNUSED = 2,    /* an argument does not apply to the request */
    MP_ERROR_NO_ANSWER = 3, /* the recording cannot answer the question */
    MP_ERROR_FILE = 4,      /* error in another file, such as a policy or a baseline */
    MP_ERROR_INPUT = 5,     /* a file cannot be read */
    MP_ERROR_OUTPUT = 6,    /* a file cannot be written */
    MP_ERROR_CANCELLED = 7, /* the caller cancelled reading */
} mp_error_code;

/* Error of a request. A failed call fills it in; a successful call leaves it unchanged. Strings are
 * static or belong to the request. Use mp_error_line to show it: `text` may be only a part of the
 * sentence, and marks names of arguments with a control character. */
typedef struct mp_error {
    mp_error_code code;
    const char *argument;  /* argument of the request, such as "sort"; NULL: none */
    const char *value;     /* value of that argument as given; NULL: the value does not matter */
    const char *unused_by; /* MP_ERROR_UNUSED: the report that does not use the argument */
    const char *path;      /* path of the file with the error; NULL: none */
    uint32_t line, column; /* position in the file, from 1; 0: whole file or whole line */
    char text[1024];       /* fault and what was expected, without full stop and newline */
    char advice[256];      /* hint how to fix it; "": no hint */
} mp_error;

/* Write the error and its advice as one line: "path:line:column: error: text" for a file, "sort x:
 * text" for an argument, "top does not use sort" for an unused argument. `dashes` is printed before
 * argument names; it may be "". Return `line`, a buffer of `size` bytes (at least 1); longer text
 * is truncated. */
const char *mp_error_line(const mp_error *error, const char *dashes, char *line, size_t size);

/* --- verdicts: results of checking a recording against a rule or a limit --- */

typedef enum mp_verdict {
    MP_VERDICT_PASS = 0,
    MP_VERDICT_FAIL = 1,
    MP_VERDICT_ERROR = 2, /* could not be checked */
    MP_VERDICTS = 3,
} mp_verdict;

/* Return "pass", "fail" or "error"; static. */
const char *mp_verdict_name(mp_verdict verdict);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
