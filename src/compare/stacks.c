#include "compare/stacks.h"

#include <stdlib.h>

#define NAMES_DIFFER UINT32_MAX

typedef struct difference_stacks {
    mp_weigher weigher;
    const mp_dictionary *dictionary;
    mp_level level;
    bool starts;
    /* Frames of code by frame and line; frames of types by parent frame and type. */
    mp_id_index code, types;
    mp_id_index names; /* 1 + the name of the objects of a type frame, by that frame */
    uint32_t *way;     /* frames and lines that must still be added, from the innermost outwards */
    size_t way_capacity;
} difference_stacks;

mp_level mp_level_of_stacks(const mp_digest *base, const mp_digest *now, mp_weighing weighing)
{
    if (now->holds & MP_HOLDS_PROFILE)
        return base->has_paths && now->has_paths ? MP_LEVEL_PATH : MP_LEVEL_METHOD;
    return weighing == MP_WEIGH_RETAINED ? MP_LEVEL_DOMINATOR : MP_LEVEL_SITE;
}

static mp_weight_frame weight_frame(const difference_stacks *state, uint32_t caller,
                                    mp_stack_frame frame)
{
    const mp_frame_key *key = mp_dictionary_frame_at(state->dictionary, frame.place);
    mp_weight_frame result = {.parent = caller,
                              .kind = MP_WEIGHT_CODE,
                              .name = mp_dictionary_text(state->dictionary, key->name),
                              .line = MP_NO_LINE,
                              .called_at = MP_NO_LINE,
                              .allocator = key->allocator};
    if (state->level == MP_LEVEL_DOMINATOR) {
        result.kind = MP_WEIGHT_TYPE;
    } else if (state->level == MP_LEVEL_PATH) {
        result.kind = mp_path_kind(key->line);
        result.overload = mp_path_overload(key->line);
    } else if (state->starts) {
        result.start_line = frame.line == MP_NO_LINE ? 0 : frame.line;
        result.tells_start = true;
    } else {
        result.line = frame.line;
    }
    return result;
}

/* Return the frame of a stack. Callers that are missing are added first, from the outermost
 * inwards. Only sites have lines; in other lists a frame is identified by its path. */
static uint32_t code_frame(difference_stacks *state, mp_stack_frame frame)
{
    const bool lines = state->level == MP_LEVEL_SITE;
    const size_t depth = mp_dictionary_facts(state->dictionary, frame.place)->depth;
    size_t steps = 0;
    uint32_t found = 0;
    mp_grow(&state->way, &state->way_capacity, 2 * (depth + 1), sizeof *state->way);
    while (frame.place && !found) {
        frame.line = lines ? frame.line : MP_NO_LINE;
        found = mp_id_index_get(&state->code, mp_joined(frame.place, frame.line));
        if (found)
            break;
        state->way[2 * steps] = frame.place;
        state->way[2 * steps++ + 1] = frame.line;
        const mp_frame_key *key = mp_dictionary_frame_at(state->dictionary, frame.place);
        frame = (mp_stack_frame){key->caller, key->line};
    }
    while (steps--) {
        mp_stack_frame next = {state->way[2 * steps], state->way[2 * steps + 1]};
        found = mp_weigher_add(&state->weigher, weight_frame(state, found, next));
        *mp_id_index_put(&state->code, mp_joined(next.place, next.line)) = found;
    }
    return found;
}

/* Return the frame for objects that no code created, or that no root reaches. */
static uint32_t none_frame(difference_stacks *state, uint32_t line)
{
    const bool no_line = line == MP_NO_LINE || state->level != MP_LEVEL_SITE;
    uint32_t *place = mp_id_index_put(&state->code, mp_joined(0, no_line ? MP_NO_LINE : line));
    if (!*place)
        *place = mp_weigher_add(
            &state->weigher,
            (mp_weight_frame){.kind = MP_WEIGHT_NONE,
                              .name = state->level == MP_LEVEL_SITE ? "(session)" : "(unreachable)",
                              .line = no_line ? MP_NO_LINE : line,
                              .called_at = MP_NO_LINE});
    return *place;
}

static uint32_t type_frame(difference_stacks *state, const mp_entry_key *key, uint32_t code)
{
    mp_weights *weights = &state->weigher.weights;
    uint32_t *place = mp_id_index_put(&state->types, mp_joined(code, key->type));
    if (!*place)
        *place = mp_weigher_add(
            &state->weigher,
            (mp_weight_frame){.parent = code,
                              .kind = MP_WEIGHT_TYPE,
                              .name = mp_dictionary_text(state->dictionary, key->type),
                              .line = MP_NO_LINE,
                              .called_at = weights->frames[code].line});
    uint32_t *name = mp_id_index_put(&state->names, *place);
    *name = !*name || *name == key->name + 1 ? key->name + 1 : NAMES_DIFFER;
    return *place;
}

