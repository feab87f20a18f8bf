/* Groupings of a heap by every dimension, and the order of their groups, with values calculated by
 * hand. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "query/query.h"
#include "support/memory_reader.h"
#include "unit/small_heap.h"

extern const mp_reader mp_reader_oemp, mp_reader_taligent;

static reading read_heap(const char *text)
{
    reading r = read_text(&mp_reader_oemp, "a.oemp", text, 4096);
    const mp_diagnostic *kept;
    if (mp_diagnostics_kept(r.diagnostics, &kept))
        print_error("%s\n", kept[0].message);
    assert_int_equal(count_diagnostics(r.diagnostics), 0);
    return r;
}

static mp_window window_of(const reading *r, const char *from, const char *to)
{
    mp_window window;
    mp_error error = {0};
    bool ok = mp_window_resolve(r->model, from, to, &window, &error);
    assert_string_equal(error.text, "");
    assert_true(ok);
    return window;
}

/* Return one line per group, ordered by label: "label: created-deleted=live/bytes, at `from`
 * live/bytes, leaked live/bytes, inclusive bytes". After this come all other figures that are not
 * 0. */
static char *dump_groups(const mp_grouping *grouping)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t i = 0; i < grouping->count; i++) {
        const mp_group *g = &grouping->groups[i];
        const mp_group_scope scope = mp_group_scope_of(grouping, g);
        fprintf(out, "%s: %" PRId64 "-%" PRId64 "=%" PRId64 "/%" PRId64, g->label, g->end.created,
                g->end.deleted, mp_cost_live(g->end), g->end.bytes);
        fprintf(out, ", from %" PRId64 "/%" PRId64, g->from_objects, g->from_bytes);
        fprintf(out, ", leaked %" PRId64 "/%" PRId64, g->leaked.objects, g->leaked.bytes);
        fprintf(out, ", incl %" PRId64, scope.inclusive_bytes);
        if (g->end.idle)
            fprintf(out, ", idle %" PRId64, g->end.idle);
        if (scope.pool_objects)
            fprintf(out, ", pool %" PRId64, scope.pool_objects);
        if (scope.owned_by_leak)
            fprintf(out, ", owned %" PRId64, scope.owned_by_leak);
        if (g->moments)
            fprintf(out, ", grew %u of %u in %u", g->grew, g->moments, g->grew_sessions);
        fprintf(out, "\n");
    }
    fclose(out);
    return text;
}

static void check_groups(const reading *r, const char *from, const char *to, const char *by,
                         const char *expected)
{
    mp_window window = window_of(r, from, to);
    const mp_dimension *dimension = mp_dimension_find(by);
    char *dumped =
        dump_groups(mp_window_groups(&window, dimension, MP_GROUPS_SCOPED | MP_GROUPS_GROWTH));
    assert_string_equal(dumped, expected);
    free(dumped);
    mp_window_free(&window);
}

