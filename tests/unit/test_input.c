/* Input: lines that are read through windows of any size, reading ahead, and files that cannot be
 * read. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diagnose.h"
#include "base/memory.h"
#include "base/text.h"
#include "input/private.h"
#include "support/memory_reader.h"

static const size_t windows[] = {1, 2, 3, 7, 64, 4096, 1 << 20};
enum { WINDOWS = sizeof windows / sizeof *windows, MIB = 1024 * 1024 };

static const struct {
    const char *text;
    size_t count;
    const char *lines[5];
    bool closed; /* the last line has a line end */
} texts[] = {
    {"", 0, {0}, false},
    {"a", 1, {"a"}, false},
    {"a\n", 1, {"a"}, true},
    {"\n", 1, {""}, true},
    {"\n\n", 2, {"", ""}, true},
    {"a\nb", 2, {"a", "b"}, false},
    {"a\r\nb\r\n", 2, {"a", "b"}, true},
    {"a\r\nb\n\r\nc\r", 4, {"a", "b", "", "c"}, false},
    {"a\rb\n", 1, {"a\rb"}, true},
    {"a\r\r\n", 1, {"a\r"}, true},
    {"\r\n", 1, {""}, true},
    {"\xff\x80\n\t \n", 2, {"\xff\x80", "\t "}, true},
};

static void lines_do_not_depend_on_the_window(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t w = 0; w < WINDOWS * 2; w++) {
            mp_diagnostics *diagnostics = mp_diagnostics_new(0);
            size_t length = strlen(texts[i].text), lines = 0;
            mp_input *input =
                mp_input_from_memory("m", texts[i].text, length, windows[w / 2], diagnostics);
            mp_slice line;
            assert_string_equal(mp_input_path(input), "m");
            assert_int_equal(mp_input_line_number(input), 0);
            for (;; lines++) {
                /* asking first has no effect; exception: the end of a file without a line end */
                if (w % 2)
                    mp_window_has_line(input);
                if (!mp_input_line(input, &line))
                    break;
                assert_in_range(lines, 0, texts[i].count - 1);
                assert_true(mp_slice_equal(line, mp_slice_of(texts[i].lines[lines])));
                assert_int_equal(mp_input_line_number(input), lines + 1);
                assert_int_equal(mp_input_line_closed(input),
                                 lines + 1 < texts[i].count || texts[i].closed);
            }
            assert_int_equal(lines, texts[i].count);
            assert_int_equal(mp_input_bytes(input), length);
            assert_false(mp_input_line(input, &line));
            assert_int_equal(mp_input_line_number(input), lines);
            mp_input_close(input);
            assert_int_equal(count_diagnostics(diagnostics), 0);
            mp_diagnostics_free(diagnostics);
        }
}

static void nul_bytes_are_bytes(void **unused)
{
    (void)unused;
    static const char text[] = "a\0b\n\0\n";
    for (size_t w = 0; w < WINDOWS; w++) {
        mp_diagnostics *diagnostics = mp_diagnostics_new(0);
        mp_input *input = mp_input_from_memory("m", text, sizeof text - 1, windows[w], diagnostics);
        mp_slice line;
        assert_true(mp_input_line(input, &line));
        assert_int_equal(line.length, 3);
        assert_memory_equal(line.start, "a\0b", 3);
        assert_true(mp_input_line(input, &line));
        assert_int_equal(line.length, 1);
        assert_false(mp_input_line(input, &line));
        mp_input_close(input);
        mp_diagnostics_free(diagnostics);
    }
}

