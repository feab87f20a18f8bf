#include "query/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/glob.h"
#include "base/text.h"
#include "model/profile.h"

/* --- snapshots by session --- */

/* Return true if the snapshot is complete or, if `totals`, has at least a total. */
static bool is_listed(const mp_snapshot *snapshot, bool totals)
{
    return snapshot->whole || (totals && snapshot->only_total);
}

static mp_session_snapshots snapshots_by_session(const mp_model *model,
                                                 const mp_snapshot *snapshots, bool totals)
{
    mp_session_snapshots by = {mp_alloc(model->snapshots.count * sizeof *by.snapshots),
                               mp_alloc_zero(model->sessions.count + 1u, sizeof *by.first)};
    for (uint32_t i = 1; i < model->snapshots.count; i++)
        if (is_listed(&snapshots[i], totals))
            by.first[snapshots[i].session.i + 1]++;
    for (uint32_t i = 1; i <= model->sessions.count; i++)
        by.first[i] += by.first[i - 1];
    /* Filling moves each session's start to its end, which is the start of the next session. */
    for (uint32_t i = 1; i < model->snapshots.count; i++)
        if (is_listed(&snapshots[i], totals))
            by.snapshots[by.first[snapshots[i].session.i]++] = i;
    memmove(by.first + 1, by.first, model->sessions.count * sizeof *by.first);
    by.first[0] = 0;
    return by;
}

static void take_snapshots(mp_filter *filter)
{
    filter->sessions = snapshots_by_session(filter->model, filter->snapshots, false);
    filter->listed = snapshots_by_session(filter->model, filter->snapshots, true);
}

static void free_snapshots(mp_filter *filter)
{
    MP_FREE(filter->sessions.snapshots, filter->sessions.first, filter->listed.snapshots,
            filter->listed.first);
}

uint32_t mp_filter_peak(const mp_filter *filter, uint32_t session)
{
    const uint32_t *first = filter->sessions.first;
    uint32_t peak = 0;
    for (uint32_t i = first[session]; i < first[session + 1]; i++) {
        uint32_t id = filter->sessions.snapshots[i];
        if (!peak || filter->snapshots[id].live_bytes > filter->snapshots[peak].live_bytes)
            peak = id;
    }
    return peak;
}

/* --- moments --- */

const char mp_expected_moment[] =
    "expected a number, a tag, tag#k, first, last or peak (see memprof snapshots)";

/* Compare tags: user tags with case, system tags (with "_") ignoring case. */
static bool same_tag(const char *tag, const char *text, size_t length)
{
    if (strlen(tag) != length)
        return false;
    return *tag == '_' ? mp_slice_is((mp_slice){text, length}, tag)
                       : memcmp(tag, text, length) == 0;
}

static mp_snapshot_id find_tag(const mp_filter *filter, uint32_t session, const char *text,
                               size_t length, uint64_t nth)
{
    const mp_session_snapshots *state = &filter->sessions;
    for (uint32_t i = state->first[session]; i < state->first[session + 1]; i++) {
        const char *tag = mp_model_text(filter->model, filter->snapshots[state->snapshots[i]].tag);
        if (same_tag(tag, text, length) && --nth == 0)
            return (mp_snapshot_id){state->snapshots[i]};
    }
    return (mp_snapshot_id){0};
}

static mp_snapshot_id find_number(const mp_filter *filter, uint32_t session, uint64_t number)
{
    const mp_session_snapshots *state = &filter->sessions;
    for (uint32_t i = state->first[session]; i < state->first[session + 1]; i++) {
        const mp_snapshot *snapshot = &filter->snapshots[state->snapshots[i]];
        if (snapshot->sequence == number && !snapshot->asked)
            return (mp_snapshot_id){state->snapshots[i]};
    }
    return (mp_snapshot_id){0};
}

