/* The formats that are written: src/export/formats.def is the table. */
#ifndef MP_EXPORT_FORMATS_H
#define MP_EXPORT_FORMATS_H

#include "export/exporter.h"
#include "render/renderer.h"

/* All of a kind, in the order of the table; the first renderer is the default. */
const mp_renderer *const *mp_renderers(size_t *count);
const mp_exporter *const *mp_exporters(size_t *count);
/* NULL: there is none of this name. */
const mp_renderer *mp_renderer_find(const char *name);
const mp_exporter *mp_exporter_find(const char *name);

/* A target of the command export: an exporter, or a renderer of one kind of answer for other
 * tools. */
typedef struct mp_target {
    const char *name, *summary;
    const mp_report *report;     /* that is asked */
    const mp_exporter *exporter; /* whose it is; NULL: a renderer shows its answer */
    const mp_renderer *renderer;
} mp_target;

/* The one at a place, from 0, or of a name; false: there is none. */
bool mp_target_at(size_t place, mp_target *target);
bool mp_target_find(const char *name, mp_target *target);

#endif
