/* Digests of models. */
#include "compare/digest.h"

#include <stdlib.h>

#include "compare/substitution.h"
#include "model/build.h"
#include "query/graph_query.h"
#include "query/profile_costs.h"

const char *mp_level_name(mp_level level)
{
    static const char *const names[MP_LEVELS] = {"site",   "type", "line", "method",
                                                 "module", NULL,   NULL,   NULL};
    return names[level];
}

/* --- names --- */

typedef struct builder {
    const mp_model *model;
    const mp_filter *filter;
    const mp_window *window;
    mp_dictionary *dictionary;
    const mp_digest_options *options;
    mp_substitutions *substitutions;
    mp_arena labels;     /* texts that are not in the model */
    uint32_t *frames;    /* dictionary frames, by index in model->tree */
    uint32_t *types;     /* 1 + the dictionary text of each type; 0: not looked up yet */
    mp_graph_view graph; /* see graph_of */
    mp_digest *digest;
    mp_error *error;
    bool failed;
} builder;

/* Return the graph of the last dump. It is made when it is first needed. */
static mp_graph_view *graph_of(builder *state)
{
    if (!state->graph.graph)
        state->graph = mp_graph_view_of(state->filter);
    return &state->graph;
}

static uint32_t text_key(builder *state, const char *text)
{
    const char *told =
        state->failed ? NULL : mp_substitute(state->substitutions, text, state->error);
    state->failed |= !told;
    return mp_dictionary_id(state->dictionary, told ? told : text);
}

static uint32_t line_key(const builder *state, uint32_t line)
{
    return state->options->ignore_lines ? MP_NO_LINE : line;
}

/* Return the key of a frame's line. If only the first line of its function is known, use that line:
 * it distinguishes overloads, and moves like all lines when code above it changes. */
static uint32_t frame_line_key(const builder *state, uint32_t node, uint32_t line)
{
    uint32_t start_line =
        state->model->symbols.items[state->model->tree.items[node].symbol.i].start_line;
    return line_key(state, line == MP_NO_LINE && start_line ? start_line : line);
}

static uint32_t type_key(builder *state, mp_type_id type)
{
    if (!state->types[type.i])
        state->types[type.i] =
            text_key(state, mp_type_label(&state->labels, state->model, type)) + 1;
    return state->types[type.i] - 1;
}

/* Add all frames of the call tree to the dictionary. Parents precede their children. */
static void digest_frames(builder *state)
{
    const mp_model *model = state->model;
    state->frames = mp_alloc_zero(model->tree.count + 1u, sizeof *state->frames);
    for (uint32_t i = 1; i < model->tree.count; i++) {
        const mp_tree_node *node = &model->tree.items[i];
        mp_frame_key frame = {.caller = state->frames[node->parent],
                              .name = text_key(state, mp_tree_label(&state->labels, model, i)),
                              .line = node->parent ? frame_line_key(state, node->parent, node->line)
                                                   : MP_NO_LINE,
                              .allocator = model->symbols.items[node->symbol.i].allocator};
        state->frames[i] = mp_dictionary_frame(state->dictionary, frame);
    }
}

static void add(builder *state, mp_level level, mp_entry_key key, mp_amounts amounts)
{
    mp_entry *entry = mp_entry_for(&state->digest->lists[level], key);
    entry->amounts = mp_amounts_add(entry->amounts, amounts);
}

/* --- heaps --- */

static mp_entry_key context_key(builder *state, const mp_context *context)
{
    const mp_model *model = state->model;
    uint32_t node = model->tree_of[context->node.i];
    uint32_t naming = state->frames[mp_frame_naming(model, (mp_frame){node, context->line}).node];
    return (mp_entry_key){
        .type = type_key(state, mp_site_type(model, context)),
        .name = context->name.i
                    ? text_key(state, mp_symbol_label(&state->labels, model, context->name))
                    : 0,
        .program = mp_dictionary_frame_at(state->dictionary, naming)->name,
        .frame = state->frames[node],
        .line = node || context->line ? frame_line_key(state, node, context->line) : MP_NO_LINE};
}

