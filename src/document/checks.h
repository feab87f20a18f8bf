/* The checks of a document as one list, each with the complete text of its line in a report. They
 * are for formats that show only checks. */
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "document/document.h"
#include "memprof/diagnostics.h"

typedef struct mp_checks {
    mp_check *items; /* checks in the arena; each name begins with the name of its file, and no text
                        is NULL */
    size_t count;
    size_t counts[MP_VERDICTS]; /* number of checks by verdict */
    /* number of inputs that could not be read; they are the last checks, as errors */
    size_t unread;
    size_t warned;      /* number of checks that pass with a warning */
    const char *policy; /* path of the policy; "" = there is none, so the checks are limits */
} mp_checks;

/* Recompute the verdict of the document's rules from all files, and from inputs that could not be
 * read. */
void mp_document_settle_verdict(mp_document *document, const mp_diagnostics *diagnostics);

/* Withdraw all checks of a document before it is merged: none was judged. `why` is static. */
void mp_document_withdraw(mp_document *document, const char *why);

/* Return the checks; an empty list if the document has none. `dashes`: prefix of argument names,
 * such as "--". */
mp_checks mp_checks_of(const mp_document *document, const mp_diagnostics *diagnostics,
                       const char *dashes, mp_arena *arena);
/* Find the checks for a format that shows only checks. Return false with an error if there are
 * none; the message begins with `shows`, such as "annotations show". */
bool mp_checks_find(const mp_document *document, const mp_diagnostics *diagnostics,
                    const char *dashes, const char *shows, mp_arena *arena, mp_checks *checks,
                    mp_error *error);
/* Return "5 rules: 3 pass, 1 fails, 1 could not be judged"; without a policy, "2 limits: ...". */
const char *mp_checks_summary(const mp_checks *checks, mp_arena *arena);
/* Return such a text for these numbers of verdicts: "5 rules: 3 pass, ...". `what` is the noun. */
const char *mp_verdicts_text(mp_arena *arena, const char *what, const size_t counts[MP_VERDICTS]);
/* Return the line for a limit that fails or warns: "--max-live 1M exceeded: 1.3 MiB alive, ...",
 * after the file's name if there is one. */
const char *mp_limit_text(mp_arena *arena, const mp_check *limit, const char *dashes);
