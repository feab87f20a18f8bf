/* V8 heap snapshots: the header, which describes the fields and types of nodes and edges. */
#include <string.h>

#include "model/build.h"
#include "readers/heapsnapshot.h"

bool v8_read_texts(v8_state *state, const mp_id_index *wanted, v8_take_text *take)
{
    size_t left = wanted ? wanted->count : SIZE_MAX;
    state->strings = 0;
    if (!mp_scan_enter(&state->json, '['))
        return false;
    for (; left && mp_scan_more(&state->json, ']'); state->strings++) {
        const uint32_t value = wanted ? mp_id_index_get(wanted, state->strings) : 0;
        const bool taken = value || !wanted;
        if (!(taken ? mp_scan_text(&state->json) : mp_scan_skip_text(&state->json)))
            return false;
        if (taken)
            take(state, state->strings, value);
        left -= value != 0;
    }
    return !state->json.bad && left;
}

/* Read the array of the types of fields. The first array in it names the types of nodes or of
 * edges. */
static bool read_types(v8_state *state, v8_take_text *word)
{
    bool found = false;
    if (!mp_scan_enter(&state->json, '['))
        return false;
    while (mp_scan_more(&state->json, ']')) {
        const bool words = !found && mp_scan_peek(&state->json) == '[';
        if (words ? !v8_read_texts(state, NULL, word) : !mp_scan_skip(&state->json))
            return false;
        found |= words;
    }
    return !state->json.bad;
}

static void note_field(const v8_state *state, v8_fields *fields, const char *const *names,
                       uint32_t count, uint64_t number)
{
    const uint32_t place = number < V8_MOST_FIELDS ? (uint32_t)number : V8_MOST_FIELDS;
    fields->count = place + 1;
    for (uint32_t i = 0; i < count; i++)
        if (fields->place[i] == V8_NO_FIELD && v8_is_text(state, names[i]))
            fields->place[i] = place;
}

static void node_field(v8_state *state, uint64_t number, uint32_t value)
{
    (void)value;
    static const char *const names[] = {"type",      "name",       "id",
                                        "self_size", "edge_count", "detachedness"};
    note_field(state, &state->node_fields, names, V8_NODE_FIELDS, number);
}

static void edge_field(v8_state *state, uint64_t number, uint32_t value)
{
    (void)value;
    static const char *const names[] = {"type", "name_or_index", "to_node"};
    note_field(state, &state->edge_fields, names, V8_EDGE_FIELDS, number);
}

static mp_content_kind content_of(const v8_state *state)
{
    static const struct {
        const char *name;
        mp_content_kind kind;
    } contents[] = {{"string", MP_CONTENT_TEXT},
                    {"concatenated string", MP_CONTENT_LOST_TEXT},
                    {"sliced string", MP_CONTENT_LOST_TEXT},
                    {"number", MP_CONTENT_LOST_BOXED},
                    {"object", MP_CONTENT_COLLECTION}};
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++)
        if (v8_is_text(state, contents[i].name))
            return contents[i].kind;
    return MP_CONTENT_NONE;
}

static void node_type(v8_state *state, uint64_t number, uint32_t value)
{
    (void)value;
    if (number >= V8_MOST_KINDS)
        return;
    const bool code = v8_is_text(state, "code"), native = v8_is_text(state, "native");
    const char *name = code ? "compiled code" : mp_text_of(&state->json.text).start;
    state->kind_count = (uint32_t)number + 1;
    state->kinds[number] =
        (v8_kind){.label = mp_model_intern_format(state->model, "(%s)", name),
                  .is_array = v8_is_text(state, "array"),
                  .is_native = native,
                  .content = content_of(state),
                  .rule = native || v8_is_text(state, "object") || v8_is_text(state, "hidden") ||
                                  v8_is_text(state, "object shape")
                              ? V8_NAMED
                          : v8_is_text(state, "closure")   ? V8_CLOSURE
                          : v8_is_text(state, "synthetic") ? V8_SYNTHETIC
                                                           : V8_PLAIN};
}

static void edge_type(v8_state *state, uint64_t number, uint32_t value)
{
    (void)value;
    if (number >= V8_MOST_KINDS)
        return;
    state->edge_kinds = (uint32_t)number + 1;
    state->edges[number] = v8_is_text(state, "weak")       ? V8_WEAK
                           : v8_is_text(state, "shortcut") ? V8_SHORTCUT
                           : v8_is_text(state, "internal") ? V8_INTERNAL
                           : v8_is_text(state, "element")  ? V8_ELEMENT
                           : v8_is_text(state, "hidden")   ? V8_HIDDEN
                                                           : V8_STRONG;
}

static bool read_meta(v8_state *state)
{
    if (!mp_scan_enter(&state->json, '{'))
        return false;
    while (mp_scan_member(&state->json))
        if (!(v8_is_member(state, "node_fields")   ? v8_read_texts(state, NULL, node_field)
              : v8_is_member(state, "node_types")  ? read_types(state, node_type)
              : v8_is_member(state, "edge_fields") ? v8_read_texts(state, NULL, edge_field)
              : v8_is_member(state, "edge_types")  ? read_types(state, edge_type)
                                                   : mp_scan_skip(&state->json)))
            return false;
    return !state->json.bad;
}

bool v8_read_snapshot(v8_state *state)
{
    if (!mp_scan_enter(&state->json, '{'))
        return false;
    while (mp_scan_member(&state->json))
        if (!(v8_is_member(state, "meta") ? read_meta(state)
              : v8_is_member(state, "node_count")
                  ? mp_scan_unsigned(&state->json, &state->node_count)
              : v8_is_member(state, "edge_count")
                  ? mp_scan_unsigned(&state->json, &state->edge_count)
                  : mp_scan_skip(&state->json)))
            return false;
    return !state->json.bad;
}

bool v8_has_fields(const v8_fields *fields, uint32_t needed)
{
    for (uint32_t i = 0; i < needed; i++)
        if (fields->place[i] == V8_NO_FIELD)
            return false;
    return fields->count <= V8_MOST_FIELDS;
}
