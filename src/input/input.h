/* Input: bytes from a file, standard input or memory, delivered line by line.
 *
 * The input is read in one pass through a sliding window, so memory use does not depend on its
 * size. Lines end in LF or CRLF. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/checksum.h"
#include "base/slice.h"
#include "input/load_options.h"
#include "memprof/diagnostics.h"

/* Number of bytes that a reader may examine to detect its format. */
enum { MP_LOOK_AHEAD = 64 * 1024 };

typedef struct mp_input mp_input;

/* --- inputs of a session: inputs that were put back after their format was detected, lists of
 * archive members, and the files that were read, so that no output overwrites them. Threads may
 * share the set. --- */

/* Make an empty set. Release it with mp_inputs_free after all inputs are closed. */
mp_inputs *mp_inputs_new(void);
/* Release the set; NULL is allowed. */
void mp_inputs_free(mp_inputs *inputs);

/* Keep an input, of which nothing was consumed, for the next mp_input_open of the same path in the
 * same set. Pipes need this, because they cannot be opened again. Only a limited number of files
 * stay open; the others are closed. */
void mp_input_put_back(mp_input *input);
/* Close the file that was put back under this path, if there is one, because it will not be read. A
 * pipe stays open, because it could not be opened again. */
void mp_inputs_discard(mp_inputs *inputs, const char *path);

/* Record that a file was read through this input, unless it is not a regular file. `is_database`:
 * its SQLite sidecar files count as read too. */
void mp_input_note_read(const mp_input *input, const struct stat *file, bool is_database);

/* Relation of a path, with links followed, to the files that were read. */
typedef enum mp_read_state {
    MP_NOT_READ,
    MP_READ,         /* the path is that of a file that was read */
    MP_READ_SIDECAR, /* a sidecar file with changes of an SQLite database that was read */
} mp_read_state;
mp_read_state mp_inputs_state(mp_inputs *inputs, const char *path);

/* --- an input --- */

/* Open `path`; "-" is standard input. Return NULL after a diagnostic, such as cannot-open or
 * is-directory. Everything that the arguments point to must outlive the input. Compressed files are
 * decompressed while they are read. Of `options`, only inputs, progress, limits and encoding are
 * used; it may be NULL. */
mp_input *mp_input_open(const char *path, mp_diagnostics *diagnostics,
                        const mp_load_options *options);
/* Open a file only to detect its format; it does not count as read (mp_inputs_state). */
mp_input *mp_input_look(const char *path, mp_diagnostics *diagnostics,
                        const mp_load_options *options);

/* Return true if the path names a file, or a member of an archive ("ARCHIVE:MEMBER"). */
bool mp_input_exists(mp_inputs *inputs, const char *path);

/* Return the length of the archive's path within the path of a member; 0: it is not a member. */
size_t mp_input_archive_of(mp_inputs *inputs, const char *path);

/* Return the length of a file name without a compression suffix such as ".gz". */
size_t mp_input_name_length(const char *name, size_t length);
/* Return true if a file name has the suffix of a compressed file or an archive. */
bool mp_input_is_named_packed(const char *name);

/* Write the compressions and archives around the input, outermost first ("gzip, tar", or ""), to
 * `text` of `size` bytes. Return `text`. */
const char *mp_input_packing(const mp_input *input, char *text, size_t size);
/* Return the encoding that the text is converted from, such as "UTF-16LE"; "" if it is not
 * converted. */
const char *mp_input_encoding(const mp_input *input);
/* Return true if the input is an archive. Recordings are then its members, not the input itself. */
bool mp_input_is_archive(const mp_input *input);
/* Return true if the input is compressed or an archive; an archive around it does not count. */
bool mp_input_is_packed(const mp_input *input);

/* Visitor of the members of an archive. Paths are "ARCHIVE:MEMBER" and valid during the call. */
typedef struct mp_member_visitor {
    /* Return true if the member will be opened by its path later. Its bytes are then kept, so that
     * the archive is decompressed only once. If members have equal paths, the last one is
     * opened. */
    bool (*member)(void *opaque, mp_input *member);
    /* Called for each link whose target is not in the archive. NULL: such links are ignored. */
    void (*dangling)(void *opaque, const char *path, const char *target);
    void *opaque;
} mp_member_visitor;
/* Visit all members, then dangling links. An archive from a pipe is kept so that members can be
 * opened. Return false after a diagnostic if the archive could not be read completely. */
bool mp_input_members(mp_input *archive, const mp_load_options *options,
                      const mp_member_visitor *visitor);

