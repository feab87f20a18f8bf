/* Saying what is wrong: the side of diagnostics that readers are on. */
#ifndef MP_BASE_DIAGNOSE_H
#define MP_BASE_DIAGNOSE_H

#include "base/memory.h"
#include "memprof/diagnostics.h"

/* `keep`: how many of each code to keep with their place; 0 keeps all. Release with
 * mp_diagnostics_free. */
mp_diagnostics *mp_diagnostics_new(size_t keep);
/* New ones that keep as many, and spell arguments and name paths as these do. */
mp_diagnostics *mp_diagnostics_like(const mp_diagnostics *diagnostics);
void mp_diagnostics_free(mp_diagnostics *diagnostics);
/* Set the prefix of argument names in messages, such as "--"; the default is "". Borrowed. */
void mp_diagnostics_spell(mp_diagnostics *diagnostics, const char *dashes);
const char *mp_diagnostics_dashes(const mp_diagnostics *diagnostics);

/* How an input is told whose path nobody knows. */
typedef struct mp_alias {
    const char *path, *name;
} mp_alias;
/* Tell these paths, and those of members of archives there, by their names. Borrowed. */
void mp_diagnostics_alias(mp_diagnostics *diagnostics, const mp_alias *aliases, size_t count);
/* Name a path as it is to be told: itself, or a text in the arena. */
const char *mp_diagnostics_name(const mp_diagnostics *diagnostics, mp_arena *arena,
                                const char *path);

/* Count one, and keep it if few of its code are kept yet. */
void mp_diagnose(mp_diagnostics *diagnostics, mp_diagnostic_id id, const char *path, uint64_t line,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Return true if the diagnostic reports that the program damaged its memory, which is no fault
 * of the recording; return the number of such diagnostics. */
bool mp_diagnostic_is_damage(mp_diagnostic_id id);
uint64_t mp_diagnostics_damages(const mp_diagnostics *diagnostics);

/* Put those that were kept since there were `first` of them in the order of their lines; of one
 * line, they stay as they are. */
void mp_diagnostics_order(mp_diagnostics *diagnostics, size_t first);

/* Add `from`'s counts, and its kept diagnostics while there is room. */
void mp_diagnostics_append(mp_diagnostics *diagnostics, const mp_diagnostics *from);

#endif
