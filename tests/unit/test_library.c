/* The library as programs use it: what tests/library/example.c leaves out. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "memprof/memprof.h"

static const char *const memory[] = {SAMPLES "/shop-v2.oemp"};
static const char *const events[] = {SAMPLES "/shop.taligent"};

static char *printed(const mp_document *document, const char *format, const mp_recording *recording)
{
    char *text;
    size_t length;
    mp_error error = {0};
    FILE *file = open_memstream(&text, &length);
    assert_true(mp_document_print(document, format, recording, file, &error));
    fclose(file);
    return text;
}

/* A device that takes nothing, and does not say why. */
static ssize_t take_nothing(void *opaque, const char *bytes, size_t size)
{
    (void)opaque;
    (void)bytes;
    (void)size;
    errno = 0;
    return 0;
}

static void a_write_that_failed_is_told_with_a_reason(void **unused)
{
    (void)unused;
    mp_error error = {0};
    mp_recording *recording = mp_recording_load(memory, 1, NULL);
    mp_document *top = mp_recording_ask(recording, "top", NULL, 0, &error);
    FILE *file = fopencookie(NULL, "w", (cookie_io_functions_t){.write = take_nothing});
    assert_false(mp_document_print(top, "json", recording, file, &error));
    assert_int_equal(error.code, MP_ERROR_OUTPUT);
    assert_null(strstr(error.text, strerror(0)));
    fclose(file);
    mp_document_free(top);
    mp_recording_free(recording);
}

static void an_answer_does_not_depend_on_the_callers_texts(void **unused)
{
    (void)unused;
    mp_error error = {0};
    char report[] = "top", by[] = "source", name[] = "by";
    mp_recording *recording = mp_recording_load(memory, 1, NULL);
    assert_true(mp_recording_is_usable(recording) && mp_recording_is_whole(recording));
    mp_document *top = mp_recording_ask(recording, report, &(mp_setting){name, by}, 1, &error);
    assert_non_null(top);
    char *before = printed(top, "json", recording);
    memset(report, 'X', sizeof report - 1);
    char *after = printed(top, "json", recording);
    assert_string_equal(before, after);
    assert_non_null(strstr(after, "\"command\": \"top\""));
    free(before);
    free(after);
    mp_document_free(top);
    mp_recording_free(recording);
}

/* Tables are those of the JSON output, values those of their rows. */
static void an_answer_can_be_walked(void **unused)
{
    (void)unused;
    mp_error error = {0};
    mp_recording *recording = mp_recording_load(memory, 1, NULL);
    const mp_setting settings[] = {{"limit", "2"}, {"max-live", "1G"}};
    mp_document *leaks = mp_recording_ask(recording, "leaks", settings, 2, &error);
    const mp_table *main_table = mp_document_main_table(leaks), *table = NULL;
    for (size_t i = 0; i < mp_document_table_count(leaks); i++)
        if (strcmp(mp_table_name(mp_document_table_at(leaks, i)), "leaks") == 0)
            table = mp_document_table_at(leaks, i);
    assert_ptr_equal(table, main_table);
    assert_ptr_equal(table, mp_document_find(leaks, "leaks"));
    assert_null(mp_document_find(leaks, "nothing"));
    assert_int_equal(mp_table_row_count(table), 2);
    assert_int_equal(mp_table_rows_left_out(table), 1); /* the sample has three leaks */
    size_t columns = mp_table_column_count(table), bytes = mp_table_column_find(table, "bytes");
    assert_int_equal(mp_table_column_find(table, "nothing"), columns);
    assert_string_equal(mp_table_column_name(table, bytes), "bytes");
    assert_int_equal(mp_table_column_unit(table, bytes), MP_BYTES);
    assert_true(mp_table_value(table, 0, bytes).number > mp_table_value(table, 1, bytes).number);
    assert_true(mp_table_is_record(mp_document_find(leaks, "totals")));
    size_t count;
    const mp_check *checks = mp_document_checks(leaks, &count);
    assert_int_equal(count, 1);
    assert_string_equal(checks[0].name, "max-live");
    assert_int_equal(mp_document_verdict(leaks), MP_VERDICT_PASS);
    /* People who read it are told of settings as programs name them: without dashes. */
    char *text = printed(leaks, "text", recording);
    assert_non_null(strstr(text, "1 more (limit 0 shows all)"));
    free(text);
    mp_document_free(leaks);
    mp_recording_free(recording);
}

