/* Rows of numbers parsed directly in the window, compared with a simple parser. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diagnose.h"
#include "input/numbers.h"

enum { MOST = 18 };

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Parse according to the definition: `columns` numbers of 1 to 16 digits, separated by single
 * blanks. The numbers in `decimal` have 1 to 8 digits, a point and 1 to 6 digits, and are returned
 * in millionths. */
static bool naive_row(const char *line, size_t length, unsigned columns, uint32_t decimal,
                      uint64_t *row)
{
    size_t index = 0;
    for (unsigned column = 0; column < columns; column++) {
        size_t digits = 0, point = 0;
        bool seconds = decimal >> column & 1;
        row[column] = 0;
        if (column && (index == length || line[index++] != ' '))
            return false;
        for (; index < length && ((line[index] >= '0' && line[index] <= '9') ||
                                  (seconds && !point && line[index] == '.'));
             index++)
            if (line[index] == '.') {
                point = digits;
                if (!point)
                    return false;
            } else {
                row[column] = row[column] * 10 + (uint64_t)(line[index] - '0');
                digits++;
            }
        if (seconds ? point < 1 || point > 8 || digits == point || digits > point + 6
                    : digits < 1 || digits > 16)
            return false;
        for (size_t places = digits - point; seconds && places < 6; places++)
            row[column] *= 10;
    }
    return index == length;
}

/* Read `text` many rows at a time, with the instructions that this processor has. Compare each row
 * with the result of the simple parser. Return the number of rows. */
static size_t check_rows(const char *text, size_t length, size_t window, unsigned columns)
{
    enum { AT_ONCE = 21 };
    mp_diagnostics *diagnostics = mp_diagnostics_new(0);
    mp_input *input = mp_input_from_memory("m", text, length, window, diagnostics);
    uint64_t rows[AT_ONCE * MOST], expected[MOST], lines = 0;
    size_t taken = 0;
    for (size_t index = 0; index < length;) {
        mp_slice line;
        const bool whole = mp_window_has_line(input);
        const size_t most = lines % AT_ONCE + 1;
        const size_t count = mp_input_rows(input, columns, UINT32_MAX, rows, most);
        assert_in_range(count, 0, most);
        for (size_t i = 0; i < count; i++) {
            const size_t content =
                (size_t)((char *)memchr(text + index, '\n', length) - text) - index;
            const size_t digits =
                content && text[index + content - 1] == '\r' ? content - 1 : content;
            assert_true(naive_row(text + index, digits, columns, 0, expected));
            assert_memory_equal(rows + i * columns, expected, columns * sizeof *rows);
            index += content + 1;
        }
        lines += count;
        taken += count;
        assert_int_equal(mp_input_bytes(input), index);
        assert_int_equal(mp_input_line_number(input), lines);
        if (count)
            continue;
        assert_true(mp_input_line(input, &line));
        assert_false(whole && naive_row(line.start, line.length, columns, 0, expected));
        lines++;
        index = (size_t)mp_input_bytes(input);
    }
    mp_input_close(input);
    mp_diagnostics_free(diagnostics);
    return taken;
}

/* Read `text` row by row. Use the slow path for irregular lines. Compare each row with the result
 * of the simple parser. Return the number of rows that the fast path parsed. */
static size_t check_text(const char *text, size_t length, size_t window, unsigned columns,
                         uint32_t wanted)
{
    mp_diagnostics *diagnostics = mp_diagnostics_new(0);
    mp_input *input = mp_input_from_memory("m", text, length, window, diagnostics);
    size_t taken = 0, index = 0;
    uint64_t lines = 0;
    while (index < length) {
        const char *newline = memchr(text + index, '\n', length - index);
        size_t end = newline ? (size_t)(newline - text) : length;
        size_t content = end - index;
        uint64_t expected[MOST], row[MOST];
        memset(row, 0xab, sizeof row);
        if (content && text[end - 1] == '\r')
            content--;
        bool regular = naive_row(text + index, content, columns, 0, expected);
        assert_int_equal(mp_window_has_line(input), newline != NULL);
        bool fast = mp_input_numbers(input, columns, wanted, row);
        assert_int_equal(fast, regular && newline);
        if (fast) {
            for (unsigned i = 0; i < columns; i++)
                if (wanted >> i & 1)
                    assert_true(row[i] == expected[i]);
            assert_true(mp_input_line_closed(input));
            taken++;
        } else {
            /* no byte was consumed: the whole line is still there */
            mp_slice line;
            assert_int_equal(mp_input_line_number(input), lines);
            assert_int_equal(mp_input_bytes(input), index);
            assert_true(mp_input_line(input, &line));
            assert_int_equal(line.length, content);
            assert_memory_equal(line.start, text + index, content);
        }
        index = newline ? end + 1 : length;
        assert_int_equal(mp_input_line_number(input), ++lines);
        assert_int_equal(mp_input_bytes(input), index);
    }
    uint64_t row[MOST];
    assert_false(mp_input_numbers(input, columns, wanted, row));
    assert_int_equal(mp_diagnostics_count(diagnostics, MP_DIAG_LONG_LINE), 0);
    mp_input_close(input);
    mp_diagnostics_free(diagnostics);
    assert_int_equal(check_rows(text, length, window, columns), taken);
    return taken;
}

