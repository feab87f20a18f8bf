/* Data of a result set besides its objects: figures of classes, and references. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diagnose.h"
#include "model/build.h"
#include "model/graph_builder.h"
#include "readers/aqtime.h"

/* --- figures of classes --- */

aq_figures *aq_figures_of(aq_state *state, mp_type_id type)
{
    MP_EXTEND(state->figures, state->figure_count, state->figure_capacity, type.i + 1u);
    aq_figures *figures = &state->figures[type.i];
    if (!figures->listed) {
        *MP_APPEND(state->active, state->active_count, state->active_capacity) = type.i;
        figures->listed = true;
    }
    return figures;
}

static void wrong_order(aq_state *state, const char *what, aq_number live, aq_number peak,
                        aq_number total)
{
    bool wrong = live.value < 0 || (live.known && peak.known && live.value > peak.value) ||
                 (peak.known && total.known && peak.value > total.value) ||
                 (live.known && total.known && live.value > total.value);
    char text[64] = "not recorded";
    if (peak.known)
        snprintf(text, sizeof text, "%" PRId64, peak.value);
    if (wrong)
        aq_say(state, MP_DIAG_CLASS_FIGURES, AQ_CLASSES, aq_row(state, AQ_CLASSES),
               "%s of live, peak and total is %" PRId64 ", %s, %" PRId64 ", expected them to rise",
               what, live.value, text, total.value);
}

/* Add the figures of a class to those of its type. Classes with the same name in several modules
 * are one type. */
static void add_figures(aq_figures *figures, const aq_number *numbers, int64_t row)
{
    bool first = !figures->stated;
    figures->live += numbers[AQ_C_LIVE].value;
    figures->live_size += numbers[AQ_C_LIVE_SIZE].value;
    figures->total += numbers[AQ_C_TOTAL].value;
    figures->total_size += numbers[AQ_C_TOTAL_SIZE].value;
    figures->live_known = numbers[AQ_C_LIVE].known && (first || figures->live_known);
    figures->size_known = numbers[AQ_C_LIVE_SIZE].known && (first || figures->size_known);
    figures->total_known = numbers[AQ_C_TOTAL].known && (first || figures->total_known);
    figures->peak = first && numbers[AQ_C_PEAK].known ? numbers[AQ_C_PEAK].value : -1;
    figures->peak_size =
        first && numbers[AQ_C_PEAK_SIZE].known ? numbers[AQ_C_PEAK_SIZE].value : -1;
    figures->row = row;
    figures->stated = true;
}

void aq_read_figures(aq_state *state)
{
    /* limit of a figure, so that a thousand rows can be added */
    const int64_t most = INT64_MAX / 1024;
    aq_number numbers[AQ_COLUMNS];
    while (aq_next(state, AQ_CLASSES, numbers)) {
        int64_t row = aq_row(state, AQ_CLASSES);
        mp_type_id type = aq_type_of_row(state, AQ_CLASSES);
        if (!type.i)
            continue;
        aq_name_class(state, numbers[AQ_C_RECORD].value, type);
        wrong_order(state, "count", numbers[AQ_C_LIVE], numbers[AQ_C_PEAK], numbers[AQ_C_TOTAL]);
        wrong_order(state, "size", numbers[AQ_C_LIVE_SIZE], numbers[AQ_C_PEAK_SIZE],
                    numbers[AQ_C_TOTAL_SIZE]);
        bool sane = true;
        for (int i = AQ_C_LIVE; i < AQ_C_END; i++)
            sane &= numbers[i].value >= 0 && numbers[i].value < most;
        aq_figures *figures = aq_figures_of(state, type);
        if (sane && figures->live < most && figures->live_size < most && figures->total < most &&
            figures->total_size < most)
            add_figures(figures, numbers, row);
        else
            aq_say(state, MP_DIAG_BAD_ROW, AQ_CLASSES, row,
                   "has figures that no class has: row skipped");
    }
}

static void compare(aq_state *state, const aq_figures *figures, const char *column, int64_t stated,
                    int64_t counted)
{
    if (stated != counted)
        aq_say(state, MP_DIAG_CLASS_FIGURES, AQ_CLASSES, figures->row,
               "%s is %" PRId64 ", and the objects of result set %" PRId64 " give %" PRId64, column,
               stated, state->sets[state->set].id, counted);
}

