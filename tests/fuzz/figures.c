/* Figures with all shapes and amounts that a report could produce: trees, lines, spans,
 * histories. */
#include "document/figure.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

/* Take an amount that is small enough to be added up; reports refuse inputs whose sums could
 * overflow. */
static int64_t take_summand(fuzz_bytes *bytes)
{
    const int64_t most = INT64_C(1) << 52;
    int64_t number = fuzz_take_number(bytes);
    return number < 0 ? -(number / 2) % most : number % most;
}

static const char *take_name(fuzz_bytes *bytes)
{
    return fuzz_take(bytes, 3) ? "shop.Order" : fuzz_take_text(bytes);
}

/* --- trees --- */

enum { MOST_PLACES = 120, DEEP_CHAIN = 300 };

static mp_place take_place(fuzz_bytes *bytes, uint32_t parent, const mp_tree_figure *tree)
{
    mp_place place = {.parent = parent,
                      .kind = (mp_place_kind)fuzz_take(bytes, MP_PLACE_REST + 1),
                      .label = take_name(bytes),
                      .source = fuzz_take(bytes, 2) ? take_name(bytes) : NULL,
                      .line = MP_UNKNOWN};
    place.self = take_summand(bytes);
    place.own_count = tree->count_of ? take_summand(bytes) : 0;
    if (tree->has_base) {
        place.base_own = take_summand(bytes);
        place.base_own_count = tree->count_of ? take_summand(bytes) : 0;
    }
    return place;
}

/* Take the places of a tree, which may be wide or deep. Parents come before their children, and
 * siblings are unsorted. */
static mp_place *take_places(fuzz_bytes *bytes, mp_tree_figure *tree)
{
    uint32_t wanted = 1 + fuzz_take(bytes, MOST_PLACES), parent = 0;
    uint32_t chain = fuzz_take(bytes, 32) == 31 ? DEEP_CHAIN : 0;
    mp_place *place = mp_alloc((wanted + chain) * sizeof *place);
    for (tree->count = 0; tree->count < wanted; tree->count++) {
        if (tree->count > 1 && fuzz_take(bytes, 3) == 0 && parent + 1 < tree->count)
            parent += 1 + fuzz_take(bytes, tree->count - parent - 1 < 256 ? tree->count - parent - 1
                                                                          : 256);
        place[tree->count] = take_place(bytes, parent, tree);
    }
    for (; chain-- > 0; tree->count++) {
        place[tree->count] = place[tree->count - 1];
        place[tree->count].parent = tree->count - 1;
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        place[i].total = place[i].self;
        place[i].all_count = place[i].own_count;
        place[i].base_all = place[i].base_own;
        place[i].base_all_count = place[i].base_own_count;
    }
    for (uint32_t i = tree->count; i-- > 1;) {
        mp_place *above = &place[place[i].parent];
        above->total += place[i].total;
        above->all_count += place[i].all_count;
        above->base_all += place[i].base_all;
        above->base_all_count += place[i].base_all_count;
    }
    return place;
}

static int by_contract(const void *left, const void *right)
{
    const mp_place *a = left, *b = right;
    int64_t one = a->total > a->base_all ? a->total : a->base_all;
    int64_t other = b->total > b->base_all ? b->total : b->base_all;
    return one != other ? one > other ? -1 : 1 : strcmp(a->label, b->label);
}

/* Sort siblings in the order that figures require, and make them adjacent. Until a place is moved,
 * `parent` is an index in the old order. */
static void put_in_order(fuzz_bytes *bytes, mp_tree_figure *tree, const mp_place *from)
{
    uint32_t *was = mp_alloc(tree->count * sizeof *was), count = 1;
    mp_place *siblings = mp_alloc(tree->count * sizeof *siblings);
    tree->items = mp_arena_alloc(&bytes->arena, tree->count * sizeof *tree->items);
    tree->items[0] = from[0];
    was[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t found = 0;
        for (uint32_t k = 1; k < tree->count; k++)
            if (from[k].parent == was[i]) {
                siblings[found] = from[k];
                siblings[found++].parent = k; /* an index in the old order */
            }
        qsort(siblings, found, sizeof *siblings, by_contract);
        for (size_t k = 0; k < found; k++, count++) {
            was[count] = siblings[k].parent;
            tree->items[count] = siblings[k];
            tree->items[count].parent = i;
        }
    }
    free(siblings);
    free(was);
}

