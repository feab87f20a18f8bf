/* Exporters: one const struct a file format of another tool, one line in
 * src/export/formats.def.
 *
 * An exporter writes what a model holds to a file of its own making: all of it, or nothing at all
 * where that fails. It neither reads inputs nor prints. */
#ifndef MP_EXPORT_EXPORTER_H
#define MP_EXPORT_EXPORTER_H

#include "base/error.h"
#include "document/document.h"
#include "query/filter.h"

typedef struct mp_exporter {
    const char *name;
    const char *summary;
    const char *endings; /* of the files' usual names */
    unsigned needs;      /* MP_HOLDS_...: the model must hold all of them */
    bool wants_objects;  /* model->objects is to be kept while inputs are read */
    /* Write the file and fill the document with what was written: a row a table of it. False with a
     * message in `error`; what was at `path` before is then still there. */
    bool (*write)(const mp_filter *filter, const char *path, mp_document *document,
                  mp_error *error);
} mp_exporter;

#endif
