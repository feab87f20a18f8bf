#include "reports/history.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/memory.h"
#include "base/text.h"
#include "document/figure.h"
#include "query/moments.h"
#include "reports/sections.h"

/* A page that is sent to somebody has room for so many; all others are one row. */
enum { MOMENTS = 250, ROWS = 5000, CHANGES = 30 * 1000, PLACES = 10 * 1000, CALLERS = 64 };

/* A text of the model, which does not live as long as the document. */
static const char *kept(mp_document *document, const char *text)
{
    return mp_utf8_copy(document->arena, text);
}

/* --- stacks --- */

typedef struct stacks {
    mp_document *document;
    const mp_model *model;
    mp_place *at;
    uint32_t count;
    size_t capacity;
    mp_id_index of_frame; /* places, + 1 */
    uint32_t cut;         /* where stacks are cut; 0: none is */
} stacks;

static uint32_t add_place(stacks *to, uint32_t parent, mp_place_kind kind, const char *label)
{
    mp_grow(&to->at, &to->capacity, (size_t)to->count + 1, sizeof *to->at);
    to->at[to->count] = (mp_place){.parent = parent, .kind = kind, .label = label};
    return to->count++;
}

static uint32_t *place_of(stacks *to, mp_frame frame)
{
    return mp_id_index_put(&to->of_frame, (uint64_t)frame.node << 32 | frame.line);
}

/* The place of a frame, and those of its callers that have none yet, as many as are told. */
static uint32_t put_stack(stacks *to, mp_frame frame)
{
    mp_frame chain[CALLERS];
    size_t count = 0;
    uint32_t parent = 0;
    bool more = true;
    while (more && count < CALLERS) {
        const uint32_t known =
            mp_id_index_get(&to->of_frame, (uint64_t)frame.node << 32 | frame.line);
        if (known) {
            parent = known - 1;
            break;
        }
        chain[count++] = frame;
        more = mp_frame_caller(to->model, &frame);
    }
    if (more && !parent && count == CALLERS) {
        if (!to->cut)
            to->cut = add_place(to, 0, MP_PLACE_REST, "(callers beyond those told)");
        parent = to->cut;
    }
    while (count--) {
        const char *label =
            kept(to->document, mp_frame_text(to->document, to->model, chain[count]));
        parent = add_place(to, parent, chain[count].node ? MP_PLACE_CODE : MP_PLACE_NONE, label);
        *place_of(to, chain[count]) = parent + 1;
    }
    return parent;
}

/* --- rows --- */

/* Of an order of groups, the changes of its first `rows` less one, and of all others. */
static mp_moment_change *changes_of(const mp_window *window, const mp_grouping *grouping,
                                    const uint32_t *order, uint32_t rows, const uint32_t *moments,
                                    size_t count, size_t *change_count)
{
    uint32_t *row_of = mp_alloc(((size_t)grouping->count + 1) * sizeof *row_of);
    for (uint32_t i = 0; i < grouping->count; i++)
        row_of[order[i]] = i < rows - 1 ? i : rows - 1;
    mp_moment_change *changes =
        mp_moment_changes(window, grouping, row_of, rows, moments, count, change_count);
    free(row_of);
    return changes;
}

static void put_changes(mp_document *document, mp_history_group *to, const mp_moment_change *from,
                        size_t count)
{
    to->changes = mp_arena_alloc(document->arena, count * sizeof *to->changes + 1);
    to->change_count = count;
    for (size_t i = 0; i < count; i++)
        to->changes[i] =
            (mp_history_change){from[i].row, from[i].moment, from[i].objects, from[i].bytes};
}

