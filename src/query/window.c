#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/events.h"
#include "model/graph_builder.h"
#include "query/suppression.h"

/* What a user said of a snapshot, taken apart once for all sessions. */
typedef struct moment {
    const char *text;
    bool is_number;
    uint64_t number;
    size_t tag_length; /* tag, without #k */
    uint64_t nth;
} moment;

static moment parse_moment(const char *text)
{
    moment parsed = {.text = text, .tag_length = strlen(text), .nth = 1};
    char *end;
    errno = 0;
    parsed.number = strtoull(text, &end, 10);
    parsed.is_number = *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
    const char *hash = strrchr(text, '#');
    if (hash && hash > text && hash[1] >= '1' && hash[1] <= '9') {
        uint64_t nth = strtoull(hash + 1, &end, 10);
        if (*end == '\0') {
            parsed.nth = nth;
            parsed.tag_length = (size_t)(hash - text);
        }
    }
    return parsed;
}

/* User tags are compared to the letter, system tags (with "_") without case. */
static bool same_tag(const char *tag, const char *text, size_t length)
{
    if (strlen(tag) != length)
        return false;
    return *tag == '_' ? mp_slice_is((mp_slice){text, length}, tag)
                       : memcmp(tag, text, length) == 0;
}

mp_session_snapshots mp_session_snapshots_of(const mp_model *model)
{
    mp_session_snapshots snapshots = {
        mp_alloc(model->snapshots.count * sizeof *snapshots.at),
        mp_alloc_zero(model->sessions.count + 1u, sizeof *snapshots.first)};
    for (uint32_t i = 1; i < model->snapshots.count; i++)
        if (model->snapshots.at[i].whole)
            snapshots.first[model->snapshots.at[i].session.i + 1]++;
    for (uint32_t i = 1; i <= model->sessions.count; i++)
        snapshots.first[i] += snapshots.first[i - 1];
    /* Filling moves each session's start to its end, which is the next one's start. */
    for (uint32_t i = 1; i < model->snapshots.count; i++)
        if (model->snapshots.at[i].whole)
            snapshots.at[snapshots.first[model->snapshots.at[i].session.i]++] = i;
    for (uint32_t i = model->sessions.count; i > 0; i--)
        snapshots.first[i] = snapshots.first[i - 1];
    snapshots.first[0] = 0;
    return snapshots;
}

void mp_session_snapshots_free(mp_session_snapshots *snapshots)
{
    free(snapshots->at);
    free(snapshots->first);
    *snapshots = (mp_session_snapshots){NULL, NULL};
}

uint32_t mp_session_peak(const mp_model *model, const mp_session_snapshots *snapshots,
                         uint32_t session)
{
    uint32_t peak = 0;
    for (uint32_t i = snapshots->first[session]; i < snapshots->first[session + 1]; i++) {
        uint32_t snapshot = snapshots->at[i];
        if (!peak ||
            model->snapshots.at[snapshot].live_bytes > model->snapshots.at[peak].live_bytes)
            peak = snapshot;
    }
    return peak;
}

/* One session, for those who look for a snapshot of it. */
typedef struct session_view {
    const mp_model *model;
    const mp_session_snapshots *snapshots;
    uint32_t session, from, to; /* places in snapshots->at; `to` is behind the last */
} session_view;

static const mp_snapshot *snapshot_at(const session_view *view, uint32_t i)
{
    return &view->model->snapshots.at[view->snapshots->at[i]];
}

static mp_snapshot_id find_tag(const session_view *view, const char *text, size_t length,
                               uint64_t nth)
{
    for (uint32_t i = view->from; i < view->to; i++)
        if (same_tag(mp_model_text(view->model, snapshot_at(view, i)->tag), text, length) &&
            --nth == 0)
            return (mp_snapshot_id){view->snapshots->at[i]};
    return (mp_snapshot_id){0};
}

static mp_snapshot_id find_number(const session_view *view, uint64_t number)
{
    for (uint32_t i = view->from; i < view->to; i++)
        if (snapshot_at(view, i)->sequence == number && !snapshot_at(view, i)->asked)
            return (mp_snapshot_id){view->snapshots->at[i]};
    return (mp_snapshot_id){0};
}

static mp_snapshot_id find_moment(const session_view *view, const moment *asked)
{
    if (strcmp(asked->text, "first") == 0)
        return (mp_snapshot_id){view->snapshots->at[view->from]};
    if (strcmp(asked->text, "last") == 0)
        return (mp_snapshot_id){view->snapshots->at[view->to - 1]};
    if (strcmp(asked->text, "peak") == 0)
        return (mp_snapshot_id){mp_session_peak(view->model, view->snapshots, view->session)};
    if (asked->is_number)
        return find_number(view, asked->number);
    mp_snapshot_id found = find_tag(view, asked->text, strlen(asked->text), 1);
    return found.i ? found : find_tag(view, asked->text, asked->tag_length, asked->nth);
}

