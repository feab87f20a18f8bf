/* GC heap dumps of RPM: records, sections, several files, damage. */
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
#include "input/hex.h"
#include "model/build.h"
#include "model/graph.h"
#include "support/memory_reader.h"

#define NAME "shop.gclog"

extern const mp_reader mp_reader_rpm;

/* Read several dumps of one run. */
static reading read_dumps(const char *const *texts, size_t count, const char *domain)
{
    reading r = {.model = mp_model_new(), .diagnostics = mp_diagnostics_new(0), .ok = true};
    mp_load_options options = {.domain = domain};
    void *state = mp_reader_rpm.open(r.model, r.diagnostics, &options);
    for (size_t i = 0; i < count; i++) {
        mp_input *input =
            mp_input_from_memory(NAME, texts[i], strlen(texts[i]), 1 << 16, r.diagnostics);
        MP_ADD(&r.model->inputs)->path = NAME;
        r.ok &= mp_reader_rpm.read(state, input, r.model->inputs.count - 1);
        mp_input_close(input);
    }
    mp_reader_rpm.close(state);
    mp_model_build_tree(r.model, r.diagnostics);
    return r;
}

static reading read_dump(const char *text)
{
    return read_text(&mp_reader_rpm, NAME, text, 1 << 16);
}

static const char *type_name(const reading *r, uint32_t object)
{
    return mp_model_text(r->model, r->model->types.items[r->model->graph->types[object]].name);
}

static uint64_t count_of(const reading *r, mp_diagnostic_id id)
{
    return mp_diagnostics_count(r->diagnostics, id);
}

/* --- hexadecimal words --- */

static void words_of_all_lengths(void **unused)
{
    (void)unused;
    static const char digits[] = "f00dFACE12345678";
    for (size_t length = 1; length <= 16; length++) {
        char text[64];
        snprintf(text, sizeof text, "%.*s%s", (int)length, digits, length % 2 ? " 7" : "\tz");
        const char *cursor = text;
        uint64_t value = 0, expected = 0;
        sscanf(text, "%lx", &expected);
        assert_true(mp_hex_word(&cursor, text + strlen(text), &value));
        assert_int_equal(value, expected);
        assert_ptr_equal(cursor, text + length);
        cursor = text; /* the word ends with the text; it does not matter what follows in memory */
        assert_true(mp_hex_word(&cursor, text + length, &value));
        assert_int_equal(value, expected);
    }
}

static void words_that_are_no_numbers(void **unused)
{
    (void)unused;
    static const char *const cases[] = {"",   " 1",   "g",     "1g", "-1", "0x1",
                                        "/",  ":",    "@",     "`",  "1:", "12345678123456781",
                                        "1,", "\xe1", "1\xc1", "G",  "1G", "12345678G"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64] = "";
        uint64_t value;
        snprintf(text, sizeof text, "%s", cases[i]);
        const char *cursor = text;
        assert_false(mp_hex_word(&cursor, text + strlen(text), &value));
        assert_ptr_equal(cursor, text);
    }
}

/* --- records --- */

/* The part of a dump that the format's document shows. An object with references was added. */
static const char portion[] = "a 2 bubblecs.exe\n"
                              "t 2 System.RuntimeType\n"
                              "o 7c79f 2 64\n"
                              "t 1 System.NullReferenceException\n"
                              "o 7cb42 2 64\n"
                              "o 1ce004 1 18\n"
                              "t 3 System.OutOfMemoryException\n"
                              "o 1ce056 1d 118 1ce11f 7c79f 1ce004\n"
                              "r 22c81b 5 0\n"
                              "r 1ce056 4 1 3\n"
                              "c bubblecs.exe\n";

