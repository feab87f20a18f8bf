#include "query/verdict.h"

#include <stdlib.h>

#include "query/accumulation.h"
#include "query/window_cache.h"

/* --- recordings: site by site, session by session --- */

typedef struct judging {
    const mp_window *window;
    mp_members sites;
    mp_course_clock clock;
    mp_leak_verdict *verdict;
    uint32_t *order; /* deltas sorted by site, each in order of time */
    uint32_t *first; /* index in `order` of each site's first delta, and of the end */
    mp_site_course *course;
    mp_site_judgement *judged; /* judgement of the current site, by session */
} judging;

static uint32_t session_of(const mp_model *model, uint32_t delta)
{
    return model->snapshots.items[model->deltas.items[delta].snapshot.i].session.i;
}

static void sort_deltas(judging *state)
{
    const mp_model *model = state->window->model;
    const uint32_t *site_of = state->sites.group_of;
    state->first = mp_alloc_zero((size_t)state->sites.count + 2, sizeof *state->first);
    for (uint32_t i = 1; i < model->deltas.count; i++)
        state->first[site_of[model->deltas.items[i].generation.i]]++;
    for (uint32_t site = 0, sum = 0; site <= state->sites.count + 1; site++) {
        const uint32_t count = state->first[site];
        state->first[site] = sum;
        sum += count;
    }
    state->order = mp_alloc(((size_t)model->deltas.count + 1) * sizeof *state->order);
    for (uint32_t i = 1; i < model->deltas.count; i++)
        state->order[state->first[site_of[model->deltas.items[i].generation.i]]++] = i;
    for (uint32_t site = state->sites.count + 1; site > 0; site--)
        state->first[site] = state->first[site - 1];
    state->first[0] = 0;
}

/* Mark the generations of a site that leak in a session, and add up their bytes. Each generation is
 * counted once. A site at which more was freed than added does not leak in the session; its loss
 * must not hide what leaks elsewhere. */
static void mark(judging *state, mp_site_verdict *site, uint32_t session,
                 const mp_site_judgement *judged, const uint32_t *deltas, size_t count)
{
    const mp_model *model = state->window->model;
    const bool unsized = model->holds & MP_HOLDS_UNSIZED;
    mp_leak_verdict *verdict = state->verdict;
    int64_t bytes = 0, objects = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t generation = model->deltas.items[deltas[i]].generation.i;
        const uint32_t born = state->clock.place[model->generations.items[generation].born.i];
        if (verdict->generations[generation])
            continue;
        if (judged->kind == MP_SITE_LEAK && (born < 1 || born > judged->last_leaking))
            continue;
        verdict->generations[generation] = true;
        bytes += mp_verdict_bytes(state->window, verdict, generation);
        objects += mp_verdict_objects(state->window, verdict, generation);
    }
    const int64_t weight = unsized ? objects : bytes;
    if (weight < 0) {
        for (size_t i = 0; i < count; i++)
            verdict->generations[model->deltas.items[deltas[i]].generation.i] = false;
        return;
    }
    site->bytes += bytes;
    site->objects += objects;
    site->weight += weight;
    verdict->bytes += bytes;
    site->leaking_sessions += weight > 0;
    if (weight > site->session_weight) {
        site->session_weight = weight;
        site->session = session;
    }
}

/* Combine the verdicts on a site in several sessions: the most certain leak wins; if no session has
 * a leak, the last session does. */
static void take(mp_site_verdict *site, uint32_t session, const mp_site_judgement *judged)
{
    const bool leaks = mp_site_kind_leaks(judged->kind);
    const bool surer = judged->confidence > site->confidence;
    const bool weaker = judged->kind == MP_SITE_UNKNOWN;
    if (mp_site_kind_leaks(site->kind) ? !leaks || !surer : weaker && site->kind != MP_SITE_UNKNOWN)
        return;
    site->kind = judged->kind;
    site->confidence = judged->confidence;
    site->seldom = judged->seldom;
    site->session = session;
}

static int by_session(const void *left, const void *right, void *model)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const int order = MP_COMPARE(session_of(model, a), session_of(model, b));
    return order ? order : MP_COMPARE(a, b);
}

