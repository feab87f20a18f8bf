#include "query/site_course.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* limit of the probability that a pause is chance; a less likely one counts as a pause */
static const double BY_CHANCE = 1e-3;

/* Return true if the snapshot is complete, after `from` and not after `to`. */
static bool is_within(const mp_window *window, uint32_t snapshot)
{
    const mp_snapshot_id id = {snapshot};
    return mp_window_snapshot(window, snapshot)->whole && !mp_window_before_from(window, id) &&
           mp_window_before_to(window, id);
}

/* Kinds of snapshots for the course of a session. */
typedef enum snapshot_part { PART_OUTSIDE, PART_WORK, PART_PAUSE, PART_CLEAN_UP } snapshot_part;

/* Return true if chance does not explain `idle` successive snapshots without creations, given that
 * `active` of `count` snapshots had creations. */
static bool is_pause(uint32_t idle, uint32_t active, uint32_t count)
{
    return pow(1 - (double)active / (count - idle), idle) < BY_CHANCE;
}

/* Return true if the snapshot is the last of its session, a clean-up, and nothing was created. */
static bool is_clean_up(const mp_window *window, uint32_t snapshot)
{
    const mp_model *model = window->model;
    const mp_snapshot *state = &model->snapshots.items[snapshot];
    return snapshot == window->ranges[state->session.i].to.i && !state->created_objects &&
           mp_model_is_clean_up(model, state->tag);
}

/* Return the kind of each snapshot. Set `active` to the number of snapshots with creations in each
 * session. Release with free(). */
static snapshot_part *parts_of(const mp_window *window, uint32_t *active)
{
    const mp_model *model = window->model;
    const uint32_t sessions = model->sessions.count, count = model->snapshots.count;
    snapshot_part *parts = mp_alloc_zero(count, sizeof *parts);
    /* by snapshot: number of snapshots without creations directly before it in its session */
    uint32_t *idle = mp_alloc_zero(count, sizeof *idle);
    uint32_t *run = mp_alloc_zero(sessions, sizeof *run);
    uint32_t *work = mp_alloc_zero(sessions, sizeof *work);
    snapshot_part *silence = mp_alloc(sessions * sizeof *silence);
    for (uint32_t i = 1; i < count; i++) {
        const mp_snapshot *snapshot = &model->snapshots.items[i];
        if (!is_within(window, i))
            continue;
        parts[i] = is_clean_up(window, i) ? PART_CLEAN_UP : PART_WORK;
        work[snapshot->session.i] += parts[i] == PART_WORK;
        idle[i] = run[snapshot->session.i];
        run[snapshot->session.i] = snapshot->created_objects > 0 ? 0 : run[snapshot->session.i] + 1;
        active[snapshot->session.i] += snapshot->created_objects > 0;
    }
    /* A log ends with its last event. Snapshots after the last creation show only the clean-up. */
    for (uint32_t i = 0; i < sessions; i++)
        silence[i] = model->events ? PART_CLEAN_UP : PART_WORK;
    for (uint32_t i = count - 1; i > 0; i--) {
        const mp_snapshot *state = &model->snapshots.items[i];
        const uint32_t session = state->session.i;
        if (state->created_objects > 0)
            silence[session] = parts[i] == PART_WORK && idle[i] &&
                                       is_pause(idle[i], active[session], work[session])
                                   ? PART_PAUSE
                                   : PART_WORK;
        else if (parts[i] == PART_WORK)
            parts[i] = silence[session];
    }
    MP_FREE(silence, work, run, idle);
    return parts;
}

