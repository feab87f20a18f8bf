/* The limits that a recording of a heap is held to. */
#include <stdlib.h>

#include "base/memory.h"
#include "query/steady.h"
#include "query/suppression.h"
#include "reports/sections.h"

/* --- what has most of it --- */

/* "; suppression "x" expired on 2027-06-30": the first that matches leaks and does not suppress
 * them; else "". */
static const char *lapsed_text(mp_document *document, const mp_suppressed *suppressed)
{
    for (size_t i = 0; suppressed && i < suppressed->suppressions->count; i++) {
        const mp_suppression *suppression = &suppressed->suppressions->at[i];
        const mp_suppression_effect *effect = &suppressed->effects[i];
        if (!effect->sites || effect->status == MP_SUPPRESSION_USED)
            continue;
        return effect->status == MP_SUPPRESSION_EXPIRED
                   ? mp_document_text(document, "; suppression \"%s\" expired on %s",
                                      suppression->name, suppression->expires)
                   : mp_document_text(
                         document, "; suppression \"%s\" is %s over its limit", suppression->name,
                         mp_bytes_text(document, effect->bytes - suppression->limit_bytes, false));
    }
    return "";
}

/* The site that is largest, or grew most; of a dump, which does not tell sites, the type. */
static const char *worst_site(mp_document *document, const mp_window *window, bool by_growth)
{
    bool has_sites = window->model->holds & MP_HOLDS_HISTORY;
    const mp_grouping *sites =
        mp_window_groups(window, mp_dimension_find(has_sites ? "site" : "type"), 0);
    const mp_group *worst = NULL;
    int64_t most = 0;
    for (uint32_t i = 0; i < sites->count; i++) {
        const mp_group *site = &sites->groups[i];
        int64_t bytes = site->to.bytes - (by_growth ? site->from_bytes : 0);
        if (!worst || bytes > most) {
            worst = site;
            most = bytes;
        }
    }
    return worst ? mp_document_text(document, "; worst %s: %s, %s", has_sites ? "site" : "type",
                                    mp_bytes_text(document, most, false), worst->label)
                 : "";
}

/* "10.4 KiB, OOABL Obj shop.OrderEvent at placeOrder shop.OrderService:155" */
static const char *leak_text(mp_document *document, const mp_model *model, const mp_leak *leak,
                             int64_t bytes)
{
    mp_frame naming = mp_frame_naming(model, (mp_frame){leak->node, leak->line});
    return mp_document_text(document, "; worst site: %s, %s%s%s at %s",
                            mp_bytes_text(document, bytes, false), leak->type,
                            leak->name ? " " : "", leak->name ? leak->name : "",
                            mp_frame_text(document, model, naming));
}

static const char *worst_leak(mp_document *document, const mp_window *window)
{
    const mp_leaks *leaks = mp_window_leak_sites(window);
    const char *lapsed = lapsed_text(document, window->suppressed);
    if (!leaks->count)
        return lapsed;
    const mp_leak *largest = &leaks->at[0];
    return mp_document_text(
        document, "%s%s", leak_text(document, window->model, largest, largest->group.leaked.bytes),
        lapsed);
}

/* The site that leaks most steadily; of dumps, the type. Of equal ones the first by name. */
static const char *worst_steady(mp_document *document, const mp_window *window)
{
    bool has_sites = window->model->holds & MP_HOLDS_HISTORY;
    const mp_steady *steady = mp_window_steady(window);
    const mp_leaks *leaks = has_sites ? mp_window_leak_sites(window) : NULL;
    const mp_grouping *groups =
        mp_window_groups(window, mp_dimension_find(has_sites ? "site" : "type"), 0);
    int64_t most = 0, *bytes = mp_alloc_zero((size_t)groups->count + 1, sizeof *bytes);
    uint32_t worst = 0;
    for (uint32_t i = 1; i < window->model->generations.count; i++)
        bytes[groups->group_of[i]] += mp_steady_bytes(window, steady, i);
    for (uint32_t i = 1; i <= groups->count; i++)
        if (bytes[i] > most) {
            worst = i;
            most = bytes[i];
        }
    free(bytes);
    const mp_group *group = worst ? &groups->groups[worst - 1] : NULL;
    for (uint32_t i = 0; group && leaks && i < leaks->count; i++)
        if (leaks->at[i].group.example.i == group->example.i)
            return leak_text(document, window->model, &leaks->at[i], most);
    return group ? mp_document_text(document, "; worst %s: %s, %s", has_sites ? "site" : "type",
                                    mp_bytes_text(document, most, false), group->label)
                 : "";
}