static size_t end_of_session(const mp_model *model, const uint32_t *deltas, size_t i, size_t count)
{
    const uint32_t session = session_of(model, deltas[i]);
    if (model->sessions.count == 2)
        return count; /* there is only one session */
    while (i < count && session_of(model, deltas[i]) == session)
        i++;
    return i;
}

/* Return the judgement that the recorder itself states, through the type of the site's objects. */
static mp_site_judgement stated_judgement(const mp_model *model, uint32_t example)
{
    enum { SURE = 100, UNSURE = 50 };
    const mp_context_id context = model->generations.items[example].context;
    const mp_type_class class = model->types.items[model->contexts.items[context.i].type.i].class;
    return (mp_site_judgement){
        .kind = class == MP_TYPE_REACHABLE ? MP_SITE_REACHABLE : MP_SITE_LOST,
        .confidence = class == MP_TYPE_MAYBE_LOST ? UNSURE : SURE,
    };
}

static void judge_site(judging *state, uint32_t place)
{
    const mp_model *model = state->window->model;
    uint32_t *deltas = &state->order[state->first[place]];
    const size_t count = state->first[place + 1] - state->first[place];
    mp_site_verdict *site = &state->verdict->sites[place];
    *site = (mp_site_verdict){.kind = MP_SITE_UNKNOWN, .example = state->sites.examples[place - 1]};
    if (model->sessions.count > 2)
        qsort_r(deltas, count, sizeof *deltas, by_session, (void *)(uintptr_t)model);
    uint32_t filled = 0; /* length of the longest session in which the site filled and stopped */
    for (size_t i = 0, end; i < count; i = end) {
        const uint32_t session = session_of(model, deltas[i]),
                       length = state->clock.length[session];
        end = end_of_session(model, deltas, i, count);
        if (model->sessions.items[session].states_leaks) {
            state->judged[session] = stated_judgement(model, site->example);
            continue;
        }
        mp_site_course_of(state->course, state->window, &state->clock, &deltas[i], end - i, length);
        state->judged[session] = mp_site_kind_of(state->course);
        if (state->judged[session].kind == MP_SITE_FILLED && length > filled)
            filled = length;
    }
    for (size_t i = 0, end; i < count; i = end) {
        const uint32_t session = session_of(model, deltas[i]);
        mp_site_judgement *judged = &state->judged[session];
        end = end_of_session(model, deltas, i, count);
        if (mp_site_kind_leaks(judged->kind) && filled >= state->clock.length[session])
            judged->kind = MP_SITE_FILLED; /* the site stops growing in another session that is at
                                              least as long */
        take(site, session, judged);
        if (mp_site_kind_leaks(judged->kind))
            mark(state, site, session, judged, &deltas[i], end - i);
    }
    if (mp_site_kind_leaks(site->kind) && site->weight <= 0)
        site->kind = MP_SITE_IN_USE;
}

/* Remove accepted and reusable objects from their sites. */
static void leave_out_accepted(const mp_window *window, mp_members *sites)
{
    const mp_model *model = window->model;
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.items[i];
        if (generation->reusable || mp_window_accepts(window, generation->context))
            sites->group_of[i] = 0;
    }
}

/* Set the sessions that are too short to tell whether objects that grew keep growing. If anything
 * was created, the number of moments tells. */
static void find_short(const mp_window *window, const mp_course_clock *clock,
                       mp_leak_verdict *verdict)
{
    const mp_model *model = window->model;
    const mp_balance *balances = mp_window_balances(window);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const uint32_t session =
            model->snapshots.items[model->generations.items[i].born.i].session.i;
        verdict->grew[session] |= verdict->site_of[i] && !clock->moments[session] &&
                                  clock->length[session] < MP_VERDICT_MOMENTS &&
                                  !model->sessions.items[session].states_leaks &&
                                  balances[i].from_objects > 0 &&
                                  balances[i].end.bytes > balances[i].from_bytes;
        verdict->changed |= verdict->grew[session];
    }
}

