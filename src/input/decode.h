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

/* What it decodes; itself where it decodes nothing. */
const mp_stream *mp_decode_below(const mp_stream *stream);
/* How many characters were none, up to now, and in which line the first one of them was. */
uint64_t mp_decode_damage(const mp_stream *stream, uint64_t *line);
/* Whether all that was decoded as the user named it, a byte a character, would be UTF-8, and not
 * ASCII alone. */
bool mp_decode_may_be_utf8(const mp_stream *stream);
/* What it is decoded from, "UTF-16LE"; "": it is UTF-8, or not known yet. Lives as the stream. */
const char *mp_decode_name(const mp_stream *stream);

#endif
