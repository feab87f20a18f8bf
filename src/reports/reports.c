#include "memprof/report.h"
#include "support/text.h"

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
