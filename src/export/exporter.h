/* Exporters: one const struct a file format of another tool, one line in
 * src/export/formats.def.
 *
 * An exporter is asked as a report is: its arguments, what it needs of a model and how it answers
 * each kind are a mp_report. Its answer goes to request->file; the document says what was written
 * (written.h). It neither reads inputs nor prints. */
#ifndef MP_EXPORT_EXPORTER_H
#define MP_EXPORT_EXPORTER_H

#include "reports/report.h"

typedef struct mp_exporter {
    const char *name;
    const char *endings; /* of the files' usual names */
    /* Its arguments are members of mp_heap_arguments (reports/sections.h), or shared ones. All of a
     * recording, up to FILE@SNAPSHOT: "to" is the format. Its name is MP_EXPORT_TO(name). */
    mp_report report;
    bool binary; /* nothing for a terminal */
    /* It writes the file at request->path by itself, whole or not at all, and request->file is
     * NULL: no stream will do. */
    bool in_place;
    bool wants_objects; /* model->objects is to be kept while inputs are read */
} mp_exporter;

#define MP_EXPORT_TO(name) "export " MP_DASHES "to " name

#endif