static int by_number(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return MP_COMPARE(*a, *b);
}

void aq_check_figures(aq_state *state)
{
    mp_snapshot_id snapshot = state->sets[state->set].snapshot;
    if (state->active_count)
        qsort(state->active, state->active_count, sizeof *state->active, by_number);
    for (size_t i = 0; i < state->active_count; i++) {
        mp_type_id type = {state->active[i]};
        aq_figures *figures = &state->figures[type.i];
        if (figures->stated && figures->live_known)
            compare(state, figures, "COL_LIVE_COUNT", figures->live, figures->objects);
        if (figures->stated && figures->size_known)
            compare(state, figures, "COL_LIVE_SIZE", figures->live_size, figures->bytes);
        const bool has_total = figures->stated && figures->total_known;
        if (has_total && !aq_is_overwrite(state, type))
            mp_census_passed(&state->census, snapshot, type, figures->total, figures->total_size);
        if (!has_total && !aq_is_overwrite(state, type))
            state->model->holds |= MP_HOLDS_UNMADE;
        if (figures->stated && (figures->peak >= 0 || figures->peak_size >= 0))
            *MP_ADD(&state->model->type_peaks) =
                (mp_type_peak){type, snapshot, figures->peak, figures->peak_size};
        *figures = (aq_figures){0};
    }
    state->active_count = 0;
}

/* --- references --- */

/* One end of a reference: an object of the set, or an id that the set does not have. */
typedef enum end_kind {
    LISTED,
    UNLISTED_ID,
    UNLISTED_RECORD,
} end_kind;

typedef struct end {
    end_kind kind;
    uint64_t value; /* number of the vertex, or ID, or REC_ID */
} end;

typedef struct edge {
    end from, to;
    size_t order; /* position in the database */
} edge;

typedef struct edges {
    edge *items;
    size_t count, capacity;
} edges;

static int compare_ends(const end *a, const end *b)
{
    const int order = MP_COMPARE(a->kind, b->kind);
    return order ? order : MP_COMPARE(a->value, b->value);
}

static int by_ends(const void *left, const void *right)
{
    const edge *a = left, *b = right;
    int order = compare_ends(&a->from, &b->from);
    if (!order)
        order = compare_ends(&a->to, &b->to);
    return order ? order : MP_COMPARE(a->order, b->order);
}

static int by_order(const void *left, const void *right)
{
    const edge *a = left, *b = right;
    int order = compare_ends(&a->from, &b->from);
    return order ? order : MP_COMPARE(a->order, b->order);
}

static end end_of(const mp_id_index *index, int64_t number, end_kind unlisted)
{
    uint32_t vertex = mp_id_index_get(index, (uint64_t)number);
    return vertex ? (end){LISTED, vertex} : (end){unlisted, (uint64_t)number};
}

/* Read a table of references. One table has the references from each object, the other one has the
 * references to each object. */
static void read_edges(aq_state *state, aq_table table, const mp_id_index *by_record, edges *list)
{
    aq_number numbers[AQ_COLUMNS];
    while (aq_next(state, table, numbers)) {
        end endpoint = end_of(&state->vertex_of, numbers[AQ_E_OBJECT].value, UNLISTED_ID);
        end other = end_of(by_record, numbers[AQ_E_RECORD].value, UNLISTED_RECORD);
        bool forward = table == AQ_REFERENCES_TO;
        mp_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items);
        list->items[list->count] =
            (edge){forward ? endpoint : other, forward ? other : endpoint, list->count};
        list->count++;
    }
}

/* Remove duplicates, and sort by object and by the position of the first row. */
static void sort_edges(edges *list)
{
    size_t kept = 0;
    if (!list->count)
        return;
    qsort(list->items, list->count, sizeof *list->items, by_ends);
    for (size_t i = 0; i < list->count; i++)
        if (!kept || compare_ends(&list->items[kept - 1].from, &list->items[i].from) ||
            compare_ends(&list->items[kept - 1].to, &list->items[i].to))
            list->items[kept++] = list->items[i];
    list->count = kept;
    qsort(list->items, list->count, sizeof *list->items, by_order);
}

