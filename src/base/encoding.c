#include "base/encoding.h"

#include <errno.h>
#include <iconv.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <utf8proc.h>

#include "base/text.h"

/* Defined only in the static program (src/cli/static). That program cannot load the iconv modules
 * of the system, because each module requires the C library for which it was built. */
extern const char mp_loads_no_modules __attribute__((weak));

typedef enum unit {
    BYTES,
    UTF16_LE,
    UTF16_BE,
} unit;

/* Values that are not code points. UNKNOWN: not looked up yet. LONGER: starts a longer character,
 * or has several code points. NONE: invalid. */
enum { UNKNOWN = 0, LONGER = 1, NONE = 2 };
enum { HIGH = 0x80, LONGEST = 8 };

struct mp_encoding {
    unit unit;
    iconv_t iconv;
    uint32_t one[HIGH];        /* code point of each byte, for bytes from 0x80 on */
    uint32_t two[HIGH][0x100]; /* code point of each pair of bytes, for first bytes from 0x80 on */
};

/* --- conversion by iconv --- */

/* Convert the bytes, which must be one whole character, to UTF-8. Return false with errno EINVAL if
 * the character is incomplete, EILSEQ if it is invalid. */
static bool convert(iconv_t iconv_of, const char *bytes, size_t length, char *out, size_t *put)
{
    char *from = (char *)(uintptr_t)bytes, *to = out;
    size_t left = length, room = MP_MOST_OF_CHARACTER;
    iconv(iconv_of, NULL, NULL, NULL, NULL);
    size_t code = iconv(iconv_of, &from, &left, &to, &room);
    if (code != (size_t)-1) /* flush a base character that waits for an accent */
        code = iconv(iconv_of, NULL, NULL, &to, &room);
    *put = (size_t)(to - out);
    if (code == (size_t)-1)
        return false;
    if (left == 0 && *put && mp_utf8_valid((mp_slice){out, *put}))
        return true;
    errno = EILSEQ;
    return false;
}

/* Return the character's code point; LONGER if it is incomplete or has several code points; NONE if
 * it is invalid. */
static uint32_t code_of(iconv_t iconv_of, const char *bytes, size_t length)
{
    char out[MP_MOST_OF_CHARACTER];
    size_t put;
    utf8proc_int32_t code;
    if (!convert(iconv_of, bytes, length, out, &put))
        return errno == EINVAL ? LONGER : NONE;
    utf8proc_ssize_t first =
        utf8proc_iterate((utf8proc_uint8_t *)out, (utf8proc_ssize_t)put, &code);
    return first == (utf8proc_ssize_t)put && code > NONE ? (uint32_t)code : LONGER;
}

/* Return true if ASCII bytes are ASCII characters. The backslash and the tilde may differ, because
 * Japanese and Korean encodings have other characters there. */
static bool is_ascii_its_own(iconv_t iconv_of)
{
    for (int i = 1; i < HIGH; i++) {
        char byte = (char)i, out[MP_MOST_OF_CHARACTER];
        size_t put;
        bool same = convert(iconv_of, &byte, 1, out, &put) && put == 1 && *out == byte;
        if (!same && byte != '\\' && byte != '~')
            return false;
    }
    return true;
}

/* Return true for a plain name, without the suffixes by which iconv takes options
 * ("//TRANSLIT"). */
static bool is_name(const char *name)
{
    return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "-_.:()+") == strlen(name);
}

static mp_encoding *by_iconv(const char *name, const char **why)
{
    iconv_t iconv_of = (iconv_t)-1;
    *why = "the name is unknown";
    if (!is_name(name))
        return NULL;
    iconv_of = iconv_open("UTF-8", name);
    if (iconv_of == (iconv_t)-1 && errno == ENOMEM)
        mp_out_of_memory();
    if (iconv_of == (iconv_t)-1)
        return NULL;
    if (!is_ascii_its_own(iconv_of)) {
        *why = "it does not contain ASCII";
        iconv_close(iconv_of);
        return NULL;
    }
    mp_encoding *encoding = mp_alloc_zero(1, sizeof *encoding);
    encoding->iconv = iconv_of;
    for (int i = 0; i < HIGH; i++)
        encoding->one[i] = code_of(iconv_of, (const char[]){(char)(HIGH + i)}, 1);
    return encoding;
}

/* --- opening --- */