static void check_portion(const reading *r)
{
    const mp_graph *graph = r->model->graph;
    assert_true(r->ok);
    assert_int_equal(graph->count, 4);
    assert_true(graph->hexadecimal);
    assert_int_equal(graph->ids[4], 0x1ce056);
    assert_int_equal(graph->sizes[4], 0x118);
    assert_int_equal(graph->sizes[3], 0x18);
    assert_string_equal(type_name(r, 1), "System.RuntimeType");
    assert_string_equal(type_name(r, 3), "System.NullReferenceException");
    assert_string_equal(type_name(r, 4), "<type 1d>");
    assert_int_equal(r->model->types.items[graph->types[4]].number, 0x1d);
    assert_int_equal(mp_graph_references(graph), 2);
    assert_int_equal(graph->targets[0], 1);
    assert_int_equal(graph->targets[1], 3);
    assert_int_equal(graph->dangling, 1);
    assert_int_equal(graph->declared_types, 3);
    assert_int_equal(graph->roots.count, 3);
    assert_int_equal(graph->roots.items[1].object, 0);
    assert_int_equal(graph->roots.items[1].id, 0x22c81b);
    assert_int_equal(graph->roots.items[1].kind, MP_ROOT_RUNTIME);
    assert_int_equal(graph->roots.items[1].container.i, 0);
    assert_int_equal(graph->roots.items[2].object, 4);
    assert_int_equal(graph->roots.items[2].flags, MP_ROOT_PINNED);
    assert_string_equal(
        mp_model_text(r->model, r->model->types.items[graph->roots.items[2].container.i].name),
        "System.OutOfMemoryException");
    assert_string_equal(mp_model_text(r->model, r->model->sessions.items[1].application),
                        "bubblecs.exe");
    assert_true(r->model->inputs.items[1].complete);
    assert_int_equal(r->model->inputs.items[1].records, 11);
    assert_int_equal(r->model->inputs.items[1].format_version, 2);
    assert_int_equal(r->model->snapshots.items[1].live_objects, 4);
    assert_int_equal(r->model->snapshots.items[1].live_bytes, 0x64 + 0x64 + 0x18 + 0x118);
    assert_int_equal(r->model->holds, MP_HOLDS_LEDGER | MP_HOLDS_GRAPH);
    assert_int_equal(count_of(r, MP_DIAG_UNDEFINED_TYPE), 1);
    assert_int_equal(count_of(r, MP_DIAG_DANGLING_REFERENCE), 1);
    assert_int_equal(count_of(r, MP_DIAG_ROOT_WITHOUT_OBJECT), 1);
    assert_int_equal(count_diagnostics(r->diagnostics), 3);
}

static void the_document_s_portion(void **unused)
{
    (void)unused;
    static const size_t windows[] = {1, 7, 1 << 16};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        reading r = read_text(&mp_reader_rpm, NAME, portion, windows[i]);
        check_portion(&r);
        reading_free(&r);
    }
}

static void other_line_ends_blanks_and_case(void **unused)
{
    (void)unused;
    char text[sizeof portion * 4], *out = text;
    for (const char *p = portion; *p; p++) {
        if (*p == '\n')
            out += sprintf(out, " \t\r\n\r\n  \n");
        else if (*p == ' ')
            out += sprintf(out, p[-1] == 'o' ? "\t" : "  ");
        else
            *out++ = *p == 'c' && p[1] == 'e' && p[2] == '0' ? 'C' : *p; /* the c in 1ce056 */
    }
    *out = '\0';
    reading r = read_dump(text);
    check_portion(&r);
    reading_free(&r);
}

static void names_are_the_rest_of_the_line(void **unused)
{
    (void)unused;
    reading r = read_dump("a 2 My Shop.exe 444d20df\n"
                          "t 1 Shop.Map<System.String,  Shop.Order> \n"
                          "t 2 K\xf6nig\n"
                          "o 1 1 10\no 2 2 10\n"
                          "c My Shop.exe 444d22fc\n");
    assert_string_equal(type_name(&r, 1), "Shop.Map<System.String,  Shop.Order>");
    assert_string_equal(type_name(&r, 2), "K\xc3\xb6nig");
    assert_string_equal(mp_model_text(r.model, r.model->sessions.items[1].application),
                        "My Shop.exe");
    assert_int_equal(count_of(&r, MP_DIAG_NOT_UTF8), 1);
    assert_int_equal(count_diagnostics(r.diagnostics), 1);
    reading_free(&r);
}

