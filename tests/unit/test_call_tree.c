/* Building of the call tree: equal stacks become one node, and cycles are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diagnose.h"
#include "model/build.h"
#include "query/query.h"
#include "support/memory_reader.h"

/* Add symbols "a", "b", ... with start line 0; they are numbered from 1. "" adds a symbol without a
 * name. */
static void add_symbols(mp_model *model, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        *MP_ADD(&model->symbols) =
            (mp_symbol){.name = mp_model_intern_text(model, names[i]), .number = i + 1};
}

static void add_node(mp_model *model, uint32_t parent, uint32_t symbol, uint32_t line)
{
    *MP_ADD(&model->nodes) = (mp_node){.parent = {parent},
                                       .symbol = {symbol},
                                       .line = line,
                                       .defined = true,
                                       .number = model->nodes.count};
}

/* Check that parents come before their children and that every node is in the tree. */
static void check_tree(const mp_model *model)
{
    for (uint32_t i = 1; i < model->tree.count; i++)
        assert_true(model->tree.items[i].parent < i);
    for (uint32_t i = 1; i < model->nodes.count; i++)
        assert_in_range(model->tree_of[i], 1, model->tree.count - 1);
}

static void equal_stacks_are_one_node(void **unused)
{
    (void)unused;
    static const char *const names[] = {"a", "b", "a", "b", "", ""};
    mp_diagnostics *diagnostics = mp_diagnostics_new(0);
    mp_model *model = mp_model_new();
    add_symbols(model, names, 6);
    model->symbols.items[4].start_line = 7;
    add_node(model, 0, 1, 0); /* 1: a */
    add_node(model, 1, 2, 5); /* 2: a:5 > b */
    add_node(model, 0, 3, 0); /* 3: a with another number; it equals 1 */
    add_node(model, 3, 2, 5); /* 4: equals 2 */
    add_node(model, 3, 2, 6); /* 5: another line */
    add_node(model, 3, 4, 5); /* 6: a b that starts at line 7 */
    add_node(model, 8, 2, 5); /* 7: defined before its parent; it equals 2 */
    add_node(model, 0, 1, 0); /* 8: equals 1 */
    add_node(model, 0, 2, 5); /* 9: b, but at the root */
    add_node(model, 1, 5, 1); /* 10: no name */
    add_node(model, 1, 6, 1); /* 11: also without a name, but another symbol */
    add_node(model, 1, 5, 1); /* 12: equals 10 */
    mp_model_build_tree(model, diagnostics);
    static const uint32_t as[] = {0, 1, 2, 1, 2, 5, 6, 2, 1, 9, 10, 11, 10};
    assert_int_equal(model->tree.count, 1 + 7);
    check_tree(model);
    for (uint32_t i = 1; i <= 12; i++)
        for (uint32_t k = 1; k <= 12; k++)
            assert_int_equal(model->tree_of[i] == model->tree_of[k], as[i] == as[k]);
    assert_int_equal(model->tree.items[model->tree_of[7]].parent, model->tree_of[1]);
    assert_int_equal(count_diagnostics(diagnostics), 0);
    mp_model_free(model);
    mp_diagnostics_free(diagnostics);
}

static void nodes_that_nobody_defined_stay_apart(void **unused)
{
    (void)unused;
    mp_diagnostics *diagnostics = mp_diagnostics_new(0);
    mp_model *model = mp_model_new();
    *MP_ADD(&model->nodes) = (mp_node){.number = 70};
    *MP_ADD(&model->nodes) = (mp_node){.number = 71};
    mp_model_build_tree(model, diagnostics);
    assert_int_equal(model->tree.count, 3);
    assert_int_not_equal(model->tree_of[1], model->tree_of[2]);
    mp_model_free(model);
    mp_diagnostics_free(diagnostics);
}

