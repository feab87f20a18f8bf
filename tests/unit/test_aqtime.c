/* AQTime databases that this test makes row by row. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/error.h"
#include "model/graph.h"
#include "query/query.h"
#include "support/memory_reader.h"

#define P "ALLOCATION_PROFILER_"
#define SCHEMA                                                                                     \
    "CREATE TABLE INSTANCES (CAPTION, INST_ID);"                                                   \
    "CREATE TABLE " P "OBJECTS (COL__, COL_CLASSRID, COL_GET_, COL_ROOT, COL_SIZE, COL_THREADRID," \
    " ID, INST_ID, REC_ID);"                                                                       \
    "CREATE TABLE " P "META_CLASSES_DATA (COL_CLASS_NAME, COL_NAMESPACE, INST_ID, REC_ID);"        \
    "CREATE TABLE " P "CREATION_CALL_STACK (COL_ROUTINERID, INST_ID, PARENT_ID);"                  \
    "CREATE TABLE " P "META_ROUTINES (COL_CLASS_NAME, COL_ROUTINE_NAME, COL_SOURCE_LINE, INST_ID," \
    " REC_ID);"
#define CLASSES                                                                                    \
    "CREATE TABLE " P "CLASSES_DATA (COL_CLASS_NAME, COL_LIVE_COUNT, COL_LIVE_SIZE,"               \
    " COL_PEAK_CREATED, COL_PEAK_SIZE, COL_TOTAL_CREATED, COL_TOTAL_SIZE, INST_ID, REC_ID);"
#define REFERENCES                                                                                 \
    "CREATE TABLE " P "REFERENCES_TO (INST_ID, PARENT_ID, REC_ID);"                                \
    "CREATE TABLE " P "REFERENCES_FROM (INST_ID, PARENT_ID, REC_ID);"
/* The rows of sets 5 and 3, in this order. Class 1 is Shop.Order, class 2 is TMemo. */
#define SETS                                                                                       \
    "INSERT INTO INSTANCES VALUES ('After', 5), ('Before', 3);"                                    \
    "INSERT INTO " P "META_CLASSES_DATA VALUES ('Order', 'Shop', 3, 1), ('Order', 'Shop', 5, 1),"  \
    " ('TMemo', NULL, 5, 2);"                                                                      \
    "INSERT INTO " P                                                                               \
    "META_ROUTINES VALUES ('TMemo', 'Add', 7, 5, 1), ('TMemo', 'TMemo.Own', 0, 5,"                 \
    " 2), (NULL, 'main', NULL, 5, 3);"
#define OBJECT(number, class, get, size, id, set, record)                                          \
    "INSERT INTO " P "OBJECTS VALUES (" number ", " class ", " get ", 0, " size ", NULL, " id      \
                                                          ", " set ", " record ");"

extern const mp_reader mp_reader_aqtime;

typedef struct bytes {
    unsigned char *items;
    sqlite3_int64 length;
} bytes;

static bytes made_by(const char *statements)
{
    sqlite3 *database;
    char *error = NULL;
    assert_int_equal(sqlite3_open(":memory:", &database), SQLITE_OK);
    sqlite3_exec(database, statements, NULL, NULL, &error);
    assert_null(error);
    bytes b = {0};
    b.items = sqlite3_serialize(database, "main", &b.length, 0);
    sqlite3_close(database);
    return b;
}

static reading read_database(const char *statements)
{
    bytes b = made_by(statements);
    reading r =
        read_bytes(&mp_reader_aqtime, "a.sqlite", (const char *)b.items, (size_t)b.length, 4096);
    r.model->kind = MP_KIND_DATABASE;
    sqlite3_free(b.items);
    return r;
}

/* Return one line per leak: "type objects/bytes frame < frame". */
static char *leaks_of(const mp_model *model)
{
    char *text;
    mp_error error = {0};
    size_t size;
    FILE *out = open_memstream(&text, &size);
    mp_window window;
    assert_true(mp_window_resolve(model, NULL, NULL, &window, &error));
    const mp_leaks *leaks = mp_window_leak_sites(&window);
    for (uint32_t i = 0; i < leaks->count; i++) {
        const mp_leak *leak = &leaks->items[i];
        mp_frame frame = {leak->node, leak->line};
        fprintf(out, "%s %" PRId64 "/%" PRId64, leak->type, leak->objects, leak->bytes);
        do {
            mp_arena scratch = {0};
            fprintf(out, " < %s", mp_frame_label(&scratch, model, frame));
            mp_arena_free(&scratch);
        } while (mp_frame_caller(model, &frame));
        fputc('\n', out);
    }
    mp_window_free(&window);
    fclose(out);
    return text;
}

