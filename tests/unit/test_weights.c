/* Weighted stacks: trees calculated by hand. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "query/weights.h"
#include "support/memory_reader.h"
#include "unit/small_heap.h"

extern const mp_reader mp_reader_oemp, mp_reader_prf, mp_reader_rpm;

/* Return one line per frame: "number<parent label: own/all of count/all". The part that begins with
 * "own" is repeated for each column. */
static char *dump(const mp_weights *weights)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t i = 0; i < weights->count; i++) {
        mp_arena scratch = {0};
        const mp_weight_frame *frame = &weights->frames[i];
        fprintf(out, "%u<%u %s%s", i, frame->parent, mp_weight_label(&scratch, frame),
                frame->kind == MP_WEIGHT_TYPE   ? " (type)"
                : frame->kind == MP_WEIGHT_NONE ? " (none)"
                                                : "");
        for (size_t column = 0; column < weights->columns; column++) {
            const mp_weight *weight = &weights->items[column][i];
            fprintf(out, ", %" PRId64 "/%" PRId64 " of %" PRId64 "/%" PRId64, weight->self,
                    weight->total, weight->own_count, weight->all_count);
        }
        fprintf(out, "\n");
        mp_arena_free(&scratch);
    }
    fclose(out);
    return text;
}

static void check_heap(const char *from, const char *to, const mp_weighing *weighing,
                       size_t columns, const char *expected)
{
    reading r = read_text(&mp_reader_oemp, "a.oemp", HEAP, 4096);
    mp_error error = {0};
    mp_window window;
    assert_true(mp_window_resolve(r.model, from, to, &window, &error));
    mp_weights weights = mp_weights_of(window.filter, &window, weighing, columns);
    char *dumped = dump(&weights);
    assert_string_equal(dumped, expected);
    free(dumped);
    mp_weights_free(&weights);
    mp_window_free(&window);
    reading_free(&r);
}

/* Objects 5, 6 and 9 leaked. */
static void leaks_stand_below_the_code_that_made_them(void **unused)
{
    (void)unused;
    check_heap(NULL, NULL, (mp_weighing[]){MP_WEIGH_LEAKED}, 1,
               "0<0 all, 0/272 of 0/3\n"
               "1<0 main.p:7, 0/272 of 0/3\n"
               "2<1 order.p:3, 0/200 of 0/1\n"
               "3<2 Procedure order.p (type), 200/200 of 1/1\n"
               "4<1 order.p:6, 0/50 of 0/1\n"
               "5<4 Temp-table tt (type), 50/50 of 1/1\n"
               "6<1 order.p:5, 0/22 of 0/1\n"
               "7<6 Dynamic Query (type), 22/22 of 1/1\n");
    check_heap("3", "3", (mp_weighing[]){MP_WEIGH_LEAKED}, 1, "0<0 all, 0/0 of 0/0\n");
}

/* at 4, objects 4 and 7 are deleted, and 3 has 25 bytes instead of 20; 8 is kept for reuse */
static void columns_share_a_tree(void **unused)
{
    (void)unused;
    check_heap(NULL, NULL, (mp_weighing[]){MP_WEIGH_ALIVE, MP_WEIGH_CREATED}, 2,
               "0<0 all, 0/407 of 0/6, 0/430 of 0/8\n"
               "1<0 (session) (none), 0/10 of 0/1, 0/10 of 0/1\n"
               "2<1 Widget Pool (type), 10/10 of 1/1, 10/10 of 1/1\n"
               "3<0 main.p:1, 0/100 of 0/1, 0/100 of 0/1\n"
               "4<3 Procedure main.p (type), 100/100 of 1/1, 100/100 of 1/1\n"
               "5<0 main.p:7, 0/297 of 0/4, 0/313 of 0/5\n"
               "6<5 order.p:5, 0/47 of 0/2, 0/63 of 0/3\n"
               "7<6 Dynamic Query (type), 47/47 of 2/2, 63/63 of 3/3\n"
               "8<5 order.p:3, 0/200 of 0/1, 0/200 of 0/1\n"
               "9<8 Procedure order.p (type), 200/200 of 1/1, 200/200 of 1/1\n"
               "10<5 order.p:6, 0/50 of 0/1, 0/50 of 0/1\n"
               "11<10 Temp-table tt (type), 50/50 of 1/1, 50/50 of 1/1\n"
               "12<0 main.p:8, 0/0 of 0/0, 0/7 of 0/1\n"
               "13<12 order.p:5, 0/0 of 0/0, 0/7 of 0/1\n"
               "14<13 Dynamic Query (type), 0/0 of 0/0, 7/7 of 1/1\n");
}

static void check(const mp_reader *reader, const char *name, const char *text, mp_weighing weighing,
                  bool windowed, const char *expected);

/* Line 0 of code is an ordinary line. The line of objects that no code created is an ordinary line,
 * too. */
