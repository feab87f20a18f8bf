/* V8 heap snapshots: types, roots, references that keep nothing alive, damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "model/build.h"
#include "model/graph.h"
#include "query/graph_query.h"
#include "support/memory_reader.h"
#include "support/named_references.h"

#define NAME "shop.heapsnapshot"

extern const mp_reader mp_reader_heapsnapshot;

/* The head of a snapshot with 5 fields per node. Types of nodes: 0 hidden, 1 array, 2 string,
 * 3 object, 4 code, 5 closure, 6 native, 7 synthetic, 8 object shape. Types of edges: 0 context,
 * 1 element, 2 property, 3 internal, 4 hidden, 5 shortcut, 6 weak. */
#define META(counts)                                                                               \
    "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\","            \
    "\"edge_count\"],\"node_types\":[[\"hidden\",\"array\",\"string\",\"object\",\"code\","        \
    "\"closure\",\"native\",\"synthetic\",\"object shape\"],\"string\",\"number\",\"number\","     \
    "\"number\"],\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],\"edge_types\":"         \
    "[[\"context\",\"element\",\"property\",\"internal\",\"hidden\",\"shortcut\",\"weak\"],"       \
    "\"string_or_number\",\"node\"]}" counts "},\n"

/* A program whose global object (id 7) holds an Emitter (9), which holds a closure (11). The stack
 * refers to the Emitter, too, but that is the user's object. A system object (13) is held by the
 * stack; it refers to the Emitter. The closure refers weakly to a string (15), which a shortcut of
 * the global object and the stack refer to.
 *
 *   node  0 root       -element-> 5, 10, -shortcut-> 15
 *         5 (Stack roots) -> 20, 30, 35
 *        10 (Handle scope)
 *        15 global     -property-> 20, -shortcut-> 35
 *        20 Emitter    -property-> 25
 *        25 closure    -weak-> 35
 *        30 system     -internal-> 20
 *        35 string */
#define NODES                                                                                      \
    "\"nodes\":[7,0,1,0,3,\n7,1,3,0,3,\n7,8,5,0,0,\n3,2,7,10,2,\n3,3,9,100,1,\n5,4,11,64,1,\n"     \
    "0,5,13,16,1,\n2,6,15,8,0\n],\n"
#define EDGES                                                                                      \
    "\"edges\":[1,1,5,1,2,10,\n5,2,15,\n3,1,20,3,2,30,3,3,35,2,7,20,5,7,35,2,7,25,6,7,35,3,7,20]," \
    "\n"
#define STRINGS                                                                                    \
    "\"strings\":[\"\",\"(Stack roots)\",\"global\",\"Emitter\",\"onPrice\",\"system / Map\","     \
    "\"some \\\"text\\\"\",\"x\",\"(Handle scope)\"]}\n"
#define COUNTS ",\"node_count\":8,\"edge_count\":11"
#define WHOLE META(COUNTS) NODES EDGES STRINGS

static reading read_snapshot(const char *text, size_t window)
{
    return read_text(&mp_reader_heapsnapshot, NAME, text, window);
}

static const char *type_name(const reading *r, uint32_t object)
{
    return mp_model_text(r->model, r->model->types.items[r->model->graph->types[object]].name);
}

/* Number of bytes that the input gives at a time. */
static const size_t windows[] = {1 << 16, 1, 3};

/* A damaged or truncated file, and the diagnostic that it causes. */
typedef struct damage {
    const char *text;
    mp_diagnostic_id said;
    bool usable;
} damage;

