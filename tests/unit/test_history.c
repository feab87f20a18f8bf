/* The history: states of objects from one snapshot to the next. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/diagnose.h"
#include "model/build.h"
#include "model/history.h"
#include "support/memory_reader.h"
#include "unit/small_heap.h"

extern const mp_reader mp_reader_oemp;

/* Return "id bytes generation from-until" lines, in the order in which objects were recorded. */
static char *dump(const mp_model *model)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t i = 1; i < model->objects.count; i++) {
        const mp_object *object = &model->objects.items[i];
        fprintf(out, "%" PRIu64 " %" PRId64 " c%u %u-%u\n", object->id, object->bytes,
                object->generation.i, object->from.i, object->until.i);
    }
    fclose(out);
    return text;
}

typedef struct book {
    mp_model *model;
    mp_history *history;
} book;

/* Generations 2 and 3 are ordinary, 4 is reusable. */
static book open_book(void)
{
    book b = {.model = mp_model_new()};
    for (int i = 0; i < 3; i++)
        MP_ADD(&b.model->generations)->reusable = i == 2;
    b.history = mp_history_new(b.model);
    return b;
}

static void close_book(book *b, const char *expected)
{
    char *text = dump(b->model);
    assert_string_equal(text, expected);
    free(text);
    mp_history_free(b->history);
    mp_model_free(b->model);
}

static const mp_generation_id A = {2}, B = {3}, REUSABLE = {4};

static void test_born_changed_dead(void **state)
{
    (void)state;
    book b = open_book();
    mp_history_birth(b.history, 7, 10, A);
    mp_history_birth(b.history, 8, 20, A);
    mp_history_end_snapshot(b.history, (mp_snapshot_id){1});
    mp_history_change(b.history, 7, 11, A);
    mp_history_change(b.history, 7, 12, A);
    mp_history_end_snapshot(b.history, (mp_snapshot_id){2});
    mp_history_change(b.history, 8, 20, B);
    mp_history_death(b.history, 7);
    mp_history_end_snapshot(b.history, (mp_snapshot_id){3});
    close_book(&b, "7 10 c2 1-2\n8 20 c2 1-3\n7 12 c2 2-3\n8 20 c3 3-0\n");
}

static void test_short_lives_leave_no_trace(void **state)
{
    (void)state;
    book b = open_book();
    mp_history_birth(b.history, 1, 10, A);
    mp_history_death(b.history, 1);
    mp_history_birth(b.history, 2, 10, A);
    mp_history_end_snapshot(b.history, (mp_snapshot_id){1});
    mp_history_change(b.history, 2, 11, A);
    mp_history_change(b.history, 2, 10, A); /* no change */
    mp_history_death(b.history, 99);        /* an object that never existed */
    mp_history_end_snapshot(b.history, (mp_snapshot_id){2});
    close_book(&b, "2 10 c2 1-0\n");
}

static void test_an_id_used_again(void **state)
{
    (void)state;
    book b = open_book();
    mp_history_birth(b.history, 1, 10, A);
    mp_history_end_snapshot(b.history, (mp_snapshot_id){1});
    mp_history_death(b.history, 1);
    mp_history_birth(b.history, 1, 10, B);
    mp_history_end_snapshot(b.history, (mp_snapshot_id){2});
    mp_history_death(b.history, 1);
    mp_history_end_snapshot(b.history, (mp_snapshot_id){3});
    mp_history_birth(b.history, 1, 5, A);
    mp_history_end_snapshot(b.history, (mp_snapshot_id){4});
    close_book(&b, "1 10 c2 1-2\n1 10 c3 2-3\n1 5 c2 4-0\n");
}

static void test_reusable_objects_are_left_out(void **state)
{
    (void)state;
    book b = open_book();
    mp_history_birth(b.history, 1, 10, REUSABLE);
    mp_history_birth(b.history, 2, 10, A);
    mp_history_end_snapshot(b.history, (mp_snapshot_id){1});
    mp_history_change(b.history, 1, 10, A);
    mp_history_change(b.history, 2, 10, REUSABLE);
    mp_history_end_snapshot(b.history, (mp_snapshot_id){2});
    close_book(&b, "2 10 c2 1-2\n1 10 c2 2-0\n");
}

static void test_found_late(void **state)
{
    (void)state;
    book b = open_book();
    mp_history_birth(b.history, 1, 10, A);
    mp_history_end_snapshot(b.history, (mp_snapshot_id){1});
    mp_history_death(b.history, 1);
    /* uses the id of a deleted object */
    mp_history_found(b.history, 1, 30, B, (mp_snapshot_id){1});
    mp_history_found(b.history, 2, 40, B, (mp_snapshot_id){1});
    mp_history_death(b.history, 2);
    mp_history_end_snapshot(b.history, (mp_snapshot_id){2});
    /* it is found at its own snapshot, but not at later ones */
    mp_history_found(b.history, 3, 50, B, (mp_snapshot_id){3});
    mp_history_end_snapshot(b.history, (mp_snapshot_id){3});
    close_book(&b, "1 10 c2 1-2\n1 30 c3 1-0\n2 40 c3 1-2\n3 50 c3 3-0\n");
}

/* At every snapshot, the objects that are kept for a recording are those that the ledger counts. */
static void test_agrees_with_the_ledger(void **state)
{
    (void)state;
    const char *text = HEAP;
    mp_diagnostics *diagnostics = mp_diagnostics_new(0);
    mp_model *model = mp_model_new();
    mp_load_options options = {.keep_objects = true};
    mp_input *input = mp_input_from_memory("a.oemp", text, strlen(text), 4096, diagnostics);
    (void)MP_ADD(&model->inputs);
    void *reader = mp_reader_oemp.open(model, diagnostics, &options);
    assert_true(mp_reader_oemp.read(reader, input, 1));
    mp_reader_oemp.close(reader);
    mp_input_close(input);
    for (uint32_t snapshot = 1; snapshot < model->snapshots.count; snapshot++) {
        int64_t objects = 0, bytes = 0;
        for (uint32_t i = 1; i < model->objects.count; i++) {
            const mp_object *object = &model->objects.items[i];
            if (object->from.i <= snapshot && (!object->until.i || object->until.i > snapshot)) {
                objects++;
                bytes += object->bytes;
            }
        }
        assert_int_equal(objects, model->snapshots.items[snapshot].live_objects);
        assert_int_equal(bytes, model->snapshots.items[snapshot].live_bytes);
    }
    /* object 3 with two sizes, and all others except the reusable 8 */
    assert_int_equal(model->objects.count, 10);
    mp_model_free(model);
    mp_diagnostics_free(diagnostics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_born_changed_dead),
        cmocka_unit_test(test_short_lives_leave_no_trace),
        cmocka_unit_test(test_an_id_used_again),
        cmocka_unit_test(test_reusable_objects_are_left_out),
        cmocka_unit_test(test_found_late),
        cmocka_unit_test(test_agrees_with_the_ledger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
