/* The ids of a recording: types, names, call-tree nodes and platform areas. They may be used before
 * they are defined. */
#include <inttypes.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "model/build.h"
#include "readers/oemp_replay.h"

/* Return true for the id of a request, a tag or a name that means "none". */
static bool is_nil(mp_slice text)
{
    return text.length == 0 || mp_slice_is(text, "?") || mp_slice_is(text, "??:??");
}

mp_string_id oemp_intern(oemp_state *state, mp_slice text)
{
    if (is_nil(text))
        return (mp_string_id){0};
    return mp_model_intern(state->model, text);
}

uint32_t oemp_line(oemp_state *state, uint64_t number, const char *name, uint64_t line)
{
    if (number <= INT32_MAX)
        return (uint32_t)number;
    mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, line,
                "%s row has source line %" PRId64 ", expected at most %" PRId32
                "; the line is unknown",
                name, (int64_t)number, INT32_MAX);
    return MP_NO_LINE;
}

/* --- ids --- */

/* Remember where an undefined id is used, to report it if it stays undefined. */
static void refer(oemp_state *state, mp_diagnostic_id kind, uint32_t target, uint64_t number,
                  uint64_t line)
{
    oemp_recording *recording = state->recording;
    *MP_APPEND(recording->references, recording->reference_count, recording->reference_capacity) =
        (oemp_reference){kind, target, number, line, state->path};
}

mp_type_id oemp_type(oemp_state *state, uint64_t number, uint64_t line)
{
    oemp_recording *recording = state->recording;
    uint32_t found = mp_id_index_get(&recording->types, number);
    if (!found) {
        oemp_make_room(state, state->model->types.count, state->model->types.capacity);
        *MP_ADD(&state->model->types) = (mp_type){.number = number};
        found = state->model->types.count - 1;
        *mp_id_index_put(&recording->types, number) = found;
        refer(state, MP_DIAG_UNDEFINED_TYPE, found, number, line);
    }
    return (mp_type_id){found};
}

mp_symbol_id oemp_symbol(oemp_state *state, mp_id_index *ids, uint64_t number, uint64_t line)
{
    uint32_t found = mp_id_index_get(ids, number);
    if (!found) {
        *MP_ADD(&state->model->symbols) = (mp_symbol){.number = number};
        found = state->model->symbols.count - 1;
        *mp_id_index_put(ids, number) = found;
        if (line)
            refer(state, MP_DIAG_UNDEFINED_NAME, found, number, line);
    }
    return (mp_symbol_id){found};
}

mp_node_id oemp_node_id(oemp_state *state, uint64_t number, uint64_t line)
{
    oemp_recording *recording = state->recording;
    if (number == 0)
        return (mp_node_id){0};
    uint32_t found = mp_id_index_get(&recording->nodes, number);
    if (!found) {
        *MP_ADD(&state->model->nodes) = (mp_node){.number = number};
        found = state->model->nodes.count - 1;
        *mp_id_index_put(&recording->nodes, number) = found;
        if (line)
            refer(state, MP_DIAG_UNDEFINED_NODE, found, number, line);
    }
    return (mp_node_id){found};
}

static void redefined(oemp_state *state, const char *what, uint64_t number, uint64_t line)
{
    mp_diagnose(state->diagnostics, MP_DIAG_REDEFINED, state->path, line,
                "%s %" PRIu64 " is redefined differently; the first definition is used", what,
                number);
}

/* --- catalogues, names and nodes --- */

/* Return the class of a type by its name. The names are from the format document or from the
 * vendor's catalogue. */
