/* Suppression: which leaks of a window are accepted. */
#include <stdlib.h>

#include "base/memory.h"
#include "query/suppression.h"
#include "query/verdict.h"
#include "query/window_cache.h"

/* Leaks of a context. */
typedef struct context_leak {
    int64_t objects, bytes; /* created in the window */
    int64_t growth;         /* leaking growth of older objects, bytes */
    uint32_t site;          /* number of the site, from 1 */
} context_leak;

typedef struct builder {
    const mp_window *window;
    mp_matcher *matcher;
    mp_suppressed *suppressed;
    context_leak *leaks;
    size_t *last_of_site; /* last suppression that counted each site, from 1 */
} builder;

const char *mp_suppression_status_name(mp_suppression_status status)
{
    static const char *const names[] = {"unused", "used", "expired", "over limit"};
    return names[status];
}

/* Return the leaks of each context before suppression: objects created in the window, and leaking
 * growth of older objects. A context belongs to one site, which can be found from any of its
 * generations. */
static context_leak *leaks_of_contexts(const mp_window *window, uint32_t *sites)
{
    const mp_model *model = window->model;
    const mp_balance *balances = mp_window_balances(window);
    const mp_grouping *grouping = mp_known_groups(window, mp_dimension_find("site"), 0);
    const mp_leak_verdict *verdict = mp_window_verdict(window);
    context_leak *leaks = mp_alloc_zero(model->contexts.count, sizeof *leaks);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.items[i];
        uint32_t site = grouping->group_of[i];
        const bool is_new = mp_window_leaks(window, generation->context, generation->born);
        if (!site || (!is_new && !verdict->generations[i]))
            continue;
        context_leak *leak = &leaks[generation->context.i];
        leak->site = site;
        if (is_new) {
            leak->objects += mp_cost_live(balances[i].end);
            leak->bytes += balances[i].end.bytes;
        } else {
            leak->growth += mp_verdict_bytes(window, verdict, i);
        }
    }
    *sites = grouping->count;
    return leaks;
}

/* Add up the leaks that this suppression matches and that no earlier suppression matched. Set
 * *growth to the growth of older objects among them. `matching` has a flag for each context. */
static mp_suppression_effect find(builder *shop, size_t number, const bool *matching,
                                  int64_t *growth)
{
    mp_suppression_effect effect = {.status = MP_SUPPRESSION_UNUSED};
    *growth = 0;
    for (uint32_t i = 1; i < shop->window->model->contexts.count; i++) {
        const context_leak *leak = &shop->leaks[i];
        if (!matching[i] || shop->suppressed->contexts[i])
            continue;
        effect.objects += leak->objects;
        effect.bytes += leak->bytes;
        *growth += leak->growth;
        if ((leak->objects > 0 || leak->growth > 0) && shop->last_of_site[leak->site] != number) {
            shop->last_of_site[leak->site] = number;
            effect.sites++;
        }
    }
    return effect;
}

static void apply(builder *shop, size_t i)
{
    const mp_model *model = shop->window->model;
    const mp_suppression *suppression = &shop->suppressed->suppressions->items[i];
    mp_suppression_effect *effect = &shop->suppressed->effects[i];
    bool *matching =
        mp_matcher_ask(shop->matcher, suppression->criteria, suppression->criterion_count, NULL);
    int64_t growth;
    *effect = find(shop, i + 1, matching, &growth);
    if (suppression->last_day && suppression->last_day < shop->suppressed->suppressions->today)
        effect->status = MP_SUPPRESSION_EXPIRED;
    else if (suppression->has_limit && effect->bytes + growth > suppression->limit_bytes)
        effect->status = MP_SUPPRESSION_OVER_LIMIT;
    else if (effect->sites)
        effect->status = MP_SUPPRESSION_USED;
    if (effect->status == MP_SUPPRESSION_USED) {
        for (uint32_t context = 1; context < model->contexts.count; context++)
            shop->suppressed->contexts[context] |= matching[context];
        shop->suppressed->objects += effect->objects;
        shop->suppressed->bytes += effect->bytes;
    }
    free(matching);
}

void mp_window_suppress(mp_window *window, const mp_suppressions *suppressions)
{
    uint32_t sites;
    if (!suppressions)
        return;
    mp_suppressed *suppressed = mp_alloc(sizeof *suppressed);
    *suppressed = (mp_suppressed){
        .suppressions = suppressions,
        .effects = mp_alloc_zero(suppressions->count + 1, sizeof *suppressed->effects),
        .contexts = mp_alloc_zero(window->model->contexts.count, sizeof *suppressed->contexts)};
    builder shop = {.window = window,
                    .matcher = mp_matcher_new(window->model, MP_THINGS_CONTEXTS),
                    .suppressed = suppressed,
                    .leaks = leaks_of_contexts(window, &sites)};
    shop.last_of_site = mp_alloc_zero((size_t)sites + 1, sizeof *shop.last_of_site);
    for (size_t i = 0; i < suppressions->count; i++)
        apply(&shop, i);
    mp_matcher_free(shop.matcher);
    free(shop.last_of_site);
    free(shop.leaks);
    window->suppressed = suppressed;
    mp_window_cache_clear(window->cache);
}

bool *mp_suppressed_ever(const mp_window *window)
{
    const mp_suppressed *suppressed = window->suppressed;
    const uint32_t count = window->model->contexts.count;
    mp_matcher *matcher = mp_matcher_new(window->model, MP_THINGS_CONTEXTS);
    bool *ever = suppressed ? mp_alloc_zero(count, sizeof *ever) : NULL;
    for (size_t i = 0; suppressed && i < suppressed->suppressions->count; i++) {
        const mp_suppression *suppression = &suppressed->suppressions->items[i];
        const mp_suppression_status status = suppressed->effects[i].status;
        if (status != MP_SUPPRESSION_USED && status != MP_SUPPRESSION_UNUSED)
            continue;
        bool *matching =
            mp_matcher_ask(matcher, suppression->criteria, suppression->criterion_count, NULL);
        for (uint32_t context = 1; context < count; context++)
            ever[context] |= matching[context];
        free(matching);
    }
    mp_matcher_free(matcher);
    return ever;
}
