#include "query/leaks.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "query/labels.h"
#include "query/window_cache.h"

/* Add the name of an object to the names of its leak. An unnamed object has the name "" until all
 * objects are seen. */
static void add_name(const mp_model *model, mp_leak *leak, mp_arena *arena, mp_symbol_id name)
{
    if (leak->names_differ)
        return;
    const char *text = name.i ? mp_symbol_label(arena, model, name) : "";
    if (!leak->name)
        leak->name = text;
    else if (strcmp(leak->name, text) != 0)
        leak->names_differ = true;
}

/* Set the names of the leaks. `leak_of` has the number of the leak of each site, from 1; 0:
 * none. */
static void add_names(const mp_window *window, const mp_grouping *sites, mp_leaks *leaks,
                      const uint32_t *leak_of)
{
    const mp_model *model = window->model;
    const mp_balance *balances = mp_window_balances(window);
    const mp_leak_verdict *verdict = mp_window_verdict(window);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        uint32_t site = sites->group_of[i];
        const mp_generation *generation = &model->generations.items[i];
        if (!site || !leak_of[site - 1] || !mp_cost_live(balances[i].end))
            continue;
        mp_leak *leak = &leaks->items[leak_of[site - 1] - 1];
        if (leak->objects > 0 ? mp_window_leaks(window, generation->context, generation->born)
                              : verdict->generations[i])
            add_name(model, leak, leaks->private,
                     model->contexts.items[generation->context.i].name);
    }
    for (uint32_t i = 0; i < leaks->count; i++)
        if (leaks->items[i].names_differ || (leaks->items[i].name && !*leaks->items[i].name))
            leaks->items[i].name = NULL;
}

/* --- types recorded by later deletions --- */

/* Number of blocks of a leak that were later deleted with this type; type 0: never deleted. */
typedef struct fate {
    uint32_t leak, type;
    int64_t objects;
} fate;

static int by_leak_then_type(const void *left, const void *right)
{
    const fate *a = left, *b = right;
    int order = MP_COMPARE(a->leak, b->leak);
    return order ? order : MP_COMPARE(a->type, b->type);
}

/* Infer the type of most of a leak's blocks. The type of blocks that were never deleted is inferred
 * from the deletions of other blocks with the same call stack. */
static mp_inference most_likely(const mp_model *model, const mp_inference *crawl, const fate *fates,
                                size_t count)
{
    int64_t scale = crawl->deleted ? crawl->deleted : 1, total = 0;
    int64_t guessed = fates[0].type ? 0 : fates[0].objects * crawl->typed;
    mp_inference best = {.type = guessed ? crawl->type : (mp_type_id){0}, .typed = guessed};
    for (size_t i = 0; i < count; i++) {
        mp_type_id type = {fates[i].type};
        int64_t typed = fates[i].objects * scale + (type.i == crawl->type.i ? guessed : 0);
        total += fates[i].objects;
        if (!mp_type_is_real(model, type) || typed < best.typed)
            continue;
        const char *name = mp_model_text(model, model->types.items[type.i].name);
        if (typed > best.typed || !best.type.i ||
            strcmp(name, mp_model_text(model, model->types.items[best.type.i].name)) < 0)
            best.type = type;
        best.typed = typed;
    }
    best.deleted = total * scale;
    return best;
}

