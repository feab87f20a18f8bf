/* Parts of the library that the program of docs/library.md does not use. */
#include <errno.h>
#include <pthread.h>
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

static mp_session *session_of(const char *path)
{
    mp_session *session = mp_session_new();
    mp_session_add(session, path);
    return session;
}

static char *printed(const mp_document *document, const char *format, const mp_session *session)
{
    char *text;
    size_t length;
    mp_error error = {0};
    FILE *file = open_memstream(&text, &length);
    assert_true(mp_document_print(document, format, session, file, &error));
    fclose(file);
    return text;
}

/* a device that accepts no bytes and gives no reason */
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
    mp_session *session = session_of(memory[0]);
    mp_document *top = mp_session_ask(session, "top", NULL, 0, &error);
    FILE *file = fopencookie(NULL, "w", (cookie_io_functions_t){.write = take_nothing});
    assert_false(mp_document_print(top, "json", session, file, &error));
    assert_int_equal(error.code, MP_ERROR_OUTPUT);
    assert_null(strstr(error.text, strerror(0)));
    fclose(file);
    mp_document_free(top);
    mp_session_free(session);
}

static void an_answer_does_not_depend_on_the_callers_texts(void **unused)
{
    (void)unused;
    mp_error error = {0};
    char report[] = "top", by[] = "source", name[] = "by";
    mp_session *session = session_of(memory[0]);
    mp_document *top = mp_session_ask(session, report, &(mp_setting){name, by}, 1, &error);
    assert_true(top && mp_session_is_whole(session));
    char *before = printed(top, "json", session);
    memset(report, 'X', sizeof report - 1);
    char *after = printed(top, "json", session);
    assert_string_equal(before, after);
    assert_non_null(strstr(after, "\"command\": \"top\""));
    free(before);
    free(after);
    mp_document_free(top);
    mp_session_free(session);
}

/* A time may be set twice. Its text is needed only until the answer is released. */
static void a_later_question_does_not_depend_on_the_texts_of_an_earlier_one(void **unused)
{
    (void)unused;
    mp_error error = {0};
    mp_session *session = session_of(memory[0]);
    char *answers[2];
    for (int i = 0; i < 2; i++) {
        char *first = strdup("5min"), *since = strdup("90s"), *until = strdup("240s");
        const mp_setting settings[] = {{"since", first}, {"since", since}, {"until", until}};
        mp_document *top = mp_session_ask(session, "top", settings + !i, (size_t)(2 + i), &error);
        free(first);
        assert_non_null(top);
        answers[i] = printed(top, "json", session);
        mp_document_free(top);
        free(since);
        free(until);
    }
    assert_string_equal(answers[0], answers[1]);
    free(answers[0]);
    free(answers[1]);
    mp_session_free(session);
}

/* Tables are the same as in JSON output, and so are the values of their rows. */
static void an_answer_can_be_walked(void **unused)
{
    (void)unused;
    mp_error error = {0};
    mp_session *session = session_of(memory[0]);
    const mp_setting settings[] = {{"limit", "2"}, {"max-live", "1G"}};
    mp_document *leaks = mp_session_ask(session, "leaks", settings, 2, &error);
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
    /* in text for people, names of settings are written without dashes, as programs write them */
    char *text = printed(leaks, "text", session);
    assert_non_null(strstr(text, "1 more (limit 0 shows all)"));
    free(text);
    mp_document_free(leaks);
    mp_session_free(session);
}

static void what_cannot_be_done_is_said(void **unused)
{
    (void)unused;
    const struct {
        const char *report, *name, *value, *line;
    } cases[] = {
        {"tops", "by", "type", "report tops: unknown report"},
        {"top", "by", "colour", NULL},
        {"leaks", "depth", "2", "leaks does not use depth"},
        {"gate", "by", "type", NULL},
        {"diff", "from", "1", "base: diff needs one, expected a path"},
        {"diff", "base", "/nowhere/at.all",
         "/nowhere/at.all: error: cannot open: No such file or directory"},
        {"diff", "base", SAMPLES "/shop.policy",
         SAMPLES "/shop.policy:1: error: looks like a text file of another kind, expected a "
                 "recording that memprof reads (see memprof formats)"},
        {"diff", "base", SAMPLES "/shop-v4.prf", NULL},
        {"top", "limit", "many", NULL},
    };
    mp_session *session = session_of(memory[0]);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[1200] = "";
        mp_error error = {0};
        const mp_setting setting = {cases[i].name, cases[i].value};
        assert_null(mp_session_ask(session, cases[i].report, &setting, 1, &error));
        assert_int_not_equal(error.code, MP_ERROR_NONE);
        mp_error_line(&error, "", line, sizeof line);
        assert_true(*line && !strstr(line, "--"));
        if (cases[i].line)
            assert_string_equal(line, cases[i].line);
    }
    mp_error error = {0};
    mp_document *top = mp_session_ask(session, "top", NULL, 0, &error);
    assert_false(mp_document_print(top, "paper", session, stdout, &error));
    assert_null(mp_session_export(session, "aqtime", "/nowhere/at.all", NULL, 0, &error));
    static const char *const formats[] = {"massif", "dhat", "ndjson"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        mp_document *written = mp_session_export(session, formats[i], "/dev/null", NULL, 0, &error);
        assert_non_null(written);
        mp_document_free(written);
    }
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        assert_false(mp_document_print(top, "csv", session, full, &error));
        assert_int_equal(error.code, MP_ERROR_OUTPUT);
        fclose(full);
    }
    mp_document_free(top);
    mp_session_free(session);
}