/* Leaks up to snapshot 4: objects 5 and 6, born at 2, and object 9, born at 3. */
static const struct {
    const char *by, *expected;
} by_hand[] = {
    {"type", "Dynamic Query: 4-2=2/47, from 1/20, leaked 1/22, incl 47, pool 1, grew 1 of 2 in 1\n"
             "Procedure: 2-0=2/300, from 1/100, leaked 1/200, incl 350, grew 1 of 2 in 1\n"
             "Temp-table: 1-0=1/50, from 0/0, leaked 1/50, incl 50, idle 1, owned 1, "
             "grew 1 of 2 in 1\n"
             "Widget Pool: 1-0=1/10, from 1/10, leaked 0/0, incl 57\n"},
    /* The query of line 8 was deleted: its site has no live objects. */
    {"site",
     "Dynamic Query at order.p:5: 3-1=2/47, from 1/20, leaked 1/22, incl 47, pool 1, "
     "grew 1 of 2 in 1\n"
     "Dynamic Query at order.p:5: 1-1=0/0, from 0/0, leaked 0/0, incl 0\n"
     "Procedure at main.p:1: 1-0=1/100, from 1/100, leaked 0/0, incl 350\n"
     "Procedure at order.p:3: 1-0=1/200, from 0/0, leaked 1/200, incl 250, grew 1 of 2 in 1\n"
     "Temp-table at order.p:6: 1-0=1/50, from 0/0, leaked 1/50, incl 50, idle 1, owned 1, "
     "grew 1 of 2 in 1\n"
     "Widget Pool at (session): 1-0=1/10, from 1/10, leaked 0/0, incl 57\n"},
    {"source", "(session): 1-0=1/10, from 1/10, leaked 0/0, incl 57\n"
               "main.p: 1-0=1/100, from 1/100, leaked 0/0, incl 350\n"
               "order.p: 6-2=4/297, from 1/20, leaked 3/272, incl 297, idle 1, pool 1, owned 1, "
               "grew 2 of 2 in 1\n"},
    {"line", "(session): 1-0=1/10, from 1/10, leaked 0/0, incl 57\n"
             "main.p:1: 1-0=1/100, from 1/100, leaked 0/0, incl 350\n"
             "order.p:3: 1-0=1/200, from 0/0, leaked 1/200, incl 250, grew 1 of 2 in 1\n"
             "order.p:5: 4-2=2/47, from 1/20, leaked 1/22, incl 47, pool 1, grew 1 of 2 in 1\n"
             "order.p:6: 1-0=1/50, from 0/0, leaked 1/50, incl 50, idle 1, owned 1, "
             "grew 1 of 2 in 1\n"},
    {"name", "(unnamed): 5-2=3/57, from 2/30, leaked 1/22, incl 57, pool 1, grew 1 of 2 in 1\n"
             "main.p: 1-0=1/100, from 1/100, leaked 0/0, incl 350\n"
             "order.p: 1-0=1/200, from 0/0, leaked 1/200, incl 250, grew 1 of 2 in 1\n"
             "tt: 1-0=1/50, from 0/0, leaked 1/50, incl 50, idle 1, owned 1, grew 1 of 2 in 1\n"},
    {"node", "(session): 1-0=1/10, from 1/10, leaked 0/0, incl 57\n"
             "main.p: 1-0=1/100, from 1/100, leaked 0/0, incl 350\n"
             "order.p < main.p:7: 5-1=4/297, from 1/20, leaked 3/272, incl 297, idle 1, pool 1, "
             "owned 1, grew 2 of 2 in 1\n"
             "order.p < main.p:8: 1-1=0/0, from 0/0, leaked 0/0, incl 0\n"},
    /* each function includes its callees; main.p is on every stack except that of the session */
    {"function", "(session): 1-0=1/10, from 1/10, leaked 0/0, incl 0\n"
                 "main.p: 7-2=5/397, from 2/120, leaked 0/0, incl 0, idle 1\n"
                 "order.p: 6-2=4/297, from 1/20, leaked 0/0, incl 0, idle 1\n"},
    {"scope", "(none): 3-1=2/110, from 2/110, leaked 0/0, incl 407\n"
              "Procedure main.p: 1-0=1/200, from 0/0, leaked 1/200, incl 250, grew 1 of 2 in 1\n"
              "Procedure order.p: 1-0=1/50, from 0/0, leaked 1/50, incl 50, idle 1, owned 1, "
              "grew 1 of 2 in 1\n"
              "Widget Pool (unnamed): 3-1=2/47, from 1/20, leaked 1/22, incl 47, pool 1, "
              "grew 1 of 2 in 1\n"},
    /* by the snapshot of birth; the inclusive bytes are unknown */
    {"request", "r1: 3-0=3/135, from 3/130, leaked 0/0, incl 0\n"
                "r2: 4-2=2/250, from 0/0, leaked 2/250, incl 0, idle 1, owned 1, grew 1 of 2 in 1\n"
                "r3: 1-0=1/22, from 0/0, leaked 1/22, incl 0, pool 1, grew 1 of 2 in 1\n"},
    {"api", "A: 3-0=3/135, from 3/130, leaked 0/0, incl 0\n"
            "B: 5-2=3/272, from 0/0, leaked 3/272, incl 0, idle 1, pool 1, owned 1, "
            "grew 2 of 2 in 1\n"},
};

static void every_dimension_is_as_by_hand(void **unused)
{
    (void)unused;
    size_t count;
    reading r = read_heap(HEAP);
    const mp_dimension *dimension = mp_dimensions(&count);
    size_t fitting = 0;
    for (size_t i = 0; i < count; i++)
        fitting += !dimension[i].kinds || dimension[i].kinds & 1u << MP_KIND_RECORDING;
    assert_int_equal(fitting, sizeof by_hand / sizeof *by_hand);
    for (size_t i = 0; i < fitting; i++)
        check_groups(&r, "first", "4", by_hand[i].by, by_hand[i].expected);
    reading_free(&r);
}

