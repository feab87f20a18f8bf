/* How inputs are read. */
#ifndef MP_INPUT_LOAD_OPTIONS_H
#define MP_INPUT_LOAD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called now and then while bytes are read, on the thread that reads; a file that is read twice
 * starts again. `total` is 0 where the size is not known. False ends the reading. */
typedef struct mp_progress {
    bool (*advance)(void *opaque, const char *path, uint64_t done, uint64_t total);
    void *opaque;
} mp_progress;

/* Limits for an input; 0: the default that memprof --help shows. */
typedef struct mp_limits {
    int64_t unpacked; /* bytes that come of what is packed in one file */
    int64_t ratio;    /* to the bytes that they were packed into, above 64 MiB */
    int64_t nesting;  /* packings in one another, up to 16 */
    int64_t files;    /* in a folder or an archive */
    int64_t line;     /* bytes of one that is not skipped */
    int64_t name;     /* bytes of one that is not cut */
} mp_limits;

typedef struct mp_inputs mp_inputs; /* input/input.h */

/* Zero-initialise; what it refers to must outlive what is read. */
typedef struct mp_load_options {
    mp_inputs *inputs;                 /* among which inputs are opened; NULL: none are kept */
    const char *format;                /* a reader's name; NULL: find out from the content */
    const char *const *source_folders; /* folders to search for debug listings */
    size_t source_folder_count;
    /* Times that decide, by the objects' own times in memory recordings, which objects count as
     * created. Ask with the same "since" and "until"; otherwise objects are assigned by the
     * snapshots at which they appear. NULL: no bound. */
    const char *since, *until;
    const char *domain; /* the application domain of a dump that is read; NULL: all */
    const char *moment; /* a moment of an event log, "peak" or a time; NULL: none */
    int64_t temporary;  /* objects deleted within so many events or microseconds; 0: 1 event */
    int64_t reorder;    /* events of a log that may stand before one that is older than they, and
                           it is still put in order; 0: 10000; negative: none */
    const char *const *skips; /* globs of frames that do not name a site */
    size_t skip_count;
    const mp_progress *progress; /* NULL: none */
    /* Encoding of texts in recordings, listings and sources: a name that iconv knows and that
     * contains ASCII, or UTF-16LE or UTF-16BE. NULL: UTF-8, and ISO 8859-1 for texts that are
     * not valid UTF-8. A byte-order mark overrides it. */
    const char *encoding;
    mp_limits limits;
    uint32_t slices;        /* snapshots that are made of an event log; 0: 10 */
    bool temporary_is_time; /* microseconds */
    bool no_skips;          /* else, where there are none, those of usual allocators */
    bool keep_objects;      /* one by one, for exports */
    bool keep_ages;         /* ages in memory recordings, for lifetimes: 8 bytes an object more */
    bool request_peaks;     /* peak of each request in memory recordings */
    bool threads_as_one;    /* nobody asks which thread of an event log created what */
    bool dumps_apart;       /* nobody asks what grew from one heap dump to the next, and where */
    bool checksums;         /* for a baseline that is saved, or for "against" of "check": all is
                               read once more */
    bool traces_folded;     /* nobody asks for the rows of a profile's trace one by one */
    /* Length of a slice of an event log in microseconds, instead of a number of slices; slices
     * without events are left out. 0: not given. Events may then be out of order by at most a
     * second. */
    int64_t slice_us;
} mp_load_options;

#endif
