/* Output formats. The table of formats is src/export/formats.def. */
#pragma once

#include "export/exporter.h"
#include "render/renderer.h"

/* Return all renderers or exporters, in the order of the table; the first renderer is the
 * default. */
const mp_renderer *const *mp_renderers(size_t *count);
const mp_exporter *const *mp_exporters(size_t *count);
/* Return the renderer or exporter of this name; NULL if there is none. */
const mp_renderer *mp_renderer_find(const char *name);
const mp_exporter *mp_exporter_find(const char *name);

/* A target of the command export. It is an exporter, or a renderer that writes one kind of answer
 * for other tools. */
typedef struct mp_target {
    const char *name, *summary;
    const mp_report *report; /* report that answers */
    /* Exporter whose report this is; NULL = `renderer` writes the report's answer. */
    const mp_exporter *exporter;
    const mp_renderer *renderer;
} mp_target;

/* Get a target by index, from 0, or by name. Return false if there is none. */
bool mp_target_at(size_t place, mp_target *target);
bool mp_target_find(const char *name, mp_target *target);
/* Return the name of the target for which another word is used, such as "chrome"; NULL: unknown. */
const char *mp_target_meant(const char *word);
