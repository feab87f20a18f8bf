#include "query/weights.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/index.h"
#include "query/labels.h"

/* --- metrics --- */

static const struct {
    const char *name;
    unsigned needs, lacks; /* capabilities that a model must and must not have: MP_HOLDS_... */
} weighings[MP_WEIGHINGS] = {
    [MP_WEIGH_LEAKED] = {"leaked", MP_HOLDS_HISTORY, 0},
    [MP_WEIGH_ALIVE] = {"alive", MP_HOLDS_LEDGER, 0},
    [MP_WEIGH_CREATED] = {"created", MP_HOLDS_HISTORY, 0},
    [MP_WEIGH_TEMPORARY] = {"temporary", MP_HOLDS_EVENTS, 0},
    [MP_WEIGH_SECONDS] = {"seconds", MP_HOLDS_PROFILE, MP_HOLDS_SAMPLES},
    [MP_WEIGH_CALLS] = {"calls", MP_HOLDS_PROFILE, MP_HOLDS_UNCALLED},
    [MP_WEIGH_SAMPLES] = {"samples", MP_HOLDS_SAMPLES, 0},
    [MP_WEIGH_RETAINED] = {"retained", MP_HOLDS_GRAPH, 0},
};

const char *mp_weighing_name(mp_weighing weighing)
{
    return weighings[weighing].name;
}

bool mp_weighing_fits(const mp_filter *filter, mp_weighing weighing)
{
    return (filter->holds & (weighings[weighing].needs | weighings[weighing].lacks)) ==
           weighings[weighing].needs;
}

mp_weighing mp_weighing_usual(const mp_filter *filter)
{
    static const mp_weighing order[] = {MP_WEIGH_SECONDS, MP_WEIGH_SAMPLES, MP_WEIGH_LEAKED,
                                        MP_WEIGH_RETAINED};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (mp_weighing_fits(filter, order[i]))
            return order[i];
    return MP_WEIGH_ALIVE;
}

/* --- building a tree --- */

mp_weigher mp_weigher_of(const mp_model *model, const mp_weighing *weighing, size_t columns)
{
    mp_weigher weigher = {.model = model, .weights = {.columns = columns}};
    assert(columns && columns <= MP_MOST_WEIGHINGS);
    for (size_t i = 0; i < columns; i++)
        weigher.weights.weighings[i] = weighing[i];
    mp_weigher_add(&weigher, (mp_weight_frame){.kind = MP_WEIGHT_ALL,
                                               .name = "all",
                                               .line = MP_NO_LINE,
                                               .called_at = MP_NO_LINE});
    return weigher;
}

uint32_t mp_weigher_add(mp_weigher *weigher, mp_weight_frame frame)
{
    mp_weights *weights = &weigher->weights;
    uint32_t place = weights->count++;
    mp_grow(&weights->frames, &weigher->capacity, weights->count, sizeof *weights->frames);
    weights->frames[place] = frame;
    for (size_t i = 0; i < weights->columns; i++) {
        mp_grow(&weights->items[i], &weigher->room[i], weights->count, sizeof *weights->items[i]);
        weights->items[i][place] = (mp_weight){0};
    }
    return place;
}

static void sum_up(mp_weights *weights)
{
    for (size_t column = 0; column < weights->columns; column++) {
        mp_weight *weight = weights->items[column];
        for (uint32_t i = weights->count; i-- > 0;) { /* callers precede their callees */
            weight[i].total += weight[i].self;
            weight[i].all_count += weight[i].own_count;
            if (i == 0)
                break;
            weight[weights->frames[i].parent].total += weight[i].total;
            weight[weights->frames[i].parent].all_count += weight[i].all_count;
        }
    }
}