/* Lines of all lengths up to more than a window. Each line repeats one letter. */
static void long_and_short_lines_keep_their_bytes(void **unused)
{
    (void)unused;
    static const size_t lengths[] = {0,      1,     63,    64,     65,     4095,   4096,
                                     100000, 65535, 65536, 262143, 262144, 262145, 262272,
                                     300000, 1,     0,     999999, 3};
    enum { LINES = sizeof lengths / sizeof *lengths };
    size_t total = 0;
    for (size_t i = 0; i < LINES; i++)
        total += lengths[i] + 1;
    char *text = malloc(total), *to = text;
    assert_non_null(text);
    for (size_t i = 0; i < LINES; i++) {
        memset(to, 'a' + (int)i, lengths[i]);
        to += lengths[i];
        *to++ = '\n';
    }
    for (size_t w = 4; w < WINDOWS; w++) {
        mp_diagnostics *diagnostics = mp_diagnostics_new(0);
        mp_input *input = mp_input_from_memory("m", text, total, windows[w], diagnostics);
        const char *from = text;
        mp_slice line;
        for (size_t i = 0; i < LINES; i++) {
            assert_true(mp_input_line(input, &line));
            assert_int_equal(line.length, lengths[i]);
            assert_int_equal(memcmp(line.start, from, lengths[i]), 0);
            from += lengths[i] + 1;
            assert_int_equal(mp_input_bytes(input), from - text);
        }
        assert_false(mp_input_line(input, &line));
        assert_int_equal(count_diagnostics(diagnostics), 0);
        mp_input_close(input);
        mp_diagnostics_free(diagnostics);
    }
    free(text);
}

/* A line of 16 MiB fits. A much longer line is skipped, and reported with its number. */
static void a_line_over_the_limit_is_skipped(void **unused)
{
    (void)unused;
    static const struct {
        size_t length;
        bool kept, closed;
    } cases[] = {
        {16 * MIB - 1, true, true}, {16 * MIB, true, true},   {20 * MIB, false, true},
        {50 * MIB, false, true},    {20 * MIB, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length = cases[i].length;
        char *text = malloc(length + 12);
        assert_non_null(text);
        memcpy(text, "first\n", 6);
        memset(text + 6, 'x', length);
        memcpy(text + 6 + length, "\nlast\n", 6);
        size_t total = cases[i].closed ? length + 12 : length + 6;
        mp_diagnostics *diagnostics = mp_diagnostics_new(0);
        mp_input *input = mp_input_from_memory("m", text, total, 1 << 20, diagnostics);
        mp_slice line;
        assert_true(mp_input_line(input, &line));
        if (cases[i].kept) {
            assert_true(mp_input_line(input, &line));
            assert_int_equal(line.length, length);
        }
        assert_int_equal(mp_input_line(input, &line), cases[i].closed);
        if (cases[i].closed) {
            assert_true(mp_slice_equal(line, mp_slice_of("last")));
            assert_int_equal(mp_input_line_number(input), 3);
        }
        assert_int_equal(mp_input_bytes(input), total);
        const mp_diagnostic *found = find_diagnostic(diagnostics, MP_DIAG_LONG_LINE);
        assert_int_equal(found != NULL, !cases[i].kept);
        if (found)
            assert_int_equal(found->line, 2);
        mp_input_close(input);
        mp_diagnostics_free(diagnostics);
        free(text);
    }
}

static void look_ahead_consumes_nothing(void **unused)
{
    (void)unused;
    static const size_t lengths[] = {0, 1, 100, MP_LOOK_AHEAD - 1, MP_LOOK_AHEAD, 200000, 400000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char *text = malloc(lengths[i] + 1);
        assert_non_null(text);
        for (size_t k = 0; k < lengths[i]; k++)
            text[k] = k % 50 == 49 ? '\n' : (char)('a' + k % 26);
        for (size_t w = 3; w < WINDOWS; w++) {
            mp_diagnostics *diagnostics = mp_diagnostics_new(0);
            mp_input *input = mp_input_from_memory("m", text, lengths[i], windows[w], diagnostics);
            size_t expected = lengths[i] < MP_LOOK_AHEAD ? lengths[i] : MP_LOOK_AHEAD;
            for (int again = 0; again < 2; again++) {
                mp_slice head = mp_input_look_ahead(input);
                assert_int_equal(head.length, expected);
                assert_int_equal(memcmp(head.start, text, expected), 0);
                assert_int_equal(mp_input_bytes(input), 0);
            }
            size_t index = 0;
            for (mp_slice line; mp_input_line(input, &line); index = (size_t)mp_input_bytes(input))
                assert_int_equal(memcmp(line.start, text + index, line.length), 0);
            assert_int_equal(index, lengths[i]);
            mp_input_close(input);
            mp_diagnostics_free(diagnostics);
        }
        free(text);
    }
}

/* --- files --- */

typedef struct advances {
    const char *path;
    uint64_t done, total;
    unsigned calls;
} advances;

static bool advance(void *opaque, const char *path, uint64_t done, uint64_t total)
{
    advances *seen = opaque;
    assert_true(done >= seen->done);
    *seen = (advances){path, done, total, seen->calls + 1};
    return true;
}

static void a_file_is_read_and_its_progress_told(void **unused)
{
    (void)unused;
    char path[] = "/tmp/memprof-input-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    FILE *out = fdopen(file, "w");
    for (int i = 0; i < 100000; i++)
        fprintf(out, "line %05d\n", i);
    fclose(out);
    advances seen = {0};
    mp_progress progress = {advance, &seen};
    mp_diagnostics *diagnostics = mp_diagnostics_new(0);
    mp_input *input = mp_input_open(path, diagnostics, &(mp_load_options){.progress = &progress});
    assert_non_null(input);
    uint64_t count = 0;
    for (mp_slice line; mp_input_line(input, &line); count++)
        assert_int_equal(line.length, 10);
    assert_int_equal(count, 100000);
    assert_int_equal(seen.done, 1100000);
    assert_int_equal(seen.total, 1100000);
    assert_string_equal(seen.path, path);
    assert_in_range(seen.calls, 2, 10000);
    assert_int_equal(count_diagnostics(diagnostics), 0);
    mp_input_close(input);
    mp_diagnostics_free(diagnostics);
    unlink(path);
}

static void standard_input_is_a_dash(void **unused)
{
    (void)unused;
    int ends[2], saved = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "a\nb", 3), 3);
    close(ends[1]);
    assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
    close(ends[0]);
    advances seen = {0};
    mp_progress progress = {advance, &seen};
    mp_diagnostics *diagnostics = mp_diagnostics_new(0);
    mp_input *input = mp_input_open("-", diagnostics, &(mp_load_options){.progress = &progress});
    mp_slice line;
    assert_non_null(input);
    assert_string_equal(mp_input_path(input), "(standard input)");
    assert_true(mp_input_line(input, &line));
    assert_true(mp_input_line(input, &line));
    assert_true(mp_slice_equal(line, mp_slice_of("b")));
    assert_false(mp_input_line(input, &line));
    assert_int_equal(seen.total, 0); /* unknown for a pipe */
    mp_input_close(input);
    mp_diagnostics_free(diagnostics);
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
}

