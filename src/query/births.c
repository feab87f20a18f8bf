/* Births of what leaks: at which snapshots it was born, and what of it grows steadily. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "query/graph_query.h"
#include "query/known.h"
#include "query/labels.h"
#include "query/steady.h"

/* --- at how many snapshots something was born that leaks --- */

/* The generations that leak, by the snapshot at which they were born: chains from `first`. */
typedef struct birth_chains {
    uint32_t *first; /* of each snapshot, a generation; 0: nothing that leaks was born there */
    uint32_t *next;  /* of each generation */
} birth_chains;

static birth_chains births_of_leaks(const mp_window *window)
{
    const mp_model *model = window->model;
    const mp_balance *balances = mp_window_balances(window);
    birth_chains result = {mp_alloc_zero(model->snapshots.count, sizeof *result.first),
                           mp_alloc_zero(model->generations.count, sizeof *result.next)};
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.at[i];
        if (mp_cost_live(balances[i].to) <= 0 ||
            !mp_window_leaks(window, generation->context, generation->born))
            continue;
        result.next[i] = result.first[generation->born.i];
        result.first[generation->born.i] = i;
    }
    return result;
}

/* Whether a snapshot of the window created anything: where nothing was, a site had no chance to
 * grow, as at the clean-up that ends a session. */
static bool is_moment(const mp_window *window, const birth_chains *births, uint32_t snapshot)
{
    mp_snapshot_id id = {snapshot};
    return births->first[snapshot] ||
           (mp_window_snapshot(window, snapshot)->created_objects > 0 &&
            !mp_window_before_from(window, id) && mp_window_before_to(window, id));
}

/* How many of them each session has. */
static uint32_t *moments_of_sessions(const mp_window *window, const birth_chains *births)
{
    const mp_model *model = window->model;
    uint32_t *moments = mp_alloc_zero(model->sessions.count, sizeof *moments);
    for (uint32_t i = 1; i < model->snapshots.count; i++)
        moments[model->snapshots.at[i].session.i] += is_moment(window, births, i);
    return moments;
}

/* What a group's leaks are known by so far: the snapshot and session that were counted last. */
typedef struct last_birth {
    uint32_t snapshot, session;
} last_birth;

