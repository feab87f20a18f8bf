/* What a recording says of each line of a source. */
#ifndef MP_QUERY_ANNOTATION_H
#define MP_QUERY_ANNOTATION_H

#include "query/query.h"

typedef struct mp_line_note {
    int32_t line; /* below 1: what the runtime does around the lines */
    /* Of heaps: what was created there and is alive at the window's end, and what of it leaked. */
    int64_t bytes, objects, leaked_bytes, leaked_objects;
    /* Of profiles. */
    int64_t exclusive_us, executions;
    bool executable, executed; /* executable: where coverage says so */
} mp_line_note;

typedef struct mp_annotation {
    mp_line_note *at; /* by line */
    size_t count;
    bool covered;  /* it is known which lines could be executed */
    bool versions; /* compiled from several sources: the lines are not those of one text */
} mp_annotation;

/* The sources that the recording has lines of, byte-wise; what lives in the arena. A program, a
 * class, or where the recording names files, a file. Release with free(). */
const char **mp_annotation_sources(mp_arena *arena, const mp_filter *filter, size_t *count);

/* Of those, the one that is meant: it is named so, or its file is; else the only one that ends so
 * behind a `/`, a `\` or a dot. NULL with a message that lists what could be meant. */
const char *mp_annotation_source(mp_arena *arena, const char *const *sources, size_t count,
                                 const char *name, mp_error *error);

/* The lines of a source. `window` NULL: of an execution profile. Release with free(result.at). */
mp_annotation mp_annotation_of(const mp_filter *filter, const mp_window *window,
                               const char *source);

#endif