static void judge_types(const mp_window *window, const mp_grouping *sites, mp_leaks *leaks,
                        const uint32_t *leak_of)
{
    const mp_model *model = window->model;
    const mp_balance *balances = mp_window_balances(window);
    fate *fates = NULL;
    size_t count = 0, capacity = 0;
    bool stated = false;
    for (uint32_t i = 1; model->events && i < model->generations.count; i++) {
        uint32_t site = sites->group_of[i];
        const mp_generation *generation = &model->generations.items[i];
        int64_t objects = mp_cost_live(balances[i].end);
        if (!site || !leak_of[site - 1] || !objects ||
            !mp_window_leaks(window, generation->context, generation->born))
            continue;
        mp_grow(&fates, &capacity, count + 1, sizeof *fates);
        fates[count] =
            (fate){leak_of[site - 1], model->contexts.items[generation->context.i].type.i, objects};
        stated |= fates[count++].type != 0;
    }
    if (stated) /* false at the end of a log, after which nothing is deleted */
        qsort(fates, count, sizeof *fates, by_leak_then_type);
    for (size_t i = 0, end; stated && i < count; i = end) {
        size_t kept = i; /* merge entries of one type */
        for (end = i + 1; end < count && fates[end].leak == fates[i].leak; end++)
            if (fates[end].type == fates[kept].type)
                fates[kept].objects += fates[end].objects;
            else
                fates[++kept] = fates[end];
        mp_leak *leak = &leaks->items[fates[i].leak - 1];
        mp_inference *judged = mp_arena_alloc(leaks->private, sizeof *judged);
        *judged = most_likely(model, leak->inference, &fates[i], kept + 1 - i);
        leak->inference = judged;
        leak->type = mp_type_label(leaks->private, model, judged->type);
    }
    free(fates);
}

static mp_leak leak_of_group(const mp_model *model, const mp_grouping *sites, uint32_t place,
                             const mp_site_verdict *verdict, mp_arena *arena)
{
    const mp_group *group = &sites->groups[place];
    const mp_context *context =
        &model->contexts.items[model->generations.items[group->example.i].context.i];
    return (mp_leak){.verdict = verdict,
                     .leaking_bytes = mp_site_leaking_bytes(verdict),
                     .leaking_weight = mp_site_leaking_weight(verdict),
                     .type = mp_type_label(arena, model, mp_site_type(model, context)),
                     .inference = mp_context_inference(model, context),
                     .class = model->types.items[context->type.i].class,
                     .node = model->tree_of[context->node.i],
                     .line = context->line,
                     .example = group->example,
                     .sites = sites,
                     .objects = group->leaked.objects,
                     .bytes = group->leaked.bytes,
                     .kept_bytes = mp_group_scope_of(sites, group).kept_bytes};
}

/* Add the bytes that are indirectly lost through lost blocks. They are freed together with these
 * blocks, so they count for the order. */
static void add_indirect_losses(const mp_window *window, const mp_grouping *sites, mp_leaks *leaks,
                                const uint32_t *leak_of)
{
    const mp_model *model = window->model;
    if (model->indirect_losses.count < 2)
        return;
    int64_t *loss_of = mp_alloc_zero(model->contexts.count, sizeof *loss_of);
    for (uint32_t i = 1; i < model->indirect_losses.count; i++)
        loss_of[model->indirect_losses.items[i].context.i] = model->indirect_losses.items[i].bytes;
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const uint32_t site = sites->group_of[i];
        const int64_t bytes = loss_of[model->generations.items[i].context.i];
        if (!bytes || !site || !leak_of[site - 1])
            continue;
        mp_leak *leak = &leaks->items[leak_of[site - 1] - 1];
        leak->kept_bytes += bytes;
        leak->leaking_weight += model->holds & MP_HOLDS_UNSIZED ? 0 : bytes;
        leaks->has_scope = true;
    }
    free(loss_of);
}

/* --- order --- */

typedef struct leak_order {
    const mp_model *model;
    uint32_t *ranks; /* result of mp_stack_ranks; NULL: not computed yet */
} leak_order;

/* Compare two stacks frame by frame as text, innermost first. If many frames are equal, as in deep
 * recursion, compare the ranks of the remaining frames. */
