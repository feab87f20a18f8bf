/* Time of an execution profile by its call tree, or by method if there is none.
 *
 * The cost of a method is that of its lines, as in all reports. The call tree distributes it
 * over paths: the time of a node minus that of its callees. In complete recordings both agree.
 * In others no node gets more than its method has left, and the rest is shown under unknown
 * callers, so that the sums always equal those of the reports. */
#include <stdlib.h>

#include "base/index.h"
#include "query/labels.h"
#include "query/profile_costs.h"
#include "query/profile_groups.h"
#include "query/weights.h"

typedef struct spent {
    int64_t us, calls;
} spent;

typedef struct paths {
    mp_weigher to;
    const mp_filter *filter;
    const mp_profile *profile;
    mp_module_groups groups;
    spent *left;        /* amount of each method that no path has yet */
    uint32_t *example;  /* first module of each method */
    uint32_t *frame_of; /* frame of each node of the model's tree; 0: not added yet */
} paths;

static void weigh(paths *all, uint32_t frame, spent amount)
{
    for (size_t column = 0; column < all->to.weights.columns; column++) {
        bool calls = all->to.weights.of[column] == MP_WEIGH_CALLS;
        mp_weigh(&all->to, column, frame, calls ? amount.calls : amount.us,
                 calls ? 0 : amount.calls);
    }
}

/* Sum up the lines of each method. */
static void sum_methods(paths *all)
{
    const mp_profile *profile = all->profile;
    all->left = mp_alloc_zero(all->groups.method_count + 1, sizeof *all->left);
    all->example = mp_alloc_zero(all->groups.method_count + 1, sizeof *all->example);
    for (uint32_t i = profile->modules.count; i-- > 1;)
        if (all->groups.method_of[i] != MP_NO_GROUP)
            all->example[all->groups.method_of[i]] = i;
    for (uint32_t i = 1; i < profile->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.at[i];
        uint32_t method = all->groups.method_of[line->module.i];
        if (method == MP_NO_GROUP)
            continue;
        all->left[method].us += line->exclusive_us;
        if (line->line == 0 && !(line->unknown & MP_UNKNOWN_LINE))
            all->left[method].calls += line->executions;
    }
}

/* --- by the call tree --- */

/* Frames of all nodes of the tree, callers first. The session itself calls what nobody calls. */
static void add_frames(paths *all)
{
    const mp_model *model = all->filter->model;
    all->frame_of = mp_alloc_zero(model->tree.count, sizeof *all->frame_of);
    for (uint32_t i = 1; i < model->tree.count; i++) {
        const mp_tree_node *node = &model->tree.at[i];
        const mp_symbol *symbol = &model->symbols.at[node->symbol.i];
        all->frame_of[i] =
            mp_weigher_add(&all->to, (mp_weight_frame){
                                         .parent = all->frame_of[node->parent],
                                         .kind = MP_WEIGHT_CODE,
                                         .name = mp_tree_label(&all->to.weights.names, model, i),
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

static void weigh_nodes(paths *all)
{
    const mp_model *model = all->filter->model;
    const mp_profile *profile = all->profile;
    mp_preorder nodes = mp_profile_preorder(model);
    int64_t *times = mp_profile_node_times(all->filter, &nodes);
    for (uint32_t i = 1; i < profile->nodes.count; i++) /* less what they call, which come later */
        times[nodes.parent[i]] -= times[i];
    for (uint32_t i = 1; i < profile->nodes.count; i++) {
        const mp_profile_node *node = &profile->nodes.at[nodes.order[i]];
        uint32_t method = all->groups.method_of[node->module.i];
        uint32_t frame = all->frame_of[model->tree_of[node->node.i]];
        mp_weight_frame *at = &all->to.weights.frames[frame];
        const mp_module *module = &profile->modules.at[node->module.i];
        if (module->number == 0)
            at->kind = MP_WEIGHT_NONE;
        at->source = at->source ? at->source : mp_known_text(model, module->program);
        at->module = mp_known_text(model, module->program);
        if (method == MP_NO_GROUP)
            continue;
        weigh(all, frame,
              (spent){take(&all->left[method].us, times[i]),
                      take(&all->left[method].calls, node->calls)});
    }
    free(times);
    mp_preorder_free(&nodes);
}

/* --- without --- */

/* Methods stand in the order of their names, then of their lines. */
static bool is_overloaded(const mp_module_groups *groups, size_t method)
{
    const mp_code_name *at = &groups->methods[method];
    for (size_t i = method ? method - 1 : 0; i < groups->method_count && i < method + 2; i++)
        if (groups->methods[i].program.i == at->program.i &&
            groups->methods[i].method.i == at->method.i &&
            groups->methods[i].start_line != at->start_line)
            return true;
    return false;
}

/* Weigh the time that no path has: methods below their programs. */
static void weigh_rest(paths *all)
{
    const mp_model *model = all->filter->model;
    uint32_t none = 0, *program_of = mp_alloc_zero(all->groups.program_count + 1, sizeof none);
    for (size_t i = 0; i < all->groups.method_count; i++) {
        const mp_module *module = &all->profile->modules.at[all->example[i]];
        uint32_t *program = &program_of[all->groups.program_of[all->example[i]]];
        const char *name = mp_model_text(model, module->program);
        mp_weight_frame frame = {.kind = MP_WEIGHT_NONE,
                                 .name = MP_CALLERS_NOT_KNOWN,
                                 .line = MP_NO_LINE,
                                 .called_at = MP_NO_LINE};
        if (!all->left[i].us && !all->left[i].calls)
            continue;
        if (!none)
            none = mp_weigher_add(&all->to, frame);
        frame = (mp_weight_frame){.parent = none,
                                  .kind = MP_WEIGHT_GROUP,
                                  .name = name,
                                  .source = name,
                                  .module = name,
                                  .line = MP_NO_LINE,
                                  .called_at = MP_NO_LINE};
        if (!*program)
            *program = mp_weigher_add(&all->to, frame);
        frame.parent = *program;
        frame.kind = MP_WEIGHT_CODE;
        frame.name = mp_model_text(model, module->name.i ? module->name : module->program);
        frame.start_line = module->start_line;
        frame.tells_start = is_overloaded(&all->groups, i);
        weigh(all, mp_weigher_add(&all->to, frame), all->left[i]);
    }
    free(program_of);
}

mp_weights mp_weights_of_profile(const mp_filter *filter, const mp_weighing *of, size_t columns)
{
    paths all = {.to = mp_weigher_of(filter->model, of, columns),
                 .filter = filter,
                 .profile = filter->model->profile,
                 .groups = mp_module_groups_of(filter)};
    sum_methods(&all);
    if (all.profile->nodes.count > 1 && filter->model->tree_of) {
        add_frames(&all);
        weigh_nodes(&all);
    }
    weigh_rest(&all);
    free(all.left);
    free(all.example);
    free(all.frame_of);
    mp_module_groups_free(&all.groups);
    return mp_weigher_end(&all.to);
}
