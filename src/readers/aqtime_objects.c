/* The objects of a result set, each with its creation call stack. */
#include <inttypes.h>

#include "base/diagnose.h"
#include "model/build.h"
#include "readers/aqtime.h"

/* Read the stack of the object with this ID into state->stack, in stored order. Return the number
 * of frames. Rows with lower IDs belong to no object; skip them with a diagnostic. */
static size_t read_stack(aq_state *state, int64_t id)
{
    aq_number numbers[AQ_COLUMNS];
    size_t count = 0;
    while (aq_next(state, AQ_STACKS, numbers)) {
        if (numbers[AQ_S_OBJECT].value > id) {
            aq_hold_back(state, AQ_STACKS);
            break;
        }
        int64_t row = aq_row(state, AQ_STACKS);
        if (numbers[AQ_S_OBJECT].value < id || !numbers[AQ_S_OBJECT].known) {
            aq_say(state, MP_DIAG_BAD_ROW, AQ_STACKS, row,
                   "belongs to object %" PRId64 ", which is not listed: row skipped",
                   numbers[AQ_S_OBJECT].value);
            continue;
        }
        *MP_APPEND(state->stack, count, state->stack_capacity) =
            aq_routine(state, numbers[AQ_S_ROUTINE].value, row);
    }
    return count;
}

/* Return the number of frames of an object. If two objects have the same ID, the first one gets the
 * stack. */
static size_t stack_of(aq_state *state, aq_number id, int64_t row)
{
    if (!id.known)
        return 0;
    if (state->last_id.known && state->last_id.value == id.value) {
        aq_say(state, MP_DIAG_DUPLICATE_OBJECT, AQ_OBJECTS, row,
               "has ID %" PRId64 " of an earlier object; its stack and references are unknown",
               id.value);
        return 0;
    }
    state->last_id = id;
    return read_stack(state, id.value);
}

/* --- births --- */

/* Return the number that identifies the object in all result sets: its creation number; if it has
 * none, its address; if it has neither, its record. */
static uint64_t identity_of(const aq_number *numbers, mp_type_id type)
{
    if (numbers[AQ_O_NUMBER].known)
        return mp_hash_pair((uint64_t)numbers[AQ_O_NUMBER].value, 0);
    const aq_number *other = &numbers[numbers[AQ_O_ADDRESS].known ? AQ_O_ADDRESS : AQ_O_RECORD];
    return mp_hash_pair((uint64_t)other->value, type.i + 1u);
}

/* Return the number, from 1, of the first result set after the object's birth. */
static size_t birth_of(aq_state *state, const aq_number *numbers, mp_type_id type)
{
    int64_t get = numbers[AQ_O_GET].value;
    size_t now = state->set + 1;
    if (get >= 1 && get <= (int64_t)now)
        return (size_t)get;
    uint32_t *first = mp_id_index_put(&state->identities, identity_of(numbers, type));
    if (!*first)
        *first = (uint32_t)now;
    return *first;
}

/* --- recording of an object --- */

/* Keep an object for model->objects, under a unique id, even if the database repeats ids. */
static void keep(aq_state *state, const aq_number *numbers, int64_t bytes,
                 mp_generation_id generation)
{
    uint64_t id = (uint64_t)numbers[numbers[AQ_O_RECORD].known ? AQ_O_RECORD : AQ_O_ID].value;
    while (mp_id_index_get(&state->kept, id))
        id = state->next_id++;
    *mp_id_index_put(&state->kept, id) = 1;
    *MP_APPEND(state->ids, state->id_count, state->id_capacity) = id;
    mp_history_change(state->history, id, bytes, generation);
}

/* Report the death of objects that were in the previous set and are not in this one. */
static void bury(aq_state *state)
{
    size_t now = state->id_count - state->ids_before;
    for (size_t i = 0; i < state->ids_before; i++)
        if (!mp_id_index_get(&state->kept, state->ids[i]))
            mp_history_death(state->history, state->ids[i]);
    for (size_t i = 0; i < now; i++)
        state->ids[i] = state->ids[state->ids_before + i];
    state->id_count = state->ids_before = now;
    mp_id_index_free(&state->kept);
}

static void add_vertex(aq_state *state, const aq_number *numbers, mp_type_id type, int64_t bytes)
{
    size_t index = ++state->vertex_count;
    mp_grow(&state->vertices, &state->vertex_capacity, index + 1, sizeof *state->vertices);
    state->vertices[index] = (aq_vertex){
        .record = (uint64_t)numbers[numbers[AQ_O_RECORD].known ? AQ_O_RECORD : AQ_O_ID].value,
        .type = type,
        .bytes = bytes,
        .root = numbers[AQ_O_ROOT].value != 0};
    uint32_t *place = mp_id_index_put(&state->vertex_of, (uint64_t)numbers[AQ_O_ID].value);
    if (!*place)
        *place = (uint32_t)index;
}

static void enter(aq_state *state, const aq_number *numbers, mp_type_id type, size_t frames,
                  int64_t row)
{
    int64_t bytes = numbers[AQ_O_SIZE].value;
    /* the line of the allocation is not known, only the start line of the routine */
    mp_node_id node = aq_node_of(state, frames);
    mp_context context = {.type = type, .node = node, .line = node.i ? MP_NO_LINE : 0};
    if (numbers[AQ_O_THREAD].known)
        context.thread = aq_thread(state, numbers[AQ_O_THREAD].value, row);
    mp_snapshot_id born = state->sets[birth_of(state, numbers, type) - 1].snapshot;
    mp_generation_id generation = mp_census_object(&state->census, &context, born, bytes);
    if (state->history)
        keep(state, numbers, bytes, generation);
    if (state->set == state->graph_set)
        add_vertex(state, numbers, type, bytes);
}

static void read_object(aq_state *state, const aq_number *numbers)
{
    int64_t row = aq_row(state, AQ_OBJECTS);
    size_t frames = stack_of(state, numbers[AQ_O_ID], row);
    mp_type_id type = aq_class(state, numbers[AQ_O_CLASS].value, row);
    aq_figures *figures = aq_figures_of(state, type);
    if (!mp_census_affords(&state->census, numbers[AQ_O_SIZE].value)) {
        aq_say(state, MP_DIAG_BAD_ROW, AQ_OBJECTS, row,
               "has %" PRId64 " bytes, an impossible size: row skipped", numbers[AQ_O_SIZE].value);
        return;
    }
    figures->objects++;
    figures->bytes += numbers[AQ_O_SIZE].value;
    if (!aq_is_overwrite(state, type)) {
        enter(state, numbers, type, frames, row);
        return;
    }
    state->overwrites++;
    aq_say(state, MP_DIAG_MEMORY_OVERWRITE, AQ_OBJECTS, row,
           "in result set %" PRId64 ", the program wrote beyond the end of a block",
           state->sets[state->set].id);
}

void aq_read_objects(aq_state *state)
{
    aq_number numbers[AQ_COLUMNS];
    state->last_id.known = false;
    while (aq_next(state, AQ_OBJECTS, numbers))
        read_object(state, numbers);
    read_stack(state, INT64_MAX); /* remaining stacks belong to objects that are not listed */
    if (state->history)
        bury(state);
}
