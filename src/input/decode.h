/* Text that is not UTF-8, made UTF-8 while it is read: what a byte-order mark says, UTF-16 without
 * one where the first characters leave no doubt, or the encoding that somebody named.
 *
 * A mark says more than a name, and is passed over. All of the text is converted and not its names
 * alone: in some encodings the second byte of a character is that of a quote or a bar. An SQLite
 * database knows the encoding of its texts itself, and is left as it is. UTF-32 is a fault. */
#ifndef MP_INPUT_DECODE_H
#define MP_INPUT_DECODE_H

#include "input/stream.h"

/* Put onto the stream what decodes it, if what it begins with, or the name, asks for that. `name`
 * may be NULL. Of what grows it is put there in any case, and finds out as it is read. */
void mp_decode(mp_stream **stream, const char *name);

/* Return the stream that is decoded; the stream itself if it decodes nothing. */
const mp_stream *mp_decode_below(const mp_stream *stream);
/* Return the number of invalid characters so far, and the line of the first one. */
uint64_t mp_decode_damage(const mp_stream *stream, uint64_t *line);
/* Return true if all that was decoded by the user's choice of an encoding of one byte a character
 * is also valid UTF-8, and not only ASCII. */
bool mp_decode_may_be_utf8(const mp_stream *stream);
/* Return the source encoding, "UTF-16LE"; "" if it is UTF-8 or not known yet. Lives as long as the
 * stream. */
const char *mp_decode_name(const mp_stream *stream);

#endif
