#include "writer.h"

#include <stdlib.h>
#include <string.h>

enum {
    BUFFER_SIZE = 1 << 20,
    SHORT_TEXT = 1 << 14,
    NUMBER_DIGITS = 20, // of the largest 64-bit number
};

bool writer_open(Writer *writer, const char *path)
{
    *writer = (Writer){.file = stdout, .owned = path != NULL};
    if (path) {
        writer->file = fopen(path, "wb");
    }
    if (!writer->file) {
        return false;
    }
    writer->buffer = malloc(BUFFER_SIZE);
    return writer->buffer != NULL;
}

static void writer_flush(Writer *writer)
{
    if (!writer->muted && fwrite(writer->buffer, 1, writer->used, writer->file) != writer->used) {
        writer->failed = true;
    }
    writer->used = 0;
}

bool writer_close(Writer *writer)
{
    writer_flush(writer);
    if (fflush(writer->file)) {
        writer->failed = true;
    }
    if (writer->owned && fclose(writer->file)) {
        writer->failed = true;
    }
    free(writer->buffer);
    writer->buffer = NULL;
    return !writer->failed;
}

void writer_mute(Writer *writer, bool muted)
{
    writer_flush(writer);
    writer->muted = muted;
}

static void writer_reserve(Writer *writer, size_t size)
{
    if (writer->used + size > BUFFER_SIZE) {
        writer_flush(writer);
    }
}

void writer_room(Writer *writer)
{
    writer_reserve(writer, SHORT_TEXT);
}

void writer_char(Writer *writer, char letter)
{
    writer_reserve(writer, 1);
    writer->buffer[writer->used++] = letter;
}

// Letters up to U+00FF are two bytes in UTF-8, the first of which is C2 or C3.
static bool is_latin1_lead(char letter)
{
    return (unsigned char)letter == 0xC2 || (unsigned char)letter == 0xC3;
}

void writer_text(Writer *writer, const char *text)
{
    for (; *text; text++) {
        if (writer->latin1 && is_latin1_lead(text[0]) && text[1]) {
            unsigned code = ((unsigned)text[0] & 0x03U) << 6U | ((unsigned)text[1] & 0x3FU);
            writer_char(writer, (char)(unsigned char)code);
            text++;
        } else {
            writer_char(writer, *text);
        }
    }
}

void writer_unsigned(Writer *writer, uint64_t number)
{
    char digits[NUMBER_DIGITS];
    size_t start = NUMBER_DIGITS;
    do {
        digits[--start] = (char)('0' + (char)(number % 10));
        number /= 10;
    } while (number);
    writer_reserve(writer, NUMBER_DIGITS);
    memcpy(writer->buffer + writer->used, digits + start, NUMBER_DIGITS - start);
    writer->used += NUMBER_DIGITS - start;
}

void writer_hex(Writer *writer, uint64_t number)
{
    char digits[NUMBER_DIGITS];
    size_t start = NUMBER_DIGITS;
    do {
        digits[--start] = "0123456789abcdef"[number % 16];
        number /= 16;
    } while (number);
    writer_bytes(writer, digits + start, NUMBER_DIGITS - start);
}

void writer_bytes(Writer *writer, const char *bytes, size_t size)
{
    while (size) {
        size_t part = size < BUFFER_SIZE ? size : BUFFER_SIZE;
        writer_reserve(writer, part);
        memcpy(writer->buffer + writer->used, bytes, part);
        writer->used += part;
        bytes += part;
        size -= part;
    }
}

void writer_signed(Writer *writer, int64_t number)
{
    if (number < 0) {
        writer_char(writer, '-');
        writer_unsigned(writer, 0 - (uint64_t)number);
    } else {
        writer_unsigned(writer, (uint64_t)number);
    }
}

void writer_seconds(Writer *writer, int64_t microseconds, char sign)
{
    writer_signed(writer, microseconds / 1000000);
    writer_char(writer, sign);
    int64_t rest = microseconds % 1000000;
    for (int64_t digit = 100000; digit > 0; digit /= 10) {
        writer_char(writer, (char)('0' + (char)(rest / digit % 10)));
    }
}

void writer_column(Writer *writer, uint64_t number)
{
    writer_unsigned(writer, number);
    writer_char(writer, ' ');
}

void writer_quoted(Writer *writer, const char *text)
{
    writer_char(writer, '"');
    for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
        char part[256];
        size_t length = (size_t)(quote - text);
        if (length >= sizeof part) {
            length = sizeof part - 1;
        }
        memcpy(part, text, length);
        part[length] = '\0';
        writer_text(writer, part);
        writer_text(writer, "\"\"");
    }
    writer_text(writer, text);
    writer_char(writer, '"');
}

void writer_end_line(Writer *writer)
{
    writer_text(writer, writer->crlf ? "\r\n" : "\n");
}

void writer_end_section(Writer *writer)
{
    writer_char(writer, '.');
    writer_end_line(writer);
}