/* The last word is a time stamp only if a name precedes it. */
static void a_name_that_looks_like_a_stamp(void **unused)
{
    (void)unused;
    static const struct {
        const char *record, *name;
    } cases[] = {
        {"a 2 cafe", "cafe"},       {"a 2 cafe 1", "cafe"},
        {"a 2 the cafe", "the"},    {"a 2 the cafe 444d20df", "the cafe"},
        {"a 2 shop v2", "shop v2"}, {"a 2 shop 123456789", "shop 123456789"}}; /* over 32 bits */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s\nt 1 T\no 1 1 1\nc x\n", cases[i].record);
        reading r = read_dump(text);
        assert_string_equal(mp_model_text(r.model, r.model->graph->domains.items[1].name),
                            cases[i].name);
        reading_free(&r);
    }
}

static void roots_of_unknown_kinds_and_flags_are_kept(void **unused)
{
    (void)unused;
    reading r = read_dump("a 2 x\nr 1 4 0\nr 1 1f 8000000a\nr 1 3 2 9\nt 1 T\no 1 1 1\nc x\n");
    const mp_graph *graph = r.model->graph;
    assert_int_equal(graph->roots.count, 4);
    assert_int_equal(graph->roots.items[1].container.i, 0); /* a static field without a container */
    assert_int_equal(graph->roots.items[2].kind, 0x1f);
    assert_int_equal(graph->roots.items[2].flags, 0x8000000a);
    assert_string_equal(
        mp_model_text(r.model, r.model->types.items[graph->roots.items[3].container.i].name),
        "<type 9>");
    for (uint32_t i = 1; i < graph->roots.count; i++)
        assert_int_equal(graph->roots.items[i].object, 1);
    reading_free(&r);
}

static void rows_that_are_no_records_are_skipped(void **unused)
{
    (void)unused;
    static const char *const rows[] = {
        "x 1 2 3",
        "O 1 1 1",
        "o",
        "o 2",
        "o 2 1",
        "o 2 1 g",
        "o 2 1 1 1 zz",
        "o 2 1 1 0x1",
        "o2 1 1",
        "r 1 4",
        "r 1 4 x",
        "r 1 4 0 y",
        "r 1 4 0 1 y",
        "r 1 100000000 0",
        "t 5",
        "t x System.X",
        "a 2",
        "a z name",
        "c",
        "o 2 1 11112222333344445",
        "o 2 1 ffffffffffffffff",
        "*** end",
        "=",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        snprintf(text, sizeof text, "a 2 x\nt 1 T\no 1 1 1\nr 1 4 0\n%s\nc x\n", rows[i]);
        reading r = read_dump(text);
        assert_true(r.ok);
        assert_int_equal(count_of(&r, MP_DIAG_BAD_ROW), 1);
        assert_int_equal(count_diagnostics(r.diagnostics), 1);
        assert_int_equal(find_diagnostic(r.diagnostics, MP_DIAG_BAD_ROW)->line, 5);
        assert_int_equal(r.model->graph->count, 1);
        assert_int_equal(r.model->graph->roots.count, 2);
        assert_int_equal(r.model->inputs.items[1].records, 5);
        assert_true(r.model->inputs.items[1].complete);
        reading_free(&r);
    }
}

/* --- sections --- */

static const char two_domains[] = "a 2 first.exe 10\n"
                                  "o 1 1 10 2 3\n"
                                  "o 2 2 20\n"
                                  "r 1 4 0 2\n"
                                  "t 1 Shop.Order\n"
                                  "t 2 Shop.Map\n"
                                  "c first.exe 20\n"
                                  "a 2 second.exe 30\n"
                                  "t 1 Shop.Map\n"
                                  "o 2 1 40 1\n"
                                  "o 3 7 80 2\n"
                                  "r 1 5 0\n"
                                  "c second.exe 40\n";

