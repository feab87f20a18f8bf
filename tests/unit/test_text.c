/* Slices and UTF-8. Well-formed sequences are those of the Unicode Standard; text with any others
 * is ISO 8859-1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

/* Well-formed UTF-8 byte sequences: the rows of table 3-7 in the Unicode Standard, version 15. */
static const struct {
    size_t length;
    unsigned char low[4], high[4];
} well_formed[] = {
    {1, {0x00}, {0x7f}},
    {2, {0xc2, 0x80}, {0xdf, 0xbf}},
    {3, {0xe0, 0xa0, 0x80}, {0xe0, 0xbf, 0xbf}},
    {3, {0xe1, 0x80, 0x80}, {0xec, 0xbf, 0xbf}},
    {3, {0xed, 0x80, 0x80}, {0xed, 0x9f, 0xbf}},
    {3, {0xee, 0x80, 0x80}, {0xef, 0xbf, 0xbf}},
    {4, {0xf0, 0x90, 0x80, 0x80}, {0xf0, 0xbf, 0xbf, 0xbf}},
    {4, {0xf1, 0x80, 0x80, 0x80}, {0xf3, 0xbf, 0xbf, 0xbf}},
    {4, {0xf4, 0x80, 0x80, 0x80}, {0xf4, 0x8f, 0xbf, 0xbf}},
};

static size_t by_the_table(const unsigned char *bytes, size_t left)
{
    for (size_t row = 0; row < sizeof well_formed / sizeof *well_formed; row++) {
        size_t i = 0;
        if (left < well_formed[row].length)
            continue;
        while (i < well_formed[row].length && bytes[i] >= well_formed[row].low[i] &&
               bytes[i] <= well_formed[row].high[i])
            i++;
        if (i == well_formed[row].length)
            return i;
    }
    return 0;
}

/* All pairs of first bytes, followed by bytes at every boundary of table 3-7, and cut at every
 * length. */
static void sequences_are_those_of_the_table(void **unused)
{
    (void)unused;
    static const unsigned char behind[] = {0x00, 0x7f, 0x80, 0x8f, 0x90,
                                           0x9f, 0xa0, 0xbf, 0xc0, 0xff};
    for (unsigned first = 0; first < 0x10000; first++)
        for (size_t third = 0; third < sizeof behind; third++)
            for (size_t fourth = 0; fourth < sizeof behind; fourth += 3) {
                unsigned char bytes[] = {(unsigned char)(first >> 8), (unsigned char)first,
                                         behind[third], behind[fourth]};
                const char *text = (const char *)bytes;
                for (size_t left = 0; left <= 4; left++)
                    if (mp_utf8_length(text, text + left) != by_the_table(bytes, left))
                        fail_msg("%02x %02x %02x %02x of %zu", bytes[0], bytes[1], bytes[2],
                                 bytes[3], left);
            }
}