void mp_groups_add_growth(const mp_window *window, mp_grouping *grouping)
{
    const mp_model *model = window->model;
    birth_chains births = births_of_leaks(window);
    uint32_t *moments = moments_of_sessions(window, &births);
    last_birth *lasts = mp_alloc_zero((size_t)grouping->count + 1, sizeof *lasts);
    for (uint32_t snapshot = 1; snapshot < model->snapshots.count; snapshot++) {
        uint32_t session = model->snapshots.at[snapshot].session.i;
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

/* --- what grows steadily --- */

/* Of one session: when something of a site happened so far, in moments, which count from 1. */
typedef struct site_course {
    uint32_t session, events, last;
    uint32_t gap; /* the most moments in a row without any, before the last */
} site_course;

static bool is_steady(const site_course *course, uint32_t session, uint32_t moments)
{
    uint32_t behind = moments - course->last;
    uint64_t gap = course->gap > behind ? course->gap : behind;
    uint32_t fewest = moments < MP_STEADY_BIRTHS ? moments : MP_STEADY_BIRTHS;
    return course->session == session && moments >= MP_STEADY_MOMENTS && course->events >= fewest &&
           gap * 4 < moments;
}

/* Something of the site happened at a moment; 0 is before the first. */
static void follow(site_course *course, uint32_t session, uint32_t moment)
{
    if (course->session != session)
        *course = (site_course){.session = session};
    if (course->last == moment)
        return;
    uint32_t gap = moment - course->last - 1;
    course->gap = gap > course->gap ? gap : course->gap;
    course->events++;
    course->last = moment;
}

/* The snapshots of each session in a row, in the order of time. */
static uint32_t *snapshots_by_session(const mp_model *model)
{
    uint32_t *order = mp_alloc((size_t)model->snapshots.count * sizeof *order);
    uint32_t *place = mp_alloc_zero((size_t)model->sessions.count + 1, sizeof *place);
    for (uint32_t i = 1; i < model->snapshots.count; i++)
        place[model->snapshots.at[i].session.i + 1]++;
    for (uint32_t i = 1; i <= model->sessions.count; i++)
        place[i] += place[i - 1];
    for (uint32_t i = 1; i < model->snapshots.count; i++)
        order[place[model->snapshots.at[i].session.i]++] = i;
    free(place);
    return order;
}

static void add_steady(const mp_window *window, uint32_t generation, mp_steady *steady)
{
    steady->generations[generation] = true;
    steady->bytes += mp_steady_bytes(window, steady, generation);
}

/* Whether a generation was there at `from`, and is no leak that is accepted. */
static bool is_old(const mp_window *window, const mp_generation *generation)
{
    return !generation->reusable &&
           !mp_window_leaks(window, generation->context, generation->born) &&
           !mp_window_accepts(window, generation->context);
}

/* Of each snapshot the first of its deltas, which stand in a row; one more for the end. */
static uint32_t *deltas_by_snapshot(const mp_model *model)
{
    uint32_t *first = mp_alloc_zero((size_t)model->snapshots.count + 1, sizeof *first);
    for (uint32_t i = model->deltas.count; i-- > 1;)
        first[model->deltas.at[i].snapshot.i] = i;
    return first;
}

/* What is asked of the sites, and what is known of them in the session at hand. */
typedef struct steady_search {
    const mp_window *window;
    const uint32_t *site_of; /* of each generation, its site; 0: none */
    birth_chains births;
    uint32_t *deltas;
    uint32_t *first, *next;   /* of each session what leaks or is old, a chain of generations */
    site_course *born, *lost; /* of each site; of what was there at `from` */
    int64_t *net;             /* of each site that loses as steadily, what it has more */
} steady_search;

/* What was there at `from`, and goes in this snapshot. */
static void follow_losses(steady_search *search, uint32_t snapshot, uint32_t session,
                          uint32_t moment)
{
    const mp_model *model = search->window->model;
    mp_snapshot_id id = {snapshot};
    uint32_t i = search->deltas[snapshot];
    if (mp_window_before_from(search->window, id) || !mp_window_before_to(search->window, id))
        return;
    for (; i && i < model->deltas.count && model->deltas.at[i].snapshot.i == snapshot; i++) {
        uint32_t generation = model->deltas.at[i].generation.i;
        if (model->deltas.at[i].cost.deleted > 0 && search->site_of[generation] &&
            is_old(search->window, &model->generations.at[generation]))
            follow(&search->lost[search->site_of[generation]], session, moment);
    }
}

/* What each session can have that is steady, or in the way of it. */
static void chain_by_session(steady_search *search)
{
    const mp_model *model = search->window->model;
    const mp_balance *balances = mp_window_balances(search->window);
    search->first = mp_alloc_zero((size_t)model->sessions.count + 1, sizeof *search->first);
    search->next = mp_alloc_zero(model->generations.count, sizeof *search->next);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.at[i];
        uint32_t session = model->snapshots.at[generation->born.i].session.i;
        bool counts = is_old(search->window, generation) ||
                      (mp_cost_live(balances[i].to) > 0 &&
                       mp_window_leaks(search->window, generation->context, generation->born));
        if (!search->site_of[i] || !counts)
            continue;
        search->next[i] = search->first[session];
        search->first[session] = i;
    }
}

/* Add what leaks at steady sites. Where a site loses what was there at `from` as steadily, as a
 * full cache does in which the new takes the place of the old, no more than what it has more. */
static void add_session(steady_search *search, uint32_t session, uint32_t moments,
                        mp_steady *steady)
{
    const mp_generation *generations = search->window->model->generations.at;
    const mp_balance *balances = mp_window_balances(search->window);
    for (uint32_t i = search->first[session]; i; i = search->next[i])
        search->net[search->site_of[i]] = 0;
    for (uint32_t i = search->first[session]; i; i = search->next[i])
        search->net[search->site_of[i]] += balances[i].to.bytes - balances[i].from_bytes;
    for (uint32_t i = search->first[session]; i; i = search->next[i]) {
        uint32_t site = search->site_of[i];
        bool swaps = is_steady(&search->lost[site], session, moments);
        if (is_steady(&search->born[site], session, moments) &&
            (swaps ? search->net[site] > 0 : !is_old(search->window, &generations[i])))
            add_steady(search->window, i, steady);
    }
}

static void find_steady_births(const mp_window *window, mp_steady *steady)
{
    const mp_model *model = window->model;
    const mp_grouping *sites = mp_known_groups(window, mp_dimension_find("site"), 0);
    size_t places = (size_t)sites->count + 1;
    steady_search search = {.window = window,
                            .site_of = sites->group_of,
                            .births = births_of_leaks(window),
                            .deltas = deltas_by_snapshot(model),
                            .born = mp_alloc_zero(places, sizeof *search.born),
                            .lost = mp_alloc_zero(places, sizeof *search.lost),
                            .net = mp_alloc_zero(places, sizeof *search.net)};
    uint32_t *order = snapshots_by_session(model), count = model->snapshots.count - 1;
    chain_by_session(&search);
    for (uint32_t first = 0, end; first < count; first = end) {
        uint32_t session = model->snapshots.at[order[first]].session.i, moments = 0;
        for (end = first; end < count && model->snapshots.at[order[end]].session.i == session;
             end++) {
            moments += is_moment(window, &search.births, order[end]);
            for (uint32_t i = search.births.first[order[end]]; i; i = search.births.next[i])
                follow(&search.born[search.site_of[i]], session, moments);
            follow_losses(&search, order[end], session, moments);
        }
        add_session(&search, session, moments, steady);
        steady->of_session[session] = moments;
        if (moments > steady->moments)
            steady->moments = moments;
    }
    free(search.births.first);
    free(search.births.next);
    free(search.deltas);
    free(search.first);
    free(search.next);
    free(search.born);
    free(search.lost);
    free(search.net);
    free(order);
}

/* Dumps do not tell when an object was made: of them, a type grows if it did at each dump. */
static void find_growers(const mp_window *window, mp_steady *steady)
{
    const mp_model *model = window->model;
    size_t count;
    mp_grower *growers = mp_growers_of(window, &count, &steady->moments);
    steady->of_session[1] = steady->moments;
    bool *grows = mp_alloc_zero(model->types.count, sizeof *grows);
    for (size_t i = 0; i < count && steady->moments >= MP_STEADY_MOMENTS; i++)
        grows[growers[i].type.i] = true;
    for (uint32_t i = 1; i < model->generations.count; i++)
        if (grows[model->contexts.at[model->generations.at[i].context.i].type.i])
            add_steady(window, i, steady);
    free(grows);
    free(growers);
}

const mp_steady *mp_window_steady(const mp_window *window)
{
    const mp_model *model = window->model;
    mp_steady *steady = window->known->steady;
    if (steady)
        return steady;
    window->known->steady = steady = mp_alloc_zero(1, sizeof *steady);
    steady->generations = mp_alloc_zero(model->generations.count, sizeof *steady->generations);
    steady->of_session = mp_alloc_zero(model->sessions.count, sizeof *steady->of_session);
    (model->kind == MP_KIND_DUMP ? find_growers : find_steady_births)(window, steady);
    return steady;
}

int64_t *mp_steady_of_groups(const mp_window *window, const mp_grouping *grouping)
{
    const mp_steady *steady = mp_window_steady(window);
    int64_t *sums = mp_alloc_zero((size_t)grouping->count + 1, sizeof *sums);
    for (uint32_t i = 1; i < window->model->generations.count; i++)
        if (grouping->group_of[i])
            sums[grouping->group_of[i] - 1] += mp_steady_bytes(window, steady, i);
    return sums;
}

const char *mp_steady_worst(mp_arena *arena, const mp_window *window, int64_t *bytes)
{
    const mp_model *model = window->model;
    bool has_sites = model->holds & MP_HOLDS_HISTORY;
    const mp_leaks *leaks = has_sites ? mp_window_leak_sites(window) : NULL;
    const mp_grouping *groups =
        mp_window_groups(window, mp_dimension_find(has_sites ? "site" : "type"), 0);
    int64_t *sums = mp_steady_of_groups(window, groups);
    const mp_group *group = NULL;
    *bytes = 0;
    for (uint32_t i = 0; i < groups->count; i++)
        if (sums[i] > *bytes) {
            *bytes = sums[i];
            group = &groups->groups[i];
        }
    free(sums);
    for (uint32_t i = 0; group && leaks && i < leaks->count; i++)
        if (leaks->at[i].group.example.i == group->example.i)
            return mp_leak_text(arena, model, &leaks->at[i]);
    return group ? mp_arena_copy(arena, group->label, strlen(group->label)) : NULL;
}

const mp_leak *mp_steady_leak(const mp_window *window, const bool *left_out, int64_t *bytes)
{
    const mp_grouping *sites = mp_known_groups(window, mp_dimension_find("site"), 0);
    const mp_leaks *leaks = mp_window_leak_sites(window);
    int64_t *sums = mp_steady_of_groups(window, sites);
    const mp_leak *most = NULL;
    *bytes = 0;
    for (uint32_t i = 0; i < leaks->count; i++) {
        const mp_leak *leak = &leaks->at[i];
        const int64_t sum = left_out[i] ? 0 : sums[sites->group_of[leak->group.example.i] - 1];
        most = sum > *bytes ? leak : most;
        *bytes = sum > *bytes ? sum : *bytes;
    }
    free(sums);
    return most;
}

const char *mp_steady_refusal(mp_arena *arena, const mp_window *window)
{
    uint32_t moments = mp_window_steady(window)->moments;
    if (window->model->kind == MP_KIND_DUMP)
        return mp_arena_format(arena, "%u dump%s too few to tell a trend, expected at least %d",
                               moments + 1, moments ? "s are" : " is", MP_STEADY_MOMENTS + 1);
    return mp_arena_format(arena,
                           "%u snapshot%s of the window created anything, which is too few "
                           "to tell a trend, expected at least %d",
                           moments, moments == 1 ? "" : "s", MP_STEADY_MOMENTS);
}

void mp_steady_free(mp_steady *steady)
{
    if (steady) {
        free(steady->generations);
        free(steady->of_session);
    }
    free(steady);
}
