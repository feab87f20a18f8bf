/* libmemprof: read recordings of memory and execution profilers, ask them, walk or print the
 * answer.
 *
 *   mp_error error = {0};
 *   mp_recording *recording = mp_recording_load(paths, path_count, NULL);
 *   mp_setting settings[] = {{"by", "source"}, {"limit", "5"}};
 *   mp_document *top = mp_recording_ask(recording, "top", settings, 2, &error);
 *   if (top)
 *       mp_document_print(top, "json", recording, stdout, &error);
 *   mp_document_free(top);
 *   mp_recording_free(recording);
 *
 * What is asked is named as on the command line: reports are its commands, settings its options
 * without dashes (memprof(1)), but those that say how inputs are read: they are members of
 * mp_load_options. The library prints nothing but what it is told to print, and
 * never exits. A recording and its answers are for one thread at a time; different recordings may
 * be used by different threads. Numbers are printed and read as the C locale has them: leave
 * LC_NUMERIC at "C". */
#ifndef MEMPROF_MEMPROF_H
#define MEMPROF_MEMPROF_H

#include <stdio.h>

#include "memprof/diagnostics.h"
#include "memprof/document.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* "0.1.0"; static. */
const char *mp_version(void);

/* What to do when there is no memory, on whichever thread; it must not return. NULL restores the
 * default, abort(). */
void mp_set_out_of_memory_handler(void (*handler)(void));

/* --- loading --- */

typedef struct mp_recording mp_recording;

/* Called now and then while bytes are read, on the thread that loads; a file that is read twice
 * starts again. `total` is 0 where the size is not known. */
typedef struct mp_progress {
    void (*advance)(void *opaque, const char *path, uint64_t done, uint64_t total);
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

/* How inputs are read. Zero-initialise; what it refers to must outlive the recording. */
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

/* Read files ("-": standard input; "FILE@SNAPSHOT": up to that snapshot) as one recording. Never
 * NULL: what could be read can be asked, and the diagnostics say what could not. `options` may be
 * NULL; the paths must outlive the recording. Release with mp_recording_free, after its answers. */
mp_recording *mp_recording_load(const char *const *paths, size_t count,
                                const mp_load_options *options);
/* NULL: nothing happens. */
void mp_recording_free(mp_recording *recording);

/* Whether anything could be read that can be asked. */
bool mp_recording_is_usable(const mp_recording *recording);
/* Whether all was read, and nothing was torn, skipped or in doubt. */
bool mp_recording_is_whole(const mp_recording *recording);
const mp_diagnostics *mp_recording_diagnostics(const mp_recording *recording);

/* --- asking --- */

/* One option of a request: {"by", "source"}; of a switch, any text but NULL. Options that may be
 * repeated are several settings. */
typedef struct mp_setting {
    const char *name, *value;
} mp_setting;

/* The answer to one question. Besides the report's own options, settings are those that select
 * ("type", "not-type", "since", ...), "suppress" (the path of a file; also "today"), "base" (the
 * path of a recording or a baseline that "diff", "gate" hold this one against), "policy" (of
 * "gate", the path of its rules), "object" (of "path" and "object"), "program" (of "annotate"),
 * "allow-torn", a switch: limits and rules also judge a recording, or a base, that breaks off; and
 * "draws", a switch: the answer also has the figures that "svg" prints alone and "html" beside its
 * tables, which takes time and memory for each.
 * NULL with an error. Release with mp_document_free, before the recording, which keeps what the
 * question refers to until it is released itself; the settings' texts must live as long. */
mp_document *mp_recording_ask(mp_recording *recording, const char *report,
                              const mp_setting *settings, size_t count, mp_error *error);

/* Keep what a gate needs of the recording as a text file, a baseline: `settings` select and set the
 * window. Of one that breaks off none is kept without "allow-torn". False with an error; what was
 * at `path` is then still there. */
bool mp_recording_save_baseline(mp_recording *recording, const char *path,
                                const mp_setting *settings, size_t count, mp_error *error);

/* Write the recording as another tool's file ("pprof", "callgrind"); for "aqtime" it was loaded
 * with keep_objects, for "dhat" with keep_ages. Gives the sums of what was written, and how many
 * rows of each kind. NULL with an error; what was at `path` is then still there.
 */
mp_document *mp_recording_export(const mp_recording *recording, const char *format,
                                 const char *path, mp_error *error);

/* The answers of several recordings to one question as one, with a column for the file: `names` and
 * `documents`, which must outlive it, are `count` each, at least one. Tables with an order have at
 * most `rows` rows, 0: all. Release with mp_document_free. */
mp_document *mp_answers_merge(const char *const *names, const mp_document *const *documents,
                              size_t count, size_t rows);

/* --- printing --- */

/* Print in a format of the command line's --format ("text", "json", "csv", ...), at most 100
 * columns wide where it is for people. "svg" needs an answer that was asked with "draws"
 * unless it is of "flame", "html" has figures then. `recording` may be NULL: formats for programs
 * tell its diagnostics. False with an error where the answer has nothing that this format shows, or
 * where it could not be written.
 */
bool mp_document_print(const mp_document *document, const char *format,
                       const mp_recording *recording, FILE *file, mp_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