static mp_amounts amounts_of(const mp_cost *cost)
{
    return (mp_amounts){.objects = mp_cost_live(*cost),
                        .bytes = cost->bytes,
                        .created = cost->created,
                        .created_bytes = cost->created_bytes,
                        .deleted = cost->deleted};
}

/* Return 1 + the index of the entry with this key. */
static uint32_t entry_for(mp_entries *list, mp_entry_key key)
{
    return (uint32_t)(mp_entry_for(list, key) - list->items) + 1;
}

/* Add the sites and types of a heap. Contexts with the same key are one site. In event logs, the
 * type of a site is inferred, while the list of types has the types that deletions recorded. */
static void digest_sites(builder *state)
{
    const mp_model *model = state->model;
    const bool *leaks = mp_window_verdict(state->window)->generations;
    mp_entries *sites = &state->digest->lists[MP_LEVEL_SITE];
    mp_entries *types = &state->digest->lists[MP_LEVEL_TYPE];
    uint32_t *site_of = mp_alloc_zero(model->contexts.count, sizeof *site_of);
    uint32_t *type_of = mp_alloc_zero(model->contexts.count, sizeof *type_of);
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.items[i];
        const mp_generation *generation = &model->generations.items[delta->generation.i];
        const mp_context *context = &model->contexts.items[generation->context.i];
        uint32_t *site = &site_of[generation->context.i];
        uint32_t *type = &type_of[generation->context.i];
        if (context->reusable || !mp_window_before_to(state->window, delta->snapshot) ||
            !mp_filter_has_generation(state->filter, delta->generation))
            continue;
        if (!*site) {
            mp_entry_key key = {.type = type_key(state, mp_context_type(model, context)),
                                .line = MP_NO_LINE};
            *site = entry_for(sites, context_key(state, context));
            *type = entry_for(types, key);
        }
        mp_amounts amounts = amounts_of(&delta->cost);
        if (mp_window_leaks(state->window, generation->context, generation->born)) {
            const int64_t objects = amounts.objects, bytes = amounts.bytes;
            amounts.leaked_objects = objects;
            amounts.leaked_bytes = bytes;
        } else if (mp_window_is_accepted(state->window, generation->context, generation->born)) {
            const int64_t objects = amounts.objects, bytes = amounts.bytes;
            amounts.accepted_objects = objects;
            amounts.accepted_bytes = bytes;
        }
        const int64_t leaking = amounts.bytes;
        if (leaks[delta->generation.i] && !mp_window_before_from(state->window, delta->snapshot))
            amounts.leaking_bytes = leaking;
        mp_amounts *sum = &sites->items[*site - 1].amounts,
                   *of_type = &types->items[*type - 1].amounts;
        *sum = mp_amounts_add(*sum, amounts);
        *of_type = mp_amounts_add(*of_type, amounts);
    }
    free(type_of);
    free(site_of);
}

/* Add the retained size of each type, if the graph was recorded at the end of the window. */
static void digest_retained(builder *state)
{
    const mp_graph *graph = state->filter->graph;
    if (state->options->without_retained || !graph ||
        graph->snapshot.i != state->window->ranges[1].to.i)
        return;
    mp_histogram histogram = mp_histogram_of(graph_of(state), MP_HISTOGRAM_OF_TYPES);
    mp_histogram_settle(graph_of(state), &histogram, histogram.items, histogram.count, 0, 0);
    for (uint32_t i = 0; i < histogram.count; i++) {
        mp_entry_key key = {.type = text_key(state, histogram.items[i].label), .line = MP_NO_LINE};
        add(state, MP_LEVEL_TYPE, key,
            (mp_amounts){.retained_bytes = histogram.items[i].retained_bytes});
    }
    state->digest->has |= MP_HAS_RETAINED;
    mp_histogram_free(&histogram);
}

/* Return the entry for all objects of a stack. Their names do not matter. */
static mp_entry *whole_for(mp_entries *wholes, mp_entry_key key)
{
    key.name = key.frame ? 0 : key.name;
    return mp_entry_for(wholes, key);
}