static void what_cannot_be_done_is_said(void **unused)
{
    (void)unused;
    const struct {
        const char *report, *name, *value, *line;
    } cases[] = {
        {"tops", "by", "type", "report tops: there is no such report"},
        {"top", "by", "colour", NULL},
        {"leaks", "depth", "2", "leaks does not use depth"},
        {"gate", "by", "type", NULL},
        {"diff", "from", "1", "base: diff needs one, expected a path"},
        {"diff", "base", "/nowhere/at.all",
         "/nowhere/at.all: error: cannot open: No such file or directory"},
        {"diff", "base", SAMPLES "/shop.policy",
         SAMPLES "/shop.policy: error: looks like a text file of another kind, expected a "
                 "recording that memprof reads (see memprof formats)"},
        {"diff", "base", SAMPLES "/shop-v4.prf", NULL},
        {"top", "limit", "many", NULL},
    };
    mp_recording *recording = mp_recording_load(memory, 1, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[1200] = "";
        mp_error error = {0};
        const mp_setting setting = {cases[i].name, cases[i].value};
        assert_null(mp_recording_ask(recording, cases[i].report, &setting, 1, &error));
        assert_int_not_equal(error.code, MP_ERROR_NONE);
        mp_error_line(&error, "", line, sizeof line);
        assert_true(*line && !strstr(line, "--"));
        if (cases[i].line)
            assert_string_equal(line, cases[i].line);
    }
    mp_error error = {0};
    mp_document *top = mp_recording_ask(recording, "top", NULL, 0, &error);
    assert_false(mp_document_print(top, "paper", recording, stdout, &error));
    assert_null(mp_recording_export(recording, "aqtime", "/nowhere/at.all", &error));
    assert_null(mp_recording_export(recording, "dhat", "/dev/null", &error));
    assert_string_equal(error.text, "the recording was loaded without keep_ages");
    mp_document *massif = mp_recording_export(recording, "massif", "/dev/null", &error);
    assert_non_null(massif);
    mp_document_free(massif);
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        assert_false(mp_document_print(top, "csv", recording, full, &error));
        assert_int_equal(error.code, MP_ERROR_OUTPUT);
        fclose(full);
    }
    mp_document_free(top);
    mp_recording_free(recording);
}

static void a_baseline_tells_how_its_recording_was_read(void **unused)
{
    (void)unused;
    char path[] = "/tmp/memprof-library-XXXXXX", line[1200];
    const char *const skips[] = {"TShop::*"};
    mp_error error = {0};
    mp_load_options options = {.skips = skips, .skip_count = 1};
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    mp_recording *skipping = mp_recording_load(events, 1, &options);
    mp_recording *plain = mp_recording_load(events, 1, NULL);
    const mp_setting settings[] = {{"policy", SAMPLES "/shop.policy"}, {"base", path}};
    assert_true(mp_recording_save_baseline(skipping, path, NULL, 0, &error));
    mp_document *gate = mp_recording_ask(skipping, "gate", settings, 2, &error);
    assert_non_null(gate);
    mp_document_free(gate);
    assert_null(mp_recording_ask(plain, "gate", settings, 2, &error));
    assert_non_null(strstr(mp_error_line(&error, "", line, sizeof line),
                           "was kept with --skip, and this run has none"));
    mp_recording_free(skipping);
    mp_recording_free(plain);
    unlink(path);
}

/* The last of three settings is "allow-torn". */
static void judged_if_allowed(mp_recording *recording, const mp_setting *settings, mp_error *error)
{
    for (size_t count = 2; count <= 3; count++) {
        size_t checks;
        mp_document *gate = mp_recording_ask(recording, "gate", settings, count, error);
        assert_non_null(gate);
        const mp_check *first = mp_document_checks(gate, &checks);
        assert_true(checks > 0);
        assert_true((first->verdict == MP_VERDICT_ERROR) == (count == 2));
        mp_document_free(gate);
    }
}

/* As on the command line: a gate judges what is whole, of both sides, unless it is told otherwise.
 */
static void a_torn_base_is_not_judged(void **unused)
{
    (void)unused;
    char path[] = "/tmp/memprof-library-XXXXXX", bytes[12000];
    mp_error error = {0};
    FILE *whole = fopen(memory[0], "r");
    size_t length = fread(bytes, 1, sizeof bytes, whole);
    fclose(whole);
    FILE *torn = fdopen(mkstemp(path), "w");
    assert_true(fwrite(bytes, 1, length, torn) == length && fclose(torn) == 0);
    mp_recording *recording = mp_recording_load(memory, 1, NULL);
    const mp_setting settings[] = {
        {"policy", SAMPLES "/shop.policy"}, {"base", path}, {"allow-torn", ""}};
    judged_if_allowed(recording, settings, &error);
    /* A baseline that is made of it says so, and is made only where that is allowed. */
    const char *of_torn[] = {path};
    mp_recording *breaking = mp_recording_load(of_torn, 1, NULL);
    char kept[] = "/tmp/memprof-library-XXXXXX";
    close(mkstemp(kept));
    unlink(kept);
    assert_false(mp_recording_save_baseline(breaking, kept, NULL, 0, &error));
    assert_int_not_equal(access(kept, F_OK), 0);
    assert_true(mp_recording_save_baseline(breaking, kept, &settings[2], 1, &error));
    mp_recording_free(breaking);
    const mp_setting by_kept[] = {
        {"policy", SAMPLES "/shop.policy"}, {"base", kept}, {"allow-torn", ""}};
    judged_if_allowed(recording, by_kept, &error);
    mp_recording_free(recording);
    unlink(kept);
    unlink(path);
}

