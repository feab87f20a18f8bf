/* From a model to a digest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/dictionary.h"
#include "compare/substitution.h"
#include "query/graph_query.h"
#include "query/profile_costs.h"

const mp_amount_field mp_amount_fields[MP_AMOUNTS] = {
    {"objects", MP_HAS_LIVE},
    {"bytes", MP_HAS_LIVE},
    {"created_objects", MP_HAS_HISTORY},
    {"created_bytes", MP_HAS_HISTORY},
    {"deleted_objects", MP_HAS_HISTORY},
    {"leaked_objects", MP_HAS_HISTORY},
    {"leaked_bytes", MP_HAS_HISTORY},
    {"retained_bytes", MP_HAS_RETAINED},
    {"exclusive_us", MP_HAS_COSTS},
    {"calls", MP_HAS_COSTS},
};

mp_amounts mp_amounts_add(mp_amounts a, mp_amounts b)
{
    for (size_t i = 0; i < MP_AMOUNTS; i++)
        a.at[i] += b.at[i];
    return a;
}

mp_amounts mp_amounts_subtract(mp_amounts a, mp_amounts b)
{
    for (size_t i = 0; i < MP_AMOUNTS; i++)
        a.at[i] -= b.at[i];
    return a;
}

const char *mp_level_name(mp_level level)
{
    static const char *const names[MP_LEVELS] = {"site", "type", "line", "method", "module", NULL};
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
    mp_arena labels;  /* what the model does not have as text */
    uint32_t *frames; /* of each place in model->tree */
    uint32_t *types;  /* of each type, + 1; 0: not looked at yet */
    mp_digest *digest;
} builder;

static uint32_t key_of(builder *shop, const char *text)
{
    return mp_dictionary_id(shop->dictionary, mp_substitute(shop->substitutions, text));
}

static uint32_t type_key(builder *shop, mp_type_id type)
{
    if (!shop->types[type.i])
        shop->types[type.i] = key_of(shop, mp_type_label(&shop->labels, shop->model, type)) + 1;
    return shop->types[type.i] - 1;
}

static uint32_t node_name(builder *shop, uint32_t node)
{
    return key_of(shop, mp_tree_label(&shop->labels, shop->model, node));
}

static uint32_t line_of(const builder *shop, uint32_t line)
{
    return shop->options->ignore_lines ? MP_NO_LINE : line;
}

/* Parents stand before their children. */
static void mean_frames(builder *shop)
{
    const mp_model *model = shop->model;
    shop->frames = mp_alloc_zero(model->tree.count + 1u, sizeof *shop->frames);
    for (uint32_t i = 1; i < model->tree.count; i++) {
        const mp_tree_node *node = &model->tree.at[i];
        mp_frame_key frame = {.caller = shop->frames[node->parent],
                              .name = node_name(shop, i),
                              .line = node->parent ? line_of(shop, node->line) : MP_NO_LINE,
                              .allocator = model->symbols.at[node->symbol.i].allocator};
        shop->frames[i] = mp_dictionary_frame(shop->dictionary, frame);
    }
}

/* What the list of this level says of a key; nothing yet where it is new. Valid until the next
 * one. */
static mp_amounts *amounts_for(builder *shop, mp_level level, mp_hash_index *index,
                               mp_entry_key key)
{
    mp_entries *entries = &shop->digest->lists[level];
    size_t place = mp_entry_for(entries, index, key);
    return &entries->at[place].amounts;
}

/* --- heaps --- */

static uint32_t name_key(builder *shop, mp_symbol_id name)
{
    return name.i ? key_of(shop, mp_symbol_label(&shop->labels, shop->model, name)) : 0;
}

static mp_entry_key context_key(builder *shop, const mp_context *context)
{
    const mp_model *model = shop->model;
    uint32_t node = model->tree_of[context->node.i];
    mp_entry_key key = {.type = type_key(shop, mp_site_type(model, context)),
                        .name = name_key(shop, context->name),
                        .frame = shop->frames[node],
                        .line = node || context->line ? line_of(shop, context->line) : MP_NO_LINE};
    uint32_t naming = shop->frames[mp_frame_naming(model, (mp_frame){node, context->line}).node];
    key.program = mp_dictionary_frame_at(shop->dictionary, naming)->name;
    return key;
}