/* Whether the session was cut, and so ends where it was asked to. */
static bool is_cut(const session_view *view)
{
    return view->model->sessions.at[view->session].snapshot.i != 0;
}

static mp_snapshot_id default_to(const session_view *view)
{
    for (uint32_t i = view->from; i < view->to; i++)
        if (snapshot_at(view, i)->asked)
            return (mp_snapshot_id){view->snapshots->at[i]};
    for (uint32_t i = view->to; !is_cut(view) && i-- > view->from;)
        if (mp_text_is(mp_model_text(view->model, snapshot_at(view, i)->tag), "_PreCleanUp"))
            return (mp_snapshot_id){view->snapshots->at[i]};
    return (mp_snapshot_id){view->snapshots->at[view->to - 1]};
}

static const char expected_moment[] =
    "expected a number, a tag, tag#k, first, last or peak (see memprof snapshots)";

static bool missing(const mp_model *model, uint32_t session, const char *argument, const char *text,
                    mp_error *error)
{
    const char *id = mp_model_text(model, model->sessions.at[session].session_id);
    return mp_fail_argument(error, argument, NULL, "no snapshot \"%s\" in session %s, %s", text,
                            *id ? id : "of the recording", expected_moment);
}

/* What the user asked for in one session. False with a message. */
static bool resolve_session(const session_view *view, const char *from, const char *to,
                            mp_range *range, mp_error *error)
{
    moment from_moment = parse_moment(from ? from : "first");
    moment to_moment = parse_moment(to ? to : "last");
    range->from = find_moment(view, &from_moment);
    range->to = to ? find_moment(view, &to_moment) : default_to(view);
    range->all_new = !from && view->model->kind == MP_KIND_DATABASE && view->to - view->from == 1 &&
                     !is_cut(view);
    if (!range->from.i)
        return missing(view->model, view->session, "from", from, error);
    if (!range->to.i)
        return missing(view->model, view->session, "to", to, error);
    if (range->from.i <= range->to.i)
        return true;
    mp_fail(error, MP_ERROR_ARGUMENT,
            "--from is snapshot %" PRIu64 ", which is later than --to, snapshot %" PRIu64,
            view->model->snapshots.at[range->from.i].sequence,
            view->model->snapshots.at[range->to.i].sequence);
    return false;
}

/* Leave out all snapshots behind this one; 0: all. False if a moment was asked for there. */
static bool leave_out(mp_model *model, const session_view *view, mp_snapshot_id last)
{
    bool ok = true;
    for (uint32_t i = view->from; i < view->to; i++)
        if (view->snapshots->at[i] > last.i && snapshot_at(view, i)->whole) {
            mp_snapshot *snapshot = &model->snapshots.at[view->snapshots->at[i]];
            ok &= !snapshot->asked;
            snapshot->whole = false;
            model->sessions.at[view->session].snapshots--;
        }
    return ok;
}

/* The snapshot up to which a log had most bytes alive at once; of equal ones the first. */
static const mp_snapshot *highest(const session_view *view)
{
    const mp_snapshot *most = snapshot_at(view, view->from);
    for (uint32_t i = view->from; i < view->to; i++)
        if (snapshot_at(view, i)->whole && snapshot_at(view, i)->peak_bytes > most->peak_bytes)
            most = snapshot_at(view, i);
    return most;
}

/* Cut one session; false if a moment was asked for behind the cut. What was alive at the peak is
 * known of the whole log alone: of no session then, so that nobody adds up what is not alike. */
static bool cut(mp_model *model, const session_view *view, mp_snapshot_id last)
{
    const mp_snapshot *peak = model->events ? highest(view) : NULL;
    bool ok = leave_out(model, view, last);
    if (!peak || peak->whole)
        return ok;
    model->events->at_peak_count = 0;
    if (model->events->peak_time_us == peak->peak_time_us)
        model->events->peak_time_us = highest(view)->peak_time_us;
    return ok;
}

/* Who refers to whom is known of one moment alone. */
static void forget_later_graph(mp_model *model)
{
    if (!model->graph || model->snapshots.at[model->graph->snapshot.i].whole)
        return;
    mp_graph_free(model->graph);
    model->graph = NULL;
    model->holds &= ~(unsigned)MP_HOLDS_GRAPH;
}

bool mp_sessions_cut(mp_model *model, mp_diagnostics *diagnostics)
{
    mp_session_snapshots snapshots = mp_session_snapshots_of(model);
    bool ok = true;
    for (uint32_t session = 1; session < model->sessions.count; session++) {
        session_view view = {model, &snapshots, session, snapshots.first[session],
                             snapshots.first[session + 1]};
        if (!is_cut(&view) || view.from == view.to)
            continue;
        const char *file = mp_model_text(model, model->sessions.at[session].file);
        const char *named = mp_model_text(model, model->sessions.at[session].snapshot);
        moment last = parse_moment(named);
        mp_snapshot_id snapshot = find_moment(&view, &last);
        bool asked = cut(model, &view, snapshot);
        ok &= snapshot.i && asked;
        if (!snapshot.i)
            mp_diagnose(diagnostics, MP_DIAG_NO_SNAPSHOT, file, 0, "no snapshot \"%s\", %s", named,
                        expected_moment);
        else if (!asked) { /* another moment is no answer */
            leave_out(model, &view, (mp_snapshot_id){0});
            mp_diagnose(diagnostics, MP_DIAG_NO_SNAPSHOT, file, 0,
                        "ends at snapshot \"%s\", expected a moment of --at before it", named);
        }
    }
    forget_later_graph(model);
    mp_session_snapshots_free(&snapshots);
    return ok;
}

