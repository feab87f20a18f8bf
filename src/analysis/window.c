#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memprof/events.h"
#include "memprof/suppression.h"
#include "model/graph.h"
#include "support/memory.h"
#include "support/text.h"

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

mp_session_marks mp_session_marks_of(const mp_model *model)
{
    mp_session_marks marks = {mp_alloc(model->marks.count * sizeof *marks.at),
                              mp_alloc_zero(model->sessions.count + 1u, sizeof *marks.first)};
    for (uint32_t i = 1; i < model->marks.count; i++)
        if (model->marks.at[i].whole)
            marks.first[model->marks.at[i].session.i + 1]++;
    for (uint32_t i = 1; i <= model->sessions.count; i++)
        marks.first[i] += marks.first[i - 1];
    /* Filling moves each session's start to its end, which is the next one's start. */
    for (uint32_t i = 1; i < model->marks.count; i++)
        if (model->marks.at[i].whole)
            marks.at[marks.first[model->marks.at[i].session.i]++] = i;
    for (uint32_t i = model->sessions.count; i > 0; i--)
        marks.first[i] = marks.first[i - 1];
    marks.first[0] = 0;
    return marks;
}

void mp_session_marks_free(mp_session_marks *marks)
{
    free(marks->at);
    free(marks->first);
    *marks = (mp_session_marks){NULL, NULL};
}

uint32_t mp_session_peak(const mp_model *model, const mp_session_marks *marks, uint32_t session)
{
    uint32_t peak = 0;
    for (uint32_t i = marks->first[session]; i < marks->first[session + 1]; i++) {
        uint32_t mark = marks->at[i];
        if (!peak || model->marks.at[mark].live_bytes > model->marks.at[peak].live_bytes)
            peak = mark;
    }
    return peak;
}

/* One session, for those who look for a mark of it. */
typedef struct session_view {
    const mp_model *model;
    const mp_session_marks *marks;
    uint32_t session, from, to; /* places in marks->at; `to` is behind the last */
} session_view;

static const mp_mark *mark_at(const session_view *view, uint32_t i)
{
    return &view->model->marks.at[view->marks->at[i]];
}

static mp_mark_id find_tag(const session_view *view, const char *text, size_t length, uint64_t nth)
{
    for (uint32_t i = view->from; i < view->to; i++)
        if (same_tag(mp_model_text(view->model, mark_at(view, i)->tag), text, length) && --nth == 0)
            return (mp_mark_id){view->marks->at[i]};
    return (mp_mark_id){0};
}

static mp_mark_id find_number(const session_view *view, uint64_t number)
{
    for (uint32_t i = view->from; i < view->to; i++)
        if (mark_at(view, i)->sequence == number && !mark_at(view, i)->asked)
            return (mp_mark_id){view->marks->at[i]};
    return (mp_mark_id){0};
}

static mp_mark_id find_moment(const session_view *view, const moment *asked)
{
    if (strcmp(asked->text, "first") == 0)
        return (mp_mark_id){view->marks->at[view->from]};
    if (strcmp(asked->text, "last") == 0)
        return (mp_mark_id){view->marks->at[view->to - 1]};
    if (strcmp(asked->text, "peak") == 0)
        return (mp_mark_id){mp_session_peak(view->model, view->marks, view->session)};
    if (asked->is_number)
        return find_number(view, asked->number);
    mp_mark_id found = find_tag(view, asked->text, strlen(asked->text), 1);
    return found.i ? found : find_tag(view, asked->text, asked->tag_length, asked->nth);
}

/* Whether the session was cut, and so ends where it was asked to. */
static bool is_cut(const session_view *view)
{
    return view->model->sessions.at[view->session].snapshot.i != 0;
}

static mp_mark_id default_to(const session_view *view)
{
    for (uint32_t i = view->from; i < view->to; i++)
        if (mark_at(view, i)->asked)
            return (mp_mark_id){view->marks->at[i]};
    for (uint32_t i = view->to; !is_cut(view) && i-- > view->from;)
        if (mp_text_is(mp_model_text(view->model, mark_at(view, i)->tag), "_PreCleanUp"))
            return (mp_mark_id){view->marks->at[i]};
    return (mp_mark_id){view->marks->at[view->to - 1]};
}

