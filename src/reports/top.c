#include "base/error.h"
#include "reports/graph_sections.h"
#include "reports/profile_sections.h"

static bool run_profile(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_view *view = &request->view;
    mp_profile_costs costs = mp_profile_costs_of(request->model);
    mp_costs_asked asked = {view->by, view->sort, view->min_count,
                            mp_view_rows(view, MP_REPORT_ROWS)};
    mp_section_head(document, request);
    mp_section_session(document, request, false);
    mp_section_profile_totals(document, request->model, false);
    bool ok = mp_section_profile_top(document, request->model, &costs, &asked, error);
    mp_profile_costs_free(&costs);
    document->tables[document->table_count - 1].main = true;
    return ok;
}

static bool run_heap(const mp_request *request, mp_document *document, mp_error *error)
{
    mp_window window;
    const mp_view *view = &request->view;
    if (!mp_request_window(request, &window, error))
        return false;
    mp_section_head(document, request);
    mp_section_session(document, request, false);
    mp_section_heap_totals(document, &window, NULL, false);
    bool ok = mp_section_top(document, &window, view, mp_view_rows(view, MP_REPORT_ROWS), error);
    document->tables[document->table_count - 1].main = true;
    mp_window_free(&window);
    return ok;
}

static bool run_dump(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_view *asked = &request->view;
    mp_graph_view view = mp_graph_view_of(request->model);
    mp_section_dump_head(document, request, &view);
    bool ok =
        mp_section_dump_top(document, &view, asked, mp_view_rows(asked, MP_REPORT_ROWS), error);
    document->tables[document->table_count - 1].main = true;
    mp_graph_view_free(&view);
    return ok;
}

const mp_report mp_report_top = {
    .name = "top",
    .summary = "what is biggest in memory; the hottest lines of an execution profile",
    .example = "top samples/shop-v2.oemp --by source",
    .details = "Memory: what is alive at the snapshot --to (the last _PreCleanUp if there is one,\n"
               "else the last). \"With scoped\" adds what is scoped to the group's objects.\n"
               "--sort: bytes, objects, inclusive, created, deleted, key.\n"
               "Execution profiles: --by: line, method, module. --sort: seconds, inclusive,\n"
               "average, calls. --format rpt writes ProTop's own layout.",
    .variants = {{.needs = MP_HOLDS_PROFILE,
                  .honours = MP_HONOURS_SELECT | MP_HONOURS_MIN_COUNT | MP_HONOURS_BY |
                             MP_HONOURS_LIMIT | MP_HONOURS_SORT | MP_HONOURS_SOURCES,
                  .run = run_profile},
                 {.needs = MP_HOLDS_EVENTS,
                  .honours = MP_HONOURS_SELECT | MP_HONOURS_MINIMA | MP_HONOURS_WINDOW |
                             MP_HONOURS_BY | MP_HONOURS_LIMIT | MP_HONOURS_SORT | MP_HONOURS_EVENTS,
                  .run = run_heap},
                 {.needs = MP_HOLDS_HISTORY | MP_HOLDS_NATIVE,
                  .honours = MP_HONOURS_SELECT | MP_HONOURS_MINIMA | MP_HONOURS_WINDOW |
                             MP_HONOURS_BY | MP_HONOURS_LIMIT | MP_HONOURS_SORT | MP_HONOURS_SKIP,
                  .run = run_heap},
                 {.needs = MP_HOLDS_LEDGER | MP_HOLDS_HISTORY,
                  .honours = MP_HONOURS_SELECT | MP_HONOURS_MINIMA | MP_HONOURS_WINDOW |
                             MP_HONOURS_BY | MP_HONOURS_LIMIT | MP_HONOURS_SORT,
                  .run = run_heap},
                 {.needs = MP_HOLDS_GRAPH,
                  .honours = MP_HONOURS_SELECT | MP_HONOURS_MINIMA | MP_HONOURS_BY |
                             MP_HONOURS_LIMIT | MP_HONOURS_SORT | MP_HONOURS_DOMAIN |
                             MP_HONOURS_ONLY,
                  .run = run_dump}},
};
