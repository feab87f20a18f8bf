#include "export/formats.h"

#include "base/text.h"

#define MP_RENDERER(name) extern const mp_renderer mp_renderer_##name;
#define MP_EXPORTER(name) extern const mp_exporter mp_exporter_##name;
#include "export/formats.def"
#undef MP_RENDERER
#undef MP_EXPORTER

#define MP_RENDERER(name) &mp_renderer_##name,
#define MP_EXPORTER(name)
static const mp_renderer *const renderers[] = {
#include "export/formats.def"
};
#undef MP_RENDERER
#undef MP_EXPORTER

#define MP_RENDERER(name)
#define MP_EXPORTER(name) &mp_exporter_##name,
static const mp_exporter *const exporters[] = {
#include "export/formats.def"
};

enum {
    RENDERERS = sizeof renderers / sizeof *renderers,
    EXPORTERS = sizeof exporters / sizeof *exporters
};

const mp_renderer *const *mp_renderers(size_t *count)
{
    *count = RENDERERS;
    return renderers;
}

const mp_exporter *const *mp_exporters(size_t *count)
{
    *count = EXPORTERS;
    return exporters;
}

const mp_renderer *mp_renderer_find(const char *name)
{
    for (size_t i = 0; i < RENDERERS; i++)
        if (mp_text_is(renderers[i]->name, name))
            return renderers[i];
    return NULL;
}

const mp_exporter *mp_exporter_find(const char *name)
{
    for (size_t i = 0; i < EXPORTERS; i++)
        if (mp_text_is(exporters[i]->name, name))
            return exporters[i];
    return NULL;
}

bool mp_target_at(size_t place, mp_target *target)
{
    if (place < EXPORTERS) {
        const mp_exporter *exporter = exporters[place];
        *target = (mp_target){exporter->name, exporter->report.summary, &exporter->report, exporter,
                              NULL};
        return true;
    }
    place -= EXPORTERS;
    for (size_t i = 0; i < RENDERERS; i++)
        if (renderers[i]->for_tools && place-- == 0) {
            *target = (mp_target){renderers[i]->name, renderers[i]->summary,
                                  mp_report_find(renderers[i]->command), NULL, renderers[i]};
            return true;
        }
    return false;
}

bool mp_target_find(const char *name, mp_target *target)
{
    for (size_t i = 0; mp_target_at(i, target); i++)
        if (mp_text_is(target->name, name))
            return true;
    return false;
}

const char *mp_target_meant(const char *word)
{
    static const struct {
        const char *word, *name;
    } words[] = {
        {"chrome", "trace"},
        {"chrome-trace", "trace"},
        {"perfetto", "trace"},
        {"catapult", "trace"},
        {"devtools", "heapsnapshot"},
        {"v8", "heapsnapshot"},
        {"memlab", "heapsnapshot"},
        {"prometheus", "openmetrics"},
        {"grafana", "openmetrics"},
        {"graphviz", "dot"},
        {"jsonl", "ndjson"},
        {"db", "sqlite"},
        {"sqlite3", "sqlite"},
        {"duckdb", "csv"},
        {"go", "pprof"},
        {"pyroscope", "pprof"},
        {"parca", "pprof"},
        {"kcachegrind", "callgrind"},
        {"flamegraph", "folded"},
        {"collapsed", "folded"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (mp_text_is(words[i].word, word))
            return words[i].name;
    return NULL;
}