/* Set the scoped bytes of each entry of a list; `key_of` returns the key of a context. */
static void digest_scoped(builder *state, mp_level level,
                          mp_entry_key (*key_of)(builder *self, const mp_context *context))
{
    const mp_model *model = state->model;
    mp_entries wholes = {0}, *list = &state->digest->lists[level];
    uint32_t *of_context = mp_alloc_zero(model->contexts.count, sizeof *of_context);
    mp_grouping grouping = {.group_of =
                                mp_alloc_zero(model->generations.count, sizeof *grouping.group_of)};
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.items[i];
        uint32_t context = generation->context.i;
        if (generation->reusable)
            continue;
        if (!of_context[context]) {
            mp_entry_key key = key_of(state, &model->contexts.items[context]);
            of_context[context] = (uint32_t)(whole_for(&wholes, key) - wholes.items) + 1;
        }
        grouping.group_of[i] = of_context[context];
    }
    for (size_t i = 0; i < list->count; i++)
        whole_for(&wholes, list->items[i].key)->amounts.bytes += list->items[i].amounts.bytes;
    grouping.count = (uint32_t)wholes.count;
    grouping.groups = mp_alloc_zero(wholes.count + 1, sizeof *grouping.groups);
    for (size_t i = 0; i < wholes.count; i++)
        grouping.groups[i].end.bytes = wholes.items[i].amounts.bytes;
    mp_groups_add_scoped(state->window, &grouping, MP_GROUPS_SCOPED);
    for (size_t i = 0; i < list->count; i++) {
        const mp_entry *whole = whole_for(&wholes, list->items[i].key);
        const mp_group *group = &grouping.groups[whole - wholes.items];
        list->items[i].amounts.scoped_bytes =
            mp_group_scope_of(&grouping, group).inclusive_bytes - whole->amounts.bytes;
    }
    mp_entries_free(&wholes);
    MP_FREE(grouping.groups, grouping.group_of, grouping.scopes, of_context);
}

static mp_entry_key context_type_key(builder *state, const mp_context *context)
{
    return (mp_entry_key){.type = type_key(state, mp_site_type(state->model, context)),
                          .line = MP_NO_LINE};
}

static void note_largest(builder *state, const mp_graph_view *view, uint32_t frame,
                         const mp_dominator_group *group)
{
    const int64_t bytes = (int64_t)view->dominators.retained[group->largest];
    mp_digest *digest = state->digest;
    if (state->options->substitution_count || !view->graph->names.read ||
        (double)bytes * 100 <= (double)group->retained_bytes * 70)
        return;
    *MP_ADD(&digest->largest) = (mp_largest_object){group->largest, group->retained_bytes - bytes};
    *mp_id_index_put(&digest->largest_by_frame, frame) = digest->largest.count;
}

/* Add the nodes of the dominator tree, which come in preorder. After names were rewritten, a type
 * may be below a node with the same name. Both are then one node, which has the retained size of
 * the outer one. */
static void digest_dominators(builder *state)
{
    mp_graph_view *view = graph_of(state);
    mp_dominator_groups groups = mp_dominator_groups_of(view, MP_HISTOGRAM_OF_TYPES);
    /* frame of the current node at each depth, from 1 */
    uint32_t *path = mp_alloc_zero(groups.count + 1u, sizeof *path);
    mp_amounts rest = {.objects = state->digest->totals.objects,
                       .bytes = state->digest->totals.bytes};
    for (uint32_t i = 0; i < groups.count; i++) {
        const mp_dominator_group *dominator_group = &groups.items[i];
        uint32_t up = path[dominator_group->depth], name = text_key(state, dominator_group->label);
        bool again = up && mp_dictionary_frame_at(state->dictionary, up)->name == name;
        mp_frame_key frame = {.caller = up, .name = name, .line = MP_NO_LINE};
        mp_amounts amounts = {.objects = dominator_group->objects, .bytes = dominator_group->bytes};
        rest = mp_amounts_subtract(rest, amounts);
        amounts.retained_bytes = again ? 0 : dominator_group->retained_bytes;
        up = again ? up : mp_dictionary_frame(state->dictionary, frame);
        path[dominator_group->depth + 1] = up;
        add(state, MP_LEVEL_DOMINATOR, (mp_entry_key){.frame = up, .line = MP_NO_LINE}, amounts);
        note_largest(state, view, up, dominator_group);
    }
    if (rest.objects)
        add(state, MP_LEVEL_DOMINATOR, (mp_entry_key){.line = MP_NO_LINE}, rest);
    state->digest->has |= MP_HAS_RETAINED;
    free(path);
    mp_dominator_groups_free(&groups);
}

