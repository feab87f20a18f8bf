/* V8 heap snapshots (.heapsnapshot), as Chrome, Node, Deno and Electron write them: the sections of
 * the file.
 *
 * Source: docs/formats/heapsnapshot.md. A file is one JSON object. "snapshot" describes the fields
 * of nodes and edges; "nodes" and "edges" are arrays of numbers, the edges in the order of their
 * nodes; "strings" has the names. A file is one dump; several files are dumps of one program, in
 * the order given. Names come last, so nodes are counted by classes whose names are read at the
 * end. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "model/build.h"
#include "model/id_table.h"
#include "readers/heapsnapshot.h"

/* Sections that are used, in the required order. */
enum { SNAPSHOT = 1, NODES = 2, EDGES = 4, STRINGS = 8 };

static bool is_text(const v8_state *state, const char *text)
{
    return state->text.length == strlen(text) &&
           (!state->text.length || memcmp(state->text.text, text, state->text.length) == 0);
}

static bool take_text(v8_state *state)
{
    return mp_scan_string(&state->json, &state->text, MP_LONGEST_NAME);
}

/* Read the name of the next member of an object. Return false at its end, or if it is malformed,
 * which sets *bad. */
static bool next_member(v8_state *state, bool *first, bool *bad)
{
    if (!mp_scan_more(&state->json, '}', first, bad))
        return false;
    *bad = !take_text(state) || !mp_scan_take(&state->json, ':');
    return !*bad;
}

/* --- the header --- */

/* Read an array of strings. Call `word` with the index of each one, when state->text has its text.
 */
static bool read_words(v8_state *state, void (*word)(v8_state *state, uint32_t number))
{
    bool first = true, bad = false;
    uint32_t number = 0;
    if (!mp_scan_take(&state->json, '['))
        return false;
    while (mp_scan_more(&state->json, ']', &first, &bad)) {
        if (!take_text(state))
            return false;
        word(state, number);
        number += number < UINT32_MAX;
    }
    return !bad;
}

/* Read the array of the types of fields: the first array in it names the types of nodes or edges.
 */
static bool read_types(v8_state *state, void (*word)(v8_state *state, uint32_t number))
{
    bool first = true, bad = false, found = false;
    if (!mp_scan_take(&state->json, '['))
        return false;
    while (mp_scan_more(&state->json, ']', &first, &bad)) {
        const bool words = !found && mp_scan_peek(&state->json) == '[';
        if (words ? !read_words(state, word) : !mp_scan_skip(&state->json))
            return false;
        found |= words;
    }
    return !bad;
}

static void note_field(const v8_state *state, v8_fields *fields, const char *const *names,
                       uint32_t count, uint32_t number)
{
    fields->count = number + 1;
    for (uint32_t i = 0; i < count; i++)
        if (fields->place[i] == V8_NO_FIELD && is_text(state, names[i]))
            fields->place[i] = number;
}

static void node_field(v8_state *state, uint32_t number)
{
    static const char *const names[] = {"type",      "name",       "id",
                                        "self_size", "edge_count", "detachedness"};
    note_field(state, &state->node_fields, names, V8_NODE_FIELDS, number);
}

static void edge_field(v8_state *state, uint32_t number)
{
    static const char *const names[] = {"type", "name_or_index", "to_node"};
    note_field(state, &state->edge_fields, names, V8_EDGE_FIELDS, number);
}

static mp_string_id label_of(v8_state *state, const char *before, const char *text,
                             const char *after)
{
    mp_arena arena = {0};
    const char *label = mp_arena_format(&arena, "%s%s%s", before, text, after);
    const mp_string_id id =
        mp_model_intern(state->model, mp_slice_of(label), &state->reader->converted);
    mp_arena_free(&arena);
    return id;
}

static void node_type(v8_state *state, uint32_t number)
{
    if (number >= V8_MOST_KINDS)
        return;
    const bool code = is_text(state, "code"), native = is_text(state, "native");
    const char *name = code ? "compiled code" : state->text.length ? state->text.text : "";
    state->kind_count = number + 1;
    state->kinds[number] =
        (v8_kind){.label = label_of(state, "(", name, ")"),
                  .is_array = is_text(state, "array"),
                  .is_native = native,
                  .rule = native || is_text(state, "object") || is_text(state, "hidden") ||
                                  is_text(state, "object shape")
                              ? V8_NAMED
                          : is_text(state, "closure")   ? V8_CLOSURE
                          : is_text(state, "synthetic") ? V8_SYNTHETIC
                                                        : V8_PLAIN};
}

