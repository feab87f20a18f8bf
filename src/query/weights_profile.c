/* Time of an execution profile by its call tree, or by method if there is none.
 *
 * The cost of a method is that of its lines, as in all reports. The call tree distributes it over
 * paths: a node gets its time minus that of its callees. In complete recordings the two agree. In
 * incomplete ones, no node gets more than is left of the cost of its method. What is not assigned
 * to a path is shown under unknown callers, so that the sums always equal those of the reports. */
#include <stdlib.h>

#include "query/code_names.h"
#include "query/labels.h"
#include "query/profile_costs.h"
#include "query/profile_groups.h"
#include "query/weights.h"

typedef struct spent {
    int64_t us, calls;
} spent;

typedef struct paths {
    mp_weigher weigher;
    const mp_filter *filter;
    const mp_profile *profile;
    mp_module_groups groups;
    spent *left;        /* amount of each method that is not yet assigned to a path */
    uint32_t *example;  /* first module of each method */
    uint32_t *frame_of; /* frame of each node of the model's tree; 0: not added yet */
} paths;

static void weigh(paths *state, uint32_t frame, spent amount)
{
    for (size_t column = 0; column < state->weigher.weights.columns; column++) {
        bool calls = state->weigher.weights.weighings[column] == MP_WEIGH_CALLS;
        mp_weigh(&state->weigher, column, frame, calls ? amount.calls : amount.us,
                 calls ? 0 : amount.calls);
    }
}

/* Sum up the lines of each method. */
static void sum_methods(paths *state)
{
    const mp_profile *profile = state->profile;
    state->left = mp_alloc_zero(state->groups.method_count + 1, sizeof *state->left);
    state->example = mp_alloc_zero(state->groups.method_count + 1, sizeof *state->example);
    for (uint32_t i = profile->modules.count; i-- > 1;)
        if (state->groups.method_of[i] != MP_NO_GROUP)
            state->example[state->groups.method_of[i]] = i;
    for (uint32_t i = 1; i < profile->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.items[i];
        uint32_t method = state->groups.method_of[line->module.i];
        if (method == MP_NO_GROUP)
            continue;
        state->left[method].us += line->exclusive_us;
        if (line->line == 0 && !(line->unknown & MP_UNKNOWN_LINE))
            state->left[method].calls += line->executions;
    }
}

/* Return the name of a frame. It includes the first line only if several methods have the name:
 * frames are narrow, and other tools compare frames of two builds by name. */
static const char *label_of(paths *state, const mp_module *module, bool tells_start)
{
    mp_code_place place = mp_module_place(state->filter->model, module);
    place.start_line = tells_start ? place.start_line : 0;
    return mp_code_label(&state->weigher.weights.names, &place);
}

/* --- by the call tree --- */

/* Add frames for all nodes of the tree, callers first. Nodes without a caller are directly below
 * the session. */
static void add_frames(paths *state)
{
    const mp_model *model = state->filter->model;
    state->frame_of = mp_alloc_zero(model->tree.count, sizeof *state->frame_of);
    for (uint32_t i = 1; i < model->tree.count; i++) {
        const mp_tree_node *node = &model->tree.items[i];
        const mp_symbol *symbol = &model->symbols.items[node->symbol.i];
        state->frame_of[i] = mp_weigher_add(
            &state->weigher, (mp_weight_frame){
                                 .parent = state->frame_of[node->parent],
                                 .kind = MP_WEIGHT_CODE,
                                 .name = mp_tree_label(&state->weigher.weights.names, model, i),
                                 .source = mp_known_text(model, symbol->source),
                                 .line = MP_NO_LINE,
                                 .called_at = node->parent ? node->line : MP_NO_LINE,
                                 .start_line = symbol->start_line,
                                 .tells_start = symbol->overloaded,
                             });
    }
}

static int64_t take(int64_t *left, int64_t wanted)
{
    int64_t taken = wanted < *left ? wanted : *left;
    taken = taken > 0 ? taken : 0;
    *left -= taken;
    return taken;
}