static void assert_leaks(const reading *r, const char *expected)
{
    char *text = leaks_of(r->model);
    assert_string_equal(text, expected);
    free(text);
}

static void test_sets_classes_stacks(void **state)
{
    (void)state;
    reading r = read_database(
        SCHEMA SETS OBJECT("1", "1", "1", "100", "1", "3", "11") OBJECT(
            "1", "1", "1", "'100'", "9", "5", "1") OBJECT("2", "2", "2", "20.0", "2", "5", "12")
            OBJECT("3", "2", "NULL", "8", "3", "5",
                   "13") "INSERT INTO " P
                         "CREATION_CALL_STACK VALUES (1, 5, 2), (2, 5, 3), (2, 5, 2), (3, 5, 2);");
    assert_true(r.ok);
    assert_int_equal(mp_diagnostics_violations(r.diagnostics), 0);
    assert_int_equal(r.model->snapshots.count, 3);
    assert_int_equal(r.model->snapshots.items[1].sequence, 3);
    assert_string_equal(mp_model_text(r.model, r.model->snapshots.items[1].tag), "Before");
    assert_int_equal(r.model->snapshots.items[2].live_bytes, 128);
    assert_int_equal(r.model->snapshots.items[2].created_objects, 2);
    assert_leaks(&r, "TMemo 1/20 < TMemo.Add (from 7) < TMemo.Own < main\nTMemo 1/8 < TMemo.Own\n");
    reading_free(&r);
}

/* Rows are read as they are stored if they are sorted and their keys are integers, and are sorted
 * otherwise. Both must give the same stacks. */
static void test_rows_in_any_order(void **state)
{
    (void)state;
    static const char *const stacks[] = {
        "(COL_ROUTINERID, INST_ID, PARENT_ID); INSERT INTO S VALUES (1, 5, 2), (2, 5, 2), (3, 5, "
        "2), (2, 5, 3)",
        "(COL_ROUTINERID, INST_ID, PARENT_ID); INSERT INTO S VALUES (2, 5, 3), (1, 5, 2), (2, 5, "
        "2), (3, 5, 2)",
        "(COL_ROUTINERID, INST_ID, PARENT_ID); INSERT INTO S VALUES (1, '5', '2'), (2, '5', '3'), "
        "(2, 5, 2), (3, 5, 2)",
        "(COL_ROUTINERID, INST_ID, PARENT_ID); INSERT INTO S VALUES (1, 5.0, 2.0), (2, 5, 3), (2, "
        "5, 2), (3, 5, 2)",
        "(ID INTEGER PRIMARY KEY, COL_ROUTINERID, INST_ID, PARENT_ID); INSERT INTO S VALUES (9, 3, "
        "5, 2), (7, 1, 5, 2), (8, 2, 5, 2), (1, 2, 5, 3)",
        /* The computed column is not stored, so rows have one value fewer than the table. Read with
         * it, they would seem to be sorted. */
        "(X AS (0), PARENT_ID, INST_ID, COL_ROUTINERID, Y DEFAULT 0); INSERT INTO S VALUES (2, 5, "
        "1, 1), (3, 5, 2, 2), (2, 5, 2, 3), (2, 5, 3, 4)",
        "(COL_ROUTINERID, PARENT_ID); INSERT INTO S VALUES (1, 2), (2, 2), (3, 2), (2, 3); ALTER "
        "TABLE S ADD COLUMN INST_ID DEFAULT 5",
    };
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
        char statements[4096];
        snprintf(statements, sizeof statements,
                 "%sDROP TABLE " P "CREATION_CALL_STACK; CREATE TABLE S %s; ALTER TABLE S RENAME "
                 "TO " P "CREATION_CALL_STACK;",
                 SCHEMA SETS OBJECT("2", "2", "2", "20", "2", "5", "12")
                     OBJECT("3", "2", "NULL", "8", "3", "5", "13"),
                 stacks[i]);
        reading r = read_database(statements);
        assert_true(r.ok);
        assert_leaks(&r,
                     "TMemo 1/20 < TMemo.Add (from 7) < TMemo.Own < main\nTMemo 1/8 < TMemo.Own\n");
        reading_free(&r);
    }
}