static void put_number(FILE *out, uint64_t *state, unsigned longest)
{
    unsigned digits = (unsigned)(next_random(state) % longest) + 1;
    for (unsigned i = 0; i < digits; i++)
        fputc('0' + (int)(next_random(state) % 10), out);
}

static void generated_rows_are_as_the_naive_parse_has_them(void **unused)
{
    (void)unused;
    static const unsigned columns[] = {1, 2, 3, 4, 6, 9, 16, 18};
    static const size_t windows[] = {1, 63, 64, 4096, 1 << 22};
    enum { ROWS = 800 };
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        for (unsigned longest = 1; longest <= 16; longest += 5) {
            char *text;
            size_t size;
            uint64_t state = c * 100 + longest;
            FILE *out = open_memstream(&text, &size);
            for (int row = 0; row < ROWS; row++) {
                for (unsigned i = 0; i < columns[c]; i++) {
                    fputs(i ? " " : "", out);
                    put_number(out, &state, longest);
                }
                fputs(next_random(&state) % 5 ? "\n" : "\r\n", out);
            }
            fclose(out);
            for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
                uint32_t wanted = w % 2 ? UINT32_MAX : (uint32_t)next_random(&state);
                assert_int_equal(check_text(text, size, windows[w], columns[c], wanted), ROWS);
            }
            free(text);
        }
}

/* Regular rows. In some of them a byte is inserted, removed or changed. */
static void damaged_rows_are_left_alone(void **unused)
{
    (void)unused;
    static const char strange[] = "0123456789  \t.-+?,\"\r\n\x80\xff\x2f\x3a";
    static const unsigned columns[] = {2, 6, 16};
    enum { ROWS = 6000 };
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        char *text;
        size_t size, taken;
        uint64_t state = 77 + c;
        FILE *out = open_memstream(&text, &size);
        for (int row = 0; row < ROWS; row++) {
            for (unsigned i = 0; i < columns[c]; i++) {
                fputs(i ? " " : "", out);
                put_number(out, &state, 17);
            }
            fputc('\n', out);
        }
        fclose(out);
        for (size_t i = 0; i < size / 40; i++)
            text[next_random(&state) % size] = strange[next_random(&state) % (sizeof strange - 1)];
        taken = check_text(text, size, 4096, columns[c], UINT32_MAX);
        assert_in_range(taken, 1, ROWS - 1);
        assert_int_equal(check_text(text, size, 100, columns[c], 5), taken);
        free(text);
    }
}

static const struct {
    const char *line;
    bool regular; /* a regular row of three columns */
} oddities[] = {
    {"1 2 3", true},
    {"0 00 000", true},
    {"1234567890123456 9999999999999999 0000000000000001", true},
    {"12345678 123456789 1234567", true},
    {"1 2 3\r", true},
    {"", false},
    {".", false},
    {"1 2", false},
    {"1 2 ", false},
    {"1 2 3 ", false},
    {"1 2 3 4", false},
    {" 1 2 3", false},
    {"1  2 3", false},
    {"1\t2 3", false},
    {"1 2 3\r\r", false},
    {"1 2\r 3", false},
    {"1 -2 3", false},
    {"+1 2 3", false},
    {"1 2.0 3", false},
    {"1 ? 3", false},
    {"1 2 \"3\"", false},
    {"1 2 3x", false},
    {"x 1 2 3", false},
    {"1 2 3.", false},
    {"1 12345678901234567 3", false},
    {"1 2 12345678901234567", false},
    {"1 2 00000000000000001", false},
    {"1 2 12345678901234567890123456789012345678901234567890123456789012345678901234567890", false},
    {"1 2 \xc3\xa4", false},
    {"1 2 3\x80", false},
    {"1 2\xa0 3", false},
};