static void edge_type(v8_state *state, uint32_t number)
{
    if (number >= V8_MOST_KINDS)
        return;
    state->edge_kinds = number + 1;
    state->edges[number] = is_text(state, "weak")       ? V8_WEAK
                           : is_text(state, "shortcut") ? V8_SHORTCUT
                           : is_text(state, "internal") ? V8_INTERNAL
                           : is_text(state, "element")  ? V8_ELEMENT
                                                        : V8_STRONG;
}

static bool read_meta(v8_state *state)
{
    bool first = true, bad = false;
    if (!mp_scan_take(&state->json, '{'))
        return false;
    while (next_member(state, &first, &bad))
        if (!(is_text(state, "node_fields")   ? read_words(state, node_field)
              : is_text(state, "node_types")  ? read_types(state, node_type)
              : is_text(state, "edge_fields") ? read_words(state, edge_field)
              : is_text(state, "edge_types")  ? read_types(state, edge_type)
                                              : mp_scan_skip(&state->json)))
            return false;
    return !bad;
}

static bool read_snapshot(v8_state *state)
{
    bool first = true, bad = false;
    if (!mp_scan_take(&state->json, '{'))
        return false;
    while (next_member(state, &first, &bad))
        if (!(is_text(state, "meta")         ? read_meta(state)
              : is_text(state, "node_count") ? mp_scan_unsigned(&state->json, &state->node_count)
              : is_text(state, "edge_count") ? mp_scan_unsigned(&state->json, &state->edge_count)
                                             : mp_scan_skip(&state->json)))
            return false;
    return !bad;
}

/* Return true if the header describes the fields that are needed. */
static bool has_fields(const v8_fields *fields, uint32_t needed)
{
    for (uint32_t i = 0; i < needed; i++)
        if (fields->place[i] == V8_NO_FIELD)
            return false;
    return fields->count <= V8_MOST_FIELDS;
}

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

static void add_node(v8_state *state, const uint64_t *values)
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
        return;
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
}

/* Read an array of numbers, and call `row` for each `count` of them. Return false if it is
 * truncated or malformed. An incomplete last row is malformed. */
static bool read_rows(v8_state *state, uint32_t count,
                      void (*row)(v8_state *state, const uint64_t *values))
{
    uint64_t values[V8_MOST_FIELDS];
    bool first = true, bad = false;
    uint32_t next = 0;
    if (!mp_scan_take(&state->json, '['))
        return false;
    while (mp_scan_more(&state->json, ']', &first, &bad)) {
        if (!mp_scan_unsigned(&state->json, &values[next]))
            return false;
        if (++next < count)
            continue;
        row(state, values);
        next = 0;
        if (state->too_many || state->too_large)
            return false;
    }
    return !bad && !next;
}

static bool read_nodes(v8_state *state)
{
    return read_rows(state, state->node_fields.count, add_node);
}

/* --- edges --- */

/* Advance state->object to the owner of the next edge. For each object that it reaches, set the
 * index of its first edge among the edges that are kept. Return false after the last edge of the
 * last object. */
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

static void add_edge(v8_state *state, const uint64_t *values)
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
        return;
    }
    if (edge == V8_WEAK || (edge == V8_SHORTCUT && !is_entry))
        return;
    if (is_entry && (edge == V8_SHORTCUT || edge == V8_ELEMENT))
        *MP_ADD(&state->entries) = (v8_entry){(uint32_t)node + 1, edge == V8_SHORTCUT};
    mp_grow(&graph->targets, &state->targets_capacity, (size_t)state->kept + 1,
            sizeof *graph->targets);
    graph->targets[state->kept++] = (uint32_t)node + 1;
    if (state->kinds[state->classes.items[graph->types[state->object]].kind].is_array)
        *MP_ADD(&state->array_names) =
            edge == V8_INTERNAL && name <= UINT32_MAX ? (uint32_t)name : 0;
}

static bool read_edges(v8_state *state)
{
    return read_rows(state, state->edge_fields.count, add_edge);
}

