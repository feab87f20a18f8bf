/* Diagnostics: what was wrong with an input, where, and how often.
 *
 * The library never prints and never exits. It counts each diagnostic and keeps the first few of
 * every code with their place; who calls it decides what becomes of them. */
#ifndef MEMPROF_DIAGNOSTICS_H
#define MEMPROF_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum mp_severity {
    MP_NOTE,
    MP_WARNING,
    MP_ERROR,
} mp_severity;

typedef enum mp_diagnostic_id {
#define MP_DIAGNOSTIC(name, code, severity, violation) MP_DIAG_##name,
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

/* `keep`: how many of each code to keep with their place; 0 keeps all. Release with
 * mp_diagnostics_free. */
mp_diagnostics *mp_diagnostics_new(size_t keep);
void mp_diagnostics_free(mp_diagnostics *diagnostics);

/* Count one, and keep it if few of its code are kept yet. */
void mp_diagnose(mp_diagnostics *diagnostics, mp_diagnostic_id id, const char *path, uint64_t line,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Count all of `from` too, and keep those of its kept ones that would have been kept had they come
 * here after the others. */
void mp_diagnostics_append(mp_diagnostics *diagnostics, const mp_diagnostics *from);

/* The kept ones, in the order of their coming. Valid until the next mp_diagnose. */
size_t mp_diagnostics_kept(const mp_diagnostics *diagnostics, const mp_diagnostic **first);
/* How many of this code there were, kept or not. */
uint64_t mp_diagnostics_count(const mp_diagnostics *diagnostics, mp_diagnostic_id id);
/* How many of this severity there were. */
uint64_t mp_diagnostics_severity_count(const mp_diagnostics *diagnostics, mp_severity severity);
/* How many contradict the format or the file itself. */
uint64_t mp_diagnostics_violations(const mp_diagnostics *diagnostics);

/* What the table says of a code: "cannot-open", its severity, whether it is a violation. */
const char *mp_diagnostic_code(mp_diagnostic_id id);
mp_severity mp_diagnostic_severity(mp_diagnostic_id id);
bool mp_diagnostic_is_violation(mp_diagnostic_id id);
/* "note", "warning", "error" */
const char *mp_severity_name(mp_severity severity);

/* What to do when there is no memory, on whichever thread; it must not return. NULL restores the
 * default, abort(). */
void mp_set_out_of_memory_handler(void (*handler)(void));

#endif