mp_snapshot_id mp_filter_moment(const mp_filter *filter, uint32_t session, const char *text)
{
    const mp_session_snapshots *snapshots = &filter->sessions;
    char *end;
    if (snapshots->first[session] == snapshots->first[session + 1])
        return (mp_snapshot_id){0};
    if (strcmp(text, "first") == 0)
        return (mp_snapshot_id){snapshots->snapshots[snapshots->first[session]]};
    if (strcmp(text, "last") == 0)
        return (mp_snapshot_id){snapshots->snapshots[snapshots->first[session + 1] - 1]};
    if (strcmp(text, "peak") == 0)
        return (mp_snapshot_id){mp_filter_peak(filter, session)};
    errno = 0;
    uint64_t number = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0)
        return find_number(filter, session, number);
    mp_snapshot_id found = find_tag(filter, session, text, strlen(text), 1);
    const char *hash = strrchr(text, '#');
    if (found.i || !hash || hash == text || hash[1] < '1' || hash[1] > '9')
        return found;
    uint64_t nth = strtoull(hash + 1, &end, 10);
    return *end ? found : find_tag(filter, session, text, (size_t)(hash - text), nth);
}

/* --- sessions cut at FILE@SNAPSHOT --- */

/* Exclude all snapshots of a session after `last`; 0: all. Return false if the user requested a
 * moment among them. */
static bool leave_out(mp_filter *filter, uint32_t session, mp_snapshot_id last)
{
    const mp_session_snapshots *state = &filter->listed;
    bool ok = true;
    for (uint32_t i = state->first[session]; i < state->first[session + 1]; i++)
        if (state->snapshots[i] > last.i) {
            mp_snapshot *snapshot = &filter->snapshots[state->snapshots[i]];
            ok &= !snapshot->asked;
            snapshot->whole = snapshot->only_total = false;
        }
    return ok;
}

/* Return the snapshot with the highest peak since its predecessor; the first of equal ones. */
static const mp_snapshot *highest(const mp_filter *filter, uint32_t session)
{
    const mp_session_snapshots *state = &filter->sessions;
    const mp_snapshot *most = &filter->snapshots[state->snapshots[state->first[session]]];
    for (uint32_t i = state->first[session]; i < state->first[session + 1]; i++) {
        const mp_snapshot *snapshot = &filter->snapshots[state->snapshots[i]];
        if (snapshot->whole && snapshot->peak_bytes > most->peak_bytes)
            most = snapshot;
    }
    return most;
}

/* Cut a session at a snapshot. The objects alive at the peak are known only for a whole log. If the
 * peak is cut off, they become unknown for all sessions, so that figures that are not comparable
 * are never added. Return false if this cuts off a moment that the user requested. */
static bool cut(mp_filter *filter, uint32_t session, mp_snapshot_id last)
{
    const mp_snapshot *peak = filter->model->events ? highest(filter, session) : NULL;
    bool ok = leave_out(filter, session, last);
    if (!peak || peak->whole)
        return ok;
    filter->knows_peak = false;
    if (filter->peak_time_us == peak->peak_time_us)
        filter->peak_time_us = highest(filter, session)->peak_time_us;
    return ok;
}

/* Cut each session at the snapshot that is named with its file. Return false if a named snapshot
 * does not exist or precedes a moment that the user requested. `diagnostics` may be NULL. */
static bool cut_sessions(mp_filter *filter, mp_diagnostics *diagnostics)
{
    const mp_model *model = filter->model;
    bool ok = true;
    for (uint32_t session = 1; session < model->sessions.count; session++) {
        if (!mp_filter_is_cut(filter, session) || !mp_filter_snapshots(filter, session))
            continue;
        const char *file = mp_model_text(model, model->sessions.items[session].file);
        const char *named = mp_model_text(model, model->sessions.items[session].snapshot);
        mp_snapshot_id last = mp_filter_moment(filter, session, named);
        bool asked = cut(filter, session, last);
        ok &= last.i && asked;
        if (!asked) /* the requested moment is cut off; do not show another one instead */
            leave_out(filter, session, (mp_snapshot_id){0});
        if (diagnostics && !last.i)
            mp_diagnose(diagnostics, MP_DIAG_NO_SNAPSHOT, file, 0, "no snapshot \"%s\", %s", named,
                        mp_expected_moment);
        else if (diagnostics && !asked)
            mp_diagnose(diagnostics, MP_DIAG_NO_SNAPSHOT, file, 0,
                        "ends at snapshot \"%s\", expected a moment of %sat before it", named,
                        mp_diagnostics_dashes(diagnostics));
    }
    return ok;
}

/* --- selection --- */

