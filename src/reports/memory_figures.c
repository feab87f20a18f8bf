/* Line figures of memory over time, for a session or for its window. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "query/trend.h"
#include "reports/figures.h"
#include "reports/sections.h"

/* A point of a line: a snapshot of the session. In a log of events, it may also be the moment
 * before a snapshot at which most bytes were alive. */
typedef struct moment {
    uint32_t snapshot;
    bool at_peak;
    int64_t time; /* position on the axis */
} moment;

typedef struct course {
    mp_document *document;
    const mp_window *window;
    moment *moments;
    size_t count, snapshots; /* number of moments; number of snapshots among them */
    mp_unit unit;
} course;

static const mp_snapshot *snapshot_at(const course *state, size_t place)
{
    return mp_window_snapshot(state->window, state->moments[place].snapshot);
}

static bool times_are_known(const mp_window *window, const uint32_t *snapshots, size_t count)
{
    bool known = true;
    int64_t last = INT64_MIN;
    for (size_t i = 0; i < count && known; i++) {
        const mp_snapshot *snapshot = mp_window_snapshot(window, snapshots[i]);
        known = mp_snapshot_has_time(window->model, snapshot) && snapshot->time_us >= last;
        last = snapshot->time_us;
    }
    return known;
}

static bool numbers_rise(const mp_window *window, const uint32_t *snapshots, size_t count)
{
    const mp_snapshot *before = NULL;
    for (size_t i = 0; i < count; i++) {
        const mp_snapshot *snapshot = mp_window_snapshot(window, snapshots[i]);
        if (!mp_snapshot_number_rises(before, snapshot))
            return false;
        before = snapshot;
    }
    return true;
}

/* Return the moments. Their positions are times if these are known and never decrease, otherwise
 * snapshot numbers, otherwise indexes. */
static course course_of(mp_document *document, const mp_window *window, const uint32_t *snapshots,
                        size_t count)
{
    bool timed = times_are_known(window, snapshots, count);
    bool rises = numbers_rise(window, snapshots, count);
    course state = {document, window, NULL, 0, count, timed ? MP_TIME : MP_NUMBER};
    state.moments = mp_alloc((2 * count + 1) * sizeof *state.moments);
    for (size_t i = 0; i < count; i++) {
        const mp_snapshot *snapshot = mp_window_snapshot(window, snapshots[i]);
        const mp_snapshot *last = i ? mp_window_snapshot(window, snapshots[i - 1]) : snapshot;
        if (timed && snapshot->has_peak && snapshot->peak_time_us > last->time_us &&
            snapshot->peak_time_us < snapshot->time_us)
            state.moments[state.count++] = (moment){snapshots[i], true, snapshot->peak_time_us};
        state.moments[state.count++] = (moment){snapshots[i], false,
                                                timed   ? snapshot->time_us
                                                : rises ? (int64_t)snapshot->sequence
                                                        : (int64_t)i + 1};
    }
    return state;
}

static int64_t *new_values(const course *state)
{
    return mp_arena_alloc(state->document->arena, (state->count + 1) * sizeof(int64_t));
}

/* Return the name of a moment: "7 (_PreCleanUp)" for a snapshot, "most before 8" for a peak. */
static const char *moment_name(const course *state, size_t place)
{
    const mp_snapshot *snapshot = snapshot_at(state, place);
    const char *tag = mp_model_text(state->window->model, snapshot->tag);
    return mp_document_text(state->document,
                            state->moments[place].at_peak ? "most before %llu"
                            : *tag                        ? "%llu (%s)"
                                                          : "%llu",
                            (unsigned long long)snapshot->sequence, tag);
}

static const char *noun_of(const mp_model *model, size_t count)
{
    bool dumps = mp_holds_dumps(model->holds);
    return count == 1 ? dumps ? "dump" : "snapshot" : dumps ? "dumps" : "snapshots";
}

/* --- lines --- */

static struct mp_line_of *add_line(mp_line_figure *lines, const char *name, const char *title,
                                   const int64_t *values)
{
    struct mp_line_of *line = &lines->lines[lines->line_count++];
    *line = (struct mp_line_of){.name = name, .title = title, .unit = MP_BYTES, .values = values};
    return line;
}

