#include "readers/stack_profile.h"

static mp_profile *profile_of(const mp_stack_profile *state)
{
    return state->stacks->model->profile;
}

void mp_stack_profile_begin(mp_stack_profile *state)
{
    mp_model *model = state->stacks->model;
    mp_profile *profile = mp_model_profile(model);
    state->session = mp_model_add_session(model);
    mp_id_index_free(&state->modules);
    mp_id_index_free(&state->lines);
    mp_id_index_free(&state->stacks->nodes);
    state->first_node = model->nodes.count;
    state->first_place = profile->nodes.count;
    const mp_string_id name = mp_model_intern_text(model, "session");
    *MP_ADD(&profile->modules) =
        (mp_module){.session = state->session, .defined = true, .name = name, .program = name};
}

void mp_stack_profile_measures(mp_stack_profile *state, mp_string_id measure)
{
    mp_model *model = state->stacks->model;
    model->sessions.items[state->session.i].description = measure;
    model->profile->measure = measure;
}

/* Return the module of a symbol. It is a function in a source or, if the source is unknown, in the
 * symbol's module. */
static mp_module_id module_of(mp_stack_profile *state, mp_symbol_id id)
{
    mp_profile *profile = profile_of(state);
    uint32_t *place = mp_id_index_put(&state->modules, id.i);
    if (!*place) {
        const mp_symbol *symbol = &state->stacks->model->symbols.items[id.i];
        *MP_ADD(&profile->modules) =
            (mp_module){.session = state->session,
                        .number = state->modules.count,
                        .defined = true,
                        .name = symbol->name,
                        .method = symbol->name,
                        .start_line = symbol->start_line,
                        .program = symbol->source.i ? symbol->source : symbol->module};
        *place = profile->modules.count - 1;
    }
    return (mp_module_id){*place};
}

/* Return the node of the profile that belongs to a node of the model. */
static mp_profile_node *node_at(const mp_stack_profile *state, mp_node_id node)
{
    return &profile_of(state)->nodes.items[state->first_place + (node.i - state->first_node)];
}

/* Add a node to the profile for each node of the model that has none yet. */
static void add_nodes(mp_stack_profile *state)
{
    const mp_model *model = state->stacks->model;
    mp_profile *profile = profile_of(state);
    uint32_t next = state->first_node + (profile->nodes.count - state->first_place);
    for (; next < model->nodes.count; next++) {
        const mp_module_id module = module_of(state, model->nodes.items[next].symbol);
        *MP_ADD(&profile->nodes) = (mp_profile_node){.node = {next}, .module = module};
    }
}

bool mp_stack_profile_add(mp_stack_profile *state, mp_stack_frame frame, int64_t cost)
{
    mp_profile *profile = profile_of(state);
    if (!mp_budget_take(&state->spent, cost))
        return false;
    add_nodes(state);
    mp_profile_node *node = node_at(state, frame.node);
    uint32_t *place = mp_id_index_put(&state->lines, mp_joined(node->module.i, frame.line));
    if (!*place) {
        *MP_ADD(&profile->lines) = (mp_profile_line){
            .module = node->module,
            .line = (int32_t)frame.line,
            .unknown = MP_UNKNOWN_EXECUTIONS | MP_UNKNOWN_AVERAGE | MP_UNKNOWN_CUMULATIVE};
        *place = profile->lines.count - 1;
    }
    profile->lines.items[*place].exclusive_us += cost;
    node->cumulative_us += cost;
    return true;
}

void mp_stack_profile_end(mp_stack_profile *state)
{
    const mp_profile *profile = profile_of(state);
    add_nodes(state);
    for (uint32_t i = profile->nodes.count; i-- > state->first_place;) {
        const mp_profile_node *node = &profile->nodes.items[i];
        const mp_node_id parent = state->stacks->model->nodes.items[node->node.i].parent;
        if (parent.i)
            node_at(state, parent)->cumulative_us += node->cumulative_us;
    }
}

void mp_stack_profile_free(mp_stack_profile *state)
{
    mp_id_index_free(&state->modules);
    mp_id_index_free(&state->lines);
}