/* Bytes can be read from lines of any length. Here a line has 20 MiB, which is more than the limit
 * for lines. */
static void bytes_come_without_lines(void **unused)
{
    (void)unused;
    enum { LENGTH = 20 * MIB, MARK = 3, LINE = 5 };
    char *text = mp_alloc(MARK + LENGTH + LINE + 2);
    snprintf(text, MARK + 1, "\xef\xbb\xbf");
    for (size_t i = 0; i < LENGTH; i++)
        text[MARK + i] = (char)('a' + i % 26);
    snprintf(text + MARK + LENGTH, LINE + 2, "\nline\n");
    for (size_t w = 3; w < WINDOWS; w++) {
        mp_diagnostics *diagnostics = mp_diagnostics_new(0);
        mp_input *input =
            mp_input_from_memory("m", text, MARK + LENGTH + LINE + 1, windows[w], diagnostics);
        assert_memory_equal(mp_input_at_hand(input, 26).start, "abcdefghijklmnopqrstuvwxyz", 26);
        size_t index = 0;
        for (mp_slice bytes; index < LENGTH; index += bytes.length) {
            bytes = mp_input_at_hand(input, 1 + index % 100);
            assert_in_range(bytes.length, index < LENGTH - 100 ? 1 + index % 100 : 1, MIB);
            bytes.length = bytes.length > LENGTH - index ? LENGTH - index : bytes.length;
            assert_memory_equal(bytes.start, text + MARK + index, bytes.length);
            mp_input_consume(input, bytes.length);
        }
        assert_true(input->capacity < MIB);
        mp_slice line;
        assert_true(mp_input_line(input, &line) &&
                    line.length == 0); /* the other bytes of the long line */
        assert_true(mp_input_line(input, &line));
        assert_true(mp_slice_equal(line, mp_slice_of("line")));
        assert_int_equal(mp_input_at_hand(input, 1).length, 0);
        assert_int_equal(mp_input_bytes(input), MARK + LENGTH + LINE + 1);
        assert_int_equal(count_diagnostics(diagnostics), 0);
        mp_input_close(input);
        mp_diagnostics_free(diagnostics);
    }
    free(text);
}

