/* V8 heap snapshots: the arrays of nodes, edges and strings. */
#include <string.h>

#include "model/build.h"
#include "readers/heapsnapshot.h"

/* --- nodes --- */

static uint32_t class_number(v8_state *state, uint64_t kind, uint64_t name, bool is_detached)
{
    if (kind >= state->kind_count) {
        state->bad_types++;
        kind = state->kind_count;
    }
    const bool plain = state->kinds[kind].rule == V8_PLAIN;
    if (plain || name > UINT32_MAX)
        name = plain ? 0 : UINT32_MAX;
    is_detached = is_detached && state->kinds[kind].is_native;
    uint32_t *number =
        mp_id_index_put(&state->classes_by_key, kind << 33 | (uint64_t)is_detached << 32 | name);
    if (!*number) {
        *number = state->classes.count;
        v8_class *class = MP_ADD(&state->classes);
        *class =
            (v8_class){.name = (uint32_t)name, .kind = (uint32_t)kind, .is_detached = is_detached};
        if (!plain) {
            uint32_t *same = mp_id_index_put(&state->classes_by_name, name);
            class->next = *same;
            *same = *number;
        }
    }
    return *number;
}

static bool add_node(v8_state *state, const uint64_t *values)
{
    mp_graph *graph = state->graph;
    const uint32_t *place = state->node_fields.place;
    const uint64_t size = values[place[V8_SIZE]], edges = values[place[V8_EDGES]];
    const bool detached = place[V8_DETACHED] != V8_NO_FIELD && values[place[V8_DETACHED]] == 2;
    const size_t index = (size_t)graph->count + 1;
    state->too_large |=
        size > INT64_MAX || !mp_budget_take(&state->model->private->spent, (int64_t)size);
    state->too_many |= index >= INT32_MAX - 2 || edges >= UINT32_MAX - state->edges_expected;
    if (state->too_many || state->too_large)
        return false;
    graph->count++;
    mp_grow(&graph->ids, &state->ids_capacity, index + 1, sizeof *graph->ids);
    mp_grow(&graph->sizes, &state->sizes_capacity, index + 1, sizeof *graph->sizes);
    mp_grow(&graph->types, &state->types_capacity, index + 1, sizeof *graph->types);
    mp_grow(&graph->first, &state->first_capacity, index + 2, sizeof *graph->first);
    graph->ids[index] = values[place[V8_ID]];
    graph->sizes[index] = size;
    graph->types[index] =
        class_number(state, values[place[V8_TYPE]], values[place[V8_NAME]], detached);
    graph->first[index] = (uint32_t)state->edges_expected;
    state->edges_expected += edges;
    graph->first[index + 1] = (uint32_t)state->edges_expected;
    return true;
}

bool v8_read_row(v8_state *state, uint32_t count, uint64_t *values)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!mp_scan_unsigned(&state->json, &values[i]))
            return false;
        if (!mp_scan_take(&state->json, ',') && i + 1 < count)
            return false;
    }
    return true;
}

bool v8_read_rows(v8_state *state, uint32_t count, v8_take_row *row)
{
    uint64_t values[V8_MOST_FIELDS];
    uint32_t next = 0;
    if (!mp_scan_enter(&state->json, '['))
        return false;
    while (mp_scan_more_numbers(&state->json, &values[next])) {
        if (++next < count)
            continue;
        if (!row(state, values))
            return false;
        next = 0;
    }
    return !state->json.bad && !next;
}

bool v8_read_nodes(v8_state *state)
{
    return v8_read_rows(state, state->node_fields.count, add_node);
}

/* --- edges --- */

/* Advance state->object to the owner of the next edge. On the way, set for each object the index of
 * its first edge among the kept edges. Return false after the last edge of the last object. */
static bool find_owner(v8_state *state)
{
    mp_graph *graph = state->graph;
    while (state->edges_read >= state->object_end && state->object < graph->count) {
        state->object++;
        state->object_end = graph->first[state->object + 1];
        graph->first[state->object] = state->kept;
    }
    return state->edges_read < state->object_end;
}