static void judge_sites(const mp_window *window, mp_leak_verdict *verdict)
{
    const mp_model *model = window->model;
    judging state = {.window = window,
                     .sites = mp_members_of(window, mp_dimension_find("site")),
                     .verdict = verdict};
    const mp_members *sites = &state.sites;
    leave_out_accepted(window, &state.sites);
    state.clock = mp_course_clock_of(window);
    state.course = mp_alloc(sizeof *state.course);
    state.judged = mp_alloc_zero(model->sessions.count, sizeof *state.judged);
    verdict->site_of = sites->group_of;
    verdict->site_count = sites->count;
    verdict->sites = mp_alloc_zero((size_t)sites->count + 1, sizeof *verdict->sites);
    sort_deltas(&state);
    size_t most = 0;
    for (uint32_t i = 1; i <= sites->count; i++) {
        const size_t count = state.first[i + 1] - state.first[i];
        most = count > most ? count : most;
    }
    state.course->events = mp_alloc((most + 1) * sizeof *state.course->events);
    for (uint32_t i = 1; i <= sites->count; i++)
        judge_site(&state, i);
    for (uint32_t i = 1; i < model->sessions.count; i++) {
        if (model->sessions.items[i].states_leaks)
            continue; /* the recorder states its verdict, so it needs no moments */
        const uint32_t moments = state.clock.moments[i];
        verdict->of_session[i] = moments;
        verdict->changed |= moments > 0;
        verdict->moments = moments > verdict->moments ? moments : verdict->moments;
    }
    find_short(window, &state.clock, verdict);
    mp_course_clock_free(&state.clock);
    MP_FREE(state.sites.examples, state.course->events, state.course, state.judged, state.order,
            state.first);
}

/* --- dumps: type by type --- */

static void judge_types(const mp_window *window, mp_leak_verdict *verdict)
{
    const mp_model *model = window->model;
    size_t count;
    mp_grower *growers = mp_growers_of(window, &count, &verdict->moments);
    bool *grows = mp_alloc_zero(model->types.count, sizeof *grows);
    mp_members types = mp_members_of(window, mp_dimension_find("type"));
    leave_out_accepted(window, &types);
    verdict->site_of = types.group_of;
    verdict->site_count = types.count;
    verdict->sites = mp_alloc_zero((size_t)types.count + 1, sizeof *verdict->sites);
    verdict->of_session[1] = verdict->moments;
    verdict->changed = true;
    for (size_t i = 0; i < count && verdict->moments >= MP_VERDICT_MOMENTS - 1; i++)
        grows[growers[i].type.i] = true;
    for (uint32_t i = 1; i < model->generations.count; i++) {
        mp_site_verdict *site = &verdict->sites[types.group_of[i]];
        const bool leaks =
            grows[model->contexts.items[model->generations.items[i].context.i].type.i];
        if (!types.group_of[i])
            continue;
        verdict->generations[i] = leaks;
        site->kind = leaks ? MP_SITE_LEAK : MP_SITE_UNKNOWN;
        site->confidence = 50;
        site->example = i;
        site->session = 1;
        site->bytes += mp_verdict_bytes(window, verdict, i);
        site->objects += mp_verdict_objects(window, verdict, i);
        site->weight = site->bytes;
        verdict->bytes += mp_verdict_bytes(window, verdict, i);
    }
    MP_FREE(types.examples, grows, growers);
}

const mp_leak_verdict *mp_window_verdict(const mp_window *window)
{
    const mp_model *model = window->model;
    mp_leak_verdict *verdict = window->cache->verdict;
    if (verdict)
        return verdict;
    window->cache->verdict = verdict = mp_alloc_zero(1, sizeof *verdict);
    verdict->generations = mp_alloc_zero(model->generations.count, sizeof *verdict->generations);
    verdict->of_session = mp_alloc_zero(model->sessions.count, sizeof *verdict->of_session);
    verdict->grew = mp_alloc_zero(model->sessions.count, sizeof *verdict->grew);
    (model->holds & MP_HOLDS_SITES ? judge_sites : judge_types)(window, verdict);
    return verdict;
}

