#include "compare/stacks.h"

#include <stdlib.h>

#include "base/index.h"
#include "base/memory.h"

#define NAMES_DIFFER UINT32_MAX

typedef struct difference_stacks {
    mp_weigher to;
    const mp_dictionary *dictionary;
    mp_level level;
    bool starts;
    mp_id_index code, types; /* by frame and line; by the frame above and the type */
    mp_id_index names;       /* name of a type's objects, + 1, by the frame of the type */
    uint32_t *way;           /* frames and lines that are not there yet, from the inside out */
    size_t way_capacity;
} difference_stacks;

mp_level mp_level_of_stacks(const mp_digest *base, const mp_digest *now, mp_weighing of)
{
    if (now->holds & MP_HOLDS_PROFILE)
        return base->has_paths && now->has_paths ? MP_LEVEL_PATH : MP_LEVEL_METHOD;
    return of == MP_WEIGH_RETAINED ? MP_LEVEL_DOMINATOR : MP_LEVEL_SITE;
}

static mp_weight_frame weight_frame(const difference_stacks *all, uint32_t caller,
                                    mp_stack_frame frame)
{
    const mp_frame_key *key = mp_dictionary_frame_at(all->dictionary, frame.at);
    mp_weight_frame result = {.parent = caller,
                              .kind = MP_WEIGHT_CODE,
                              .name = mp_dictionary_text(all->dictionary, key->name),
                              .line = MP_NO_LINE,
                              .called_at = MP_NO_LINE,
                              .allocator = key->allocator};
    if (all->level == MP_LEVEL_DOMINATOR) {
        result.kind = MP_WEIGHT_TYPE;
    } else if (all->level == MP_LEVEL_PATH) {
        result.kind = mp_path_kind(key->line);
        result.overload = mp_path_overload(key->line);
    } else if (all->starts) {
        result.start_line = frame.line == MP_NO_LINE ? 0 : frame.line;
        result.tells_start = true;
    } else {
        result.line = frame.line;
    }
    return result;
}

/* Callers that are missing are added from the outermost on. Lines are of sites alone: in other
 * lists a frame is its path. */
static uint32_t code_frame(difference_stacks *all, mp_stack_frame frame)
{
    const bool lines = all->level == MP_LEVEL_SITE;
    const size_t depth = mp_dictionary_facts(all->dictionary, frame.at)->depth;
    size_t steps = 0;
    uint32_t found = 0;
    mp_grow(&all->way, &all->way_capacity, 2 * (depth + 1), sizeof *all->way);
    while (frame.at && !found) {
        frame.line = lines ? frame.line : MP_NO_LINE;
        found = mp_id_index_get(&all->code, mp_joined(frame.at, frame.line));
        if (found)
            break;
        all->way[2 * steps] = frame.at;
        all->way[2 * steps++ + 1] = frame.line;
        const mp_frame_key *key = mp_dictionary_frame_at(all->dictionary, frame.at);
        frame = (mp_stack_frame){key->caller, key->line};
    }
    while (steps--) {
        mp_stack_frame next = {all->way[2 * steps], all->way[2 * steps + 1]};
        found = mp_weigher_add(&all->to, weight_frame(all, found, next));
        *mp_id_index_put(&all->code, mp_joined(next.at, next.line)) = found;
    }
    return found;
}

/* Return the frame for objects not created by code, and for those that no root reaches. */
static uint32_t none_frame(difference_stacks *all, uint32_t line)
{
    const bool no_line = line == MP_NO_LINE || all->level != MP_LEVEL_SITE;
    uint32_t *place = mp_id_index_put(&all->code, mp_joined(0, no_line ? MP_NO_LINE : line));
    if (!*place)
        *place = mp_weigher_add(
            &all->to,
            (mp_weight_frame){.kind = MP_WEIGHT_NONE,
                              .name = all->level == MP_LEVEL_SITE ? "(session)" : "(unreachable)",
                              .line = no_line ? MP_NO_LINE : line,
                              .called_at = MP_NO_LINE});
    return *place;
}

static uint32_t type_frame(difference_stacks *all, const mp_entry_key *key, uint32_t code)
{
    mp_weights *weights = &all->to.weights;
    uint32_t *place = mp_id_index_put(&all->types, mp_joined(code, key->type));
    if (!*place)
        *place = mp_weigher_add(
            &all->to, (mp_weight_frame){.parent = code,
                                        .kind = MP_WEIGHT_TYPE,
                                        .name = mp_dictionary_text(all->dictionary, key->type),
                                        .line = MP_NO_LINE,
                                        .called_at = weights->frames[code].line});
    uint32_t *name = mp_id_index_put(&all->names, *place);
    *name = !*name || *name == key->name + 1 ? key->name + 1 : NAMES_DIFFER;
    return *place;
}