static mp_tree_figure take_tree(fuzz_bytes *bytes, bool can_compare)
{
    static const mp_unit units[] = {MP_BYTES, MP_SECONDS, MP_COUNT};
    mp_tree_figure tree = {.unit = units[fuzz_take(bytes, 3)], .measure = "alive"};
    tree.count_of = fuzz_take(bytes, 2) ? "objects" : NULL;
    tree.has_base = can_compare && fuzz_take(bytes, 2);
    mp_place *places = take_places(bytes, &tree);
    put_in_order(bytes, &tree, places);
    free(places);
    return tree;
}

/* --- figures over time --- */

/* Take ascending moments. The distances between them are from 1 to very large. */
static int64_t *take_moments(fuzz_bytes *bytes, size_t count)
{
    int64_t *place = mp_arena_alloc(&bytes->arena, (count + 1) * sizeof *place);
    int64_t last = take_summand(bytes);
    for (size_t i = 0; i < count; i++)
        place[i] = last += 1 + take_summand(bytes) / 512;
    return place;
}

static const char **take_names(fuzz_bytes *bytes, size_t count, bool always)
{
    const char **names = mp_arena_alloc(&bytes->arena, (count + 1) * sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = always || fuzz_take(bytes, 2) ? take_name(bytes) : NULL;
    return names;
}

static int by_moment(const void *left, const void *right)
{
    const struct mp_mark *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

static void take_marks(fuzz_bytes *bytes, mp_line_figure *lines)
{
    static const char *const kinds[] = {"window", "request", "tag"};
    size_t count = lines->moments ? fuzz_take(bytes, 24) : 0;
    lines->marks = mp_arena_alloc(&bytes->arena, (count + 1) * sizeof *lines->marks);
    for (; lines->mark_count < count; lines->mark_count++) {
        struct mp_mark *mark = &lines->marks[lines->mark_count];
        size_t place = fuzz_take(bytes, 256) % lines->moments;
        unsigned kind = fuzz_take(bytes, 3);
        *mark = (struct mp_mark){lines->times[place], MP_UNKNOWN, MP_UNKNOWN, kinds[kind],
                                 take_name(bytes)};
        if (kind < 2) /* a span with an end */
            mark->until = lines->times[place + fuzz_take(bytes, 256) % (lines->moments - place)];
    }
    if (lines->line_count && count) { /* one mark is the peak */
        lines->marks[0].kind = "peak";
        lines->marks[0].until = MP_UNKNOWN;
        lines->marks[0].amount = fuzz_take_number(bytes);
    }
    qsort(lines->marks, count, sizeof *lines->marks, by_moment);
}

static mp_line_figure take_lines(fuzz_bytes *bytes)
{
    static const char *const names[] = {"live_bytes", "platform_bytes", "others", "largest"};
    mp_line_figure lines = {.moments = fuzz_take(bytes, 40), .moment_of = "snapshot"};
    if (fuzz_take(bytes, 32) == 31)
        lines.moments += 800;
    lines.times = take_moments(bytes, lines.moments);
    lines.moment_unit = fuzz_take(bytes, 2) ? MP_TIME : MP_NUMBER;
    lines.names = take_names(bytes, lines.moments, false);
    size_t count = fuzz_take(bytes, 9);
    lines.lines = mp_arena_alloc(&bytes->arena, (count + 1) * sizeof *lines.lines);
    for (; lines.line_count < count; lines.line_count++) {
        int64_t *values = mp_arena_alloc(&bytes->arena, (lines.moments + 1) * sizeof *values);
        for (size_t i = 0; i < lines.moments; i++)
            values[i] = fuzz_take(bytes, 8) ? fuzz_take_number(bytes) : MP_UNKNOWN;
        lines.lines[lines.line_count] =
            (struct mp_line_of){.name = names[fuzz_take(bytes, 4)],
                                .title = take_name(bytes),
                                .panel = fuzz_take(bytes, 3) ? NULL : take_name(bytes),
                                .unit = fuzz_take(bytes, 2) ? MP_BYTES : MP_COUNT,
                                .values = values};
    }
    take_marks(bytes, &lines);
    return lines;
}

static int by_begin(const void *left, const void *right)
{
    const struct mp_span *a = left, *b = right;
    if (a->from_us != b->from_us)
        return a->from_us < b->from_us ? -1 : 1;
    return a->depth < b->depth ? -1 : a->depth > b->depth;
}

static mp_span_figure take_spans(fuzz_bytes *bytes)
{
    mp_span_figure spans = {.count = fuzz_take(bytes, 80)};
    spans.items = mp_arena_alloc(&bytes->arena, (spans.count + 1) * sizeof *spans.items);
    for (size_t i = 0; i < spans.count; i++) {
        int64_t from = take_summand(bytes);
        spans.items[i] = (struct mp_span){from, from + take_summand(bytes), fuzz_take(bytes, 60),
                                          take_name(bytes)};
    }
    qsort(spans.items, spans.count, sizeof *spans.items, by_begin);
    return spans;
}

/* --- histories --- */

static mp_history_group take_group(fuzz_bytes *bytes, const mp_history_figure *figure,
                                   bool of_stacks)
{
    mp_history_group group = {.name = of_stacks ? "site" : "type",
                              .rows = 1 + fuzz_take(bytes, 12),
                              .others = (uint64_t)take_summand(bytes),
                              .births = fuzz_take(bytes, 2)};
    uint32_t *places = mp_arena_alloc(&bytes->arena, group.rows * sizeof *places);
    group.labels = take_names(bytes, group.rows, true);
    if (of_stacks) {
        group.types = take_names(bytes, group.rows, false);
        group.names = fuzz_take(bytes, 2) ? take_names(bytes, group.rows, true) : NULL;
        for (uint32_t i = 0; i < group.rows; i++)
            places[i] = fuzz_take(bytes, 256) % figure->stack_count;
        group.places = places;
    }
    group.changes =
        mp_arena_alloc(&bytes->arena, group.rows * figure->moments * sizeof *group.changes);
    for (uint32_t i = 0; i < group.rows; i++)
        for (uint32_t k = 0; k < figure->moments; k++)
            if (fuzz_take(bytes, 3) == 0)
                group.changes[group.change_count++] =
                    (mp_history_change){i, k, group.births ? fuzz_take(bytes, k + 1) : 0,
                                        fuzz_take_number(bytes), fuzz_take_number(bytes)};
    return group;
}

static mp_history_figure take_history(fuzz_bytes *bytes)
{
    mp_history_figure history = {.moments = 2 + fuzz_take(bytes, 8), .stack_count = 1};
    history.names = take_names(bytes, history.moments, true);
    history.numbers = take_moments(bytes, history.moments);
    history.session = fuzz_take(bytes, 3) ? NULL : take_name(bytes);
    history.leaks_note = fuzz_take(bytes, 3) ? NULL : "without some";
    history.graph = fuzz_take(bytes, 2) ? "memory" : NULL;
    history.from = fuzz_take(bytes, (unsigned)history.moments - 1);
    history.to = history.from + 1;
    history.stack_count += fuzz_take(bytes, 20);
    history.stacks = mp_arena_alloc(&bytes->arena, history.stack_count * sizeof *history.stacks);
    for (uint32_t i = 0; i < history.stack_count; i++)
        history.stacks[i] =
            (mp_place){.parent = i ? fuzz_take(bytes, i) : 0, .label = i ? take_name(bytes) : ""};
    history.group_count = 1 + fuzz_take(bytes, 2);
    for (size_t i = 0; i < history.group_count; i++)
        history.groups[i] = take_group(bytes, &history, i == 1);
    return history;
}

/* --- all figures --- */

void fuzz_make_figures(fuzz_bytes *bytes, mp_document *document)
{
    static const char *const names[] = {"alive_stacks", "leaked_stacks", "memory", "calls"};
    document->draws = true;
    for (unsigned count = fuzz_take(bytes, 4), i = 0; i < count; i++) {
        mp_figure_kind kind = (mp_figure_kind)fuzz_take(bytes, MP_FIGURE_HISTORY + 1);
        mp_figure *figure = mp_document_figure(document, kind, names[i]);
        figure->title = fuzz_take_text(bytes);
        figure->file = fuzz_take(bytes, 3) ? NULL : take_name(bytes);
        figure->note = fuzz_take(bytes, 2) ? NULL : take_name(bytes);
        if (kind == MP_FIGURE_LINES)
            figure->lines = take_lines(bytes);
        else if (kind == MP_FIGURE_SPANS)
            figure->spans = take_spans(bytes);
        else if (kind == MP_FIGURE_HISTORY)
            figure->history = take_history(bytes);
        else
            figure->tree = take_tree(bytes, kind == MP_FIGURE_STACKS);
    }
}
