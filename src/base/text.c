#include "base/text.h"

#include <string.h>
#include <strings.h>

#include <utf8proc.h>

mp_slice mp_slice_of(const char *text)
{
    return (mp_slice){text, strlen(text)};
}

bool mp_slice_equal(mp_slice a, mp_slice b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.start, b.start, a.length) == 0);
}

bool mp_slice_is(mp_slice a, const char *text)
{
    enum { CASE = 0x20 };
    if (a.length && (*a.start ^ *text) & ~CASE)
        return false; /* most are decided by their first letters */
    return strlen(text) == a.length && strncasecmp(a.start, text, a.length) == 0;
}

bool mp_slice_starts(mp_slice a, const char *prefix)
{
    size_t length = strlen(prefix);
    return a.length >= length && memcmp(a.start, prefix, length) == 0;
}

static mp_slice after_blanks(mp_slice a)
{
    while (a.length && (*a.start == ' ' || *a.start == '\t'))
        a = (mp_slice){a.start + 1, a.length - 1};
    return a;
}

bool mp_slice_take(mp_slice *a, const char *prefix)
{
    const mp_slice rest = after_blanks(*a);
    const size_t length = strlen(prefix);
    if (!mp_slice_starts(rest, prefix))
        return false;
    *a = (mp_slice){rest.start + length, rest.length - length};
    return true;
}

bool mp_slice_take_number(mp_slice *a, unsigned base, uint64_t *value)
{
    const mp_slice rest = after_blanks(*a);
    size_t digits = 0;
    uint64_t sum = 0;
    for (; digits < rest.length; digits++) {
        const unsigned byte = (unsigned char)rest.start[digits], letter = (byte | 32) - 'a';
        const unsigned digit = byte - '0' <= 9 ? byte - '0' : letter < 6 ? letter + 10 : base;
        if (digit >= base)
            break;
        if (__builtin_mul_overflow(sum, base, &sum) || __builtin_add_overflow(sum, digit, &sum))
            return false;
    }
    if (!digits)
        return false;
    *value = sum;
    *a = (mp_slice){rest.start + digits, rest.length - digits};
    return true;
}

bool mp_text_is(const char *a, const char *b)
{
    return strcasecmp(a, b) == 0;
}

bool mp_slice_take_line(mp_slice *text, mp_slice *line)
{
    if (!text->length)
        return false;
    const char *newline = memchr(text->start, '\n', text->length);
    size_t length = newline ? (size_t)(newline - text->start) : text->length;
    size_t taken = length + (newline != NULL);
    *line = (mp_slice){text->start, length - (length && text->start[length - 1] == '\r')};
    *text = (mp_slice){text->start + taken, text->length - taken};
    return true;
}

mp_slice mp_slice_without_mark(mp_slice text)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t length = mp_slice_starts(text, mark) ? strlen(mark) : 0;
    return (mp_slice){text.start + length, text.length - length};
}

const char *mp_slice_control(mp_slice text)
{
    for (const char *p = text.start; p < text.start + text.length; p++)
        if (((unsigned char)*p < 32 && *p != '\t') || *p == 127)
            return p;
    return NULL;
}

uint32_t mp_slice_column(mp_slice line, const char *cursor)
{
    uint32_t column = 1;
    for (const char *p = line.start; p < cursor; p++)
        column += ((unsigned char)*p & 0xc0) != 0x80; /* do not count continuation bytes */
    return column;
}