mp_course_clock mp_course_clock_of(const mp_window *window)
{
    const mp_model *model = window->model;
    const uint32_t sessions = model->sessions.count, count = model->snapshots.count;
    uint32_t *passed = mp_alloc_zero(sessions, sizeof *passed);
    uint32_t *totals = mp_alloc_zero(sessions, sizeof *totals);
    mp_course_clock clock = {mp_alloc_zero(count, sizeof *clock.place),
                             mp_alloc_zero(sessions, sizeof *clock.moments),
                             mp_alloc_zero(sessions, sizeof *clock.length)};
    snapshot_part *parts = parts_of(window, clock.moments);
    for (uint32_t i = 1; i < count; i++)
        totals[model->snapshots.items[i].session.i] += parts[i] == PART_WORK;
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t session = model->snapshots.items[i].session.i;
        const uint32_t shared = (totals[session] + MP_COURSE_LENGTH - 1) / MP_COURSE_LENGTH;
        clock.length[session] = shared ? (totals[session] + shared - 1) / shared : 0;
        passed[session] += parts[i] == PART_WORK;
        if (!mp_window_before_to(window, (mp_snapshot_id){i}))
            clock.place[i] = UINT32_MAX;
        else if (parts[i] == PART_CLEAN_UP)
            clock.place[i] = clock.length[session] + 1;
        else if (shared)
            clock.place[i] = (passed[session] + shared - 1) / shared;
    }
    MP_FREE(parts, passed, totals);
    return clock;
}

void mp_course_clock_free(mp_course_clock *clock)
{
    MP_FREE(clock->place, clock->moments, clock->length);
}

static mp_site_event event_of(const mp_window *window, const mp_course_clock *clock,
                              const mp_delta *delta)
{
    const mp_generation *generation = &window->model->generations.items[delta->generation.i];
    const mp_cost *cost = &delta->cost;
    const int64_t gone = cost->deleted + (cost->found < 0 ? -cost->found : 0) +
                         (cost->retyped < 0 ? -cost->retyped : 0);
    return (mp_site_event){.born = clock->place[generation->born.i],
                           .place = clock->place[delta->snapshot.i],
                           .come = mp_cost_live(*cost) + gone,
                           .gone = gone,
                           .bytes = cost->bytes};
}

void mp_site_course_of(mp_site_course *course, const mp_window *window,
                       const mp_course_clock *clock, const uint32_t *deltas, size_t count,
                       uint32_t length)
{
    enum { AHEAD = 16 };
    const size_t size = (length + 2) * sizeof(int64_t);
    course->length = length;
    course->count = 0;
    memset(course->births, 0, size);
    memset(course->deaths, 0, size);
    memset(course->alive, 0, size);
    memset(course->alive_bytes, 0, size);
    memset(course->resized_bytes, 0, size);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count) { /* the deltas of a site are far apart */
            const mp_delta *next = &window->model->deltas.items[deltas[i + AHEAD]];
            __builtin_prefetch(next);
            __builtin_prefetch((const char *)(next + 1) - 1);
        }
        const mp_site_event event =
            event_of(window, clock, &window->model->deltas.items[deltas[i]]);
        if (event.place > length + 1 || event.born > event.place)
            continue;
        course->events[course->count++] = event;
        course->births[event.place] += event.come;
        course->deaths[event.place] += event.gone;
        course->alive[event.place] += event.come - event.gone;
        course->alive_bytes[event.place] += event.bytes;
        if (!event.come && !event.gone)
            course->resized_bytes[event.place] += event.bytes;
    }
    for (uint32_t i = 1; i <= length + 1; i++) {
        course->alive[i] += course->alive[i - 1];
        course->alive_bytes[i] += course->alive_bytes[i - 1];
    }
}

void mp_course_old_of(mp_course_old *old, const mp_site_course *course, uint32_t age)
{
    const size_t size = (course->length + 2) * sizeof(int64_t);
    memset(old->in, 0, size);
    memset(old->out, 0, size);
    old->level = 0;
    old->age = age;
    for (uint32_t i = 0; i < course->count; i++) {
        const mp_site_event *event = &course->events[i];
        const uint32_t reached = event->born + age;
        if (reached > course->length)
            continue;
        int64_t *target = event->born ? &old->in[reached] : &old->level;
        *target += event->come;
        if (event->place <= reached)
            *target -= event->gone;
        else
            old->out[event->place] += event->gone;
    }
}
