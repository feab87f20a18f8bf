#include "export/stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "export/objects.h"
#include "render/cell.h"

/* --- code --- */

mp_code mp_code_of(const mp_weights *weights)
{
    return (mp_code){.weights = weights,
                     .texts = mp_dictionary_new(),
                     .function_of = mp_alloc_zero(weights->count, sizeof(uint32_t))};
}

void mp_code_free(mp_code *code)
{
    mp_dictionary_free(code->texts);
    mp_key_index_free(&code->function_index);
    mp_id_index_free(&code->place_index);
    mp_arena_free(&code->scratch);
    MP_FREE(code->functions, code->places, code->function_of);
}

uint32_t mp_code_text_id(mp_code *code, const char *text)
{
    if (!text || !*text)
        return 0;
    uint32_t id = mp_dictionary_id(code->texts, mp_safe_text(&code->scratch, text));
    mp_arena_free(&code->scratch);
    return id;
}

/* Return the name of a frame. The frame of a type includes the name of its objects if all of them
 * have the same name. */
static uint32_t name_of(mp_code *code, const mp_weight_frame *frame)
{
    if (!frame->object)
        return mp_code_text_id(code, frame->name);
    mp_arena arena = {0};
    const char *name = mp_arena_format(&arena, "%s %s", frame->name, frame->object);
    uint32_t id = mp_code_text_id(code, name);
    mp_arena_free(&arena);
    return id;
}

uint32_t mp_code_function_of(mp_code *code, uint32_t frame)
{
    const mp_weight_frame *weight_frame = &code->weights->frames[frame];
    if (code->function_of[frame])
        return code->function_of[frame];
    const mp_code_function wanted = {
        name_of(code, weight_frame), mp_code_text_id(code, weight_frame->source),
        mp_code_text_id(code, weight_frame->module), weight_frame->start_line};
    uint32_t *place = mp_key_index_put(&code->function_index, &wanted, sizeof wanted);
    if (!*place) {
        *place = (uint32_t)++code->function_count;
        mp_grow(&code->functions, &code->function_capacity, *place + 1u, sizeof wanted);
        code->functions[*place] = wanted;
    }
    return code->function_of[frame] = *place;
}

uint32_t mp_code_line(const mp_code *code, uint32_t frame, uint32_t callee)
{
    uint32_t line = code->weights->frames[frame].line;
    assert(!callee || code->weights->frames[callee].parent == frame);
    return line == MP_NO_LINE && callee ? code->weights->frames[callee].called_at : line;
}

uint32_t mp_code_place_of(mp_code *code, uint32_t frame, uint32_t callee)
{
    mp_code_place state = {mp_code_function_of(code, frame), mp_code_line(code, frame, callee)};
    uint32_t *place = mp_id_index_put(&code->place_index, mp_joined(state.function, state.line));
    if (!*place) {
        *place = (uint32_t)++code->place_count;
        mp_grow(&code->places, &code->place_capacity, code->place_count + 1, sizeof *code->places);
        code->places[*place] = state;
    }
    return *place;
}

/* --- weighted stacks --- */

const mp_heap_arguments mp_stacks_defaults = {0};

const mp_argument mp_stacks_arguments[] = {
    MP_ASKS("from", from, MP_HEAPS),
    MP_SHARES("selection", MP_HEAPS | MP_DUMP | MP_PROFILE),
    MP_SHARES("suppress", MP_HEAPS),
    MP_SHARES("keep-profiler", MP_PROFILE),
    MP_SHARES_READING,
};

bool mp_stacks_weigh(const mp_request *request, mp_document *document, bool apart, mp_error *error,
                     void (*write)(const mp_weights *weights, const mp_request *request,
                                   mp_document *document))
{
    static const mp_weighing heap[] = {MP_WEIGH_CREATED, MP_WEIGH_ALIVE, MP_WEIGH_LEAKED};
    const unsigned holds = request->filter->holds;
    const mp_weighing other =
        holds & MP_HOLDS_GRAPH ? MP_WEIGH_RETAINED : mp_weighing_usual(request->filter);
    const size_t columns = sizeof heap / sizeof *heap;
    bool is_heap = holds & MP_HOLDS_HISTORY;
    const mp_window *window = is_heap ? mp_request_window(request, error) : NULL;
    if (is_heap && !window)
        return false;
    mp_weights weights = !is_heap ? mp_weights_of(request->filter, NULL, &other, 1)
                         : apart  ? mp_weights_apart(window, heap, columns)
                                  : mp_weights_of(request->filter, window, heap, columns);
    write(&weights, request, document);
    mp_weights_free(&weights);
    return true;
}

bool mp_stacks_end_at(const mp_weights *weights, uint32_t frame)
{
    bool any = false;
    for (size_t i = 0; i < weights->columns; i++)
        any |= weights->items[i][frame].self || weights->items[i][frame].own_count;
    return any;
}

mp_links mp_links_of(const void *nodes, size_t size, uint32_t count)
{
    mp_links links = {mp_alloc_zero(count, sizeof(uint32_t)),
                      mp_alloc_zero(count, sizeof(uint32_t))};
    for (uint32_t i = count; i-- > 1;) {
        uint32_t parent;
        memcpy(&parent, (const char *)nodes + i * size, sizeof parent);
        links.beside[i] = links.below[parent];
        links.below[parent] = i;
    }
    return links;
}

void mp_links_free(mp_links *links)
{
    free(links->below);
    free(links->beside);
}

/* --- a heap over time --- */