static void a_baseline_tells_how_its_recording_was_read(void **unused)
{
    (void)unused;
    char path[] = "/tmp/memprof-library-XXXXXX", line[1200];
    mp_error error = {0};
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    mp_session *skipping = session_of(events[0]);
    assert_true(mp_session_set(skipping, "skip", "TShop::*", &error));
    mp_session *plain = session_of(events[0]);
    const mp_setting settings[] = {{"policy", SAMPLES "/shop.policy"}, {"base", path}};
    assert_true(mp_session_save_baseline(skipping, path, NULL, 0, &error));
    mp_document *gate = mp_session_ask(skipping, "gate", settings, 2, &error);
    assert_non_null(gate);
    mp_document_free(gate);
    assert_null(mp_session_ask(plain, "gate", settings, 2, &error));
    assert_non_null(strstr(mp_error_line(&error, "", line, sizeof line),
                           "was saved with --skip, but this run has none"));
    mp_session_free(skipping);
    mp_session_free(plain);
    unlink(path);
}

/* Judge with the settings. The last of the settings is "allow-torn". */
static void judged_if_allowed(mp_session *session, const mp_setting *settings, mp_error *error)
{
    for (size_t count = 2; count <= 3; count++) {
        size_t checks;
        mp_document *gate = mp_session_ask(session, "gate", settings, count, error);
        assert_non_null(gate);
        const mp_check *first = mp_document_checks(gate, &checks);
        assert_true(checks > 0);
        assert_true((first->verdict == MP_VERDICT_ERROR) == (count == 2));
        mp_document_free(gate);
    }
}

/* A gate judges only complete recordings and bases, unless truncated ones are allowed. The command
 * line does the same. */
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
    mp_session *session = session_of(memory[0]);
    const mp_setting settings[] = {
        {"policy", SAMPLES "/shop.policy"}, {"base", path}, {"allow-torn", ""}};
    judged_if_allowed(session, settings, &error);
    /* a baseline can be made from a truncated recording only if that is allowed, and it records the
     * truncation */
    mp_session *breaking = session_of(path);
    char kept[] = "/tmp/memprof-library-XXXXXX";
    close(mkstemp(kept));
    unlink(kept);
    assert_false(mp_session_save_baseline(breaking, kept, NULL, 0, &error));
    assert_int_not_equal(access(kept, F_OK), 0);
    assert_true(mp_session_save_baseline(breaking, kept, &settings[2], 1, &error));
    mp_session_free(breaking);
    const mp_setting by_kept[] = {
        {"policy", SAMPLES "/shop.policy"}, {"base", kept}, {"allow-torn", ""}};
    judged_if_allowed(session, by_kept, &error);
    mp_session_free(session);
    unlink(kept);
    unlink(path);
}

static void bytes_are_held_against_a_baseline(void **unused)
{
    (void)unused;
    char path[] = "/tmp/memprof-library-XXXXXX";
    mp_error error = {0};
    close(mkstemp(path));
    const mp_setting against = {"against", path};
    mp_session *same = session_of(memory[0]), *other = session_of(events[0]);
    assert_true(mp_session_save_baseline(same, path, NULL, 0, &error));
    for (size_t i = 0; i < 2; i++) {
        mp_document *check = mp_session_ask(i ? other : same, "check", &against, 1, &error);
        const mp_table *table = mp_document_find(check, "against");
        mp_value status = mp_table_value(table, 0, mp_table_column_find(table, "status"));
        assert_string_equal(status.text, i ? "different" : "same");
        assert_int_equal(mp_document_verdict(check), i ? MP_VERDICT_FAIL : MP_VERDICT_PASS);
        mp_document_free(check);
    }
    mp_session_free(other);
    mp_session_free(same);
    unlink(path);
}