static void damaged_files(void **unused)
{
    (void)unused;
    static const damage cases[] = {
        {"{\"snapshot\":{}}", MP_DIAG_NOTHING_USABLE, false},
        {"{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\"]", MP_DIAG_NOTHING_USABLE, false},
        {META(COUNTS), MP_DIAG_NOTHING_USABLE, false},
        {META(COUNTS) "\"nodes\":[7,0,1,0,2,7", MP_DIAG_NOTHING_USABLE, false},
        {META(COUNTS) "\"nodes\":[7,0,1,0]}", MP_DIAG_NOTHING_USABLE, false},
        {META(COUNTS) "\"nodes\":[7,0,1,0,-2]}", MP_DIAG_NOTHING_USABLE, false},
        {META(COUNTS) "\"nodes\":[7,0,1,0,18446744073709551616]}", MP_DIAG_NOTHING_USABLE, false},
        {META(COUNTS) "\"nodes\":[7,0,1,0,18446744073709551615]}", MP_DIAG_NOTHING_USABLE, false},
        {META(COUNTS) "\"nodes\":[3,0,1,9223372036854775808,0]}", MP_DIAG_NOTHING_USABLE, false},
        {META(COUNTS) "\"nodes\":[]," EDGES STRINGS, MP_DIAG_NOTHING_USABLE, false},
        {META(COUNTS) EDGES NODES STRINGS, MP_DIAG_NOTHING_USABLE, false},
        {META(COUNTS) "\"strings\":[]," NODES EDGES "}", MP_DIAG_NOTHING_USABLE, false},
        {META(COUNTS) NODES, MP_DIAG_TORN, true},
        {META(COUNTS) NODES "\"edges\":[1,1,5,5,2", MP_DIAG_TORN, true},
        {META(COUNTS) NODES EDGES, MP_DIAG_TORN, true},
        {META(COUNTS) NODES EDGES "\"strings\":[\"\",\"(Stack", MP_DIAG_TORN, true},
        {META(COUNTS) NODES EDGES "\"strings\":[\"\\ud83", MP_DIAG_TORN, true},
        {META(COUNTS) NODES EDGES "\"strings\":[\"\\x\"]}", MP_DIAG_DAMAGED_SNAPSHOT, true},
        {META(COUNTS) NODES EDGES "\"strings\":[\"\",\"(Stack roots)\"]}", MP_DIAG_UNDEFINED_TYPE,
         true},
        {META(COUNTS) NODES "\"edges\":[1,\"a\",5]," STRINGS, MP_DIAG_DAMAGED_SNAPSHOT, true},
        {META(COUNTS) NODES "\"edges\":[1,1,5]," STRINGS, MP_DIAG_DAMAGED_SNAPSHOT, true},
        {META(COUNTS) NODES EDGES EDGES STRINGS, MP_DIAG_DAMAGED_SNAPSHOT, true},
        {META(",\"node_count\":18446744073709551614") NODES EDGES STRINGS, MP_DIAG_DAMAGED_SNAPSHOT,
         true},
        {META(",\"edge_count\":9") NODES EDGES STRINGS, MP_DIAG_DAMAGED_SNAPSHOT, true},
        {WHOLE "{", MP_DIAG_DAMAGED_SNAPSHOT, true},
        {META(COUNTS) NODES
         "\"edges\":[1,1,6,1,2,10,5,2,15,3,1,20,3,2,30,3,3,35,2,7,20,5,7,35,2,7,25,6,7,"
         "35,3,7,40]," STRINGS,
         MP_DIAG_DAMAGED_SNAPSHOT, true},
        {META(COUNTS) "\"nodes\":[7,0,1,0,0,99,1,1,0,0],\"edges\":[]," STRINGS,
         MP_DIAG_DAMAGED_SNAPSHOT, true},
        {META("") "\"nodes\":[7,0,1,0,0,3,1,3,0,0,3,1,3,0,0],\"edges\":[]," STRINGS,
         MP_DIAG_DUPLICATE_OBJECT, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t w = 0; w < 2; w++) {
            reading r = read_snapshot(cases[i].text, windows[w]);
            if (r.ok != cases[i].usable || !find_diagnostic(r.diagnostics, cases[i].said))
                fail_msg("case %zu: %s", i, cases[i].text);
            assert_false(r.model->inputs.items[r.model->inputs.count - 1].complete &&
                         cases[i].said == MP_DIAG_TORN);
            reading_free(&r);
        }
}

/* If there are no edges, it is unknown what keeps objects alive, and objects have no names. */
static void nodes_alone(void **unused)
{
    (void)unused;
    reading r = read_snapshot(META(COUNTS) NODES "\"edges\":[1,1,5,5,2,15,3", 1);
    const mp_graph *graph = r.model->graph;
    assert_true(r.ok);
    assert_int_equal(graph->count, 7); /* the root is not an object */
    assert_int_equal(mp_graph_references(graph), 0);
    assert_false(mp_graph_tracks(graph, 3));
    assert_string_equal(type_name(&r, 3), "(object)");
    reading_free(&r);
}

/* Escapes, members that are skipped at any depth, and white space. */
static void odd_texts(void **unused)
{
    (void)unused;
    static const struct text {
        const char *string, *type;
    } cases[] = {
        {"A\\u00e4\\ud83d\\ude00", "A\xc3\xa4\xf0\x9f\x98\x80"},
        {"\\ud83d", "\xef\xbf\xbd"},
        {"\\ude00x", "\xef\xbf\xbdx"},
        {"\\ud83d\\n", "\xef\xbf\xbd\n"},
        {"a\\u0000b", "a\xef\xbf\xbd"
                      "b"},
        {"\xff", "\xc3\xbf"},
        {"", "(object)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t w = 0; w < 2; w++) {
            char text[2000];
            snprintf(text, sizeof text,
                     "%s\"x\":[[[[{\"]\":1e5},null]]]], \"nodes\" : [7,0,1,0,1,3,1,3,8,0],\n"
                     "\"edges\":\t[1,0,5],\"y\":\"\\\"\",\"strings\":[\"\",\"%s\"]\r\n}  ",
                     META(""), cases[i].string);
            reading r = read_snapshot(text, windows[w]);
            assert_true(r.ok);
            assert_string_equal(type_name(&r, 1), cases[i].type);
            reading_free(&r);
        }
}

static void objects_and_types(void **unused)
{
    (void)unused;
    static const struct object {
        uint64_t id, size;
        const char *type;
    } expected[] = {{7, 10, "global"},
                    {9, 100, "Emitter"},
                    {11, 64, "(closure) onPrice"},
                    {13, 16, "system / Map"},
                    {15, 8, "(string)"}};
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
        reading r = read_snapshot(WHOLE, windows[w]);
        const mp_graph *graph = r.model->graph;
        assert_true(r.ok);
        assert_int_equal(count_diagnostics(r.diagnostics), 0);
        assert_true(r.model->inputs.items[r.model->inputs.count - 1].complete);
        assert_int_equal(r.model->inputs.items[r.model->inputs.count - 1].records, 8);
        assert_int_equal(graph->count, 5);
        for (uint32_t i = 0; i < 5; i++) {
            assert_int_equal(graph->ids[i + 1], expected[i].id);
            assert_int_equal(graph->sizes[i + 1], expected[i].size);
            assert_string_equal(type_name(&r, i + 1), expected[i].type);
        }
        reading_free(&r);
    }
}

/* Weak edges, shortcuts of objects, and references from other objects to the user's objects are
 * left out. */
static void references_and_roots(void **unused)
{
    (void)unused;
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
        reading r = read_snapshot(WHOLE, windows[w]);
        const mp_graph *graph = r.model->graph;
        mp_arena arena = {0};
        assert_int_equal(mp_graph_references(graph), 2);
        assert_int_equal(graph->targets[graph->first[1]], 2); /* global to Emitter */
        assert_int_equal(graph->targets[graph->first[2]], 3); /* Emitter to closure */
        assert_int_equal(graph->left_out, 9);
        assert_int_equal(graph->roots.count, 4);
        static const uint32_t objects[] = {1, 4, 5};
        static const char *const kinds[] = {"user", "Stack", "Stack"};
        for (uint32_t i = 0; i < 3; i++) {
            const mp_root *root = &graph->roots.items[i + 1];
            assert_int_equal(root->object, objects[i]);
            assert_int_equal(root->id, graph->ids[objects[i]]);
            assert_string_equal(mp_root_kind_text(&arena, r.model, root->kind), kinds[i]);
        }
        mp_arena_free(&arena);
        reading_free(&r);
    }
}

