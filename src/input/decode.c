#include "input/decode.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/encoding.h"
#include "base/memory.h"
#include "base/text.h"

enum { BLOCK = 64 * 1024 };

/* --- finding out --- */

enum { UNITS = 4, ENOUGH = 2 * UNITS };

typedef enum verdict {
    AS_NAMED, /* or, without a name, as it is */
    MARKED_UTF8,
    UTF16,
    UTF32,
    MORE, /* bytes so far do not tell yet */
} verdict;

typedef struct found {
    verdict verdict;
    const char *name; /* name of the encoding, for UTF16 alone */
    size_t mark;      /* its bytes */
} found;

static bool is_of_text(char byte)
{
    return (byte >= ' ' && byte <= '~') || byte == '\t' || byte == '\n' || byte == '\r';
}

/* Return true if all units are ASCII, one byte of each, its first or its last, and the others 0. No
 * format that is read begins with a 0 among its first bytes otherwise. */
static bool is_ascii_of(const char *at, size_t length, size_t unit, size_t place)
{
    for (size_t i = 0; i < length; i++)
        if (i % unit == place ? !is_of_text(at[i]) : at[i] != 0)
            return false;
    return true;
}

static bool starts(mp_slice head, const char *mark, size_t length)
{
    return head.length >= length && memcmp(head.at, mark, length) == 0;
}

/* `last`: there is no more than the head. */
static found find_out(mp_slice head, bool last)
{
    static const struct {
        const char *bytes;
        size_t length;
        found is;
    } marks[] = {
        {"\xff\xfe\0\0", 4, {UTF32, NULL, 4}},       {"\0\0\xfe\xff", 4, {UTF32, NULL, 4}},
        {"\xff\xfe", 2, {UTF16, "UTF-16LE", 2}},     {"\xfe\xff", 2, {UTF16, "UTF-16BE", 2}},
        {"\xef\xbb\xbf", 3, {MARKED_UTF8, NULL, 3}},
    };
    bool may_be_marked = head.length < 4 && head.length && !is_of_text(*head.at);
    bool may_be_wide = head.length < ENOUGH && memchr(head.at, 0, head.length);
    if (!last && (head.length < 2 || may_be_marked || may_be_wide))
        return (found){MORE, NULL, 0};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (starts(head, marks[i].bytes, marks[i].length))
            return marks[i].is;
    if (head.length >= ENOUGH) {
        if (is_ascii_of(head.at, ENOUGH, 4, 0) || is_ascii_of(head.at, ENOUGH, 4, 3))
            return (found){UTF32, NULL, 0};
        if (is_ascii_of(head.at, ENOUGH, 2, 0))
            return (found){UTF16, "UTF-16LE", 0};
        if (is_ascii_of(head.at, ENOUGH, 2, 1))
            return (found){UTF16, "UTF-16BE", 0};
    }
    return (found){AS_NAMED, NULL, 0};
}

/* --- the stream --- */

typedef struct decoder {
    mp_stream stream;
    char *named;           /* NULL: it is for the text to say */
    const char *name;      /* encoding that it is decoded from; "": nothing is to be done */
    mp_encoding *encoding; /* NULL: the same */
    bool decided;
    uint64_t lines, damage, damaged_line;
    char character[4]; /* bytes of a UTF-8 character, as far as it was read */
    size_t begun;      /* bytes of that */
    bool is_utf8, is_not_utf8;
    size_t from, to; /* bytes of the block not decoded yet */
    char block[BLOCK];
    size_t rest_from, rest_to; /* bytes of the rest: decoded, and found no room */
    char rest[MP_MOST_OF_CHARACTER];
} decoder;

/* Note whether these bytes, too, would be UTF-8. */
static void look(decoder *own, const char *at, size_t length)
{
    for (size_t i = 0; i < length && !own->is_not_utf8; i++) {
        const unsigned char byte = (unsigned char)(own->begun ? own->character[0] : at[i]);
        if (byte < 0x80)
            continue;
        const size_t whole = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
        own->character[own->begun++] = at[i];
        if (own->begun < whole)
            continue;
        own->is_utf8 = mp_utf8_length(own->character, own->character + whole) == whole;
        own->is_not_utf8 = !own->is_utf8;
        own->begun = 0;
    }
}

/* Read once more into the block. 0 at the end, and if it does not wait. */
static size_t fill(decoder *own)
{
    memmove(own->block, own->block + own->from, own->to - own->from);
    own->to -= own->from;
    own->from = 0;
    size_t got = mp_stream_read(own->stream.below, own->block + own->to, BLOCK - own->to);
    if (own->named && strcasecmp(own->named, "UTF-8") != 0 && strcasecmp(own->named, "UTF8") != 0)
        look(own, own->block + own->to, got);
    own->to += got;
    return got;
}

static bool is_at_end(const decoder *own)
{
    return !own->stream.bottom->looks;
}

static void begin(decoder *own, found is)
{
    const char *why;
    own->decided = true;
    own->name = is.verdict == UTF16                    ? is.name
                : is.verdict == AS_NAMED && own->named ? own->named
                                                       : "";
    own->from += is.mark;
    if (is.verdict == UTF32)
        mp_stream_fail(
            &own->stream, MP_FAULT_READ,
            "it is UTF-32, which is not supported; convert it to UTF-8 (iconv -f UTF-32 -t UTF-8)");
    else if (*own->name && !(own->encoding = mp_encoding_open(own->name, &why)))
        mp_stream_fail(&own->stream, MP_FAULT_READ, "unknown encoding \"%.60s\": %s", own->name,
                       why);
}

