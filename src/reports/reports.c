#include <stdio.h>

#include "base/error.h"
#include "base/text.h"
#include "reports/report.h"
#include "reports/sections.h"

#define MP_REPORT(name) extern const mp_report mp_report_##name;
#include "reports/reports.def"
#undef MP_REPORT

static const mp_report *const table[] = {
#define MP_REPORT(name) &mp_report_##name,
#include "reports/reports.def"
#undef MP_REPORT
};

const mp_report *const *mp_reports(size_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}

const mp_report *mp_report_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (mp_text_is(table[i]->name, name))
            return table[i];
    return NULL;
}

bool mp_report_groups_by(const mp_report *report, const char *by)
{
    const char *const *name = report ? report->groups : NULL;
    while (name && *name && !mp_text_is(*name, by))
        name++;
    return !name || *name;
}

const char *mp_operand_argument(mp_operand operand)
{
    static const char *const names[] = {"", "object", "base", "policy", "code", "program"};
    return names[operand];
}

static const mp_variant *variant_for(const mp_report *report, unsigned holds)
{
    for (size_t i = 0; i < MP_VARIANTS && report->variants[i].run; i++)
        if ((report->variants[i].needs & ~holds) == 0)
            return &report->variants[i];
    return NULL;
}

/* "top, tree or check": the reports that have an answer. */
static const char *list_reports(unsigned holds, char *text, size_t size)
{
    const char *names[sizeof table / sizeof *table];
    size_t count = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (variant_for(table[i], holds))
            names[count++] = table[i]->name;
    return mp_text_list(names, count, "or", text, size);
}

/* The variant that answers; NULL with a message. */
static const mp_variant *choose(const mp_report *report, const mp_request *request, unsigned holds,
                                mp_error *error)
{
    const char *kind = mp_kind_name(request->model->kind);
    const mp_variant *variant = variant_for(report, holds);
    if (!variant) {
        char names[248];
        mp_fail(error, MP_ERROR_NO_ANSWER, "%s has no answer from %s", report->name, kind);
        snprintf(error->advice, sizeof error->advice, "try %s",
                 list_reports(holds, names, sizeof names));
        return NULL;
    }
    unsigned bit = 1u << (variant - report->variants);
    for (size_t i = request->given_count; i-- > 0;) {
        const mp_given *given = &request->given[i];
        const mp_argument *row = mp_argument_find(&report->arguments, given->argument);
        if (!row || !(row->variants & bit)) {
            mp_fail_unused(error, report->name, given->spelled, kind);
            return NULL;
        }
    }
    return variant;
}

bool mp_report_answers(const mp_report *report, const mp_request *request, mp_error *error)
{
    mp_filter *whole = mp_filter_of(request->model, NULL, error);
    bool ok = choose(report, request, whole->holds, error) &&
              mp_can_select(request->model, &request->selection, error);
    mp_filter_free(whole);
    return ok;
}

size_t mp_report_rows(const mp_report *report)
{
    return report->overview ? MP_DEFAULT_ROWS : MP_REPORT_ROWS;
}

bool mp_report_run(const mp_report *report, const mp_request *request, mp_document *document,
                   mp_error *error)
{
    mp_selection all = {.keeps_profiler = request->selection.keeps_profiler};
    mp_filter *whole = mp_filter_of(request->model, &all, error), *filter = NULL;
    const mp_variant *variant = choose(report, request, whole->holds, error);
    if (variant)
        filter = mp_filter_of(request->model, &request->selection, error);
    mp_request filtered = *request;
    filtered.report = report;
    filtered.filter = filter;
    filtered.whole = whole;
    bool ok = filter && variant->run(&filtered, document, error);
    mp_filter_free(filter);
    mp_filter_free(whole);
    return ok;
}
