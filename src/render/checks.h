/* What a document is held to: the rules of a policy, and the limits that the user set. */
#ifndef MP_RENDER_CHECKS_H
#define MP_RENDER_CHECKS_H

#include "base/memory.h"
#include "document/document.h"
#include "memprof/diagnostics.h"

typedef enum mp_check_status {
    MP_CHECK_PASS,
    MP_CHECK_FAIL,
    MP_CHECK_ERROR, /* could not be judged */
} mp_check_status;

/* Texts are "" where there is none; they live in the arena or with the document. */
typedef struct mp_check {
    mp_check_status status;
    const char *name, *measured, *limit, *message;
    int64_t line; /* in the policy; 0: it is a limit */
} mp_check;

typedef struct mp_checks {
    mp_check *at; /* in the arena */
    size_t count;
    size_t counts[3];   /* by status */
    size_t unread;      /* of them, the last ones, are inputs that gave no result: errors */
    const char *policy; /* path; "" where there is none */
} mp_checks;

/* None where there is neither a rule nor a limit. `dashes`: mp_style. */
mp_checks mp_checks_of(const mp_document *document, const mp_diagnostics *diagnostics,
                       const char *dashes, mp_arena *arena);
/* "fail" of MP_CHECK_FAIL. */
const char *mp_check_status_name(mp_check_status status);
/* "5 rules: 3 hold, 1 fails, 1 could not be judged"; of limits alone, "2 limits: ...". */
const char *mp_checks_summary(const mp_checks *checks, mp_arena *arena);

#endif
