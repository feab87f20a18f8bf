/* Moments: objects and bytes of some groups at each snapshot of a session, stored as changes, so
 * that any two snapshots can be compared. The amount alive at a moment is the sum of the changes up
 * to it. The amount leaked between two moments is the sum of those changes up to the second moment
 * that belong to objects born after the first. */
#pragma once

#include "query/group.h"

/* Change of a row (counted from 0) at a moment, for objects that appeared at the moment `born`. */
typedef struct mp_moment_change {
    uint32_t row, moment, born;
    int64_t objects, bytes;
} mp_moment_change;

/* Rows of changes. Each row is a group; the last one may combine several. */
typedef struct mp_moment_rows {
    const mp_members *members;
    /* Row of each group, by index. Groups without objects in the session may have any row. */
    const uint32_t *row_of;
    uint32_t rows;
    const uint32_t *moments; /* `count` snapshots of one session */
    size_t count;
    bool births;          /* distinguish changes by moment of birth; otherwise `born` is 0 */
    const bool *accepted; /* flag of each context: true if it never leaks, so its objects count as
                           * born at moment 0; NULL: none */
} mp_moment_rows;

/* Return about `most` snapshots of a session, chosen evenly, always including the last one and the
 * ends of the window. *count is their number. Release with free(). */
uint32_t *mp_moments_of(const mp_window *window, uint32_t session, size_t most, size_t *count);
/* Return the indexes of the groups that have objects in a session, sorted by the most bytes that
 * they had alive, largest first. *count is their number. Release with free(). */
uint32_t *mp_groups_by_most(const mp_window *window, const mp_members *members, uint32_t session,
                            uint32_t *count);
/* Return the changes of all rows, sorted by row, moment and birth, without empty ones. *count is
 * their number. Release with free(). */
mp_moment_change *mp_moment_changes(const mp_window *window, const mp_moment_rows *self,
                                    size_t *count);
/* Merge row rows - 1 and all rows after it into one. Return the number of changes left. */
size_t mp_moment_changes_fold(mp_moment_change *changes, size_t count, uint32_t rows);
