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

/* What an input may ask for; 0: as much as memprof --help says. */
typedef struct mp_limits {
    int64_t unpacked; /* bytes that come of what is packed in one file */
    int64_t ratio;    /* to the bytes that they were packed into, above 64 MiB */
    int64_t nesting;  /* packings in one another, up to 16 */
    int64_t files;    /* in a folder or an archive */
    int64_t line;     /* bytes of one that is not skipped */
    int64_t name;     /* bytes of one that is not cut */
} mp_limits;

/* Zero-initialise; what it refers to must outlive what is read. */
typedef struct mp_load_options {
    const char *format;                /* a reader's name; NULL: find out from the content */
    const char *const *source_folders; /* where debug listings are looked for */
    size_t source_folder_count;
    /* Of memory recordings, to tell by their own times which objects were created from then on, up
     * to then: for what is asked with the same "since" and "until", which else tell by the
     * snapshots at which objects appear. NULL: no bound. */
    const char *since, *until;
    const char *domain; /* the application domain of a dump that is read; NULL: all */
    const char *at;     /* a moment of an event log, "peak" or a time; NULL: none */
    int64_t temporary;  /* objects deleted within so many events or microseconds; 0: 1 event */
    int64_t reorder;    /* events of a log that may stand before one that is older than they, and
                           it is still put in order; 0: 10000; negative: none */
    const char *const *skips; /* globs of frames that do not name a site */
    size_t skip_count;
    const mp_progress *progress; /* NULL: none */
    /* What texts of recordings, listings and sources are encoded in, by a name that iconv knows and
     * in which ASCII is itself, or UTF-16LE or UTF-16BE. NULL: in UTF-8, or, where they are not
     * valid, in ISO 8859-1. What begins with a byte-order mark tells it itself. */
    const char *encoding;
    mp_limits limits;
    uint32_t slices;        /* snapshots that are made of an event log; 0: 10 */
    bool temporary_is_time; /* microseconds */
    bool no_skips;          /* else, where there are none, those of usual allocators */
    bool keep_objects;      /* one by one, for exports */
    bool keep_ages;      /* of memory recordings, which lifetimes needs: 8 bytes an object more */
    bool request_peaks;  /* of memory recordings: what each request had alive at once */
    bool threads_as_one; /* nobody asks which thread of an event log created what */
    bool dumps_apart;    /* nobody asks what grew from one heap dump to the next, and where */
    bool checksums;      /* for a baseline that is saved, or for "against" of "check": all is
                            read once more */
    bool traces_folded;  /* nobody asks for the rows of a profile's trace one by one */
    /* Of an event log: in place of so many slices, one for each so many microseconds in which
     * anything happened; 0: not asked for. Events may then stand a second of their time before one
     * that is older, and no more. */
    int64_t slice_us;
} mp_load_options;

#endif