/* After the last edge, set the index of the first edge of the objects that remain. */
static void end_edges(v8_state *state, bool usable)
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
    mp_slice name = {state->text.text, state->text.length};
    if (!name.length) {
        class->label = kind->label;
        return;
    }
    if (kind->is_native && name.start[0] == '<') /* "<div class=...>": the tag is the class */
        for (size_t i = 0; i < name.length && name.start[i] != '>'; i++)
            if (name.start[i] == ' ')
                name.length = i;
    const char *text = mp_arena_copy(&state->scratch, name.start, name.length);
    const bool is_cut_tag = name.length < state->text.length;
    class->label = kind->rule == V8_CLOSURE ? label_of(state, "(closure) ", text, "")
                                            : label_of(state, class->is_detached ? "Detached " : "",
                                                       text, is_cut_tag ? ">" : "");
    mp_arena_reset(&state->scratch);
}

/* Note the name of an edge from the table of a WeakMap or from a key to the value: "N / part of key
 * (NAME @ID) -> value (NAME @ID) pair in WeakMap (table @ID)". */
static void note_table(v8_state *state, uint32_t name)
{
    static const char begin[] = " / part of key (", middle[] = "pair in WeakMap (table @";
    const char *text = state->text.text, *end = text + state->text.length;
    uint64_t table = 0;
    text += strspn(text, "0123456789");
    if (text == state->text.text || strncmp(text, begin, strlen(begin)) != 0)
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

static bool read_strings(v8_state *state)
{
    bool first = true, bad = false;
    if (!mp_scan_take(&state->json, '['))
        return false;
    for (; mp_scan_more(&state->json, ']', &first, &bad); state->strings++) {
        uint32_t named = mp_id_index_get(&state->classes_by_name, state->strings);
        const bool wanted = named || state->array_names.count;
        if (!(wanted ? take_text(state) : mp_scan_string(&state->json, NULL, 0)))
            return false;
        if (wanted && state->text.length && state->strings <= UINT32_MAX)
            note_table(state, (uint32_t)state->strings);
        for (; named; named = state->classes.items[named].next)
            name_class(state, &state->classes.items[named]);
    }
    return !bad;
}

/* --- one file --- */

static v8_state begin_file(v8_reader *reader, mp_input *input, uint32_t summary)
{
    mp_model *model = reader->model;
    if (!reader->session.i) {
        (void)MP_ADD(&model->sessions);
        reader->session.i = model->sessions.count - 1;
    }
    mp_model_begin_snapshot(model, reader->session)->input = summary;
    mp_model_leave_graph(model);
    reader->path = model->inputs.items[summary].path;
    v8_state state = {.reader = reader,
                      .model = model,
                      .json = mp_scan_open(input),
                      .graph = mp_alloc_zero(1, sizeof *state.graph),
                      .node_count = UINT64_MAX,
                      .edge_count = UINT64_MAX};
    state.graph->snapshot.i = model->snapshots.count - 1;
    (void)MP_ADD(&state.graph->roots);
    (void)MP_ADD(&state.graph->domains);
    (void)MP_ADD(&state.classes);
    for (uint32_t i = 0; i < V8_NODE_FIELDS; i++)
        state.node_fields.place[i] = state.edge_fields.place[i] = V8_NO_FIELD;
    return state;
}

static void end_file(v8_state *state)
{
    mp_graph_free(state->graph);
    free(state->text.text);
    free(state->classes.items);
    free(state->array_names.items);
    free(state->entries.items);
    mp_id_index_free(&state->classes_by_key);
    mp_id_index_free(&state->classes_by_name);
    mp_id_index_free(&state->tables);
    mp_arena_free(&state->scratch);
}

static const struct section {
    const char *name;
    unsigned bit, needs;
    bool (*read)(v8_state *state);
} sections[] = {
    {"snapshot", SNAPSHOT, 0, read_snapshot},
    {"nodes", NODES, SNAPSHOT, read_nodes},
    {"edges", EDGES, SNAPSHOT | NODES, read_edges},
    {"strings", STRINGS, SNAPSHOT | NODES | EDGES, read_strings},
};

static const struct section *find_section(const v8_state *state)
{
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (is_text(state, sections[i].name))
            return &sections[i];
    return NULL;
}

static void say_damage(const v8_state *state, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say_damage(const v8_state *state, const char *format, ...)
{
    va_list arguments;
    mp_arena arena = {0};
    va_start(arguments, format);
    const char *text = mp_arena_format_list(&arena, format, arguments);
    va_end(arguments);
    mp_diagnose(state->reader->diagnostics, MP_DIAG_DAMAGED_SNAPSHOT, state->reader->path, 0, "%s",
                text);
    mp_arena_free(&arena);
}

/* Return true if the section may be read next. Unused sections may come anywhere. A repeated
 * section is skipped. */
static bool may_read(const v8_state *state, const struct section *section)
{
    if (!section || !(state->seen & section->bit))
        return section;
    say_damage(state, "has \"%s\" twice; the first is used", section->name);
    return false;
}

/* Read the sections up to the first that cannot be read. Return true if the whole file was read. */
static bool read_sections(v8_state *state)
{
    bool first = true, bad = false;
    if (!mp_scan_take(&state->json, '{'))
        return false;
    while (next_member(state, &first, &bad)) {
        const struct section *section = find_section(state);
        if (!may_read(state, section)) {
            if (!mp_scan_skip(&state->json))
                return false;
            continue;
        }
        state->misplaced = (state->seen & section->needs) != section->needs ? section->name : NULL;
        if (state->misplaced || state->fields_missing || !section->read(state))
            return false;
        state->seen |= section->bit;
        state->fields_missing = !has_fields(&state->node_fields, V8_DETACHED) ||
                                !has_fields(&state->edge_fields, V8_EDGE_FIELDS);
    }
    return !bad && mp_scan_peek(&state->json) < 0;
}

/* Refuse a file without complete nodes. */
static bool refuse(v8_state *state)
{
    mp_diagnostics *diagnostics = state->reader->diagnostics;
    const char *path = state->reader->path;
    const bool cut = mp_scan_peek(&state->json) < 0;
    const uint64_t offset = mp_scan_offset(&state->json);
    if (state->too_many)
        mp_diagnose(diagnostics, MP_DIAG_NOTHING_USABLE, path, 0,
                    "has more than two thousand million nodes, or four of edges: more than memprof "
                    "can number");
    else if (state->too_large)
        mp_diagnose(diagnostics, MP_DIAG_NOTHING_USABLE, path, 0,
                    "has sizes that 64 bits cannot add up");
    else if (state->misplaced)
        mp_diagnose(diagnostics, MP_DIAG_NOTHING_USABLE, path, 0,
                    "has \"%s\" too early, expected \"snapshot\", \"nodes\", \"edges\" and "
                    "\"strings\" in this order, as V8 writes them",
                    state->misplaced);
    else if (state->fields_missing)
        mp_diagnose(diagnostics, MP_DIAG_NOTHING_USABLE, path, 0,
                    "does not describe its nodes and edges, expected node_fields with type, name, "
                    "id, self_size and edge_count, and edge_fields with type, name_or_index and "
                    "to_node, at most %d of each",
                    V8_MOST_FIELDS);
    else if (!(state->seen & NODES) && !cut)
        mp_diagnose(diagnostics, MP_DIAG_NOTHING_USABLE, path, 0,
                    "is malformed at byte %" PRIu64 ", before the end of the nodes", offset);
    else if (!(state->seen & NODES))
        mp_diagnose(diagnostics, MP_DIAG_NOTHING_USABLE, path, 0,
                    "ends before the end of its nodes; write the snapshot again");
    else if (!state->graph->count)
        mp_diagnose(diagnostics, MP_DIAG_NOTHING_USABLE, path, 0, "has no nodes");
    else
        return false;
    return true;
}

/* Report contradictions with the header or the format. */
static void say_what_was_odd(const v8_state *state, uint64_t nodes)
{
    const mp_graph *graph = state->graph;
    uint64_t unnamed = 0;
    for (uint32_t i = 1; i < state->classes.count; i++)
        unnamed += !state->classes.items[i].label.i &&
                   state->kinds[state->classes.items[i].kind].rule != V8_PLAIN;
    if (state->node_count != UINT64_MAX && state->node_count != nodes)
        say_damage(state, "has %" PRIu64 " nodes, but node_count is %" PRIu64, nodes,
                   state->node_count);
    if (state->seen & EDGES && state->edge_count != UINT64_MAX &&
        state->edge_count != state->edges_read)
        say_damage(state, "has %" PRIu64 " edges, but edge_count is %" PRIu64, state->edges_read,
                   state->edge_count);
    if (state->seen & EDGES && state->edges_expected != state->edges_read)
        say_damage(state, "has %" PRIu64 " edges, but its nodes have %" PRIu64, state->edges_read,
                   state->edges_expected);
    if (graph->dangling)
        say_damage(state, "has %" PRIu64 " edges that lead to no node or belong to none",
                   graph->dangling);
    if (state->bad_types)
        say_damage(state, "has %" PRIu64 " nodes of types that node_types does not name",
                   state->bad_types);
    if (graph->duplicates)
        mp_diagnose(state->reader->diagnostics, MP_DIAG_DUPLICATE_OBJECT, state->reader->path, 0,
                    "objects with the id of an earlier one: %" PRIu64, graph->duplicates);
    if (state->seen & STRINGS && unnamed)
        mp_diagnose(state->reader->diagnostics, MP_DIAG_UNDEFINED_TYPE, state->reader->path, 0,
                    "names that are not among the %" PRIu64 " strings: %" PRIu64, state->strings,
                    unnamed);
}

/* Report a file that ends early or is malformed after its nodes. */
static void say_cut(v8_state *state)
{
    const char *used = !(state->seen & EDGES)
                           ? "references and names are missing; only its nodes are used"
                       : state->seen & STRINGS ? "all nodes, edges and strings are used"
                                               : "names of types are missing";
    if (mp_scan_peek(&state->json) < 0)
        mp_diagnose(state->reader->diagnostics, MP_DIAG_TORN, state->reader->path, 0,
                    "the snapshot is truncated: %s", used);
    else
        say_damage(state, "is malformed at byte %" PRIu64 ": %s", mp_scan_offset(&state->json),
                   used);
}

/* Return the number of objects that have the id of an earlier object. */
static uint32_t count_duplicates(const mp_graph *graph)
{
    mp_id_table table = {0};
    const uint32_t count = mp_id_table_make(&table, graph->ids, 1, graph->count);
    mp_id_table_free(&table);
    return count;
}

/* Mark all types as untracked, because without edges nothing is known about references. */
static void mark_untracked(const v8_state *state)
{
    const uint32_t types = state->model->types.count;
    state->graph->untracked = mp_alloc_zero(types, sizeof *state->graph->untracked);
    memset(state->graph->untracked, true, types * sizeof *state->graph->untracked);
}

static bool read_v8(void *opaque, mp_input *input, uint32_t summary)
{
    v8_reader *reader = opaque;
    v8_state state = begin_file(reader, input, summary);
    bool whole = read_sections(&state);
    const bool usable = !refuse(&state);
    mp_input_summary *sum = &reader->model->inputs.items[summary];
    sum->records = state.graph->count;
    if (usable) {
        whole &= state.seen == (SNAPSHOT | NODES | EDGES | STRINGS);
        end_edges(&state, state.seen & EDGES);
        v8_finish_graph(&state);
        if (!(state.seen & EDGES))
            mark_untracked(&state);
        state.graph->duplicates = count_duplicates(state.graph);
        say_what_was_odd(&state, sum->records);
        if (!whole)
            say_cut(&state);
        mp_model_take_graph(reader->model, state.graph);
        state.graph = NULL;
        mp_snapshot *snapshot = mp_type_counts_enter(&reader->counts);
        snapshot->sequence = snapshot->ordinal;
        mp_dump_order_check(&reader->order, reader->model, reader->diagnostics, reader->path, -1);
    }
    mp_scan_close(&state.json);
    end_file(&state);
    sum->complete = usable && whole;
    return usable;
}

/* --- the reader --- */

static mp_bid probe(mp_slice head)
{
    static const char *const begin[] = {"{", "\"snapshot\"", ":", "{"};
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++) {
        while (head.length && strchr(" \t\r\n", head.start[0]) && head.start[0])
            head = (mp_slice){head.start + 1, head.length - 1};
        if (!mp_slice_starts(head, begin[i]))
            return MP_NOT_MINE;
        head = (mp_slice){head.start + strlen(begin[i]), head.length - strlen(begin[i])};
    }
    return MP_MINE;
}

static void *open_v8(mp_model *model, mp_diagnostics *diagnostics, const mp_load_options *options)
{
    (void)options;
    v8_reader *reader = mp_alloc_zero(1, sizeof *reader);
    *reader = (v8_reader){
        .model = model, .diagnostics = diagnostics, .counts.model = model, .order.stamp = -1};
    return reader;
}

static void close_v8(void *opaque)
{
    v8_reader *reader = opaque;
    if (reader->converted)
        mp_reader_tell_converted(reader->diagnostics, reader->path);
    mp_type_counts_free(&reader->counts);
    mp_id_index_free(&reader->types_by_label);
    free(reader);
}

const mp_reader mp_reader_heapsnapshot = {
    .name = "heapsnapshot",
    .summary = "V8 heap snapshot (Chrome, Node, Deno, Electron)",
    .endings = ".heapsnapshot",
    .versions = "all",
    .kind = MP_KIND_DUMP,
    .probe = probe,
    .open = open_v8,
    .read = read_v8,
    .close = close_v8,
};