/* As many rows as there is room for, those that ever held most; `to` NULL: without stacks. */
static mp_history_group group_of(mp_document *document, const mp_window *window, const char *name,
                                 const uint32_t *moments, size_t count, stacks *to)
{
    const mp_model *model = window->model;
    const mp_dimension *dimension = mp_dimension_find(name);
    mp_grouping grouping = mp_groups_ever(window, dimension);
    uint32_t *order = mp_groups_by_most(window, &grouping), *places, rows;
    rows = (grouping.count < ROWS ? grouping.count : ROWS) + 1;
    mp_history_group group = {.name = name};
    group.labels = mp_arena_alloc(document->arena, rows * sizeof *group.labels);
    group.types = to ? mp_arena_alloc(document->arena, rows * sizeof *group.types) : NULL;
    group.places = places = mp_arena_alloc(document->arena, rows * sizeof *places);
    for (uint32_t i = 0; i < rows - 1; i++) {
        const mp_generation *example = &model->generations.at[grouping.groups[order[i]].example.i];
        const mp_context *context = &model->contexts.at[example->context.i];
        const mp_frame frame = {model->tree_of[context->node.i], context->line};
        group.labels[i] = kept(document, dimension->label(document->arena, model, example));
        if (to)
            group.types[i] =
                kept(document, mp_type_label(document->arena, model, mp_site_type(model, context)));
        places[i] = to ? put_stack(to, frame) : 0;
        if (to && to->count > PLACES)
            rows = i + 2;
    }
    size_t change_count;
    mp_moment_change *changes =
        changes_of(window, &grouping, order, rows, moments, count, &change_count);
    while (change_count > CHANGES && rows > 2) {
        free(changes);
        rows = (rows + 1) / 2;
        changes = changes_of(window, &grouping, order, rows, moments, count, &change_count);
    }
    group.rows = rows;
    group.others = grouping.count - (rows - 1);
    group.labels[rows - 1] = mp_document_text(document, "(%" PRIu64 " others)", group.others);
    if (to)
        group.types[rows - 1] = group.labels[rows - 1];
    places[rows - 1] = 0;
    group.places = to ? places : NULL;
    put_changes(document, &group, changes, change_count);
    free(changes);
    free(order);
    mp_grouping_free(&grouping);
    return group;
}

/* --- the figure --- */

static void put_moments(mp_document *document, const mp_window *window, uint32_t session,
                        const uint32_t *moments, size_t count, mp_history_figure *history)
{
    const char **names = mp_arena_alloc(document->arena, count * sizeof *names);
    int64_t *numbers = mp_arena_alloc(document->arena, count * sizeof *numbers);
    for (size_t i = 0; i < count; i++) {
        const mp_snapshot *snapshot = mp_window_snapshot(window, moments[i]);
        names[i] = mp_snapshot_text(document, window->model, snapshot);
        numbers[i] = (int64_t)snapshot->sequence;
        history->from = moments[i] == window->ranges[session].from.i ? i : history->from;
        history->to = moments[i] == window->ranges[session].to.i ? i : history->to;
    }
    history->names = names;
    history->numbers = numbers;
    history->moments = count;
}

void mp_figure_history(mp_document *document, const mp_request *request, const mp_window *window)
{
    const uint32_t session = document->draws ? mp_moments_session(window) : 0;
    size_t count = 0;
    mp_window whole;
    mp_error error = {0};
    if (!session || mp_filter_snapshots(window->filter, session) < 2 ||
        !mp_window_of(request->filter, "first", "last", &whole, &error))
        return;
    uint32_t *moments = mp_moments_of(window, session, MOMENTS, &count);
    mp_figure *figure = mp_document_figure(document, MP_FIGURE_HISTORY, "history");
    mp_history_figure *history = &figure->history;
    const mp_dimension *site = mp_dimension_find("site");
    put_moments(document, window, session, moments, count, history);
    history->groups[history->group_count++] =
        group_of(document, &whole, "type", moments, count, NULL);
    if (mp_dimension_fits(site, window->model)) {
        stacks to = {.document = document, .model = window->model};
        add_place(&to, 0, MP_PLACE_GROUP, "all");
        history->groups[history->group_count++] =
            group_of(document, &whole, "site", moments, count, &to);
        history->stacks = mp_arena_alloc(document->arena, to.count * sizeof *to.at);
        memcpy(history->stacks, to.at, to.count * sizeof *to.at);
        history->stack_count = to.count;
        mp_id_index_free(&to.of_frame);
        free(to.at);
    }
    figure->title = "What was alive at each snapshot";
    size_t left_out = mp_filter_snapshots(window->filter, session) - count;
    uint64_t others = history->groups[history->group_count - 1].others;
    if (left_out)
        figure->note = mp_document_text(
            document, "an even choice of %zu snapshots, %zu are left out", count, left_out);
    else if (others)
        figure->note =
            mp_document_text(document, "the largest %s are told apart, %s others together",
                             history->group_count > 1 ? "allocation sites" : "types",
                             mp_count_text(document, (int64_t)others, false));
    free(moments);
    mp_window_free(&whole);
}
