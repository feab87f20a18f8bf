/* Exporters. Each is a const struct for one file format of another tool, and a line in
 * src/export/formats.def.
 *
 * An exporter is run like a report: an mp_report states its arguments, the capabilities that it
 * needs and its variants. It writes to request->file, and describes in the document what it wrote
 * (see below). It neither reads inputs nor prints. */
#pragma once

#include "query/weights.h"
#include "reports/report.h"
#include "reports/sections.h"

typedef struct mp_exporter {
    const char *name;
    const char *endings; /* usual file name extensions */
    /* Report of the exporter. The variable's name is MP_EXPORT_TO(name). Its arguments are members
     * of mp_heap_arguments (reports/sections.h), or shared arguments. It always exports the
     * recording from the start: --to names the format here, so that only FILE@SNAPSHOT can set an
     * earlier end. */
    mp_report report;
    bool binary; /* the file is binary, so a terminal cannot show it */
    /* The exporter writes the file at request->path itself, either completely or not at all, so it
     * cannot write to a pipe. request->file is NULL. */
    bool in_place;
    /* The exporter writes any number of recordings. It is run for one recording at a time, so that
     * only one is in memory. */
    bool many;
    /* If a recording cannot be read, the others are written, and the export fails at the end. This
     * is for exporters with `many` that write to a stream. */
    bool skips;
    /* For exporters with `many`; otherwise NULL. `begin` starts a file and returns request->sink
     * for each run. `end` is called after all recordings: if `keep` is true, it completes the file
     * and the document; otherwise it undoes everything and returns false. The path is borrowed
     * until then. */
    void *(*begin)(const char *path);
    bool (*end)(void *sink, bool keep, mp_document *document, mp_error *error);
} mp_exporter;

/* Return true if the request is about a whole recording with a known checksum. Only such a
 * recording can be identified in a database. Otherwise set an error, and return false. */
bool mp_export_is_whole(const mp_request *request, mp_error *error);

#define MP_EXPORT_TO(name) "export " MP_DASHES "to " name

/* --- description of an export: totals of the file, and its number of rows by kind. Totals are
 * added up while rows are written, and equal those of reports. --- */

/* Totals, named like the totals of reports. MP_UNKNOWN = the file does not contain this total. */
typedef struct mp_written_totals {
    int64_t snapshots;
    int64_t live_objects, live_bytes, created_objects, created_bytes, leaked_objects, leaked_bytes;
    int64_t retained_bytes, references, roots; /* totals of a heap dump */
    int64_t calls, seconds, samples;           /* totals of a profile; seconds: in microseconds */
    int64_t truncated_stacks;
} mp_written_totals;

/* Totals that are all MP_UNKNOWN. */
extern const mp_written_totals mp_nothing_written;
/* Return the total for a column of weights: the total of its amounts or, if `counts`, of its
 * objects or calls. */
int64_t *mp_written_total(mp_written_totals *totals, mp_weighing weighing, bool counts);

/* Add the totals of a profile: seconds and calls, or samples. */
void mp_written_add_profile(mp_written_totals *totals, const mp_filter *filter);

/* Begin the document of an export with its title, "PATH: WHAT", and its totals. */
void mp_written(mp_document *document, const mp_request *request, const char *what,
                const mp_written_totals *totals);
/* Add the table of row counts (mp_written_table), or add a row to it: the file has `rows` rows of
 * kind `what` (mp_written_rows). */
mp_table *mp_written_table(mp_document *document);
void mp_written_rows(mp_document *document, mp_table *table, const char *what, int64_t rows);
