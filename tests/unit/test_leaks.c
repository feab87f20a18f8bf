/* Leaks by site: objects created in the window and still alive at its end. */
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

extern const mp_reader mp_reader_oemp;

typedef struct finding {
    reading r;
    mp_window window;
    const mp_leaks *leaks;
} finding;

static finding find_leaks(const char *text, const char *from, const char *to)
{
    finding f = {.r = read_text(&mp_reader_oemp, "a.oemp", text, 4096)};
    mp_error error = {0};
    mp_window_resolve(f.r.model, from, to, &f.window, &error);
    assert_string_equal(error.text, "");
    assert_int_equal(mp_diagnostics_violations(f.r.diagnostics), 0);
    f.leaks = mp_window_leak_sites(&f.window);
    return f;
}

static void finding_free(finding *f)
{
    mp_window_free(&f->window);
    reading_free(&f->r);
}

/* Return one line per leak: "rank objects/bytes type name stack class, grew, flags". */
static char *dump_leaks(const finding *f)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t i = 0; i < f->leaks->count; i++) {
        const mp_leak *leak = &f->leaks->items[i];
        mp_frame frame = {leak->node, leak->line};
        fprintf(out, "%u %" PRId64 "/%" PRId64 " %s", leak->rank, leak->objects, leak->bytes,
                leak->type);
        fprintf(out, " %s,", leak->names_differ ? "(differ)" : leak->name ? leak->name : "-");
        do {
            mp_arena scratch = {0};
            fprintf(out, " %s", mp_frame_label(&scratch, f->r.model, frame));
            mp_arena_free(&scratch);
        } while (mp_frame_caller(f->r.model, &frame));
        fprintf(out, ", class %d, grew %u of %u", (int)leak->class, mp_leak_group(leak)->grew,
                mp_leak_group(leak)->moments);
        fprintf(out, "%s", mp_group_grew_once(mp_leak_group(leak)) ? ", once" : "");
        fprintf(out, "%s", mp_leak_scope(leak).pool_objects ? ", pool" : "");
        fprintf(out, "%s", mp_leak_scope(leak).owned_by_leak ? ", owned" : "");
        fprintf(out, "%s\n", mp_leak_group(leak)->leaked.idle ? ", idle" : "");
    }
    fprintf(out, "%" PRId64 "/%" PRId64 "\n", f->leaks->objects, f->leaks->bytes);
    fclose(out);
    return text;
}

static void check_leaks(const char *text, const char *from, const char *to, const char *expected)
{
    finding f = find_leaks(text, from, to);
    char *dumped = dump_leaks(&f);
    assert_string_equal(dumped, expected);
    free(dumped);
    finding_free(&f);
}