static const char expected_moment[] =
    "expected a number, a tag, tag#k, first, last or peak (see memprof snapshots)";

static bool missing(const mp_model *model, uint32_t session, const char *option, const char *text,
                    char *error, size_t size)
{
    const char *id = mp_model_text(model, model->sessions.at[session].session_id);
    snprintf(error, size, "%s: no snapshot \"%s\" in session %s, %s", option, text,
             *id ? id : "of the recording", expected_moment);
    return false;
}

/* What the user asked for in one session. False with a message. */
static bool resolve_session(const session_view *view, const char *from, const char *to,
                            mp_range *range, char *error, size_t size)
{
    moment from_moment = parse_moment(from ? from : "first");
    moment to_moment = parse_moment(to ? to : "last");
    range->from = find_moment(view, &from_moment);
    range->to = to ? find_moment(view, &to_moment) : default_to(view);
    range->all_new = !from && view->model->kind == MP_KIND_DATABASE && view->to - view->from == 1 &&
                     !is_cut(view);
    if (!range->from.i)
        return missing(view->model, view->session, "--from", from, error, size);
    if (!range->to.i)
        return missing(view->model, view->session, "--to", to, error, size);
    if (range->from.i <= range->to.i)
        return true;
    snprintf(
        error, size, "--from is snapshot %" PRIu64 ", which is later than --to, snapshot %" PRIu64,
        view->model->marks.at[range->from.i].sequence, view->model->marks.at[range->to.i].sequence);
    return false;
}

/* Leave out all marks behind this one; 0: all. False if a moment was asked for there. */
static bool leave_out(mp_model *model, const session_view *view, mp_mark_id last)
{
    bool ok = true;
    for (uint32_t i = view->from; i < view->to; i++)
        if (view->marks->at[i] > last.i && mark_at(view, i)->whole) {
            mp_mark *mark = &model->marks.at[view->marks->at[i]];
            ok &= !mark->asked;
            mark->whole = false;
            model->sessions.at[view->session].marks--;
        }
    return ok;
}

/* The mark up to which a log had most bytes alive at once; of equal ones the first. */
static const mp_mark *highest(const session_view *view)
{
    const mp_mark *most = mark_at(view, view->from);
    for (uint32_t i = view->from; i < view->to; i++)
        if (mark_at(view, i)->whole && mark_at(view, i)->peak_bytes > most->peak_bytes)
            most = mark_at(view, i);
    return most;
}

/* Cut one session; false if a moment was asked for behind the cut. What was alive at the peak is
 * known of the whole log alone: of no session then, so that nobody adds up what is not alike. */
static bool cut(mp_model *model, const session_view *view, mp_mark_id last)
{
    const mp_mark *peak = model->events ? highest(view) : NULL;
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
    if (!model->graph || model->marks.at[model->graph->mark.i].whole)
        return;
    mp_graph_free(model->graph);
    model->graph = NULL;
    model->holds &= ~(unsigned)MP_HOLDS_GRAPH;
}

bool mp_sessions_cut(mp_model *model, mp_diagnostics *diagnostics)
{
    mp_session_marks marks = mp_session_marks_of(model);
    bool ok = true;
    for (uint32_t session = 1; session < model->sessions.count; session++) {
        session_view view = {model, &marks, session, marks.first[session],
                             marks.first[session + 1]};
        if (!is_cut(&view) || view.from == view.to)
            continue;
        const char *file = mp_model_text(model, model->sessions.at[session].file);
        const char *named = mp_model_text(model, model->sessions.at[session].snapshot);
        moment last = parse_moment(named);
        mp_mark_id mark = find_moment(&view, &last);
        bool asked = cut(model, &view, mark);
        ok &= mark.i && asked;
        if (!mark.i)
            mp_diagnose(diagnostics, MP_DIAG_NO_SNAPSHOT, file, 0, "no snapshot \"%s\", %s", named,
                        expected_moment);
        else if (!asked) { /* another moment is no answer */
            leave_out(model, &view, (mp_mark_id){0});
            mp_diagnose(diagnostics, MP_DIAG_NO_SNAPSHOT, file, 0,
                        "ends at snapshot \"%s\", expected a moment of --at before it", named);
        }
    }
    forget_later_graph(model);
    mp_session_marks_free(&marks);
    return ok;
}

