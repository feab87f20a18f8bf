/* Growth of groups: count the snapshots at which leaking objects were created. */
#include <stdlib.h>

#include "base/memory.h"
#include "query/window_cache.h"

/* --- snapshots at which leaking objects were created --- */

/* Leaking generations by the snapshot at which they were born, as linked lists. */
typedef struct birth_chains {
    uint32_t *first; /* first generation born at each snapshot; 0: none */
    uint32_t *next;  /* next generation born at the same snapshot; 0: none */
} birth_chains;

static birth_chains births_of_leaks(const mp_window *window)
{
    const mp_model *model = window->model;
    const mp_balance *balances = mp_window_balances(window);
    birth_chains result = {mp_alloc_zero(model->snapshots.count, sizeof *result.first),
                           mp_alloc_zero(model->generations.count, sizeof *result.next)};
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.items[i];
        if (mp_cost_live(balances[i].end) <= 0 ||
            !mp_window_leaks(window, generation->context, generation->born))
            continue;
        result.next[i] = result.first[generation->born.i];
        result.first[generation->born.i] = i;
    }
    return result;
}

/* Return true if the snapshot created any object. Snapshots that create nothing, such as the
 * final clean-up, do not count as chances for a site to grow. */
static bool is_moment(const mp_window *window, const birth_chains *births, uint32_t snapshot)
{
    mp_snapshot_id id = {snapshot};
    return births->first[snapshot] ||
           (mp_window_snapshot(window, snapshot)->created_objects > 0 &&
            !mp_window_before_from(window, id) && mp_window_before_to(window, id));
}

/* Return the number of snapshots with creations in each session. */
static uint32_t *moments_of_sessions(const mp_window *window, const birth_chains *births)
{
    const mp_model *model = window->model;
    uint32_t *moments = mp_alloc_zero(model->sessions.count, sizeof *moments);
    for (uint32_t i = 1; i < model->snapshots.count; i++)
        moments[model->snapshots.items[i].session.i] += is_moment(window, births, i);
    return moments;
}

/* Snapshot and session that a group counted last. */
typedef struct last_birth {
    uint32_t snapshot, session;
} last_birth;

void mp_groups_add_growth(const mp_window *window, mp_grouping *grouping)
{
    const mp_model *model = window->model;
    birth_chains births = births_of_leaks(window);
    uint32_t *moments = moments_of_sessions(window, &births);
    last_birth *lasts = mp_alloc_zero((size_t)grouping->count + 1, sizeof *lasts);
    const mp_session_snapshots *of_session = &window->filter->sessions;
    for (uint32_t place = 0; place < of_session->first[model->sessions.count]; place++) {
        const uint32_t snapshot = of_session->snapshots[place];
        const uint32_t session = model->snapshots.items[snapshot].session.i;
        for (uint32_t i = births.first[snapshot]; i; i = births.next[i]) {
            last_birth *last = &lasts[grouping->group_of[i]];
            if (!grouping->group_of[i] || last->snapshot == snapshot)
                continue;
            mp_group *group = &grouping->groups[grouping->group_of[i] - 1];
            group->grew++;
            group->grew_sessions += last->session != session;
            group->moments += last->session != session ? moments[session] : 0;
            *last = (last_birth){snapshot, session};
        }
    }
    free(lasts);
    free(moments);
    free(births.first);
    free(births.next);
}
