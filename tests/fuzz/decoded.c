/* Text in encodings other than UTF-8. The user names them, or they are marked, or detected. Reading
 * the text through a window of any size gives the same lines. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/encoding.h"
#include "base/text.h"
#include "fuzz/fuzz.h"
#include "input/input.h"
#include "input/private.h"

/* Encodings with one byte per character, with two bytes, with up to four bytes, and with shifts
 * between character sets. */
static const char *const encodings[] = {"CP1252", "UTF-16LE", "UTF-16BE",   "CP932",  "GB18030",
                                        "BIG5",   "EUC-JP",   "BIG5-HKSCS", "EUC-KR", "KOI8-R",
                                        "CP437",  "UTF-8",    "CP1258",     NULL};
enum { ENCODINGS = sizeof encodings / sizeof *encodings };

/* Return all lines, and the diagnostics. */
static char *lines_of(mp_slice text, const char *encoding, size_t window)
{
    char *whole = NULL;
    size_t length;
    FILE *out = open_memstream(&whole, &length);
    mp_diagnostics *diagnostics = mp_diagnostics_new(50);
    mp_input *input = mp_input_from_stream(
        "input", mp_stream_of_memory(text.start, text.length, window), encoding, diagnostics);
    for (mp_slice line; mp_input_line(input, &line); fputc('\n', out))
        fwrite(line.start, 1, line.length, out);
    fprintf(out, "%s, %" PRIu64 " bytes\n", mp_input_encoding(input), mp_input_bytes(input));
    char *complaints = fuzz_complaints(diagnostics);
    fuzz_check_text("what is wrong", mp_slice_of(complaints));
    fputs(complaints, out);
    free(complaints);
    mp_input_close(input);
    mp_diagnostics_free(diagnostics);
    fclose(out);
    return whole;
}

/* Check a text that is decoded as a whole. Files that are not recordings are decoded like this. */
static void check_whole(mp_slice text, const char *name)
{
    const char *why = "";
    bool bad = false;
    mp_arena arena = {0};
    mp_encoding *encoding = mp_encoding_open(name, &why);
    fuzz_hold(encoding != NULL, why, mp_slice_of(name));
    mp_slice whole = mp_encoding_text(encoding, &arena, text, &bad);
    fuzz_hold(mp_utf8_valid(whole), "what is decoded is UTF-8", whole);
    mp_encoding_close(encoding);
    mp_arena_free(&arena);
}

/* The first byte chooses the encoding. */
void fuzz_decoded(const fuzz_target *target, mp_slice input)
{
    (void)target;
    static const size_t windows[] = {1 << 16, 1, 3};
    fuzz_bytes bytes = {.left = input};
    const char *encoding = encodings[fuzz_take(&bytes, ENCODINGS)];
    char *first = lines_of(bytes.left, encoding, windows[0]);
    for (size_t i = 1; i < sizeof windows / sizeof *windows; i++) {
        char *again = lines_of(bytes.left, encoding, windows[i]);
        fuzz_hold(strcmp(first, again) == 0, "a text says the same through any window",
                  mp_slice_of(again));
        free(again);
    }
    free(first);
    if (encoding)
        check_whole(bytes.left, encoding);
}