/* Exclude births at snapshots outside the selected time. */
static void select_births(mp_filter *filter, const mp_time_range *within)
{
    const mp_model *model = filter->model;
    for (uint32_t i = 1; i < model->snapshots.count; i++) {
        const mp_snapshot *snapshot = &model->snapshots.items[i];
        int64_t start_us = model->sessions.items[snapshot->session.i].start_us;
        bool is_in =
            (!within->since.given || snapshot->time_us >= mp_moment_us(&within->since, start_us)) &&
            (!within->until.given || snapshot->time_us <= mp_moment_us(&within->until, start_us));
        filter->births[i] &= is_in;
        filter->births_between[i] &= is_in;
    }
}

/* Select generations. `timed`: generations record which objects were created outside the selected
 * time. */
static void select_generations(mp_filter *filter, bool timed)
{
    const mp_model *model = filter->model;
    filter->generations = mp_alloc(model->generations.count * sizeof *filter->generations);
    for (uint32_t i = 0; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.items[i];
        const bool *births =
            generation->marks & MP_BORN_BEFORE_REQUEST ? filter->births_between : filter->births;
        filter->generations[i] = filter->contexts[generation->context.i] &&
                                 births[generation->born.i] &&
                                 !(timed && generation->marks & MP_BORN_BEYOND);
    }
}

static void clear_figures(mp_snapshot *snapshot)
{
    snapshot->created_objects = snapshot->deleted_objects = snapshot->changed_objects = 0;
    snapshot->live_objects = snapshot->live_bytes = 0;
    snapshot->reusable_objects = snapshot->reusable_bytes = 0;
    snapshot->has_peak = false;
}

static void add_delta(mp_snapshot *snapshot, const mp_delta *delta, bool reusable)
{
    int64_t live = mp_cost_live(delta->cost);
    if (reusable) {
        snapshot->reusable_objects += live;
        snapshot->reusable_bytes += delta->cost.bytes;
        return;
    }
    snapshot->created_objects += delta->cost.created;
    snapshot->deleted_objects += delta->cost.deleted;
    snapshot->live_objects += live;
    snapshot->live_bytes += delta->cost.bytes;
}

/* Recompute the figures of the snapshots for the selection. Changes up to an incomplete snapshot
 * count for the next one. */
static void count_selected(mp_filter *filter)
{
    const mp_model *model = filter->model;
    mp_snapshot *snapshots = filter->snapshots;
    for (uint32_t i = 0; i < model->snapshots.count; i++)
        clear_figures(&snapshots[i]);
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.items[i];
        const mp_generation *generation = &model->generations.items[delta->generation.i];
        if (filter->generations[delta->generation.i])
            add_delta(&snapshots[delta->snapshot.i], delta,
                      model->contexts.items[generation->context.i].reusable);
    }
    uint32_t *last = mp_alloc_zero(model->sessions.count, sizeof *last); /* last snapshot of each
                                                                          * session */
    for (uint32_t i = 1; i < model->snapshots.count; i++) {
        const mp_snapshot *before = &snapshots[last[snapshots[i].session.i]];
        last[snapshots[i].session.i] = i;
        if (before == snapshots)
            continue;
        snapshots[i].live_objects += before->live_objects;
        snapshots[i].live_bytes += before->live_bytes;
        snapshots[i].reusable_objects += before->reusable_objects;
        snapshots[i].reusable_bytes += before->reusable_bytes;
        if (!before->whole) {
            snapshots[i].created_objects += before->created_objects;
            snapshots[i].deleted_objects += before->deleted_objects;
        }
    }
    free(last);
}

mp_peak_share mp_filter_at_peak(const mp_filter *filter, mp_generation_id generation)
{
    const mp_events *events = filter->model->events;
    bool known = filter->knows_peak && generation.i < events->at_peak_count &&
                 mp_filter_has_generation(filter, generation);
    return known ? events->at_peak[generation.i] : (mp_peak_share){0};
}

/* --- the filter --- */

