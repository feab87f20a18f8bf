/* The checks of a document in one list, each with all that its line of a report says: for formats
 * that show nothing else. */
#ifndef MP_DOCUMENT_CHECKS_H
#define MP_DOCUMENT_CHECKS_H

#include "base/error.h"
#include "base/memory.h"
#include "document/document.h"
#include "memprof/diagnostics.h"

typedef struct mp_checks {
    mp_check *items; /* named behind their files; in the arena, no text of them is NULL */
    size_t count;
    size_t counts[MP_VERDICTS]; /* by verdict */
    size_t unread;              /* number of inputs without a result, which come last, as errors */
    size_t warned;              /* that pass, and hide something */
    const char *policy;         /* path; "" where there is none: they are limits */
} mp_checks;

/* Let the verdict of the document's rules heed inputs that could not be read, and all files of
 * several. */
void mp_document_settle_verdict(mp_document *document, const mp_diagnostics *diagnostics);

/* None where the document has none. `dashes` stand before the names of arguments: "--". */
mp_checks mp_checks_of(const mp_document *document, const mp_diagnostics *diagnostics,
                       const char *dashes, mp_arena *arena);
/* The same for a format that shows nothing else. False where there are none: "annotations show"
 * rules and limits. */
bool mp_checks_find(const mp_document *document, const mp_diagnostics *diagnostics,
                    const char *dashes, const char *shows, mp_arena *arena, mp_checks *checks,
                    mp_error *error);
/* "5 rules: 3 hold, 1 fails, 1 could not be judged"; of limits alone, "2 limits: ...". */
const char *mp_checks_summary(const mp_checks *checks, mp_arena *arena);
/* The same of so many of `what`, by verdict. */
const char *mp_verdicts_text(mp_arena *arena, const char *what, const size_t counts[MP_VERDICTS]);
/* Return the line for a limit that fails or warns: "--max-live 1M exceeded: 1.3 MiB alive, ...",
 * after the file's name if there is one. */
const char *mp_limit_text(mp_arena *arena, const mp_check *limit, const char *dashes);

#endif