static void bytes_are_held_against_a_baseline(void **unused)
{
    (void)unused;
    char path[] = "/tmp/memprof-library-XXXXXX", line[1200];
    mp_error error = {0};
    close(mkstemp(path));
    const mp_setting against = {"against", path};
    mp_recording *plain = mp_recording_load(memory, 1, NULL);
    mp_recording *summed = mp_recording_load(memory, 1, &(mp_load_options){.checksums = true});
    mp_recording *other = mp_recording_load(events, 1, &(mp_load_options){.checksums = true});
    assert_true(mp_recording_save_baseline(summed, path, NULL, 0, &error));
    assert_null(mp_recording_ask(plain, "check", &against, 1, &error));
    assert_string_equal(mp_error_line(&error, "", line, sizeof line),
                        "the recording was loaded without checksums");
    for (size_t i = 0; i < 2; i++) {
        mp_document *check = mp_recording_ask(i ? other : summed, "check", &against, 1, &error);
        const mp_table *table = mp_document_find(check, "against");
        mp_value status = mp_table_value(table, 0, mp_table_column_find(table, "status"));
        assert_string_equal(status.text, i ? "different" : "same");
        assert_int_equal(mp_document_verdict(check), i ? MP_VERDICT_FAIL : MP_VERDICT_PASS);
        mp_document_free(check);
    }
    mp_recording_free(other);
    mp_recording_free(summed);
    mp_recording_free(plain);
    unlink(path);
}

static void an_encoding_that_is_none_is_told(void **unused)
{
    (void)unused;
    const mp_diagnostic *kept;
    mp_recording *recording =
        mp_recording_load(memory, 1, &(mp_load_options){.encoding = "none-such"});
    assert_false(mp_recording_is_usable(recording) || mp_recording_is_whole(recording));
    assert_int_equal(mp_diagnostics_kept(mp_recording_diagnostics(recording), &kept), 1);
    assert_string_equal(kept[0].message, "there is no encoding \"none-such\": the name is unknown");
    mp_recording_free(recording);
    recording = mp_recording_load(memory, 1, &(mp_load_options){.encoding = "utf-8"});
    assert_true(mp_recording_is_usable(recording) && mp_recording_is_whole(recording));
    mp_recording_free(recording);
}

/* What the load options did not keep is refused, not made up. */
static void ages_are_kept_where_they_are_asked_for(void **unused)
{
    const char *path = SAMPLES "/shop-v2.oemp";
    mp_error error = {0};
    (void)unused;
    mp_recording *plain = mp_recording_load(&path, 1, NULL);
    assert_null(mp_recording_ask(plain, "lifetimes", NULL, 0, &error));
    char line[1200] = "";
    mp_error_line(&error, "", line, sizeof line);
    assert_string_equal(line, "the recording was loaded without keep_ages");
    mp_recording_free(plain);
    mp_recording *timed = mp_recording_load(&path, 1, &(mp_load_options){.keep_ages = true});
    mp_document *answer = mp_recording_ask(timed, "lifetimes", NULL, 0, &error);
    assert_non_null(answer);
    mp_document_free(answer);
    mp_recording_free(timed);
}

static void answers_can_be_merged(void **unused)
{
    (void)unused;
    const char *const names[] = {"one", "two"};
    mp_error error = {0};
    mp_recording *recording = mp_recording_load(memory, 1, NULL);
    mp_document *one = mp_recording_ask(recording, "leaks", NULL, 0, &error);
    const mp_document *const both[] = {one, one};
    mp_document *merged = mp_answers_merge(names, both, 2, 0);
    const mp_table *table = mp_document_find(merged, "leaks");
    assert_int_equal(mp_table_row_count(table),
                     2 * mp_table_row_count(mp_document_find(one, "leaks")));
    assert_string_equal(mp_table_value(table, 0, mp_table_column_find(table, "file")).text, "one");
    mp_document_free(merged);
    mp_document_free(one);
    mp_recording_free(recording);
}

