/* Input: bytes from a file, standard input or memory, handed out line by line.
 *
 * One pass, one window that slides over the bytes: nothing is kept. Lines end in LF or CRLF. */
#ifndef MP_INPUT_INPUT_H
#define MP_INPUT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/checksum.h"
#include "base/slice.h"
#include "memprof/memprof.h"

/* How much of a file a reader may look at before it says whether the file is its own. */
enum { MP_LOOK_AHEAD = 64 * 1024 };

typedef struct mp_input mp_input;

/* Open `path` ("-": standard input). NULL after a diagnostic: cannot-open, is-directory and others.
 * What the pointers refer to must outlive the input. What is packed is unpacked while it is read.
 * `options`, whose progress, limits and encoding are honoured, may be NULL. */
mp_input *mp_input_open(const char *path, mp_diagnostics *diagnostics,
                        const mp_load_options *options);
/* The same to see what a file is: it does not count as read (input/read_set.h). */
mp_input *mp_input_look(const char *path, mp_diagnostics *diagnostics,
                        const mp_load_options *options);

/* Whether there is a file of this path, or a member of an archive, "ARCHIVE:MEMBER". */
bool mp_input_exists(const char *path);

/* How much of a path is that of an archive whose member it names; 0: none. */
size_t mp_input_archive_of(const char *path);

/* Return the length of a file's name without the ending of what compressed it, such as ".gz". */
size_t mp_input_name_length(const char *name, size_t length);

/* What it is packed by, "gzip, tar" from the outside, or "": `text`, of `size` bytes. */
const char *mp_input_packing(const mp_input *input, char *text, size_t size);
/* What its text is put into UTF-8 from, "UTF-16LE"; "": it is as it was found. */
const char *mp_input_encoding(const mp_input *input);
/* Whether it is an archive, whose members are recordings and whose own bytes mean nothing. */
bool mp_input_is_archive(const mp_input *input);
/* Call `visit` with each member in turn; its path is "ARCHIVE:MEMBER", by which it can be opened
 * later, and is gone behind the call. It returns whether the member will be opened: its bytes are
 * then kept, so that the archive is decompressed once. Of several members of one path, the last one
 * is opened then. What comes through a pipe is kept. False after a diagnostic: not all could be
 * visited. */
bool mp_input_members(mp_input *archive, const mp_load_options *options,
                      bool (*visit)(void *opaque, mp_input *member), void *opaque);

/* Read from `length` bytes of memory (borrowed), at most `window` bytes at a time: tests pass 1 to
 * see that no reader depends on where a read happens to end. */
mp_input *mp_input_from_memory(const char *path, const void *bytes, size_t length, size_t window,
                               mp_diagnostics *diagnostics);

/* How many files of a folder, or members of an archive, are read at most. */
uint64_t mp_input_most_files(const mp_limits *limits);

/* NULL: nothing happens. */
void mp_input_close(mp_input *input);

/* Give an input that was looked at, and from which nothing was consumed, to whoever opens the same
 * path next. A pipe could not be opened again; of files, some are kept open and others closed. */
void mp_input_put_back(mp_input *input);
/* Close the file that was put back under this path, if there is one: it is not read after all. A
 * pipe still waits, as nobody could open it again. */
void mp_input_discard(const char *path);
/* Forget what the archive has that this path is of, or of a member of, and release its temporary
 * file. */
void mp_input_forget_archive(const char *path);
/* Forget what all archives have and what was put back; no input is open. */
void mp_input_forget(void);

/* Send further diagnostics of this input there; returns the previous target. */
mp_diagnostics *mp_input_diagnose_to(mp_input *input, mp_diagnostics *diagnostics);

/* The first bytes of the input, up to MP_LOOK_AHEAD, without consuming them (but for a UTF-8 byte
 * order mark, which is passed over). Valid until the next call for a line. Of what is still being
 * written it is what there is, as soon as that has a line, or a byte that no text has. */
mp_slice mp_input_look_ahead(mp_input *input);

/* Return the bytes that come next, without consuming them: at least `least`, if the input still has
 * so many, and usually more. None are left at the end. Valid until the next call for bytes or for a
 * line. A reader of bytes, whose lines may have any length or which has none, asks for 1 and takes
 * what it gets: the window stays small. */
mp_slice mp_input_at_hand(mp_input *input, size_t least);
/* Take that many of the bytes at hand. Lines, which are counted by mp_input_line, are not. */
void mp_input_consume(mp_input *input, size_t length);

/* The next line without its end; false at the end of the input. Valid until the next call. A line
 * over 16 MiB is skipped with a diagnostic. */
bool mp_input_line(mp_input *input, mp_slice *line);

/* All that is still to come, and how long it is; release with free(). */
char *mp_input_whole(mp_input *input, size_t *length);

/* Whether the last line was closed by a newline: a torn file's last one often is not. */
bool mp_input_line_closed(const mp_input *input);
/* Whether it can be closed now and read again from its start: a file, not a pipe. */
bool mp_input_can_reopen(const mp_input *input);
/* Whether a library can read the same bytes by the input's path. */
bool mp_input_is_plain(const mp_input *input);
/* Of such an input, its descriptor, which stays its own; -1 of others. */
int mp_input_descriptor(const mp_input *input);
/* Of all its bytes, unpacked and not yet put into UTF-8: they are read once more for that, those of
 * a pipe are kept. Not known where they cannot all be read. */
mp_checksum mp_input_checksum(mp_input *input);
/* Whether nothing was wrong with its bytes up to now: false where what is packed breaks off. */
bool mp_input_is_whole(const mp_input *input);
/* Why the system gave no bytes where it was looked at; NULL: it did not refuse any up to now. */
const char *mp_input_refused(const mp_input *input);
/* Read from the start again. What came through a pipe is kept in a temporary file, without a name,
 * from the time of mp_input_keep; as it came, packed or not. False where nothing was kept, or after
 * a diagnostic. */
bool mp_input_rewind(mp_input *input);
/* See to it that the input can be rewound and looked at from its end: nothing may have been
 * consumed yet. A file stays as it is, a pipe is read to its end. False after a diagnostic. */
bool mp_input_keep(mp_input *input);
/* Up to `size` of the last bytes of a kept input; gives how many. */
size_t mp_input_tail(mp_input *input, char *bytes, size_t size);
/* See to it that any of its bytes can be read: what is packed goes into a temporary file without a
 * name. False after a diagnostic. */
bool mp_input_spread(mp_input *input);
/* Of such an input, `size` bytes from `offset` on; gives how many there are. Where they cannot be
 * read, that is said, once. */
size_t mp_input_at(mp_input *input, uint64_t offset, void *bytes, size_t size);
/* How many bytes it has. */
uint64_t mp_input_length(const mp_input *input);
/* It was read by its places: all its bytes count as consumed. */
void mp_input_finish(mp_input *input);
/* The number of the last line, from 1. */
uint64_t mp_input_line_number(const mp_input *input);
/* Bytes consumed so far, line ends included. */
uint64_t mp_input_bytes(const mp_input *input);
/* As it was opened by, borrowed. */
const char *mp_input_path(const mp_input *input);

#endif