static void digest_groups(builder *state)
{
    const mp_dimension *by = state->options->dimension;
    const mp_grouping *grouping = mp_window_groups(state->window, by, MP_GROUPS_SCOPED);
    bool scoped = state->digest->has & MP_HAS_SCOPED && by->of_context;
    int64_t *leaking = mp_verdict_of_groups(state->window, grouping);
    for (uint32_t i = 0; i < grouping->count; i++) {
        const mp_group *group = &grouping->groups[i];
        mp_amounts amounts = amounts_of(&group->end);
        amounts.leaked_objects = group->leaked.objects;
        amounts.leaked_bytes = group->leaked.bytes;
        amounts.leaking_bytes = leaking[i];
        amounts.scoped_bytes =
            scoped ? mp_group_scope_of(grouping, group).inclusive_bytes - group->end.bytes : 0;
        mp_entry_key key = {.line = MP_NO_LINE};
        if (by->of_source) { /* leave out the first lines of functions, which differ between
                              * recordings */
            uint32_t node = mp_frame_naming(state->model, (mp_frame){group->node, 0}).node;
            key.name = text_key(state, mp_tree_label(&state->labels, state->model, node));
            key.start = mp_tree_overload(state->model, node);
        } else {
            key.name = text_key(state, group->label);
        }
        add(state, MP_LEVEL_GROUP, key, amounts);
    }
    free(leaking);
}

/* Set the unreachable bytes, which are known only without a selection. */
static void digest_garbage(builder *state)
{
    const mp_graph *graph = state->filter->graph;
    if (!mp_holds_dumps(state->model->holds) || !graph || state->filter->selects ||
        graph->snapshot.i != state->window->ranges[1].to.i)
        return;
    state->digest->has |= MP_HAS_GARBAGE;
    state->digest->unreachable_bytes = mp_graph_totals_of(graph, NULL).unreachable_bytes;
}

static void digest_stamp(builder *state)
{
    const mp_snapshot *snapshot = &state->model->snapshots.items[state->window->ranges[1].to.i];
    state->digest->has_stamp = mp_holds_dumps(state->model->holds) && snapshot->has_clock;
    if (state->digest->has_stamp)
        state->digest->stamp_ms = (uint32_t)(snapshot->clock_us / 1000);
}

static void digest_heap(builder *state)
{
    mp_digest *digest = state->digest;
    mp_totals totals = mp_totals_of(state->window);
    const mp_entries *sites = &digest->lists[MP_LEVEL_SITE];
    const unsigned holds = state->model->holds;
    digest->has = MP_HAS_LIVE | (holds & MP_HOLDS_HISTORY ? MP_HAS_HISTORY : 0) |
                  (holds & MP_HOLDS_UNSIZED ? MP_HAS_UNSIZED : 0) |
                  (holds & MP_HOLDS_UNCOUNTED ? MP_HAS_UNCOUNTED : 0);
    digest->peak_objects = totals.peak_objects;
    digest->peak_bytes = totals.peak_bytes;
    state->types = mp_alloc_zero(state->model->types.count, sizeof *state->types);
    digest_frames(state);
    digest_sites(state);
    for (size_t i = 0; i < sites->count; i++)
        digest->totals = mp_amounts_add(digest->totals, sites->items[i].amounts);
    digest_retained(state);
    digest_garbage(state);
    digest_stamp(state);
    if (holds & MP_HOLDS_RUNTIME) {
        digest->has |= MP_HAS_SCOPED;
        digest_scoped(state, MP_LEVEL_SITE, context_key);
        digest_scoped(state, MP_LEVEL_TYPE, context_type_key);
    }
    if (state->options->dimension)
        digest_groups(state);
    if (state->options->dominators && state->filter->graph)
        digest_dominators(state);
    free(state->types);
    free(state->frames);
}

/* --- execution profiles --- */

