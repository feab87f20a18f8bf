#include "export/exporter.h"

#include "base/text.h"

#define MP_EXPORTER(name) extern const mp_exporter mp_exporter_##name;
#include "export/exporters.def"
#undef MP_EXPORTER

static const mp_exporter *const table[] = {
#define MP_EXPORTER(name) &mp_exporter_##name,
#include "export/exporters.def"
#undef MP_EXPORTER
};

enum { EXPORTERS = sizeof table / sizeof *table };

const mp_exporter *const *mp_exporters(size_t *count)
{
    *count = EXPORTERS;
    return table;
}

const mp_exporter *mp_exporter_find(const char *name)
{
    for (size_t i = 0; i < EXPORTERS; i++)
        if (mp_text_is(table[i]->name, name))
            return table[i];
    return NULL;
}
