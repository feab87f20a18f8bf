/* heaptrack recordings: lines, stacks and blocks; also damaged lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "query/query.h"
#include "readers/heaptrack.h"
#include "support/memory_reader.h"

#define NAME "app.heaptrack"

extern const mp_reader mp_reader_heaptrack;

/* Stack 3 is malloc, called by parse, which is inlined into serve, called by main. */
#define HEAD "v 10400 3\nX ./app --all\nI 1000 5e298f\n"
#define TABLES                                                                                     \
    "s 8 /bin/app\ns 4 main\ns 7 /a/m.cc\ni 55d0 1 2 3 1f\nt 1 0\n"                                \
    "s 5 serve\ns 5 parse\ni 55e0 1 5 3 b 4 3 c\nt 2 1\ns 9 /lib/c.so\ni 7f00 6\nt 3 2\n"
#define END "\n# strings: 6\n# ips: 3\n"

/* Of kind 0, 3 blocks of 16 bytes are allocated and 2 remain; of kind 1, one is allocated and none
 * remains. Calculated by hand, the peak is 3 * 16 + 100. */
static const char whole[] =
    HEAD TABLES "a 10 3\na 64 2\n+ 0\nc a\n+ 0\n+ 0\n+ 1\n- 1\nc 1e\n- 0\nc 28\nR 3e8\n" END;

static void check_stack(const mp_model *model)
{
    static const struct {
        const char *name;
        uint32_t line; /* line at which the caller calls it */
    } stack[] = {{"[c.so]", 11}, {"parse", 12}, {"serve", 31}, {"main", 0}};
    const mp_context *context = NULL;
    for (uint32_t i = 1; i < model->contexts.count && !context; i++)
        if (model->contexts.items[i].node.i)
            context = &model->contexts.items[i];
    assert_non_null(context);
    assert_int_equal(context->line, MP_NO_LINE);
    uint32_t place = model->tree_of[context->node.i];
    for (size_t i = 0; i < sizeof stack / sizeof *stack; i++) {
        const mp_tree_node *node = &model->tree.items[place];
        const mp_symbol *symbol = &model->symbols.items[node->symbol.i];
        assert_string_equal(mp_model_text(model, symbol->name), stack[i].name);
        assert_string_equal(mp_model_text(model, symbol->source), i ? "/a/m.cc" : "");
        assert_string_equal(mp_model_text(model, symbol->module), i ? "/bin/app" : "/lib/c.so");
        assert_int_equal(node->line, stack[i].line);
        place = node->parent;
    }
    assert_int_equal(place, 0);
}

static void a_recording_is_replayed(void **unused)
{
    (void)unused;
    static const size_t windows[] = {1, 7, 4096};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        reading r = read_text(&mp_reader_heaptrack, NAME, whole, windows[i]);
        const mp_model *model = r.model;
        assert_true(r.ok);
        assert_int_equal(count_diagnostics(r.diagnostics), 0);
        assert_int_equal(model->sessions.count, 2);
        assert_string_equal(mp_model_text(model, model->sessions.items[1].application),
                            "./app --all");
        /* The times are 10, 30 and 40 ms. So there are three slices, although ten are requested. */
        assert_int_equal(model->snapshots.count, 5);
        static const int64_t live[] = {0, 48, 48, 32}, time_us[] = {0, 13333, 26666, 40000};
        for (int k = 0; k < 4; k++) {
            assert_int_equal(model->snapshots.items[k + 1].live_bytes, live[k]);
            assert_int_equal(model->snapshots.items[k + 1].time_us, time_us[k]);
        }
        assert_int_equal(model->snapshots.items[2].peak_bytes, 148);
        assert_int_equal(model->snapshots.items[2].created_objects, 4);
        assert_int_equal(model->events->crawls, 2);
        assert_int_equal(model->inputs.items[1].records, 6);
        assert_int_equal(model->inputs.items[1].format_version, 3);
        assert_true(model->inputs.items[1].complete);
        check_stack(model);
        reading_free(&r);
    }
}

