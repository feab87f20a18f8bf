/* pprof profiles: the wire format, detection, and a profile that is read with any number of bytes
 * at a time. */
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
#include "readers/pprof_wire.h"
#include "support/memory_reader.h"

#define NAME "heap.pprof"

extern const mp_reader mp_reader_pprof;

/* --- the wire format --- */

static pb_wire wire_of(const char *bytes, size_t length, size_t window,
                       mp_diagnostics **diagnostics)
{
    *diagnostics = mp_diagnostics_new(0);
    return (pb_wire){.input = mp_input_from_memory(NAME, bytes, length, window, *diagnostics)};
}

/* Examples of "Encoding": 150 in field 1, "testing" in field 2, packed 3, 270, 86942 in field 6;
 * then four and eight bytes. */
static void fields_of_each_type(void **unused)
{
    (void)unused;
    static const char bytes[] = "\x08\x96\x01\x12\x07testing\x32\x06\x03\x8e\x02\x9e\xa7\x05"
                                "\x3d\x01\x02\x03\x04\x41\x01\0\0\0\0\0\0\x80";
    for (size_t window = 1; window <= 64; window *= 4) {
        mp_diagnostics *diagnostics;
        pb_wire wire = wire_of(bytes, sizeof bytes - 1, window, &diagnostics);
        pb_field field = {0};
        uint64_t value;
        assert_true(pb_next(&wire, UINT64_MAX, &field));
        assert_int_equal(field.number, 1);
        assert_int_equal(field.value, 150);
        assert_true(pb_next(&wire, UINT64_MAX, &field));
        const mp_slice text = pb_text(&wire, &field, 4); /* the other fields are skipped */
        assert_int_equal(text.length, 4);
        assert_memory_equal(text.start, "test", 4);
        assert_true(pb_next(&wire, UINT64_MAX, &field));
        static const uint64_t packed[] = {3, 270, 86942};
        for (size_t i = 0; i < 3; i++) {
            assert_true(pb_repeated(&wire, &field, &value));
            assert_int_equal(value, packed[i]);
        }
        assert_false(pb_repeated(&wire, &field, &value));
        assert_true(pb_next(&wire, UINT64_MAX, &field));
        assert_int_equal(field.type, PB_FIXED32);
        assert_int_equal(field.value, 0x04030201);
        assert_true(pb_next(&wire, UINT64_MAX, &field));
        assert_true(field.value == UINT64_C(0x8000000000000001));
        assert_false(pb_next(&wire, UINT64_MAX, &field));
        assert_int_equal(wire.fault, PB_SOUND);
        mp_input_close(wire.input);
        mp_diagnostics_free(diagnostics);
    }
}

static void faults_of_the_wire(void **unused)
{
    (void)unused;
    static const struct {
        const char *bytes;
        size_t length;
        pb_fault fault;
    } cases[] = {
        {"\x08", 1, PB_TORN},         /* no value */
        {"\x08\x96", 2, PB_TORN},     /* half a number */
        {"\x12\x07test", 6, PB_TORN}, /* there are fewer bytes than stated */
        {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 11,
         PB_DAMAGED}, /* the number has more than 64 bits */
        {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12, PB_DAMAGED},
        {"\x00\x01", 2, PB_DAMAGED}, /* field 0 */
        {"\x0b\x0c", 2, PB_DAMAGED}, /* a group */
        {"\x0f\x01", 2, PB_DAMAGED}, /* type 7 */
        {"\x09\x01\x02", 3, PB_TORN},
        {"\x08\x01", 2, PB_SOUND},
        {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, PB_SOUND},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t window = 1; window <= 16; window *= 16) {
            mp_diagnostics *diagnostics;
            pb_wire wire = wire_of(cases[i].bytes, cases[i].length, window, &diagnostics);
            pb_field field = {0};
            while (pb_next(&wire, UINT64_MAX, &field))
                continue;
            assert_int_equal(wire.fault, cases[i].fault);
            mp_input_close(wire.input);
            mp_diagnostics_free(diagnostics);
        }
}

/* Damage within a message has no effect beyond the message. */
static void damage_ends_with_its_message(void **unused)
{
    (void)unused;
    static const char bytes[] = "\x12\x02\x08\xff\x08\x05";
    mp_diagnostics *diagnostics;
    pb_wire wire = wire_of(bytes, sizeof bytes - 1, 1, &diagnostics);
    pb_field outer = {0}, inner = {0};
    assert_true(pb_next(&wire, UINT64_MAX, &outer));
    assert_false(pb_next(&wire, outer.end, &inner));
    assert_int_equal(wire.fault, PB_DAMAGED);
    pb_resume(&wire, outer.end);
    assert_true(pb_next(&wire, UINT64_MAX, &outer));
    assert_int_equal(outer.value, 5);
    mp_input_close(wire.input);
    mp_diagnostics_free(diagnostics);
}