int mp_text_order(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

const char *mp_texts_join(mp_arena *arena, const char *const *texts, size_t count)
{
    static const char between[] = " < ";
    size_t length = 1;
    for (size_t i = 0; i < count; i++)
        length += strlen(texts[i]) + sizeof between - 1;
    char *joined = mp_arena_alloc(arena, length), *end = joined;
    for (size_t i = 0; i < count; i++) {
        end = i ? stpcpy(end, between) : end;
        end = stpcpy(end, texts[i]);
    }
    *end = '\0';
    return joined;
}

void mp_text_put(mp_text_buffer *buffer, const char *text, size_t length)
{
    mp_grow(&buffer->text, &buffer->capacity, buffer->length + length + 1, 1);
    memcpy(buffer->text + buffer->length, text, length);
    buffer->length += length;
    buffer->text[buffer->length] = '\0';
}

bool mp_text_buffer_is(const mp_text_buffer *buffer, const char *text)
{
    return buffer->length == strlen(text) &&
           (!buffer->length || memcmp(buffer->text, text, buffer->length) == 0);
}

/* Check the second byte by table 3-7 of the Unicode Standard, which lists the valid ones for each
 * first byte. */
size_t mp_utf8_length(const char *p, const char *end)
{
    const unsigned char *b = (const unsigned char *)p;
    size_t left = (size_t)(end - p);
    if (left == 0)
        return 0;
    if (b[0] < 0x80)
        return 1;
    size_t length = b[0] >= 0xf0 ? 4 : b[0] >= 0xe0 ? 3 : 2;
    if (b[0] < 0xc2 || b[0] > 0xf4 || left < length)
        return 0;
    unsigned low = b[0] == 0xe0 ? 0xa0 : b[0] == 0xf0 ? 0x90 : 0x80;
    unsigned high = b[0] == 0xed ? 0x9f : b[0] == 0xf4 ? 0x8f : 0xbf;
    if (b[1] < low || b[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (b[i] < 0x80 || b[i] > 0xbf)
            return 0;
    return length;
}

/* Return true if the character is drawn as nothing: format characters (Cf, such as direction marks
 * and joiners), line and paragraph separators (Zl, Zp), and some letters and marks (variation
 * selectors, fillers). Private and most unassigned characters are drawn as something. */
static bool is_hidden(uint32_t code)
{
    static const uint32_t ranges[][2] = {
        {0x34f, 0x34f},   {0x115f, 0x1160}, {0x17b4, 0x17b5},   {0x180b, 0x180f},
        {0x2065, 0x2065}, {0x2800, 0x2800}, {0x3164, 0x3164},   {0xfe00, 0xfe0f},
        {0xffa0, 0xffa0}, {0xfff0, 0xfff8}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
    };
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code);
    if (category == UTF8PROC_CATEGORY_CF || category == UTF8PROC_CATEGORY_ZL ||
        category == UTF8PROC_CATEGORY_ZP)
        return true;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return false;
}

uint32_t mp_text_hidden(const char *p, const char *end, size_t *length)
{
    const unsigned char *b = (const unsigned char *)p;
    utf8proc_int32_t code;
    if (p < end && *b < 0x80) {
        *length = 1;
        return *b < 32 || *b == 127 ? *b : MP_SEEN;
    }
    *length = mp_utf8_length(p, end);
    if (!*length)
        return MP_SEEN;
    utf8proc_iterate(b, (utf8proc_ssize_t)*length, &code);
    return code < 0xa0 || is_hidden((uint32_t)code) ? (uint32_t)code : MP_SEEN;
}

size_t mp_text_escape(const char *p, const char *end, char escape[MP_ESCAPE])
{
    size_t length;
    uint32_t code = mp_text_hidden(p, end, &length);
    if (code == MP_SEEN)
        return 0;
    if (length == 1)
        snprintf(escape, MP_ESCAPE, "\\x%02x", (unsigned)code);
    else if (code < 0xa0)
        snprintf(escape, MP_ESCAPE, "\\x%02x\\x%02x", (unsigned char)p[0], (unsigned char)p[1]);
    else
        snprintf(escape, MP_ESCAPE, "\\u{%x}", code);
    return length;
}

bool mp_utf8_valid(mp_slice text)
{
    const char *end = text.start + text.length;
    for (const char *p = text.start; p < end;) {
        uint64_t eight;
        if (end - p >= 8 && !(memcpy(&eight, p, 8), eight & UINT64_C(0x8080808080808080))) {
            p += 8; /* ASCII */
            continue;
        }
        size_t length = mp_utf8_length(p, end);
        if (length == 0)
            return false;
        p += length;
    }
    return true;
}

/* Write an ISO 8859-1 character as UTF-8. Its code is also that of Unicode. */
static char *put_latin1(char *out, char byte)
{
    return out + utf8proc_encode_char((unsigned char)byte, (utf8proc_uint8_t *)out);
}

mp_slice mp_utf8_from_bytes(mp_arena *arena, mp_slice text, bool *converted)
{
    if (mp_utf8_valid(text))
        return text;
    char *start = mp_arena_alloc(arena, text.length * 2 + 1), *out = start;
    for (size_t i = 0; i < text.length; i++)
        out = put_latin1(out, text.start[i]);
    *out = '\0';
    *converted = true;
    return (mp_slice){start, (size_t)(out - start)};
}

mp_slice mp_utf8_mend(mp_arena *arena, mp_slice text)
{
    const char *end = text.start + text.length;
    char *start = mp_arena_alloc(arena, text.length * 2 + 1), *out = start;
    for (const char *p = text.start; p < end;) {
        size_t length = mp_utf8_length(p, end);
        if (length == 0)
            out = put_latin1(out, *p++);
        for (; length; length--)
            *out++ = *p++;
    }
    *out = '\0';
    return (mp_slice){start, (size_t)(out - start)};
}

const char *mp_utf8_copy(mp_arena *arena, const char *text)
{
    mp_slice whole = mp_slice_of(text);
    return mp_utf8_valid(whole) ? mp_arena_copy(arena, text, whole.length)
                                : mp_utf8_mend(arena, whole).start;
}

const char *mp_text_list(const char *const *words, size_t count, const char *last, char *text,
                         size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < count && used < size; i++) {
        bool is_last = i > 0 && i + 1 == count;
        used += (size_t)snprintf(text + used, size - used, "%s%s%s%s",
                                 i == 0    ? ""
                                 : is_last ? " "
                                           : ", ",
                                 is_last ? last : "", is_last ? " " : "", words[i]);
    }
    return text;
}

enum { LONGEST_WORD = 48 };

/* Return the edit distance of two words: the number of letters to insert, delete, replace, or swap
 * with the next one. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST_WORD + 1], *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++)
        last[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
        size_t *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[b_length];
}

int mp_text_ending(const char *text, size_t length, const char *endings)
{
    int place = 0;
    for (const char *cursor = endings; *cursor; cursor += strspn(cursor, " "), place++) {
        const size_t ending = strcspn(cursor, " ");
        if (length > ending && strncasecmp(text + length - ending, cursor, ending) == 0)
            return place;
        cursor += ending;
    }
    return -1;
}

const char *mp_text_nearest(const char *text, const char *const *words, size_t count)
{
    size_t length = strlen(text), beginning = 0;
    const char *nearest = NULL, *begun = NULL;
    if (length > LONGEST_WORD)
        return NULL;
    size_t least = length < 3 ? length : 1 + length / 3; /* smallest distance at which words are not
                                                          * similar */
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(words[i]);
        size_t far = other <= LONGEST_WORD ? distance(text, length, words[i], other) : least;
        if (far < least) {
            least = far;
            nearest = words[i];
        }
        if (length > 1 && strncmp(words[i], text, length) == 0) {
            beginning++;
            begun = words[i];
        }
    }
    return nearest ? nearest : beginning == 1 ? begun : NULL;
}

const char *mp_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}
