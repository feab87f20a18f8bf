#include "compare/decide.h"

#include <stdlib.h>

#include "query/accumulation.h"
#include "query/platform.h"
#include "query/suppression.h"

static const char worst_leak[] = "worst leak", most_of[] = "most";

static const char *told(mp_evaluation *evaluation, const char *as, mp_measure measure,
                        int64_t amount, const char *label)
{
    const mp_model *model = evaluation->context->model;
    if (!amount && model && model->holds & MP_HOLDS_UNSIZED)
        return mp_arena_format(evaluation->scratch, "; %s: %s", as, label);
    return mp_arena_format(
        evaluation->scratch, "; %s: %s, %s", as,
        mp_quantity_text(evaluation->scratch, measure, amount, evaluation->context->exact_bytes),
        label);
}

/* Return a text about the first suppression that matches leaks but has no effect, because it
 * expired or is over its limit; "" if there is no such suppression. */
static const char *lapsed_text(mp_evaluation *evaluation, const mp_window *window)
{
    const mp_suppressed *suppressed = window->suppressed;
    for (size_t i = 0; suppressed && i < suppressed->suppressions->count; i++) {
        const mp_suppression *suppression = &suppressed->suppressions->items[i];
        const mp_suppression_effect *effect = &suppressed->effects[i];
        if (!effect->sites || effect->status == MP_SUPPRESSION_USED)
            continue;
        if (effect->status == MP_SUPPRESSION_EXPIRED)
            return mp_arena_format(evaluation->scratch, "; suppression \"%s\" expired on %s",
                                   suppression->name, suppression->expires);
        return mp_arena_format(evaluation->scratch, "; suppression \"%s\" is %s over its limit",
                               suppression->name,
                               mp_quantity_text(evaluation->scratch, MP_MEASURE_LEAKED,
                                                effect->bytes - suppression->limit_bytes, false));
    }
    return "";
}

static const char *most_leaked(mp_evaluation *evaluation, const mp_window *window)
{
    const mp_leaks *leaks = mp_window_leak_sites(window);
    const mp_measure measure = evaluation->rule->measure;
    if (!leaks->count)
        return lapsed_text(evaluation, window);
    const mp_leak *first = &leaks->items[0];
    return mp_arena_format(
        evaluation->scratch, "%s%s",
        told(evaluation, leaks->leaking ? worst_leak : most_of, measure,
             measure == MP_MEASURE_LEAKED ? mp_leak_bytes(first) : mp_leak_objects(first),
             mp_leak_text(evaluation->scratch, window->model, first)),
        lapsed_text(evaluation, window));
}

/* Return the site with most bytes or most growth. Dumps have no sites; for them, return the
 * type. */
static const char *most_held(mp_evaluation *evaluation, const mp_window *window, bool growth)
{
    const bool has_sites = window->model->holds & MP_HOLDS_SITES;
    const mp_grouping *sites =
        mp_window_groups(window, mp_dimension_find(has_sites ? "site" : "type"), 0);
    const mp_group *worst = NULL;
    int64_t most = 0, *held = mp_held_of_groups(window, sites);
    for (uint32_t i = 0; i < sites->count; i++) {
        const mp_group *site = &sites->groups[i];
        const int64_t bytes = held[i] - (growth ? site->from_bytes : 0);
        if (!worst || bytes > most) {
            worst = site;
            most = bytes;
        }
    }
    free(held);
    return worst ? told(evaluation, most_of, MP_MEASURE_LIVE, most, worst->label) : "";
}

/* Return the worst steady leak. For dumps, return the holder of most of the growth or, if there is
 * none, the type. */
static const char *most_leaking(mp_evaluation *evaluation, const mp_window *window)
{
    int64_t bytes;
    size_t count = 0;
    const mp_growing_holder *holder =
        window == evaluation->context->window
            ? mp_growing_holders(evaluation->scratch, window, 1, &count)
            : NULL;
    if (count)
        return told(evaluation, most_of, MP_MEASURE_TREND, holder->bytes - holder->from_bytes,
                    holder->text);
    const char *worst = mp_worst_leak_text(evaluation->scratch, window, &bytes);
    const bool history = window->model->holds & MP_HOLDS_HISTORY;
    return worst ? told(evaluation, history ? worst_leak : most_of, MP_MEASURE_TREND, bytes, worst)
                 : "";
}

/* Return the site that grew most and the worst leak. For dumps, return the holder of most of the
 * growth. */
static const char *most_grown(mp_evaluation *evaluation, const mp_window *window)
{
    const char *leak = most_leaking(evaluation, window);
    return mp_window_tells_holders(window) && *leak
               ? leak
               : mp_arena_format(evaluation->scratch, "%s%s", most_held(evaluation, window, true),
                                 leak);
}

static const char *most_platform(mp_evaluation *evaluation, const mp_window *window)
{
    int64_t most;
    const mp_platform_id area = mp_platform_growing(window, &most);
    return area.i ? told(evaluation, most_of, MP_MEASURE_PLATFORM_GROWTH, most,
                         mp_model_text(window->model, window->model->platforms.items[area.i]))
                  : "";
}

const char *mp_most_of_whole(mp_evaluation *evaluation, const mp_window *window)
{
    if (*evaluation->result->warning)
        return most_leaking(evaluation, window);
    switch (evaluation->rule->measure) {
    case MP_MEASURE_LEAKED:
    case MP_MEASURE_LEAKED_OBJECTS:
        return most_leaked(evaluation, window);
    case MP_MEASURE_LIVE:
        return most_held(evaluation, window, false);
    case MP_MEASURE_GROWTH:
        return most_grown(evaluation, window);
    case MP_MEASURE_TREND:
        return most_leaking(evaluation, window);
    case MP_MEASURE_PLATFORM_GROWTH:
        return most_platform(evaluation, window);
    default:
        return NULL;
    }
}