static void sections_have_names_of_their_own(void **unused)
{
    (void)unused;
    reading r = read_dump(two_domains);
    const mp_graph *graph = r.model->graph;
    static const uint32_t targets[] = {2, 4, 1, 3};
    assert_int_equal(graph->count, 4);
    assert_int_equal(graph->domains.count, 3);
    assert_memory_equal(graph->targets, targets, sizeof targets);
    assert_int_equal(graph->types[3], graph->types[2]); /* both types have the same name */
    assert_string_equal(type_name(&r, 4), "<type 7>");
    assert_int_equal(graph->declared_types, 2);
    assert_int_equal(graph->roots.items[1].object, 1);
    assert_int_equal(graph->roots.items[1].container.i, graph->types[2]);
    assert_int_equal(graph->roots.items[2].object, 1); /* root that is in the other section */
    assert_true(r.model->inputs.items[1].complete);
    assert_string_equal(mp_model_text(r.model, r.model->sessions.items[1].application),
                        "first.exe");
    reading_free(&r);
}

static void one_domain_alone(void **unused)
{
    (void)unused;
    const char *texts[] = {two_domains};
    reading r = read_dumps(texts, 1, "second.exe");
    const mp_graph *graph = r.model->graph;
    assert_true(r.ok);
    assert_int_equal(graph->count, 2);
    assert_int_equal(graph->domains.count, 2);
    assert_int_equal(graph->dangling, 1); /* object 1 is in first.exe */
    assert_int_equal(graph->roots.count, 2);
    assert_int_equal(graph->roots.items[1].object, 0);
    assert_int_equal(graph->declared_types, 1);
    assert_true(r.model->inputs.items[1].complete);
    assert_string_equal(mp_model_text(r.model, r.model->sessions.items[1].application),
                        "second.exe");
    reading_free(&r);
}

static void a_domain_that_is_not_there(void **unused)
{
    (void)unused;
    const char *texts[] = {two_domains};
    reading r = read_dumps(texts, 1, "third.exe");
    assert_false(r.ok);
    assert_null(r.model->graph);
    const mp_diagnostic *said = find_diagnostic(r.diagnostics, MP_DIAG_NOTHING_USABLE);
    assert_non_null(said);
    assert_non_null(strstr(said->message, "\"third.exe\""));
    assert_non_null(strstr(said->message, "\"first.exe\", \"second.exe\""));
    assert_false(r.model->inputs.items[1].complete);
    reading_free(&r);
}

static void records_outside_of_sections(void **unused)
{
    (void)unused;
    reading r = read_dump("t 1 T\no 1 1 1\nc x\na 2 y\nt 1 U\no 1 1 1\nc y\n");
    assert_int_equal(r.model->graph->count, 2);
    assert_int_equal(r.model->graph->domains.count, 3);
    assert_int_equal(r.model->graph->domains.items[1].name.i, 0);
    assert_int_equal(count_diagnostics(r.diagnostics), 0);
    reading_free(&r);
}

static void a_type_declared_again(void **unused)
{
    (void)unused;
    reading r = read_dump("a 2 x\nt 1 First\nt 1 Second\nt 1001 Far\no 1 1 1\no 2 1001 1\n"
                          "t fffffffffffffff0 Farthest\no 3 fffffffffffffff0 1\nc x\n");
    assert_string_equal(type_name(&r, 1), "First");
    assert_string_equal(type_name(&r, 2), "Far");
    assert_string_equal(type_name(&r, 3), "Farthest");
    reading_free(&r);
}

/* --- damage --- */

static void a_section_that_is_not_closed(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "a 2 x\nt 1 T\no 1 1 1\no 2 1 1\n",                    /* no c */
        "a 2 x\nt 1 T\no 1 1 1\no 2 1 1\no 3 1 ",              /* truncated in a record */
        "a 2 x\nt 1 T\no 1 1 1\no 2 1 1\nc x",                 /* the name may be truncated */
        "a 2 x\nt 1 T\no 1 1 1\na 2 y\nt 2 T\no 2 2 1\nc y\n", /* the first one */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        reading r = read_dump(texts[i]);
        assert_true(r.ok);
        assert_int_equal(r.model->graph->count, 2);
        assert_int_equal(count_of(&r, MP_DIAG_TORN), 1);
        assert_int_equal(count_diagnostics(r.diagnostics), 1);
        assert_false(r.model->inputs.items[1].complete);
        assert_true(r.model->snapshots.items[1].whole);
        reading_free(&r);
    }
}

