#include <stdio.h>

#include "base/error.h"
#include "reports/graph_sections.h"

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    mp_window window;
    const mp_view *view = &request->view;
    if (!mp_request_window(request, &window, error))
        return false;
    mp_leaks leaks = mp_leaks_find(&window);
    mp_section_head(document, request);
    mp_section_session(document, request, false);
    mp_section_heap_totals(document, &window, &leaks, false);
    mp_section_limits(document, &window, &leaks, view);
    bool ok =
        mp_section_growth(document, &window, view, mp_view_rows(view, MP_REPORT_ROWS), true, error);
    document->tables[document->table_count - 1].main = true;
    mp_section_suppressions(document, &window);
    mp_leaks_free(&leaks);
    mp_window_free(&window);
    return ok;
}

/* Dumps are compared by type: an object's id means nothing in another dump. */
static bool run_dumps(const mp_request *request, mp_document *document, mp_error *error)
{
    mp_window window;
    const mp_view *view = &request->view;
    size_t rows = mp_view_rows(view, MP_REPORT_ROWS);
    if (view->max_leaked.set) {
        mp_fail(error, MP_ERROR_ARGUMENT,
                "--max-leaked: dumps do not tell what leaked, use --max-growth");
        return false;
    }
    if (!mp_request_window(request, &window, error))
        return false;
    if (window.ranges[1].from.i == window.ranges[1].to.i) {
        mp_fail(error, MP_ERROR_ARGUMENT,
                "growth compares dumps: give two or more, the oldest first");
        mp_window_free(&window);
        return false;
    }
    mp_section_head(document, request);
    mp_section_session(document, request, false);
    mp_section_heap_totals(document, &window, NULL, false);
    mp_section_limits(document, &window, NULL, view);
    mp_section_growers(document, &window, rows);
    bool ok = mp_section_growth(document, &window, view, rows, true, error);
    document->tables[document->table_count - 1].main = true;
    mp_section_root_growth(document, &window);
    mp_window_free(&window);
    return ok;
}

/* Of heaps with births and deaths. */
enum {
    HEAP = MP_HONOURS_SELECT | MP_HONOURS_MINIMA | MP_HONOURS_WINDOW | MP_HONOURS_BY |
           MP_HONOURS_LIMIT | MP_HONOURS_SORT | MP_HONOURS_LIMITS | MP_HONOURS_SUPPRESS
};

const mp_report mp_report_growth = {
    .name = "growth",
    .summary = "what grew or shrank between two snapshots",
    .example = "growth samples/shop-v2.oemp --by source",
    .details =
        "Compares what is alive at the snapshot --from (the first) and at --to (the last\n"
        "_PreCleanUp if there is one, else the last); the largest change first. Of four\n"
        "snapshots or more it tells what grows steadily and what jumped once; --from leaves\n"
        "a warm-up out.\n"
        "--sort: bytes, objects, key.",
    .variants = {{.needs = MP_HOLDS_EVENTS, .honours = HEAP | MP_HONOURS_EVENTS, .run = run},
                 {.needs = MP_HOLDS_HISTORY | MP_HOLDS_NATIVE,
                  .honours = HEAP | MP_HONOURS_SKIP,
                  .run = run},
                 {.needs = MP_HOLDS_LEDGER | MP_HOLDS_HISTORY, .honours = HEAP, .run = run},
                 {.needs = MP_HOLDS_LEDGER,
                  .honours = MP_HONOURS_SELECT | MP_HONOURS_MINIMA | MP_HONOURS_WINDOW |
                             MP_HONOURS_LIMIT | MP_HONOURS_SORT | MP_HONOURS_LIMITS |
                             MP_HONOURS_DOMAIN,
                  .run = run_dumps}},
};
