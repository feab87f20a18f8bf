/* From a model to a digest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/entries.h"
#include "compare/substitution.h"
#include "memprof/analysis_graph.h"
#include "memprof/analysis_profile.h"
#include "support/index.h"
#include "support/memory.h"

mp_amounts mp_amounts_add(mp_amounts a, mp_amounts b)
{
    return (mp_amounts){.objects = a.objects + b.objects,
                        .bytes = a.bytes + b.bytes,
                        .created = a.created + b.created,
                        .created_bytes = a.created_bytes + b.created_bytes,
                        .deleted = a.deleted + b.deleted,
                        .leaked_objects = a.leaked_objects + b.leaked_objects,
                        .leaked_bytes = a.leaked_bytes + b.leaked_bytes,
                        .retained_bytes = a.retained_bytes + b.retained_bytes,
                        .exclusive_us = a.exclusive_us + b.exclusive_us,
                        .calls = a.calls + b.calls};
}

mp_amounts mp_amounts_subtract(mp_amounts a, mp_amounts b)
{
    return (mp_amounts){.objects = a.objects - b.objects,
                        .bytes = a.bytes - b.bytes,
                        .created = a.created - b.created,
                        .created_bytes = a.created_bytes - b.created_bytes,
                        .deleted = a.deleted - b.deleted,
                        .leaked_objects = a.leaked_objects - b.leaked_objects,
                        .leaked_bytes = a.leaked_bytes - b.leaked_bytes,
                        .retained_bytes = a.retained_bytes - b.retained_bytes,
                        .exclusive_us = a.exclusive_us - b.exclusive_us,
                        .calls = a.calls - b.calls};
}

/* --- lists in the making --- */

const char *mp_grain_name(mp_grain grain)
{
    static const char *const names[MP_GRAINS] = {"site", "type", "line", "method", "module", NULL};
    return names[grain];
}

typedef struct meaning_probe {
    const mp_entries *entries;
    const mp_meaning *meaning;
} meaning_probe;

static bool same_meaning(const void *context, uint32_t value)
{
    const meaning_probe *probe = context;
    const mp_meaning *a = &probe->entries->at[value - 1].meaning, *b = probe->meaning;
    return a->type == b->type && a->name == b->name && a->program == b->program &&
           a->frame == b->frame && a->line == b->line && a->overload == b->overload;
}

size_t mp_entry_for(mp_entries *entries, mp_hash_index *index, mp_meaning meaning)
{
    uint32_t words[] = {meaning.type,  meaning.name, meaning.program,
                        meaning.frame, meaning.line, meaning.overload};
    uint64_t hash = mp_hash_bytes(words, sizeof words);
    meaning_probe probe = {entries, &meaning};
    size_t place;
    uint32_t found = mp_hash_index_find(index, hash, same_meaning, &probe, &place);
    if (!found) {
        mp_grow(&entries->at, &entries->capacity, entries->count + 1, sizeof *entries->at);
        entries->at[entries->count++] = (mp_entry){.meaning = meaning};
        found = (uint32_t)entries->count;
        mp_hash_index_set(index, place, hash, found);
    }
    return found - 1;
}

/* --- names --- */

typedef struct workshop {
    const mp_model *model;
    const mp_window *window;
    mp_meanings *meanings;
    const mp_digest_options *options;
    mp_substitutions *substitutions;
    char *label; /* room for the one at hand */
    size_t label_capacity;
    uint32_t *frames; /* of each place in model->tree */
    uint32_t *types;  /* of each type, + 1; 0: not looked at yet */
    mp_digest *digest;
} workshop;

static uint32_t meaning_of(workshop *shop, const char *text)
{
    return mp_meaning_of(shop->meanings, mp_substitute(shop->substitutions, text));
}

static char *label_room(workshop *shop, int length)
{
    mp_grow(&shop->label, &shop->label_capacity, (size_t)length + 1, 1);
    return shop->label;
}

static uint32_t type_meaning(workshop *shop, mp_type_id type)
{
    if (!shop->types[type.i]) {
        int length = mp_type_label(shop->model, type, NULL, 0);
        char *label = label_room(shop, length);
        mp_type_label(shop->model, type, label, (size_t)length + 1);
        shop->types[type.i] = meaning_of(shop, label) + 1;
    }
    return shop->types[type.i] - 1;
}

static uint32_t node_name(workshop *shop, uint32_t node)
{
    int length = mp_tree_label(shop->model, node, NULL, 0);
    char *label = label_room(shop, length);
    mp_tree_label(shop->model, node, label, (size_t)length + 1);
    return meaning_of(shop, label);
}

static uint32_t line_of(const workshop *shop, uint32_t line)
{
    return shop->options->ignore_lines ? MP_NO_LINE : line;
}