static void versions_differ_in_strings(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "v 10000 1\ns my file\ns f (int)\ni 1 1 2\nt 1 0\na 8 1\n+ 0\n# strings: 2\n# ips: 1\n",
        "v 10200\ns my file\ns f (int)\ni 1 1 2\nt 1 0\na 8 1\n+ 0\n# strings: 2\n# ips: 1\n",
        "v 10400 3\ns 7 my file\ns 7 f (int)\ni 1 1 2\nt 1 0\na 8 1\n+ 0\n# strings: 2\n# ips: 1\n",
        ("v 10400 3\r\ns 7 my file\r\ns 7 f (int)\r\ni 1 1 2\r\nt 1 0\r\na 8 1\r\n+ 0\r\n"
         "# strings: 2\r\n# ips: 1\r\n"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        reading r = read_text(&mp_reader_heaptrack, NAME, texts[i], 4096);
        assert_true(r.ok);
        assert_int_equal(count_diagnostics(r.diagnostics), 0);
        const mp_symbol *symbol = &r.model->symbols.items[1];
        assert_string_equal(mp_model_text(r.model, symbol->name), "f (int)");
        assert_string_equal(mp_model_text(r.model, symbol->module), "my file");
        reading_free(&r);
    }
}

/* A line that replaces another; the diagnostic for it; the live bytes at the end, which are 32 for
 * the unchanged file. */
