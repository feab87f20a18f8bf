/* Java heap dumps: types, sizes, roots, references that do not keep objects alive, damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diagnose.h"
#include "model/build.h"
#include "model/graph.h"
#include "query/graph_query.h"
#include "support/memory_reader.h"
#include "support/named_references.h"

#define NAME "shop.hprof"

extern const mp_reader mp_reader_hprof;

enum { MOST = 4096, TEXTS = 0x5000 };

/* A dump that is written. Ids have 4 bytes. */
typedef struct dump {
    char bytes[MOST];
    size_t length;
} dump;

static void put(dump *out, uint64_t value, size_t bytes)
{
    while (bytes--)
        out->bytes[out->length++] = (char)(value >> 8 * bytes);
}

static void put_all(dump *out, const uint32_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put(out, values[i], 4);
}
#define WORDS(out, ...)                                                                            \
    put_all(out, (const uint32_t[]){__VA_ARGS__},                                                  \
            sizeof(const uint32_t[]){__VA_ARGS__} / sizeof(uint32_t))

/* Begin a record, and return its position; or end the record at this position. */
static size_t begin(dump *out, unsigned tag)
{
    put(out, tag, 1);
    WORDS(out, 0, 0);
    return out->length;
}

static void end(dump *out, size_t from)
{
    const size_t to = out->length;
    out->length = from - 4;
    put(out, to - from, 4);
    out->length = to;
}

static void put_text(dump *out, uint32_t id, const char *text)
{
    const size_t from = begin(out, 0x01);
    put(out, TEXTS + id, 4);
    memcpy(out->bytes + out->length, text, strlen(text));
    out->length += strlen(text);
    end(out, from);
}

/* Addresses. If ids have 4 bytes, the header of an object has 8 bytes, and that of an array has
 * 12. */
enum {
    OBJECT = 0x1000,
    CLASS = 0x1020,
    REFERENCE = 0x1040,
    WEAK = 0x1060,
    CART = 0x1080,
    FIRST_CART = 0x10a0, /* 8 + items 4 + count 4 = 16 */
    ITEMS = 0x10b0,      /* 12 + 2 * 4 = 20, rounded up to 24 */
    BYTES = 0x10c8,      /* 12 + 5 = 17, rounded up to 24 */
    WEAK_CART = 0x10e0,  /* 8 + referent 4 + queue 4 = 16 */
    LAST_CART = 0x10f0,
};

static const char *const texts[] = {"java/lang/Object",
                                    "java/lang/Class",
                                    "java/lang/ref/Reference",
                                    "java/lang/ref/WeakReference",
                                    "shop/Cart",
                                    "[Ljava/lang/Object;",
                                    "referent",
                                    "queue",
                                    "items",
                                    "count",
                                    "LIST",
                                    "add",
                                    "Cart.java"};
enum { REFERENT = TEXTS + 6, QUEUE, ITEMS_FIELD, COUNT, LIST, ADD, SOURCE };

static void put_names(dump *out)
{
    static const uint32_t classes[] = {OBJECT, CLASS, REFERENCE, WEAK, CART, 0x2000};
    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++)
        put_text(out, i, texts[i]);
    for (uint32_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const size_t from = begin(out, 0x02);
        WORDS(out, i + 1, classes[i], 0, TEXTS + i);
        end(out, from);
    }
    size_t from = begin(out, 0x04);
    WORDS(out, 0x77, ADD, 0, SOURCE, 5, 7);
    end(out, from);
    from = begin(out, 0x05);
    WORDS(out, 3, 1, 1, 0x77);
    end(out, from);
}

/* Add a class with up to two fields. Each name is followed by a type; 0 = no field. */
static void put_class(dump *out, uint32_t id, uint32_t above, uint32_t list, const uint32_t *fields)
{
    put(out, 0x20, 1);
    WORDS(out, id, 0, above, 0, 0, 0, 0, 0, 0);
    put(out, 0, 2);
    put(out, list != 0, 2);
    if (list) {
        put(out, LIST, 4);
        put(out, 2, 1);
        put(out, list, 4);
    }
    put(out, !fields ? 0 : 2, 2);
    for (int i = 0; fields && i < 2; i++) {
        put(out, fields[2 * (size_t)i], 4);
        put(out, fields[2 * (size_t)i + 1], 1);
    }
}

