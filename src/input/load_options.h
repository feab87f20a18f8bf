/* Options for reading inputs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/units.h"

/* Callback for progress. It is called from time to time while bytes are read, on the reading
 * thread. `done` restarts at 0 if a file is read twice; `total` is 0 if the size is unknown. Return
 * false to cancel. */
typedef struct mp_progress {
    bool (*advance)(void *opaque, const char *path, uint64_t done, uint64_t total);
    void *opaque;
} mp_progress;

/* Limits of an input; 0: the default, which memprof --help shows. */
typedef struct mp_limits {
    int64_t unpacked; /* bytes decompressed from one file */
    int64_t ratio;    /* ratio of decompressed to compressed bytes, beyond 64 MiB */
    int64_t nesting;  /* number of nested compressions and archives, at most 16 */
    int64_t files;    /* number of files in a folder or an archive */
    int64_t line;     /* bytes per line; longer lines are skipped */
    int64_t name;     /* bytes per name; longer names are cut */
} mp_limits;

typedef struct mp_inputs mp_inputs; /* defined in input/private.h */

/* Options; zero means the default. Everything to which they point must outlive the reading. */
typedef struct mp_load_options {
    mp_inputs *inputs;  /* set of shared inputs; NULL: nothing is shared */
    const char *format; /* name of a reader; NULL: detect the format from the content */
    const char *const *source_folders; /* folders to search for debug listings */
    size_t source_folder_count;
    /* In memory recordings, only objects created in this time range count as created. Reports must
     * select the same range. Without bounds, objects count by the snapshots in which they
     * appear. */
    mp_time_range within;
    const char *domain; /* application domain of the dump to read; NULL: all domains */
    const char *moment; /* additional snapshot of an event log, at "peak" or a time; NULL: none */
    int64_t temporary;  /* maximum age of a temporary object, events or us; 0: 1 event */
    int64_t reorder; /* maximum number of events by which an event may be late; 0: 10000; negative:
                        no event may be late */
    const char *const *skips; /* globs of frames skipped when a site is named */
    size_t skip_count;
    const mp_progress *progress; /* NULL: none */
    /* Encoding of texts in recordings, listings and sources: a name known to iconv that contains
     * ASCII, UTF-16LE or UTF-16BE. NULL: UTF-8; texts that are not valid UTF-8 are read as ISO
     * 8859-1. A byte-order mark overrides it. */
    const char *encoding;
    mp_limits limits;
    uint32_t slices;        /* number of snapshots made from an event log; 0: 20 */
    bool temporary_is_time; /* `temporary` is in microseconds */
    bool no_skips;          /* without `skips`, do not skip frames of well-known allocators */
    bool keep_objects;      /* keep every object, for exports */
    bool keep_ages;         /* keep the ages of deleted objects, for lifetimes; in memory recordings
                             * this takes 8 bytes per object */
    bool request_peaks;     /* find the peak of each request in memory recordings */
    bool threads_as_one;    /* do not distinguish threads of an event log */
    bool dumps_apart;       /* do not look for growth from one heap dump to the next */
    bool checksums;         /* compute checksums; reads each input once more */
    bool traces_folded;     /* do not keep the rows of a profile's trace */
    /* Length of a slice of an event log in microseconds, in place of `slices`; slices without
     * events are omitted. 0: not given. Events may then be late by at most a second. */
    int64_t slice_us;
} mp_load_options;