/* For a dump that is truncated anywhere, its complete lines count. */
static void cut_at_every_byte(void **unused)
{
    (void)unused;
    for (size_t length = 1; length <= strlen(two_domains); length++) {
        uint32_t objects = 0;
        for (size_t i = 0; i < length; i++)
            if (two_domains[i] == '\n' && i + 1 <= length) {
                size_t start = i;
                while (start > 0 && two_domains[start - 1] != '\n')
                    start--;
                objects += two_domains[start] == 'o';
            }
        reading r = read_bytes(&mp_reader_rpm, NAME, two_domains, length, 3);
        assert_int_equal(r.ok, objects > 0);
        if (r.ok)
            assert_int_equal(r.model->graph->count, objects);
        assert_int_equal(count_of(&r, MP_DIAG_BAD_ROW), 0);
        reading_free(&r);
    }
}

static void nothing_usable(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"a 2 x\nt 1 T\nr 1 4 0\nc x\n", "a 2 x\n", "\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        reading r = read_dump(texts[i]);
        assert_false(r.ok);
        assert_int_equal(count_of(&r, MP_DIAG_NOTHING_USABLE), 1);
        assert_int_equal(count_diagnostics(r.diagnostics), 1);
        assert_null(r.model->graph);
        reading_free(&r);
    }
}

static void another_version(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"a 3 x\nt 1 T\no 1 1 1\nc x\n",
                                        "a 0 x\nt 1 T\no 1 1 1\nc x\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        reading r = read_dump(texts[i]);
        assert_false(r.ok);
        assert_int_equal(count_of(&r, MP_DIAG_UNSUPPORTED_VERSION), 1);
        assert_int_equal(count_diagnostics(r.diagnostics), 1);
        reading_free(&r);
    }
}

static void duplicates_are_counted(void **unused)
{
    (void)unused;
    reading r = read_dump("a 2 x\nt 1 T\nt 2 U\no 1 1 1 2\no 1 2 5 1 1\no 2 1 1\nc x\n");
    assert_int_equal(r.model->graph->count, 2);
    assert_int_equal(r.model->graph->duplicates, 1);
    assert_int_equal(mp_graph_references(r.model->graph), 1);
    assert_int_equal(r.model->snapshots.items[1].live_bytes, 2);
    assert_int_equal(count_of(&r, MP_DIAG_DUPLICATE_OBJECT), 1);
    reading_free(&r);
}

/* --- several dumps --- */

static const mp_cost *delta_of(const reading *r, const char *type, uint32_t snapshot)
{
    const mp_model *model = r->model;
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.items[i];
        const mp_context *context =
            &model->contexts.items[model->generations.items[delta->generation.i].context.i];
        const char *name = mp_model_text(model, model->types.items[context->type.i].name);
        if (delta->snapshot.i == snapshot && strcmp(name, type) == 0)
            return &delta->cost;
    }
    return NULL;
}

static void dumps_are_moments_of_one_session(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "a 2 x fffffff0\nt 1 A\nt 2 B\no 1 1 10\no 2 1 10\no 3 2 1\nc x fffffff8\n",
        "a 2 x 10\nt 2 A\nt 1 C\no 1 2 10\no 9 2 10\no 2 2 8\no 3 1 1\nc x 20\n",
        "a 2 x\nt 5 A\nt 6 B\no 1 5 28\nc x\n",
    };
    reading r = read_dumps(texts, 3, NULL);
    const mp_model *model = r.model;
    assert_true(r.ok);
    assert_int_equal(model->sessions.count, 2);
    assert_int_equal(model->sessions.items[1].snapshots, 3);
    assert_int_equal(model->snapshots.count, 4);
    for (uint32_t i = 1; i <= 3; i++) {
        assert_int_equal(model->snapshots.items[i].sequence, i);
        assert_int_equal(model->snapshots.items[i].ordinal, i);
        assert_true(model->snapshots.items[i].whole);
    }
    assert_int_equal(model->snapshots.items[1].time_us, 0);
    assert_int_equal(model->snapshots.items[2].time_us, 32000); /* the clock was restarted */
    assert_int_equal(model->snapshots.items[3].time_us, 0);     /* unknown */
    assert_int_equal(model->snapshots.items[2].live_objects, 4);
    assert_int_equal(model->snapshots.items[2].live_bytes, 0x29);
    assert_int_equal(delta_of(&r, "A", 1)->found, 2);
    assert_int_equal(delta_of(&r, "A", 2)->found, 1);
    assert_int_equal(delta_of(&r, "A", 2)->bytes, 8);
    assert_int_equal(delta_of(&r, "A", 3)->found, -2);
    assert_int_equal(delta_of(&r, "A", 3)->bytes, 0);
    assert_int_equal(delta_of(&r, "B", 2)->found, -1);
    assert_null(delta_of(&r, "B", 3));
    assert_int_equal(delta_of(&r, "C", 3)->found, -1);
    assert_int_equal(model->graph->snapshot.i, 3);
    assert_int_equal(model->graph->declared_types, 2); /* A, and B, which does not have objects */
    reading_free(&r);
}

