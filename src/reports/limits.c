/* Limits: what CI holds a recording to. */
#include <string.h>

#include "reports/sections.h"

/* The site with the most of what is measured. */
typedef int64_t group_measure(const mp_group *group);

static int64_t live_bytes(const mp_group *group)
{
    return group->to.bytes;
}

static int64_t growth_bytes(const mp_group *group)
{
    return group->to.bytes - group->from.bytes;
}

static const char *worst_site(mp_document *document, const mp_window *window,
                              group_measure *measure)
{
    /* A dump does not tell sites. */
    bool has_sites = window->model->holds & MP_HOLDS_HISTORY;
    mp_grouping sites = mp_group_by(window, mp_dimension_find(has_sites ? "site" : "type"));
    const mp_group *worst = NULL;
    mp_grouping_sort(&sites, mp_order_by_label);
    for (uint32_t i = 0; i < sites.count; i++)
        if (!worst || measure(&sites.groups[i]) > measure(worst))
            worst = &sites.groups[i];
    const char *text = "";
    if (worst) {
        text = mp_document_text(document, "; worst %s: %s, %s", has_sites ? "site" : "type",
                                mp_bytes_text(document, measure(worst), false), worst->label);
    }
    mp_grouping_free(&sites);
    return text;
}

static const char *worst_leak(mp_document *document, const mp_window *window, const mp_leaks *leaks)
{
    const char *lapsed = mp_suppressions_lapsed(document, window);
    if (!leaks->count)
        return lapsed;
    const mp_leak *leak = &leaks->at[0]; /* nobody has sorted them yet: the largest */
    mp_frame naming = mp_frame_naming(window->model, (mp_frame){leak->node, leak->line});
    const char *frame = mp_frame_text(document, window->model, naming);
    return mp_document_text(document, "; worst site: %s, %s%s%s at %s%s",
                            mp_bytes_text(document, leak->group.leaked.bytes, false), leak->type,
                            leak->name ? " " : "", leak->name ? leak->name : "", frame, lapsed);
}

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

void mp_section_limits(mp_document *document, const mp_window *window, const mp_leaks *leaks,
                       const mp_view *view)
{
    mp_totals totals = mp_totals_of(window);
    if (view->max_leaked.set)
        hold(document, "max-leaked", &view->max_leaked, view->max_leaked.bytes, leaks->bytes,
             "leaked", worst_leak(document, window, leaks));
    if (view->max_live.set)
        hold(document, "max-live", &view->max_live, view->max_live.bytes, totals.live_bytes,
             "alive", worst_site(document, window, live_bytes));
    if (view->max_growth.set) {
        const mp_ceiling *ceiling = &view->max_growth;
        int64_t limit = ceiling->is_percent
                            ? (int64_t)((double)totals.from_bytes * ceiling->percent / 100)
                            : ceiling->bytes;
        hold(document, "max-growth", ceiling, limit, totals.live_bytes - totals.from_bytes, "grown",
             worst_site(document, window, growth_bytes));
    }
}