static void a_window_may_be_any(void **unused)
{
    (void)unused;
    reading r = read_heap(HEAP);
    /* from 2 to 3: 7 is deleted, 9 is created, 3 changes its size */
    check_groups(&r, "2", "3", "type",
                 "Dynamic Query: 4-1=3/68, from 3/48, leaked 1/22, incl 68, pool 1, "
                 "grew 1 of 1 in 1\n"
                 "Procedure: 2-0=2/300, from 2/300, leaked 0/0, incl 350\n"
                 "Temp-table: 1-0=1/50, from 1/50, leaked 0/0, incl 50, idle 1\n"
                 "Widget Pool: 1-0=1/10, from 1/10, leaked 0/0, incl 78\n");
    /* a single snapshot has no leaks, and later objects are not counted */
    check_groups(&r, "1", "1", "type",
                 "Dynamic Query: 1-0=1/20, from 1/20, leaked 0/0, incl 20\n"
                 "Procedure: 1-0=1/100, from 1/100, leaked 0/0, incl 100\n"
                 "Widget Pool: 1-0=1/10, from 1/10, leaked 0/0, incl 30\n");
    /* At the end only the pool is left. It was created before the window, so nothing leaks. */
    check_groups(&r, "1", "5", "scope",
                 "(none): 3-2=1/10, from 2/110, leaked 0/0, incl 10\n"
                 "Procedure main.p: 1-1=0/0, from 0/0, leaked 0/0, incl 0\n"
                 "Procedure order.p: 1-1=0/0, from 0/0, leaked 0/0, incl 0\n"
                 "Widget Pool (unnamed): 3-3=0/0, from 1/20, leaked 0/0, incl 0\n");
    reading_free(&r);
}

static void sessions_are_added_up(void **unused)
{
    (void)unused;
    reading r = read_heap(HEAP HEAP_OF(OTHER_UUID));
    assert_int_equal(r.model->sessions.count, 3);
    check_groups(&r, "1", "4", "line",
                 "(session): 2-0=2/20, from 2/20, leaked 0/0, incl 114\n"
                 "main.p:1: 2-0=2/200, from 2/200, leaked 0/0, incl 700\n"
                 "order.p:3: 2-0=2/400, from 0/0, leaked 2/400, incl 500, grew 2 of 4 in 2\n"
                 "order.p:5: 8-4=4/94, from 2/40, leaked 2/44, incl 94, pool 2, grew 2 of 4 in 2\n"
                 "order.p:6: 2-0=2/100, from 0/0, leaked 2/100, incl 100, idle 2, owned 2, "
                 "grew 2 of 4 in 2\n");
    reading_free(&r);
}

static void a_change_of_type_moves_between_groups(void **unused)
{
    (void)unused;
    reading r =
        read_heap(HEAP_1(UUID, "a") HEADER_OF(UUID, "2", "_Exit", "\"\"", "\"\"")
                      END END END END END END END END
                  "3 72 30 0 0 0\n" END END TRAILER_OF("2", "_Exit", "20", "3", "140", "3"));
    check_groups(&r, "1", "2", "type",
                 "Dynamic Query: 1-0=0/0, from 1/20, leaked 0/0, incl 0\n"
                 "Procedure: 1-0=1/100, from 1/100, leaked 0/0, incl 100\n"
                 "Temp-table: 0-0=1/30, from 0/0, leaked 0/0, incl 30, idle 1\n"
                 "Widget Pool: 1-0=1/10, from 1/10, leaked 0/0, incl 40\n");
    reading_free(&r);
}