/* A text that an option does not accept is refused at once. An unknown option is refused, too. */
static void options_are_set_by_name(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *text, *line;
    } bad[] = {
        {"encoding", "none-such",
         "encoding none-such: expected the name of an encoding such as CP1252 (iconv -l lists "
         "them)"},
        {"at", "soon", NULL},
        {"slices", "0", NULL},
        {"temporary", "0", NULL},
        {"reorder", "-1", NULL},
        {"skip", "", NULL},
        {"domain", "", NULL},
        {"listings", "/nowhere", NULL},
        {"input-format", "paper", NULL},
        {"group", "none", NULL},
        {"jobs", "0", NULL},
        {"max-nesting", "17", NULL},
        {"max-line", "-1", NULL},
        {"limit", "1", "limit: unknown reading option"},
    };
    static const char *const good[][2] = {
        {"encoding", "utf-8"}, {"at", "peak"},     {"slices", "10s"},    {"temporary", "250us"},
        {"reorder", "0"},      {"skip", "x*"},     {"no-skip", ""},      {"domain", "shop.exe"},
        {"listings", "/tmp"},  {"group", "agent"}, {"recursive", ""},    {"jobs", "2"},
        {"bytes", ""},         {"strict", ""},     {"max-nesting", "4"}, {"max-line", "1M"},
    };
    char line[1200];
    mp_session *session = mp_session_new();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mp_error error = {0};
        assert_false(mp_session_set(session, bad[i].name, bad[i].text, &error));
        mp_error_line(&error, "", line, sizeof line);
        if (bad[i].line)
            assert_string_equal(line, bad[i].line);
    }
    mp_error error = {0};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(mp_session_set(session, good[i][0], good[i][1], &error));
    assert_int_equal(error.code, MP_ERROR_NONE);
    mp_session_free(session);
}

/* A session reads the data that its question needs. A later question that needs more causes another
 * reading; a question that needs less does not. */
static void needs_are_those_of_the_questions(void **unused)
{
    (void)unused;
    static const char *const reports[] = {"info", "lifetimes", "leaks", "requests", "growth"};
    mp_error error = {0};
    mp_session *session = session_of(memory[0]);
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        mp_session *fresh = session_of(memory[0]);
        mp_document *first = mp_session_ask(fresh, reports[i], NULL, 0, &error);
        mp_document *later = mp_session_ask(session, reports[i], NULL, 0, &error);
        char *one = printed(first, "json", fresh), *other = printed(later, "json", session);
        assert_string_equal(one, other);
        free(one);
        free(other);
        mp_document_free(first);
        mp_document_free(later);
        mp_session_free(fresh);
    }
    mp_session_free(session);
}

/* a pipe can be read only once */
static void a_pipe_is_read_once(void **unused)
{
    (void)unused;
    int ends[2];
    char path[40], line[1200], bytes[4096];
    mp_error error = {0};
    assert_int_equal(pipe(ends), 0);
    FILE *whole = fopen(memory[0], "r");
    size_t length = 0, got;
    while ((got = fread(bytes, 1, sizeof bytes, whole)) > 0) {
        assert_int_equal(write(ends[1], bytes, got), got); /* a pipe has room for 64 KiB */
        length += got;
    }
    fclose(whole);
    close(ends[1]);
    assert_true(length > 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    mp_session *session = session_of(path);
    mp_document *info = mp_session_ask(session, "info", NULL, 0, &error);
    assert_non_null(info);
    assert_null(mp_session_ask(session, "lifetimes", NULL, 0, &error));
    assert_non_null(strstr(mp_error_line(&error, "", line, sizeof line),
                           "was read without what lifetimes needs, and cannot be read again"));
    mp_document_free(info);
    mp_session_free(session);
    close(ends[0]);
}

/* Files of a folder are analysed separately, and the answers are merged. With an option, the files
 * are read together instead. */
static void a_folder_is_asked_as_a_whole(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/memprof-folder-XXXXXX", links[2][64], line[1200];
    const char *const files[] = {"/shop-v2.oemp", "/shop-v1.oemp"};
    mp_error error = {0};
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < 2; i++) {
        char target[4096];
        snprintf(target, sizeof target, "%s%s", SAMPLES, files[i]);
        snprintf(links[i], sizeof links[i], "%s%s", folder, files[i]);
        assert_int_equal(symlink(target, links[i]), 0);
    }
    mp_session *session = session_of(folder);
    mp_document *leaks = mp_session_ask(session, "leaks", NULL, 0, &error);
    assert_non_null(leaks);
    const mp_table *table = mp_document_find(leaks, "leaks");
    assert_true(mp_table_column_find(table, "file") < mp_table_column_count(table));
    assert_null(mp_session_export(session, "massif", "/dev/null", NULL, 0, &error));
    assert_non_null(strstr(mp_error_line(&error, "", line, sizeof line),
                           "takes one recording, but got 2 separate ones"));
    mp_document *trend = mp_session_ask(session, "trend", NULL, 0, &error);
    assert_non_null(trend);
    assert_true(mp_session_set(session, "group", "all", &error));
    mp_document *info = mp_session_ask(session, "info", NULL, 0, &error);
    assert_non_null(info);
    mp_document_free(info);
    mp_document_free(trend);
    mp_document_free(leaks);
    mp_session_free(session);
    for (size_t i = 0; i < 2; i++)
        unlink(links[i]);
    rmdir(folder);
}