static void put_classes(dump *out)
{
    put_class(out, OBJECT, 0, 0, NULL);
    put_class(out, CLASS, OBJECT, 0, NULL);
    put_class(out, REFERENCE, OBJECT, 0, (const uint32_t[]){REFERENT, 2, QUEUE, 2});
    put_class(out, WEAK, REFERENCE, 0, NULL);
    put_class(out, CART, OBJECT, WEAK_CART, (const uint32_t[]){ITEMS_FIELD, 2, COUNT, 10});
}

static void put_objects(dump *out)
{
    put(out, 0x21, 1);
    WORDS(out, FIRST_CART, 0, CART, 8, ITEMS, 2);
    put(out, 0x22, 1);
    WORDS(out, ITEMS, 0, 2, 0x2000, BYTES, 0);
    put(out, 0x23, 1);
    WORDS(out, BYTES, 0, 5);
    put(out, 8, 1);
    put(out, 0, 5);
    put(out, 0x21, 1);
    WORDS(out, WEAK_CART, 0, WEAK, 8, FIRST_CART, LAST_CART);
    put(out, 0x21, 1);
    WORDS(out, LAST_CART, 0, CART, 8, 0, 0);
}

static void put_roots(dump *out)
{
    put(out, 0x08, 1);
    WORDS(out, FIRST_CART, 1, 3);
    put(out, 0x03, 1);
    WORDS(out, LAST_CART, 1, 0);
    put(out, 0x05, 1);
    WORDS(out, CART);
}

static void put_header(dump *out)
{
    static const char version[] = "JAVA PROFILE 1.0.2";
    memcpy(out->bytes, version, sizeof version);
    out->length = sizeof version;
    WORDS(out, 4, 0x18b, 0xcfe56800);
}

/* Write the whole dump. If `late` is true, objects come before their classes. */
static dump whole_dump(bool late)
{
    dump out = {.length = 0};
    put_header(&out);
    put_names(&out);
    size_t from = begin(&out, 0x1c);
    (late ? put_objects : put_classes)(&out);
    end(&out, from);
    from = begin(&out, 0x1c);
    (late ? put_classes : put_objects)(&out);
    put_roots(&out);
    end(&out, from);
    end(&out, begin(&out, 0x2c));
    return out;
}

static reading read_dump(const dump *out, size_t window)
{
    return read_bytes(&mp_reader_hprof, NAME, out->bytes, out->length, window);
}

static uint32_t object_at(const mp_graph *graph, uint64_t id)
{
    for (uint32_t i = 1; i <= graph->count; i++)
        if (graph->ids[i] == id)
            return i;
    return 0;
}

/* Number of bytes that the input gives at a time. */
static const size_t windows[] = {1 << 16, 1, 3};

static void objects_and_types(void **unused)
{
    (void)unused;
    /* Class objects, and the last object, have no array that shows their size. They extend to the
     * next object. */
    static const struct object {
        uint64_t id, size;
        const char *type;
    } expected[] = {{OBJECT, 32, "java.lang.Class"}, {CART, 32, "java.lang.Class"},
                    {FIRST_CART, 16, "shop.Cart"},   {ITEMS, 24, "java.lang.Object[]"},
                    {BYTES, 24, "byte[]"},           {WEAK_CART, 16, "java.lang.ref.WeakReference"},
                    {LAST_CART, 16, "shop.Cart"}};
    for (size_t late = 0; late < 2; late++)
        for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
            const dump out = whole_dump(late);
            reading r = read_dump(&out, windows[w]);
            const mp_graph *graph = r.model->graph;
            assert_true(r.ok);
            assert_int_equal(count_diagnostics(r.diagnostics), 0);
            assert_true(r.model->inputs.items[r.model->inputs.count - 1].complete);
            assert_int_equal(graph->count, 10);
            for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
                const uint32_t object = object_at(graph, expected[i].id);
                const mp_type *type = &r.model->types.items[graph->types[object]];
                assert_int_equal(graph->sizes[object], expected[i].size);
                assert_string_equal(mp_model_text(r.model, type->name), expected[i].type);
            }
            reading_free(&r);
        }
}

/* The references are: four to superclasses, one of a static field, and one each from the first
 * Cart, its array, and the weak reference. The referent of the weak reference is left out. */