static void groups_add_up_to_the_totals(void **unused)
{
    (void)unused;
    static const char *const windows[][2] = {{"1", "1"}, {"1", "4"}, {"2", "3"}, {"3", "5"}};
    size_t dimensions;
    const mp_dimension *dimension = mp_dimensions(&dimensions);
    reading r = read_heap(HEAP HEAP_OF(OTHER_UUID));
    for (size_t i = 0; i < dimensions * 4; i++) {
        if (dimension[i / 4].of_frames)
            continue; /* groups of frames overlap */
        mp_window window = window_of(&r, windows[i % 4][0], windows[i % 4][1]);
        const mp_grouping *grouping =
            mp_window_groups(&window, &dimension[i / 4], MP_GROUPS_SCOPED);
        mp_totals totals = mp_totals_of(&window);
        mp_cost cost = {0};
        int64_t from_objects = 0, from_bytes = 0;
        for (uint32_t j = 0; j < grouping->count; j++) {
            cost = mp_cost_add(cost, grouping->groups[j].end);
            from_objects += grouping->groups[j].from_objects;
            from_bytes += grouping->groups[j].from_bytes;
        }
        assert_int_equal(cost.created, totals.created_objects);
        assert_int_equal(cost.deleted, totals.deleted_objects);
        assert_int_equal(cost.created_bytes, totals.created_bytes);
        assert_int_equal(cost.bytes, totals.live_bytes);
        assert_int_equal(mp_cost_live(cost), totals.live_objects);
        assert_int_equal(from_bytes, totals.from_bytes);
        assert_int_equal(from_objects, totals.from_objects);
        assert_int_equal(grouping->has_scope, dimension[i / 4].of_context);
        mp_window_free(&window);
    }
    reading_free(&r);
}

static void every_generation_knows_its_group(void **unused)
{
    (void)unused;
    reading r = read_heap(HEAP);
    mp_window window = window_of(&r, "1", "4");
    const mp_grouping *grouping = mp_window_groups(&window, mp_dimension_find("type"), 0);
    for (uint32_t i = 2; i < r.model->generations.count; i++) {
        const mp_context *context =
            &r.model->contexts.items[r.model->generations.items[i].context.i];
        mp_arena scratch = {0};
        const char *type = mp_type_label(&scratch, r.model, context->type);
        if (context->reusable)
            assert_int_equal(grouping->group_of[i], 0);
        else
            assert_string_equal(grouping->groups[grouping->group_of[i] - 1].label, type);
        mp_arena_free(&scratch);
    }
    mp_window_free(&window);
    reading_free(&r);
}

