/* Reporting of diagnostics, for readers. memprof/diagnostics.h has the functions that query
 * them. */
#pragma once

#include "base/memory.h"
#include "memprof/diagnostics.h"

/* Make an empty collection. It keeps message and place of the first `keep` diagnostics of each code
 * (0 = all), and counts the others. Release with mp_diagnostics_free. */
mp_diagnostics *mp_diagnostics_new(size_t keep);
/* Make an empty collection with the same limit, argument prefix and aliases. */
mp_diagnostics *mp_diagnostics_like(const mp_diagnostics *diagnostics);
void mp_diagnostics_free(mp_diagnostics *diagnostics);
/* Set the prefix of argument names in messages, such as "--"; the default is "". Borrowed. */
void mp_diagnostics_spell(mp_diagnostics *diagnostics, const char *dashes);
const char *mp_diagnostics_dashes(const mp_diagnostics *diagnostics);

/* Name that messages use for a path, such as that of a temporary copy of an input. */
typedef struct mp_alias {
    const char *path, *name;
} mp_alias;
/* Set the aliases, which are borrowed. If the path of an archive has an alias, members of the
 * archive have it too. */
void mp_diagnostics_alias(mp_diagnostics *diagnostics, const mp_alias *aliases, size_t count);
/* Return the name that messages use for a path: the path itself, or a text in the arena. */
const char *mp_diagnostics_name(const mp_diagnostics *diagnostics, mp_arena *arena,
                                const char *path);

/* Call `settle` before each diagnostic, so that those of work that was handed to another thread
 * come first. NULL: call nothing. */
void mp_diagnostics_settle(mp_diagnostics *diagnostics, void (*settle)(void *), void *opaque);

/* Count a diagnostic, and keep its message unless `keep` diagnostics of its code are already kept.
 * `line` 0: no line. */
void mp_diagnose(mp_diagnostics *diagnostics, mp_diagnostic_id id, const char *path, uint64_t line,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Return true if the diagnostic reports that the recorded program damaged its own memory
 * (mp_diagnostic_is_damage). That is not a fault of the recording. Return the number of these
 * diagnostics (mp_diagnostics_damages). */
bool mp_diagnostic_is_damage(mp_diagnostic_id id);
uint64_t mp_diagnostics_damages(const mp_diagnostics *diagnostics);
/* Return the number of diagnostics that mp_diagnostic_is_unsound, also of those not kept. */
uint64_t mp_diagnostics_faults(const mp_diagnostics *diagnostics);

/* Sort the kept diagnostics from index `first` on by line. The sort is stable. */
void mp_diagnostics_order(mp_diagnostics *diagnostics, size_t first);

/* Add the counts of `from`. Also add its kept diagnostics, within the limit for each code. */
void mp_diagnostics_append(mp_diagnostics *diagnostics, const mp_diagnostics *from);