/* A limit is not judged if an input could not be read, in any report. */
static void an_unread_input_is_no_pass(void **unused)
{
    (void)unused;
    static const mp_setting limits[] = {{"max-slope", "1G"}, {"max-trend", "1G"}};
    static const char *const reports[] = {"trend", "leaks"};
    static const char *const builds[] = {SAMPLES "/shop-1.heap", SAMPLES "/shop-2.heap",
                                         SAMPLES "/shop-3.heap", SAMPLES "/shop-4.heap"};
    for (size_t i = 0; i < 2; i++)
        for (size_t missing = 0; missing < 2; missing++) {
            mp_error error = {0};
            mp_session *session = mp_session_new();
            for (size_t j = 0; j < (i ? 1 : 4); j++)
                mp_session_add(session, i ? memory[0] : builds[j]);
            if (missing)
                mp_session_add(session, "/no/such/file");
            mp_document *answer = mp_session_ask(session, reports[i], &limits[i], 1, &error);
            assert_non_null(answer);
            assert_int_equal(mp_document_verdict(answer),
                             missing ? MP_VERDICT_ERROR : MP_VERDICT_PASS);
            mp_document_free(answer);
            mp_session_free(session);
        }
}

/* If an input gives no answer, the reason is reported. */
static void what_cannot_be_read_is_said(void **unused)
{
    (void)unused;
    char line[1200];
    mp_error error = {0};
    mp_session *none = mp_session_new(), *missing = session_of("/nowhere/at.all");
    assert_false(mp_session_is_whole(none));
    assert_null(mp_session_ask(none, "leaks", NULL, 0, &error));
    assert_string_equal(error.text, "there is no input");
    assert_null(mp_session_ask(missing, "leaks", NULL, 0, &error));
    assert_string_equal(mp_error_line(&error, "", line, sizeof line),
                        "/nowhere/at.all: error: cannot open: No such file or directory");
    assert_false(mp_session_is_whole(missing));
    assert_null(mp_session_export(missing, "massif", "/dev/null", NULL, 0, &error));
    assert_int_equal(error.code, MP_ERROR_INPUT);
    assert_null(mp_session_export(missing, "paper", "/dev/null", NULL, 0, &error));
    mp_session_free(none);
    mp_session_free(missing);
}

/* The callback reports progress; if it returns false, reading ends. */
static bool count_calls(void *opaque, const char *path, uint64_t done, uint64_t total)
{
    unsigned *left = opaque;
    assert_true(*path && (done <= total || !total));
    *left -= *left > 0;
    return *left > 0;
}

static void reading_can_be_watched_and_cancelled(void **unused)
{
    (void)unused;
    unsigned many = 1000, few = 1;
    mp_error error = {0};
    mp_session *session = session_of(memory[0]);
    mp_session_watch(session, count_calls, &few);
    assert_null(mp_session_ask(session, "leaks", NULL, 0, &error));
    assert_int_equal(error.code, MP_ERROR_CANCELLED);
    assert_null(mp_session_export(session, "massif", "/dev/null", NULL, 0, &error));
    assert_int_equal(error.code, MP_ERROR_CANCELLED);
    mp_session_watch(session, count_calls, &many);
    mp_document *leaks = mp_session_ask(session, "leaks", NULL, 0, &error);
    assert_true(leaks && many < 1000 && mp_session_is_whole(session));
    mp_document_free(leaks);
    mp_session_free(session);
}

/* Sources are read if the caller requests it. Coverage is written in its own formats. */
static void sources_and_coverage(void **unused)
{
    (void)unused;
    char *text = NULL;
    size_t length;
    mp_error error = {0};
    FILE *out = open_memstream(&text, &length);
    mp_session *session = session_of(SAMPLES "/shop-v3.prf");
    const mp_setting settings[] = {{"program", "Order.cls"}, {"sources", SAMPLES "/sources"}};
    mp_document *annotated = mp_session_ask(session, "annotate", settings, 2, &error);
    assert_non_null(annotated);
    assert_int_equal(mp_table_row_count(mp_document_find(annotated, "annotate")), 88);
    assert_null(mp_session_ask(session, "annotate", settings, 1, &error));
    assert_null(mp_session_ask(session, "annotate", settings + 1, 1, &error));
    const mp_setting limit = {"min-lines", "80%"};
    mp_document *coverage = mp_session_ask(session, "coverage", &limit, 1, &error);
    assert_int_equal(mp_document_verdict(coverage), MP_VERDICT_FAIL);
    assert_true(mp_document_print(coverage, "lcov", session, out, &error));
    fclose(out);
    assert_non_null(strstr(text, "SF:shop/Order.cls\n"));
    free(text);
    mp_document_free(annotated);
    mp_document_free(coverage);
    mp_session_free(session);
}

