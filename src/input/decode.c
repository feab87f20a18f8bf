#include "input/decode.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/encoding.h"
#include "base/memory.h"
#include "base/text.h"

enum { BLOCK = 64 * 1024 };

/* --- detection --- */

enum { UNITS = 4, ENOUGH = 2 * UNITS };

typedef enum verdict {
    AS_NAMED, /* the encoding that the user named; if the user named none, the text is not converted
               */
    MARKED_UTF8,
    UTF16,
    UTF32,
    MORE, /* more bytes are needed to decide */
} verdict;

typedef struct found {
    verdict verdict;
    const char *name; /* name of the encoding; only for UTF16 */
    size_t mark;      /* length of the byte-order mark */
} found;

static bool is_of_text(char byte)
{
    return (byte >= ' ' && byte <= '~') || byte == '\t' || byte == '\n' || byte == '\r';
}

/* Return true if the text consists of ASCII characters in units of `unit` bytes: the byte at
 * `place` of each unit is ASCII and the others are 0. No supported format in another encoding has a
 * 0 among its first bytes. */
static bool is_ascii_of(const char *cursor, size_t length, size_t unit, size_t place)
{
    for (size_t i = 0; i < length; i++)
        if (i % unit == place ? !is_of_text(cursor[i]) : cursor[i] != 0)
            return false;
    return true;
}

static bool starts(mp_slice head, const char *mark, size_t length)
{
    return head.length >= length && memcmp(head.start, mark, length) == 0;
}

/* Detect the encoding. `last`: the input has no more bytes than `head`. */
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
    bool may_be_marked = head.length < 4 && head.length && !is_of_text(*head.start);
    bool may_be_wide = head.length < ENOUGH && memchr(head.start, 0, head.length);
    if (!last && (head.length < 2 || may_be_marked || may_be_wide))
        return (found){MORE, NULL, 0};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (starts(head, marks[i].bytes, marks[i].length))
            return marks[i].is;
    if (head.length >= ENOUGH) {
        if (is_ascii_of(head.start, ENOUGH, 4, 0) || is_ascii_of(head.start, ENOUGH, 4, 3))
            return (found){UTF32, NULL, 0};
        if (is_ascii_of(head.start, ENOUGH, 2, 0))
            return (found){UTF16, "UTF-16LE", 0};
        if (is_ascii_of(head.start, ENOUGH, 2, 1))
            return (found){UTF16, "UTF-16BE", 0};
    }
    return (found){AS_NAMED, NULL, 0};
}

/* --- the stream --- */

typedef struct decoder {
    mp_stream stream;
    char *named;           /* encoding that the user named; NULL: none */
    const char *name;      /* source encoding; "": the text is not converted */
    mp_encoding *encoding; /* NULL: the text is not converted */
    bool decided;
    uint64_t lines, damage, damaged_line;
    char character[4]; /* incomplete UTF-8 character */
    size_t begun;      /* number of bytes in `character` so far */
    bool is_utf8, is_not_utf8;
    size_t from, to; /* range of `block` that is not decoded yet */
    char block[BLOCK];
    size_t rest_from, rest_to; /* range of `rest`: decoded bytes that found no room */
    char rest[MP_MOST_OF_CHARACTER];
} decoder;

/* Check whether the undecoded bytes are valid UTF-8 too. */
static void look(decoder *state, const char *cursor, size_t length)
{
    for (size_t i = 0; i < length && !state->is_not_utf8; i++) {
        const unsigned char byte = (unsigned char)(state->begun ? state->character[0] : cursor[i]);
        if (byte < 0x80)
            continue;
        const size_t whole = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
        state->character[state->begun++] = cursor[i];
        if (state->begun < whole)
            continue;
        state->is_utf8 = mp_utf8_length(state->character, state->character + whole) == whole;
        state->is_not_utf8 = !state->is_utf8;
        state->begun = 0;
    }
}

/* Read into the block. Return 0 at the end, or if the input must not wait. */
static size_t fill(decoder *state)
{
    memmove(state->block, state->block + state->from, state->to - state->from);
    state->to -= state->from;
    state->from = 0;
    size_t got = mp_stream_read(state->stream.below, state->block + state->to, BLOCK - state->to);
    if (state->named && strcasecmp(state->named, "UTF-8") != 0 &&
        strcasecmp(state->named, "UTF8") != 0)
        look(state, state->block + state->to, got);
    state->to += got;
    return got;
}

static bool is_at_end(const decoder *state)
{
    return !state->stream.bottom->looks;
}

static void begin(decoder *state, found is)
{
    const char *why;
    state->decided = true;
    state->name = is.verdict == UTF16                      ? is.name
                  : is.verdict == AS_NAMED && state->named ? state->named
                                                           : "";
    state->from += is.mark;
    if (is.verdict == UTF32)
        mp_stream_fail(
            &state->stream, MP_FAULT_READ,
            "it is UTF-32, which is not supported; convert it to UTF-8 (iconv -f UTF-32 -t UTF-8)");
    else if (*state->name && !(state->encoding = mp_encoding_open(state->name, &why)))
        mp_stream_fail(&state->stream, MP_FAULT_READ, "unknown encoding \"%.60s\": %s", state->name,
                       why);
}