static const char *worst_area(mp_document *document, const mp_window *window)
{
    int64_t most;
    mp_platform_id area = mp_platform_growing(window, &most);
    if (!area.i)
        return "";
    return mp_document_text(document, "; worst area: %s, %s", mp_bytes_text(document, most, false),
                            mp_model_text(window->model, window->model->platforms.at[area.i]));
}

/* --- limits --- */

static void hold(mp_document *document, const char *name, const mp_ceiling *ceiling, int64_t limit,
                 int64_t actual, const char *what, const char *worst)
{
    const char *shown = mp_bytes_text(document, actual, false);
    const char *over = mp_bytes_text(document, actual - limit, false);
    bool exceeded = actual > limit;
    mp_check check = {.verdict = exceeded ? MP_VERDICT_FAIL : MP_VERDICT_PASS,
                      .name = name,
                      .limit = ceiling->text,
                      .measured = shown,
                      .message = "",
                      .limit_bytes = limit,
                      .measured_bytes = actual};
    if (exceeded)
        check.message = mp_document_text(document, "%s %s, %s over%s", shown, what, over, worst);
    document->failed |= exceeded;
    mp_document_check(document, check);
}

/* The limit of growth in bytes, from so many on. */
static int64_t limit_of(const mp_ceiling *growth, int64_t from)
{
    return growth->is_percent ? (int64_t)((double)from * growth->percent / 100) : growth->bytes;
}

static const char *steady_words(const mp_window *window)
{
    return window->model->kind == MP_KIND_DUMP ? "grown from dump to dump" : "leaked steadily";
}

/* It can be told of so many moments, or dumps. */
static void hold_trend(mp_document *document, const mp_window *window, const mp_ceiling *ceiling,
                       int64_t from)
{
    const mp_steady *steady = mp_window_steady(window);
    if (steady->moments >= MP_STEADY_MOMENTS) {
        hold(document, "max-trend", ceiling, limit_of(ceiling, from), steady->bytes,
             steady_words(window), worst_steady(document, window));
        return;
    }
    mp_document_check(document, (mp_check){.verdict = MP_VERDICT_ERROR,
                                           .name = "max-trend",
                                           .limit = ceiling->text,
                                           .measured = "",
                                           .message = mp_steady_refusal(document->arena, window),
                                           .limit_bytes = limit_of(ceiling, from)});
    document->unjudged = true;
}

void mp_section_limits(mp_document *document, const mp_request *request, const mp_window *window)
{
    const mp_heap_arguments *asked = request->arguments;
    mp_totals totals = mp_totals_of(window);
    const mp_ceiling *growth = &asked->max_growth;
    if (asked->max_leaked.set)
        hold(document, "max-leaked", &asked->max_leaked, asked->max_leaked.bytes,
             mp_window_leak_sites(window)->bytes, "leaked", worst_leak(document, window));
    if (asked->max_live.set)
        hold(document, "max-live", &asked->max_live, asked->max_live.bytes, totals.live_bytes,
             "alive", worst_site(document, window, false));
    if (growth->set)
        hold(document, "max-growth", growth, limit_of(growth, totals.from_bytes),
             totals.live_bytes - totals.from_bytes, "grown", worst_site(document, window, true));
    if (asked->max_trend.set)
        hold_trend(document, window, &asked->max_trend, totals.from_bytes);
    growth = &asked->max_platform_growth;
    if (growth->set) {
        mp_platform_span all = mp_platform_span_of_all(window);
        hold(document, "max-platform-growth", growth, limit_of(growth, all.from_bytes),
             all.to_bytes - all.from_bytes, "of platform memory grown",
             worst_area(document, window));
    }
}
