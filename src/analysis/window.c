#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memprof/analysis.h"
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

static mp_mark_id find_tag(const mp_model *model, uint32_t session, const char *text, size_t length,
                           uint64_t nth)
{
    for (uint32_t i = 1; i < model->marks.count; i++) {
        const mp_mark *mark = &model->marks.at[i];
        if (mark->whole && mark->session.i == session &&
            same_tag(mp_model_text(model, mark->tag), text, length) && --nth == 0)
            return (mp_mark_id){i};
    }
    return (mp_mark_id){0};
}

static mp_mark_id find_moment(const mp_model *model, uint32_t session, const moment *asked)
{
    mp_mark_id first = {0}, last = {0}, peak = {0}, numbered = {0};
    for (uint32_t i = 1; i < model->marks.count; i++) {
        const mp_mark *mark = &model->marks.at[i];
        if (!mark->whole || mark->session.i != session)
            continue;
        first.i = first.i ? first.i : i;
        last.i = i;
        if (!peak.i || mark->live_bytes > model->marks.at[peak.i].live_bytes)
            peak.i = i;
        if (mark->sequence == asked->number && !numbered.i)
            numbered.i = i;
    }
    if (strcmp(asked->text, "first") == 0)
        return first;
    if (strcmp(asked->text, "last") == 0)
        return last;
    if (strcmp(asked->text, "peak") == 0)
        return peak;
    if (asked->is_number)
        return numbered;
    mp_mark_id found = find_tag(model, session, asked->text, strlen(asked->text), 1);
    return found.i ? found : find_tag(model, session, asked->text, asked->tag_length, asked->nth);
}

static mp_mark_id default_to(const mp_model *model, uint32_t session)
{
    mp_mark_id found = {0}, last = {0};
    for (uint32_t i = 1; i < model->marks.count; i++) {
        const mp_mark *mark = &model->marks.at[i];
        if (!mark->whole || mark->session.i != session)
            continue;
        last.i = i;
        if (mp_text_is(mp_model_text(model, mark->tag), "_PreCleanUp"))
            found.i = i;
    }
    return found.i ? found : last;
}

static bool missing(const mp_model *model, uint32_t session, const char *option, const char *text,
                    char *error, size_t size)
{
    const char *id = mp_model_text(model, model->sessions.at[session].session_id);
    snprintf(
        error, size,
        "%s: no snapshot \"%s\" in session %s, expected a number, a tag, tag#k, first, last or "
        "peak (see memprof snapshots)",
        option, text, *id ? id : "of the recording");
    return false;
}

bool mp_window_resolve(const mp_model *model, const char *from, const char *to, mp_window *window,
                       char *error, size_t size)
{
    *window = (mp_window){.model = model,
                          .ranges = mp_alloc_zero(model->sessions.count, sizeof(mp_range))};
    moment from_moment = parse_moment(from ? from : "first");
    moment to_moment = parse_moment(to ? to : "last");
    for (uint32_t session = 1; session < model->sessions.count; session++) {
        if (!model->sessions.at[session].marks)
            continue;
        mp_range *range = &window->ranges[session];
        range->from = find_moment(model, session, &from_moment);
        range->to = to ? find_moment(model, session, &to_moment) : default_to(model, session);
        bool ok = true;
        if (!range->from.i)
            ok = missing(model, session, "--from", from, error, size);
        else if (!range->to.i)
            ok = missing(model, session, "--to", to, error, size);
        if (ok && range->from.i > range->to.i) {
            snprintf(error, size,
                     "--from is snapshot %" PRIu64 ", which is later than --to, snapshot %" PRIu64,
                     model->marks.at[range->from.i].sequence,
                     model->marks.at[range->to.i].sequence);
            ok = false;
        }
        if (!ok) {
            mp_window_free(window);
            return false;
        }
    }
    return true;
}

void mp_window_free(mp_window *window)
{
    free(window->ranges);
    window->ranges = NULL;
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

static void add_peaks(const mp_model *model, uint32_t session, mp_totals *totals)
{
    int64_t objects = 0, bytes = 0;
    for (uint32_t i = 1; i < model->marks.count; i++) {
        const mp_mark *mark = &model->marks.at[i];
        if (!mark->whole || mark->session.i != session)
            continue;
        objects = mark->live_objects > objects ? mark->live_objects : objects;
        bytes = mark->live_bytes > bytes ? mark->live_bytes : bytes;
    }
    totals->peak_objects += objects;
    totals->peak_bytes += bytes;
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
        add_peaks(model, session, &totals);
    }
    for (uint32_t i = 1; i < model->flows.count; i++) {
        const mp_flow *flow = &model->flows.at[i];
        const mp_lot *lot = &model->lots.at[model->cohorts.at[flow->cohort.i].lot.i];
        if (lot->reusable || !mp_window_before_to(window, flow->mark))
            continue;
        totals.created_objects += flow->cost.created;
        totals.created_bytes += flow->cost.created_bytes;
        totals.deleted_objects += flow->cost.deleted;
        totals.retyped_objects += flow->cost.moved;
    }
    return totals;
}