/* Add lines for the figures of the snapshots. */
static void add_amounts(const course *state, mp_line_figure *lines)
{
    int64_t *alive = new_values(state), *platform = new_values(state);
    bool has_platform = false;
    for (size_t i = 0; i < state->count; i++) {
        const mp_snapshot *snapshot = snapshot_at(state, i);
        bool at_peak = state->moments[i].at_peak;
        alive[i] = at_peak ? snapshot->peak_bytes : snapshot->live_bytes;
        platform[i] = snapshot->has_platform && !at_peak ? snapshot->platform_bytes : MP_UNKNOWN;
        has_platform |= snapshot->has_platform;
    }
    add_line(lines, "live_bytes", "alive", alive);
    if (has_platform)
        add_line(lines, "platform_bytes", "platform", platform);
}

/* --- marks --- */

/* Room for amounts, and for marks other than the tag and the request of each snapshot. */
enum { MOST_AMOUNTS = 2, OTHER_MARKS = 2 };

static struct mp_mark *add_mark(mp_line_figure *lines, const char *kind, int64_t position,
                                int64_t until, const char *label)
{
    struct mp_mark *mark = &lines->marks[lines->mark_count++];
    *mark = (struct mp_mark){
        .kind = kind, .start = position, .until = until, .label = label, .amount = MP_UNKNOWN};
    return mark;
}

/* Mark tagged snapshots. Texts of the model are copied, because the document outlives it. */
static void add_tags(const course *state, mp_line_figure *lines)
{
    for (size_t i = 0; i < state->count; i++)
        if (snapshot_at(state, i)->tag.i && !state->moments[i].at_peak)
            add_mark(
                lines, "tag", state->moments[i].time, MP_UNKNOWN,
                mp_document_text(state->document, "%s",
                                 mp_model_text(state->window->model, snapshot_at(state, i)->tag)));
}

static bool is_of_request(const mp_snapshot *snapshot, const mp_snapshot *first)
{
    return snapshot->request.i == first->request.i &&
           snapshot->request_start_us == first->request_start_us;
}

/* Mark requests, from their start (if times are known) to their last snapshot. */
static void add_requests(const course *state, mp_line_figure *lines)
{
    const mp_model *model = state->window->model;
    for (size_t i = 0, next; i < state->count; i = next) {
        const mp_snapshot *first = snapshot_at(state, i);
        mp_string_id api = first->request_api;
        for (next = i + 1; next < state->count && is_of_request(snapshot_at(state, next), first);
             next++)
            api = snapshot_at(state, next)->request_api.i ? snapshot_at(state, next)->request_api
                                                          : api;
        if (!first->request.i)
            continue;
        bool began = state->unit == MP_TIME && first->request_start_us < first->time_us;
        add_mark(lines, "request", began ? first->request_start_us : state->moments[i].time,
                 state->moments[next - 1].time,
                 mp_document_text(state->document, "%s%s%s", mp_model_text(model, api),
                                  api.i ? ", " : "", mp_model_text(model, first->request)));
    }
}

static void add_peak(const course *state, mp_line_figure *lines)
{
    const int64_t *alive = lines->lines[0].values;
    size_t most = 0;
    for (size_t i = 1; i < state->count; i++)
        most = alive[i] > alive[most] ? i : most;
    if (state->count < 2)
        return;
    const char *text = mp_bytes_text(state->document, alive[most]);
    add_mark(lines, "peak", state->moments[most].time, MP_UNKNOWN,
             mp_document_text(state->document, "peak %s", text))
        ->amount = alive[most];
}

/* Mark the window that the reports leaks, top and growth compare. */
static void add_window(const course *state, mp_line_figure *lines, mp_range range)
{
    size_t from = state->count, to = state->count;
    for (size_t i = 0; i < state->count; i++) {
        from = state->moments[i].snapshot == range.from.i ? i : from;
        to = state->moments[i].snapshot == range.to.i ? i : to;
    }
    if (from >= to || to == state->count)
        return;
    add_mark(lines, "window", state->moments[from].time, state->moments[to].time,
             mp_document_text(state->document, "from %s to %s", moment_name(state, from),
                              moment_name(state, to)));
}