static void texts_are_valid_or_not(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        bool valid;
    } cases[] = {
        {"", true},
        {"plain", true},
        {"Z\xc3\xbcrich", true},
        {"\xe2\x82\xac \xf0\x9f\x90\x99", true},
        {"\xef\xbf\xbf\xf4\x8f\xbf\xbf", true},
        {"\xc0\x80", false},             /* overlong */
        {"\xe0\x80\xaf", false},         /* overlong */
        {"\xf0\x80\x80\xaf", false},     /* overlong */
        {"\xed\xa0\x80", false},         /* a surrogate */
        {"\xf4\x90\x80\x80", false},     /* beyond U+10FFFF */
        {"\xf8\x88\x80\x80\x80", false}, /* five bytes */
        {"\x80", false},                 /* a continuation byte without a start */
        {"a\xc3", false},                /* a start without continuation bytes */
        {"\xe2\x82 ", false},            /* incomplete */
        {"Z\xfcrich", false},            /* ISO 8859-1 */
        {"\xc3\xbc\xfc", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(mp_utf8_valid(mp_slice_of(cases[i].text)), cases[i].valid);
}

static void other_bytes_are_iso_8859_1(void **unused)
{
    (void)unused;
    char bytes[256];
    for (int i = 0; i < 256; i++)
        bytes[i] = (char)i;
    mp_arena arena = {0};
    bool converted = false;
    mp_slice text = mp_utf8_from_bytes(&arena, (mp_slice){bytes, 256}, &converted);
    assert_true(converted);
    assert_int_equal(text.length, 128 + 2 * 128);
    const unsigned char *cursor = (const unsigned char *)text.start;
    for (unsigned i = 0; i < 256; i++) {
        /* Byte i is the character U+00i: UTF-8 stores its eight bits as 110xxxxx 10xxxxxx. */
        unsigned point = *cursor < 0x80 ? *cursor : (*cursor & 0x1fu) << 6 | (cursor[1] & 0x3fu);
        assert_int_equal(point, i);
        cursor += *cursor < 0x80 ? 1 : 2;
    }
    assert_true(mp_utf8_valid(text));

    /* Valid UTF-8 is not copied, and `converted` is not changed. */
    mp_slice good = mp_slice_of("Z\xc3\xbcrich");
    converted = false;
    text = mp_utf8_from_bytes(&arena, good, &converted);
    assert_ptr_equal(text.start, good.start);
    assert_false(converted);
    /* If any byte is invalid, the whole text is ISO 8859-1. */
    text = mp_utf8_from_bytes(&arena, mp_slice_of("\xc3\xbc\xfc"), &converted);
    assert_true(mp_slice_equal(text, mp_slice_of("\xc3\x83\xc2\xbc\xc3\xbc")));
    mp_arena_free(&arena);
}

static void slices_are_compared(void **unused)
{
    (void)unused;
    static const struct {
        const char *a, *b;
        bool equal, is, starts;
    } cases[] = {
        {"", "", true, true, true},
        {"abc", "abc", true, true, true},
        {"abc", "ABC", false, true, false},
        {"abc", "ab", false, false, true},
        {"ab", "abc", false, false, false},
        {"abc", "", false, false, true},
        {"_PreCleanUp", "_precleanup", false, true, false},
        /* Only ASCII letters are compared without case. */
        {"\xc3\xbc", "\xc3\x9c", false, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_slice a = mp_slice_of(cases[i].a);
        assert_int_equal(mp_slice_equal(a, mp_slice_of(cases[i].b)), cases[i].equal);
        assert_int_equal(mp_slice_is(a, cases[i].b), cases[i].is);
        assert_int_equal(mp_text_is(cases[i].a, cases[i].b), cases[i].is);
        assert_int_equal(mp_slice_starts(a, cases[i].b), cases[i].starts);
    }
    /* A slice is not compared beyond its end. */
    assert_true(mp_slice_is((mp_slice){"abcdef", 3}, "abc"));
    assert_false(mp_slice_starts((mp_slice){"abcdef", 3}, "abcd"));
}

static void slices_are_trimmed(void **unused)
{
    (void)unused;
    static const char *const cases[][2] = {
        {"", ""},    {"   ", ""},  {" \ta b\t ", "a b"}, {"a", "a"},
        {" a", "a"}, {"a\t", "a"}, {"\r\n", "\r\n"},     {" \xc2\xa0 ", "\xc2\xa0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(
            mp_slice_equal(mp_slice_trim(mp_slice_of(cases[i][0])), mp_slice_of(cases[i][1])));
}

static void lines_are_taken_off(void **unused)
{
    (void)unused;
    static const char *const lines[] = {"one", "", "t\xc3\xbco", "", "\rlast"};
    mp_slice text = mp_slice_of("\xef\xbb\xbfone\n\r\nt\xc3\xbco\r\n\n\rlast"), line;
    text = mp_slice_without_mark(text);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_true(mp_slice_take_line(&text, &line));
        assert_true(mp_slice_equal(line, mp_slice_of(lines[i])));
    }
    assert_false(mp_slice_take_line(&text, &line));
    /* the last line may have no line end */
    text = mp_slice_of("\r\n");
    assert_true(mp_slice_take_line(&text, &line));
    assert_int_equal(line.length, 0);
    assert_false(mp_slice_take_line(&text, &line));
}

static void places_in_lines(void **unused)
{
    (void)unused;
    mp_slice line = mp_slice_of("t\xc3\xbc\to\x7f");
    assert_int_equal(mp_slice_column(line, line.start), 1);
    assert_int_equal(mp_slice_column(line, line.start + 3), 3);
    assert_ptr_equal(mp_slice_control(line), line.start + 5);
    line.length--;
    assert_null(mp_slice_control(line));
}

static void buffers_grow(void **unused)
{
    (void)unused;
    mp_text_buffer buffer = {0};
    for (int i = 0; i < 1000; i++)
        mp_text_put(&buffer, "abc", 3);
    assert_int_equal(buffer.length, 3000);
    assert_int_equal(strlen(buffer.text), 3000);
    assert_string_equal(buffer.text + 2997, "abc");
    free(buffer.text);
}

static void endings(void **state)
{
    (void)state;
    static const struct {
        const char *text, *endings;
        int place;
    } cases[] = {
        {"a.db", ".db .sqlite", 0},
        {"a.SQLite", ".db .sqlite", 1},
        {"a.sqlite3", ".db .sqlite", -1},
        {"a.pb.gz", ".gz .pb.gz", 0},
        {".db", ".db", -1},
        {"a.db", "", -1},
        {"adb", ".db b", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(mp_text_ending(cases[i].text, strlen(cases[i].text), cases[i].endings),
                         cases[i].place);
    assert_int_equal(mp_text_ending("a.db.old", 4, ".db"), 0);
}

/* Calculated by hand: letters are added, left out, replaced, or swapped with the next letter. */
static void nearest(void **state)
{
    (void)state;
    static const char *const words[] = {"leaks", "limit", "growth", "path", "snapshots", "by"};
    static const struct {
        const char *text, *nearest;
    } cases[] = {
        {"leeks", "leaks"},   {"leak", "leaks"}, {"limt", "limit"},     {"lmiit", "limit"},
        {"grwoth", "growth"}, {"paths", "path"}, {"snap", "snapshots"}, {"bye", "by"},
        {"seconds", NULL},    {"xy", "by"},      {"ab", NULL},          {"", NULL},
        {"l", NULL},          {"colour", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found = mp_text_nearest(cases[i].text, words, 6);
        if (cases[i].nearest)
            assert_string_equal(found, cases[i].nearest);
        else
            assert_null(found);
    }
    char longest[4096];
    memset(longest, 'l', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_null(mp_text_nearest(longest, words, 6));
    assert_null(mp_text_nearest("leaks", NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest),
        cmocka_unit_test(endings),
        cmocka_unit_test(lines_are_taken_off),
        cmocka_unit_test(places_in_lines),
        cmocka_unit_test(buffers_grow),
        cmocka_unit_test(sequences_are_those_of_the_table),
        cmocka_unit_test(texts_are_valid_or_not),
        cmocka_unit_test(other_bytes_are_iso_8859_1),
        cmocka_unit_test(slices_are_compared),
        cmocka_unit_test(slices_are_trimmed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
