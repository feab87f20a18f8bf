#include "query/turnover.h"

#include <stdlib.h>

#include "base/index.h"
#include "base/memory.h"
#include "query/known.h"
#include "query/trend.h"

/* What happened to a site in a session in which it leaks. */
typedef struct turning {
    uint32_t site, session;
    uint32_t oldest;         /* the snapshot at which the first was born of what leaks */
    int64_t leaked, deleted; /* objects, in the window */
    bool out_of_turn;        /* something younger died */
} turning;

typedef struct turnover {
    const mp_window *window;
    const mp_grouping *sites;
    bool *asked;       /* of each site, by its place + 1: it may be so */
    mp_id_index index; /* of site and session, to the place in `turnings` */
    turning *turnings;
    size_t capacity;
} turnover;

static uint32_t site_of(const turnover *search, const mp_leak *leak)
{
    return search->sites->group_of[leak->group.example.i];
}

/* Sites of which as many may have been deleted as leak; whether there are any. */
static bool find_candidates(turnover *search, const mp_leaks *leaks)
{
    bool any = false;
    for (uint32_t i = 0; i < leaks->count; i++) {
        const mp_group *group = &leaks->at[i].group;
        const bool asked = mp_group_growth_told(group) && !mp_group_grew_once(group) &&
                           group->to.deleted >= mp_cost_live(group->leaked);
        search->asked[site_of(search, &leaks->at[i])] = asked;
        any |= asked;
    }
    return any;
}

/* Of site and session of a generation, where it is to be `made` or is there; else NULL. */
static turning *turning_of(turnover *search, uint32_t generation, bool made)
{
    const mp_model *model = search->window->model;
    const mp_snapshot_id born = model->generations.at[generation].born;
    const uint32_t site = search->sites->group_of[generation];
    const uint32_t session = model->snapshots.at[born.i].session.i;
    const uint64_t key = (uint64_t)site << 32 | session;
    uint32_t place = mp_id_index_get(&search->index, key);
    if (!place && made) {
        uint32_t *kept = mp_id_index_put(&search->index, key);
        *kept = place = (uint32_t)search->index.count;
        mp_grow(&search->turnings, &search->capacity, place + 1u, sizeof *search->turnings);
        search->turnings[place] = (turning){.site = site, .session = session, .oldest = born.i};
    }
    return place ? &search->turnings[place] : NULL;
}

static void follow_survivors(turnover *search)
{
    const mp_model *model = search->window->model;
    const mp_balance *balances = mp_window_balances(search->window);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.at[i];
        const int64_t alive = mp_cost_live(balances[i].to);
        if (!search->asked[search->sites->group_of[i]] || alive <= 0 ||
            !mp_window_leaks(search->window, generation->context, generation->born))
            continue;
        turning *its = turning_of(search, i, true);
        its->leaked += alive;
        if (generation->born.i < its->oldest)
            its->oldest = generation->born.i;
    }
}

/* What went in the window; of what is older than it, what was there at its start. */
static void follow_deaths(turnover *search)
{
    const mp_model *model = search->window->model;
    const mp_balance *balances = mp_window_balances(search->window);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const uint32_t born = model->generations.at[i].born.i;
        const bool asked = search->asked[search->sites->group_of[i]];
        turning *its = asked ? turning_of(search, i, false) : NULL;
        if (!its)
            continue;
        const bool old = mp_window_before_from(search->window, (mp_snapshot_id){born});
        its->deleted +=
            old ? balances[i].from_objects - mp_cost_live(balances[i].to) : balances[i].to.deleted;
        its->out_of_turn |= born > its->oldest && balances[i].to.deleted > 0;
    }
    for (size_t i = 1; i <= search->index.count; i++) {
        const turning *its = &search->turnings[i];
        if (its->deleted < its->leaked || its->out_of_turn)
            search->asked[its->site] = false;
    }
}

/* Of more than so many values an even choice, the first and the last with them. */
static bool grows(const int64_t *at, size_t length)
{
    enum { MOST = 64 };
    int64_t some[MOST];
    const size_t count = length < MOST ? length : MOST;
    for (size_t i = 0; i < count; i++)
        some[i] = at[i * (length - 1) / (count - 1)];
    return mp_trend_of(some, count).kind == MP_TREND_GROWS;
}

/* Whether its bytes were there before what leaks took the place of what went, most of them stayed
 * so all the while, and they do not grow. */
static bool is_bounded(const mp_series *series, uint32_t row, const turning *its)
{
    const size_t first = series->first[its->session];
    const size_t length = series->first[its->session + 1] - first;
    const int64_t *at = series->at + (row - 1) * series->length + first;
    int64_t most = 0;
    size_t i = 0;
    if (length < MP_TREND_FEWEST)
        return false;
    for (; i < length && series->snapshots[first + i] < its->oldest; i++)
        most = at[i] > most ? at[i] : most;
    bool bounded = i > 0 && most >= at[length - 1];
    for (i -= i > 0; i < length; i++)
        bounded &= at[i] >= at[length - 1] - at[i];
    return bounded && !grows(at, length);
}

/* The largest ones that are left are followed from snapshot to snapshot. */
static void follow_bytes(const turnover *search, const mp_leaks *leaks, bool *turned)
{
    uint32_t *row_of = mp_alloc_zero((size_t)search->sites->count + 1, sizeof *row_of), rows = 0;
    for (uint32_t i = 0; i < leaks->count && rows < MP_TURNOVER_SITES; i++) {
        const uint32_t site = site_of(search, &leaks->at[i]);
        turned[i] = search->asked[site];
        row_of[site] = turned[i] ? ++rows : 0;
    }
    mp_series series = {0};
    if (rows)
        series = mp_series_of(search->window, 0, search->sites, row_of, rows);
    for (size_t i = 1; rows && i <= search->index.count; i++) {
        const turning *its = &search->turnings[i];
        const uint32_t row = row_of[its->site];
        if (row && !is_bounded(&series, row, its))
            search->asked[its->site] = false;
    }
    for (uint32_t i = 0; i < leaks->count; i++)
        turned[i] &= search->asked[site_of(search, &leaks->at[i])];
    mp_series_free(&series);
    free(row_of);
}

bool *mp_leaks_turned_over(const mp_window *window)
{
    const mp_leaks *leaks = mp_window_leak_sites(window);
    turnover search = {.window = window,
                       .sites = mp_known_groups(window, mp_dimension_find("site"), 0)};
    bool *turned = mp_alloc_zero((size_t)leaks->count + 1, sizeof *turned);
    search.asked = mp_alloc_zero((size_t)search.sites->count + 1, sizeof *search.asked);
    if (find_candidates(&search, leaks)) {
        follow_survivors(&search);
        follow_deaths(&search);
        follow_bytes(&search, leaks, turned);
    }
    mp_id_index_free(&search.index);
    free(search.turnings);
    free(search.asked);
    return turned;
}