static void each_irregularity_is_for_the_slow_way(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof oddities / sizeof *oddities; i++) {
        char text[300];
        int length = snprintf(text, sizeof text, "7 8 9\n%s\n7 8 9\n", oddities[i].line);
        for (size_t window = 1; window <= 512; window *= 2)
            assert_int_equal(check_text(text, (size_t)length, window, 3, 7),
                             oddities[i].regular ? 3 : 2);
    }
}

static void a_row_at_the_end_needs_its_newline(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"1 2 3", "1 2 3\r", "1 2 3\n1 2 3", "1 2 3\r\n1 2 3\r"};
    for (size_t i = 0; i < 4; i++)
        for (size_t window = 1; window <= 64; window *= 2)
            assert_int_equal(check_text(texts[i], strlen(texts[i]), window, 3, 7), i / 2);
    assert_int_equal(check_text("", 0, 1, 3, 7), 0);
}

/* Bytes beyond the window's end have no effect. This is checked for rows of every length, at every
 * position in steps of 64 bytes. */
static void rows_may_end_anywhere_in_a_step(void **unused)
{
    (void)unused;
    for (unsigned before = 0; before < 70; before++)
        for (unsigned digits = 1; digits <= 16; digits++) {
            char text[300];
            int length = snprintf(text, sizeof text, "%.*s%s%.*s 5 6\n12 34 56\n", (int)before,
                                  "........................................................"
                                  "................",
                                  before ? "\n" : "", (int)digits, "9876543210987654");
            check_text(text, (size_t)length, 1, 3, 7);
            assert_int_equal(check_text(text, (size_t)length, 200, 3, 7), 2);
        }
}

/* Rows with numbers of seconds, like those of profiles. Some of them are damaged. */
static void decimal_rows(void **unused)
{
    (void)unused;
    static const char letters[] = "0123456789 .-\r\n\t";
    uint64_t state = 1;
    size_t regular_rows = 0, damaged_rows = 0;
    for (int round = 0; round < 60000; round++) {
        char text[256];
        uint64_t expected[4], row[4];
        const uint32_t decimal = (uint32_t)next_random(&state) & 15;
        size_t length = 0;
        for (unsigned i = 0; i < 4; i++) {
            const bool seconds = decimal >> i & 1;
            length += (size_t)snprintf(
                text + length, sizeof text - length, "%s%" PRIu64 "%s%0*" PRIu64, i ? " " : "",
                next_random(&state) >> (next_random(&state) % 40 + 24), seconds ? "." : "",
                seconds ? 1 + (int)(next_random(&state) % 6) : 1, next_random(&state) % 1000000);
        }
        if (round % 3)
            text[next_random(&state) % length] =
                letters[next_random(&state) % (sizeof letters - 1)];
        length += (size_t)snprintf(text + length, sizeof text - length, "\n");
        const size_t end = (size_t)((char *)memchr(text, '\n', length) - text);
        const size_t content = end && text[end - 1] == '\r' ? end - 1 : end;
        const bool regular = naive_row(text, content, 4, decimal, expected);
        mp_diagnostics *diagnostics = mp_diagnostics_new(0);
        mp_input *input = mp_input_from_memory("m", text, length, 4096, diagnostics);
        assert_true(mp_window_has_line(input));
        mp_row_scan scan = mp_scan_of(input);
        bool parsed = true;
        for (unsigned i = 0; i < 4 && parsed; i++)
            parsed = decimal >> i & 1 ? mp_scan_decimal(&scan, &row[i])
                                      : mp_scan_whole(&scan, true, &row[i]);
        assert_int_equal(parsed ? mp_scan_length(&scan) : 0, regular ? end + 1 : 0);
        if (regular)
            assert_memory_equal(row, expected, sizeof row);
        assert_int_equal(mp_input_bytes(input), 0);
        mp_input_close(input);
        mp_diagnostics_free(diagnostics);
        regular_rows += regular;
        damaged_rows += !regular;
    }
    assert_in_range(regular_rows, 10000, 50000);
    assert_in_range(damaged_rows, 10000, 50000);
}