/* Parents stand before their children. */
static void mean_frames(workshop *shop)
{
    const mp_model *model = shop->model;
    shop->frames = mp_alloc_zero(model->tree.count + 1u, sizeof *shop->frames);
    for (uint32_t i = 1; i < model->tree.count; i++) {
        const mp_tree_node *node = &model->tree.at[i];
        mp_meant_frame frame = {.caller = shop->frames[node->parent],
                                .name = node_name(shop, i),
                                .line = node->parent ? line_of(shop, node->line) : MP_NO_LINE,
                                .wrapper = model->symbols.at[node->symbol.i].wrapper};
        shop->frames[i] = mp_meaning_frame(shop->meanings, frame);
    }
}

/* What the list of this grain says of a meaning; nothing yet where it is new. Valid until the next
 * one. */
static mp_amounts *amounts_for(workshop *shop, mp_grain grain, mp_hash_index *index,
                               mp_meaning meaning)
{
    mp_entries *entries = &shop->digest->lists[grain];
    size_t place = mp_entry_for(entries, index, meaning);
    return &entries->at[place].amounts;
}

/* --- heaps --- */

static uint32_t name_meaning(workshop *shop, mp_symbol_id name)
{
    if (!name.i)
        return 0;
    int length = mp_symbol_label(shop->model, name, NULL, 0);
    char *label = label_room(shop, length);
    mp_symbol_label(shop->model, name, label, (size_t)length + 1);
    return meaning_of(shop, label);
}

static mp_meaning lot_meaning(workshop *shop, const mp_lot *lot)
{
    const mp_model *model = shop->model;
    uint32_t node = model->tree_of[lot->node.i];
    mp_meaning meaning = {.type = type_meaning(shop, mp_site_type(model, lot)),
                          .name = name_meaning(shop, lot->name),
                          .frame = shop->frames[node],
                          .line = node || lot->line ? line_of(shop, lot->line) : MP_NO_LINE};
    uint32_t naming = shop->frames[mp_frame_naming(model, (mp_frame){node, lot->line}).node];
    meaning.program = mp_meaning_frame_at(shop->meanings, naming)->name;
    return meaning;
}

static mp_amounts flow_amounts(const mp_window *window, const mp_flow *flow,
                               const mp_cohort *cohort)
{
    const mp_cost *cost = &flow->cost;
    mp_amounts amounts = {.objects = mp_cost_live(*cost),
                          .bytes = cost->bytes,
                          .created = cost->created,
                          .created_bytes = cost->created_bytes,
                          .deleted = cost->deleted};
    if (mp_window_leaks(window, cohort->lot, cohort->born)) {
        amounts.leaked_objects = amounts.objects;
        amounts.leaked_bytes = amounts.bytes;
    }
    return amounts;
}

static void digest_sites(workshop *shop)
{
    const mp_model *model = shop->model;
    mp_entries *sites = &shop->digest->lists[MP_GRAIN_SITE];
    mp_hash_index index = {0};
    uint32_t *entry_of = mp_alloc_zero(model->lots.count, sizeof *entry_of);
    for (uint32_t i = 1; i < model->flows.count; i++) {
        const mp_flow *flow = &model->flows.at[i];
        const mp_cohort *cohort = &model->cohorts.at[flow->cohort.i];
        const mp_lot *lot = &model->lots.at[cohort->lot.i];
        if (lot->reusable || !mp_window_before_to(shop->window, flow->mark))
            continue;
        if (!entry_of[cohort->lot.i])
            entry_of[cohort->lot.i] =
                (uint32_t)mp_entry_for(sites, &index, lot_meaning(shop, lot)) + 1;
        mp_entry *entry = &sites->at[entry_of[cohort->lot.i] - 1];
        entry->amounts = mp_amounts_add(entry->amounts, flow_amounts(shop->window, flow, cohort));
    }
    free(entry_of);
    mp_hash_index_free(&index);
}

/* What is alive by type, and what each type retains where the graph is of the window's end. */
static void digest_types(workshop *shop)
{
    const mp_graph *graph = shop->model->graph;
    const mp_entries *sites = &shop->digest->lists[MP_GRAIN_SITE];
    mp_hash_index index = {0};
    for (size_t i = 0; i < sites->count; i++) {
        mp_meaning meaning = {.type = sites->at[i].meaning.type, .line = MP_NO_LINE};
        mp_amounts *amounts = amounts_for(shop, MP_GRAIN_TYPE, &index, meaning);
        *amounts = mp_amounts_add(*amounts, sites->at[i].amounts);
    }
    if (graph && graph->mark.i == shop->window->ranges[1].to.i) {
        mp_dominators dominators = mp_dominators_of(graph);
        mp_retainers retainers =
            mp_retainers_of(shop->model, graph, &dominators, MP_RETAINED_BY_TYPE);
        for (uint32_t i = 0; i < retainers.count; i++) {
            mp_meaning meaning = {.type = meaning_of(shop, retainers.at[i].label),
                                  .line = MP_NO_LINE};
            amounts_for(shop, MP_GRAIN_TYPE, &index, meaning)->retained_bytes +=
                retainers.at[i].retained_bytes;
        }
        shop->digest->knows |= MP_KNOWS_RETAINED;
        mp_retainers_free(&retainers);
        mp_dominators_free(&dominators);
    }
    mp_hash_index_free(&index);
}