/* 10,680 of the 19,000 leaked bytes are order events, as in the example of README.md. */
static void an_answer_opens_in_words(void **unused)
{
    (void)unused;
    mp_error error = {0};
    size_t count;
    mp_session *session = session_of(memory[0]);
    mp_document *whole = mp_session_ask(session, "analyze", NULL, 0, &error);
    const mp_said *said = mp_document_said(whole, &count);
    assert_true(count > 2);
    assert_string_equal(said[0].label, "Leaks");
    assert_int_equal(said[0].tone, MP_TONE_WORSE);
    assert_string_equal(said[1].label, "Worst leak");
    assert_non_null(strstr(said[1].text, "shop.OrderService:155"));
    assert_null(said[1].file);
    mp_document_free(whole);
    mp_session_free(session);
}

static bool has(const mp_document *document, const char *format, const mp_session *session,
                const char *wanted)
{
    char *text = printed(document, format, session);
    bool found = strstr(text, wanted) != NULL;
    free(text);
    return found;
}

/* Figures are made only if the caller asks for them. Otherwise the error says how to ask. */
static void figures_are_drawn_where_they_are_asked_for(void **unused)
{
    (void)unused;
    static const char *const drawn[] = {"treemap", "snapshots", "growth", "analyze"};
    const mp_setting draws = {"draws", ""};
    mp_error error = {0};
    char line[1200];
    mp_session *session = session_of(memory[0]);
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        mp_document *plain = mp_session_ask(session, drawn[i], NULL, 0, &error);
        mp_document *figured = mp_session_ask(session, drawn[i], &draws, 1, &error);
        assert_true(plain && figured);
        assert_true(has(figured, "svg", session, "</svg>"));
        assert_true(has(figured, "html", session, "<figure id="));
        assert_false(has(plain, "html", session, "<figure id="));
        assert_false(mp_document_print(plain, "svg", session, stdout, &error));
        mp_error_line(&error, "", line, sizeof line);
        assert_non_null(strstr(line, " was asked for no figures, expected the setting draws"));
        mp_document_free(plain);
        mp_document_free(figured);
    }
    mp_document *flame = mp_session_ask(session, "flame", NULL, 0, &error);
    assert_true(has(flame, "svg", session, "</svg>")); /* the answer is a figure */
    mp_document_free(flame);
    mp_document *top = mp_session_ask(session, "top", &draws, 1, &error);
    assert_false(mp_document_print(top, "svg", session, stdout, &error));
    assert_non_null(strstr(mp_error_line(&error, "", line, sizeof line), "top has no picture"));
    mp_document_free(top);
    mp_session_free(session);
}

/* --- inputs that are not files --- */

static char *whole_of(const char *path, size_t *length)
{
    FILE *file = fopen(path, "r");
    assert_true(file && fseek(file, 0, SEEK_END) == 0);
    *length = (size_t)ftell(file);
    char *bytes = malloc(*length);
    rewind(file);
    assert_true(bytes && fread(bytes, 1, *length, file) == *length);
    fclose(file);
    return bytes;
}

static void assert_same_answer(mp_session *session, const char *path, const char *report)
{
    mp_session *plain = session_of(path);
    mp_document *one = mp_session_ask(plain, report, NULL, 0, NULL);
    mp_document *other = mp_session_ask(session, report, NULL, 0, NULL);
    assert_string_equal(mp_session_error(session), "");
    char *wanted = printed(one, "csv", plain), *got = printed(other, "csv", session);
    assert_string_equal(got, wanted);
    free(wanted);
    free(got);
    mp_document_free(one);
    mp_document_free(other);
    mp_session_free(plain);
    mp_session_free(session);
}

static ptrdiff_t never(void *opaque, void *buffer, size_t size)
{
    (void)opaque, (void)buffer, (void)size;
    return -1;
}