static void references_and_roots(void **unused)
{
    (void)unused;
    static const char *const roots[] = {"thread 1", "local shop.Cart.add (Cart.java:7)",
                                        "system class", "static field LIST of shop.Cart"};
    static const uint64_t ids[] = {FIRST_CART, LAST_CART, CART, WEAK_CART};
    const dump out = whole_dump(false);
    reading r = read_dump(&out, 1);
    const mp_graph *graph = r.model->graph;
    mp_arena arena = {0};
    const uint32_t weak = object_at(graph, WEAK_CART);
    assert_int_equal(mp_graph_references(graph), 8);
    assert_int_equal(graph->left_out, 1);
    assert_int_equal(graph->first[weak + 1] - graph->first[weak], 1);
    assert_int_equal(graph->ids[graph->targets[graph->first[weak]]], LAST_CART);
    assert_int_equal(graph->roots.count, 5);
    for (uint32_t i = 0; i < 4; i++) {
        const mp_root *root = &graph->roots.items[i + 1];
        assert_int_equal(root->id, ids[i]);
        assert_string_equal(mp_root_text(&arena, r.model, root), roots[i]);
    }
    mp_arena_free(&arena);
    reading_free(&r);
}

/* A dump that is truncated after its first object is used up to this point, and is not complete. */
static void cut_anywhere(void **unused)
{
    (void)unused;
    const dump whole = whole_dump(false);
    for (size_t length = 31; length < whole.length; length++) {
        dump cut = whole;
        cut.length = length;
        reading r = read_dump(&cut, 1 << 16);
        assert_true(find_diagnostic(r.diagnostics, r.ok ? MP_DIAG_TORN : MP_DIAG_NOTHING_USABLE));
        assert_false(r.model->inputs.items[r.model->inputs.count - 1].complete);
        if (r.ok)
            assert_false(mp_graph_tracks(r.model->graph, 1));
        reading_free(&r);
    }
}

static void damaged_records(void **unused)
{
    (void)unused;
    static const struct damage {
        const char *record; /* in the heap */
        size_t length;
        mp_diagnostic_id said;
        uint32_t objects; /* objects in the graph: ten, and the one of a record that can be used */
    } cases[] = {
        {"\x99", 1, MP_DIAG_DAMAGED_SNAPSHOT, 10},                                /* no such tag */
        {"\x23\0\0\x20\0\0\0\0\0\0\0\0\1\x0c", 14, MP_DIAG_DAMAGED_SNAPSHOT, 10}, /* nor type */
        {"\x23\0\0\x20\0\0\0\0\0\xff\xff\xff\xff\x0b", 14, MP_DIAG_DAMAGED_SNAPSHOT,
         10},                                                                         /* too long */
        {"\x23\0\0\x20\0\0\0\0\0\0\0\0\3\x08\1\2", 16, MP_DIAG_DAMAGED_SNAPSHOT, 10}, /* by one */
        {"\x22\0\0\x20\0\0\0\0\0\xff\xff\xff\xff\0\0\x20\0", 17, MP_DIAG_DAMAGED_SNAPSHOT, 10},
        {"\x21\0\0\x20\0\0\0\0\0\0\0\x10\x80\0\0\0\0", 17, MP_DIAG_DAMAGED_SNAPSHOT,
         11}, /* no fields */
        {"\x21\0\0\x20\0\0\0\0\0\0\0\x33\0\0\0\0\0", 17, MP_DIAG_DAMAGED_SNAPSHOT,
         11}, /* the class is not known, so the file is read twice */
        {"\x21\0\0\x10\xb0\0\0\0\0\0\0\x10\0\0\0\0\0", 17, MP_DIAG_DUPLICATE_OBJECT, 10},
        {"\x22\0\0\x20\0\0\0\0\0\0\0\0\1\0\0\x20\0\0\0\x30\0", 21, MP_DIAG_DANGLING_REFERENCE, 11},
        {"\xff\0\0\x30\0", 5, MP_DIAG_ROOT_WITHOUT_OBJECT, 10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dump out = whole_dump(false);
        out.length -= 9; /* the end of the dump */
        const size_t from = begin(&out, 0x1c);
        memcpy(out.bytes + out.length, cases[i].record, cases[i].length);
        out.length += cases[i].length;
        end(&out, from);
        end(&out, begin(&out, 0x2c));
        reading r = read_dump(&out, 1);
        if (!r.ok || !find_diagnostic(r.diagnostics, cases[i].said))
            fail_msg("case %zu", i);
        assert_int_equal(r.model->graph->count, cases[i].objects);
        assert_int_equal(r.model->graph->left_out, 1);
        reading_free(&r);
    }
}

static void refused_headers(void **unused)
{
    (void)unused;
    dump out = whole_dump(false);
    out.bytes[22] = 5; /* length of ids */
    reading r = read_dump(&out, 1);
    assert_false(r.ok);
    assert_true(find_diagnostic(r.diagnostics, MP_DIAG_NOTHING_USABLE));
    reading_free(&r);
    const mp_slice text = {"JAVA PROFILE 1.0.1, created Mon", 31};
    assert_int_equal(mp_reader_hprof.probe(text), MP_NOT_MINE);
    assert_int_equal(mp_reader_hprof.probe((mp_slice){out.bytes, 31}), MP_MINE);
}

/* Fields, elements and the superclass have names. The referent of a weak reference has no name. */
static void names_of_references(void **unused)
{
    (void)unused;
    static const expected_name names[] = {
        {CART, OBJECT, "{superclass}"},  {CART, WEAK_CART, ".LIST"}, {FIRST_CART, ITEMS, ".items"},
        {ITEMS, BYTES, "[0]"},           {WEAK_CART, 1, NULL},       {WEAK_CART, FIRST_CART, NULL},
        {WEAK_CART, LAST_CART, ".queue"}};
    enum { COUNT_OF_NAMES = sizeof names / sizeof *names };
    for (size_t late = 0; late < 2; late++)
        for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
            const dump out = whole_dump(late);
            names_are(&mp_reader_hprof, out.bytes, out.length, windows[w], names, COUNT_OF_NAMES);
        }
    static const expected_name none[] = {{ITEMS, BYTES, NULL}};
    const dump out = whole_dump(false);
    for (size_t length = 0; length < out.length / 2; length++)
        names_are(&mp_reader_hprof, out.bytes, length, 1 << 16, none, 1);
}

