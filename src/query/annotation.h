/* Figures of a recording for each line of a source. */
#ifndef MP_QUERY_ANNOTATION_H
#define MP_QUERY_ANNOTATION_H

#include "query/query.h"

typedef struct mp_line_note {
    int32_t line; /* below 1: what the runtime does around the lines */
    /* Heaps: objects created there that are alive at the window's end, and those of them that
     * leaked. */
    int64_t bytes, objects, leaked_bytes, leaked_objects;
    /* Profiles only. */
    int64_t exclusive_us, executions;
    bool executable, executed; /* executable: where coverage says so */
} mp_line_note;

typedef struct mp_annotation {
    mp_line_note *items; /* by line */
    size_t count;
    bool covered;  /* it is known which lines could be executed */
    bool versions; /* compiled from several sources: the lines are not those of one text */
} mp_annotation;

/* The sources that the recording has lines of, byte-wise; what lives in the arena. A program, a
 * class, or where the recording names files, a file. Release with free(). */
const char **mp_annotation_sources(mp_arena *arena, const mp_filter *filter, size_t *count);

/* Return the source that the name means: the one with this name or file name, else the only one
 * whose name ends with it after a `/`, a `\` or a dot. NULL with a message that lists the
 * candidates. */
const char *mp_annotation_source(mp_arena *arena, const char *const *sources, size_t count,
                                 const char *name, mp_error *error);

/* The lines of a source. `window` NULL: of an execution profile. Release with free(result.at). */
mp_annotation mp_annotation_of(const mp_filter *filter, const mp_window *window,
                               const char *source);

#endif