/* Before the window is filled, no row is found, and the search does not read input. */
static void only_the_window_is_looked_at(void **unused)
{
    (void)unused;
    static const char text[] = "1 2 3\n4 5 6\n";
    mp_diagnostics *diagnostics = mp_diagnostics_new(0);
    mp_input *input = mp_input_from_memory("m", text, strlen(text), 8, diagnostics);
    uint64_t row[3];
    assert_false(mp_input_numbers(input, 3, 7, row));
    assert_true(mp_window_has_line(input)); /* 8 bytes */
    assert_true(mp_input_numbers(input, 3, 7, row));
    assert_int_equal(row[2], 3);
    assert_false(mp_input_numbers(input, 3, 7, row)); /* only "4 " is there */
    assert_int_equal(mp_input_bytes(input), 6);
    assert_true(mp_window_has_line(input));
    row[1] = 77;
    assert_true(mp_input_numbers(input, 3, 5, row));
    assert_int_equal(row[0], 4);
    assert_int_equal(row[1], 77); /* a column that is not wanted */
    assert_int_equal(row[2], 6);
    assert_false(mp_window_has_line(input));
    mp_input_close(input);
    mp_diagnostics_free(diagnostics);
}

/* A letter and a hexadecimal number. Neither is too near to the end of the window. */
static void hexadecimal_rows(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        bool taken;
        uint64_t number;
    } lines[] = {{"+ 1f", true, 0x1f},
                 {"- 0", true, 0},
                 {"- ABCdef12", true, 0xabcdef12},
                 {"+ ffffffffffffffff", true, UINT64_MAX},
                 {"+ 11111222223333344", false, 0},
                 {"+ ", false, 0},
                 {"+ 1f ", false, 0},
                 {"+ 1f\r", false, 0},
                 {"+ 1g", false, 0},
                 {"+1f", false, 0},
                 {"++ 1f", false, 0},
                 {"", false, 0}};
    const char rest[] = "........................................";
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (size_t after = 0; after < sizeof rest; after++) {
            char text[100], letter = 0;
            const int length =
                snprintf(text, sizeof text, "%s\n%.*s", lines[i].line, (int)after, rest);
            mp_diagnostics *diagnostics = mp_diagnostics_new(0);
            mp_input *input =
                mp_input_from_memory("m", text, (size_t)length, sizeof text, diagnostics);
            uint64_t number;
            mp_window_has_line(input); /* fills the window */
            const bool taken = mp_input_hex_row(input, &letter, &number);
            const size_t used = strlen(lines[i].line) + 1;
            assert_int_equal(taken, lines[i].taken && used + after >= 19 + MP_HEX_SLACK);
            assert_int_equal(mp_input_bytes(input), taken ? used : 0);
            if (taken) {
                assert_int_equal(letter, *lines[i].line);
                assert_true(number == lines[i].number);
                assert_int_equal(mp_input_line_number(input), 1);
            }
            mp_input_close(input);
            mp_diagnostics_free(diagnostics);
        }
}

/* A line that is skipped must not count as available. Callers depend on this: they wait for other
 * threads before a line is diagnosed. */
static void a_line_that_is_skipped_is_none(void **unused)
{
    (void)unused;
    static const char text[] = "12345678\n123456789\n1\n";
    mp_slice line;
    mp_diagnostics *diagnostics = mp_diagnostics_new(1);
    mp_input *input = mp_input_from_memory("m", text, strlen(text), 100, diagnostics);
    input->longest_line = 8;
    assert_true(mp_window_has_line(input));
    assert_true(mp_input_line(input, &line));
    assert_false(mp_window_has_line(input));
    assert_int_equal(mp_diagnostics_count(diagnostics, MP_DIAG_LONG_LINE), 0);
    assert_true(mp_input_line(input, &line));
    assert_int_equal(line.length, 1);
    assert_int_equal(mp_diagnostics_count(diagnostics, MP_DIAG_LONG_LINE), 1);
    mp_input_close(input);
    mp_diagnostics_free(diagnostics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_that_is_skipped_is_none),
        cmocka_unit_test(generated_rows_are_as_the_naive_parse_has_them),
        cmocka_unit_test(damaged_rows_are_left_alone),
        cmocka_unit_test(each_irregularity_is_for_the_slow_way),
        cmocka_unit_test(a_row_at_the_end_needs_its_newline),
        cmocka_unit_test(rows_may_end_anywhere_in_a_step),
        cmocka_unit_test(only_the_window_is_looked_at),
        cmocka_unit_test(decimal_rows),
        cmocka_unit_test(hexadecimal_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