/* Report references and objects that are missing in the graph. */
static void say_what_was_odd(const aq_state *state)
{
    const mp_graph *graph = state->model->graph;
    int64_t set = state->sets[state->set].id;
    if (graph->duplicates)
        mp_diagnose(state->diagnostics, MP_DIAG_DUPLICATE_OBJECT, state->path, 0,
                    "objects of result set %" PRId64
                    " with the REC_ID of an earlier one, left out of the graph: %" PRIu64,
                    set, graph->duplicates);
    if (graph->dangling)
        mp_diagnose(state->diagnostics, MP_DIAG_DANGLING_REFERENCE, state->path, 0,
                    "references to or from objects that are not in result set %" PRId64
                    ": %" PRIu64,
                    set, graph->dangling);
}

/* Find the types without recorded references. AQTime records only references of managed objects,
 * but does not state which types are managed. A type counts as managed if one of its objects is a
 * root or an end of a reference. */
static void find_untracked(const aq_state *state, const edges *list)
{
    mp_graph *graph = state->model->graph;
    graph->untracked = mp_alloc(state->model->types.count * sizeof *graph->untracked);
    for (uint32_t i = 0; i < state->model->types.count; i++)
        graph->untracked[i] = true;
    for (size_t i = 1; i <= state->vertex_count; i++)
        if (state->vertices[i].root)
            graph->untracked[state->vertices[i].type.i] = false;
    for (size_t i = 0; i < list->count; i++) {
        const end *ends[] = {&list->items[i].from, &list->items[i].to};
        for (int k = 0; k < 2; k++)
            if (ends[k]->kind == LISTED)
                graph->untracked[state->vertices[ends[k]->value].type.i] = false;
    }
}

/* Build the graph of the references between objects of the set. Count all other references. */
static void build_graph(aq_state *state, const edges *list)
{
    mp_graph_builder *graph = mp_graph_begin(state->model, state->sets[state->set].snapshot);
    size_t next = 0;
    uint64_t dangling = 0;
    mp_graph_domain(graph, (mp_string_id){0});
    for (size_t i = 1; i <= state->vertex_count; i++) {
        const aq_vertex *vertex = &state->vertices[i];
        mp_graph_object(graph, vertex->record, vertex->type, (uint64_t)vertex->bytes);
        for (; next < list->count && list->items[next].from.kind == LISTED &&
               list->items[next].from.value == i;
             next++)
            if (list->items[next].to.kind == LISTED)
                mp_graph_reference(graph, state->vertices[list->items[next].to.value].record);
            else
                dangling++;
        if (vertex->root)
            mp_graph_root(graph, &(mp_root){.kind = MP_ROOT_UNSPECIFIED, .id = vertex->record});
    }
    dangling += list->count - next; /* references from objects that are not listed */
    if (!mp_graph_end(graph)) {
        mp_diagnose(state->diagnostics, MP_DIAG_NOTHING_USABLE, state->path, 0,
                    "has more references than 32 bits can number; they are ignored");
        return;
    }
    state->model->graph->dangling += dangling;
    find_untracked(state, list);
    say_what_was_odd(state);
}

void aq_read_references(aq_state *state)
{
    edges list = {0};
    mp_id_index by_record = {0};
    if (state->set != state->graph_set) { /* reports use the graph of another set */
        aq_pass(state, AQ_REFERENCES_TO);
        aq_pass(state, AQ_REFERENCES_FROM);
        return;
    }
    bool to = aq_has(state, AQ_REFERENCES_TO), from = aq_has(state, AQ_REFERENCES_FROM);
    if (!to && !from)
        return;
    for (size_t i = 1; i <= state->vertex_count; i++) {
        uint32_t *place = mp_id_index_put(&by_record, state->vertices[i].record);
        if (!*place)
            *place = (uint32_t)i;
    }
    read_edges(state, AQ_REFERENCES_TO, &by_record, &list);
    read_edges(state, AQ_REFERENCES_FROM, &by_record, &list);
    sort_edges(&list);
    if (!state->failed)
        build_graph(state, &list);
    free(list.items);
    mp_id_index_free(&by_record);
}
