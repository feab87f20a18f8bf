#include "session/figure.h"

#include "document/checks.h"
#include "reports/judging.h"

const char *mp_figure_judge(const mp_figure *figure, const mp_rule *limit, bool exact_bytes,
                            mp_arena *arena, int64_t *limit_bytes)
{
    const mp_rule_context context = {.exact_bytes = exact_bytes};
    const mp_rule_subject whole = {"", figure->number, figure->start, 0};
    const mp_rule_result result = mp_rule_judge(&context, limit, &whole, 1, figure->most, arena);
    if (result.verdict != MP_VERDICT_FAIL)
        return NULL;
    mp_check check = mp_check_of(arena, &result);
    check.file = figure->path;
    check.note = figure->note;
    *limit_bytes = result.limit;
    return mp_limit_text(arena, &check, figure->dashes);
}
