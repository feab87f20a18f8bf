/* Blocks of a heap log: live blocks, and recent deletions. */
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

static void open_heap(heap *state)
{
    *state = (heap){.model = mp_model_new(), .diagnostics = mp_diagnostics_new(0)};
    (void)MP_ADD(&state->model->sessions);
    mp_blocks_open(&state->blocks, state->model, (mp_session_id){1}, state->diagnostics);
    state->blocks.log.path = "log";
}

static mp_event event_at(heap *state, uint64_t address)
{
    state->line++;
    return (mp_event){.address = address,
                      .time_us = (int64_t)state->line,
                      .bytes = 16,
                      .site = mp_blocks_site(&state->blocks, (mp_node_id){0}, 0),
                      .line = state->line};
}

static void allocate(heap *state, uint64_t address)
{
    mp_event event = event_at(state, address);
    event.kind = MP_EVENT_ALLOCATION;
    mp_blocks_allocate(&state->blocks, &event);
}

static void release(heap *state, uint64_t address)
{
    mp_event event = event_at(state, address);
    event.kind = MP_EVENT_DELETION;
    mp_blocks_delete(&state->blocks, &event);
}

static void close_heap(heap *state)
{
    mp_blocks_close(&state->blocks);
    mp_model_free(state->model);
    mp_diagnostics_free(state->diagnostics);
}

/* Deletions close gaps in the table. Blocks that are alive are still found. */
static void what_is_alive_is_found(void **unused)
{
    (void)unused;
    enum { COUNT = 20000 };
    heap state;
    open_heap(&state);
    for (uint64_t i = 1; i <= COUNT; i++)
        allocate(&state, i * 16);
    for (uint64_t i = 1; i <= COUNT; i += 3)
        release(&state, i * 16);
    for (uint64_t i = 2; i <= COUNT; i += 3)
        release(&state, i * 16);
    assert_int_equal(state.blocks.tally.live_objects, COUNT / 3);
    assert_int_equal(state.blocks.used, COUNT / 3);
    for (uint64_t i = 3; i <= COUNT; i += 3)
        release(&state, i * 16);
    assert_int_equal(state.blocks.used, 0);
    assert_int_equal(state.blocks.tally.live_bytes, 0);
    assert_int_equal(mp_diagnostics_count(state.diagnostics, MP_DIAG_BAD_ADDRESS), 0);
    close_heap(&state);
}

/* After more than a million deletions, the last million are remembered. It does not matter how
 * often one of them is looked up. */
static void the_last_million_deletions_are_remembered(void **unused)
{
    (void)unused;
    enum { MILLION = 1024 * 1024, ROUNDS = 4 };
    heap state;
    open_heap(&state);
    uint64_t address = 0;
    for (unsigned round = 1; round <= ROUNDS; round++) {
        for (unsigned i = 0; i < MILLION; i++) {
            allocate(&state, address += 16);
            release(&state, address);
        }
        release(&state, address);
        release(&state, address - (MILLION - 1) * 16ull);
        assert_int_equal(mp_diagnostics_count(state.diagnostics, MP_DIAG_DOUBLE_DELETION),
                         2 * round);
        release(&state, address - MILLION * 16ull);
        assert_int_equal(mp_diagnostics_count(state.diagnostics, MP_DIAG_BAD_ADDRESS), round);
    }
    allocate(&state, 16);
    release(&state, 16);
    release(&state, 16);
    assert_int_equal(mp_diagnostics_count(state.diagnostics, MP_DIAG_DOUBLE_DELETION),
                     2 * ROUNDS + 1);
    close_heap(&state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_alive_is_found),
        cmocka_unit_test(the_last_million_deletions_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