static bool add_edge(v8_state *state, const uint64_t *values)
{
    mp_graph *graph = state->graph;
    const uint32_t *place = state->edge_fields.place;
    const uint64_t type = values[place[V8_EDGE_TYPE]], to = values[place[V8_TO_NODE]];
    const uint64_t name = values[place[V8_EDGE_NAME]], node = to / state->node_fields.count;
    const v8_edge edge = type < state->edge_kinds ? state->edges[type] : V8_STRONG;
    const bool is_owned = find_owner(state), is_entry = state->object == 1;
    state->edges_read++;
    if (!is_owned || node >= graph->count || to % state->node_fields.count) {
        graph->dangling++;
        return true;
    }
    if (edge == V8_WEAK || (edge == V8_SHORTCUT && !is_entry))
        return true;
    if (is_entry && (edge == V8_SHORTCUT || edge == V8_ELEMENT))
        *MP_ADD(&state->entries) = (v8_entry){(uint32_t)node + 1, edge == V8_SHORTCUT};
    *MP_APPEND(graph->targets, state->kept, state->targets_capacity) = (uint32_t)node + 1;
    if (state->kinds[state->classes.items[graph->types[state->object]].kind].is_array)
        *MP_ADD(&state->array_names) =
            edge == V8_INTERNAL && name <= UINT32_MAX ? (uint32_t)name : 0;
    return true;
}

bool v8_read_edges(v8_state *state)
{
    return v8_read_rows(state, state->edge_fields.count, add_edge);
}

void v8_end_edges(v8_state *state, bool usable)
{
    mp_graph *graph = state->graph;
    if (!usable) {
        state->object = state->kept = state->entries.count = state->array_names.count = 0;
        state->edges_read = graph->dangling = 0;
    }
    while (state->object <= graph->count)
        graph->first[++state->object] = state->kept;
}

/* --- strings --- */

static void name_class(v8_state *state, v8_class *class)
{
    const v8_kind *kind = &state->kinds[class->kind];
    mp_slice name = mp_text_of(&state->json.text);
    if (!name.length) {
        class->label = kind->label;
        return;
    }
    if (kind->is_native && name.start[0] == '<') /* in "<div class=...>", the tag is the class */
        for (size_t i = 0; i < name.length && name.start[i] != '>'; i++)
            if (name.start[i] == ' ')
                name.length = i;
    const bool is_cut_tag = name.length < state->json.text.length;
    class->label = mp_model_intern_format(state->model, "%s%.*s%s",
                                          kind->rule == V8_CLOSURE ? "(closure) "
                                          : class->is_detached     ? "Detached "
                                                                   : "",
                                          (int)name.length, name.start, is_cut_tag ? ">" : "");
}

/* Note the name of an edge that leads to a value from the table of a WeakMap or from a key: "N /
 * part of key (NAME @ID) -> value (NAME @ID) pair in WeakMap (table @ID)". */
static void note_table(v8_state *state, uint32_t name)
{
    static const char begin[] = " / part of key (", middle[] = "pair in WeakMap (table @";
    const char *text = state->json.text.text, *end = text + state->json.text.length;
    uint64_t table = 0;
    if (*text < '0' || *text > '9') /* most texts */
        return;
    text += strspn(text, "0123456789");
    if (strncmp(text, begin, strlen(begin)) != 0)
        return;
    const char *digits = end - 1;
    while (digits > text && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    if ((size_t)(digits - text) < strlen(middle) || *(end - 1) != ')' ||
        memcmp(digits - strlen(middle), middle, strlen(middle)) != 0)
        return;
    for (; digits < end - 1 && table <= UINT32_MAX; digits++)
        table = table * 10 + (uint64_t)(*digits - '0');
    if (table && table <= UINT32_MAX)
        *mp_id_index_put(&state->tables, name) = (uint32_t)table;
}

static void take_string(v8_state *state, uint64_t index, uint32_t value)
{
    (void)value;
    if (state->json.text.length && index <= UINT32_MAX)
        note_table(state, (uint32_t)index);
    for (uint32_t named = mp_id_index_get(&state->classes_by_name, index); named;
         named = state->classes.items[named].next)
        name_class(state, &state->classes.items[named]);
}

bool v8_read_strings(v8_state *state)
{
    return v8_read_texts(state, NULL, take_string);
}