/* --- a profile --- */

/* Types inuse_objects/count and inuse_space/bytes; two samples of `work` in line 10, called by
 * `main` in line 20: 3 objects of 300 bytes, 2 of 16. */
static const char PROFILE[] = "\x0a\x04\x08\x01\x10\x02"
                              "\x0a\x04\x08\x03\x10\x04"
                              "\x12\x09\x0a\x02\x01\x02\x12\x03\x03\xac\x02"
                              "\x12\x08\x08\x01\x08\x02\x10\x02\x10\x10"
                              "\x22\x08\x08\x01\x22\x04\x08\x01\x10\x0a"
                              "\x22\x08\x08\x02\x22\x04\x08\x02\x10\x14"
                              "\x2a\x04\x08\x01\x10\x05"
                              "\x2a\x04\x08\x02\x10\x06"
                              "\x32\x00"
                              "\x32\x0dinuse_objects"
                              "\x32\x05"
                              "count"
                              "\x32\x0binuse_space"
                              "\x32\x05"
                              "bytes"
                              "\x32\x04work"
                              "\x32\x04main";

static void a_profile_is_a_snapshot(void **unused)
{
    (void)unused;
    for (size_t window_size = 1; window_size <= 4096; window_size *= 16) {
        reading r = read_bytes(&mp_reader_pprof, NAME, PROFILE, sizeof PROFILE - 1, window_size);
        mp_error error = {0};
        mp_window window;
        assert_true(r.ok);
        assert_int_equal(count_diagnostics(r.diagnostics), 0);
        assert_true(r.model->inputs.items[1].complete);
        assert_int_equal(r.model->inputs.items[1].records, 2);
        assert_int_equal(r.model->snapshots.count - 1, 1);
        assert_true(mp_window_resolve(r.model, NULL, NULL, &window, &error));
        const mp_totals totals = mp_totals_of(&window);
        assert_int_equal(totals.live_objects, 5);
        assert_int_equal(totals.live_bytes, 316);
        const mp_context *context = &r.model->contexts.items[r.model->contexts.count - 1];
        const mp_tree_node *node = &r.model->tree.items[r.model->tree_of[context->node.i]];
        assert_int_equal(context->line, 10);
        assert_int_equal(node->line, 20); /* line of the call in main */
        assert_string_equal(mp_model_text(r.model, r.model->symbols.items[node->symbol.i].name),
                            "work");
        mp_window_free(&window);
        reading_free(&r);
    }
}

static void a_profile_that_is_cut_is_refused(void **unused)
{
    (void)unused;
    size_t refused = 0, torn = 0;
    for (size_t length = 0; length < sizeof PROFILE - 1; length++) {
        reading r = read_bytes(&mp_reader_pprof, NAME, PROFILE, length, 7);
        if (!r.ok) {
            refused++;
            assert_true(count_diagnostics(r.diagnostics) > 0);
        } else {
            torn += find_diagnostic(r.diagnostics, MP_DIAG_TORN) != NULL;
            assert_false(r.model->inputs.items[1].complete);
        }
        reading_free(&r);
    }
    /* Two of the cuts, between the last texts, only remove the names of functions. */
    assert_int_equal(torn, 2);
    assert_int_equal(refused, sizeof PROFILE - 1 - 2);
}

static void a_profile_is_detected(void **unused)
{
    (void)unused;
    const mp_slice whole = {PROFILE, sizeof PROFILE - 1};
    assert_int_equal(mp_reader_pprof.probe(whole), MP_MINE);
    for (size_t length = 6; length < whole.length; length++)
        assert_int_equal(mp_reader_pprof.probe((mp_slice){PROFILE, length}), MP_MINE);
    static const char *const others[] = {"",
                                         "\n",
                                         "\n\n\n\n\n\n\n\n\n\n\n\n",
                                         "\x0a\x02\x18\x01",
                                         "\x12\x02\x08\x01",
                                         "{\"a\": 1}\n",
                                         "\x0a\x04text"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(mp_reader_pprof.probe(mp_slice_of(others[i])), MP_NOT_MINE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_each_type),
        cmocka_unit_test(faults_of_the_wire),
        cmocka_unit_test(damage_ends_with_its_message),
        cmocka_unit_test(a_profile_is_a_snapshot),
        cmocka_unit_test(a_profile_that_is_cut_is_refused),
        cmocka_unit_test(a_profile_is_detected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
