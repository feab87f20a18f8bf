/* Retained sizes by owner: a heap dump's objects by the types of their dominators. */
#include <assert.h>
#include <stdlib.h>

#include "base/index.h"
#include "query/graph_query.h"
#include "query/weights.h"

#define NO_TYPE UINT32_MAX

typedef struct holders {
    mp_weigher weigher;
    const mp_graph_view *view;
    mp_id_index index; /* frame by parent and type */
    /* Two frames: for unreachable objects, and for objects with unknown owners; 0: none. */
    uint32_t loose[2];
    uint32_t *type_of; /* type of each frame; NO_TYPE: the frame is not a type */
    size_t type_capacity;
} holders;

static uint32_t add_frame(holders *state, uint32_t parent, mp_weight_kind kind, const char *name,
                          uint32_t type)
{
    uint32_t frame = mp_weigher_add(&state->weigher, (mp_weight_frame){.parent = parent,
                                                                       .kind = kind,
                                                                       .name = name,
                                                                       .line = MP_NO_LINE,
                                                                       .called_at = MP_NO_LINE});
    mp_grow(&state->type_of, &state->type_capacity, (size_t)frame + 1, sizeof *state->type_of);
    state->type_of[frame] = type;
    return frame;
}

/* Return the frame of a type below another frame. Objects of one type directly below each other, as
 * in linked lists, share a frame. */
static uint32_t frame_of(holders *state, uint32_t parent, uint32_t type)
{
    assert(!parent || state->type_of);
    if (parent && state->type_of[parent] == type)
        return parent;
    uint32_t *place = mp_id_index_put(&state->index, mp_joined(parent, type));
    if (!*place)
        *place = add_frame(state, parent, MP_WEIGHT_TYPE,
                           mp_type_text(&state->weigher.weights.names, state->weigher.model, type),
                           type);
    return *place;
}

static void weigh_object(holders *state, uint32_t frame, uint32_t object)
{
    const mp_graph *graph = state->view->graph;
    if (mp_graph_selects(state->view, graph->types[object]))
        mp_weigh(&state->weigher, 0, frame, (int64_t)graph->sizes[object], 1);
}

/* Weigh the objects that strong roots do not reach, by type. */
static void weigh_loose(holders *state)
{
    static const char *const names[] = {"(unreachable)", "(owner unknown)"};
    const mp_graph *graph = state->view->graph;
    for (uint32_t object = 1; object <= graph->count; object++) {
        bool tracked = mp_graph_tracks(graph, object);
        uint32_t *loose = &state->loose[!tracked];
        if (mp_is_reached(&state->view->dominators, object))
            continue;
        if (!*loose)
            *loose = add_frame(state, 0, MP_WEIGHT_NONE, names[!tracked], NO_TYPE);
        weigh_object(state, frame_of(state, *loose, graph->types[object]), object);
    }
}

/* Visit objects in preorder. The dominator of an object comes before it, so its frame exists. */
mp_weights mp_weights_of_dump(const mp_filter *filter)
{
    static const mp_weighing weighings[] = {MP_WEIGH_RETAINED};
    mp_graph_view view = mp_graph_view_of(filter);
    const mp_graph *graph = view.graph;
    const mp_dominators *dominators = &view.dominators;
    holders state = {.weigher = mp_weigher_of(filter->model, weighings, 1), .view = &view};
    uint32_t *frame = mp_alloc_zero((size_t)graph->count + 1, sizeof *frame);
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        uint32_t object = dominators->order[i];
        frame[object] = frame_of(&state, frame[dominators->idom[object]], graph->types[object]);
        weigh_object(&state, frame[object], object);
    }
    weigh_loose(&state);
    mp_weights weights = mp_weigher_end(&state.weigher);
    mp_graph_view_free(&view);
    mp_id_index_free(&state.index);
    free(state.type_of);
    free(frame);
    return weights;
}