void mp_window_keep_certain_leaks(mp_window *window)
{
    mp_window_verdict(window);
    mp_leak_verdict *verdict = window->cache->verdict;
    for (uint32_t i = 1; i < window->model->generations.count; i++)
        if (verdict->generations[i] &&
            verdict->sites[verdict->site_of[i]].confidence < MP_ALMOST_CERTAIN) {
            verdict->bytes -= mp_verdict_bytes(window, verdict, i);
            verdict->generations[i] = false;
        }
    for (uint32_t i = 1; i <= verdict->site_count; i++)
        if (verdict->sites[i].confidence < MP_ALMOST_CERTAIN)
            verdict->sites[i].kind = MP_SITE_UNKNOWN;
}

void mp_verdict_free(mp_leak_verdict *verdict)
{
    if (verdict) {
        MP_FREE(verdict->site_of, verdict->sites, verdict->generations, verdict->of_session,
                verdict->grew);
    }
    free(verdict);
}

int64_t *mp_verdict_of_groups(const mp_window *window, const mp_grouping *grouping)
{
    const mp_leak_verdict *verdict = mp_window_verdict(window);
    int64_t *sums = mp_alloc_zero((size_t)grouping->count + 1, sizeof *sums);
    for (uint32_t i = 1; i < window->model->generations.count; i++)
        if (grouping->group_of[i])
            sums[grouping->group_of[i] - 1] += mp_verdict_bytes(window, verdict, i);
    return sums;
}

const mp_site_verdict **mp_verdicts_of_sites(const mp_window *window, const mp_grouping *sites)
{
    const mp_leak_verdict *verdict = mp_window_verdict(window);
    const mp_site_verdict **of_group = mp_alloc_zero((size_t)sites->count + 1, sizeof *of_group);
    for (uint32_t i = 1; i < window->model->generations.count; i++)
        if (sites->group_of[i] && verdict->site_of[i])
            of_group[sites->group_of[i] - 1] = &verdict->sites[verdict->site_of[i]];
    return of_group;
}

bool mp_verdict_is_unknown(const mp_window *window)
{
    const mp_leak_verdict *verdict = mp_window_verdict(window);
    if (!(window->model->holds & MP_HOLDS_SITES))
        return verdict->moments + 1 < MP_VERDICT_MOMENTS;
    return verdict->changed && verdict->moments < MP_VERDICT_MOMENTS;
}

static const char *too_few_text(mp_arena *arena, uint32_t moments)
{
    if (!moments)
        return mp_arena_format(arena,
                               "objects grew, but at too few snapshots to detect a trend, expected "
                               "at least %d",
                               MP_VERDICT_MOMENTS);
    return mp_arena_format(arena,
                           "%u snapshot%s of the window created anything, too few to detect a "
                           "trend, expected at least %d",
                           moments, moments == 1 ? "" : "s", MP_VERDICT_MOMENTS);
}

const char *mp_verdict_refusal(mp_arena *arena, const mp_window *window)
{
    const uint32_t moments = mp_window_verdict(window)->moments;
    if (!(window->model->holds & MP_HOLDS_SITES))
        return mp_arena_format(arena, "%u dump%s too few to detect a trend, expected at least %d",
                               moments + 1, moments ? "s are" : " is", MP_VERDICT_MOMENTS);
    return too_few_text(arena, moments);
}

const char *mp_verdict_part_text(mp_arena *arena, const mp_window *window, bool steady)
{
    const mp_model *model = window->model;
    const uint32_t lone = mp_window_lone_session(window);
    uint32_t session = lone;
    const mp_leak_verdict *verdict = steady && !session ? mp_window_verdict(window) : NULL;
    for (uint32_t i = 1;
         verdict && !session && model->holds & MP_HOLDS_RUNTIME && i < model->sessions.count; i++)
        if (verdict->grew[i] ||
            (verdict->of_session[i] && verdict->of_session[i] < MP_VERDICT_MOMENTS))
            session = i;
    if (!session)
        return NULL;
    const char *id = mp_model_text(model, model->sessions.items[session].session_id);
    return mp_arena_format(arena, "session %u of %u%s%s%s: %s", session, model->sessions.count - 1,
                           *id ? " (" : "", id, *id ? ")" : "",
                           lone ? MP_ONE_SNAPSHOT
                                : too_few_text(arena, verdict->of_session[session]));
}
