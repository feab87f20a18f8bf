/* libmemprof: read recordings of memory and execution profilers, ask questions, and walk or print
 * the answers.
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
 * Questions and options have the names of the command line, without dashes: reports are its
 * commands, and memprof(1) describes the options. The library prints only on request and never
 * exits. A session and its answers may be used by one thread at a time; different sessions may be
 * used by different threads. Numbers are printed and read as in the C locale: leave LC_NUMERIC at
 * "C". */
#ifndef MEMPROF_MEMPROF_H
#define MEMPROF_MEMPROF_H

#include <stdio.h>

#include "memprof/diagnostics.h"
#include "memprof/document.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Return the version, such as "0.1.0"; static. */
const char *mp_version(void);

/* Set the function to call when memory runs out, on whichever thread that happens. It must not
 * return. NULL restores the default, abort(). */
void mp_set_out_of_memory_handler(void (*handler)(void));

/* --- sessions: inputs and how they are read --- */

typedef struct mp_session mp_session;

/* An option as name and value: {"by", "source"}. The value of a switch may be any text but NULL.
 * Give a repeatable option as several settings. The texts are borrowed. */
typedef struct mp_setting {
    const char *name, *value;
} mp_setting;

/* Create a session without inputs. Never returns NULL. Release the session with mp_session_free,
 * after its answers. */
mp_session *mp_session_new(void);
/* Free the session. NULL is allowed. */
void mp_session_free(mp_session *session);

/* Set a reading option for all later questions: "at", "slices", "temporary", "reorder", "skip",
 * "no-skip", "domain", "listings", "input-format", "encoding", "group", "recursive", "jobs",
 * "bytes", "strict", "allow-torn", "max-unpacked" or another limit of inputs. The text must live as
 * long as the session. Return false with an error. */
bool mp_session_set(mp_session *session, const char *name, const char *text, mp_error *error);

/* Add an input: a file, "FILE@SNAPSHOT" for the part of a file up to that snapshot, an archive, a
 * folder, or "-" for standard input. Several files form one recording. Recordings in a folder or an
 * archive are analysed separately and their answers merged, with a column for the file, unless
 * "group" says otherwise. Read errors are reported by the next question. The path is copied. */
void mp_session_add(mp_session *session, const char *path);

/* Add an input with this name from memory, from a descriptor, or from `read`. The name appears in
 * messages and answers. All bytes are read and copied at once. `read` returns the number of bytes
 * it put into the buffer, 0 at the end, or a negative number on failure. Return false with an
 * error. */
bool mp_session_add_memory(mp_session *session, const char *name, const void *bytes, size_t length,
                           mp_error *error);
bool mp_session_add_descriptor(mp_session *session, const char *name, int descriptor,
                               mp_error *error);
bool mp_session_add_stream(mp_session *session, const char *name,
                           ptrdiff_t (*read)(void *opaque, void *buffer, size_t size), void *opaque,
                           mp_error *error);

/* Set a progress function, which is called from time to time while inputs are read, and while a
 * statement of "sql" runs. `path` is the file, "all files" for several, or "statement"; `done` and
 * `total` are bytes, with `total` 0 if unknown, and both 0 for a statement. Progress restarts if a
 * file is read twice. The function is called on any reading thread, but never on two at once. If it
 * returns false, reading ends and the question fails with MP_ERROR_CANCELLED. NULL removes the
 * function. */
void mp_session_watch(mp_session *session,
                      bool (*advance)(void *opaque, const char *path, uint64_t done,
                                      uint64_t total),
                      void *opaque);

/* Return the reason why the last call for the session failed, in one line; "" if it succeeded. It
 * is valid until the next call. Functions with an `error` parameter accept NULL for it. */
const char *mp_session_error(mp_session *session);
/* Return the diagnostics of the inputs of the latest question. Valid until the next question. */
const mp_diagnostics *mp_session_diagnostics(const mp_session *session);

/* --- questions --- */

/* Ask a question: run a report with its own options and those of the selection ("type", "not-type",
 * "since", ...). Further settings:
 * - "suppress": path of a suppression file; "today": current date for its expiry dates
 * - "base": path of a recording or a baseline, which "diff" and "gate" compare with
 * - "policy": path of the rules of "gate"
 * - "object": object that "path" and "object" report
 * - "program": program that "annotate" reports
 * - "draws": switch that adds the figures which "svg" prints alone and "html" prints with its
 *   tables; figures take time and memory
 *
 * Inputs are read at the first question, with the data it needs, and stay in memory if they are one
 * recording, or if all were asked about together. A question that needs more data reads them again.
 * A pipe can be read only once, so ask the question that needs most data first.
 *
 * Return NULL with an error. Release the answer with mp_document_free, before the session. The
 * session keeps the data of the question until then; the texts of the settings must live as
 * long. */
mp_document *mp_session_ask(mp_session *session, const char *report, const mp_setting *settings,
                            size_t count, mp_error *error);
/* Return true if all data for the last question was read, and none of it was truncated, skipped or
 * doubtful. */
bool mp_session_is_whole(const mp_session *session);

/* Save the data that a gate needs as a baseline, a text file. `settings` are the selection and the
 * window. A truncated recording needs "allow-torn". Return false with an error; an existing file at
 * `path` is then unchanged. */
bool mp_session_save_baseline(mp_session *session, const char *path, const mp_setting *settings,
                              size_t count, mp_error *error);

/* Convert the recording for another tool ("pprof", "callgrind"). Return a document with the totals
 * that were written and the number of rows of each kind. Return NULL with an error; an existing
 * file at `path` is then unchanged. */
mp_document *mp_session_export(mp_session *session, const char *format, const char *path,
                               const mp_setting *settings, size_t count, mp_error *error);

/* --- printing --- */

/* Print the document in a format of the option --format ("text", "json", "csv", ...). Formats for
 * people are at most 100 columns wide. "svg" needs an answer that was asked with "draws", except
 * from "flame"; "html" includes figures if "draws" was given. `session` may be NULL; if given,
 * formats for programs include its diagnostics. Return false with an error if the format cannot
 * show the answer, or if writing fails. */
bool mp_document_print(const mp_document *document, const char *format, const mp_session *session,
                       FILE *file, mp_error *error);
/* Print the document with `write`, which receives the bytes piece by piece and returns false on
 * failure. */
bool mp_document_write(const mp_document *document, const char *format, const mp_session *session,
                       bool (*write)(void *opaque, const void *bytes, size_t length), void *opaque,
                       mp_error *error);

/* --- catalogues --- */

typedef enum mp_catalogue {
    MP_CATALOGUE_REPORTS = 0,        /* reports */
    MP_CATALOGUE_INPUT_FORMATS = 1,  /* formats of recordings */
    MP_CATALOGUE_OUTPUT_FORMATS = 2, /* output formats of answers */
    MP_CATALOGUE_EXPORT_FORMATS = 3, /* formats of other tools, for mp_session_export */
    MP_CATALOGUE_OPTIONS = 4,        /* options of mp_session_set */
} mp_catalogue;

/* Return the name and the description of an entry, by its index. NULL after the last entry.
 * Static. */
const char *mp_catalogue_name(mp_catalogue catalogue, size_t place);
const char *mp_catalogue_summary(mp_catalogue catalogue, size_t place);
/* Return the name of a setting of a report or an export format, by its index. Settings of the
 * selection ("type") also have an opposite ("not-type"). NULL after the last setting, or if there
 * is no report with this name. Static. */
const char *mp_report_setting(const char *report, size_t place);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
