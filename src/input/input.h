/* Input: bytes from a file, standard input or memory, handed out line by line.
 *
 * One pass, one window that slides over the bytes: nothing is kept. Lines end in LF or CRLF. */
#ifndef MP_INPUT_INPUT_H
#define MP_INPUT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/checksum.h"
#include "base/slice.h"
#include "input/load_options.h"
#include "memprof/diagnostics.h"

/* Number of bytes that a reader may look at to tell whether a file is in its format. */
enum { MP_LOOK_AHEAD = 64 * 1024 };

typedef struct mp_input mp_input;

/* --- what is known of the inputs of a session: those that were put back after a look, archives
 * that were gone through, and which files were read, so that no output overwrites them. Threads may
 * share it. --- */

/* Release with mp_inputs_free, when no input is open any more. */
mp_inputs *mp_inputs_new(void);
/* NULL: nothing happens. */
void mp_inputs_free(mp_inputs *inputs);

/* Give an input that was looked at, and from which nothing was consumed, to whoever opens the same
 * path next with the same inputs. A pipe could not be opened again; of files, some are kept open
 * and others closed. */
void mp_input_put_back(mp_input *input);
/* Close the file that was put back under this path, if there is one: it is not read after all. A
 * pipe still waits, as nobody could open it again. */
void mp_inputs_discard(mp_inputs *inputs, const char *path);

/* Note that a file was read with this input: what is no regular file is left out. `is_database`:
 * SQLite keeps changes of it in sidecar files. */
void mp_input_note_read(const mp_input *input, const struct stat *file, bool is_database);

/* Relation of a path, at the end of its links, to the files that were read. */
typedef enum mp_read_state {
    MP_NOT_READ,
    MP_READ,         /* it is one of the files */
    MP_READ_SIDECAR, /* it is where SQLite keeps changes of a database that was read */
} mp_read_state;
mp_read_state mp_inputs_state(mp_inputs *inputs, const char *path);

/* --- an input --- */

/* Open `path` ("-": standard input). NULL after a diagnostic: cannot-open, is-directory and others.
 * Everything the pointers refer to must outlive the input. Compressed files are decompressed while
 * they are read. `options`, of which inputs, progress, limits and encoding are used, may be NULL.
 */
mp_input *mp_input_open(const char *path, mp_diagnostics *diagnostics,
                        const mp_load_options *options);
/* Open a file only to detect its format: it does not count as read (mp_inputs_state). */
mp_input *mp_input_look(const char *path, mp_diagnostics *diagnostics,
                        const mp_load_options *options);

/* Return true if the path is that of a file or of a member of an archive, "ARCHIVE:MEMBER". */
bool mp_input_exists(mp_inputs *inputs, const char *path);

/* Return the length of the archive's path in that of a member; 0 if it is no member's. */
size_t mp_input_archive_of(mp_inputs *inputs, const char *path);

/* Return the length of a file's name without the ending of what compressed it, such as ".gz". */
size_t mp_input_name_length(const char *name, size_t length);
/* Return true if a file's name ends as those of compressed files or archives do. */
bool mp_input_is_named_packed(const char *name);

/* Write its compressions and archives, outermost first ("gzip, tar", or ""), to `text`, of `size`
 * bytes, and return that. */
const char *mp_input_packing(const mp_input *input, char *text, size_t size);
/* Return the encoding that its text is converted from, "UTF-16LE"; "" if it is not converted. */
const char *mp_input_encoding(const mp_input *input);
/* Return true for an archive: its members may be recordings, its own bytes mean nothing. */
bool mp_input_is_archive(const mp_input *input);
/* Return true if its own bytes are compressed, or an archive. */
bool mp_input_is_packed(const mp_input *input);

/* Visitor of the members of an archive. Paths are "ARCHIVE:MEMBER", and are gone after the call. */
typedef struct mp_member_visitor {
    /* Return true if the member will be opened, by its path: its bytes are then kept, so that the
     * archive is decompressed once. Of several members of one path, the last one is opened. */
    bool (*member)(void *opaque, mp_input *member);
    /* Take a link whose target is not in the archive; NULL: they are passed over. */
    void (*dangling)(void *opaque, const char *path, const char *target);
    void *opaque;
} mp_member_visitor;
/* Visit each member in turn, then dangling links. What comes through a pipe is kept. False after a
 * diagnostic: not all could be visited. */
