/* Blocks of a heap log: what is alive, and the deletions that are remembered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/diagnose.h"
#include "model/blocks.h"
#include "model/events.h"

typedef struct heap {
    mp_model *model;
    mp_diagnostics *diagnostics;
    mp_blocks blocks;
    uint64_t line;
} heap;

static void open_heap(heap *of)
{
    *of = (heap){.model = mp_model_new(), .diagnostics = mp_diagnostics_new(0)};
    (void)MP_ADD(&of->model->sessions);
    mp_blocks_open(&of->blocks, of->model, (mp_session_id){1}, of->diagnostics);
    of->blocks.log.path = "log";
}

static mp_event event_at(heap *of, uint64_t address)
{
    of->line++;
    return (mp_event){.address = address,
                      .time_us = (int64_t)of->line,
                      .bytes = 16,
                      .site = mp_blocks_site(&of->blocks, (mp_node_id){0}, 0),
                      .line = of->line};
}

static void allocate(heap *of, uint64_t address)
{
    mp_event event = event_at(of, address);
    event.kind = MP_EVENT_ALLOCATION;
    mp_blocks_allocate(&of->blocks, &event);
}

static void release(heap *of, uint64_t address)
{
    mp_event event = event_at(of, address);
    event.kind = MP_EVENT_DELETION;
    mp_blocks_delete(&of->blocks, &event);
}

static void close_heap(heap *of)
{
    mp_blocks_close(&of->blocks);
    mp_model_free(of->model);
    mp_diagnostics_free(of->diagnostics);
}

/* Deletions close gaps in the table: what is alive is found whatever went before. */
static void what_is_alive_is_found(void **unused)
{
    (void)unused;
    enum { COUNT = 20000 };
    heap of;
    open_heap(&of);
    for (uint64_t i = 1; i <= COUNT; i++)
        allocate(&of, i * 16);
    for (uint64_t i = 1; i <= COUNT; i += 3)
        release(&of, i * 16);
    for (uint64_t i = 2; i <= COUNT; i += 3)
        release(&of, i * 16);
    assert_int_equal(of.blocks.tally.live_objects, COUNT / 3);
    assert_int_equal(of.blocks.used, COUNT / 3);
    for (uint64_t i = 3; i <= COUNT; i += 3)
        release(&of, i * 16);
    assert_int_equal(of.blocks.used, 0);
    assert_int_equal(of.blocks.tally.live_bytes, 0);
    assert_int_equal(mp_diagnostics_count(of.diagnostics, MP_DIAG_BAD_ADDRESS), 0);
    close_heap(&of);
}

/* More than a million deletions: the latest are remembered, however often one is looked up. */
static void the_last_million_deletions_are_remembered(void **unused)
{
    (void)unused;
    enum { MILLION = 1024 * 1024, ROUNDS = 4 };
    heap of;
    open_heap(&of);
    uint64_t address = 0;
    for (unsigned round = 1; round <= ROUNDS; round++) {
        for (unsigned i = 0; i < MILLION; i++) {
            allocate(&of, address += 16);
            release(&of, address);
        }
        release(&of, address);
        release(&of, address - (MILLION - 1) * 16ull);
        assert_int_equal(mp_diagnostics_count(of.diagnostics, MP_DIAG_DOUBLE_DELETION), 2 * round);
        release(&of, address - MILLION * 16ull);
        assert_int_equal(mp_diagnostics_count(of.diagnostics, MP_DIAG_BAD_ADDRESS), round);
    }
    allocate(&of, 16);
    release(&of, 16);
    release(&of, 16);
    assert_int_equal(mp_diagnostics_count(of.diagnostics, MP_DIAG_DOUBLE_DELETION), 2 * ROUNDS + 1);
    close_heap(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_alive_is_found),
        cmocka_unit_test(the_last_million_deletions_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