static void cycles_are_cut(void **unused)
{
    (void)unused;
    static const char *const names[] = {"a", "b", "c"};
    static const struct {
        uint32_t parents[4]; /* parents of nodes 1 to 4 */
        uint64_t cycles;
    } cases[] = {
        {{0, 1, 2, 3}, 0}, {{1, 0, 0, 0}, 1}, {{2, 1, 0, 0}, 1}, {{3, 1, 2, 3}, 1},
        {{4, 1, 2, 3}, 1}, {{1, 2, 3, 4}, 4}, {{2, 1, 4, 3}, 2}, {{4, 4, 4, 4}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_diagnostics *diagnostics = mp_diagnostics_new(0);
        mp_model *model = mp_model_new();
        add_symbols(model, names, 3);
        for (uint32_t k = 0; k < 4; k++)
            add_node(model, cases[i].parents[k], k % 3 + 1, k + 1);
        mp_model_build_tree(model, diagnostics);
        check_tree(model);
        assert_int_equal(mp_diagnostics_count(diagnostics, MP_DIAG_NODE_CYCLE), cases[i].cycles);
        for (uint32_t k = 1; k <= 4; k++) { /* every stack ends */
            mp_frame frame = {model->tree_of[k], 0};
            unsigned depth = 0;
            while (mp_frame_caller(model, &frame))
                assert_in_range(++depth, 1, 4);
        }
        mp_model_free(model);
        mp_diagnostics_free(diagnostics);
    }
}

/* Children are defined before their parents, and the tree is a million levels deep. It must be
 * built without recursion, and without a walk up each stack. */
static void stacks_may_be_a_million_deep(void **unused)
{
    (void)unused;
    static const char *const names[] = {"a"};
    enum { DEPTH = 1000000 };
    mp_diagnostics *diagnostics = mp_diagnostics_new(0);
    mp_model *model = mp_model_new();
    add_symbols(model, names, 1);
    for (uint32_t i = 1; i <= DEPTH; i++)
        add_node(model, i < DEPTH ? i + 1 : 0, 1, 3);
    mp_model_build_tree(model, diagnostics);
    assert_int_equal(model->tree.count, 1 + DEPTH);
    for (uint32_t i = 1; i <= DEPTH; i++)
        assert_int_equal(model->tree_of[i], DEPTH + 1 - i);
    mp_model_free(model);
    mp_diagnostics_free(diagnostics);
}

static void an_empty_model_has_an_empty_tree(void **unused)
{
    (void)unused;
    mp_diagnostics *diagnostics = mp_diagnostics_new(0);
    mp_model *model = mp_model_new();
    mp_model_build_tree(model, diagnostics);
    assert_int_equal(model->tree.count, 1);
    mp_model_free(model);
    mp_diagnostics_free(diagnostics);
}

static void strings_are_interned(void **unused)
{
    (void)unused;
    mp_model *model = mp_model_new();
    char text[20];
    assert_int_equal(mp_model_intern_text(model, "").i, 0);
    assert_string_equal(mp_model_text(model, (mp_string_id){0}), "");
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 1; i <= 20000; i++) {
            snprintf(text, sizeof text, "text %u", i);
            assert_int_equal(mp_model_intern_text(model, text).i, i);
        }
    assert_string_equal(mp_model_text(model, (mp_string_id){777}), "text 777");
    mp_string_id good = mp_model_intern(model, (mp_slice){"Z\xc3\xbcrich", 7});
    assert_false(model->converted);
    assert_int_equal(mp_model_intern(model, (mp_slice){"Z\xfcrich", 6}).i, good.i);
    assert_true(model->converted);
    /* NUL is replaced in the converted text. */
    assert_string_equal(mp_model_text(model, mp_model_intern(model, (mp_slice){"a\0\xfc", 3})),
                        "a\xe2\x90\x80\xc3\xbc");
    mp_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_stacks_are_one_node),
        cmocka_unit_test(nodes_that_nobody_defined_stay_apart),
        cmocka_unit_test(cycles_are_cut),
        cmocka_unit_test(stacks_may_be_a_million_deep),
        cmocka_unit_test(an_empty_model_has_an_empty_tree),
        cmocka_unit_test(strings_are_interned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