/* Frames of allocators stay in the stack, but do not name the site. */
static void test_sites_are_not_named_by_allocators(void **state)
{
    (void)state;
    reading r = read_database(SCHEMA SETS OBJECT(
        "1", "2", "2", "20", "2", "5", "12") "INSERT INTO " P "META_ROUTINES VALUES (NULL, "
                                             "'operator new', 0, 5, 4);"
                                             "INSERT INTO " P "CREATION_CALL_STACK VALUES "
                                             "(4, 5, 2), (1, 5, 2), (3, 5, 2);");
    assert_leaks(&r, "TMemo 1/20 < operator new < TMemo.Add (from 7) < main\n");
    mp_window window;
    mp_error error = {0};
    assert_true(mp_window_resolve(r.model, NULL, NULL, &window, &error));
    const mp_grouping *lines = mp_window_groups(&window, mp_dimension_find("line"), 0);
    assert_int_equal(lines->count, 1);
    assert_string_equal(lines->groups[0].label, "TMemo.Add (from 7)");
    const mp_grouping *classes = mp_window_groups(&window, mp_dimension_find("class"), 0);
    assert_string_equal(classes->groups[0].label, "TMemo");
    mp_window_free(&window);
    reading_free(&r);
}

static void test_one_set_is_all_new(void **state)
{
    (void)state;
    reading r =
        read_database(SCHEMA "INSERT INTO " P "META_CLASSES_DATA VALUES ('A', NULL, 1, 1);" OBJECT(
            "1", "1", "1", "100", "1", "1", "1") OBJECT("2", "1", "9", "50", "2", "1", "2"));
    assert_int_equal(mp_diagnostics_violations(r.diagnostics), 0);
    assert_leaks(&r, "A 2/150 < (session)\n");
    reading_free(&r);
}

/* Objects without a Get # are identified by their creation number. */
static void test_born_where_first_listed(void **state)
{
    (void)state;
    reading r = read_database(SCHEMA SETS OBJECT("1", "1", "NULL", "10", "1", "3", "1") OBJECT(
        "1", "1", "0", "10", "7", "5", "7") OBJECT("2", "1", "99", "30", "8", "5", "8"));
    assert_leaks(&r, "Shop.Order 1/30 < (session)\n");
    reading_free(&r);
}

static void test_what_nothing_defines(void **state)
{
    (void)state;
    reading r = read_database(SCHEMA SETS OBJECT(
        "2", "8", "2", "20", "2", "5",
        "12") "INSERT INTO " P "CREATION_CALL_STACK VALUES (77, 5, 2), (1, 5, 3), (1, 4, 3);");
    assert_leaks(&r, "<class 8> 1/20 < <routine 77>\n");
    assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_UNDEFINED_TYPE), 1);
    assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_UNDEFINED_ROUTINE), 1);
    assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_BAD_ROW), 2);
    reading_free(&r);
}

static void test_wrong_values(void **state)
{
    (void)state;
    reading r =
        read_database(SCHEMA SETS OBJECT("1", "1", "1", "-5", "1", "3", "1")
                          OBJECT("2", "1", "1", "'abc'", "2", "3", "2")
                              OBJECT("3", "1", "1", "9223372036854775807", "3", "3", "3")
                                  OBJECT("4", "1", "1", "1e300", "4", "3", "4")
                                      OBJECT("5", "1", "1", "x'00'", "5", "3", "5")
                                          OBJECT("6", "1", "1", "1.5", "6", "3", "6")
                                              OBJECT("7", "1", "1", "NULL", "7", "3", "7")
                                                  OBJECT("8", "1", "1", "8", "8", "'x'", "8")
                                                      OBJECT("9", "1", "1", "8", "9", "NULL", "9"));
    assert_true(r.ok);
    assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_BAD_ROW), 8);
    assert_int_equal(r.model->snapshots.items[1].live_objects, 1); /* an object that has no size */
    const mp_diagnostic *first = find_diagnostic(r.diagnostics, MP_DIAG_BAD_ROW);
    assert_non_null(strstr(first->message, P "OBJECTS, row "));
    reading_free(&r);
}

static void test_wrong_lines(void **state)
{
    static const struct {
        const char *line;
        uint32_t start_line;
        uint64_t told;
    } cases[] = {{"2147483647", INT32_MAX, 0}, {"0", 0, 0},  {"NULL", 0, 0},
                 {"2147483648", 0, 1},         {"-5", 0, 1}, {"4294967303", 0, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char statements[4096];
        snprintf(statements, sizeof statements,
                 SCHEMA SETS OBJECT("1", "1", "1", "5", "1", "5",
                                    "1") "UPDATE " P
                                         "META_ROUTINES SET COL_SOURCE_LINE = %s WHERE REC_ID = 1;",
                 cases[i].line);
        reading r = read_database(statements);
        assert_true(r.ok);
        assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_BAD_ROW), cases[i].told);
        const mp_diagnostic *told = find_diagnostic(r.diagnostics, MP_DIAG_BAD_ROW);
        assert_true(!told || (strstr(told->message, "META_ROUTINES, row ") &&
                              strstr(told->message, cases[i].line)));
        assert_int_equal(r.model->symbols.items[1].start_line, cases[i].start_line);
        reading_free(&r);
    }
}

