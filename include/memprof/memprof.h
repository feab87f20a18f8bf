/* libmemprof: read recordings of memory and execution profilers, ask them, walk or print the
 * answer.
 *
 *   mp_error error = {0};
 *   mp_session *session = mp_session_new();
 *   mp_session_add(session, "shop.oemp");
 *   mp_setting settings[] = {{"by", "source"}, {"limit", "5"}};
 *   mp_document *top = mp_session_ask(session, "top", settings, 2, &error);
 *   if (top)
 *       mp_document_print(top, "json", session, stdout, &error);
 *   mp_document_free(top);
 *   mp_session_free(session);
 *
 * Questions and options are named as on the command line, without dashes: reports are its commands,
 * and what an option takes, memprof(1) tells. The library prints nothing but what it is told to
 * print, and never exits. A session and its answers are for one thread at a time; different
 * sessions may be used by different threads. Numbers are printed and read as the C locale has them:
 * leave LC_NUMERIC at "C". */
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

/* Set the function that is called on any thread if memory runs out; it must not return. NULL
 * restores the default, abort(). */
void mp_set_out_of_memory_handler(void (*handler)(void));

/* --- sessions: what is read, and how --- */

typedef struct mp_session mp_session;

/* One option by its name and text: {"by", "source"}; of a switch, any text but NULL. An option that
 * may be repeated is several settings. The texts are borrowed. */
typedef struct mp_setting {
    const char *name, *value;
} mp_setting;

/* A session without inputs. Never NULL. Release with mp_session_free, after its answers. */
mp_session *mp_session_new(void);
/* NULL: nothing happens. */
void mp_session_free(mp_session *session);

/* Set an option that says how inputs are read, for all that is asked from now on: "at", "slices",
 * "temporary", "reorder", "skip", "no-skip", "domain", "listings", "input-format", "encoding",
 * "group", "recursive", "jobs", "bytes", "strict", "allow-torn", "max-unpacked" and the other
 * limits of what an input may ask for. The text must live as long as the session. False with an
 * error. */
bool mp_session_set(mp_session *session, const char *name, const char *text, mp_error *error);

/* Add an input: a file, "FILE@SNAPSHOT" for what is in it up to that snapshot, an archive, a
 * folder, or "-" for standard input. Files are one recording; what is in a folder or an archive is
 * asked apart, each recording on its own, and the answers are merged, with a column for the file:
 * "group" says otherwise. What cannot be read is told when something is asked. The path is copied.
 */
void mp_session_add(mp_session *session, const char *path);

/* Add bytes that are in memory, come of a descriptor, or of `read`, as an input of this name, which
 * messages and answers tell: they are copied, and read to their end, at once. `read` gives how many
 * bytes it put into the buffer: 0 at the end, below 0 on failure. False with an error. */
bool mp_session_add_memory(mp_session *session, const char *name, const void *bytes, size_t length,
                           mp_error *error);
bool mp_session_add_descriptor(mp_session *session, const char *name, int descriptor,
                               mp_error *error);
bool mp_session_add_stream(mp_session *session, const char *name,
                           ptrdiff_t (*read)(void *opaque, void *buffer, size_t size), void *opaque,
                           mp_error *error);

/* Have `advance` called now and then while inputs are read, with the path, or "all files" of
 * several, and bytes; `total` is 0 where the size is not known. A file that is read twice starts
 * again. It is called on whichever thread reads, never on two at once. False from it ends the
 * reading: what was asked fails with MP_ERROR_CANCELLED. NULL: none is called any more. */
void mp_session_watch(mp_session *session,
                      bool (*advance)(void *opaque, const char *path, uint64_t done,
                                      uint64_t total),
                      void *opaque);

/* Say why the last call for the session failed, as a line; "" where none did. Valid until the next
 * one. `error`, of functions that have it, may be NULL. */
const char *mp_session_error(mp_session *session);
/* Return the problems of the inputs of the latest question. Valid until the next question. */
const mp_diagnostics *mp_session_diagnostics(const mp_session *session);

/* --- asking --- */

/* The answer to one question: a report, with its own options and those that select ("type",
 * "not-type", "since", ...). Also: "suppress" (the path of a file) and "today"; "base" (the path of
 * a recording or a baseline that "diff" and "gate" hold this one against), "policy" (of "gate", the
 * path of its rules), "object" (of "path" and "object"), "program" (of "annotate"); and "draws", a
 * switch: the answer also has the figures that "svg" prints alone and "html" beside its tables,
 * which takes time and memory for each.
 *
 * Inputs are read when they are first asked, with what the question needs of them, and stay in
 * memory where they are one recording; a question that needs more reads them again. What comes
 * through a pipe can be read once: ask it the question that needs most first.
 *
 * NULL with an error. Release with mp_document_free, before the session, which keeps what the
 * question refers to until it is released itself; the settings' texts must live as long. */
mp_document *mp_session_ask(mp_session *session, const char *report, const mp_setting *settings,
                            size_t count, mp_error *error);
/* Return whether all of what was asked last was read, and nothing was torn, skipped or in doubt. */
bool mp_session_is_whole(const mp_session *session);

/* Keep what a gate needs of the recording as a text file, a baseline: `settings` select and set the
 * window. Of one that breaks off none is kept without "allow-torn". False with an error; what was
 * at `path` is then still there. */
bool mp_session_save_baseline(mp_session *session, const char *path, const mp_setting *settings,
                              size_t count, mp_error *error);

/* Write the recording as another tool's file ("pprof", "callgrind"). Gives the sums of what was
 * written, and how many rows of each kind. NULL with an error; what was at `path` is then still
 * there. */
mp_document *mp_session_export(mp_session *session, const char *format, const char *path,
                               const mp_setting *settings, size_t count, mp_error *error);

/* --- printing --- */

/* Print in a format of the command line's --format ("text", "json", "csv", ...), at most 100
 * columns wide where it is for people. "svg" needs an answer that was asked with "draws"
 * unless it is of "flame", "html" has figures then. `session` may be NULL: formats for programs
 * tell its diagnostics. False with an error where the answer has nothing that this format shows, or
 * where it could not be written. */
bool mp_document_print(const mp_document *document, const char *format, const mp_session *session,
                       FILE *file, mp_error *error);
/* The same by `write`, which is called with all bytes in turn; false from it is a failure. */
bool mp_document_write(const mp_document *document, const char *format, const mp_session *session,
                       bool (*write)(void *opaque, const void *bytes, size_t length), void *opaque,
                       mp_error *error);

/* --- what there is --- */

typedef enum mp_catalogue {
    MP_CATALOGUE_REPORTS = 0,        /* that can be asked */
    MP_CATALOGUE_INPUT_FORMATS = 1,  /* that are read */
    MP_CATALOGUE_OUTPUT_FORMATS = 2, /* in which answers are printed */
    MP_CATALOGUE_EXPORT_FORMATS = 3, /* of other tools, that mp_session_export writes */
    MP_CATALOGUE_OPTIONS = 4,        /* of mp_session_set */
} mp_catalogue;

/* Name the entry of a catalogue at this place, from 0, and say what it is. NULL behind the last
 * one. Static. */
const char *mp_catalogue_name(mp_catalogue catalogue, size_t place);
const char *mp_catalogue_summary(mp_catalogue catalogue, size_t place);
/* Name the setting of a report, or of an export format, at this place, from 0; those that select
 * ("type") also have an opposite ("not-type"). NULL behind the last one, and where there is no such
 * report. Static. */
const char *mp_report_setting(const char *report, size_t place);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