static void what_is_not_defined_has_its_number(void **unused)
{
    (void)unused;
    reading r = read_text(&mp_reader_oemp, "a.oemp",
                          SNAPSHOT("1", "_Exit", "", "", "", "8 77 0 0\n",
                                   PLAIN("1", "41", "1", "9", "2", "0")
                                       OBJECT("2", "42", "1", "8", "3", "0", "0", "0", "6", "0"),
                                   "", "", "5", "2", "2", "2"),
                          64);
    static const struct {
        const char *by, *labels[2];
    } cases[] = {
        {"type", {"<type 41>", "<type 42>"}},
        {"source", {"<name 77>", "<node 9>"}},
        {"line", {"<name 77>:3", "<node 9>:2"}},
        {"name", {"(unnamed)", "<name 6>"}},
        {"site", {"<type 41> at <node 9>:2", "<type 42> at <name 77>:3"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_window window = window_of(&r, NULL, NULL);
        const mp_grouping *grouping =
            mp_window_groups(&window, mp_dimension_find(cases[i].by), MP_GROUPS_SCOPED);
        assert_int_equal(grouping->count, 2);
        for (size_t j = 0; j < 2; j++)
            assert_string_equal(grouping->groups[j].label, cases[i].labels[j]);
        mp_window_free(&window);
    }
    reading_free(&r);
}

/* Symbols without names, used by defined and undefined nodes. Each number of a symbol is a separate
 * function. The number of an undefined node is not that of a symbol. */
static void functions_without_a_name_stay_apart(void **unused)
{
    (void)unused;
#define AT(node, bytes) PLAIN(bytes, "41", bytes, node, "1", "0")
    /* the undefined node 20 calls symbol 71; the undefined node 21 calls 72, which calls 71 */
    reading r =
        read_text(&mp_reader_oemp, "a.oemp",
                  SNAPSHOT("1", "_Exit", TYPES, "", "", "1 71 20 3\n2 72 21 3\n3 71 2 3\n",
                           AT("1", "1") AT("2", "2") AT("3", "4") AT("20", "8") AT("21", "16"), "",
                           "", "5", "5", "31", "5"),
                  64);
    mp_window window = window_of(&r, NULL, NULL);
    char *dumped = dump_groups(mp_window_groups(&window, mp_dimension_find("function"), 0));
    assert_string_equal(dumped, "<name 71>: 2-0=2/5, from 2/5, leaked 0/0, incl 0\n"
                                "<name 72>: 2-0=2/6, from 2/6, leaked 0/0, incl 0\n"
                                "<node 20>: 2-0=2/9, from 2/9, leaked 0/0, incl 0\n"
                                "<node 21>: 3-0=3/22, from 3/22, leaked 0/0, incl 0\n");
    free(dumped);
    mp_window_free(&window);
    reading_free(&r);
}

static void dimensions_are_found_by_name(void **unused)
{
    (void)unused;
    size_t count;
    const mp_dimension *dimension = mp_dimensions(&count);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(mp_dimension_find(dimension[i].name), &dimension[i]);
    assert_null(mp_dimension_find("colour"));
    assert_null(mp_dimension_find(""));
}

/* --- the call tree --- */

static void the_tree_adds_up_from_below(void **unused)
{
    (void)unused;
    reading r = read_heap(HEAP);
    mp_window window = window_of(&r, "1", "4");
    mp_tree_cost *costs = mp_tree_costs(&window);
    static const struct {
        const char *label;
        uint32_t line;
        int64_t own_objects, own_bytes, objects, bytes;
    } expected[] = {
        {"(session)", 0, 1, 10, 6, 407},
        {"main.p", 0, 1, 100, 5, 397},
        {"order.p", 7, 4, 297, 4, 297},
        {"order.p", 8, 0, 0, 0, 0},
    };
    assert_int_equal(r.model->tree.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        mp_arena scratch = {0};
        assert_string_equal(mp_tree_label(&scratch, r.model, i), expected[i].label);
        mp_arena_free(&scratch);
        assert_int_equal(r.model->tree.items[i].line, expected[i].line);
        assert_int_equal(costs[i].own_objects, expected[i].own_objects);
        assert_int_equal(costs[i].own_bytes, expected[i].own_bytes);
        assert_int_equal(costs[i].inclusive_objects, expected[i].objects);
        assert_int_equal(costs[i].inclusive_bytes, expected[i].bytes);
    }
    free(costs);
    mp_window_free(&window);
    reading_free(&r);
}

/* A heap log with a function for each of its blocks, of 1 to 100 bytes. */
static reading read_log(unsigned blocks)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "Thread\tTime of event\tAddress\tSize\tType\tStack crawl\n");
    for (unsigned i = 0; i < blocks; i++)
        fprintf(out, "1-1\t%u\t0x%x\t%u\tnovtbl\tf%u()|main\n", 1000 + i, 0x1000 + 64 * i,
                1 + i % 100, i);
    fclose(out);
    reading r = read_text(&mp_reader_taligent, "a.log", text, 65536);
    free(text);
    return r;
}

static void groups_made_ahead_are_the_same(void **unused)
{
    (void)unused;
    reading r = read_log(70000);
    mp_window window = window_of(&r, NULL, NULL), other = window_of(&r, NULL, NULL),
              unused_window = window_of(&r, NULL, NULL);
    const mp_dimension *source = mp_dimension_find("source");
    mp_window_group_ahead(&unused_window, source);
    mp_window_free(&unused_window);
    mp_window_group_ahead(&window, source);
    (void)mp_window_leak_sites(&window);
    const mp_grouping *ahead = mp_window_groups(&window, source, MP_GROUPS_SCOPED);
    char *dumped = dump_groups(ahead);
    char *expected = dump_groups(mp_window_groups(&other, source, MP_GROUPS_SCOPED));
    assert_int_equal(ahead->count, 70000);
    assert_string_equal(ahead->groups[69999].label, "f9999()");
    assert_int_equal(ahead->groups[69999].end.bytes, 100);
    assert_true(strcmp(dumped, expected) == 0);
    free(dumped);
    free(expected);
    mp_window_free(&window);
    mp_window_free(&other);
    reading_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_dimension_is_as_by_hand),
        cmocka_unit_test(a_window_may_be_any),
        cmocka_unit_test(sessions_are_added_up),
        cmocka_unit_test(a_change_of_type_moves_between_groups),
        cmocka_unit_test(groups_add_up_to_the_totals),
        cmocka_unit_test(every_generation_knows_its_group),
        cmocka_unit_test(what_is_not_defined_has_its_number),
        cmocka_unit_test(functions_without_a_name_stay_apart),
        cmocka_unit_test(dimensions_are_found_by_name),
        cmocka_unit_test(the_tree_adds_up_from_below),
        cmocka_unit_test(groups_made_ahead_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