static void test_figures_of_classes(void **state)
{
    (void)state;
    reading r = read_database(SCHEMA CLASSES SETS OBJECT("1", "1", "1", "10", "1", "3", "1") OBJECT(
        "2", "3", "1", "10", "2", "3",
        "2") "INSERT INTO " P "META_CLASSES_DATA VALUES ('Memory Overwrite Error', '', 3, 3);"
             "INSERT INTO " P "CLASSES_DATA VALUES ('Shop.Order', 1, 10, 2, 20, 5, 70, 3, 1),"
             " ('TMemo', 4, 0, 3, 0, 2, 0, 3, 2), ('Shop.Order', 0, 0, 2, 20, 5, 70, 5, 1);");
    /* Five objects were created, of which one is listed. TMemo has no objects, and its figures
     * decrease. */
    assert_int_equal(r.model->snapshots.items[1].created_objects, 5 + 2);
    assert_int_equal(r.model->snapshots.items[1].deleted_objects, 4 + 2);
    assert_int_equal(r.model->snapshots.items[2].deleted_objects, 1);
    assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_CLASS_FIGURES), 2);
    assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_MEMORY_OVERWRITE), 1);
    assert_int_equal(r.model->snapshots.items[1].live_objects, 1);
    reading_free(&r);
}

static void test_references(void **state)
{
    (void)state;
    reading r = read_database(
        SCHEMA REFERENCES SETS OBJECT("1", "1", "1", "10", "1", "5", "21")
            OBJECT("2", "1", "1", "20", "2", "5", "22")
                OBJECT("3", "1", "1", "30", "3", "5",
                       "23") "UPDATE " P "OBJECTS SET COL_ROOT = 1 WHERE ID = 1;"
                             "INSERT INTO " P
                             "REFERENCES_TO VALUES (5, 1, 22), (5, 1, 22), (5, 1, 99), (3, 1, 1);"
                             "INSERT INTO " P
                             "REFERENCES_FROM VALUES (5, 2, 21), (5, 3, 22), (5, 3, 77);");
    const mp_graph *graph = r.model->graph;
    assert_non_null(graph);
    assert_int_equal(graph->count, 3);
    assert_int_equal(graph->ids[1], 21);
    assert_int_equal(mp_graph_references(graph), 2); /* 21 to 22, 22 to 23 */
    assert_int_equal(graph->dangling, 2);
    assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_DANGLING_REFERENCE), 1);
    assert_int_equal(graph->roots.count, 2);
    assert_int_equal(graph->roots.items[1].object, 1);
    reading_free(&r);
}

/* Rows 2 and 3 repeat the numbers of earlier rows. The object of the first gets no stack, and the
 * object of the second is not in the graph. */
static void test_objects_that_come_again(void **state)
{
    (void)state;
    reading r = read_database(
        SCHEMA REFERENCES SETS OBJECT("1", "1", "1", "10", "1", "5", "21")
            OBJECT("2", "1", "2", "20", "1", "5", "22")
                OBJECT("3", "1", "2", "30", "3", "5",
                       "21") "INSERT INTO " P "CREATION_CALL_STACK VALUES (3, 5, 1), (3, 5, 3);"
                             "INSERT INTO " P "REFERENCES_TO VALUES (5, 1, 22);");
    assert_int_equal(r.model->snapshots.items[2].live_objects, 3);
    assert_int_equal(r.model->graph->count, 2);
    assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_DUPLICATE_OBJECT), 2);
    assert_leaks(&r, "Shop.Order 1/30 < main\nShop.Order 1/20 < (session)\n");
    reading_free(&r);
}