static void digest_groups(workshop *shop)
{
    if (!shop->options->dimension)
        return;
    mp_grouping grouping = mp_group_by(shop->window, shop->options->dimension);
    mp_hash_index index = {0};
    for (uint32_t i = 0; i < grouping.count; i++) {
        const mp_group *group = &grouping.groups[i];
        mp_meaning meaning = {.name = meaning_of(shop, group->label), .line = MP_NO_LINE};
        mp_amounts *amounts = amounts_for(shop, MP_GRAIN_GROUP, &index, meaning);
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
    mp_grouping_free(&grouping);
}

static void digest_heap(workshop *shop)
{
    mp_digest *digest = shop->digest;
    mp_totals totals = mp_totals_of(shop->window);
    shop->types = mp_alloc_zero(shop->model->types.count, sizeof *shop->types);
    digest->knows = MP_KNOWS_LIVE;
    if (shop->model->holds & MP_HOLDS_HISTORY)
        digest->knows |= MP_KNOWS_HISTORY;
    mean_frames(shop);
    digest_sites(shop);
    digest_types(shop);
    digest_groups(shop);
    for (size_t i = 0; i < digest->lists[MP_GRAIN_SITE].count; i++)
        digest->totals = mp_amounts_add(digest->totals, digest->lists[MP_GRAIN_SITE].at[i].amounts);
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

static void digest_lines(workshop *shop)
{
    mp_line_costs lines = mp_profile_line_costs(shop->model);
    mp_hash_index index = {0};
    for (size_t i = 0; i < lines.count; i++) {
        const mp_line_cost *line = &lines.at[i];
        mp_meaning meaning = {.name = meaning_of(shop, mp_model_text(shop->model, line->method)),
                              .program =
                                  meaning_of(shop, mp_model_text(shop->model, line->program)),
                              .line = line_of(shop, (uint32_t)line->line),
                              .overload = line->overload};
        add_costs(amounts_for(shop, MP_GRAIN_LINE, &index, meaning), line->exclusive_us,
                  line->executions);
    }
    mp_hash_index_free(&index);
    free(lines.at);
}

static void digest_methods(workshop *shop, mp_grain grain, const mp_method_costs *costs)
{
    mp_hash_index index = {0};
    for (size_t i = 0; i < costs->count; i++) {
        const mp_method_cost *cost = &costs->at[i];
        mp_meaning meaning = {.name = meaning_of(shop, mp_model_text(shop->model, cost->method)),
                              .program =
                                  meaning_of(shop, mp_model_text(shop->model, cost->program)),
                              .line = MP_NO_LINE,
                              .overload = cost->overload};
        add_costs(amounts_for(shop, grain, &index, meaning), cost->exclusive_us, cost->calls);
    }
    mp_hash_index_free(&index);
}

static void digest_profile(workshop *shop)
{
    mp_digest *digest = shop->digest;
    mp_profile_totals totals = mp_profile_total(shop->model);
    mp_method_costs methods = mp_profile_method_costs(shop->model);
    mp_method_costs programs = mp_profile_program_costs(shop->model);
    digest->knows = MP_KNOWS_COSTS;
    digest_lines(shop);
    digest_methods(shop, MP_GRAIN_METHOD, &methods);
    digest_methods(shop, MP_GRAIN_MODULE, &programs);
    digest->totals = (mp_amounts){.exclusive_us = totals.exclusive_us, .calls = totals.calls};
    digest->modules = totals.modules;
    free(methods.at);
    free(programs.at);
}

/* --- digests --- */

static void describe(workshop *shop)
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
        int length = snprintf(NULL, 0, "%s@%s", first->path, snapshot);
        char *path = label_room(shop, length);
        snprintf(path, (size_t)length + 1, "%s%s%s", first->path, *snapshot ? "@" : "", snapshot);
        digest->path = mp_meaning_text(shop->meanings, mp_meaning_of(shop->meanings, path));
        digest->format = first->format;
        digest->format_version = first->format_version;
    }
}

mp_digest *mp_digest_of(const mp_model *model, const mp_window *window, mp_meanings *meanings,
                        const mp_digest_options *options)
{
    mp_digest *digest = mp_alloc_zero(1, sizeof *digest);
    workshop shop = {.model = model,
                     .window = window,
                     .meanings = meanings,
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
    free(shop.label);
    return digest;
}

void mp_digest_free(mp_digest *digest)
{
    if (!digest)
        return;
    for (int grain = 0; grain < MP_GRAINS; grain++)
        free(digest->lists[grain].at);
    free(digest);
}