mp_encoding *mp_encoding_open(const char *name, const char **why)
{
    static const struct {
        const char *name;
        unit unit;
    } units[] = {{"UTF-16LE", UTF16_LE}, {"UTF-16BE", UTF16_BE}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (mp_text_is(name, units[i].name)) {
            mp_encoding *encoding = mp_alloc_zero(1, sizeof *encoding);
            encoding->unit = units[i].unit;
            encoding->iconv = (iconv_t)-1;
            return encoding;
        }
    *why = "this static memprof supports only UTF-8, UTF-16LE and UTF-16BE";
    return &mp_loads_no_modules && !mp_text_is(name, "UTF-8") ? NULL : by_iconv(name, why);
}

void mp_encoding_close(mp_encoding *encoding)
{
    if (encoding && encoding->iconv != (iconv_t)-1)
        iconv_close(encoding->iconv);
    free(encoding);
}

size_t mp_encoding_unit(const mp_encoding *encoding)
{
    return encoding->unit == BYTES ? 1 : 2;
}

static size_t ascii_of_bytes(const char *cursor, size_t length)
{
    size_t i = 0;
    for (uint64_t word; i + sizeof word <= length; i += sizeof word) {
        memcpy(&word, cursor + i, sizeof word);
        if (word & 0x8080808080808080u)
            break;
    }
    while (i < length && (unsigned char)cursor[i] < HIGH)
        i++;
    return i;
}

size_t mp_encoding_ascii(const mp_encoding *encoding, const char *cursor, size_t length, char *out,
                         size_t room)
{
    enum { STEP = 16 };
    size_t width = mp_encoding_unit(encoding);
    size_t count = length / width < room ? length / width : room;
    size_t low = encoding->unit == UTF16_BE, i = 0, k;
    if (width == 1) {
        count = ascii_of_bytes(cursor, count);
        memcpy(out, cursor, count);
        return count;
    }
    for (; i + STEP <= count; i += STEP) {
        unsigned char odd = 0;
        for (k = 0; k < STEP; k++)
            odd |= (unsigned char)(cursor[2 * (i + k) + low] & 0x80) |
                   (unsigned char)cursor[2 * (i + k) + 1 - low];
        if (odd)
            break;
        for (k = 0; k < STEP; k++)
            out[i + k] = cursor[2 * (i + k) + low];
    }
    for (; i < count && !cursor[2 * i + 1 - low] && (unsigned char)cursor[2 * i + low] < HIGH; i++)
        out[i] = cursor[2 * i + low];
    return i;
}

/* --- conversion of characters --- */

static size_t put_code(uint32_t code, char *out, size_t *put)
{
    *put = (size_t)utf8proc_encode_char((utf8proc_int32_t)code, (utf8proc_uint8_t *)out);
    return *put;
}

static size_t put_bad(size_t length, char *out, size_t *put, bool *bad)
{
    *bad = true;
    put_code(0xfffd, out, put);
    return length;
}

static uint32_t unit_at(const mp_encoding *encoding, const char *cursor)
{
    const unsigned char *b = (const unsigned char *)cursor;
    return encoding->unit == UTF16_LE ? (uint32_t)b[1] << 8 | b[0] : (uint32_t)b[0] << 8 | b[1];
}

static size_t take_utf16(const mp_encoding *encoding, const char *cursor, size_t length, bool last,
                         char *out, size_t *put, bool *bad)
{
    if (length < 2)
        return last ? put_bad(length, out, put, bad) : 0;
    uint32_t code = unit_at(encoding, cursor);
    if (code < 0xd800 || code > 0xdfff) {
        put_code(code, out, put);
        return 2;
    }
    if (code < 0xdc00 && length < 4 && !last)
        return 0;
    uint32_t low = code < 0xdc00 && length >= 4 ? unit_at(encoding, cursor + 2) : 0;
    if (low < 0xdc00 || low > 0xdfff)
        return put_bad(2, out, put, bad);
    put_code(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00), out, put);
    return 4;
}

/* Convert a character of more than two bytes or of several code points. */
static size_t take_longer(const mp_encoding *encoding, const char *cursor, size_t length, bool last,
                          char *out, size_t *put, bool *bad)
{
    for (size_t n = 1; n <= length && n <= LONGEST; n++) {
        if (convert(encoding->iconv, cursor, n, out, put))
            return n;
        if (errno != EINVAL)
            return put_bad(1, out, put, bad);
    }
    return last || length >= LONGEST ? put_bad(1, out, put, bad) : 0;
}

size_t mp_encoding_take(mp_encoding *encoding, const char *cursor, size_t length, bool last,
                        char *out, size_t *put, bool *bad)
{
    const unsigned char *b = (const unsigned char *)cursor;
    if (encoding->unit != BYTES)
        return take_utf16(encoding, cursor, length, last, out, put, bad);
    if (*b < HIGH) {
        *out = *cursor;
        return *put = 1;
    }
    uint32_t code = encoding->one[*b - HIGH];
    size_t taken = 1;
    if (code == LONGER && length > 1) {
        uint32_t *known = &encoding->two[*b - HIGH][b[1]];
        if (*known == UNKNOWN)
            *known = code_of(encoding->iconv, cursor, 2);
        code = *known;
        taken = 2;
    }
    if (code == NONE) /* consume only one byte, because the second may be a quote */
        return put_bad(1, out, put, bad);
    if (code == LONGER)
        return take_longer(encoding, cursor, length, last, out, put, bad);
    put_code(code, out, put);
    return taken;
}

mp_slice mp_encoding_text(mp_encoding *encoding, mp_arena *arena, mp_slice text, bool *bad)
{
    size_t from, length = 0, put;
    if (encoding->unit == BYTES && ascii_of_bytes(text.start, text.length) == text.length)
        return text;
    char *out = mp_arena_alloc(arena, text.length * MP_MOST_OF_CHARACTER);
    for (from = 0; from < text.length; length += put)
        from += mp_encoding_take(encoding, text.start + from, text.length - from, true,
                                 out + length, &put, bad);
    return (mp_slice){out, length};
}