/* Steps of 64 bytes read beyond the end of the window. The bytes there must have the same value in
 * each run. */
static void bytes_behind_the_window_have_a_value(void **unused)
{
    (void)unused;
    static const char text[] = "1 2\n3 4", zeros[MP_WINDOW_SLACK];
    mallopt(M_PERTURB, 0x5a); /* fills new memory with a pattern */
    mp_diagnostics *diagnostics = mp_diagnostics_new(0);
    mp_input *input = mp_input_from_memory("input", text, sizeof text - 1, 3, diagnostics);
    mallopt(M_PERTURB, 0);
    assert_int_equal(mp_input_look_ahead(input).length, sizeof text - 1);
    assert_memory_equal(input->bytes + input->end, zeros, sizeof zeros);
    mp_input_close(input);
    mp_diagnostics_free(diagnostics);
}

static void put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Look at a file and put it back. `bytes`: set to the address of its window, which identifies the
 * input. */
static void look_at(const char *path, mp_inputs *inputs, mp_diagnostics *diagnostics,
                    const char **bytes)
{
    mp_input *input = mp_input_look(path, diagnostics, &(mp_load_options){.inputs = inputs});
    assert_non_null(input);
    *bytes = mp_input_look_ahead(input).start;
    mp_input_put_back(input);
}

static void assert_first_line(mp_input *input, const char *expected)
{
    mp_slice line;
    assert_non_null(input);
    assert_true(mp_input_line(input, &line));
    assert_true(mp_slice_equal(line, mp_slice_of(expected)));
    mp_input_close(input);
}

/* A file that is looked at and then read is opened once, unless it changed in between. */
static void what_was_put_back_is_not_opened_again(void **unused)
{
    (void)unused;
    char path[] = "/tmp/memprof-input-XXXXXX";
    close(mkstemp(path));
    put_file(path, "one\n");
    const char *bytes;
    advances seen = {0};
    mp_progress progress = {advance, &seen};
    mp_inputs *inputs = mp_inputs_new();
    const mp_load_options how = {.inputs = inputs, .progress = &progress};
    mp_diagnostics *diagnostics = mp_diagnostics_new(0);
    look_at(path, inputs, diagnostics, &bytes);
    mp_input *input = mp_input_open(path, diagnostics, &how);
    assert_int_equal(seen.done, 4); /* all bytes were read, as the status says */
    assert_ptr_equal(mp_input_look_ahead(input).start, bytes);
    assert_first_line(input, "one");
    look_at(path, inputs, diagnostics, &bytes);
    put_file(path, "changed\n");
    assert_first_line(mp_input_open(path, diagnostics, &how), "changed");
    look_at(path, inputs, diagnostics, &bytes);
    unlink(path);
    put_file(path, "replaced\n");
    assert_first_line(mp_input_open(path, diagnostics, &how), "replaced");
    look_at(path, inputs, diagnostics, &bytes);
    mp_inputs_discard(inputs, path);
    mp_inputs_discard(inputs, path);
    assert_int_equal(count_diagnostics(diagnostics), 0);
    mp_inputs_free(inputs);
    mp_diagnostics_free(diagnostics);
    unlink(path);
}

static size_t count_descriptors(void)
{
    size_t count = 0;
    for (int file = 0; file < 1024; file++)
        count += fcntl(file, F_GETFD) >= 0;
    return count;
}

