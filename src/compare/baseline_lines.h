/* Names in the lines of a baseline, shared by the writer and the parser. */
#pragma once

/* Versions of the format. Version 3 adds callers that stacks share to version 2, version 4 adds
 * checksums. A baseline is written in the lowest version that supports its content. */
enum {
    MP_BASELINE_OLDEST = 1,
    MP_BASELINE_SHARELESS = 2,
    MP_BASELINE_SHARES = 3,
    MP_BASELINE_VERSION = 4,
    MP_BASELINE_KINDS = 6
};

/* Name of the first member of the head. Names of the kinds of recordings, by mp_kind. */
#define MP_BASELINE_HEAD "memprof-baseline"
extern const char *const mp_baseline_kinds[MP_BASELINE_KINDS];
