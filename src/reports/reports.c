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

const char *mp_operand_argument(mp_operand operand)
{
    static const char *const names[] = {"", "object", "base", "policy"};
    return names[operand];
}

unsigned mp_report_honours(const mp_report *report)
{
    unsigned honours = 0;
    for (size_t i = 0; i < MP_VARIANTS; i++)
        honours |= report->variants[i].honours;
    return honours;
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
static const mp_variant *choose(const mp_report *report, const mp_request *request, mp_error *error)
{
    unsigned holds = request->model->holds;
    const char *kind = mp_kind_name(request->model->kind);
    const mp_variant *variant = variant_for(report, holds);
    if (!variant) {
        char names[248];
        mp_fail(error, MP_ERROR_NO_ANSWER, "%s has no answer from %s", report->name, kind);
        snprintf(error->advice, sizeof error->advice, "try %s",
                 list_reports(holds, names, sizeof names));
        return NULL;
    }
    bool own = report->arguments.count;
    unsigned bits = own ? 1u << (variant - report->variants) : variant->honours;
    for (size_t i = request->given_count; i-- > 0;) {
        const mp_given *given = &request->given[i];
        const mp_argument *row =
            mp_argument_find(own ? &report->arguments : &mp_view_arguments, given->argument);
        if (!row || !(row->variants & bits)) {
            mp_fail_unused(error, report->name, given->spelled, kind);
            return NULL;
        }
    }
    return variant;
}

bool mp_report_answers(const mp_report *report, const mp_request *request, mp_error *error)
{
    return choose(report, request, error) &&
           mp_can_select(request->model, &request->selection, error);
}

size_t mp_report_rows(const mp_report *report)
{
    return report->overview ? MP_DEFAULT_ROWS : MP_REPORT_ROWS;
}

bool mp_report_run(const mp_report *report, const mp_request *request, mp_document *document,
                   mp_error *error)
{
    const mp_variant *variant = choose(report, request, error);
    if (!variant)
        return false;
    mp_request selected = *request;
    mp_model *model = NULL;
    selected.report = report;
    selected.whole = request->model;
    if (mp_selects(&request->selection)) {
        model = mp_select(request->model, &request->selection, error);
        if (!model)
            return false;
        selected.model = model;
    }
    mp_filter *filter = mp_filter_of(selected.model, &request->selection, error);
    selected.filter = filter;
    bool ok = filter && variant->run(&selected, document, error);
    mp_filter_free(filter);
    mp_selected_free(model);
    return ok;
}