/* --- names of references --- */

/* Check that references of a snapshot get these names, for input of any size at a time. */
static void names_in(const char *text, const expected_name *expected, size_t count)
{
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++)
        names_are(&mp_reader_heapsnapshot, text, strlen(text), windows[w], expected, count);
}

/* Weak edges and shortcuts do not give a name to a reference. If the file does not contain a name,
 * the reference has none. */
static void names_of_references(void **unused)
{
    (void)unused;
    static const expected_name names[] = {{7, 9, ".x"},   {7, 15, NULL},  {9, 11, ".x"},
                                          {11, 15, NULL}, {13, 9, "{x}"}, {13, 11, NULL},
                                          {13, 999, NULL}};
    static const expected_name unread[] = {{7, 9, ""}, {11, 15, NULL}};
    names_in(WHOLE, names, sizeof names / sizeof *names);
    names_in(META(COUNTS) NODES EDGES "\"strings\":[\"\",\"(Stack", unread, 2);
    names_in(META(COUNTS) NODES EDGES "\"strings\":[\"\"]}", unread, 2);
    names_in(META(COUNTS) NODES "\"edges\":[1,1", (expected_name[]){{7, 9, NULL}}, 1);
    names_in("{\"snapshot\":{\"meta\":{}}}", (expected_name[]){{7, 9, NULL}}, 1);
}

/* If several edges connect the same objects, properties, variables and elements give the reference
 * its name; edges of V8 itself do so only if there are no others. Names are cut to 80 bytes,
 * between characters. */
static void kinds_of_names(void **unused)
{
    (void)unused;
    static const char edges[] =
        "\"nodes\":[3,1,1,8,7,\n3,2,3,8,0,\n3,2,5,8,0,\n3,2,7,8,0,\n3,2,9,8,0],"
        "\"edges\":[4,3,5,3,2,5,1,17,5,\n4,3,10,3,3,10,\n0,4,15,\n2,5,20],";
    static const expected_name names[] = {
        {1, 3, "[17]"},
        {1, 5, "{map \xc2\x80}"},
        {1, 7, "[\"a b\"]"},
        {1, 9,
         ".eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee..."}};
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    fprintf(file, "%s%s\"strings\":[\"\",\"A\",\"B\",\"map \xc2\x80\",\"a b\",\"", META(""), edges);
    for (int i = 0; i < 79; i++)
        fputc('e', file);
    for (int i = 0; i < 300000; i++)
        fputs("\xc3\xa9", file);
    fputs("\"]}", file);
    fclose(file);
    names_in(text, names, sizeof names / sizeof *names);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_and_types), cmocka_unit_test(references_and_roots),
        cmocka_unit_test(damaged_files),     cmocka_unit_test(nodes_alone),
        cmocka_unit_test(odd_texts),         cmocka_unit_test(names_of_references),
        cmocka_unit_test(kinds_of_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
