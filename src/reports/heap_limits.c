/* Limits of a heap recording, such as --max-leaked. */
#include "reports/judging.h"
#include "reports/sections.h"

/* Return a digest that has only the totals that limits need, and no lists. */
static mp_digest whole_of(const mp_window *window)
{
    const mp_totals totals = mp_totals_of(window);
    const bool history = window->model->holds & MP_HOLDS_HISTORY;
    return (mp_digest){.kind = window->model->kind,
                       .holds = window->model->holds,
                       .late = mp_window_ends_late(window),
                       .has = MP_HAS_LIVE | (history ? MP_HAS_HISTORY : 0),
                       .totals = {.bytes = totals.live_bytes,
                                  .objects = totals.live_objects,
                                  .leaked_objects = totals.leaked_objects,
                                  .leaked_bytes = totals.leaked_bytes,
                                  .accepted_bytes = totals.live_bytes - mp_window_held(window)}};
}

void mp_section_limits(mp_document *document, const mp_request *request, const mp_window *window)
{
    const mp_heap_arguments *asked = request->arguments;
    const struct {
        const char *name;
        mp_measure measure;
        const mp_ceiling *ceiling;
    } rows[] = {
        {"max-leaked", MP_MEASURE_LEAKED, &asked->max_leaked},
        {"max-live", MP_MEASURE_LIVE, &asked->max_live},
        {"max-growth", MP_MEASURE_GROWTH, &asked->max_growth},
        {"max-trend", MP_MEASURE_TREND, &asked->max_trend},
        {"max-platform-growth", MP_MEASURE_PLATFORM_GROWTH, &asked->max_platform_growth},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    mp_rule limits[ROWS];
    size_t count = 0;
    bool leaks = false;
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].ceiling->set) {
            leaks |= mp_measure_is_of_leaks(rows[i].measure);
            limits[count++] =
                mp_rule_of_limit(rows[i].name, rows[i].measure, &rows[i].ceiling->bound);
        }
    if (!count)
        return;
    const char *note = leaks ? mp_running_text(document, window) : NULL;
    if (note)
        note = mp_document_text(document, "%s: %s", mp_in_use_words(window), note);
    const mp_digest now = whole_of(window);
    mp_rule_context context = {
        .now = &now, .model = window->model, .window = window, .window_end = asked->to};
    mp_judge_limits(document, request, limits, count, &context, note);
}