static int compare_stacks(leak_order *by, mp_frame a, mp_frame b)
{
    enum { FRAMES = 32 };
    const mp_model *model = by->model;
    uint32_t from_a = a.node, from_b = b.node; /* nodes whose callers are compared next */
    for (int i = 0; a.node != b.node || a.line != b.line; i++) {
        const mp_tree_node *x = &model->tree.items[a.node], *y = &model->tree.items[b.node];
        if (i == FRAMES) {
            by->ranks = by->ranks ? by->ranks : mp_stack_ranks(model);
            uint32_t rank_a = by->ranks[from_a], rank_b = by->ranks[from_b];
            return MP_COMPARE(rank_a, rank_b);
        }
        if (x->symbol.i != y->symbol.i || a.line != b.line || !x->symbol.i) {
            mp_arena scratch = {0};
            int order =
                strcmp(mp_frame_label(&scratch, model, a), mp_frame_label(&scratch, model, b));
            mp_arena_free(&scratch);
            if (order)
                return order;
        }
        from_a = a.node;
        from_b = b.node;
        bool more_a = mp_frame_caller(model, &a), more_b = mp_frame_caller(model, &b);
        if (!more_a || !more_b)
            return more_a - more_b;
    }
    return 0;
}

/* Return the part of the list to which a leak belongs. Objects that are lost indirectly come later,
 * because they are freed together with the objects that refer to them. */
static int part_of(const mp_leak *leak)
{
    return !leak->leaking_weight ? 2 : leak->class == MP_TYPE_LOST_INDIRECTLY;
}

static int contract_order(const void *left, const void *right, void *opaque)
{
    const mp_leak *a = left, *b = right;
    leak_order *by = opaque;
    const bool unsized = by->model->holds & MP_HOLDS_UNSIZED;
    int order = part_of(a) - part_of(b);
    order = order ? order : MP_COMPARE(b->leaking_weight, a->leaking_weight);
    order = order || unsized ? order : MP_COMPARE(b->bytes, a->bytes);
    order = order ? order : MP_COMPARE(b->objects, a->objects);
    order = order ? order : MP_COMPARE(b->bytes, a->bytes);
    order = order ? order : strcmp(a->type, b->type);
    if (!order)
        order = compare_stacks(by, (mp_frame){a->node, a->line}, (mp_frame){b->node, b->line});
    order = order ? order : MP_COMPARE(a->line, b->line);
    order = order ? order : MP_COMPARE(a->node, b->node);
    /* the types differ, but have no names */
    return order ? order : MP_COMPARE(a->example.i, b->example.i);
}

bool mp_leak_has_type(const mp_model *model, const mp_leak *leak)
{
    const mp_generation *example = &model->generations.items[leak->example.i];
    return leak->name || leak->inference || model->contexts.items[example->context.i].type.i;
}

bool mp_leak_is_growth(const mp_leak *leak)
{
    return leak->leaking_bytes > leak->bytes;
}

int64_t mp_leak_bytes(const mp_leak *leak)
{
    return mp_leak_is_growth(leak) ? leak->leaking_bytes : leak->bytes;
}

int64_t mp_leak_objects(const mp_leak *leak)
{
    return mp_leak_is_growth(leak) ? mp_cost_live(mp_leak_group(leak)->end) : leak->objects;
}