/* Choose the encoding. False if that is not possible yet, or at a fault. */
static bool decide(decoder *own)
{
    while (!own->decided) {
        size_t got = fill(own);
        if (!got && !is_at_end(own))
            return false;
        found is = find_out((mp_slice){own->block, own->to}, !got);
        if (is.verdict != MORE)
            begin(own, is);
    }
    return !own->stream.fault;
}

static void count_lines(decoder *own, const char *from, size_t length)
{
    const char *behind = from + length;
    while (own->encoding && !own->damage && from < behind &&
           (from = memchr(from, '\n', (size_t)(behind - from)))) {
        own->lines++;
        from++;
    }
}

/* Decode one character of the block; 0 if it is not complete. */
static size_t decode_one(decoder *own, bool last, char *out)
{
    size_t put;
    bool bad = false;
    size_t taken = mp_encoding_take(own->encoding, own->block + own->from, own->to - own->from,
                                    last, out, &put, &bad);
    own->from += taken;
    own->damaged_line = bad && !own->damage ? own->lines + 1 : own->damaged_line;
    own->damage += bad;
    return taken ? put : 0;
}

/* Decode the block, as far as there is room. */
static size_t decode(decoder *own, bool last, char *into, size_t room)
{
    size_t got = 0;
    while (own->from < own->to && room - got >= MP_MOST_OF_CHARACTER) {
        size_t put = mp_encoding_ascii(own->encoding, own->block + own->from, own->to - own->from,
                                       into + got, room - got);
        own->from += put * mp_encoding_unit(own->encoding);
        if (!put && !(put = decode_one(own, last, into + got)))
            break;
        count_lines(own, into + got, put);
        got += put;
    }
    return got;
}

static size_t give_rest(decoder *own, char *into, size_t room)
{
    size_t got = own->rest_to - own->rest_from;
    got = got < room ? got : room;
    memcpy(into, own->rest + own->rest_from, got);
    own->rest_from += got;
    return got;
}

/* Give the bytes of the block unchanged. */
static size_t give_block(decoder *own, char *into, size_t room)
{
    size_t got = own->to - own->from;
    got = got < room ? got : room;
    memcpy(into, own->block + own->from, got);
    own->from += got;
    return got;
}

/* Give decoded text; 0 if the block has no whole character. */
static size_t give_decoded(decoder *own, bool last, char *into, size_t room)
{
    if (room >= MP_MOST_OF_CHARACTER)
        return decode(own, last, into, room);
    own->rest_from = 0;
    own->rest_to = decode(own, last, own->rest, sizeof own->rest);
    return give_rest(own, into, room);
}

static size_t end(decoder *own)
{
    if (own->stream.below->fault && !own->stream.fault)
        mp_stream_fail_below(&own->stream);
    return 0;
}

static size_t decode_read(mp_stream *stream, char *into, size_t room)
{
    decoder *own = (decoder *)stream;
    if (own->rest_from < own->rest_to)
        return give_rest(own, into, room);
    if (!decide(own))
        return end(own);
    for (bool last = false;;) {
        size_t got =
            own->encoding ? give_decoded(own, last, into, room) : give_block(own, into, room);
        if (got)
            return got;
        if (last)
            return end(own);
        if (!fill(own)) {
            if (!is_at_end(own))
                return 0;
            last = true;
        }
    }
}

static mp_stream *decode_clone(const mp_stream *stream);

static void decode_close(mp_stream *stream)
{
    decoder *own = (decoder *)stream;
    mp_encoding_close(own->encoding);
    free(own->named);
}

static const mp_stream_kind decode_kind = {decode_read, decode_clone, decode_close, NULL};

static mp_stream *decoder_new(mp_stream *below, const char *named)
{
    decoder *own = mp_alloc_zero(1, sizeof *own);
    own->stream.kind = &decode_kind;
    own->stream.below = below;
    own->stream.bottom = below->bottom;
    own->named = named ? mp_copy(named, strlen(named)) : NULL;
    own->name = "";
    return &own->stream;
}

static mp_stream *decode_clone(const mp_stream *stream)
{
    mp_stream *below = mp_stream_clone(stream->below);
    return below ? decoder_new(below, ((const decoder *)stream)->named) : NULL;
}

void mp_decode(mp_stream **stream, const char *name)
{
    static const char database[] = "SQLite format 3";
    if (!(*stream)->bottom->grows) {
        mp_slice head = mp_stream_peek(*stream);
        found is = find_out(head, true);
        if (starts(head, database, sizeof database) || is.verdict == MARKED_UTF8 ||
            (is.verdict == AS_NAMED && (!name || !head.length)))
            return;
    }
    *stream = decoder_new(*stream, name);
}

const mp_stream *mp_decode_below(const mp_stream *stream)
{
    return stream->kind == &decode_kind ? stream->below : stream;
}

uint64_t mp_decode_damage(const mp_stream *stream, uint64_t *line)
{
    const decoder *own = (const decoder *)stream;
    bool is = stream->kind == &decode_kind;
    *line = is ? own->damaged_line : 0;
    return is ? own->damage : 0;
}

bool mp_decode_may_be_utf8(const mp_stream *stream)
{
    const decoder *own = (const decoder *)stream;
    return stream->kind == &decode_kind && own->encoding && own->name == own->named &&
           mp_encoding_unit(own->encoding) == 1 && own->is_utf8 && !own->is_not_utf8 && !own->begun;
}

const char *mp_decode_name(const mp_stream *stream)
{
    return stream->kind == &decode_kind ? ((const decoder *)stream)->name : "";
}
