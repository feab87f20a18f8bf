#include "export/sites.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/objects.h"
#include "render/cell.h"

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

/* From the innermost frame outwards. */
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
    sites->snapshots = filter->sessions.at + first;
    sites->snapshot_count = mp_filter_snapshots(filter, session.i);
    for (size_t i = 0; i < sites->snapshot_count; i++) {
        sites->has_times |= filter->snapshots[sites->snapshots[i]].time_us > 0;
        if (sites->snapshots[i] == sites->window->ranges[session.i].to.i)
            sites->to = i;
    }
}

bool mp_sites_of(const mp_window *window, uint32_t frames, mp_sites *sites, mp_error *error)
{
    mp_session_id session;
    *sites = (mp_sites){.window = window, .next_delta = 1};
    if (!mp_only_session(window->filter, &session, error))
        return false;
    take_snapshots(sites, session);
    take_stacks(sites, frames);
    return true;
}

void mp_sites_free(mp_sites *sites)
{
    mp_code_free(&sites->code);
    mp_weights_free(&sites->weights);
    free(sites->nodes);
    free(sites->end_of);
}

bool mp_sites_next(mp_sites *sites, uint32_t snapshot, uint32_t *node, const mp_cost **cost)
{
    const mp_model *model = sites->window->model;
    while (sites->next_delta < model->deltas.count) {
        const mp_delta *delta = &model->deltas.at[sites->next_delta];
        const mp_generation *generation = &model->generations.at[delta->generation.i];
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
    const mp_code_place *at = &code->places[place];
    const mp_code_function *function = &code->functions[at->function];
    const char *name = mp_dictionary_text(code->texts, function->name);
    const char *source = mp_dictionary_text(code->texts, function->source);
    const char *module = mp_dictionary_text(code->texts, function->module);
    static const char none[] = "\?\?\?";
    int32_t line = at->line == MP_NO_LINE ? (int32_t)function->start_line : (int32_t)at->line;
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
    const char *application = mp_model_text(model, model->sessions.at[session.i].application);
    const char *path = model->inputs.count > 1 ? model->inputs.at[1].path : "";
    const char *slash = strrchr(path, '/');
    return mp_safe_text(arena, *application ? application : slash ? slash + 1 : path);
}
