// Buffered output. Numbers are printed by hand: a recording is millions of them.
#ifndef GENERATOR_WRITER_H
#define GENERATOR_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct Writer {
    FILE *file;
    char *buffer;
    size_t used;
    bool owned;  // the file is ours to close, not standard output
    bool crlf;   // lines end as on Windows
    bool latin1; // text is handed over as UTF-8 and written as ISO 8859-1
    bool muted;  // what is written goes nowhere
    bool failed;
} Writer;

// Opens `path`, standard output where it is NULL. False: the reason is in errno.
bool writer_open(Writer *writer, const char *path);

// Flushes and closes. False: something could not be written.
bool writer_close(Writer *writer);

// From here on output is dropped, or kept again.
void writer_mute(Writer *writer, bool muted);

void writer_char(Writer *writer, char letter);
void writer_text(Writer *writer, const char *text);
void writer_unsigned(Writer *writer, uint64_t number);
void writer_signed(Writer *writer, int64_t number);

// Without a prefix, in lower case.
void writer_hex(Writer *writer, uint64_t number);

// Flushes where the buffer is almost full, so that a short text is in it as a whole.
void writer_room(Writer *writer);

// As it is, in one go: for the long parts of large recordings.
void writer_bytes(Writer *writer, const char *bytes, size_t size);

// Microseconds as seconds with six decimals, with `sign` as the decimal sign.
void writer_seconds(Writer *writer, int64_t microseconds, char sign);

// The number with a blank behind it: most columns of a row.
void writer_column(Writer *writer, uint64_t number);

// Text in quotes, quotes inside doubled, as ABL's IMPORT wants it.
void writer_quoted(Writer *writer, const char *text);

void writer_end_line(Writer *writer);

// A line that holds a period alone.
void writer_end_section(Writer *writer);

#endif