static uint32_t node_at(mp_sites *sites, mp_id_index *index, uint32_t parent, uint32_t place)
{
    uint32_t *known = mp_id_index_put(index, mp_joined(parent, place));
    if (!*known) {
        *known = sites->count++;
        mp_grow(&sites->nodes, &sites->capacity, sites->count, sizeof *sites->nodes);
        sites->nodes[*known] = (mp_site_node){parent, place};
    }
    return *known;
}

/* Return the node of a stack. Missing nodes are added from the innermost frame outwards. */
static uint32_t end_at(mp_sites *sites, mp_id_index *index, uint32_t frame, uint32_t frames)
{
    uint32_t node = 0, callee = 0;
    for (; frame && frames; frames--) {
        node = node_at(sites, index, node, mp_code_place_of(&sites->code, frame, callee));
        callee = frame;
        frame = sites->weights.frames[frame].parent;
    }
    sites->cut += frame != 0;
    return node;
}

static void take_stacks(mp_sites *sites, uint32_t frames)
{
    const mp_model *model = sites->window->model;
    mp_id_index index = {0};
    uint32_t *frame_of;
    sites->weights = mp_weights_of_contexts(sites->window, &frame_of);
    sites->code = mp_code_of(&sites->weights);
    sites->end_of = frame_of;
    sites->count = 1;
    mp_grow(&sites->nodes, &sites->capacity, 1, sizeof *sites->nodes);
    sites->nodes[0] = (mp_site_node){0, 0};
    uint32_t *end = mp_alloc_zero(sites->weights.count, sizeof *end);
    for (uint32_t i = 1; i < model->contexts.count; i++) {
        uint32_t frame = frame_of[i];
        if (frame && !end[frame])
            end[frame] = end_at(sites, &index, frame, frames);
        frame_of[i] = end[frame];
    }
    free(end);
    mp_id_index_free(&index);
}

static void take_snapshots(mp_sites *sites, mp_session_id session)
{
    const mp_filter *filter = sites->window->filter;
    uint32_t first = filter->sessions.first[session.i];
    sites->snapshots = filter->sessions.snapshots + first;
    sites->snapshot_count = mp_filter_snapshots(filter, session.i);
    for (size_t i = 0; i < sites->snapshot_count; i++) {
        sites->has_times |= filter->snapshots[sites->snapshots[i]].time_us > 0;
        if (sites->snapshots[i] == sites->window->ranges[session.i].to.i)
            sites->end = i;
    }
}

bool mp_sites_write(const mp_request *request, mp_document *document, uint32_t frames,
                    mp_error *error,
                    bool (*write)(mp_sites *sites, const mp_request *request, mp_document *document,
                                  mp_error *error))
{
    mp_session_id session;
    mp_sites sites = {.window = mp_request_window(request, error), .next_delta = 1};
    if (!sites.window || !mp_only_session(request->filter, &session, error))
        return false;
    take_snapshots(&sites, session);
    take_stacks(&sites, frames);
    bool ok = write(&sites, request, document, error);
    mp_code_free(&sites.code);
    mp_weights_free(&sites.weights);
    free(sites.nodes);
    free(sites.end_of);
    return ok;
}

size_t mp_sites_peak(const mp_sites *sites, size_t last)
{
    const mp_snapshot *snapshots = sites->window->filter->snapshots;
    size_t peak = 0;
    for (size_t i = 1; i <= last; i++)
        if (snapshots[sites->snapshots[i]].live_bytes >
            snapshots[sites->snapshots[peak]].live_bytes)
            peak = i;
    return peak;
}

bool mp_sites_next(mp_sites *sites, uint32_t snapshot, uint32_t *node, const mp_cost **cost)
{
    const mp_model *model = sites->window->model;
    while (sites->next_delta < model->deltas.count) {
        const mp_delta *delta = &model->deltas.items[sites->next_delta];
        const mp_generation *generation = &model->generations.items[delta->generation.i];
        if (delta->snapshot.i > snapshot)
            return false;
        sites->next_delta++;
        *node = sites->end_of[generation->context.i];
        *cost = &delta->cost;
        if (*node && !generation->reusable &&
            mp_filter_has_generation(sites->window->filter, delta->generation))
            return true;
    }
    return false;
}

const char *mp_sites_label(const mp_sites *sites, uint32_t place, mp_arena *arena)
{
    const mp_code *code = &sites->code;
    const mp_code_place *state = &code->places[place];
    const mp_code_function *function = &code->functions[state->function];
    const char *name = mp_dictionary_text(code->texts, function->name);
    const char *source = mp_dictionary_text(code->texts, function->source);
    const char *module = mp_dictionary_text(code->texts, function->module);
    static const char none[] = "\?\?\?";
    int32_t line = state->line == MP_NO_LINE ? (int32_t)function->start_line : (int32_t)state->line;
    if (*source || line > 0)
        return mp_arena_format(arena, "0x%" PRIX32 ": %s (%s:%" PRId32 ")", place, name,
                               *source ? source : none, line > 0 ? line : 0);
    return mp_arena_format(arena, "0x%" PRIX32 ": %s (in %s)", place, name,
                           *module ? module : none);
}

const char *mp_sites_command(const mp_sites *sites, mp_arena *arena)
{
    const mp_model *model = sites->window->model;
    mp_session_id session = sites->window->filter->snapshots[sites->snapshots[0]].session;
    const char *application = mp_model_text(model, model->sessions.items[session.i].application);
    const char *path = model->inputs.count > 1 ? model->inputs.items[1].path : "";
    return mp_safe_text(arena, *application ? application : mp_file_name(path));
}