/* Choose the encoding. Return false if more bytes are needed, or at a fault. */
static bool decide(decoder *state)
{
    while (!state->decided) {
        size_t got = fill(state);
        if (!got && !is_at_end(state))
            return false;
        found is = find_out((mp_slice){state->block, state->to}, !got);
        if (is.verdict != MORE)
            begin(state, is);
    }
    return !state->stream.fault;
}

static void count_lines(decoder *state, const char *from, size_t length)
{
    const char *behind = from + length;
    while (state->encoding && !state->damage && from < behind &&
           (from = memchr(from, '\n', (size_t)(behind - from)))) {
        state->lines++;
        from++;
    }
}

/* Decode one character of the block. Return 0 if it is incomplete. */
static size_t decode_one(decoder *state, bool last, char *out)
{
    size_t put;
    bool bad = false;
    size_t taken = mp_encoding_take(state->encoding, state->block + state->from,
                                    state->to - state->from, last, out, &put, &bad);
    state->from += taken;
    state->damaged_line = bad && !state->damage ? state->lines + 1 : state->damaged_line;
    state->damage += bad;
    return taken ? put : 0;
}

/* Decode the block as far as there is room. */
static size_t decode(decoder *state, bool last, char *buffer, size_t room)
{
    size_t got = 0;
    while (state->from < state->to && room - got >= MP_MOST_OF_CHARACTER) {
        size_t put = mp_encoding_ascii(state->encoding, state->block + state->from,
                                       state->to - state->from, buffer + got, room - got);
        state->from += put * mp_encoding_unit(state->encoding);
        if (!put && !(put = decode_one(state, last, buffer + got)))
            break;
        count_lines(state, buffer + got, put);
        got += put;
    }
    return got;
}

static size_t give_rest(decoder *state, char *buffer, size_t room)
{
    size_t got = state->rest_to - state->rest_from;
    got = got < room ? got : room;
    memcpy(buffer, state->rest + state->rest_from, got);
    state->rest_from += got;
    return got;
}

/* Deliver the bytes of the block unchanged. */
static size_t give_block(decoder *state, char *buffer, size_t room)
{
    size_t got = state->to - state->from;
    got = got < room ? got : room;
    memcpy(buffer, state->block + state->from, got);
    state->from += got;
    return got;
}

/* Deliver decoded text. Return 0 if the block has no complete character. */
static size_t give_decoded(decoder *state, bool last, char *buffer, size_t room)
{
    if (room >= MP_MOST_OF_CHARACTER)
        return decode(state, last, buffer, room);
    state->rest_from = 0;
    state->rest_to = decode(state, last, state->rest, sizeof state->rest);
    return give_rest(state, buffer, room);
}

static size_t end(decoder *state)
{
    if (state->stream.below->fault && !state->stream.fault)
        mp_stream_fail_below(&state->stream);
    return 0;
}

static size_t decode_read(mp_stream *stream, char *buffer, size_t room)
{
    decoder *state = (decoder *)stream;
    if (state->rest_from < state->rest_to)
        return give_rest(state, buffer, room);
    if (!decide(state))
        return end(state);
    for (bool last = false;;) {
        size_t got = state->encoding ? give_decoded(state, last, buffer, room)
                                     : give_block(state, buffer, room);
        if (got)
            return got;
        if (last)
            return end(state);
        if (!fill(state)) {
            if (!is_at_end(state))
                return 0;
            last = true;
        }
    }
}

static mp_stream *decode_clone(const mp_stream *stream);

static void decode_close(mp_stream *stream)
{
    decoder *state = (decoder *)stream;
    mp_encoding_close(state->encoding);
    free(state->named);
}

static const mp_stream_kind decode_kind = {decode_read, decode_clone, decode_close, NULL};

static mp_stream *decoder_new(mp_stream *below, const char *named)
{
    decoder *state = mp_alloc_zero(1, sizeof *state);
    state->stream.kind = &decode_kind;
    state->stream.below = below;
    state->stream.bottom = below->bottom;
    state->named = named ? mp_copy(named, strlen(named)) : NULL;
    state->name = "";
    return &state->stream;
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
    const decoder *state = (const decoder *)stream;
    bool is = stream->kind == &decode_kind;
    *line = is ? state->damaged_line : 0;
    return is ? state->damage : 0;
}

bool mp_decode_may_be_utf8(const mp_stream *stream)
{
    const decoder *state = (const decoder *)stream;
    return stream->kind == &decode_kind && state->encoding && state->name == state->named &&
           mp_encoding_unit(state->encoding) == 1 && state->is_utf8 && !state->is_not_utf8 &&
           !state->begun;
}

const char *mp_decode_name(const mp_stream *stream)
{
    return stream->kind == &decode_kind ? ((const decoder *)stream)->name : "";
}