bool mp_window_resolve(const mp_model *model, const char *from, const char *to, mp_window *window,
                       mp_error *error)
{
    mp_session_snapshots snapshots = mp_session_snapshots_of(model);
    bool ok = true;
    *window = (mp_window){.model = model,
                          .ranges = mp_alloc_zero(model->sessions.count, sizeof(mp_range))};
    for (uint32_t session = 1; ok && session < model->sessions.count; session++) {
        session_view view = {model, &snapshots, session, snapshots.first[session],
                             snapshots.first[session + 1]};
        if (view.from < view.to)
            ok = resolve_session(&view, from, to, &window->ranges[session], error);
    }
    mp_session_snapshots_free(&snapshots);
    if (!ok)
        mp_window_free(window);
    return ok;
}

void mp_window_free(mp_window *window)
{
    if (window->suppressed) {
        free(window->suppressed->effects);
        free(window->suppressed->contexts);
    }
    free(window->suppressed);
    free(window->ranges);
    *window = (mp_window){0};
}

/* Snapshots of one session are made in the order of time, so their ids tell earlier from later. */
bool mp_window_before_from(const mp_window *window, mp_snapshot_id snapshot)
{
    return snapshot.i <= window->ranges[window->model->snapshots.at[snapshot.i].session.i].from.i;
}

bool mp_window_before_to(const mp_window *window, mp_snapshot_id snapshot)
{
    return snapshot.i <= window->ranges[window->model->snapshots.at[snapshot.i].session.i].to.i;
}

bool mp_window_leaks(const mp_window *window, mp_context_id context, mp_snapshot_id born)
{
    bool is_new = !mp_window_before_from(window, born) ||
                  window->ranges[window->model->snapshots.at[born.i].session.i].all_new;
    return is_new && !(window->suppressed && window->suppressed->contexts[context.i]);
}

/* Each session's own peaks, added up. */
static void add_peaks(const mp_model *model, mp_totals *totals)
{
    mp_session_snapshots snapshots = mp_session_snapshots_of(model);
    for (uint32_t session = 1; session < model->sessions.count; session++) {
        int64_t objects = 0, bytes = 0;
        for (uint32_t i = snapshots.first[session]; i < snapshots.first[session + 1]; i++) {
            const mp_snapshot *snapshot = &model->snapshots.at[snapshots.at[i]];
            int64_t most_objects =
                snapshot->has_peak ? snapshot->peak_objects : snapshot->live_objects;
            int64_t most_bytes = snapshot->has_peak ? snapshot->peak_bytes : snapshot->live_bytes;
            objects = most_objects > objects ? most_objects : objects;
            bytes = most_bytes > bytes ? most_bytes : bytes;
        }
        totals->peak_objects += objects;
        totals->peak_bytes += bytes;
    }
    mp_session_snapshots_free(&snapshots);
}

mp_totals mp_totals_of(const mp_window *window)
{
    const mp_model *model = window->model;
    mp_totals totals = {0};
    for (uint32_t session = 1; session < model->sessions.count; session++) {
        const mp_range *range = &window->ranges[session];
        const mp_snapshot *from = &model->snapshots.at[range->from.i],
                          *to = &model->snapshots.at[range->to.i];
        if (!range->to.i)
            continue;
        totals.live_objects += to->live_objects;
        totals.live_bytes += to->live_bytes;
        totals.from_objects += from->live_objects;
        totals.from_bytes += from->live_bytes;
        totals.reusable_objects += to->reusable_objects;
        totals.reusable_bytes += to->reusable_bytes;
        totals.has_reusable |= model->sessions.at[session].reusable_apart;
    }
    add_peaks(model, &totals);
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.at[i];
        const mp_generation *generation = &model->generations.at[delta->generation.i];
        if (model->contexts.at[generation->context.i].reusable ||
            !mp_window_before_to(window, delta->snapshot))
            continue;
        totals.created_objects += delta->cost.created;
        totals.created_bytes += delta->cost.created_bytes;
        totals.deleted_objects += delta->cost.deleted;
        totals.retyped_objects += delta->cost.retyped;
        if (mp_window_leaks(window, generation->context, generation->born)) {
            totals.leaked_objects += mp_cost_live(delta->cost);
            totals.leaked_bytes += delta->cost.bytes;
        }
        totals.temporary_objects += delta->cost.temporary;
        totals.temporary_bytes += delta->cost.temporary_bytes;
    }
    return totals;
}
