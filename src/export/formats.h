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

#endif
