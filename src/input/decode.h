/* Conversion of text to UTF-8 while it is read. The encoding is taken from the byte-order mark.
 * Without one it is UTF-16 if the first characters are clearly UTF-16, otherwise the encoding that
 * the user named.
 *
 * A byte-order mark is skipped. The whole text is converted, not only its names: in some encodings
 * the second byte of a character can look like a quote or a bar. SQLite databases store the
 * encoding of their texts and are not converted. UTF-32 is a fault. */
#pragma once

#include "input/stream.h"

/* Push a decoder onto the stream if its first bytes, or the encoding `name`, require one. `name`
 * may be NULL. A stream that grows always gets a decoder, which makes the decision when the bytes
 * arrive. */
void mp_decode(mp_stream **stream, const char *name);

/* Return the stream below the decoder, or the stream itself if it has no decoder. */
const mp_stream *mp_decode_below(const mp_stream *stream);
/* Return the number of invalid characters so far, and the line of the first one. */
uint64_t mp_decode_damage(const mp_stream *stream, uint64_t *line);
/* Return true if the text was read in a single-byte encoding that the user chose, but is also valid
 * UTF-8 with characters beyond ASCII: the choice is probably wrong. */
bool mp_decode_may_be_utf8(const mp_stream *stream);
/* Return the source encoding, such as "UTF-16LE"; "" for UTF-8, or if it is not decided yet. Valid
 * as long as the stream. */
const char *mp_decode_name(const mp_stream *stream);