static mp_amounts delta_amounts(const mp_window *window, const mp_delta *delta,
                                const mp_generation *generation)
{
    const mp_cost *cost = &delta->cost;
    mp_amounts amounts = {.objects = mp_cost_live(*cost),
                          .bytes = cost->bytes,
                          .created = cost->created,
                          .created_bytes = cost->created_bytes,
                          .deleted = cost->deleted};
    if (mp_window_leaks(window, generation->context, generation->born)) {
        amounts.leaked_objects = amounts.objects;
        amounts.leaked_bytes = amounts.bytes;
    }
    return amounts;
}

static void digest_sites(builder *shop)
{
    const mp_model *model = shop->model;
    mp_entries *sites = &shop->digest->lists[MP_LEVEL_SITE];
    mp_hash_index index = {0};
    uint32_t *entry_of = mp_alloc_zero(model->contexts.count, sizeof *entry_of);
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.at[i];
        const mp_generation *generation = &model->generations.at[delta->generation.i];
        const mp_context *context = &model->contexts.at[generation->context.i];
        if (context->reusable || !mp_window_before_to(shop->window, delta->snapshot) ||
            !mp_filter_has_generation(shop->window->filter, delta->generation))
            continue;
        if (!entry_of[generation->context.i])
            entry_of[generation->context.i] =
                (uint32_t)mp_entry_for(sites, &index, context_key(shop, context)) + 1;
        mp_entry *entry = &sites->at[entry_of[generation->context.i] - 1];
        entry->amounts =
            mp_amounts_add(entry->amounts, delta_amounts(shop->window, delta, generation));
    }
    free(entry_of);
    mp_hash_index_free(&index);
}

/* What is alive by type, and what each type retains where the graph is of the window's end. */
static void digest_types(builder *shop)
{
    const mp_graph *graph = shop->filter->graph;
    const mp_entries *sites = &shop->digest->lists[MP_LEVEL_SITE];
    mp_hash_index index = {0};
    for (size_t i = 0; i < sites->count; i++) {
        mp_entry_key key = {.type = sites->at[i].key.type, .line = MP_NO_LINE};
        mp_amounts *amounts = amounts_for(shop, MP_LEVEL_TYPE, &index, key);
        *amounts = mp_amounts_add(*amounts, sites->at[i].amounts);
    }
    if (graph && graph->snapshot.i == shop->window->ranges[1].to.i) {
        mp_graph_view view = mp_graph_view_of(shop->filter);
        mp_histogram histogram = mp_histogram_of(&view, MP_HISTOGRAM_OF_TYPES);
        for (uint32_t i = 0; i < histogram.count; i++) {
            mp_entry_key key = {.type = key_of(shop, histogram.at[i].label), .line = MP_NO_LINE};
            amounts_for(shop, MP_LEVEL_TYPE, &index, key)->retained_bytes +=
                histogram.at[i].retained_bytes;
        }
        shop->digest->has |= MP_HAS_RETAINED;
        mp_histogram_free(&histogram);
        mp_graph_view_free(&view);
    }
    mp_hash_index_free(&index);
}

static void digest_groups(builder *shop)
{
    if (!shop->options->dimension)
        return;
    const mp_grouping *grouping = mp_window_groups(shop->window, shop->options->dimension, 0);
    mp_hash_index index = {0};
    for (uint32_t i = 0; i < grouping->count; i++) {
        const mp_group *group = &grouping->groups[i];
        mp_entry_key key = {.name = key_of(shop, group->label), .line = MP_NO_LINE};
        mp_amounts *amounts = amounts_for(shop, MP_LEVEL_GROUP, &index, key);
        mp_amounts added = {.objects = mp_cost_live(group->to),
                            .bytes = group->to.bytes,
                            .created = group->to.created,
                            .created_bytes = group->to.created_bytes,
                            .deleted = group->to.deleted,
                            .leaked_objects = mp_cost_live(group->leaked),
                            .leaked_bytes = group->leaked.bytes};
        *amounts = mp_amounts_add(*amounts, added);
    }
    mp_hash_index_free(&index);
}

