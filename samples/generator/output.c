#include "gen.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_SIZE = 1 << 20, MOST_OF_A_ROW = 1 << 14, DIGITS = 20, MOST_PRINTED = 4096 };

/* --- memory --- */

static _Noreturn void fail_to_write(const char *path)
{
    fprintf(stderr, "memprof-generate: cannot write %s: %s\n", path ? path : "standard output",
            strerror(errno));
    exit(GEN_OUTPUT_STATUS);
}

static void *checked(void *memory)
{
    if (!memory) {
        fputs("memprof-generate: out of memory\n", stderr);
        exit(GEN_OUTPUT_STATUS);
    }
    return memory;
}

void *gen_alloc(size_t count, size_t size)
{
    return checked(calloc(count ? count : 1, size));
}

void *gen_grow(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return items;
    *room = *room ? *room * 2 : 64;
    return checked(realloc(items, *room * size));
}

const char *gen_keep(const char *format, ...)
{
    typedef struct kept_text {
        struct kept_text *before;
        char text[];
    } kept_text;
    static kept_text
        *last; /* makes all texts reachable, so that none of them is reported as a leak */
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t size = strlen(text) + 1;
    kept_text *kept = gen_alloc(1, sizeof *kept + size);
    kept->before = last;
    last = kept;
    return memcpy(kept->text, text, size);
}

/* --- output --- */

void gen_open(gen_writer *writer, const char *path)
{
    *writer = (gen_writer){.file = path ? fopen(path, "wb") : stdout, .path = path};
    if (!writer->file)
        fail_to_write(path);
    writer->buffer = gen_alloc(BUFFER_SIZE, 1);
}

static void flush(gen_writer *writer)
{
    if (!writer->muted && fwrite(writer->buffer, 1, writer->used, writer->file) != writer->used)
        fail_to_write(writer->path);
    writer->used = 0;
}

void gen_close(gen_writer *writer)
{
    flush(writer);
    if (fflush(writer->file) || (writer->path && fclose(writer->file)))
        fail_to_write(writer->path);
    free(writer->buffer);
}

void gen_mute(gen_writer *writer, bool muted)
{
    flush(writer);
    writer->muted = muted;
}

static inline void reserve(gen_writer *writer, size_t size)
{
    if (writer->used + size > BUFFER_SIZE)
        flush(writer);
}

size_t gen_room(gen_writer *writer)
{
    reserve(writer, MOST_OF_A_ROW);
    return writer->used;
}

void gen_char(gen_writer *writer, char letter)
{
    reserve(writer, 1);
    writer->buffer[writer->used++] = letter;
}

void gen_bytes(gen_writer *writer, const char *bytes, size_t size)
{
    reserve(writer, size);
    memcpy(writer->buffer + writer->used, bytes, size);
    writer->used += size;
}

void gen_end_line(gen_writer *writer)
{
    if (writer->crlf)
        gen_char(writer, '\r');
    gen_char(writer, '\n');
}

void gen_text(gen_writer *writer, const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        /* letters up to U+00FF are two bytes in UTF-8, and the first byte is C2 or C3 */
        if (writer->latin1 && (*p == 0xC2 || *p == 0xC3) && p[1]) {
            gen_char(writer, (char)(unsigned char)((p[0] & 0x03u) << 6 | (p[1] & 0x3Fu)));
            p++;
        } else if (*p == '\n') {
            gen_end_line(writer);
        } else {
            gen_char(writer, (char)*p);
        }
    }
}

void gen_print(gen_writer *writer, const char *format, ...)
{
    char text[MOST_PRINTED];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gen_text(writer, text);
}

static void digits_of(gen_writer *writer, uint64_t number, unsigned base)
{
    char digits[DIGITS];
    size_t start = DIGITS;
    do {
        digits[--start] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number);
    gen_bytes(writer, digits + start, DIGITS - start);
}

void gen_number(gen_writer *writer, int64_t number)
{
    if (number < 0)
        gen_char(writer, '-');
    /* the compiler replaces a division by a constant base with a multiplication */
    digits_of(writer, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 10);
}

void gen_hex(gen_writer *writer, uint64_t number)
{
    digits_of(writer, number, 16);
}

void gen_numbers(gen_writer *writer, const int64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            gen_char(writer, ' ');
        gen_number(writer, numbers[i]);
    }
    gen_end_line(writer);
}

void gen_quoted(gen_writer *writer, const char *text, const char *behind)
{
    gen_char(writer, '"');
    for (const char *quote; (quote = strchr(text, '"')); text = quote + 1)
        gen_print(writer, "%.*s\"\"", (int)(quote - text), text);
    gen_text(writer, text);
    gen_char(writer, '"');
    gen_text(writer, behind);
}

/* --- JSON --- */

static void json_string(gen_json *json, const char *text)
{
    gen_char(json->writer, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            gen_char(json->writer, '\\');
        gen_char(json->writer, *text);
    }
    gen_char(json->writer, '"');
}

static void json_indent(gen_json *json)
{
    if (!json->flat)
        gen_print(json->writer, "\n%*s", 2 * json->depth, "");
}

static void json_begin(gen_json *json, const char *key)
{
    if (json->comma)
        gen_text(json->writer, json->flat ? ", " : ",");
    if (json->depth)
        json_indent(json);
    if (key) {
        json_string(json, key);
        gen_text(json->writer, ": ");
    }
    json->comma = true;
}

void gen_json_open(gen_json *json, const char *key, char bracket)
{
    json_begin(json, key);
    gen_char(json->writer, bracket);
    json->closers[json->depth++] = bracket == '{' ? '}' : ']';
    json->comma = false;
}

void gen_json_row(gen_json *json)
{
    gen_json_open(json, NULL, '{');
    json->flat = true;
}

void gen_json_close(gen_json *json)
{
    json->depth--;
    json_indent(json);
    gen_char(json->writer, json->closers[json->depth]);
    json->comma = true;
    json->flat = false;
    if (!json->depth)
        gen_end_line(json->writer);
}

void gen_json_number(gen_json *json, const char *key, int64_t number)
{
    json_begin(json, key);
    gen_number(json->writer, number);
}

void gen_json_sum(gen_json *json, const char *prefix, gen_sum sum)
{
    char key[32];
    snprintf(key, sizeof key, "%s%sobjects", prefix ? prefix : "", prefix ? "_" : "");
    gen_json_number(json, key, sum.objects);
    snprintf(key, sizeof key, "%s%sbytes", prefix ? prefix : "", prefix ? "_" : "");
    gen_json_number(json, key, sum.bytes);
}

void gen_json_text(gen_json *json, const char *key, const char *text)
{
    json_begin(json, key);
    if (text)
        json_string(json, text);
    else
        gen_text(json->writer, "null");
}

void gen_json_ratio(gen_json *json, const char *key, int64_t dividend, int64_t divisor,
                    int decimals)
{
    int64_t whole = dividend / divisor, rest = dividend % divisor, digits = 0, most = 1;
    for (int i = 0; i < decimals; i++) {
        rest *= 10;
        most *= 10;
        digits = digits * 10 + rest / divisor;
        rest %= divisor;
    }
    digits += rest * 2 >= divisor;
    json_begin(json, key);
    gen_print(json->writer, "%lld.%0*lld", (long long)(whole + digits / most), decimals,
              (long long)(digits % most));
}