static void put_names(difference_stacks *all)
{
    mp_weights *weights = &all->to.weights;
    for (uint32_t i = 1; i < weights->count; i++) {
        uint32_t name = mp_id_index_get(&all->names, i);
        if (name > 1 && name != NAMES_DIFFER)
            weights->frames[i].object = mp_dictionary_text(all->dictionary, name - 1);
    }
}

/* A method below its program, and that below what says that nobody knows who called it. */
static uint32_t method_frame(difference_stacks *all, const mp_entry_key *key)
{
    const mp_dictionary *dictionary = all->dictionary;
    const char *program = mp_dictionary_text(dictionary, key->program);
    mp_weight_frame frame = {.kind = MP_WEIGHT_NONE,
                             .name = MP_CALLERS_NOT_KNOWN,
                             .line = MP_NO_LINE,
                             .called_at = MP_NO_LINE};
    uint32_t *place = mp_id_index_put(&all->code, 0);
    if (!*place)
        *place = mp_weigher_add(&all->to, frame);
    frame = (mp_weight_frame){.parent = *place,
                              .kind = MP_WEIGHT_GROUP,
                              .name = program,
                              .source = program,
                              .line = MP_NO_LINE,
                              .called_at = MP_NO_LINE};
    place = mp_id_index_put(&all->types, key->program);
    if (!*place)
        *place = mp_weigher_add(&all->to, frame);
    const char *runtime = mp_dictionary_text(dictionary, key->type);
    frame.parent = *place;
    frame.kind = MP_WEIGHT_CODE;
    if (key->name)
        frame.name = mp_arena_format(&all->to.weights.names, "%s %s%s%s",
                                     mp_dictionary_text(dictionary, key->name), program,
                                     *runtime ? " " : "", runtime);
    return mp_weigher_add(&all->to, frame);
}

/* Return the frame of a difference. */
static uint32_t frame_of(difference_stacks *all, const mp_entry_key *key)
{
    if (all->level == MP_LEVEL_METHOD)
        return method_frame(all, key);
    uint32_t code = key->frame ? code_frame(all, (mp_stack_frame){key->frame, key->line})
                               : none_frame(all, key->line);
    return all->level == MP_LEVEL_SITE ? type_frame(all, key, code) : code;
}

static mp_weight weight_of(const mp_amounts *amounts, mp_weighing of)
{
    switch (of) {
    case MP_WEIGH_LEAKED:
        return (mp_weight){.own = amounts->leaked_bytes, .own_count = amounts->leaked_objects};
    case MP_WEIGH_CREATED:
        return (mp_weight){.own = amounts->created_bytes, .own_count = amounts->created};
    case MP_WEIGH_SECONDS:
        return (mp_weight){.own = amounts->exclusive_us, .own_count = amounts->calls};
    case MP_WEIGH_CALLS:
        return (mp_weight){.own = amounts->calls};
    default:
        return (mp_weight){.own = amounts->bytes, .own_count = amounts->objects};
    }
}

mp_weights mp_weights_of_differences(const mp_dictionary *dictionary,
                                     const mp_differences *differences, mp_level level,
                                     mp_weighing of, bool starts)
{
    const mp_weighing columns[] = {of, of};
    difference_stacks all = {.to = mp_weigher_of(NULL, columns, 2),
                             .dictionary = dictionary,
                             .level = level,
                             .starts = starts};
    for (size_t i = 0; i < differences->count; i++) {
        const mp_difference *at = &differences->at[i];
        const mp_weight now = weight_of(&at->now, of), base = weight_of(&at->base, of);
        if (!now.own && !now.own_count && !base.own && !base.own_count)
            continue;
        const uint32_t frame = frame_of(&all, &at->key);
        mp_weigh(&all.to, 0, frame, now.own, now.own_count);
        mp_weigh(&all.to, 1, frame, base.own, base.own_count);
    }
    put_names(&all);
    free(all.way);
    mp_id_index_free(&all.code);
    mp_id_index_free(&all.types);
    mp_id_index_free(&all.names);
    return mp_weigher_end(&all.to);
}
