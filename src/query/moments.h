/* Moments: how many objects and bytes of each of some groups there were at each snapshot of a
 * session, as changes, so that any two can be compared: alive at a moment is what changed up to
 * there, and leaked between two what of that was born after the first. */
#ifndef MP_QUERY_MOMENTS_H
#define MP_QUERY_MOMENTS_H

#include "query/group.h"

/* Change of a row, counted from 0, at a moment, for objects that appeared at the moment `born`. */
typedef struct mp_moment_change {
    uint32_t row, moment, born;
    int64_t objects, bytes;
} mp_moment_change;

/* Rows of changes: groups, of which the last row may have many. */
typedef struct mp_moment_rows {
    const mp_grouping *grouping;
    const uint32_t
        *row_of; /* row of each group, by place; any row for groups that the session has none of */
    uint32_t rows;
    const uint32_t *moments; /* snapshots of one session, `count` of them */
    size_t count;
    bool births;          /* tell apart what was born when; else that is moment 0 */
    const bool *accepted; /* by context: born at moment 0, so that it never leaks; NULL: none is */
} mp_moment_rows;

/* `most` of a session's snapshots, evenly chosen, and the last and the window's own where they are
 * not among them; `*count` tells how many. Release with free(). */
uint32_t *mp_moments_of(const mp_window *window, uint32_t session, size_t most, size_t *count);
/* Places of the groups of which a session has anything, those that ever had most bytes alive first;
 * `*count` tells how many. Release with free(). */
uint32_t *mp_groups_by_most(const mp_window *window, const mp_grouping *grouping, uint32_t session,
                            uint32_t *count);
/* The changes of rows by row, then moment, then birth, none of which is nothing. Release with
 * free(). */
mp_moment_change *mp_moment_changes(const mp_window *window, const mp_moment_rows *self,
                                    size_t *count);
/* Make one row, the last of so many, of it and all behind it; gives how many changes are left. */
size_t mp_moment_changes_fold(mp_moment_change *changes, size_t count, uint32_t rows);

#endif