static void test_missing_tables(void **state)
{
    (void)state;
    reading r = read_database("CREATE TABLE " P "OBJECTS (COL_CLASSRID, COL_SIZE, ID, INST_ID);"
                              "INSERT INTO " P "OBJECTS VALUES (1, 10, 1, 1);");
    assert_true(r.ok);
    assert_int_equal(mp_diagnostics_count(r.diagnostics, MP_DIAG_MISSING_TABLES), 1);
    assert_leaks(&r, "<class 1> 1/10 < (session)\n");
    reading_free(&r);
    r = read_database("CREATE TABLE " P "THREADS (INST_ID);");
    assert_false(r.ok);
    assert_non_null(find_diagnostic(r.diagnostics, MP_DIAG_NOTHING_USABLE));
    reading_free(&r);
    r = read_database(SCHEMA);
    assert_false(r.ok);
    assert_non_null(find_diagnostic(r.diagnostics, MP_DIAG_NOTHING_USABLE));
    reading_free(&r);
}

/* A view could run any query, and that query could take any time. Therefore views are refused. */
static void test_views_are_not_run(void **state)
{
    (void)state;
    reading r = read_database("CREATE VIEW " P "OBJECTS AS WITH RECURSIVE n(i) AS (SELECT 1 UNION "
                              "ALL SELECT i + 1 FROM n) SELECT i AS ID, 1 AS INST_ID FROM n;"
                              "CREATE TABLE a (b);");
    assert_false(r.ok);
    reading_free(&r);
}

/* Each defect causes one diagnostic, and has no other effect. */
static void test_damaged(void **state)
{
    (void)state;
    bytes b =
        made_by(SCHEMA CLASSES REFERENCES SETS
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)"
                " INSERT INTO " P "OBJECTS SELECT i, 1, 1, 0, 10, NULL, i, 3, i FROM n;"
                "INSERT INTO " P "CREATION_CALL_STACK SELECT 1, 3, ID FROM " P "OBJECTS;");
    unsigned char *copy = malloc((size_t)b.length);
    srand(1);
    for (int trial = 0; trial < 300; trial++) {
        size_t length = (size_t)b.length;
        memcpy(copy, b.items, length);
        if (trial % 3 == 0)
            length = (size_t)rand() % length;
        for (int i = 0; trial % 3 && i < trial; i++)
            copy[(size_t)rand() % length] = (unsigned char)rand();
        if (!length)
            continue;
        reading r = read_bytes(&mp_reader_aqtime, "a.sqlite", (char *)copy, length, 4096);
        assert_true(r.ok || mp_diagnostics_severity_count(r.diagnostics, MP_ERROR) > 0);
        reading_free(&r);
    }
    free(copy);
    sqlite3_free(b.items);
}

/* Sums of figures in the file do not overflow: figures that are too large count as unknown. */
static void test_figures_do_not_overflow(void **state)
{
    (void)state;
    reading r = read_database(
        SCHEMA CLASSES SETS
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
        " INSERT INTO " P "CLASSES_DATA SELECT 'TOrder', 9007199254740990, 0, NULL, NULL, NULL,"
        " NULL, 3, 1 FROM n;");
    assert_true(r.ok);
    assert_true(mp_diagnostics_count(r.diagnostics, MP_DIAG_BAD_ROW) > 2900);
    reading_free(&r);
}

static void test_probe(void **state)
{
    (void)state;
    bytes mine = made_by("create table allocation_profiler_objects (a);");
    bytes other = made_by("CREATE TABLE ALLOCATION (PROFILER);");
    mp_slice a = {(char *)mine.items, (size_t)mine.length},
             b = {(char *)other.items, (size_t)other.length};
    assert_int_equal(mp_reader_aqtime.probe(a), MP_MINE);
    assert_int_equal(mp_reader_aqtime.probe(b), MP_NOT_MINE);
    assert_string_equal(mp_foreign_kind(b), "an SQLite database");
    assert_int_equal(mp_reader_aqtime.probe((mp_slice){a.start, 100}), MP_NOT_MINE);
    assert_int_equal(mp_reader_aqtime.probe((mp_slice){"", 0}), MP_NOT_MINE);
    sqlite3_free(mine.items);
    sqlite3_free(other.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets_classes_stacks),
        cmocka_unit_test(test_rows_in_any_order),
        cmocka_unit_test(test_sites_are_not_named_by_allocators),
        cmocka_unit_test(test_one_set_is_all_new),
        cmocka_unit_test(test_born_where_first_listed),
        cmocka_unit_test(test_what_nothing_defines),
        cmocka_unit_test(test_wrong_values),
        cmocka_unit_test(test_wrong_lines),
        cmocka_unit_test(test_figures_of_classes),
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_objects_that_come_again),
        cmocka_unit_test(test_missing_tables),
        cmocka_unit_test(test_views_are_not_run),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_figures_do_not_overflow),
        cmocka_unit_test(test_probe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