static void lines_are_told_where_there_are_any(void **unused)
{
    (void)unused;
    static const char text[] =
        SNAPSHOT("1", "", TYPES, "1 \"main.p\" 0\n", "", "100 1 0 0\n",
                 PLAIN("1", "41", "20", "100", "0", "0") PLAIN("2", "41", "30", "0", "7", "0")
                     PLAIN("3", "41", "40", "0", "0", "0"),
                 "", "", "10", "3", "90", "3");
    check(&mp_reader_oemp, "a.oemp", text, MP_WEIGH_ALIVE, true,
          "0<0 all, 0/90 of 0/3\n"
          "1<0 main.p:0, 0/20 of 0/1\n"
          "2<1 Dynamic Query (type), 20/20 of 1/1\n"
          "3<0 (session):7 (none), 0/30 of 0/1\n"
          "4<3 Dynamic Query (type), 30/30 of 1/1\n"
          "5<0 (session) (none), 0/40 of 0/1\n"
          "6<5 Dynamic Query (type), 40/40 of 1/1\n");
}

static void check(const mp_reader *reader, const char *name, const char *text, mp_weighing weighing,
                  bool windowed, const char *expected)
{
    reading r = read_text(reader, name, text, 4096);
    mp_error error = {0};
    mp_window window = {0};
    mp_filter *filter = mp_filter_of(r.model, NULL, &error);
    assert_true(!windowed || mp_window_of(filter, NULL, NULL, &window, &error));
    mp_weights weights = mp_weights_of(filter, windowed ? &window : NULL, &weighing, 1);
    char *dumped = dump(&weights);
    assert_string_equal(dumped, expected);
    free(dumped);
    mp_weights_free(&weights);
    mp_window_free(&window);
    mp_filter_free(filter);
    reading_free(&r);
}

/* Two methods of 2 ms each, by their lines. The first calls the second. The arguments are the times
 * of the nodes, including callees. */
#define PROFILE(outer, inner)                                                                      \
    "4 03/02/2026 \"d\" 08:15:30 \"u\" {\"StmtCnt\": 1}\n.\n"                                      \
    "1 \"m1 shop.A\" \"\" 0 1 \"\"\n2 \"m2 shop.B\" \"\" 0 1 \"\"\n.\n"                            \
    "0 0 1 1\n1 1 2 1\n.\n0 0 1 0.000000 0.004000\n1 0 1 0.001000 0.001000\n"                      \
    "1 1 1 0.001000 0.001000\n2 0 1 0.001000 0.001000\n2 1 1 0.001000 0.001000\n.\n"               \
    "1 1 0.001000 0.001000\n2 1 0.001000 0.002000\n.\n.\n.\n.\n.\n.\n0 0 0 0 1 0.004 1\n"          \
    "1 0 1 0 1 " outer " 2\n2 1 2 1 1 " inner "\n.\n.\n"

static void time_stands_on_its_paths(void **unused)
{
    (void)unused;
    check(&mp_reader_prf, "a.prf", PROFILE("0.004", "0.002"), MP_WEIGH_SECONDS, false,
          "0<0 all, 0/4000 of 0/2\n"
          "1<0 session (none), 0/4000 of 0/2\n"
          "2<1 m1 shop.A, 2000/4000 of 1/2\n"
          "3<2 m2 shop.B, 2000/2000 of 1/1\n");
}

/* The tree states no time for the first method itself, and too much time for the second. The times
 * of the lines are used instead. */
static void what_no_path_has_is_told(void **unused)
{
    (void)unused;
    check(&mp_reader_prf, "a.prf", PROFILE("0.009", "0.009"), MP_WEIGH_SECONDS, false,
          "0<0 all, 0/4000 of 0/2\n"
          "1<0 session (none), 0/2000 of 0/2\n"
          "2<1 m1 shop.A, 0/2000 of 1/2\n"
          "3<2 m2 shop.B, 2000/2000 of 1/1\n"
          "4<0 (callers unknown) (none), 0/2000 of 0/0\n"
          "5<4 shop.A, 0/2000 of 0/0\n"
          "6<5 m1 shop.A, 2000/2000 of 0/0\n");
}

/* A cache holds a list of two nodes, and the second node holds a string. A third node is garbage.
 * Sizes are hexadecimal. */
static void dumps_stand_below_what_holds_them(void **unused)
{
    (void)unused;
    check(&mp_reader_rpm, "a.gclog",
          "a 2 Shop.exe 444e0b3f\nt 1 Cache\nt 2 Node\nt 3 String\nr 10000 4 0\n"
          "o 10000 1 10 10010\no 10010 2 20 10020\no 10020 2 20 10030\no 10030 3 8\n"
          "o 10040 2 20\nc Shop.exe 444e0d5c\n",
          MP_WEIGH_RETAINED, true,
          "0<0 all, 0/120 of 0/5\n"
          "1<0 Cache (type), 16/88 of 1/4\n"
          "2<1 Node (type), 64/72 of 2/3\n"
          "3<2 String (type), 8/8 of 1/1\n"
          "4<0 (unreachable) (none), 0/32 of 0/1\n"
          "5<4 Node (type), 32/32 of 1/1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaks_stand_below_the_code_that_made_them),
        cmocka_unit_test(columns_share_a_tree),
        cmocka_unit_test(lines_are_told_where_there_are_any),
        cmocka_unit_test(time_stands_on_its_paths),
        cmocka_unit_test(what_no_path_has_is_told),
        cmocka_unit_test(dumps_stand_below_what_holds_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