/* A source is read when it is asked for; coverage is written in formats of its own. */
static void sources_and_coverage(void **unused)
{
    (void)unused;
    char *text = NULL;
    size_t length;
    mp_error error = {0};
    FILE *out = open_memstream(&text, &length);
    mp_recording *recording =
        mp_recording_load((const char *const[]){SAMPLES "/shop-v3.prf"}, 1, NULL);
    const mp_setting settings[] = {{"program", "Order.cls"}, {"sources", SAMPLES "/sources"}};
    mp_document *annotated = mp_recording_ask(recording, "annotate", settings, 2, &error);
    assert_non_null(annotated);
    assert_int_equal(mp_table_row_count(mp_document_find(annotated, "annotate")), 88);
    assert_null(mp_recording_ask(recording, "annotate", settings, 1, &error));
    assert_null(mp_recording_ask(recording, "annotate", settings + 1, 1, &error));
    const mp_setting limit = {"min-lines", "80%"};
    mp_document *coverage = mp_recording_ask(recording, "coverage", &limit, 1, &error);
    assert_int_equal(mp_document_verdict(coverage), MP_VERDICT_FAIL);
    assert_true(mp_document_print(coverage, "lcov", recording, out, &error));
    fclose(out);
    assert_non_null(strstr(text, "SF:shop/Order.cls\n"));
    free(text);
    mp_document_free(annotated);
    mp_document_free(coverage);
    mp_recording_free(recording);
}

/* 10,680 of the 19,000 bytes that leaked are order events: of the example in README.md. */
static void an_answer_opens_in_words(void **unused)
{
    (void)unused;
    mp_error error = {0};
    size_t count;
    mp_recording *recording = mp_recording_load(memory, 1, NULL);
    mp_document *whole = mp_recording_ask(recording, "analyze", NULL, 0, &error);
    const mp_said *said = mp_document_said(whole, &count);
    assert_true(count > 2);
    assert_string_equal(said[0].label, "Leaks");
    assert_int_equal(said[0].tone, MP_TONE_WORSE);
    assert_string_equal(said[1].label, "Worst leak");
    assert_non_null(strstr(said[1].text, "shop.OrderService:155"));
    assert_null(said[1].file);
    mp_document_free(whole);
    mp_recording_free(recording);
}

static bool has(const mp_document *document, const char *format, const mp_recording *recording,
                const char *wanted)
{
    char *text = printed(document, format, recording);
    bool found = strstr(text, wanted) != NULL;
    free(text);
    return found;
}

/* What draws has something to draw where the caller asked for it, and else says how to ask. */
static void figures_are_drawn_where_they_are_asked_for(void **unused)
{
    (void)unused;
    static const char *const drawn[] = {"treemap", "snapshots", "growth", "analyze"};
    const mp_setting draws = {"draws", ""};
    mp_error error = {0};
    char line[1200];
    mp_recording *recording = mp_recording_load(memory, 1, NULL);
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        mp_document *plain = mp_recording_ask(recording, drawn[i], NULL, 0, &error);
        mp_document *figured = mp_recording_ask(recording, drawn[i], &draws, 1, &error);
        assert_true(plain && figured);
        assert_true(has(figured, "svg", recording, "</svg>"));
        assert_true(has(figured, "html", recording, "<figure id="));
        assert_false(has(plain, "html", recording, "<figure id="));
        assert_false(mp_document_print(plain, "svg", recording, stdout, &error));
        mp_error_line(&error, "", line, sizeof line);
        assert_non_null(strstr(line, " was asked for no figures, expected the setting draws"));
        mp_document_free(plain);
        mp_document_free(figured);
    }
    mp_document *flame = mp_recording_ask(recording, "flame", NULL, 0, &error);
    assert_true(has(flame, "svg", recording, "</svg>")); /* it is a figure itself */
    mp_document_free(flame);
    mp_document *top = mp_recording_ask(recording, "top", &draws, 1, &error);
    assert_false(mp_document_print(top, "svg", recording, stdout, &error));
    assert_non_null(
        strstr(mp_error_line(&error, "", line, sizeof line), "top has nothing that is drawn"));
    mp_document_free(top);
    mp_recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_and_coverage),
        cmocka_unit_test(a_write_that_failed_is_told_with_a_reason),
        cmocka_unit_test(an_answer_does_not_depend_on_the_callers_texts),
        cmocka_unit_test(an_answer_can_be_walked),
        cmocka_unit_test(an_answer_opens_in_words),
        cmocka_unit_test(what_cannot_be_done_is_said),
        cmocka_unit_test(a_baseline_tells_how_its_recording_was_read),
        cmocka_unit_test(an_encoding_that_is_none_is_told),
        cmocka_unit_test(a_torn_base_is_not_judged),
        cmocka_unit_test(bytes_are_held_against_a_baseline),
        cmocka_unit_test(ages_are_kept_where_they_are_asked_for),
        cmocka_unit_test(answers_can_be_merged),
        cmocka_unit_test(figures_are_drawn_where_they_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
