/* Suppressions: leaks that are known and accepted, as a file lists them (memprof-suppressions(5)
 * has the format).
 *
 * What is suppressed stays alive and stays in every total of what is alive; it is no leak. A
 * suppression matches contexts, so it may take a part of an allocation site: the objects of one
 * name.
 */
#ifndef MP_QUERY_SUPPRESSION_H
#define MP_QUERY_SUPPRESSION_H

#include "base/error.h"
#include "base/slice.h"
#include "query/selection.h"
#include "query/window.h"

/* Texts live as long as the list that it is in. */
typedef struct mp_suppression {
    const char *path; /* path of the file, as given; borrowed */
    uint64_t line;
    const char *name, *reason;
    mp_criterion *criteria; /* criteria: for each subject that has any, at least one must match */
    size_t criterion_count, criterion_capacity;
    bool has_limit;
    int64_t limit_bytes; /* maximum bytes; if there are more, none is accepted */
    int32_t last_day;    /* as by mp_parse_date; 0: it does not expire */
    const char *expires; /* that day as it was written */
} mp_suppression;

/* In the order of the files. Zero-initialise to start. */
typedef struct mp_suppressions {
    mp_suppression *items;
    size_t count, capacity;
    int32_t today;          /* as by mp_parse_date */
    struct mp_arena *arena; /* arena of the texts */
} mp_suppressions;

/* Add what a file says; `path` is for messages and must outlive the list. False with
 * "path:line:column: error: what is wrong, expected what" in `error`; the column counts characters.
 * The list can then only be freed. */
bool mp_suppressions_parse(mp_suppressions *suppressions, const char *path, mp_slice text,
                           mp_error *error);
void mp_suppressions_free(mp_suppressions *suppressions);

/* "used", "over limit" */
const char *mp_suppression_status_name(mp_suppression_status status);

/* Suppress leaks of a window in all its analyses (window->suppressed, which the window owns). What
 * it returned before becomes invalid. If several suppressions match a leak, the first that has
 * neither expired nor exceeded its limit takes it. `suppressions` must outlive the window; NULL:
 * nothing happens. */
void mp_window_suppress(mp_window *window, const mp_suppressions *suppressions);
/* By context: what is accepted in any window of the recording, by the suppressions that hold in
 * this one. Release with free(); NULL: nothing is suppressed. */
bool *mp_suppressed_ever(const mp_window *window);

#endif