static mp_type_class class_of(mp_slice name)
{
    static const struct {
        const char *name;
        mp_type_class class;
    } known[] = {
        {"Procedure", MP_TYPE_CODE},
        {"OOABL Obj", MP_TYPE_CODE},
        {"OOABL Static Obj", MP_TYPE_CODE},
        {"Reusable Obj", MP_TYPE_REUSABLE},
        {"OO Builtin", MP_TYPE_BUILT_IN},
        {"Widget Pool", MP_TYPE_WIDGET_POOL},
        {"Named Widget Pool", MP_TYPE_WIDGET_POOL},
        {"Temp-table", MP_TYPE_TEMP_TABLE},
        {"Dynamic Temp-table", MP_TYPE_TEMP_TABLE},
        {"Auto Dynamic Temp-table", MP_TYPE_TEMP_TABLE},
        {"Global Shared Temp-Table", MP_TYPE_TEMP_TABLE},
        {"OO Static Temp-table", MP_TYPE_TEMP_TABLE},
        {"MEMPTR", MP_TYPE_RAW_MEMORY},
        {"Large Object", MP_TYPE_RAW_MEMORY},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (mp_slice_is(name, known[i].name))
            return known[i].class;
    return MP_TYPE_ORDINARY;
}

void oemp_type_catalogue(oemp_state *state, const oemp_value *row, uint64_t line)
{
    uint32_t *place = mp_id_index_put(&state->recording->types, row[1].number);
    mp_string_id name = oemp_intern(state, row[0].text);
    if (*place && state->model->types.items[*place].name.i) {
        if (state->model->types.items[*place].name.i != name.i)
            redefined(state, "type", row[1].number, line);
        return;
    }
    if (*place) { /* it is used already, perhaps by objects whose replay reads its class */
        oemp_settle(state);
    } else {
        oemp_make_room(state, state->model->types.count, state->model->types.capacity);
        (void)MP_ADD(&state->model->types);
        *place = state->model->types.count - 1;
    }
    state->model->types.items[*place] =
        (mp_type){.name = name, .number = row[1].number, .class = class_of(row[0].text)};
}

static void define_symbol(oemp_state *state, mp_id_index *ids, const char *what, uint64_t number,
                          mp_slice text, uint32_t start_line, uint64_t line)
{
    mp_symbol_id id = oemp_symbol(state, ids, number, 0);
    mp_symbol *symbol = &state->model->symbols.items[id.i];
    mp_string_id name = oemp_intern(state, text);
    if (symbol->name.i && (symbol->name.i != name.i || symbol->start_line != start_line)) {
        redefined(state, what, number, line);
        return;
    }
    symbol->name = name;
    symbol->start_line = start_line;
}

void oemp_built_in_catalogue(oemp_state *state, const oemp_value *row, uint64_t line)
{
    define_symbol(state, &state->recording->built_ins, "built-in class", row[1].number, row[0].text,
                  0, line);
}

void oemp_source_name(oemp_state *state, const oemp_value *row, uint64_t line)
{
    uint32_t start = oemp_line(state, row[2].number, "ABLNameList", line);
    define_symbol(state, &state->recording->sources, "source", row[0].number, row[1].text,
                  start == MP_NO_LINE ? 0 : start, line);
}

void oemp_other_name(oemp_state *state, const oemp_value *row, uint64_t line)
{
    define_symbol(state, &state->recording->names, "name", row[0].number, row[1].text, 0, line);
}

void oemp_node(oemp_state *state, const oemp_value *row, uint64_t line)
{
    if (row[0].number == 0) {
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, line,
                    "call-tree node 0 is the session itself, expected a number from 1: row "
                    "skipped");
        return;
    }
    mp_node_id parent = oemp_node_id(state, row[2].number, line);
    if (parent.i && !state->model->nodes.items[parent.i].defined)
        mp_diagnose(state->diagnostics, MP_DIAG_PARENT_ORDER, state->path, line,
                    "call-tree node %" PRIu64 " comes before its caller, node %" PRIu64
                    ", expected callers first",
                    row[0].number, row[2].number);
    mp_symbol_id symbol = oemp_symbol(state, &state->recording->sources, row[1].number, line);
    mp_node_id id = oemp_node_id(state, row[0].number, 0);
    mp_node *node = &state->model->nodes.items[id.i];
    mp_node defined = {.parent = parent,
                       .symbol = symbol,
                       .line = oemp_line(state, row[3].number, "CallTreeNodes", line),
                       .defined = true,
                       .number = row[0].number};
    if (node->defined &&
        (node->parent.i != parent.i || node->symbol.i != symbol.i || node->line != defined.line))
        redefined(state, "call-tree node", row[0].number, line);
    else
        *node = defined;
}

/* --- platform memory --- */

void oemp_platform_catalogue(oemp_state *state, const oemp_value *row, uint64_t line)
{
    mp_model *model = state->model;
    uint32_t *place = mp_id_index_put(&state->recording->platforms, row[1].number);
    mp_string_id name = oemp_intern(state, row[0].text);
    if (*place && model->platforms.items[*place].i != name.i)
        redefined(state, "platform object", row[1].number, line);
    if (!*place) /* it may be known from another recording */
        *place = mp_id_index_get(&state->platform_names, name.i);
    if (!*place) {
        *MP_ADD(&model->platforms) = name;
        *place = model->platforms.count - 1;
        *mp_id_index_put(&state->platform_names, name.i) = *place;
    }
}

void oemp_platform_data(oemp_state *state, const oemp_value *row, uint64_t line)
{
    oemp_recording *recording = state->recording;
    int64_t bytes = (int64_t)row[1].number;
    if (state->skip)
        return;
    const uint64_t most = (uint64_t)1 << 53;
    mp_budget spent = state->platform_spent;
    if (row[1].number > most || row[2].number > most || row[3].number > most ||
        !mp_budget_take(&spent, bytes) || !mp_budget_take(&spent, (int64_t)row[2].number) ||
        !mp_budget_take(&spent, (int64_t)row[3].number)) {
        mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, line,
                    "platform object %" PRIu64 " has %" PRId64 ", %" PRId64 " and %" PRId64
                    " bytes, expected sizes that a memory has: row skipped",
                    row[0].number, bytes, (int64_t)row[2].number, (int64_t)row[3].number);
        return;
    }
    state->platform_spent = spent;
    uint32_t platform = mp_id_index_get(&recording->platforms, row[0].number);
    if (!platform)
        mp_diagnose(state->diagnostics, MP_DIAG_UNDEFINED_PLATFORM, state->path, line,
                    "platform object %" PRIu64
                    " is not in the catalogue; its bytes count without a name",
                    row[0].number);
    *MP_ADD(&state->model->platform_samples) =
        (mp_platform_sample){.snapshot = recording->snapshot,
                             .platform = {platform},
                             .bytes = bytes,
                             .block_bytes = (int64_t)row[2].number,
                             .pool_bytes = (int64_t)row[3].number};
    recording->platform_bytes += bytes;
    recording->platform_seen = true;
}