static void digest_code(builder *state, mp_level level, const mp_code_costs *costs)
{
    for (size_t i = 0; i < costs->count; i++) {
        const mp_code_cost *cost = &costs->items[i];
        mp_entry_key key = {.type = text_key(state, mp_model_text(state->model, cost->runtime)),
                            .name = text_key(state, mp_model_text(state->model, cost->method)),
                            .program = text_key(state, mp_model_text(state->model, cost->program)),
                            .line = level == MP_LEVEL_LINE ? line_key(state, (uint32_t)cost->line)
                                                           : MP_NO_LINE,
                            .start = state->options->ignore_lines ? 0 : cost->start_line,
                            .overload = cost->overload};
        add(state, level, key,
            (mp_amounts){.exclusive_us = cost->exclusive_us, .calls = cost->calls});
    }
}

/* A method with its first line. Overloads are numbered in the order of their first lines, because
 * the lines themselves move when code is inserted before them. */
typedef struct overload {
    uint32_t name, start_line;
} overload;

static int by_line(const void *left, const void *right)
{
    const overload *a = left, *b = right;
    int order = MP_COMPARE(a->name, b->name);
    return order ? order : MP_COMPARE(a->start_line, b->start_line);
}

/* Number the frames with a known first line that have the same name, in the order of these
 * lines. */
static mp_id_index number_overloads(const mp_weights *weights, const uint32_t *names)
{
    mp_id_index numbers = {0};
    overload *state = mp_alloc(weights->count * sizeof *state);
    size_t count = 0;
    for (uint32_t i = 1; i < weights->count; i++)
        if (weights->frames[i].tells_start)
            state[count++] = (overload){names[i], weights->frames[i].start_line};
    if (count)
        qsort(state, count, sizeof *state, by_line);
    for (size_t i = 0, number = 0; i < count; i++) {
        number = i && state[i].name == state[i - 1].name ? number : 0;
        uint32_t *place = mp_id_index_put(&numbers, mp_joined(state[i].name, state[i].start_line));
        if (!*place)
            *place = (uint32_t)++number;
    }
    free(state);
    return numbers;
}

static void digest_paths(builder *state)
{
    const mp_weighing usual[] = {mp_weighing_usual(state->filter)};
    mp_weights weights = mp_weights_of(state->filter, NULL, usual, 1);
    uint32_t *frames = mp_alloc_zero(weights.count, sizeof *frames);
    uint32_t *names = mp_alloc_zero(weights.count, sizeof *names);
    for (uint32_t i = 1; i < weights.count; i++)
        names[i] = text_key(state, weights.frames[i].name);
    mp_id_index numbers = number_overloads(&weights, names);
    for (uint32_t i = 1; i < weights.count; i++) {
        const mp_weight_frame *weight_frame = &weights.frames[i];
        const mp_weight *cost = &weights.items[0][i];
        uint32_t number =
            weight_frame->tells_start
                ? mp_id_index_get(&numbers, mp_joined(names[i], weight_frame->start_line))
                : 0;
        mp_frame_key key = {.caller = frames[weight_frame->parent],
                            .name = names[i],
                            .line = (uint32_t)weight_frame->kind << 24 | number};
        frames[i] = mp_dictionary_frame(state->dictionary, key);
        if (cost->self || cost->own_count)
            add(state, MP_LEVEL_PATH, (mp_entry_key){.frame = frames[i], .line = MP_NO_LINE},
                (mp_amounts){.exclusive_us = cost->self, .calls = cost->own_count});
    }
    state->digest->has_paths = state->model->tree_of && state->model->profile->nodes.count > 1;
    mp_id_index_free(&numbers);
    free(names);
    free(frames);
    mp_weights_free(&weights);
}

static void digest_profile(builder *state)
{
    mp_digest *digest = state->digest;
    mp_profile_costs costs = mp_profile_costs_of(state->filter);
    digest->has = state->model->holds & MP_HOLDS_SAMPLES    ? MP_HAS_SAMPLES
                  : state->model->holds & MP_HOLDS_UNCALLED ? MP_HAS_TIMES
                                                            : MP_HAS_COSTS;
    digest_code(state, MP_LEVEL_LINE, &costs.lines);
    digest_code(state, MP_LEVEL_METHOD, &costs.methods);
    digest_code(state, MP_LEVEL_MODULE, &costs.programs);
    if (state->options->paths)
        digest_paths(state);
    digest->totals =
        (mp_amounts){.exclusive_us = costs.totals.exclusive_us, .calls = costs.totals.calls};
    digest->modules = costs.totals.modules;
    digest->partial = costs.totals.partial;
    mp_profile_costs_free(&costs);
}

