/* Suppressions: known and accepted leaks, as listed in a file (format: memprof-suppressions(5)).
 *
 * Suppressed objects stay in all totals of live objects, but do not count as leaks. A suppression
 * matches contexts, so it may match a part of an allocation site, such as the objects with one
 * name. */
#pragma once

#include "base/error.h"
#include "base/slice.h"
#include "query/selection.h"
#include "query/window.h"

/* A suppression. Its texts belong to the list. */
typedef struct mp_suppression {
    const char *path; /* path of the file, as given; borrowed */
    uint64_t line;
    const char *name, *reason;
    uint64_t reason_line;
    mp_criterion *criteria; /* criteria; for each subject that has any, at least one must match */
    size_t criterion_count, criterion_capacity;
    bool has_limit;
    int64_t limit_bytes; /* maximum of leaked bytes; if more leaked, no leak is accepted */
    int32_t last_day; /* last day of validity, as mp_parse_date returns it; 0: it does not expire */
    const char *expires; /* last day as written */
} mp_suppression;

/* Suppressions in the order of the files. Zero-initialise; release with mp_suppressions_free. */
typedef struct mp_suppressions {
    mp_suppression *items;
    size_t count, capacity;
    int32_t today;          /* current date, as mp_parse_date returns it */
    struct mp_arena *arena; /* arena of all texts */
} mp_suppressions;

/* Add the suppressions in a text. `path` is for messages and must outlive the list. Return false
 * with an error that has the line and the column (counted in characters); after that, the list may
 * only be freed. */
bool mp_suppressions_parse(mp_suppressions *suppressions, const char *path, mp_slice text,
                           mp_error *error);
void mp_suppressions_free(mp_suppressions *suppressions);

/* Return true if a reason is only a placeholder: it begins with TODO, FIXME, TBD or XXX, in any
 * case, or has no letter or digit. */
bool mp_reason_is_placeholder(const char *reason);

/* Return the name of a status: "used", "over limit". */
const char *mp_suppression_status_name(mp_suppression_status status);

/* Suppress leaks of a window in all its analyses. The window owns the result (window->suppressed);
 * its earlier results become invalid. If several suppressions match a leak, it counts for the first
 * of them that has neither expired nor exceeded its limit. `suppressions` must outlive the window;
 * NULL is allowed. */
void mp_window_suppress(mp_window *window, const mp_suppressions *suppressions);
/* Return a flag for each context: true if the suppressions that are valid in this window accept
 * leaks of the context in any window of the recording. NULL: nothing is suppressed. Release with
 * free(). */
bool *mp_suppressed_ever(const mp_window *window);