bool mp_window_resolve(const mp_model *model, const char *from, const char *to, mp_window *window,
                       char *error, size_t size)
{
    mp_session_marks marks = mp_session_marks_of(model);
    bool ok = true;
    *window = (mp_window){.model = model,
                          .ranges = mp_alloc_zero(model->sessions.count, sizeof(mp_range))};
    for (uint32_t session = 1; ok && session < model->sessions.count; session++) {
        session_view view = {model, &marks, session, marks.first[session],
                             marks.first[session + 1]};
        if (view.from < view.to)
            ok = resolve_session(&view, from, to, &window->ranges[session], error, size);
    }
    mp_session_marks_free(&marks);
    if (!ok)
        mp_window_free(window);
    return ok;
}

void mp_window_free(mp_window *window)
{
    if (window->suppressed) {
        free(window->suppressed->effects);
        free(window->suppressed->lots);
    }
    free(window->suppressed);
    free(window->ranges);
    *window = (mp_window){0};
}

/* Marks of one session are made in the order of time, so their ids tell earlier from later. */
bool mp_window_before_from(const mp_window *window, mp_mark_id mark)
{
    return mark.i <= window->ranges[window->model->marks.at[mark.i].session.i].from.i;
}

bool mp_window_before_to(const mp_window *window, mp_mark_id mark)
{
    return mark.i <= window->ranges[window->model->marks.at[mark.i].session.i].to.i;
}

bool mp_window_leaks(const mp_window *window, mp_lot_id lot, mp_mark_id born)
{
    bool is_new = !mp_window_before_from(window, born) ||
                  window->ranges[window->model->marks.at[born.i].session.i].all_new;
    return is_new && !(window->suppressed && window->suppressed->lots[lot.i]);
}

/* Each session's own peaks, added up. */
static void add_peaks(const mp_model *model, mp_totals *totals)
{
    mp_session_marks marks = mp_session_marks_of(model);
    for (uint32_t session = 1; session < model->sessions.count; session++) {
        int64_t objects = 0, bytes = 0;
        for (uint32_t i = marks.first[session]; i < marks.first[session + 1]; i++) {
            const mp_mark *mark = &model->marks.at[marks.at[i]];
            int64_t most_objects = mark->has_peak ? mark->peak_objects : mark->live_objects;
            int64_t most_bytes = mark->has_peak ? mark->peak_bytes : mark->live_bytes;
            objects = most_objects > objects ? most_objects : objects;
            bytes = most_bytes > bytes ? most_bytes : bytes;
        }
        totals->peak_objects += objects;
        totals->peak_bytes += bytes;
    }
    mp_session_marks_free(&marks);
}

mp_totals mp_totals_of(const mp_window *window)
{
    const mp_model *model = window->model;
    mp_totals totals = {0};
    for (uint32_t session = 1; session < model->sessions.count; session++) {
        const mp_range *range = &window->ranges[session];
        const mp_mark *from = &model->marks.at[range->from.i], *to = &model->marks.at[range->to.i];
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
    for (uint32_t i = 1; i < model->flows.count; i++) {
        const mp_flow *flow = &model->flows.at[i];
        const mp_cohort *cohort = &model->cohorts.at[flow->cohort.i];
        if (model->lots.at[cohort->lot.i].reusable || !mp_window_before_to(window, flow->mark))
            continue;
        totals.created_objects += flow->cost.created;
        totals.created_bytes += flow->cost.created_bytes;
        totals.deleted_objects += flow->cost.deleted;
        totals.retyped_objects += flow->cost.moved;
        if (mp_window_leaks(window, cohort->lot, cohort->born)) {
            totals.leaked_objects += mp_cost_live(flow->cost);
            totals.leaked_bytes += flow->cost.bytes;
        }
        totals.temporary_objects += flow->cost.temporary;
        totals.temporary_bytes += flow->cost.temporary_bytes;
    }
    return totals;
}
