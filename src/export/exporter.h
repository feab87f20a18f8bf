/* Exporters: one const struct a file format of another tool, one line in
 * src/export/formats.def.
 *
 * An exporter is asked as a report is: its arguments, what it needs of a model and how it answers
 * each kind are a mp_report. Its answer goes to request->file; the document says what was written,
 * see below. It neither reads inputs nor prints. */
#ifndef MP_EXPORT_EXPORTER_H
#define MP_EXPORT_EXPORTER_H

#include "query/weights.h"
#include "reports/report.h"
#include "reports/sections.h"

typedef struct mp_exporter {
    const char *name;
    const char *endings; /* usual endings of the files' names */
    /* Its arguments are members of mp_heap_arguments (reports/sections.h), or shared ones. All of a
     * recording, up to FILE@SNAPSHOT: "to" is the format. Its name is MP_EXPORT_TO(name). */
    mp_report report;
    bool binary; /* nothing for a terminal */
    /* It writes the file at request->path by itself, whole or not at all, and request->file is
     * NULL: no stream will do. */
    bool in_place;
    /* It writes any number of recordings, and is run for each in turn: only one is in memory. */
    bool many;
    /* For exporters of many, both or none. Begin a file: the result is request->sink of each run.
     * End it, after all recordings if `keep`, and complete the document; else undo what was written
     * and return false. The path is borrowed until then. */
    void *(*begin)(const char *path);
    bool (*end)(void *sink, bool keep, mp_document *document, mp_error *error);
} mp_exporter;

#define MP_EXPORT_TO(name) "export " MP_DASHES "to " name

/* --- what an export says of itself: sums of what stands in its file, and how many rows of each
 * kind. The sums are added up as the rows are written, and are those of the reports. --- */

/* By the names that reports have for them; MP_UNKNOWN: the file does not tell it. */
typedef struct mp_written_totals {
    int64_t snapshots;
    int64_t live_objects, live_bytes, created_objects, created_bytes, leaked_objects, leaked_bytes;
    int64_t retained_bytes, references, roots; /* totals of a heap dump */
    int64_t calls, seconds;                    /* totals of a profile, in microseconds */
    int64_t truncated_stacks;
} mp_written_totals;

/* All MP_UNKNOWN. */
extern const mp_written_totals mp_nothing_written;
/* The total that a column of weights adds to: its amounts, or where it `counts`, objects or calls.
 */
int64_t *mp_written_total(mp_written_totals *totals, mp_weighing weighing, bool counts);

/* The document of an export: first the title, "PATH: WHAT", and the totals. */
void mp_written(mp_document *document, const mp_request *request, const char *what,
                const mp_written_totals *totals);
/* Then a row each for what the file has so many of. */
mp_table *mp_written_table(mp_document *document);
void mp_written_rows(mp_document *document, mp_table *table, const char *what, int64_t rows);

#endif