static mp_filter *all_of(const mp_model *model)
{
    mp_filter *filter = mp_alloc(sizeof *filter);
    *filter = (mp_filter){.model = model, .holds = model->holds, .graph = model->graph};
    filter->snapshots = mp_alloc(model->snapshots.count * sizeof *filter->snapshots);
    memcpy(filter->snapshots, model->snapshots.items,
           model->snapshots.count * sizeof *filter->snapshots);
    take_snapshots(filter);
    if (model->events) {
        filter->knows_peak = model->events->at_peak_count != 0;
        filter->peak_time_us = model->events->peak_time_us;
    }
    return filter;
}

bool mp_filter_check_ends(const mp_model *model, mp_diagnostics *diagnostics)
{
    mp_filter *filter = all_of(model);
    bool ok = cut_sessions(filter, diagnostics);
    mp_filter_free(filter);
    return ok;
}

/* Return true if the module belongs to ProTop's own profiler, which its reports leave out:
 * lib/zprofiler.p, and files in a folder of this name. */
static bool is_profiler(const mp_model *model, const mp_module *module)
{
    const char *program = mp_model_text(model, module->program);
    bool named = mp_glob_fits("lib[/\\\\]zprofiler[./\\\\]*", program, 0);
    return module->number != 0 && named;
}

static void leave_out_profiler(mp_filter *filter)
{
    const mp_model *model = filter->model;
    uint32_t count = model->profile ? model->profile->modules.count : 0;
    for (uint32_t i = 1; i < count; i++) {
        if (!is_profiler(model, &model->profile->modules.items[i]))
            continue;
        if (!filter->profiler)
            filter->profiler = mp_alloc_zero(count, sizeof *filter->profiler);
        filter->profiler[i] = true;
    }
    if (filter->profiler && !filter->modules) {
        filter->modules = mp_alloc(count * sizeof *filter->modules);
        memset(filter->modules, true, count * sizeof *filter->modules);
    }
    for (uint32_t i = 1; filter->profiler && i < count; i++)
        filter->modules[i] &= !filter->profiler[i];
}

static void select_things(mp_filter *filter, const mp_selection *selection)
{
    const mp_model *model = filter->model;
    filter->selects = true;
    bool *matched = mp_alloc_zero(selection->count + 1, sizeof *matched);
    bool **map[] = {
        [MP_THINGS_CONTEXTS] = &filter->contexts,      [MP_THINGS_SNAPSHOTS] = &filter->births,
        [MP_THINGS_BETWEEN] = &filter->births_between, [MP_THINGS_TYPES] = &filter->types,
        [MP_THINGS_MODULES] = &filter->modules,        [MP_THINGS_ENTITIES] = &filter->entities};
    for (mp_things things = 0; things <= (model->profile ? MP_THINGS_ENTITIES : MP_THINGS_TYPES);
         things++)
        *map[things] = mp_matching(model, things, selection->criteria, selection->count, matched);
    filter->unmatched = mp_unmatched_of(selection, matched);
    free(matched);
    bool timed =
        model->holds & MP_HOLDS_TIMES && mp_time_range_is(&selection->within, &model->within);
    if (!timed)
        select_births(filter, &selection->within);
    select_generations(filter, timed);
    count_selected(filter);
}

mp_filter *mp_filter_of(const mp_model *model, const mp_selection *selection, mp_error *error)
{
    if (selection && !mp_can_select(model, selection, error))
        return NULL;
    mp_filter *filter = all_of(model);
    cut_sessions(filter, NULL);
    for (uint32_t i = 1; selection && mp_selects(selection) && i < model->snapshots.count; i++)
        filter->snapshots[i].only_total = false; /* the part of it that is selected is unknown */
    free_snapshots(filter);
    take_snapshots(filter);
    if (filter->graph && !filter->snapshots[filter->graph->snapshot.i].whole) {
        filter->graph = NULL; /* references are known at one moment only */
        filter->holds &= ~(unsigned)MP_HOLDS_GRAPH;
    }
    if (selection && mp_selects(selection))
        select_things(filter, selection);
    if (!selection || !selection->keeps_profiler)
        leave_out_profiler(filter);
    return filter;
}

void mp_filter_free(mp_filter *filter)
{
    if (!filter)
        return;
    free(filter->snapshots);
    free_snapshots(filter);
    MP_FREE(filter->contexts, filter->births, filter->births_between, filter->generations,
            filter->types, filter->modules, filter->profiler, filter->entities, filter);
}
