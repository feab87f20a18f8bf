/* Words in the lines of a baseline, shared by the writer and the reader. */
#ifndef MP_COMPARE_BASELINE_LINES_H
#define MP_COMPARE_BASELINE_LINES_H

/* Version 3 is version 2 with callers that stacks share, version 4 with checksums: what has none is
 * still one of version 2 or 3. */
enum {
    MP_BASELINE_OLDEST = 1,
    MP_BASELINE_SHARELESS = 2,
    MP_BASELINE_SHARES = 3,
    MP_BASELINE_VERSION = 4,
    MP_BASELINE_KINDS = 6
};

/* The member that the head begins with, and its kinds of recordings, by mp_kind; the first is none.
 */
#define MP_BASELINE_HEAD "memprof-baseline"
extern const char *const mp_baseline_kinds[MP_BASELINE_KINDS];

#endif