/* Read `length` bytes of memory (borrowed), at most `window` bytes at a time. Tests pass 1 to check
 * that results do not depend on where reads end. */
mp_input *mp_input_from_memory(const char *path, const void *bytes, size_t length, size_t window,
                               mp_diagnostics *diagnostics);

/* Return the maximum number of files in a folder or of members in an archive. */
uint64_t mp_input_most_files(const mp_limits *limits);

/* Close the input; NULL is allowed. */
void mp_input_close(mp_input *input);

/* Send further diagnostics of this input to `diagnostics`. Return the previous collection. */
mp_diagnostics *mp_input_diagnose_to(mp_input *input, mp_diagnostics *diagnostics);

/* Return the first bytes, up to MP_LOOK_AHEAD, without consuming them. A UTF-8 byte-order mark is
 * skipped. Valid until the next read. If the file is still being written, return as soon as there
 * is a whole line or a NUL byte. */
mp_slice mp_input_look_ahead(mp_input *input);

/* Return the next bytes without consuming them: at least `least`, unless the input ends before, and
 * usually more. The result is empty at the end, and valid until the next read. Readers of binary
 * data or of very long lines should ask for 1 byte, and use all bytes that they get; this keeps the
 * window small. */
mp_slice mp_input_at_hand(mp_input *input, size_t least);
/* Consume `length` of these bytes. Lines among them are not counted; only mp_input_line counts
 * lines. */
void mp_input_consume(mp_input *input, size_t length);

/* Read the next line, without its end. Return false at the end of the input. Valid until the next
 * read. A line over the limit (16 MiB by default) is skipped with a diagnostic. */
bool mp_input_line(mp_input *input, mp_slice *line);

/* Read all remaining bytes and set their number; release with free(). */
char *mp_input_whole(mp_input *input, size_t *length);

/* Return true if the last line ended in a newline, which is often missing in a truncated file. */
bool mp_input_line_closed(const mp_input *input);
/* Return true for a file, which can be closed and opened again, unlike a pipe. */
bool mp_input_can_reopen(const mp_input *input);
/* Return the status that the input's file, or the archive that contains it, had when it was
 * opened. */
const struct stat *mp_input_origin(const mp_input *input);
/* Return true if a library that opens the input's path reads the same bytes. This is so for a file
 * that is neither compressed nor converted. */
bool mp_input_is_plain(const mp_input *input);
/* Return the descriptor of a plain input, which remains its owner; -1 for other inputs. */
int mp_input_descriptor(const mp_input *input);
/* Return the checksum of all bytes, decompressed but not converted to UTF-8. The bytes are read
 * once more for this, so a pipe is kept. The checksum is not `known` if a byte cannot be read. */
mp_checksum mp_input_checksum(mp_input *input);
/* Return true if the bytes read so far are complete. Return false after a truncated or unreadable
 * stream. */
bool mp_input_is_whole(const mp_input *input);
/* Return the system's message if it refused to read the file; NULL if it did not. */
const char *mp_input_refused(const mp_input *input);
/* Restart at the beginning; faults will be reported again. For a pipe, call mp_input_keep first.
 * Return false if the bytes were not kept, or after a diagnostic. */
bool mp_input_rewind(mp_input *input);
/* Make rewinding and mp_input_tail possible. Call it before anything is consumed. A pipe is read to
 * its end into an unnamed temporary file; a file needs nothing. Return false after a diagnostic. */
bool mp_input_keep(mp_input *input);
/* Read up to `size` of the last bytes of a kept input. Return their number. */
size_t mp_input_tail(mp_input *input, char *bytes, size_t size);
/* Make mp_input_at possible: a compressed input is decompressed into memory. Return false after a
 * diagnostic. */
bool mp_input_spread(mp_input *input);
/* Read `size` bytes from `offset` on, after mp_input_spread. Return how many exist. A read error is
 * reported once. */
size_t mp_input_at(mp_input *input, uint64_t offset, void *bytes, size_t size);
/* Return the number of bytes of the input, after mp_input_spread. */
uint64_t mp_input_length(const mp_input *input);
/* Mark all bytes as consumed, after reading with mp_input_at. */
void mp_input_finish(mp_input *input);
/* Return the number of the last line read, from 1. */
uint64_t mp_input_line_number(const mp_input *input);
/* Return the number of bytes consumed, line ends included. */
uint64_t mp_input_bytes(const mp_input *input);
/* Return the path by which the input was opened; borrowed. */
const char *mp_input_path(const mp_input *input);
