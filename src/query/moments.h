/* Moments: how many objects and bytes of each of some groups there were at each snapshot of a
 * session, as changes, so that any two can be compared. */
#ifndef MP_QUERY_MOMENTS_H
#define MP_QUERY_MOMENTS_H

#include "query/group.h"

/* What became more or less of a row, counted from 0, at a moment, likewise. */
typedef struct mp_moment_change {
    uint32_t row, moment;
    int64_t objects, bytes;
} mp_moment_change;

/* The only session that has snapshots; 0: several have, or none. */
uint32_t mp_moments_session(const mp_window *window);
/* At most `most` of a session's snapshots, evenly chosen, the first, the last and the window's own
 * among them; `*count` tells how many. Release with free(). */
uint32_t *mp_moments_of(const mp_window *window, uint32_t session, size_t most, size_t *count);
/* Places of a grouping's groups, those that ever had most bytes alive first; release with free().
 */
uint32_t *mp_groups_by_most(const mp_window *window, const mp_grouping *grouping);
/* The changes of rows at these snapshots, by row, then moment, none of which is nothing; `row_of`
 * tells the row of each group by its place. Release with free(). */
mp_moment_change *mp_moment_changes(const mp_window *window, const mp_grouping *grouping,
                                    const uint32_t *row_of, uint32_t rows, const uint32_t *moments,
                                    size_t count, size_t *change_count);

#endif