static void damage_is_reported(void **unused)
{
    (void)unused;
    static const struct {
        const char *what, *by;
        mp_diagnostic_id id;
        int64_t live;
    } cases[] = {
        {"+ 1\n", "+ 2\n", MP_DIAG_BAD_ROW, 32},
        {"+ 1\n", "+ \n", MP_DIAG_BAD_ROW, 32},
        {"+ 1\n", "+ 1 1\n", MP_DIAG_BAD_ROW, 32},
        {"+ 1\n", "+1\n", MP_DIAG_BAD_ROW, 32},
        {"+ 1\n", "", MP_DIAG_DELETE_UNKNOWN, 32},
        {"a 64 2\n", "a 64\n", MP_DIAG_BAD_ROW, 32},
        {"a 64 2\n", "a 64 9\n", MP_DIAG_UNDEFINED_NODE, 32},
        {"a 10 3\n", "a fffffffffffffff0 3\n", MP_DIAG_BAD_ROW, 0},
        {"t 3 2\n", "t 3 3\n", MP_DIAG_PARENT_ORDER, 32},
        {"t 3 2\n", "t 9 2\n", MP_DIAG_UNDEFINED_NODE, 32},
        {"t 3 2\n", "t 3\n", MP_DIAG_BAD_ROW, 32},
        {"i 7f00 6\n", "i\n", MP_DIAG_BAD_ROW, 32},
        {"i 7f00 6\n", "i 7f00 7\n", MP_DIAG_UNDEFINED_NAME, 32},
        {"i 7f00 6\n", "i 7f00 6 2 3 x\n", MP_DIAG_BAD_ROW, 32},
        {"s 5 serve\n", "s 6 serve\n", MP_DIAG_BAD_ROW, 32},
        {"s 5 serve\n", "s\n", MP_DIAG_BAD_ROW, 32},
        {"s 5 serve\n", "s ffffffffffffffff\n", MP_DIAG_BAD_ROW, 32},
        {"s 5 serve\n", "s 5 ser\nve\n", MP_DIAG_BAD_ROW, 32},
        {"c 1e\n", "c 9\n", MP_DIAG_BAD_ROW, 32},
        {"c 1e\n", "c\n", MP_DIAG_BAD_ROW, 32},
        {"c 1e\n", "c ffffffffffffffff\n", MP_DIAG_BAD_ROW, 32},
        {"c 1e\n", "z 1\n", MP_DIAG_BAD_ROW, 32},
        {"# strings: 6", "# strings: 7", MP_DIAG_BAD_ROW, 32},
        {"# ips: 3", "# ips: three", MP_DIAG_BAD_ROW, 32},
        {"# ips: 3", "# nothing", MP_DIAG_TORN, 32},
        {"# ips: 3\n", "# ips: 3", MP_DIAG_TORN, 32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = replaced(whole, cases[i].what, cases[i].by);
        reading r = read_text(&mp_reader_heaptrack, NAME, text, 4096);
        assert_true(r.ok);
        assert_non_null(find_diagnostic(r.diagnostics, cases[i].id));
        const mp_snapshot *last = &r.model->snapshots.items[r.model->snapshots.count - 1];
        assert_int_equal(last->live_bytes, cases[i].live);
        reading_free(&r);
        free(text);
    }
}

/* The last line of a long file is at the end of the memory in which the last time is searched. */
static void last_line_of_long_file_is_a_time(void **unused)
{
    (void)unused;
    enum { LINES = 10000 };
    mp_text_buffer text = {0};
    const char head[] = "v 10400 3\na 10 0\n+ 0\n", comment[] = "# a line\n", end[] = "+ 0\nc 5\n";
    mp_text_put(&text, head, strlen(head));
    for (unsigned i = 0; i < LINES; i++)
        mp_text_put(&text, comment, strlen(comment));
    mp_text_put(&text, end, strlen(end));
    reading r = read_bytes(&mp_reader_heaptrack, NAME, text.text, text.length, 4096);
    assert_true(r.ok);
    const mp_snapshot *last = &r.model->snapshots.items[r.model->snapshots.count - 1];
    assert_int_equal(last->time_us, 5000);
    assert_int_equal(last->live_bytes, 32);
    reading_free(&r);
    free(text.text);
}

static void deep_stacks_are_cut(void **unused)
{
    (void)unused;
    mp_text_buffer text = {0};
    char line[64];
    const char head[] = "v 10400 3\ns 1 f\ni 1 0 1\n", end[] = "+ 0\n# strings: 1\n# ips: 1\n";
    mp_text_put(&text, head, strlen(head));
    for (unsigned i = 0; i < 2 * HEAPTRACK_FRAMES; i++) {
        snprintf(line, sizeof line, "t 1 %x\n", i);
        mp_text_put(&text, line, strlen(line));
    }
    snprintf(line, sizeof line, "a 10 %x\n", 2u * HEAPTRACK_FRAMES);
    mp_text_put(&text, line, strlen(line));
    mp_text_put(&text, end, strlen(end));
    reading r = read_bytes(&mp_reader_heaptrack, NAME, text.text, text.length, 4096);
    assert_true(r.ok);
    assert_int_equal(r.model->tree.count, HEAPTRACK_FRAMES + 1);
    assert_int_equal(count_diagnostics(r.diagnostics), 1);
    const mp_diagnostic *cut = find_diagnostic(r.diagnostics, MP_DIAG_BAD_ROW);
    assert_non_null(strstr(cut->message, "4096 frames"));
    reading_free(&r);
    free(text.text);
}

static void inlined_functions_are_cut(void **unused)
{
    (void)unused;
    mp_text_buffer text = {0};
    const char head[] = "v 10400 3\ns 1 f\ni 1 0 1 0 5", end[] = "\nt 1 0\na 10 1\n+ 0\n# strings: "
                                                                 "1\n# ips: 1\n";
    mp_text_put(&text, head, strlen(head));
    for (unsigned i = 0; i < HEAPTRACK_INLINED; i++)
        mp_text_put(&text, " 1 0 6", 6);
    mp_text_put(&text, end, strlen(end));
    reading r = read_bytes(&mp_reader_heaptrack, NAME, text.text, text.length, 4096);
    assert_true(r.ok);
    assert_int_equal(r.model->tree.count, HEAPTRACK_INLINED + 1);
    assert_non_null(find_diagnostic(r.diagnostics, MP_DIAG_BAD_ROW));
    reading_free(&r);
    free(text.text);
}

static void what_is_no_recording(void **unused)
{
    (void)unused;
    static const char *const foreign[] = {"v 10400\nx c /bin/program\n",
                                          "v 10400 3\nm 1 -\n",
                                          "v x\n",
                                          "v 10400 3 3\n",
                                          "",
                                          "verse 1\n"};
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        assert_int_equal(mp_reader_heaptrack.probe(mp_slice_of(foreign[i])), MP_NOT_MINE);
    assert_int_equal(mp_reader_heaptrack.probe(mp_slice_of(whole)), MP_MINE);
    static const struct {
        const char *text;
        mp_diagnostic_id id;
    } refused[] = {{"v 10500 4\n+ 0\n", MP_DIAG_UNSUPPORTED_VERSION},
                   {"v 10100\n+ 0\n", MP_DIAG_UNSUPPORTED_VERSION},
                   {HEAD TABLES END, MP_DIAG_NOTHING_USABLE}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        reading r = read_text(&mp_reader_heaptrack, NAME, refused[i].text, 4096);
        assert_false(r.ok);
        assert_non_null(find_diagnostic(r.diagnostics, refused[i].id));
        reading_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_is_replayed),
        cmocka_unit_test(versions_differ_in_strings),
        cmocka_unit_test(damage_is_reported),
        cmocka_unit_test(last_line_of_long_file_is_a_time),
        cmocka_unit_test(deep_stacks_are_cut),
        cmocka_unit_test(inlined_functions_are_cut),
        cmocka_unit_test(what_is_no_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