static void digest_heap(builder *shop)
{
    mp_digest *digest = shop->digest;
    mp_totals totals = mp_totals_of(shop->window);
    shop->types = mp_alloc_zero(shop->model->types.count, sizeof *shop->types);
    digest->has = MP_HAS_LIVE;
    if (shop->model->holds & MP_HOLDS_HISTORY)
        digest->has |= MP_HAS_HISTORY;
    mean_frames(shop);
    digest_sites(shop);
    digest_types(shop);
    digest_groups(shop);
    for (size_t i = 0; i < digest->lists[MP_LEVEL_SITE].count; i++)
        digest->totals = mp_amounts_add(digest->totals, digest->lists[MP_LEVEL_SITE].at[i].amounts);
    digest->peak_objects = totals.peak_objects;
    digest->peak_bytes = totals.peak_bytes;
    free(shop->types);
    free(shop->frames);
}

/* --- execution profiles --- */

static void add_costs(mp_amounts *amounts, int64_t exclusive_us, int64_t calls)
{
    amounts->exclusive_us += exclusive_us;
    amounts->calls += calls;
}

static void digest_code(builder *shop, mp_level level, const mp_code_costs *costs)
{
    mp_hash_index index = {0};
    for (size_t i = 0; i < costs->count; i++) {
        const mp_code_cost *cost = &costs->at[i];
        mp_entry_key key = {.name = key_of(shop, mp_model_text(shop->model, cost->method)),
                            .program = key_of(shop, mp_model_text(shop->model, cost->program)),
                            .line = level == MP_LEVEL_LINE ? line_of(shop, (uint32_t)cost->line)
                                                           : MP_NO_LINE,
                            .overload = cost->overload};
        add_costs(amounts_for(shop, level, &index, key), cost->exclusive_us, cost->calls);
    }
    mp_hash_index_free(&index);
}

static void digest_profile(builder *shop)
{
    mp_digest *digest = shop->digest;
    mp_profile_costs costs = mp_profile_costs_of(shop->filter);
    digest->has = MP_HAS_COSTS;
    digest_code(shop, MP_LEVEL_LINE, &costs.lines);
    digest_code(shop, MP_LEVEL_METHOD, &costs.methods);
    digest_code(shop, MP_LEVEL_MODULE, &costs.programs);
    digest->totals =
        (mp_amounts){.exclusive_us = costs.totals.exclusive_us, .calls = costs.totals.calls};
    digest->modules = costs.totals.modules;
    mp_profile_costs_free(&costs);
}

/* --- digests --- */

static void describe(builder *shop)
{
    const mp_model *model = shop->model;
    mp_digest *digest = shop->digest;
    digest->kind = model->kind;
    digest->complete = true;
    for (uint32_t i = 1; i < model->inputs.count; i++) {
        const mp_input_summary *input = &model->inputs.at[i];
        digest->bytes += input->bytes;
        digest->records += input->records;
        digest->complete &= input->complete;
    }
    if (model->inputs.count > 1) {
        const mp_input_summary *first = &model->inputs.at[1];
        const char *snapshot = mp_model_text(model, model->sessions.at[1].snapshot);
        const char *path =
            mp_arena_format(&shop->labels, "%s%s%s", first->path, *snapshot ? "@" : "", snapshot);
        digest->path =
            mp_dictionary_text(shop->dictionary, mp_dictionary_id(shop->dictionary, path));
        digest->format = first->format;
        digest->format_version = first->format_version;
    }
}

mp_digest *mp_digest_of(const mp_filter *filter, const mp_window *window, mp_dictionary *dictionary,
                        const mp_digest_options *options)
{
    mp_digest *digest = mp_alloc_zero(1, sizeof *digest);
    const mp_model *model = filter->model;
    builder shop = {.model = model,
                    .filter = filter,
                    .window = window,
                    .dictionary = dictionary,
                    .options = options,
                    .substitutions =
                        mp_substitutions_new(options->substitutions, options->substitution_count),
                    .digest = digest};
    describe(&shop);
    if (window)
        digest_heap(&shop);
    else
        digest_profile(&shop);
    mp_substitutions_free(shop.substitutions);
    mp_arena_free(&shop.labels);
    return digest;
}

void mp_digest_free(mp_digest *digest)
{
    if (!digest)
        return;
    for (int level = 0; level < MP_LEVELS; level++)
        free(digest->lists[level].at);
    free(digest);
}