/* --- digests --- */

void mp_digest_name(mp_digest *digest, const char *measure, mp_dictionary *dictionary)
{
    mp_arena arena = {0};
    const char *noun = mp_holds_name(digest->kind, digest->holds);
    if (*measure)
        noun = mp_arena_format(&arena, "%s (%s)", noun, measure);
    digest->measure = mp_dictionary_text(dictionary, mp_dictionary_id(dictionary, measure));
    digest->noun = mp_dictionary_text(dictionary, mp_dictionary_id(dictionary, noun));
    mp_arena_free(&arena);
}

/* Describe the inputs. Path and format are those of the first input. */
static void describe(builder *state)
{
    const mp_model *model = state->model;
    mp_digest *digest = state->digest;
    digest->kind = model->kind;
    digest->holds = model->holds;
    mp_digest_name(digest, model->profile ? mp_model_text(model, model->profile->measure) : "",
                   state->dictionary);
    digest->complete = true;
    for (uint32_t i = 1; i < model->inputs.count; i++) {
        const mp_input_summary *input = &model->inputs.items[i];
        digest->bytes += input->bytes;
        digest->records += input->records;
        digest->complete &= input->complete;
        digest->open_ended |= input->open_ended;
        digest->damaged |= input->damaged;
        if (input->checksum.known)
            mp_digest_add_checksum(digest, input->checksum);
    }
    if (model->sessions.count > 1)
        digest->start_us = model->sessions.items[1].start_us;
    if (model->inputs.count < 2)
        return;
    const mp_input_summary *first = &model->inputs.items[1];
    const char *snapshot = mp_model_text(model, model->sessions.items[1].snapshot);
    const char *path =
        mp_arena_format(&state->labels, "%s%s%s", first->path, *snapshot ? "@" : "", snapshot);
    digest->path = mp_dictionary_text(state->dictionary, mp_dictionary_id(state->dictionary, path));
    digest->of_moment = *snapshot != '\0';
    digest->format = first->format;
    digest->format_version = first->format_version;
}

static bool counts_in_use(const mp_window *window)
{
    const mp_in_use in_use = mp_window_in_use(window);
    return in_use != MP_IN_USE_NOT && in_use != MP_IN_USE_LOG;
}

mp_digest *mp_digest_of(const mp_filter *filter, const mp_window *window, mp_dictionary *dictionary,
                        const mp_digest_options *options, mp_error *error)
{
    builder state = {.model = filter->model,
                     .filter = filter,
                     .window = window,
                     .dictionary = dictionary,
                     .options = options,
                     .substitutions =
                         mp_substitutions_new(options->substitutions, options->substitution_count),
                     .digest = mp_alloc_zero(1, sizeof *state.digest),
                     .error = error};
    describe(&state);
    state.digest->unmatched = filter->unmatched;
    state.digest->late = window && mp_window_ends_late(window);
    state.digest->leaks_unknown = window && mp_verdict_is_unknown(window);
    state.digest->in_use = window && counts_in_use(window);
    if (window)
        digest_heap(&state);
    else
        digest_profile(&state);
    mp_graph_view_free(&state.graph);
    mp_substitutions_free(state.substitutions);
    mp_arena_free(&state.labels);
    if (!state.failed)
        return state.digest;
    mp_digest_free(state.digest);
    return NULL;
}

void mp_digest_add_checksum(mp_digest *digest, mp_checksum checksum)
{
    size_t capacity = digest->checksum_count;
    *MP_APPEND(digest->checksums, digest->checksum_count, capacity) = checksum;
}

void mp_digest_free(mp_digest *digest)
{
    if (!digest)
        return;
    for (size_t i = 0; i < digest->run_count; i++)
        if (digest->runs[i] != digest)
            mp_digest_free(digest->runs[i]);
    for (int level = 0; level < MP_LEVELS; level++)
        mp_entries_free(&digest->lists[level]);
    mp_id_index_free(&digest->largest_by_frame);
    MP_FREE(digest->largest.items, digest->runs, digest->checksums, digest);
}