static void weigh_nodes(paths *state)
{
    const mp_model *model = state->filter->model;
    const mp_profile *profile = state->profile;
    mp_preorder nodes = mp_profile_preorder(model);
    int64_t *times = mp_profile_node_times(state->filter, &nodes);
    for (uint32_t i = 1; i < profile->nodes.count;
         i++) /* subtract the time of the callees, which come later in the array */
        times[nodes.parent[i]] -= times[i];
    for (uint32_t i = 1; i < profile->nodes.count; i++) {
        const mp_profile_node *node = &profile->nodes.items[nodes.order[i]];
        uint32_t method = state->groups.method_of[node->module.i];
        uint32_t frame = state->frame_of[model->tree_of[node->node.i]];
        mp_weight_frame *weight_frame = &state->weigher.weights.frames[frame];
        const mp_module *module = &profile->modules.items[node->module.i];
        if (module->number == 0)
            weight_frame->kind = MP_WEIGHT_NONE;
        weight_frame->source =
            weight_frame->source ? weight_frame->source : mp_known_text(model, module->program);
        weight_frame->module = mp_known_text(model, module->program);
        weight_frame->shown = label_of(state, module, weight_frame->tells_start);
        if (method == MP_NO_GROUP)
            continue;
        weigh(state, frame,
              (spent){take(&state->left[method].us, times[i]),
                      take(&state->left[method].calls, node->calls)});
    }
    free(times);
    mp_preorder_free(&nodes);
}

/* --- no call tree --- */

/* Return true if another method has the same name. Methods are sorted by name, then by line. */
static bool is_overloaded(const mp_module_groups *groups, size_t method)
{
    const mp_code_name *code_name = &groups->methods[method];
    for (size_t i = method ? method - 1 : 0; i < groups->method_count && i < method + 2; i++)
        if (groups->methods[i].program.i == code_name->program.i &&
            groups->methods[i].method.i == code_name->method.i &&
            groups->methods[i].start_line != code_name->start_line)
            return true;
    return false;
}

/* Weigh the time that is not assigned to a path. Methods are below their programs. */
static void weigh_rest(paths *state)
{
    const mp_model *model = state->filter->model;
    uint32_t none = 0, *program_of = mp_alloc_zero(state->groups.program_count + 1, sizeof none);
    for (size_t i = 0; i < state->groups.method_count; i++) {
        const mp_module *module = &state->profile->modules.items[state->example[i]];
        uint32_t *program = &program_of[state->groups.program_of[state->example[i]]];
        const char *name = mp_model_text(model, module->program);
        mp_weight_frame frame = {.kind = MP_WEIGHT_NONE,
                                 .name = MP_CALLERS_NOT_KNOWN,
                                 .line = MP_NO_LINE,
                                 .called_at = MP_NO_LINE};
        if (!state->left[i].us && !state->left[i].calls)
            continue;
        if (!none)
            none = mp_weigher_add(&state->weigher, frame);
        frame = (mp_weight_frame){.parent = none,
                                  .kind = MP_WEIGHT_GROUP,
                                  .name = name,
                                  .source = name,
                                  .module = name,
                                  .line = MP_NO_LINE,
                                  .called_at = MP_NO_LINE};
        if (!*program)
            *program = mp_weigher_add(&state->weigher, frame);
        frame.parent = *program;
        frame.kind = MP_WEIGHT_CODE;
        frame.name = mp_model_text(model, module->name.i ? module->name : module->program);
        frame.start_line = module->start_line;
        frame.tells_start = is_overloaded(&state->groups, i);
        frame.shown = label_of(state, module, frame.tells_start);
        weigh(state, mp_weigher_add(&state->weigher, frame), state->left[i]);
    }
    free(program_of);
}

mp_weights mp_weights_of_profile(const mp_filter *filter, const mp_weighing *weighing,
                                 size_t columns)
{
    paths state = {.weigher = mp_weigher_of(filter->model, weighing, columns),
                   .filter = filter,
                   .profile = filter->model->profile,
                   .groups = mp_module_groups_of(filter)};
    sum_methods(&state);
    if (state.profile->nodes.count > 1 && filter->model->tree_of) {
        add_frames(&state);
        weigh_nodes(&state);
    }
    weigh_rest(&state);
    MP_FREE(state.left, state.example, state.frame_of);
    mp_module_groups_free(&state.groups);
    return mp_weigher_end(&state.weigher);
}