/* Only an eighth of the files that the process may open stay open. */
static void few_files_stay_open(void **unused)
{
    (void)unused;
    enum { FILES = 100 };
    char folder[] = "/tmp/memprof-input-XXXXXX", path[FILES][64];
    const char *bytes;
    struct rlimit usual, small;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
    mp_diagnostics *diagnostics = mp_diagnostics_new(0);
    for (size_t i = 0; i < FILES; i++) {
        snprintf(path[i], sizeof path[i], "%s/%zu", folder, i);
        put_file(path[i], "line\n");
    }
    for (size_t share = 10; share <= 64; share += 54) {
        size_t before = count_descriptors();
        small = (struct rlimit){share == 64 ? usual.rlim_cur : share * 8, usual.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
        mp_inputs *inputs = mp_inputs_new();
        for (size_t i = 0; i < FILES; i++)
            look_at(path[i], inputs, diagnostics, &bytes);
        assert_int_equal(count_descriptors() - before, share);
        mp_inputs_free(inputs);
        assert_int_equal(count_descriptors(), before);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
    }
    for (size_t i = 0; i < FILES; i++)
        unlink(path[i]);
    rmdir(folder);
    mp_diagnostics_free(diagnostics);
}

/* The beginning of a pipe is remembered. If no more than this was read, the pipe can be read again
 * from its start. */
static void a_pipe_starts_again_as_long_as_it_is_remembered(void **unused)
{
    (void)unused;
    enum { PIECE = 4096, PIECES = 1200 }; /* more than the 4 MiB that are remembered */
    static char piece[PIECE];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    mp_stream *stream = mp_stream_of_file(ends[0]);
    for (int i = 0; i < PIECES; i++) {
        memset(piece, 'a' + i % 26, sizeof piece);
        assert_int_equal(write(ends[1], piece, sizeof piece), sizeof piece);
        if (i == 1) {
            assert_true(mp_stream_restart(stream));
            assert_int_equal(mp_stream_read(stream, piece, sizeof piece), sizeof piece);
            assert_int_equal(*piece, 'a');
        }
        assert_int_equal(mp_stream_read(stream, piece, sizeof piece), sizeof piece);
        assert_int_equal(*piece, 'a' + i % 26);
    }
    assert_false(mp_stream_restart(stream));
    assert_int_equal(errno, ESPIPE);
    close(ends[1]);
    mp_stream_close(stream);
}

static void what_cannot_be_opened_is_told(void **unused)
{
    (void)unused;
    static const struct {
        const char *path;
        mp_diagnostic_id id;
        const char *message;
    } cases[] = {
        {"/tmp/memprof-there-is-no/such-file", MP_DIAG_CANNOT_OPEN, "No such file"},
        {"", MP_DIAG_CANNOT_OPEN, "No such file"},
        {"/", MP_DIAG_IS_DIRECTORY, "is a directory, expected a recording"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_diagnostics *diagnostics = mp_diagnostics_new(0);
        assert_null(mp_input_open(cases[i].path, diagnostics, NULL));
        const mp_diagnostic *found = find_diagnostic(diagnostics, cases[i].id);
        assert_non_null(found);
        assert_string_equal(found->path, cases[i].path);
        assert_non_null(strstr(found->message, cases[i].message));
        assert_int_equal(count_diagnostics(diagnostics), 1);
        mp_diagnostics_free(diagnostics);
    }
    mp_input_close(NULL);
}

/* The first page of a process is never mapped, so the kernel fails to read it. */
static void a_failing_read_is_told_once(void **unused)
{
    (void)unused;
    mp_diagnostics *diagnostics = mp_diagnostics_new(0);
    mp_input *input = mp_input_open("/proc/self/mem", diagnostics, NULL);
    mp_slice line;
    if (!input) {
        mp_diagnostics_free(diagnostics);
        skip();
    }
    assert_false(mp_input_line(input, &line));
    assert_false(mp_input_line(input, &line));
    assert_int_equal(mp_diagnostics_count(diagnostics, MP_DIAG_CANNOT_READ), 1);
    assert_int_equal(count_diagnostics(diagnostics), 1);
    mp_input_close(input);
    mp_diagnostics_free(diagnostics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_do_not_depend_on_the_window),
        cmocka_unit_test(nul_bytes_are_bytes),
        cmocka_unit_test(long_and_short_lines_keep_their_bytes),
        cmocka_unit_test(a_line_over_the_limit_is_skipped),
        cmocka_unit_test(look_ahead_consumes_nothing),
        cmocka_unit_test(a_file_is_read_and_its_progress_told),
        cmocka_unit_test(standard_input_is_a_dash),
        cmocka_unit_test(bytes_come_without_lines),
        cmocka_unit_test(bytes_behind_the_window_have_a_value),
        cmocka_unit_test(what_was_put_back_is_not_opened_again),
        cmocka_unit_test(few_files_stay_open),
        cmocka_unit_test(a_pipe_starts_again_as_long_as_it_is_remembered),
        cmocka_unit_test(what_cannot_be_opened_is_told),
        cmocka_unit_test(a_failing_read_is_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
