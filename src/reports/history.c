#include "reports/figures.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/memory.h"
#include "base/text.h"
#include "document/figure.h"
#include "query/labels.h"
#include "query/moments.h"
#include "query/suppression.h"
#include "reports/sections.h"

/* Maximum sizes of the figures. A page that is sent by mail must stay small. ROWS, CHANGES and
 * PLACES are for all sessions together; if there are more rows, the others are merged into one. */
enum { ROWS = 10 * 1000, CHANGES = 30 * 1000, PLACES = 10 * 1000, CALLERS = 64 };

/* Copy a text of the model. The model does not live as long as the document. */
static const char *kept(mp_document *document, const char *text)
{
    return mp_utf8_copy(document->arena, text);
}

/* --- stacks --- */

typedef struct stacks {
    mp_document *document;
    const mp_model *model;
    mp_place *items;
    uint32_t count;
    size_t capacity;
    mp_id_index of_frame; /* 1 + the place of each frame; 0 = none */
    uint32_t cut;         /* place that represents cut-off callers; 0 = no stack is cut */
} stacks;

static uint32_t add_place(stacks *state, uint32_t parent, mp_place_kind kind, const char *label)
{
    mp_grow(&state->items, &state->capacity, (size_t)state->count + 1, sizeof *state->items);
    state->items[state->count] = (mp_place){.parent = parent, .kind = kind, .label = label};
    return state->count++;
}

static uint32_t *place_of(stacks *state, mp_frame frame)
{
    return mp_id_index_put(&state->of_frame, (uint64_t)frame.node << 32 | frame.line);
}

/* Return the place of a frame. Add the places of its callers if they are missing, at most CALLERS
 * per stack. */
static uint32_t put_stack(stacks *state, mp_frame frame)
{
    mp_frame chain[CALLERS];
    size_t count = 0;
    uint32_t parent = 0;
    bool more = true;
    while (more && count < CALLERS) {
        const uint32_t known =
            mp_id_index_get(&state->of_frame, (uint64_t)frame.node << 32 | frame.line);
        if (known) {
            parent = known - 1;
            break;
        }
        chain[count++] = frame;
        more = mp_frame_caller(state->model, &frame);
    }
    if (more && !parent && count == CALLERS) {
        if (!state->cut)
            state->cut = add_place(state, 0, MP_PLACE_REST, "(more callers)");
        parent = state->cut;
    }
    while (count--) {
        const char *label =
            kept(state->document, mp_frame_text(state->document, state->model, chain[count]));
        parent = add_place(state, parent, chain[count].node ? MP_PLACE_CODE : MP_PLACE_NONE, label);
        *place_of(state, chain[count]) = parent + 1;
    }
    return parent;
}

/* --- rows --- */

/* Input for the figures of all sessions. Each session gets an equal share of the page. */
typedef struct source {
    mp_document *document;
    const mp_window *window, *whole;
    mp_members groups[2]; /* groups by type; groups by site */
    const bool *accepted; /* accepted leaks, by context; NULL = none */
    uint32_t rows, places;
    size_t moments, changes;
} source;

/* Groups of a session as rows of a figure. */
typedef struct row_set {
    const mp_members *members;
    uint32_t *order, count; /* groups of the session, the largest first; their number */
    uint32_t rows;          /* number of rows, including the last one for all other groups */
} row_set;

/* Return the changes of the groups with the largest maxima, for as many groups as the page has room
 * for. All other groups share the last row. Release with free(). */
static mp_moment_change *changes_of(const source *from, row_set *set, const uint32_t *moments,
                                    size_t count, bool births, size_t *change_count)
{
    uint32_t *row_of = mp_alloc(((size_t)set->members->count + 1) * sizeof *row_of);
    set->rows = (set->count < from->rows ? set->count : from->rows) + 1;
    for (uint32_t i = 0; i < set->members->count; i++)
        row_of[i] = set->rows - 1;
    for (uint32_t i = 0; i + 1 < set->rows; i++)
        row_of[set->order[i]] = i;
    mp_moment_rows state = {.members = set->members,
                            .row_of = row_of,
                            .rows = set->rows,
                            .moments = moments,
                            .count = count,
                            .births = births,
                            .accepted = from->accepted};
    mp_moment_change *changes = mp_moment_changes(from->whole, &state, change_count);
    free(row_of);
    while (*change_count > from->changes && set->rows > 3) {
        set->rows -= set->rows / 8 + 1;
        *change_count = mp_moment_changes_fold(changes, *change_count, set->rows);
    }
    return changes;
}

static void put_changes(mp_document *document, mp_history_group *group,
                        const mp_moment_change *from, size_t count)
{
    group->changes = mp_arena_alloc(document->arena, count * sizeof *group->changes + 1);
    group->change_count = count;
    for (size_t i = 0; i < count; i++)
        group->changes[i] = (mp_history_change){from[i].row, from[i].moment, from[i].born,
                                                from[i].objects, from[i].bytes};
}

