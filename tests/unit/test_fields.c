/* Fields of a line: numbers, decimals, quoted strings, and fields that are malformed. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "input/fields.h"

/* Check that the cursor is after a good field, or before a malformed one. */
static void check_cursor(const mp_fields *fields, const char *line, bool good, const char *rest)
{
    if (good) {
        assert_int_equal(fields->end - fields->cursor, strlen(rest));
        assert_memory_equal(fields->cursor, rest, strlen(rest));
    } else {
        /* blanks before the field may have been skipped */
        const char *first = line + strspn(line, " \t");
        assert_true(fields->cursor == line || fields->cursor == first);
    }
}

static void unsigned_numbers(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        bool good;
        uint64_t value;
        const char *rest;
    } cases[] = {
        {"0", true, 0, ""},
        {"7 8", true, 7, " 8"},
        {"  \t42\t1", true, 42, "\t1"},
        {"007", true, 7, ""},
        {"? 1", true, 0, " 1"},
        {"?", true, 0, ""},
        {"9223372036854775807", true, INT64_MAX, ""},
        {"9223372036854775808", true, UINT64_C(9223372036854775808), ""},
        {"18446744073709551615", true, UINT64_MAX, ""},
        {"00000000000000000000018446744073709551615", true, UINT64_MAX, ""},
        {"18446744073709551616", false, 0, ""},
        {"18446744073709551620", false, 0, ""},
        {"99999999999999999999", false, 0, ""},
        {"-1", false, 0, ""},
        {"+1", false, 0, ""},
        {"1.0", false, 0, ""},
        {"1,0", false, 0, ""},
        {"1x", false, 0, ""},
        {"0x10", false, 0, ""},
        {"\"1\"", false, 0, ""},
        {"??", false, 0, ""},
        {"?1", false, 0, ""},
        {"", false, 0, ""},
        {"   ", false, 0, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_fields fields = mp_fields_of(mp_slice_of(cases[i].line));
        uint64_t value;
        assert_int_equal(mp_field_unsigned(&fields, &value), cases[i].good);
        check_cursor(&fields, cases[i].line, cases[i].good, cases[i].rest);
        if (cases[i].good)
            assert_true(value == cases[i].value);
    }
}

static void signed_numbers(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        bool good;
        int64_t value;
        const char *rest;
    } cases[] = {
        {"0", true, 0, ""},
        {"-0", true, 0, ""},
        {"-1 2", true, -1, " 2"},
        {"\t12", true, 12, ""},
        {"? -1", true, 0, " -1"},
        {"9223372036854775807", true, INT64_MAX, ""},
        {"-9223372036854775807", true, -INT64_MAX, ""},
        {"9223372036854775808", false, 0, ""},
        {"-9223372036854775809", false, 0, ""},
        {"18446744073709551615", false, 0, ""},
        {"--1", false, 0, ""},
        {"- 1", false, 0, ""},
        {"-", false, 0, ""},
        {"+1", false, 0, ""},
        {"1-", false, 0, ""},
        {"-?", false, 0, ""},
        {"", false, 0, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_fields fields = mp_fields_of(mp_slice_of(cases[i].line));
        int64_t value;
        assert_int_equal(mp_field_signed(&fields, &value), cases[i].good);
        check_cursor(&fields, cases[i].line, cases[i].good, cases[i].rest);
        if (cases[i].good)
            assert_true(value == cases[i].value);
    }
}