static int by_moment(const void *left, const void *right)
{
    const struct mp_mark *a = left, *b = right;
    int order = MP_COMPARE(a->start, b->start);
    order = order ? order : strcmp(a->kind, b->kind);
    order = order ? order : MP_COMPARE(a->until, b->until);
    return order ? order : strcmp(a->label, b->label);
}

/* --- figures --- */

/* Add a figure with room for the amounts and `lines` more lines. `name` is the name of the figure
 * without the session. */
static mp_figure *add_figure(const course *state, const char *name, uint32_t session, size_t lines)
{
    const mp_model *model = state->window->model;
    mp_arena *arena = state->document->arena;
    mp_figure *figure = mp_document_figure(state->document, MP_FIGURE_LINES, name);
    int64_t *place = new_values(state);
    const char **names = mp_arena_alloc(arena, (state->count + 1) * sizeof *names);
    for (size_t i = 0; i < state->count; i++)
        names[i] = moment_name(state, i);
    for (size_t i = 0; i < state->count; i++)
        place[i] = state->moments[i].time;
    figure->lines = (mp_line_figure){.moments = state->count,
                                     .times = place,
                                     .moment_unit = state->unit,
                                     .moment_of = noun_of(model, 1),
                                     .names = names};
    figure->lines.lines =
        mp_arena_alloc(arena, (MOST_AMOUNTS + lines) * sizeof *figure->lines.lines);
    figure->lines.marks =
        mp_arena_alloc(arena, (2 * state->count + OTHER_MARKS) * sizeof *figure->lines.marks);
    add_amounts(state, &figure->lines);
    add_tags(state, &figure->lines);
    add_requests(state, &figure->lines);
    add_peak(state, &figure->lines);
    add_window(state, &figure->lines, state->window->ranges[session]);
    qsort(figure->lines.marks, figure->lines.mark_count, sizeof *figure->lines.marks, by_moment);
    return figure;
}

const char *mp_figure_about(mp_document *document, const mp_model *model)
{
    const char *file = model->inputs.count > 1 ? mp_file_name(model->inputs.items[1].path) : "";
    return model->inputs.count > 2
               ? mp_document_text(document, "%s and %s more", file,
                                  mp_count_text(document, model->inputs.count - 2))
               : mp_document_text(document, "%s", file);
}

/* Return "Memory at 8 snapshots of session 2 of 3: shop-v2.oemp". */
static const char *memory_title(const course *state, uint32_t session)
{
    const mp_model *model = state->window->model;
    const char *title = mp_document_text(state->document, "Memory at %s %s",
                                         mp_count_text(state->document, (int64_t)state->snapshots),
                                         noun_of(model, state->snapshots));
    const char *about = mp_figure_about(state->document, model);
    return model->sessions.count <= 2
               ? mp_document_text(state->document, "%s: %s", title, about)
               : mp_document_text(state->document, "%s of session %u of %u: %s", title, session,
                                  model->sessions.count - 1, about);
}

const char *mp_figure_memory_name(mp_document *document, const mp_window *window, uint32_t session)
{
    uint32_t place = 0;
    for (uint32_t i = 1; i <= session; i++)
        place += mp_filter_snapshots(window->filter, i) != 0;
    if (!mp_filter_snapshots(window->filter, session) || place > MP_FIGURED_SESSIONS)
        return NULL;
    return place == 1 ? MP_FIGURE_MEMORY
                      : mp_document_text(document, MP_FIGURE_MEMORY "_%" PRIu32, place);
}

void mp_figure_memory(mp_document *document, const mp_window *window)
{
    const mp_session_snapshots *sessions = &window->filter->listed;
    for (uint32_t i = 1; document->draws && i < window->model->sessions.count; i++) {
        const char *name = mp_figure_memory_name(document, window, i);
        if (!name)
            continue;
        course state = course_of(document, window, sessions->snapshots + sessions->first[i],
                                 mp_filter_listed(window->filter, i));
        add_figure(&state, name, i, 0)->title = memory_title(&state, i);
        free(state.moments);
    }
}