/* If the file does not contain the name of a field, the field has no name. A reference is found
 * nevertheless. */
static void nameless_field(void **unused)
{
    (void)unused;
    static const expected_name names[] = {{FIRST_CART, ITEMS, ""}};
    dump out = whole_dump(false);
    for (size_t i = 0; i + 9 < out.length; i++) /* the text "items" becomes one of another id */
        if (memcmp(out.bytes + i, "items", 5) == 0)
            out.bytes[i - 1] = 0x7f;
    names_are(&mp_reader_hprof, out.bytes, out.length, 1 << 16, names, 1);
}

/* --- contents --- */

enum { STRING = 0x3000, ARRAY_LIST, LONG, FIRST_TEXT = 0x4000, VALUE = TEXTS + 0x103, SIZE, CODER };

static void put_numbers(dump *out, uint32_t id, unsigned type, const char *elements, size_t count)
{
    put(out, 0x23, 1);
    WORDS(out, id, 0, (uint32_t)count);
    put(out, type, 1);
    memcpy(out->bytes + out->length, elements, count);
    out->length += count;
}

static void put_facts(dump *out)
{
    put_numbers(out, FIRST_TEXT, 8, "paid", 4);
    put_numbers(out, FIRST_TEXT + 1, 8, "paid", 4);
    put_numbers(out, FIRST_TEXT + 2, 4, "paid", 4); /* flags */
    put_numbers(out, FIRST_TEXT + 3, 8, "\0\0\0", 3);
    put_numbers(out, FIRST_TEXT + 4, 8, "", 0);
    put(out, 0x22, 1);
    WORDS(out, FIRST_TEXT + 5, 0, 3, 0x2000, 0, FIRST_TEXT, 0);
    put(out, 0x21, 1);
    WORDS(out, FIRST_TEXT + 6, 0, ARRAY_LIST, 8, FIRST_TEXT + 5, 17);
    put(out, 0x21, 1);
    WORDS(out, FIRST_TEXT + 7, 0, LONG, 8, 1, 2);
    put(out, 0x21, 1);
    WORDS(out, FIRST_TEXT + 8, 0, STRING, 5, FIRST_TEXT);
    put(out, 1, 1);
    put(out, 0xc3, 1); /* without elements */
    WORDS(out, FIRST_TEXT + 9, 0, 5);
    put(out, 8, 1);
    put(out, 0x21, 1); /* the length is not that of its class */
    WORDS(out, FIRST_TEXT + 10, 0, LONG, 4, 7);
    put(out, 0x05, 1);
    WORDS(out, FIRST_TEXT);
}