static void inputs_need_no_path(void **unused)
{
    (void)unused;
    static const char *const paths[] = {SAMPLES "/shop-v2.oemp", SAMPLES "/shop-aqtime.sqlite"};
    for (size_t i = 0; i < 2; i++) {
        size_t length;
        char *bytes = whole_of(paths[i], &length);
        mp_session *session = mp_session_new();
        assert_true(mp_session_add_memory(session, "given", bytes, length, NULL));
        memset(bytes, 0, length);
        assert_same_answer(session, paths[i], "leaks");
        free(bytes);
        FILE *file = fopen(paths[i], "r");
        session = mp_session_new();
        assert_true(mp_session_add_descriptor(session, "given", fileno(file), NULL));
        fclose(file);
        assert_same_answer(session, paths[i], "top");
    }
    mp_session *session = mp_session_new();
    assert_false(mp_session_add_stream(session, "given", never, NULL, NULL));
    assert_string_equal(mp_session_error(session),
                        "given: error: cannot be read: who gives its bytes failed");
    assert_false(mp_session_add_descriptor(session, "given", -1, NULL));
    assert_true(mp_session_add_memory(session, "given", "no recording\n", 13, NULL));
    assert_null(mp_session_ask(session, "leaks", NULL, 0, NULL));
    assert_memory_equal(mp_session_error(session), "given:1: error: looks like ", 27);
    mp_session_free(session);
}

/* A member of an archive in memory is named after the archive. */
static void an_archive_can_be_in_memory(void **unused)
{
    (void)unused;
    char command[9000], path[] = "/tmp/memprof-archive-XXXXXX";
    size_t length;
    close(mkstemp(path));
    snprintf(command, sizeof command, "tar -C %s -cf %s shop-v1.oemp shop-v2.oemp", SAMPLES, path);
    assert_int_equal(system(command), 0); /* NOLINT(concurrency-mt-unsafe,cert-env33-c) */
    char *bytes = whole_of(path, &length);
    unlink(path);
    mp_session *session = mp_session_new();
    assert_true(mp_session_add_memory(session, "both.tar", bytes, length, NULL));
    free(bytes);
    mp_document *leaks = mp_session_ask(session, "leaks", NULL, 0, NULL);
    const mp_table *table = leaks ? mp_document_find(leaks, "leaks") : NULL;
    if (table) { /* a build without archives has none */
        const size_t file = mp_table_column_find(table, "file");
        assert_memory_equal(mp_table_value(table, 0, file).text, "both.tar:shop-v", 15);
        assert_memory_equal(mp_document_title(leaks), "both.tar: 2 recordings", 22);
    }
    mp_document_free(leaks);
    mp_session_free(session);
}

/* --- catalogues --- */

static bool take_bytes(void *opaque, const void *bytes, size_t length)
{
    return fwrite(bytes, 1, length, opaque) == length;
}

static bool take_none(void *opaque, const void *bytes, size_t length)
{
    (void)opaque, (void)bytes, (void)length;
    return false;
}

static void an_answer_is_written_by_a_function(void **unused)
{
    (void)unused;
    char *text = NULL;
    size_t length;
    mp_error error = {0};
    mp_session *session = session_of(memory[0]);
    mp_document *top = mp_session_ask(session, "top", NULL, 0, NULL);
    FILE *file = open_memstream(&text, &length);
    assert_true(mp_document_write(top, "json", session, take_bytes, file, NULL));
    fclose(file);
    char *wanted = printed(top, "json", session);
    assert_string_equal(text, wanted);
    assert_false(mp_document_write(top, "json", session, take_none, NULL, &error));
    assert_int_equal(error.code, MP_ERROR_OUTPUT);
    free(wanted);
    free(text);
    mp_document_free(top);
    mp_session_free(session);
}

static bool lists(mp_catalogue catalogue, const char *name)
{
    size_t place = 0;
    const char *cursor;
    while ((cursor = mp_catalogue_name(catalogue, place)) && strcmp(cursor, name) != 0)
        place++;
    return cursor ? *mp_catalogue_summary(catalogue, place) != '\0'
                  : mp_catalogue_summary(catalogue, place) != NULL;
}

static bool has_setting(const char *report, const char *name)
{
    const char *cursor;
    for (size_t place = 0; (cursor = mp_report_setting(report, place)); place++)
        if (strcmp(cursor, name) == 0)
            return true;
    return false;
}

