/* From a request to a digest: the base's and the new one's are made alike. */
#include "memprof/digest.h"

#include "reports/sections.h"
#include "support/text.h"

/* Lists of their own need no grouping. */
static const mp_dimension *dimension_of(const mp_view *view, const mp_model *model)
{
    static const char *const own[] = {"site", "type", "line", "method", "module"};
    bool heap = model->holds & MP_HOLDS_LEDGER;
    if (!view->by || !heap)
        return NULL;
    for (size_t i = 0; i < 2; i++)
        if (mp_text_is(own[i], view->by))
            return NULL;
    return mp_dimension_find(view->by);
}

static mp_digest *digest_of(const mp_request *request, char *error, size_t size)
{
    const mp_view *view = &request->view;
    mp_window window;
    mp_digest_options options = {.ignore_lines = view->ignore_lines,
                                 .substitutions = view->substitutions,
                                 .substitution_count = view->substitution_count,
                                 .dimension = dimension_of(view, request->model)};
    if (!(request->model->holds & MP_HOLDS_LEDGER))
        return mp_digest_of(request->model, NULL, request->meanings, &options);
    if (!mp_request_window(request, &window, error, size))
        return NULL;
    mp_digest *digest = mp_digest_of(request->model, &window, request->meanings, &options);
    mp_window_free(&window);
    return digest;
}

mp_digest *mp_report_digest(const mp_request *request, char *error, size_t size)
{
    if (request->whole || !mp_selects(&request->selection))
        return digest_of(request, error, size);
    mp_request selected = *request;
    mp_model *model = mp_select(request->model, &request->selection, error, size);
    if (!model)
        return NULL;
    selected.model = model;
    mp_digest *digest = digest_of(&selected, error, size);
    mp_selected_free(model);
    return digest;
}