static mp_leaks find_leaks(const mp_window *window)
{
    const mp_model *model = window->model;
    const mp_grouping *sites =
        mp_known_groups(window, mp_dimension_find("site"), MP_GROUPS_GROWTH | MP_GROUPS_KEPT);
    uint32_t *leak_of = mp_alloc_zero((size_t)sites->count + 1, sizeof *leak_of);
    mp_leaks leaks = {.has_scope = sites->has_scope,
                      .items = mp_alloc_zero((size_t)sites->count + 1, sizeof *leaks.items),
                      .private = mp_alloc_zero(1, sizeof(mp_arena))};
    const mp_site_verdict **verdicts = mp_verdicts_of_sites(window, sites);
    for (uint32_t i = 0; i < sites->count; i++) {
        const mp_group *group = &sites->groups[i];
        const bool left = group->leaked.objects > 0;
        const bool leaking = verdicts[i] && mp_site_kind_leaks(verdicts[i]->kind);
        if (!left && !leaking)
            continue;
        leaks.items[leaks.count++] = leak_of_group(model, sites, i, verdicts[i], leaks.private);
        leak_of[i] = leaks.count;
        leaks.left += left;
        leaks.leaking += leaking;
        leaks.unknown |= left && verdicts[i] && verdicts[i]->kind == MP_SITE_UNKNOWN;
        leaks.objects += left ? group->leaked.objects : 0;
        leaks.bytes += left ? group->leaked.bytes : 0;
    }
    free(verdicts);
    for (uint32_t i = 1; i < model->sessions.count; i++)
        leaks.unknown |= mp_window_verdict(window)->grew[i];
    add_names(window, sites, &leaks, leak_of);
    add_indirect_losses(window, sites, &leaks, leak_of);
    judge_types(window, sites, &leaks, leak_of);
    free(leak_of);
    leak_order order = {.model = model};
    mp_sort(leaks.items, leaks.count, sizeof *leaks.items, contract_order, &order);
    free(order.ranks);
    for (uint32_t i = 0; i < leaks.count; i++)
        leaks.items[i].rank = i + 1;
    leaks.worst = leaks.leaking ? leaks.items : NULL;
    return leaks;
}

const mp_leaks *mp_window_leak_sites(const mp_window *window)
{
    mp_window_cache *cache = window->cache;
    if (!cache->leaks) {
        cache->leaks = mp_alloc(sizeof *cache->leaks);
        *cache->leaks = find_leaks(window);
    }
    return cache->leaks;
}

const char *mp_leak_text(mp_arena *arena, const mp_model *model, const mp_leak *leak)
{
    mp_frame naming = mp_frame_naming(model, (mp_frame){leak->node, leak->line});
    const char *site = mp_frame_label(arena, model, naming);
    if (!mp_leak_has_type(model, leak))
        return site;
    return mp_arena_format(arena, "%s%s%s at %s", leak->type, leak->name ? " " : "",
                           leak->name ? leak->name : "", site);
}

/* Return the type that grew most from dump to dump; if several grew equally, the first by name. */
static const char *worst_type(mp_arena *arena, const mp_window *window, int64_t *bytes)
{
    const mp_model *model = window->model;
    const mp_leak_verdict *verdict = mp_window_verdict(window);
    const char *worst = NULL;
    *bytes = 0;
    for (uint32_t i = 1; i <= verdict->site_count; i++) {
        const mp_site_verdict *site = &verdict->sites[i];
        if (!mp_site_kind_leaks(site->kind) || site->bytes < *bytes || site->bytes <= 0)
            continue;
        const mp_generation *example = &model->generations.items[site->example];
        const char *name =
            mp_type_label(arena, model, model->contexts.items[example->context.i].type);
        if (!worst || site->bytes > *bytes || strcmp(name, worst) < 0)
            worst = name;
        *bytes = site->bytes;
    }
    return worst;
}

const char *mp_worst_leak_text(mp_arena *arena, const mp_window *window, int64_t *bytes)
{
    if (!(window->model->holds & MP_HOLDS_SITES))
        return worst_type(arena, window, bytes);
    const mp_leak *worst = mp_window_leak_sites(window)->worst;
    *bytes = worst ? worst->leaking_bytes : 0;
    return worst ? mp_leak_text(arena, window->model, worst) : NULL;
}

void mp_leaks_free(mp_leaks *leaks)
{
    if (!leaks)
        return;
    mp_arena_free(leaks->private);
    MP_FREE(leaks->private, leaks->items, leaks);
}

const char *mp_dump_order_text(mp_arena *arena, const mp_model *model)
{
    return model->misplaced ? mp_arena_format(arena,
                                              "the order of the dumps is uncertain: %s may be "
                                              "earlier than the one before it",
                                              model->misplaced)
                            : NULL;
}