/* Remove frames that have no weight in or below them. */
static void drop_empty(mp_weights *weights)
{
    uint32_t *place = mp_alloc_zero(weights->count, sizeof *place), kept = 1;
    bool *full = mp_alloc_zero(weights->count, sizeof *full);
    for (uint32_t i = weights->count; i-- > 1;) {
        for (size_t column = 0; column < weights->columns; column++)
            full[i] |= weights->items[column][i].self || weights->items[column][i].own_count;
        full[weights->frames[i].parent] |= full[i];
    }
    for (uint32_t i = 1; i < weights->count; i++) {
        if (!full[i])
            continue;
        place[i] = kept;
        weights->frames[kept] = weights->frames[i];
        weights->frames[kept].parent = place[weights->frames[i].parent];
        for (size_t column = 0; column < weights->columns; column++)
            weights->items[column][kept] = weights->items[column][i];
        kept++;
    }
    weights->count = kept;
    free(full);
    free(place);
}

mp_weights mp_weigher_end(mp_weigher *from)
{
    drop_empty(&from->weights);
    sum_up(&from->weights);
    return from->weights;
}

void mp_weights_free(mp_weights *weights)
{
    for (size_t i = 0; i < weights->columns; i++)
        free(weights->items[i]);
    free(weights->frames);
    mp_arena_free(&weights->names);
    *weights = (mp_weights){0};
}

const char *mp_weight_label(mp_arena *arena, const mp_weight_frame *frame)
{
    const char *name = frame->name;
    if (frame->shown)
        return frame->shown;
    if (frame->object)
        return mp_arena_format(arena, "%s %s", name, frame->object);
    if (frame->line != MP_NO_LINE)
        return mp_arena_format(arena, "%s:%" PRId32, name, (int32_t)frame->line);
    if (frame->overload)
        return mp_arena_format(arena, "%s (overload %" PRIu32 ")", name, frame->overload);
    return frame->start_line && frame->tells_start
               ? mp_arena_format(arena, "%s (from %" PRIu32 ")", name, frame->start_line)
               : name;
}

/* --- heaps --- */

/* Frames made so far: frames of code by node and line, frames of types by the frame above and the
 * first type with the same name. */
#define NAMES_DIFFER UINT32_MAX

typedef struct heap_frames {
    mp_weigher *weigher;
    mp_id_index code, types;
    /* By type frame: 1 + the symbol of its objects' name; NAMES_DIFFER: they have several names. */
    uint32_t *names;
    size_t name_count, name_capacity;
    uint32_t *first_of_name; /* for each type, the first type with the same name */
    uint32_t *of_context;    /* frame of each context's type; 0: not made yet */
    bool apart;              /* separate frames by thread and request */
    mp_id_index of_requests; /* as of_context, by context and request */
    mp_id_index creators;    /* number of each pair of thread and request */
    mp_id_index apart_types; /* separate type frames, by number of the type and of the pair */
    uint32_t *way;           /* frames still to add, from the creation outwards */
    size_t way_capacity;
} heap_frames;

static uint32_t *first_types(const mp_model *model)
{
    mp_id_index by_name = {0};
    uint32_t *first = mp_alloc_zero(model->types.count, sizeof *first);
    for (uint32_t i = 1; i < model->types.count; i++) {
        first[i] = i;
        if (!model->types.items[i].name.i)
            continue;
        uint32_t *place = mp_id_index_put(&by_name, model->types.items[i].name.i);
        if (!*place)
            *place = i;
        first[i] = *place;
    }
    mp_id_index_free(&by_name);
    return first;
}

static uint32_t add_code(heap_frames *frames, uint32_t caller, mp_frame frame)
{
    const mp_model *model = frames->weigher->model;
    const mp_tree_node *node = &model->tree.items[frame.node];
    const mp_symbol *symbol = &model->symbols.items[node->symbol.i];
    bool no_line = !frame.node && !frame.line; /* neither code nor a line */
    return mp_weigher_add(
        frames->weigher,
        (mp_weight_frame){
            .parent = caller,
            .kind = frame.node ? MP_WEIGHT_CODE : MP_WEIGHT_NONE,
            .name = mp_tree_label(&frames->weigher->weights.names, model, frame.node),
            .source = frame.node ? mp_known_text(model, symbol->source) : NULL,
            .module = frame.node ? mp_known_text(model, symbol->module) : NULL,
            .line = no_line ? MP_NO_LINE : frame.line,
            .called_at = frame.node && node->parent ? node->line : MP_NO_LINE,
            .start_line = frame.node ? symbol->start_line : 0,
            .tells_start = frame.line == MP_NO_LINE,
            .allocator = frame.node && symbol->allocator,
        });
}