/* Find the groups that changed most, and sort them by change, largest first. Set their indexes, and
 * return their number. */
enum { NAMED_GROUPS = 6 };
static size_t find_changed(const mp_grouping *grouping, uint32_t changed[NAMED_GROUPS])
{
    size_t count = 0;
    for (uint32_t i = 0; i < grouping->count; i++) {
        const mp_group *group = &grouping->groups[i];
        int64_t size = llabs(group->end.bytes - group->from_bytes);
        size_t place = count;
        for (; place; place--) {
            const mp_group *other = &grouping->groups[changed[place - 1]];
            if (llabs(other->end.bytes - other->from_bytes) >= size)
                break;
        }
        if (!size || place == NAMED_GROUPS)
            continue;
        count += count < NAMED_GROUPS;
        memmove(changed + place + 1, changed + place, (count - place - 1) * sizeof *changed);
        changed[place] = i;
    }
    return count;
}

/* Return the changes of a row of the series since the start of the series. Between snapshots they
 * are unknown. If `row` is the number of rows, return the changes of all live objects minus those
 * of all rows. */
static const int64_t *changes_of(const course *state, const mp_series *series, size_t row,
                                 size_t rows)
{
    int64_t *changes = new_values(state), start = 0;
    size_t place = 0;
    for (size_t i = 0; i < state->count; i++) {
        changes[i] = MP_UNKNOWN;
        if (state->moments[i].at_peak)
            continue;
        changes[i] = row < rows ? series->items[row * series->length + place]
                                : snapshot_at(state, i)->live_bytes;
        for (size_t k = 0; k < rows && row == rows; k++)
            changes[i] -= series->items[k * series->length + place];
        start = place++ ? start : changes[i];
        changes[i] -= start;
    }
    return changes;
}

static void add_changes(const course *state, mp_figure *figure, const mp_grouping *grouping,
                        const mp_series *series, const uint32_t *changed, size_t count,
                        const char *dimension)
{
    mp_document *document = state->document;
    const char *panel =
        mp_document_text(document, "Change by %s since %s", dimension, moment_name(state, 0));
    for (size_t i = 0; i < count; i++)
        add_line(&figure->lines, mp_document_text(document, "group_%zu", i + 1),
                 mp_document_text(document, "%s", grouping->groups[changed[i]].label),
                 changes_of(state, series, i, count))
            ->panel = panel;
    if (!grouping->of_frames && count < grouping->count)
        add_line(&figure->lines, "others",
                 mp_document_text(document, "%zu other%s", grouping->count - count,
                                  grouping->count - count == 1 ? "" : "s"),
                 changes_of(state, series, count, count))
            ->panel = panel;
}

void mp_figure_growth(mp_document *document, const mp_window *window, uint32_t session,
                      const mp_grouping *grouping, const char *dimension)
{
    uint32_t changed[NAMED_GROUPS + 1];
    if (!document->draws)
        return;
    size_t count = find_changed(grouping, changed);
    uint32_t *row_of = mp_alloc_zero((size_t)grouping->count + 1, sizeof *row_of);
    for (size_t i = 0; i < count; i++)
        row_of[changed[i] + 1] = (uint32_t)i + 1;
    mp_series series = mp_series_of(window, session, grouping, row_of, (uint32_t)count);
    if (series.length) {
        course state = course_of(document, window, series.snapshots, series.length);
        mp_figure *figure = add_figure(&state, MP_FIGURE_GROWTH, session, NAMED_GROUPS + 1);
        const char *of_session = mp_session_text(document, window->model, session);
        figure->title = mp_document_text(document, "Growth by %s over %s %s%s%s: %s", dimension,
                                         mp_count_text(document, (int64_t)state.snapshots),
                                         noun_of(window->model, state.snapshots),
                                         of_session ? " of " : "", of_session ? of_session : "",
                                         mp_figure_about(document, window->model));
        add_changes(&state, figure, grouping, &series, changed, count, dimension);
        free(state.moments);
    }
    mp_series_free(&series);
    free(row_of);
}
