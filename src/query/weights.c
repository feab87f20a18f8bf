#include "query/weights.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/index.h"
#include "query/labels.h"

/* --- what is weighed --- */

static const struct {
    const char *name;
    unsigned needs; /* MP_HOLDS_... */
} weighings[MP_WEIGHINGS] = {
    [MP_WEIGH_LEAKED] = {"leaked", MP_HOLDS_HISTORY},
    [MP_WEIGH_ALIVE] = {"alive", MP_HOLDS_LEDGER},
    [MP_WEIGH_CREATED] = {"created", MP_HOLDS_HISTORY},
    [MP_WEIGH_TEMPORARY] = {"temporary", MP_HOLDS_EVENTS},
    [MP_WEIGH_SECONDS] = {"seconds", MP_HOLDS_PROFILE},
    [MP_WEIGH_CALLS] = {"calls", MP_HOLDS_PROFILE},
    [MP_WEIGH_RETAINED] = {"retained", MP_HOLDS_GRAPH},
};

const char *mp_weighing_name(mp_weighing weighing)
{
    return weighings[weighing].name;
}

bool mp_weighing_fits(const mp_filter *filter, mp_weighing weighing)
{
    return (filter->holds & weighings[weighing].needs) == weighings[weighing].needs;
}

mp_weighing mp_weighing_usual(const mp_filter *filter)
{
    static const mp_weighing order[] = {MP_WEIGH_SECONDS, MP_WEIGH_LEAKED, MP_WEIGH_RETAINED};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (mp_weighing_fits(filter, order[i]))
            return order[i];
    return MP_WEIGH_ALIVE;
}

/* --- a tree that grows --- */

mp_weigher mp_weigher_of(const mp_model *model, const mp_weighing *of, size_t columns)
{
    mp_weigher to = {.model = model, .weights = {.columns = columns}};
    assert(columns && columns <= MP_MOST_WEIGHINGS);
    for (size_t i = 0; i < columns; i++)
        to.weights.of[i] = of[i];
    mp_weigher_add(&to, (mp_weight_frame){.kind = MP_WEIGHT_ALL,
                                          .name = "all",
                                          .line = MP_NO_LINE,
                                          .called_at = MP_NO_LINE});
    return to;
}

uint32_t mp_weigher_add(mp_weigher *to, mp_weight_frame frame)
{
    mp_weights *weights = &to->weights;
    uint32_t place = weights->count++;
    mp_grow(&weights->frames, &to->capacity, weights->count, sizeof *weights->frames);
    weights->frames[place] = frame;
    for (size_t i = 0; i < weights->columns; i++) {
        mp_grow(&weights->at[i], &to->room[i], weights->count, sizeof *weights->at[i]);
        weights->at[i][place] = (mp_weight){0};
    }
    return place;
}

static void sum_up(mp_weights *weights)
{
    for (size_t column = 0; column < weights->columns; column++) {
        mp_weight *at = weights->at[column];
        for (uint32_t i = weights->count; i-- > 0;) { /* callers stand before what they call */
            at[i].all += at[i].own;
            at[i].all_count += at[i].own_count;
            if (i == 0)
                break;
            at[weights->frames[i].parent].all += at[i].all;
            at[weights->frames[i].parent].all_count += at[i].all_count;
        }
    }
}