static void put_names(difference_stacks *state)
{
    mp_weights *weights = &state->weigher.weights;
    for (uint32_t i = 1; i < weights->count; i++) {
        uint32_t name = mp_id_index_get(&state->names, i);
        if (name > 1 && name != NAMES_DIFFER)
            weights->frames[i].object = mp_dictionary_text(state->dictionary, name - 1);
    }
}

/* Return the frame of a method. It is below its program, which is below a frame for unknown
 * callers. */
static uint32_t method_frame(difference_stacks *state, const mp_entry_key *key)
{
    const mp_dictionary *dictionary = state->dictionary;
    const char *program = mp_dictionary_text(dictionary, key->program);
    mp_weight_frame frame = {.kind = MP_WEIGHT_NONE,
                             .name = MP_CALLERS_NOT_KNOWN,
                             .line = MP_NO_LINE,
                             .called_at = MP_NO_LINE};
    uint32_t *place = mp_id_index_put(&state->code, 0);
    if (!*place)
        *place = mp_weigher_add(&state->weigher, frame);
    frame = (mp_weight_frame){.parent = *place,
                              .kind = MP_WEIGHT_GROUP,
                              .name = program,
                              .source = program,
                              .line = MP_NO_LINE,
                              .called_at = MP_NO_LINE};
    place = mp_id_index_put(&state->types, key->program);
    if (!*place)
        *place = mp_weigher_add(&state->weigher, frame);
    const char *runtime = mp_dictionary_text(dictionary, key->type);
    frame.parent = *place;
    frame.kind = MP_WEIGHT_CODE;
    if (key->name)
        frame.name = mp_arena_format(&state->weigher.weights.names, "%s %s%s%s",
                                     mp_dictionary_text(dictionary, key->name), program,
                                     *runtime ? " " : "", runtime);
    return mp_weigher_add(&state->weigher, frame);
}

static uint32_t frame_of(difference_stacks *state, const mp_entry_key *key)
{
    if (state->level == MP_LEVEL_METHOD)
        return method_frame(state, key);
    uint32_t code = key->frame ? code_frame(state, (mp_stack_frame){key->frame, key->line})
                               : none_frame(state, key->line);
    return state->level == MP_LEVEL_SITE ? type_frame(state, key, code) : code;
}

static mp_weight weight_of(const mp_amounts *amounts, mp_weighing weighing)
{
    switch (weighing) {
    case MP_WEIGH_LEAKED:
        return (mp_weight){.self = amounts->leaked_bytes, .own_count = amounts->leaked_objects};
    case MP_WEIGH_CREATED:
        return (mp_weight){.self = amounts->created_bytes, .own_count = amounts->created};
    case MP_WEIGH_SECONDS:
    case MP_WEIGH_SAMPLES:
        return (mp_weight){.self = amounts->exclusive_us, .own_count = amounts->calls};
    case MP_WEIGH_CALLS:
        return (mp_weight){.self = amounts->calls};
    default:
        return (mp_weight){.self = amounts->bytes, .own_count = amounts->objects};
    }
}

mp_weights mp_weights_of_differences(const mp_dictionary *dictionary,
                                     const mp_differences *differences, mp_level level,
                                     mp_weighing weighing, bool starts)
{
    const mp_weighing columns[] = {weighing, weighing};
    difference_stacks state = {.weigher = mp_weigher_of(NULL, columns, 2),
                               .dictionary = dictionary,
                               .level = level,
                               .starts = starts};
    for (size_t i = 0; i < differences->count; i++) {
        const mp_difference *difference = &differences->items[i];
        const mp_weight now = weight_of(&difference->now, weighing),
                        base = weight_of(&difference->base, weighing);
        if (!now.self && !now.own_count && !base.self && !base.own_count)
            continue;
        const uint32_t frame = frame_of(&state, &difference->key);
        mp_weigh(&state.weigher, 0, frame, now.self, now.own_count);
        mp_weigh(&state.weigher, 1, frame, base.self, base.own_count);
    }
    put_names(&state);
    free(state.way);
    mp_id_index_free(&state.code);
    mp_id_index_free(&state.types);
    mp_id_index_free(&state.names);
    return mp_weigher_end(&state.weigher);
}