static const mp_context *context_of(const source *from, const row_set *set, uint32_t row)
{
    const mp_model *model = from->window->model;
    const uint32_t example = set->members->examples[set->order[row]];
    return &model->contexts.items[model->generations.items[example].context.i];
}

/* Set the labels of the rows; for sites, also their types and stacks. Rows are dropped if there is
 * no room for their stacks. */
static void put_labels(const source *from, row_set *set, mp_history_group *group, stacks *state)
{
    const mp_model *model = from->window->model;
    const mp_dimension *dimension = mp_dimension_find(group->name);
    mp_document *document = from->document;
    mp_arena *arena = document->arena;
    uint32_t *places = mp_arena_alloc(arena, set->rows * sizeof *places);
    group->labels = mp_arena_alloc(arena, set->rows * sizeof *group->labels);
    group->types = state ? mp_arena_alloc(arena, set->rows * sizeof *group->types) : NULL;
    for (uint32_t i = 0; i + 1 < set->rows; i++) {
        const uint32_t example = set->members->examples[set->order[i]];
        const mp_context *context = context_of(from, set, i);
        const mp_frame frame = {model->tree_of[context->node.i], context->line};
        group->labels[i] =
            kept(document, dimension->label(arena, model, &model->generations.items[example]));
        if (!state)
            continue;
        group->types[i] = kept(document, mp_type_label(arena, model, mp_site_type(model, context)));
        places[i] = put_stack(state, frame);
        if (state->count > from->places)
            set->rows = i + 2;
    }
    group->rows = set->rows;
    group->others = set->count - (set->rows - 1);
    group->labels[set->rows - 1] =
        mp_document_text(document, "(%" PRIu64 " others)", group->others);
    if (state)
        group->types[set->rows - 1] = group->labels[set->rows - 1];
    places[set->rows - 1] = 0;
    group->places = state ? places : NULL;
}

static const char *name_text(mp_arena *scratch, const mp_model *model, mp_symbol_id name)
{
    return name.i ? mp_symbol_label(scratch, model, name) : "";
}

/* Set the name that all objects of a site share, for recordings that have names. */
static void put_names(const source *from, const row_set *set, mp_history_group *group)
{
    static const char several[] = "(several names)";
    const mp_model *model = from->window->model;
    mp_arena *arena = from->document->arena, scratch = {0};
    if (!(model->holds & MP_HOLDS_RUNTIME))
        return;
    uint32_t *row_of = mp_alloc_zero((size_t)set->members->count + 1, sizeof *row_of);
    group->names = mp_arena_alloc(arena, set->rows * sizeof *group->names);
    for (uint32_t i = 0; i + 1 < set->rows; i++) {
        group->names[i] =
            kept(from->document, name_text(&scratch, model, context_of(from, set, i)->name));
        row_of[set->order[i] + 1] = i + 1;
    }
    group->names[set->rows - 1] = "";
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const uint32_t row = row_of[set->members->group_of[i]];
        const mp_symbol_id name = model->contexts.items[model->generations.items[i].context.i].name;
        if (!row || group->names[row - 1] == several ||
            name.i == context_of(from, set, row - 1)->name.i)
            continue;
        const mp_symbol_id first = context_of(from, set, row - 1)->name;
        if (strcmp(name_text(&scratch, model, name), name_text(&scratch, model, first)) != 0)
            group->names[row - 1] = several;
    }
    mp_arena_free(&scratch);
    free(row_of);
}

/* Return the rows of a session as a group of a figure. Stacks are added to `state`; if it is NULL,
 * the group has neither stacks nor births. */
static mp_history_group group_of(const source *from, uint32_t session, const char *name,
                                 const mp_members *members, const uint32_t *moments, size_t count,
                                 stacks *state)
{
    mp_history_group group = {.name = name, .births = state != NULL};
    row_set set = {.members = members};
    size_t change_count;
    set.order = mp_groups_by_most(from->whole, members, session, &set.count);
    mp_moment_change *changes = changes_of(from, &set, moments, count, group.births, &change_count);
    put_labels(from, &set, &group, state);
    if (state)
        put_names(from, &set, &group);
    change_count = mp_moment_changes_fold(changes, change_count, set.rows);
    put_changes(from->document, &group, changes, change_count);
    free(changes);
    free(set.order);
    return group;
}

/* --- the figures --- */

/* Return the name of a moment; the name of a dump's moment includes the file. */
static const char *moment_text(mp_document *document, const mp_model *model,
                               const mp_snapshot *snapshot)
{
    const char *text = mp_snapshot_text(document, model, snapshot);
    if (!mp_holds_dumps(model->holds) || !snapshot->input)
        return text;
    const char *file = mp_file_name(model->inputs.items[snapshot->input].path);
    return mp_document_text(document, "%s (%s)", text, mp_utf8_copy(document->arena, file));
}