static void several_numbers(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        size_t good;
        uint64_t values[4];
    } cases[] = {
        {"1 2 3 4", 4, {1, 2, 3, 4}},
        {"1 2 3 4 5", 4, {1, 2, 3, 4}},
        {"  1   2\t3 \t 4  ", 4, {1, 2, 3, 4}},
        {"1 ? 3 ?", 4, {1, 0, 3, 0}},
        {"-1 2 -9223372036854775807 4", 4, {UINT64_MAX, 2, UINT64_C(9223372036854775809), 4}},
        {"9999999999999999999 18446744073709551615 0 00000000000000000001",
         4,
         {UINT64_C(9999999999999999999), UINT64_MAX, 0, 1}},
        {"1 18446744073709551616 3 4", 1, {1}},
        {"1 2 -9223372036854775809 4", 2, {1, 2}},
        {"1 2 3", 3, {1, 2, 3}},
        {"1 2 3x 4", 2, {1, 2}},
        {"1 \"2\" 3 4", 1, {1}},
        {"1 2 3.5 4", 2, {1, 2}},
        {"", 0, {0}},
        {"x", 0, {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_fields fields = mp_fields_of(mp_slice_of(cases[i].line));
        uint64_t values[4];
        size_t count = mp_fields_numbers(&fields, values, 4);
        assert_int_equal(count, cases[i].good);
        for (size_t k = 0; k < count; k++)
            assert_true(values[k] == cases[i].values[k]);
    }
}

static const struct {
    const char *line;
    int places;
    bool good;
    int64_t value;
} decimal_cases[] = {
    {"0.003155", 6, true, 3155},
    {"0,003155", 6, true, 3155},
    {"22.45", 2, true, 2245},
    {"22", 2, true, 2200},
    {"22.", 2, true, 2200},
    {".5", 2, true, 50},
    {",5", 2, true, 50},
    {"-0.5", 2, true, -50},
    {"-.25", 2, true, -25},
    {"?", 2, true, 0},
    {"  1.5 2", 1, true, 15},
    {"3600.000000", 6, true, INT64_C(3600000000)},
    /* halves are rounded to even, more than half up, less down; also for negative numbers */
    {"0.125", 2, true, 12},
    {"0.135", 2, true, 14},
    {"0.1350", 2, true, 14},
    {"0.12500", 2, true, 12},
    {"0.125001", 2, true, 13},
    {"0.126", 2, true, 13},
    {"0.1249999", 2, true, 12},
    {"-0.125", 2, true, -12},
    {"-0.135", 2, true, -14},
    {"0.5", 0, true, 0},
    {"1.5", 0, true, 2},
    {"2.5", 0, true, 2},
    {"2.51", 0, true, 3},
    {"9.999", 2, true, 1000},
    {"0.0000005", 6, true, 0},
    {"0.0000015", 6, true, 2},
    /* the largest accepted number has one digit less than 64 bits would allow */
    {"922337203685.477580", 6, true, INT64_C(922337203685477580)},
    {"922337203685477580", 0, true, INT64_C(922337203685477580)},
    {"922337203685477581", 0, false, 0},
    {"922337203685.477581", 6, false, 0},
    {"99999999999999999999", 2, false, 0},
    {".", 2, false, 0},
    {"-", 2, false, 0},
    {"-.", 2, false, 0},
    {"", 2, false, 0},
    {"1.2.3", 2, false, 0},
    {"1.2,3", 2, false, 0},
    {"1.2x", 2, false, 0},
    {"1.234x", 2, false, 0},
    {"1x", 2, false, 0},
    {"1e5", 2, false, 0},
    {"1.-2", 2, false, 0},
    {"+1.5", 2, false, 0},
    {"\"1.5\"", 2, false, 0},
};

static void decimals(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof decimal_cases / sizeof *decimal_cases; i++) {
        mp_fields fields = mp_fields_of(mp_slice_of(decimal_cases[i].line));
        int64_t value = 0;
        bool good = mp_field_decimal(&fields, decimal_cases[i].places, &value);
        if (good != decimal_cases[i].good || (good && value != decimal_cases[i].value))
            print_error("\"%s\" with %d: %d %" PRId64 "\n", decimal_cases[i].line,
                        decimal_cases[i].places, good, value);
        assert_int_equal(good, decimal_cases[i].good);
        if (good)
            assert_true(value == decimal_cases[i].value);
        else
            check_cursor(&fields, decimal_cases[i].line, false, "");
    }
}

/* All hundredths from -2.00 to 2.00 are rounded to tenths with the result of integer arithmetic. */
static void decimals_are_rounded_to_even_everywhere(void **unused)
{
    (void)unused;
    for (int hundredths = -200; hundredths <= 200; hundredths++) {
        char line[20];
        int size = abs(hundredths), tenths = size / 10, rest = size % 10;
        tenths += rest > 5 || (rest == 5 && tenths % 2 == 1);
        snprintf(line, sizeof line, "%s%d.%02d", hundredths < 0 ? "-" : "", size / 100, size % 100);
        mp_fields fields = mp_fields_of(mp_slice_of(line));
        int64_t value;
        assert_true(mp_field_decimal(&fields, 1, &value));
        assert_int_equal(value, hundredths < 0 ? -tenths : tenths);
    }
}