/* Close the gaps of frames that nothing is in or below. */
static void drop_empty(mp_weights *weights)
{
    uint32_t *place = mp_alloc_zero(weights->count, sizeof *place), kept = 1;
    bool *full = mp_alloc_zero(weights->count, sizeof *full);
    for (uint32_t i = weights->count; i-- > 1;) {
        for (size_t column = 0; column < weights->columns; column++)
            full[i] |= weights->at[column][i].own || weights->at[column][i].own_count;
        full[weights->frames[i].parent] |= full[i];
    }
    for (uint32_t i = 1; i < weights->count; i++) {
        if (!full[i])
            continue;
        place[i] = kept;
        weights->frames[kept] = weights->frames[i];
        weights->frames[kept].parent = place[weights->frames[i].parent];
        for (size_t column = 0; column < weights->columns; column++)
            weights->at[column][kept] = weights->at[column][i];
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
        free(weights->at[i]);
    free(weights->frames);
    mp_arena_free(&weights->names);
    *weights = (mp_weights){0};
}

const char *mp_weight_label(mp_arena *arena, const mp_weight_frame *frame)
{
    const char *name = mp_name_told(arena, frame->name);
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

/* The frames that are there: those of code by node and line, those of types by the frame above and
 * the first type of the name. */
#define NAMES_DIFFER UINT32_MAX

typedef struct heap_frames {
    mp_weigher *to;
    mp_id_index code, types;
    uint32_t *names; /* name of the objects of each type's frame: symbol + 1; or NAMES_DIFFER */
    size_t name_count, name_capacity;
    uint32_t *first_of_name; /* first type that has the name of each type */
    uint32_t *of_context;    /* the type's frame; 0: not there yet */
    bool apart;              /* by thread and request */
    mp_id_index of_requests; /* the same of contexts and requests */
    mp_id_index creators;    /* threads and requests, as numbers */
    mp_id_index apart_types; /* types that are told apart, by their number and the creator's */
    uint32_t *way;           /* frames from a creation outwards that are not there yet */
    size_t way_capacity;
} heap_frames;

static uint32_t *first_types(const mp_model *model)
{
    mp_id_index by_name = {0};
    uint32_t *first = mp_alloc_zero(model->types.count, sizeof *first);
    for (uint32_t i = 1; i < model->types.count; i++) {
        first[i] = i;
        if (!model->types.at[i].name.i)
            continue;
        uint32_t *place = mp_id_index_put(&by_name, model->types.at[i].name.i);
        if (!*place)
            *place = i;
        first[i] = *place;
    }
    mp_id_index_free(&by_name);
    return first;
}

static uint32_t add_code(heap_frames *all, uint32_t caller, mp_frame frame)
{
    const mp_model *model = all->to->model;
    const mp_tree_node *node = &model->tree.at[frame.node];
    const mp_symbol *symbol = &model->symbols.at[node->symbol.i];
    bool no_line = !frame.node && !frame.line; /* no code, and no line of it */
    return mp_weigher_add(all->to,
                          (mp_weight_frame){
                              .parent = caller,
                              .kind = frame.node ? MP_WEIGHT_CODE : MP_WEIGHT_NONE,
                              .name = mp_tree_label(&all->to->weights.names, model, frame.node),
                              .source = frame.node ? mp_known_text(model, symbol->source) : NULL,
                              .module = frame.node ? mp_known_text(model, symbol->module) : NULL,
                              .line = no_line ? MP_NO_LINE : frame.line,
                              .called_at = frame.node && node->parent ? node->line : MP_NO_LINE,
                              .start_line = frame.node ? symbol->start_line : 0,
                              .tells_start = frame.line == MP_NO_LINE,
                              .allocator = frame.node && symbol->allocator,
                          });
}

/* The frame of a creation. Callers that are missing are added from the outermost on. */
static uint32_t code_frame(heap_frames *all, mp_frame frame)
{
    const mp_model *model = all->to->model;
    mp_frame at = frame;
    uint32_t depth = model->tree.at[frame.node].depth, steps = 0;
    uint32_t found = mp_id_index_get(&all->code, mp_joined(at.node, at.line));
    mp_grow(&all->way, &all->way_capacity, 2 * ((size_t)depth + 1), sizeof *all->way);
    while (!found) {
        all->way[2 * steps] = at.node;
        all->way[2 * steps++ + 1] = at.line;
        if (!mp_frame_caller(model, &at))
            break;
        found = mp_id_index_get(&all->code, mp_joined(at.node, at.line));
    }
    while (steps--) {
        mp_frame next = {all->way[2 * steps], all->way[2 * steps + 1]};
        found = add_code(all, found, next);
        *mp_id_index_put(&all->code, mp_joined(next.node, next.line)) = found;
    }
    return found;
}

/* Store the name of a frame's objects if all of them have the same. */
static void note_name(heap_frames *all, uint32_t frame, mp_symbol_id name)
{
    const mp_symbol *symbols = all->to->model->symbols.at;
    for (; all->name_count <= frame; all->name_count++) {
        mp_grow(&all->names, &all->name_capacity, all->name_count + 1, sizeof *all->names);
        all->names[all->name_count] = 0;
    }
    uint32_t *known = &all->names[frame];
    if (!*known)
        *known = name.i + 1;
    else if (*known != NAMES_DIFFER && symbols[*known - 1].name.i != symbols[name.i].name.i)
        *known = NAMES_DIFFER;
}

static void put_names(heap_frames *all)
{
    mp_weights *weights = &all->to->weights;
    for (uint32_t i = 1; i < all->name_count; i++) {
        const uint32_t known = all->names[i];
        if (known > 1 && known != NAMES_DIFFER)
            weights->frames[i].object =
                mp_symbol_label(&weights->names, all->to->model, (mp_symbol_id){known - 1});
    }
}

/* Return the slot for the number of a frame: that of a type below the code that created it. */
static uint32_t *place_of_type(heap_frames *all, uint32_t code, uint32_t type, uint32_t thread,
                               uint32_t request)
{
    uint32_t *place = mp_id_index_put(&all->types, mp_joined(code, type));
    if (!all->apart)
        return place;
    if (!*place)
        *place = (uint32_t)all->types.count;
    uint32_t number = *place;
    uint32_t *creator = mp_id_index_put(&all->creators, mp_joined(thread, request));
    if (!*creator)
        *creator = (uint32_t)all->creators.count;
    return mp_id_index_put(&all->apart_types, mp_joined(number, *creator));
}

/* The frame of a context's objects: their type, below the code that created them. */
static uint32_t type_frame(heap_frames *all, const mp_context *context, mp_string_id request)
{
    const mp_model *model = all->to->model;
    mp_frame frame = {model->tree_of[context->node.i], context->line};
    uint32_t code = code_frame(all, frame);
    mp_type_id type = {all->first_of_name[mp_site_type(model, context).i]};
    uint32_t *place = place_of_type(all, code, type.i, context->thread.i, request.i);
    if (!*place)
        *place = mp_weigher_add(
            all->to,
            (mp_weight_frame){.parent = code,
                              .kind = MP_WEIGHT_TYPE,
                              .name = mp_type_label(&all->to->weights.names, model, type),
                              .module = mp_known_text(model, model->types.at[type.i].module),
                              .thread = all->apart ? mp_known_text(model, context->thread) : NULL,
                              .request = mp_known_text(model, request),
                              .line = MP_NO_LINE,
                              .called_at = all->to->weights.frames[code].line});
    note_name(all, *place, context->name);
    return *place;
}

static uint32_t frame_of(heap_frames *all, const mp_generation *generation)
{
    const mp_model *model = all->to->model;
    mp_context_id context = generation->context;
    mp_string_id request = {0};
    if (all->apart && mp_generation_is_of_request(model, generation))
        request = model->snapshots.at[generation->born.i].request;
    uint32_t *place = request.i
                          ? mp_id_index_put(&all->of_requests, mp_joined(context.i, request.i))
                          : &all->of_context[context.i];
    if (!*place)
        *place = type_frame(all, &model->contexts.at[context.i], request);
    return *place;
}

static mp_weight weigh_generation(const mp_window *window, const mp_generation *generation,
                                  const mp_cost *cost, mp_weighing of)
{
    switch (of) {
    case MP_WEIGH_LEAKED:
        if (!mp_window_leaks(window, generation->context, generation->born))
            return (mp_weight){0};
        return (mp_weight){.own = cost->bytes, .own_count = mp_cost_live(*cost)};
    case MP_WEIGH_CREATED:
        return (mp_weight){.own = cost->created_bytes, .own_count = cost->created};
    case MP_WEIGH_TEMPORARY:
        return (mp_weight){.own = cost->temporary_bytes, .own_count = cost->temporary};
    default:
        return (mp_weight){.own = cost->bytes, .own_count = mp_cost_live(*cost)};
    }
}

static heap_frames begin_frames(mp_weigher *to, bool apart)
{
    const mp_model *model = to->model;
    heap_frames all = {.to = to,
                       .first_of_name = first_types(model),
                       .of_context = mp_alloc_zero(model->contexts.count, sizeof *all.of_context),
                       .apart = apart};
    return all;
}

static void end_frames(heap_frames *all)
{
    put_names(all);
    free(all->of_context);
    free(all->way);
    free(all->names);
    free(all->first_of_name);
    mp_id_index_free(&all->code);
    mp_id_index_free(&all->types);
    mp_id_index_free(&all->of_requests);
    mp_id_index_free(&all->creators);
    mp_id_index_free(&all->apart_types);
}

static mp_weights weigh_heap(const mp_window *window, const mp_weighing *of, size_t columns,
                             bool apart)
{
    const mp_model *model = window->model;
    const mp_balance *balances = mp_window_balances(window);
    mp_weigher to = mp_weigher_of(model, of, columns);
    heap_frames all = begin_frames(&to, apart);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.at[i];
        for (size_t column = 0; column < columns; column++) {
            mp_weight weight = weigh_generation(window, generation, &balances[i].to, of[column]);
            if (weight.own || weight.own_count)
                mp_weigh(&to, column, frame_of(&all, generation), weight.own, weight.own_count);
        }
    }
    end_frames(&all);
    return mp_weigher_end(&to);
}

mp_weights mp_weights_of_contexts(const mp_window *window, uint32_t **frames)
{
    static const mp_weighing none[] = {MP_WEIGH_ALIVE};
    const mp_model *model = window->model;
    mp_weigher to = mp_weigher_of(model, none, 1);
    heap_frames all = begin_frames(&to, false);
    for (uint32_t i = 1; i < model->generations.count; i++)
        if (!model->generations.at[i].reusable &&
            mp_filter_has_generation(window->filter, (mp_generation_id){i}))
            frame_of(&all, &model->generations.at[i]);
    *frames = all.of_context;
    all.of_context = NULL;
    end_frames(&all);
    return to.weights;
}

mp_weights mp_weights_of(const mp_filter *filter, const mp_window *window, const mp_weighing *of,
                         size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        assert(mp_weighing_fits(filter, of[i]));
    if (of[0] == MP_WEIGH_RETAINED)
        return mp_weights_of_dump(filter);
    return window ? weigh_heap(window, of, columns, false)
                  : mp_weights_of_profile(filter, of, columns);
}

mp_weights mp_weights_apart(const mp_window *window, const mp_weighing *of, size_t columns)
{
    return weigh_heap(window, of, columns, true);
}
