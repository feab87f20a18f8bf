/* From a request to a digest: the base's and the new one's are made alike. */
#include "reports/diff.h"
#include "support/text.h"

mp_grain mp_grain_asked(mp_kind kind, const char *by)
{
    bool profile = kind == MP_KIND_PROFILE;
    mp_grain first = profile ? MP_GRAIN_LINE : MP_GRAIN_SITE;
    mp_grain end = profile ? MP_GRAIN_GROUP : MP_GRAIN_LINE;
    for (mp_grain grain = first; grain < end; grain++)
        if (mp_text_is(mp_grain_name(grain), by))
            return grain;
    return MP_GRAIN_GROUP;
}

/* Lists of their own need no grouping. */
static const mp_dimension *dimension_of(const mp_view *view, const mp_model *model)
{
    bool heap = model->holds & MP_HOLDS_LEDGER;
    if (!view->by || !heap || mp_grain_asked(model->kind, view->by) != MP_GRAIN_GROUP)
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