static void texts(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        bool good;
        const char *text, *rest;
    } cases[] = {
        {"\"main.p\" 1", true, "main.p", " 1"},
        {"  \"a b\"", true, "a b", ""},
        {"\"\"", true, "", ""},
        {"\"\" \"x\"", true, "", " \"x\""},
        {"?", true, "", ""},
        {"? 5", true, "", " 5"},
        {"\"?\"", true, "?", ""},
        {"word 5", true, "word", " 5"},
        {"wo\"rd", true, "wo\"rd", ""},
        {"?x", true, "?x", ""},
        {"\"a \"\"b\"\" c\" 1", true, "a \"b\" c", " 1"},
        {"\"\"\"\"", true, "\"", ""},
        {"\"\"\"\"\"\"", true, "\"\"", ""},
        {"\"\"\"a\"", true, "\"a", ""},
        {"\"a\"\"\"\t", true, "a\"", "\t"},
        {"\"C:\\x\\\" 1", true, "C:\\x\\", " 1"},
        {"\"a\tb\"", true, "a\tb", ""},
        {"\"a", false, "", ""},
        {"\"", false, "", ""},
        {"\"a\"\"", false, "", ""},
        {"\"\"\"", false, "", ""},
        {"\"a\"b", false, "", ""},
        {"\"a\"1", false, "", ""},
        {"", false, "", ""},
        {"  ", false, "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_fields fields = mp_fields_of(mp_slice_of(cases[i].line));
        mp_arena scratch = {0};
        mp_slice text;
        assert_int_equal(mp_field_text(&fields, &scratch, &text), cases[i].good);
        check_cursor(&fields, cases[i].line, cases[i].good, cases[i].rest);
        if (cases[i].good)
            assert_true(mp_slice_equal(text, mp_slice_of(cases[i].text)));
        mp_arena_free(&scratch);
    }
}

/* If a text made of these letters is quoted and then parsed, the result is the text. */
static void quoting_is_undone(void **unused)
{
    (void)unused;
    static const char letters[] = "a\" ?";
    for (unsigned n = 0; n < 4 * 4 * 4 * 4 * 4; n++) {
        char text[6] = "", line[20] = "\"", *out = line + 1;
        for (unsigned i = 0, rest = n; i < 5; i++, rest /= 4) {
            text[i] = letters[rest % 4];
            *out++ = text[i];
            if (text[i] == '"')
                *out++ = '"';
        }
        *out++ = '"';
        mp_fields fields = mp_fields_of((mp_slice){line, (size_t)(out - line)});
        mp_arena scratch = {0};
        mp_slice found;
        assert_true(mp_field_text(&fields, &scratch, &found));
        assert_true(mp_slice_equal(found, mp_slice_of(text)));
        assert_true(mp_fields_end(&fields));
        mp_arena_free(&scratch);
    }
}

/* Parsing does not read beyond the slice. */
static void the_end_of_the_slice_is_the_end(void **unused)
{
    (void)unused;
    static const char line[] = "123456\"ab\"c";
    mp_fields fields = mp_fields_of((mp_slice){line, 3});
    mp_arena scratch = {0};
    uint64_t number, numbers[2];
    int64_t decimal;
    mp_slice text;
    assert_true(mp_field_unsigned(&fields, &number));
    assert_int_equal(number, 123);
    assert_false(mp_field_unsigned(&fields, &number));
    fields = mp_fields_of((mp_slice){line, 2});
    assert_int_equal(mp_fields_numbers(&fields, numbers, 2), 1);
    assert_int_equal(numbers[0], 12);
    fields = mp_fields_of((mp_slice){line, 1});
    assert_true(mp_field_decimal(&fields, 1, &decimal));
    assert_int_equal(decimal, 10);
    fields = mp_fields_of((mp_slice){line + 6, 4});
    assert_true(mp_field_text(&fields, &scratch, &text));
    assert_true(mp_slice_equal(text, mp_slice_of("ab")));
    fields = mp_fields_of((mp_slice){line + 6, 3});
    assert_false(mp_field_text(&fields, &scratch, &text));
    mp_arena_free(&scratch);
}

static void the_rest_fits_a_message(void **unused)
{
    (void)unused;
    mp_fields fields = mp_fields_of(mp_slice_of("1 rest"));
    uint64_t number;
    assert_true(mp_field_unsigned(&fields, &number));
    assert_false(mp_fields_end(&fields));
    assert_true(mp_slice_equal(mp_fields_rest(&fields), mp_slice_of("rest")));
    fields = mp_fields_of(mp_slice_of(" \t "));
    assert_true(mp_fields_end(&fields));
    assert_int_equal(mp_fields_rest(&fields).length, 0);
    char line[101];
    memset(line, 'x', 100);
    line[100] = '\0';
    fields = mp_fields_of(mp_slice_of(line));
    assert_int_equal(mp_fields_rest(&fields).length, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsigned_numbers),
        cmocka_unit_test(signed_numbers),
        cmocka_unit_test(several_numbers),
        cmocka_unit_test(decimals),
        cmocka_unit_test(decimals_are_rounded_to_even_everywhere),
        cmocka_unit_test(texts),
        cmocka_unit_test(quoting_is_undone),
        cmocka_unit_test(the_end_of_the_slice_is_the_end),
        cmocka_unit_test(the_rest_fits_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