static void what_there_is_is_listed(void **unused)
{
    (void)unused;
    assert_true(lists(MP_CATALOGUE_REPORTS, "leaks") && lists(MP_CATALOGUE_REPORTS, "trend"));
    assert_true(lists(MP_CATALOGUE_INPUT_FORMATS, "oemp"));
    assert_true(lists(MP_CATALOGUE_OUTPUT_FORMATS, "json"));
    assert_true(lists(MP_CATALOGUE_EXPORT_FORMATS, "massif"));
    assert_true(lists(MP_CATALOGUE_OPTIONS, "at") && lists(MP_CATALOGUE_OPTIONS, "strict"));
    assert_false(lists(MP_CATALOGUE_OPTIONS, "leaks"));
    assert_null(mp_catalogue_name((mp_catalogue)9, 0));
    assert_true(has_setting("leaks", "type") && has_setting("leaks", "until"));
    assert_true(has_setting("leaks", "limit") && has_setting("massif", "type"));
    assert_false(has_setting("leaks", "slices") || has_setting("nothing", "limit"));
    mp_session *session = session_of(memory[0]);
    mp_document *leaks = mp_session_ask(session, "leaks", NULL, 0, NULL);
    const mp_table *table = mp_document_find(leaks, "leaks");
    unsigned readers[3] = {0};
    for (size_t i = 0; i < mp_table_column_count(table); i++)
        readers[mp_table_column_audience(table, i)]++;
    assert_true(readers[MP_AUDIENCE_ALL] && readers[MP_AUDIENCE_PROGRAMS]);
    assert_string_equal(mp_table_column_title(table, mp_table_column_find(table, "bytes")),
                        "Left behind");
    mp_document_free(leaks);
    mp_session_free(session);
}

/* --- several sessions --- */

/* A question to a separate session, asked in a thread. */
typedef struct asking {
    const char *path, *report;
    char *alone, *text;
} asking;

static void *ask_and_print(void *opaque)
{
    asking *state = opaque;
    mp_session *session = session_of(state->path);
    mp_document *answer = mp_session_ask(session, state->report, NULL, 0, NULL);
    state->text = answer ? printed(answer, "json", session) : NULL;
    mp_document_free(answer);
    mp_session_free(session);
    return NULL;
}

/* Sessions share no state. A session gives the same answers alone, while other sessions have the
 * same files and archives open, and in threads. */
static void sessions_do_not_meet(void **unused)
{
    (void)unused;
    enum { ASKED = 6 };
    char archive[] = "/tmp/memprof-library-XXXXXX.tar", command[256];
    close(mkstemps(archive, 4));
    snprintf(command, sizeof command, "tar -cf %s -C " SAMPLES " shop-v1.oemp shop-v2.oemp",
             archive);
    assert_int_equal(system(command), 0);
    asking askings[ASKED] = {{.path = SAMPLES "/shop-v2.oemp", .report = "leaks"},
                             {.path = archive, .report = "top"},
                             {.path = SAMPLES "/shop-aqtime.sqlite", .report = "analyze"},
                             {.path = SAMPLES "/shop.taligent", .report = "leaks"},
                             {.path = archive, .report = "top"},
                             {.path = SAMPLES "/shop-v2.oemp", .report = "growth"}};
    mp_session *sessions[ASKED];
    mp_document *answers[ASKED];
    pthread_t threads[ASKED];
    for (size_t i = 0; i < ASKED; i++) {
        ask_and_print(&askings[i]);
        askings[i].alone = askings[i].text;
        assert_non_null(askings[i].alone);
    }
    for (size_t i = 0; i < ASKED; i++)
        sessions[i] = session_of(askings[i].path);
    for (size_t i = ASKED; i-- > 0;)
        answers[i] = mp_session_ask(sessions[i], askings[i].report, NULL, 0, NULL);
    for (size_t i = 0; i < ASKED; i++) {
        char *text = printed(answers[i], "json", sessions[i]);
        assert_string_equal(text, askings[i].alone);
        free(text);
        mp_document_free(answers[i]);
        mp_session_free(sessions[i]);
    }
    for (size_t i = 0; i < ASKED; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_and_print, &askings[i]), 0);
    for (size_t i = 0; i < ASKED; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < ASKED; i++) {
        assert_non_null(askings[i].text);
        assert_string_equal(askings[i].text, askings[i].alone);
        free(askings[i].text);
        free(askings[i].alone);
    }
    unlink(archive);
}

/* Input files are not overwritten. */
static void no_input_is_overwritten(void **unused)
{
    (void)unused;
    mp_error error = {0};
    mp_session *session = session_of(memory[0]);
    assert_null(mp_session_export(session, "ndjson", memory[0], NULL, 0, &error));
    assert_non_null(strstr(error.text, "is an input and would be overwritten"));
    error = (mp_error){0};
    assert_false(mp_session_save_baseline(session, memory[0], NULL, 0, &error));
    assert_non_null(strstr(error.text, "is an input and would be overwritten"));
    mp_session_free(session);
}

/* Write the bytes of a sample to a descriptor. A pipe has room for 64 KiB. */
static void copy_sample(const char *path, int to)
{
    char bytes[65536];
    FILE *sample = fopen(path, "r");
    const size_t length = fread(bytes, 1, sizeof bytes, sample);
    assert_int_equal(write(to, bytes, length), length);
    fclose(sample);
}