bool mp_input_members(mp_input *archive, const mp_load_options *options,
                      const mp_member_visitor *visitor);

/* Read from `length` bytes of memory (borrowed), at most `window` bytes at a time: tests pass 1 to
 * see that no reader depends on where a read happens to end. */
mp_input *mp_input_from_memory(const char *path, const void *bytes, size_t length, size_t window,
                               mp_diagnostics *diagnostics);

/* Return the maximum number of files in a folder, or of members in an archive. */
uint64_t mp_input_most_files(const mp_limits *limits);

/* NULL: nothing happens. */
void mp_input_close(mp_input *input);

/* Send further diagnostics of this input there; returns the previous target. */
mp_diagnostics *mp_input_diagnose_to(mp_input *input, mp_diagnostics *diagnostics);

/* Return the first bytes, up to MP_LOOK_AHEAD, without consuming them (a UTF-8 byte order mark is
 * skipped). Valid until the next call for a line. Of a file that is still being written, return
 * what there is once it has a whole line, or a byte that no text has. */
mp_slice mp_input_look_ahead(mp_input *input);

/* Return the bytes that come next, without consuming them: at least `least`, if the input still has
 * so many, and usually more. None are left at the end. Valid until the next call for bytes or for a
 * line. A reader of bytes, whose lines may have any length or which has none, asks for 1 and takes
 * what it gets: the window stays small. */
mp_slice mp_input_at_hand(mp_input *input, size_t least);
/* Take that many of the bytes at hand. Lines, which are counted by mp_input_line, are not. */
void mp_input_consume(mp_input *input, size_t length);

/* Take the next line without its end; false at the end of the input. Valid until the next call. A
 * line over 16 MiB is skipped with a diagnostic. */
bool mp_input_line(mp_input *input, mp_slice *line);

/* Take all bytes that are left, and their number; release with free(). */
char *mp_input_whole(mp_input *input, size_t *length);

/* Return true if the last line ended in a newline: that of a truncated file often does not. */
bool mp_input_line_closed(const mp_input *input);
/* Return true if it can be closed and opened again: a file, not a pipe. */
bool mp_input_can_reopen(const mp_input *input);
/* Return true if a library can read the same bytes by the input's path. */
bool mp_input_is_plain(const mp_input *input);
/* Return the descriptor of such an input, which keeps it; -1 for others. */
int mp_input_descriptor(const mp_input *input);
/* Return the checksum of all its bytes, decompressed and before conversion to UTF-8. They are read
 * once more for that; those of a pipe are kept. Not known if they cannot all be read. */
mp_checksum mp_input_checksum(mp_input *input);
/* Return true if nothing was wrong with its bytes so far: false after a truncated stream. */
bool mp_input_is_whole(const mp_input *input);
/* Return the system's reason for giving no bytes; NULL if it has refused none so far. */
const char *mp_input_refused(const mp_input *input);
/* Read from the start again. The bytes of a pipe are in an unnamed temporary file since
 * mp_input_keep, as they came. False if they were not kept, or after a diagnostic. */
bool mp_input_rewind(mp_input *input);
/* Make sure that the input can be rewound and read from its end: nothing may have been consumed
 * yet. A file stays as it is, a pipe is read to its end. False after a diagnostic. */
bool mp_input_keep(mp_input *input);
/* Read up to `size` of the last bytes of a kept input; return how many. */
size_t mp_input_tail(mp_input *input, char *bytes, size_t size);
/* Make sure that its bytes can be read in any order: a compressed input is decompressed into
 * memory. False after a diagnostic. */
bool mp_input_spread(mp_input *input);
/* Read `size` bytes of such an input from `offset` on; return how many there are. A read error is
 * reported once. */
size_t mp_input_at(mp_input *input, uint64_t offset, void *bytes, size_t size);
/* Return the number of its bytes. */
uint64_t mp_input_length(const mp_input *input);
/* Count all its bytes as consumed, after reading in any order. */
void mp_input_finish(mp_input *input);
/* Return the number of the last line, from 1. */
uint64_t mp_input_line_number(const mp_input *input);
/* Return the number of bytes consumed so far, line ends included. */
uint64_t mp_input_bytes(const mp_input *input);
/* Return the path that it was opened by; borrowed. */
const char *mp_input_path(const mp_input *input);

#endif