static void leaks_are_as_by_hand(void **unused)
{
    (void)unused;
    static const struct {
        const char *from, *to, *expected;
    } cases[] = {
        /* objects alive at _PreCleanUp but not at the first snapshot */
        {NULL, NULL,
         "1 1/200 Procedure order.p, order.p:3 main.p:7, class 1, grew 1 of 2, once\n"
         "2 1/50 Temp-table tt, order.p:6 main.p:7, class 4, grew 1 of 2, once, owned, idle\n"
         "3 1/22 Dynamic Query -, order.p:5 main.p:7, class 0, grew 1 of 2, once, pool\n"
         "3/272\n"},
        /* 4 and 7 are alive at 2 too; 7 has a different site */
        {"1", "2",
         "1 1/200 Procedure order.p, order.p:3 main.p:7, class 1, grew 1 of 1\n"
         "2 1/50 Temp-table tt, order.p:6 main.p:7, class 4, grew 1 of 1, owned, idle\n"
         "3 1/21 Dynamic Query -, order.p:5 main.p:7, class 0, grew 1 of 1, pool\n"
         "4 1/7 Dynamic Query -, order.p:5 main.p:8, class 0, grew 1 of 1\n"
         "4/278\n"},
        /* 5 existed at 2, so it is no leak. No leak owns 5, or 6, which 5 owns. */
        {"2", "3",
         "1 1/22 Dynamic Query -, order.p:5 main.p:7, class 0, grew 1 of 1, pool\n1/22\n"},
        {"first", "_Exit", "0/0\n"},
        {"3", "3", "0/0\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_leaks(HEAP, cases[i].from, cases[i].to, cases[i].expected);
}

static void leaks_of_sessions_are_added_up(void **unused)
{
    (void)unused;
    check_leaks(HEAP HEAP_OF(OTHER_UUID), NULL, NULL,
                "1 2/400 Procedure order.p, order.p:3 main.p:7, class 1, grew 2 of 4, once\n"
                "2 2/100 Temp-table tt, order.p:6 main.p:7, class 4, grew 2 of 4, once, owned, "
                "idle\n"
                "3 2/44 Dynamic Query -, order.p:5 main.p:7, class 0, grew 2 of 4, once, pool\n"
                "6/544\n");
}

/* Snapshot 1 is empty. Then these objects are created, and some of them deleted. */
#define LATER(names, nodes, objects, total, deleted, live, bytes)                                  \
    SNAPSHOT("1", "a", TYPES, "1 \"main.p\" 0\n2 \"order.p\" 0\n", names,                          \
             "100 1 0 0\n101 2 100 7\n102 2 100 8\n" nodes, "", "", "", "1", "0", "0", "0")        \
    SNAPSHOT("2", "b", "", "", "", "", objects, "", "", "2", "9", total, "9")                      \
    SNAPSHOT("3", "_Exit", "", "", "", "", "", "", deleted, "3", live, bytes, "9")

static void equal_leaks_have_an_order(void **unused)
{
    (void)unused;
    check_leaks(
        LATER("", "103 1 100 2\n",
              /* 100 bytes each, sorted by number of objects (descending), then by type, stack and
               * line of the caller */
              PLAIN("1", "72", "100", "100", "2", "0") PLAIN("2", "41", "100", "103", "2", "0")
                  PLAIN("3", "41", "100", "100", "2", "0") PLAIN("4", "41", "100", "102", "3", "0")
                      PLAIN("5", "41", "100", "101", "3", "0") PLAIN(
                          "6", "72", "50", "100", "9", "0") PLAIN("7", "72", "50", "100", "9", "0")
                          PLAIN("8", "41", "101", "101", "1", "0")
                              PLAIN("9", "41", "100", "0", "2", "0"),
              "801", "", "9", "801"),
        NULL, NULL,
        "1 1/101 Dynamic Query -, order.p:1 main.p:7, class 0, grew 1 of 1\n"
        "2 2/100 Temp-table -, main.p:9, class 4, grew 1 of 1\n"
        "3 1/100 Dynamic Query -, (session):2, class 0, grew 1 of 1\n"
        "4 1/100 Dynamic Query -, main.p:2, class 0, grew 1 of 1\n"
        "5 1/100 Dynamic Query -, main.p:2 main.p:2, class 0, grew 1 of 1\n"
        "6 1/100 Dynamic Query -, order.p:3 main.p:7, class 0, grew 1 of 1\n"
        "7 1/100 Dynamic Query -, order.p:3 main.p:8, class 0, grew 1 of 1\n"
        "8 1/100 Temp-table -, main.p:2, class 4, grew 1 of 1\n"
        "9/801\n");
}

static void a_name_is_that_of_all_living_objects(void **unused)
{
    (void)unused;
#define NAMED(id, line, name) OBJECT(id, "41", "8", "100", line, "0", "0", "0", name, "0")
    check_leaks(LATER("5 \"x\"\n6 \"y\"\n7 \"x\"\n", "",
                      NAMED("1", "1", "5") NAMED("2", "1", "6") /* two names */
                      NAMED("3", "2", "5") NAMED("4", "2", "7") /* one name with two numbers */
                      NAMED("5", "3", "5") NAMED("6", "3", "0") /* one object has none */
                      NAMED("7", "4", "5") NAMED("8", "4", "6") /* one object was deleted */
                      NAMED("9", "5", "0"),
                      "72", "8 2\n", "8", "64"),
                NULL, "last",
                "1 2/16 Dynamic Query (differ), main.p:1, class 0, grew 1 of 1\n"
                "2 2/16 Dynamic Query x, main.p:2, class 0, grew 1 of 1\n"
                "3 2/16 Dynamic Query (differ), main.p:3, class 0, grew 1 of 1\n"
                "4 1/8 Dynamic Query x, main.p:4, class 0, grew 1 of 1\n"
                "5 1/8 Dynamic Query -, main.p:5, class 0, grew 1 of 1\n"
                "8/64\n");
}

/* One object of each snapshot leaks. It is among fewer and fewer temporary objects, so the number
 * of live objects does not rise at 3 and 4. Objects 1, 4, 6 and 7 are left, which come from
 * snapshots 2 to 5. At 6 all objects are deleted at once. So the site grew at 4 of 5 snapshots. */
static void what_leaks_was_born_somewhere(void **unused)
{
    (void)unused;
#define QUERY(id) PLAIN(id, "41", "1", "100", "1", "0")
#define STEP(sequence, objects, deleted, live)                                                     \
    SNAPSHOT(sequence, "t", "", "", "", "", objects, "", deleted, sequence, live, live, "9")
    check_leaks(SNAPSHOT("1", "a", TYPES, "1 \"main.p\" 0\n", "", "100 1 0 0\n", "", "", "", "1",
                         "0", "0", "0") STEP("2", QUERY("1") QUERY("2") QUERY("3"), "", "3")
                    STEP("3", QUERY("4") QUERY("5"), "2 3\n3 3\n", "3")
                        STEP("4", QUERY("6"), "5 4\n", "3") STEP("5", QUERY("7"), "", "4")
                            STEP("6", QUERY("8"), "8 6\n", "4"),
                "1", "last", "1 4/4 Dynamic Query -, main.p:1, class 0, grew 4 of 5\n4/4\n");
}

/* Two stacks of a recursive function that differ only in the outermost caller. The text of this
 * caller decides their order, at any depth. */
static void deep_stacks_are_compared_to_their_end(void **unused)
{
    (void)unused;
    static const int depths[] = {1, 30, 31, 32, 33, 34, 63, 64, 65, 255, 256, 900};
    for (size_t depth = 0; depth < sizeof depths / sizeof *depths; depth++) {
        const int equal = depths[depth];
        char *nodes, *text;
        size_t size;
        FILE *out = open_memstream(&nodes, &size);
        fputs("1001 1 0 0\n2001 2 0 0\n", out);
        for (int i = 2; i <= equal + 1; i++)
            fprintf(out, "%d 3 %d 7\n%d 3 %d 7\n", 1000 + i, 999 + i, 2000 + i, 1999 + i);
        fclose(out);
        out = open_memstream(&text, &size);
        fprintf(out,
                SNAPSHOT("1", "a", TYPES, "1 \"z.p\" 0\n2 \"a.p\" 0\n3 \"deep.p\" 0\n", "", "%s",
                         "", "", "", "1", "0", "0", "0")
                    SNAPSHOT("2", "b", "", "", "", "",
                             PLAIN("1", "41", "9", "%d", "7", "0")
                                 PLAIN("2", "41", "9", "%d", "7", "0"),
                             "", "", "2", "2", "18", "2"),
                nodes, 1001 + equal, 2001 + equal);
        fclose(out);
        finding f = find_leaks(text, NULL, NULL);
        assert_int_equal(f.leaks->count, 2);
        for (uint32_t i = 0; i < 2; i++) {
            mp_frame frame = {f.leaks->items[i].node, f.leaks->items[i].line};
            mp_arena scratch = {0};
            int frames = 1;
            while (mp_frame_caller(f.r.model, &frame))
                frames++;
            assert_int_equal(frames, equal + 1);
            assert_string_equal(mp_frame_label(&scratch, f.r.model, frame),
                                i == 0 ? "a.p:7" : "z.p:7");
            mp_arena_free(&scratch);
        }
        finding_free(&f);
        free(nodes);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaks_are_as_by_hand),
        cmocka_unit_test(leaks_of_sessions_are_added_up),
        cmocka_unit_test(equal_leaks_have_an_order),
        cmocka_unit_test(a_name_is_that_of_all_living_objects),
        cmocka_unit_test(deep_stacks_are_compared_to_their_end),
        cmocka_unit_test(what_leaks_was_born_somewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