static void a_dump_that_is_none_among_others(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"a 2 x\nt 1 A\no 1 1 1\nc x\n", "a 2 x\nc x\n",
                                        "a 2 x\nt 1 A\no 1 1 2\nc x\n"};
    reading r = read_dumps(texts, 3, NULL);
    assert_false(r.ok);
    assert_int_equal(r.model->sessions.items[1].snapshots, 2);
    assert_false(r.model->snapshots.items[2].whole);
    assert_int_equal(r.model->snapshots.items[3].sequence, 2);
    assert_int_equal(delta_of(&r, "A", 3)->bytes, 1);
    reading_free(&r);
}

/* --- detection --- */

static void what_is_a_dump(void **unused)
{
    (void)unused;
    static const char *const ours[] = {
        "a 2 bubblecs.exe\n\nt 2 System.RuntimeType\n",
        "\r\n a 2 My App.exe 444d20df\r\no 1 2 3\r\n",
        "a 2 x\nc x\n",
        "a 2 x\nr 1 4 0 13c\n",
        "a 3 x\nt 1 T\n",
        "a 2 x",
    };
    static const char *const others[] = {
        "",
        "\n",
        "a",
        "a 2",
        "a b",
        "a bad example\nc x\n",
        "a 2 x\nthis is text\n",
        "a 2 x\nb 1 2 3 4 5 6 7 8 9 a b c\n",
        "a 2 x\no 1 2\n",
        "a 2 x\no one two three\n",
        "a cat sat\no 1 2 3\n",
        "v 10400 2\nX /usr/bin/shop\n",
        "o 1 2 3\n",
        "t 1 System.String\n",
    };
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        assert_int_equal(mp_reader_rpm.probe(mp_slice_of(ours[i])), MP_MINE);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(mp_reader_rpm.probe(mp_slice_of(others[i])), MP_NOT_MINE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_all_lengths),
        cmocka_unit_test(words_that_are_no_numbers),
        cmocka_unit_test(the_document_s_portion),
        cmocka_unit_test(other_line_ends_blanks_and_case),
        cmocka_unit_test(names_are_the_rest_of_the_line),
        cmocka_unit_test(a_name_that_looks_like_a_stamp),
        cmocka_unit_test(roots_of_unknown_kinds_and_flags_are_kept),
        cmocka_unit_test(rows_that_are_no_records_are_skipped),
        cmocka_unit_test(sections_have_names_of_their_own),
        cmocka_unit_test(one_domain_alone),
        cmocka_unit_test(a_domain_that_is_not_there),
        cmocka_unit_test(records_outside_of_sections),
        cmocka_unit_test(a_type_declared_again),
        cmocka_unit_test(a_section_that_is_not_closed),
        cmocka_unit_test(cut_at_every_byte),
        cmocka_unit_test(nothing_usable),
        cmocka_unit_test(another_version),
        cmocka_unit_test(duplicates_are_counted),
        cmocka_unit_test(dumps_are_moments_of_one_session),
        cmocka_unit_test(a_dump_that_is_none_among_others),
        cmocka_unit_test(what_is_a_dump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