static void put_class_of_facts(dump *out, uint32_t id, uint32_t first, unsigned type,
                               uint32_t second, unsigned other)
{
    put_class(out, id, 0, 0, (const uint32_t[]){first, type, second, other});
}

static void put_classes_of_facts(dump *out)
{
    put_class_of_facts(out, STRING, VALUE, 2, CODER, 8);
    put_class_of_facts(out, ARRAY_LIST, ITEMS_FIELD, 2, SIZE, 10);
    put_class_of_facts(out, LONG, COUNT, 10, VALUE, 10);
}

static dump dump_of_facts(bool late)
{
    static const char *const names[] = {
        "java/lang/String", "java/util/ArrayList", "java/lang/Long", "value", "size", "coder"};
    dump out = {.length = 0};
    put_header(&out);
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        put_text(&out, 0x100 + i, names[i]);
        const size_t from = begin(&out, 0x02);
        WORDS(&out, i + 1, STRING + i, 0, TEXTS + 0x100 + i);
        end(&out, from);
    }
    const size_t from = begin(&out, 0x0c);
    (late ? put_facts : put_classes_of_facts)(&out);
    (late ? put_classes_of_facts : put_facts)(&out);
    end(&out, from);
    return out;
}

static void contents_are(const mp_contents *found)
{
    static const mp_content_kind kinds[] = {
        MP_CONTENT_NONE,  MP_CONTENT_NUMBERS, MP_CONTENT_NUMBERS,    MP_CONTENT_NUMBERS,
        MP_CONTENT_ZEROS, MP_CONTENT_NUMBERS, MP_CONTENT_REFERENCES, MP_CONTENT_COLLECTION,
        MP_CONTENT_BOXED, MP_CONTENT_STRING,  MP_CONTENT_MISSING,    MP_CONTENT_NONE};
    const mp_content *items = found->items;
    for (uint32_t i = 1; i < sizeof kinds / sizeof *kinds; i++)
        assert_int_equal(found->kinds[i], kinds[i]);
    assert_memory_equal(&items[1], &items[2], sizeof *items);
    assert_memory_not_equal(&items[1], &items[3], sizeof *items);
    assert_memory_not_equal(&items[4], &items[5], sizeof *items);
    assert_int_equal(items[6].low, 3);
    assert_int_equal(items[6].high, 1);
    assert_int_equal(items[7].low, 17);
    assert_int_equal(items[8].low, 2);
    assert_int_equal(items[9].low, 1); /* two bytes each */
}

/* Contents do not depend on the number of bytes at a time, or on the order of classes and
 * objects. */
static void contents_of_objects(void **unused)
{
    (void)unused;
    for (size_t late = 0; late < 2; late++)
        for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
            const dump out = dump_of_facts(late);
            reading r = read_dump(&out, windows[w]);
            uint8_t kinds[MOST / 8] = {0};
            mp_content items[MOST / 8] = {{0}};
            mp_arena arena = {0};
            mp_wanted_text text = {.array = FIRST_TEXT};
            mp_contents found = {.graph = r.model->graph, .kinds = kinds, .items = items};
            for (size_t texts_too = 0; texts_too < 2; texts_too++) {
                mp_input *input =
                    mp_input_from_memory(NAME, out.bytes, out.length, windows[w], r.diagnostics);
                assert_true(mp_reader_hprof.read_contents(input, &found));
                mp_input_close(input);
                if (!texts_too)
                    contents_are(&found);
                found = (mp_contents){
                    .graph = r.model->graph, .texts = &text, .text_count = 1, .arena = &arena};
            }
            assert_string_equal(text.text, "\"paid\"");
            mp_arena_free(&arena);
            reading_free(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_and_types), cmocka_unit_test(references_and_roots),
        cmocka_unit_test(cut_anywhere),      cmocka_unit_test(damaged_records),
        cmocka_unit_test(refused_headers),   cmocka_unit_test(names_of_references),
        cmocka_unit_test(nameless_field),    cmocka_unit_test(contents_of_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