/* Return the frame of a creation, after adding missing callers from the outermost inwards. */
static uint32_t code_frame(heap_frames *frames, mp_frame frame)
{
    const mp_model *model = frames->weigher->model;
    mp_frame state = frame;
    uint32_t depth = model->tree.items[frame.node].depth, steps = 0;
    uint32_t found = mp_id_index_get(&frames->code, mp_joined(state.node, state.line));
    mp_grow(&frames->way, &frames->way_capacity, 2 * ((size_t)depth + 1), sizeof *frames->way);
    while (!found) {
        frames->way[2 * steps] = state.node;
        frames->way[2 * steps++ + 1] = state.line;
        if (!mp_frame_caller(model, &state))
            break;
        found = mp_id_index_get(&frames->code, mp_joined(state.node, state.line));
    }
    while (steps--) {
        mp_frame next = {frames->way[2 * steps], frames->way[2 * steps + 1]};
        found = add_code(frames, found, next);
        *mp_id_index_put(&frames->code, mp_joined(next.node, next.line)) = found;
    }
    return found;
}

/* Record the name of an object of a frame. The frame keeps the name if all its objects have the
 * same one. */
static void note_name(heap_frames *frames, uint32_t frame, mp_symbol_id name)
{
    const mp_symbol *symbols = frames->weigher->model->symbols.items;
    for (; frames->name_count <= frame; frames->name_count++) {
        mp_grow(&frames->names, &frames->name_capacity, frames->name_count + 1,
                sizeof *frames->names);
        frames->names[frames->name_count] = 0;
    }
    uint32_t *known = &frames->names[frame];
    if (!*known)
        *known = name.i + 1;
    else if (*known != NAMES_DIFFER && symbols[*known - 1].name.i != symbols[name.i].name.i)
        *known = NAMES_DIFFER;
}

static void put_names(heap_frames *state)
{
    mp_weights *weights = &state->weigher->weights;
    for (uint32_t i = 1; i < state->name_count; i++) {
        const uint32_t known = state->names[i];
        if (known > 1 && known != NAMES_DIFFER)
            weights->frames[i].object =
                mp_symbol_label(&weights->names, state->weigher->model, (mp_symbol_id){known - 1});
    }
}

/* Return the place that stores the number of a type's frame. The frame is below the code that
 * created its objects. */
static uint32_t *place_of_type(heap_frames *frames, uint32_t code, uint32_t type, uint32_t thread,
                               uint32_t request)
{
    uint32_t *place = mp_id_index_put(&frames->types, mp_joined(code, type));
    if (!frames->apart)
        return place;
    if (!*place)
        *place = (uint32_t)frames->types.count;
    uint32_t number = *place;
    uint32_t *creator = mp_id_index_put(&frames->creators, mp_joined(thread, request));
    if (!*creator)
        *creator = (uint32_t)frames->creators.count;
    return mp_id_index_put(&frames->apart_types, mp_joined(number, *creator));
}

/* Return the frame of a context's objects: their type, below the code that created them. */
static uint32_t type_frame(heap_frames *state, const mp_context *context, mp_string_id request)
{
    const mp_model *model = state->weigher->model;
    mp_frame frame = {model->tree_of[context->node.i], context->line};
    uint32_t code = code_frame(state, frame);
    mp_type_id type = {state->first_of_name[mp_site_type(model, context).i]};
    uint32_t *place = place_of_type(state, code, type.i, context->thread.i, request.i);
    if (!*place)
        *place = mp_weigher_add(
            state->weigher,
            (mp_weight_frame){.parent = code,
                              .kind = MP_WEIGHT_TYPE,
                              .name = mp_type_label(&state->weigher->weights.names, model, type),
                              .module = mp_known_text(model, model->types.items[type.i].module),
                              .thread = state->apart ? mp_known_text(model, context->thread) : NULL,
                              .request = mp_known_text(model, request),
                              .line = MP_NO_LINE,
                              .called_at = state->weigher->weights.frames[code].line});
    note_name(state, *place, context->name);
    return *place;
}