static void put_moments(const source *from, uint32_t session, const uint32_t *moments, size_t count,
                        mp_history_figure *history)
{
    const mp_range *range = &from->window->ranges[session];
    mp_document *document = from->document;
    const char **names = mp_arena_alloc(document->arena, count * sizeof *names);
    int64_t *numbers = mp_arena_alloc(document->arena, count * sizeof *numbers);
    for (size_t i = 0; i < count; i++) {
        const mp_snapshot *snapshot = mp_window_snapshot(from->window, moments[i]);
        names[i] = moment_text(document, from->window->model, snapshot);
        numbers[i] = (int64_t)snapshot->sequence;
        history->from = moments[i] == range->from.i ? i : history->from;
        history->to = moments[i] == range->to.i ? i : history->to;
    }
    history->names = names;
    history->numbers = numbers;
    history->moments = count;
}

/* Return a note about the groups that were left out for lack of room. */
static const char *note_of(mp_document *document, const mp_history_figure *history, size_t left_out)
{
    const mp_history_group *last = &history->groups[history->group_count - 1];
    if (left_out)
        return mp_document_text(document, "%zu evenly spaced snapshots; %zu are omitted",
                                history->moments, left_out);
    if (last->others)
        return mp_document_text(document, "the largest %s are shown separately, %s others combined",
                                history->group_count > 1 ? "allocation sites" : "types",
                                mp_count_text(document, (int64_t)last->others));
    return NULL;
}

static void put_session(const source *from, uint32_t session)
{
    mp_document *document = from->document;
    const mp_model *model = from->window->model;
    size_t count = 0;
    uint32_t *moments = mp_moments_of(from->window, session, from->moments, &count);
    mp_history_figure history = {.session = mp_session_text(document, model, session),
                                 .graph = mp_figure_memory_name(document, from->window, session)};
    put_moments(from, session, moments, count, &history);
    history.groups[history.group_count++] =
        group_of(from, session, "type", &from->groups[0], moments, count, NULL);
    if (from->groups[1].group_of) {
        stacks state = {.document = document, .model = model};
        add_place(&state, 0, MP_PLACE_GROUP, "all");
        history.groups[history.group_count++] =
            group_of(from, session, "site", &from->groups[1], moments, count, &state);
        history.stacks = mp_arena_alloc(document->arena, state.count * sizeof *state.items);
        memcpy(history.stacks, state.items, state.count * sizeof *state.items);
        history.stack_count = state.count;
        mp_id_index_free(&state.of_frame);
        free(state.items);
    }
    if (from->accepted)
        history.leaks_note = "without those that are suppressed in the report";
    mp_figure *figure = mp_document_figure(document, MP_FIGURE_HISTORY, "history");
    figure->title = "Live objects at each snapshot";
    figure->note =
        note_of(document, &history, mp_filter_snapshots(from->window->filter, session) - count);
    figure->history = history;
    free(moments);
}

/* Set the sessions that have at least two moments to compare, and return their number (at most
 * MP_FIGURED_SESSIONS). */
static uint32_t sessions_of(const mp_window *window, uint32_t sessions[MP_FIGURED_SESSIONS])
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < window->model->sessions.count && count < MP_FIGURED_SESSIONS; i++)
        if (mp_filter_snapshots(window->filter, i) > 1)
            sessions[count++] = i;
    return count;
}

void mp_figure_history(mp_document *document, const mp_request *request, const mp_window *window)
{
    const mp_dimension *site = mp_dimension_find("site");
    uint32_t sessions[MP_FIGURED_SESSIONS];
    uint32_t count = document->draws && !request->one_of_many ? sessions_of(window, sessions) : 0;
    mp_window whole;
    mp_error error = {0};
    if (!count || !mp_window_of(request->filter, "first", "last", &whole, &error))
        return;
    bool *accepted = mp_suppressed_ever(window);
    source from = {.document = document,
                   .window = window,
                   .whole = &whole,
                   .accepted = accepted,
                   .rows = ROWS / count,
                   .places = PLACES / count,
                   .changes = CHANGES / count};
    while ((from.moments + 1) * (from.moments + 1) <= from.changes)
        from.moments++; /* the last row needs room for births: up to `moments` at each moment */
    from.groups[0] = mp_members_of(&whole, mp_dimension_find("type"));
    if (mp_dimension_fits(site, window->model))
        from.groups[1] = mp_members_of(&whole, site);
    for (uint32_t i = 0; i < count; i++)
        put_session(&from, sessions[i]);
    for (int i = 0; i < 2; i++) {
        free(from.groups[i].group_of);
        free(from.groups[i].examples);
    }
    mp_window_free(&whole);
    free(accepted);
}
