#include <stdio.h>

#include "base/error.h"
#include "base/text.h"
#include "reports/graph_sections.h"

/* What a snapshot or a stack tells of an object is not known of those of a graph. */
static bool selects_by_type(const mp_selection *selection, mp_error *error)
{
    const char *other = selection->has_since ? "since" : selection->has_until ? "until" : NULL;
    for (size_t i = 0; !other && i < selection->count; i++)
        if (selection->criteria[i].subject != MP_SUBJECT_TYPE)
            other = mp_subject_name(selection->criteria[i].subject);
    if (other)
        mp_fail(error, MP_ERROR_ARGUMENT, "--%s: retained selects objects by --type alone", other);
    return !other;
}

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_view *view = &request->view;
    size_t rows = mp_view_rows(view, MP_REPORT_ROWS);
    bool objects = !view->by || mp_text_is(view->by, "object"), ok = true;
    if (objects && (view->sort || view->only)) {
        mp_fail(error, MP_ERROR_ARGUMENT, "--%s is for groups: --by type or --by namespace",
                view->sort ? "sort" : "only");
        return false;
    }
    if (objects && request->view.min_count) {
        mp_fail(error, MP_ERROR_ARGUMENT, "--min-count is for groups: --by type or --by namespace");
        return false;
    }
    if (!selects_by_type(&request->selection, error))
        return false;
    mp_graph_view graph = mp_graph_view_of(request->model);
    mp_section_dump_head(document, request, &graph);
    if (objects)
        mp_section_retained(document, &graph, view, rows);
    else
        ok = mp_section_histogram(document, &graph, view, rows, error);
    document->tables[document->table_count - 1].main = true;
    mp_section_roots(document, &graph, false);
    mp_graph_view_free(&graph);
    return ok;
}

const mp_report mp_report_retained = {
    .name = "retained",
    .summary = "what each object, type or namespace of a heap dump keeps alive",
    .example = "retained samples/shop-3.gclog --by type",
    .details = "Retained are the bytes that would go if the object went: all that strong roots\n"
               "reach through it alone. Of types and namespaces, what all of their objects\n"
               "retain together, nothing counted twice.\n"
               "--by: object, type, namespace. --sort (of groups): retained, bytes, objects, key.",
    .program_rows = 1000,
    .variants = {{.needs = MP_HOLDS_GRAPH,
                  .honours = MP_HONOURS_SELECT | MP_HONOURS_MINIMA | MP_HONOURS_BY |
                             MP_HONOURS_LIMIT | MP_HONOURS_SORT | MP_HONOURS_DOMAIN |
                             MP_HONOURS_ONLY,
                  .run = run}},
};
