/* Figures of a recording for each line of a source. */
#pragma once

#include "query/query.h"

typedef struct mp_line_note {
    int32_t line; /* line number; below 1: work of the runtime around the lines */
    /* Heaps: objects that were created in this line and are alive at the end of the window, and the
     * part of them that leaked. */
    int64_t bytes, objects, leaked_bytes, leaked_objects;
    /* Profiles: microseconds without callees, and executions. */
    int64_t exclusive_us, executions;
    bool executable, executed; /* executable: the coverage lists the line as executable */
} mp_line_note;

typedef struct mp_annotation {
    mp_line_note *items; /* sorted by line */
    size_t count;
    bool covered;  /* the executable lines are known */
    bool versions; /* compiled from several versions of the source, whose lines differ */
} mp_annotation;

/* Return the sources that have figures by line, sorted bytewise: files if the recording names them,
 * otherwise programs and classes. Texts belong to the model or the arena; release the array with
 * free(). */
const char **mp_annotation_sources(mp_arena *arena, const mp_filter *filter, size_t *count);

/* Return the source that the name denotes: the source with this name or file name, otherwise the
 * only source whose name ends with it after a `/`, a `\` or a dot. Return NULL with an error that
 * lists the candidates. */
const char *mp_annotation_source(mp_arena *arena, const char *const *sources, size_t count,
                                 const char *name, mp_error *error);

/* Return the figures of the lines of a source. `window` NULL: an execution profile. Release `items`
 * with free(). */
mp_annotation mp_annotation_of(const mp_filter *filter, const mp_window *window,
                               const char *source);