static uint32_t frame_of(heap_frames *frames, const mp_generation *generation)
{
    const mp_model *model = frames->weigher->model;
    mp_context_id context = generation->context;
    mp_string_id request = {0};
    if (frames->apart && mp_generation_is_of_request(model, generation))
        request = model->snapshots.items[generation->born.i].request;
    uint32_t *place = request.i
                          ? mp_id_index_put(&frames->of_requests, mp_joined(context.i, request.i))
                          : &frames->of_context[context.i];
    if (!*place)
        *place = type_frame(frames, &model->contexts.items[context.i], request);
    return *place;
}

static mp_weight weigh_generation(const mp_window *window, const mp_generation *generation,
                                  const mp_cost *cost, mp_weighing weighing)
{
    switch (weighing) {
    case MP_WEIGH_LEAKED:
        if (!mp_window_leaks(window, generation->context, generation->born))
            return (mp_weight){0};
        return (mp_weight){.self = cost->bytes, .own_count = mp_cost_live(*cost)};
    case MP_WEIGH_CREATED:
        return (mp_weight){.self = cost->created_bytes, .own_count = cost->created};
    case MP_WEIGH_TEMPORARY:
        return (mp_weight){.self = cost->temporary_bytes, .own_count = cost->temporary};
    default:
        return (mp_weight){.self = cost->bytes, .own_count = mp_cost_live(*cost)};
    }
}

static heap_frames begin_frames(mp_weigher *weigher, bool apart)
{
    const mp_model *model = weigher->model;
    heap_frames frames = {.weigher = weigher,
                          .first_of_name = first_types(model),
                          .of_context =
                              mp_alloc_zero(model->contexts.count, sizeof *frames.of_context),
                          .apart = apart};
    return frames;
}

static void end_frames(heap_frames *frames)
{
    put_names(frames);
    MP_FREE(frames->of_context, frames->way, frames->names, frames->first_of_name);
    mp_id_index_free(&frames->code);
    mp_id_index_free(&frames->types);
    mp_id_index_free(&frames->of_requests);
    mp_id_index_free(&frames->creators);
    mp_id_index_free(&frames->apart_types);
}

static mp_weights weigh_heap(const mp_window *window, const mp_weighing *weighing, size_t columns,
                             bool apart)
{
    const mp_model *model = window->model;
    const mp_balance *balances = mp_window_balances(window);
    mp_weigher weigher = mp_weigher_of(model, weighing, columns);
    heap_frames frames = begin_frames(&weigher, apart);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.items[i];
        for (size_t column = 0; column < columns; column++) {
            mp_weight weight =
                weigh_generation(window, generation, &balances[i].end, weighing[column]);
            if (weight.self || weight.own_count)
                mp_weigh(&weigher, column, frame_of(&frames, generation), weight.self,
                         weight.own_count);
        }
    }
    end_frames(&frames);
    return mp_weigher_end(&weigher);
}

mp_weights mp_weights_of_contexts(const mp_window *window, uint32_t **frames)
{
    static const mp_weighing none[] = {MP_WEIGH_ALIVE};
    const mp_model *model = window->model;
    mp_weigher weigher = mp_weigher_of(model, none, 1);
    heap_frames state = begin_frames(&weigher, false);
    for (uint32_t i = 1; i < model->generations.count; i++)
        if (!model->generations.items[i].reusable &&
            mp_filter_has_generation(window->filter, (mp_generation_id){i}))
            frame_of(&state, &model->generations.items[i]);
    *frames = state.of_context;
    state.of_context = NULL;
    end_frames(&state);
    return weigher.weights;
}

mp_weights mp_weights_of(const mp_filter *filter, const mp_window *window,
                         const mp_weighing *weighing, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        assert(mp_weighing_fits(filter, weighing[i]));
    if (weighing[0] == MP_WEIGH_RETAINED)
        return mp_weights_of_dump(filter);
    return window ? weigh_heap(window, weighing, columns, false)
                  : mp_weights_of_profile(filter, weighing, columns);
}

mp_weights mp_weights_apart(const mp_window *window, const mp_weighing *weighing, size_t columns)
{
    return weigh_heap(window, weighing, columns, true);
}