/* Check that the path to an object has the name of a reference. If `warning` is not NULL, check
 * that it has no name, for the reason in the warning. */
static void path_has_name(mp_session *session, const char *object, const char *name,
                          const char *warning)
{
    mp_error error = {0};
    const mp_setting setting = {"object", object};
    mp_document *path = mp_session_ask(session, "path", &setting, 1, &error);
    assert_non_null(path);
    char *text = printed(path, "json", session);
    assert_non_null(strstr(text, object));
    assert_int_equal(strstr(text, name) != NULL, !warning);
    assert_int_equal(strstr(text, "nameless-references") != NULL, warning != NULL);
    if (warning)
        assert_non_null(strstr(text, warning));
    free(text);
    mp_document_free(path);
}

/* Names of references are read when they are shown. They are read from the unchanged file, or not
 * at all. */
static void names_are_read_from_the_same_file(void **unused)
{
    (void)unused;
    char path[] = "/tmp/memprof-library-XXXXXX";
    const int file = mkstemp(path);
    copy_sample(SAMPLES "/shop-3.hprof", file);
    mp_session *session = session_of(path);
    path_has_name(session, "40301980", ".elementData", NULL);
    path_has_name(session, "40301980", ".elementData", NULL);
    assert_int_equal(write(file, "", 1), 1);
    path_has_name(session, "40301980", ".elementData", "was changed after it was read");
    unlink(path);
    path_has_name(session, "40301980", ".elementData", "cannot be opened again");
    mp_session_free(session);
    close(file);
}

/* Contents are also read when they are needed. Without them there is no answer. */
static void contents_are_read_from_the_same_file(void **unused)
{
    (void)unused;
    char path[] = "/tmp/memprof-library-XXXXXX";
    mp_error error = {0};
    const int file = mkstemp(path);
    copy_sample(SAMPLES "/shop-3.hprof", file);
    mp_session *session = session_of(path);
    mp_document *waste = mp_session_ask(session, "waste", NULL, 0, &error);
    assert_non_null(waste);
    char *text = printed(waste, "json", session);
    assert_non_null(strstr(text, "\"waste_bytes\": 5760")); /* 119 x 48 bytes, and 12 nulls */
    free(text);
    mp_document_free(waste);
    assert_int_equal(write(file, "", 1), 1);
    assert_null(mp_session_ask(session, "waste", NULL, 0, &error));
    assert_int_equal(error.code, MP_ERROR_NO_ANSWER);
    assert_non_null(strstr(error.text, "was changed after it was read"));
    unlink(path);
    mp_session_free(session);
    close(file);
}

static void names_are_read_from_a_pipe(void **unused)
{
    (void)unused;
    static const struct {
        const char *sample, *object, *name;
    } dumps[] = {{SAMPLES "/shop-3.heapsnapshot", "1001", ".listeners"},
                 {SAMPLES "/shop-3.hprof", "40301980", ".elementData"}};
    for (size_t i = 0; i < sizeof dumps / sizeof *dumps; i++) {
        int ends[2];
        char path[40];
        assert_int_equal(pipe(ends), 0);
        copy_sample(dumps[i].sample, ends[1]);
        close(ends[1]);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        mp_session *session = session_of(path);
        path_has_name(session, dumps[i].object, dumps[i].name, NULL);
        path_has_name(session, dumps[i].object, dumps[i].name, NULL);
        mp_session_free(session);
        close(ends[0]);
    }
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
        cmocka_unit_test(options_are_set_by_name),
        cmocka_unit_test(a_torn_base_is_not_judged),
        cmocka_unit_test(bytes_are_held_against_a_baseline),
        cmocka_unit_test(needs_are_those_of_the_questions),
        cmocka_unit_test(a_pipe_is_read_once),
        cmocka_unit_test(a_folder_is_asked_as_a_whole),
        cmocka_unit_test(an_unread_input_is_no_pass),
        cmocka_unit_test(what_cannot_be_read_is_said),
        cmocka_unit_test(inputs_need_no_path),
        cmocka_unit_test(an_archive_can_be_in_memory),
        cmocka_unit_test(an_answer_is_written_by_a_function),
        cmocka_unit_test(what_there_is_is_listed),
        cmocka_unit_test(reading_can_be_watched_and_cancelled),
        cmocka_unit_test(figures_are_drawn_where_they_are_asked_for),
        cmocka_unit_test(a_later_question_does_not_depend_on_the_texts_of_an_earlier_one),
        cmocka_unit_test(sessions_do_not_meet),
        cmocka_unit_test(no_input_is_overwritten),
        cmocka_unit_test(names_are_read_from_the_same_file),
        cmocka_unit_test(contents_are_read_from_the_same_file),
        cmocka_unit_test(names_are_read_from_a_pipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
