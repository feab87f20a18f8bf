/* Who calls whom, of a stack on which everything comes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "query/calls.h"

enum { SESSION, M, A, B, CALLABLES };

/* The session calls M at line 1, M calls A at 2, A calls M at 3, M calls A at 4, A calls B at 5.
 * Alone they spend 10, 20, 10, 20, 30 and 10. */
static mp_calls ping_pong(void)
{
    static const mp_call_node nodes[] = {
        {.span = 0},
        {0, 6, SESSION, 0, false, 1, {100, 10}},
        {1, 5, M, 1, true, 1, {90, 9}},
        {2, 4, A, 2, true, 2, {70, 7}},
        {3, 3, M, 3, true, 4, {60, 6}},
        {4, 2, A, 4, true, 8, {40, 4}},
        {5, 1, B, 5, true, 16, {10, 1}},
    };
    mp_calls calls = {.at = mp_alloc_zero(CALLABLES, sizeof(mp_callable)), .count = CALLABLES};
    mp_calls_of_nodes(&calls, nodes, sizeof nodes / sizeof *nodes);
    return calls;
}

static const mp_call_edge *edge(const mp_calls *calls, uint32_t caller, int32_t line,
                                uint32_t callee)
{
    for (size_t i = 0; i < calls->edge_count; i++)
        if (calls->edges[i].caller == caller && calls->edges[i].callee == callee &&
            calls->edges[i].line == line)
            return &calls->edges[i];
    fail_msg("no edge from %u to %u", caller, callee);
    return NULL;
}

/* M costs 90 with its callees: all of it for the session, nothing more for A. */
static void test_callers(void **state)
{
    (void)state;
    mp_calls calls = ping_pong();
    assert_int_equal(calls.edge_count, 6);
    assert_int_equal(edge(&calls, MP_NO_CALLER, 0, SESSION)->as_caller.cost, 100);
    assert_int_equal(edge(&calls, SESSION, 1, M)->as_caller.cost, 90);
    assert_int_equal(edge(&calls, SESSION, 1, M)->nested, 0);
    assert_int_equal(edge(&calls, A, 3, M)->as_caller.cost, 0);
    assert_int_equal(edge(&calls, A, 3, M)->calls, 4);
    assert_int_equal(edge(&calls, A, 3, M)->nested, 4);
    assert_int_equal(edge(&calls, M, 2, A)->as_caller.cost, 70);
    assert_int_equal(edge(&calls, M, 4, A)->as_caller.cost, 0);
    assert_int_equal(edge(&calls, A, 5, B)->as_caller.cost, 10);
    assert_true(calls.at[M].recursive && calls.at[A].recursive);
    assert_false(calls.at[SESSION].recursive || calls.at[B].recursive);
    mp_calls_free(&calls);
}

/* M spends 40 itself; of the rest, 10 in A before M runs again, and 40 in A after that. A spends 40
 * itself, 20 in M before A runs again, and 10 in B. */
static void test_callees(void **state)
{
    (void)state;
    mp_calls calls = ping_pong();
    assert_int_equal(edge(&calls, SESSION, 1, M)->as_callee.cost, 90);
    assert_int_equal(edge(&calls, M, 2, A)->as_callee.cost, 10);
    assert_int_equal(edge(&calls, M, 4, A)->as_callee.cost, 40);
    assert_int_equal(edge(&calls, M, 4, A)->as_callee.objects, 4);
    assert_int_equal(edge(&calls, A, 3, M)->as_callee.cost, 20);
    assert_int_equal(edge(&calls, A, 5, B)->as_callee.cost, 10);
    mp_calls_free(&calls);
}

/* Two calls one behind the other are no recursion. */
static void test_siblings(void **state)
{
    (void)state;
    static const mp_call_node nodes[] = {{.span = 0},
                                         {0, 3, SESSION, 0, false, 1, {30, 0}},
                                         {1, 1, A, 7, true, 1, {10, 0}},
                                         {1, 1, A, 7, true, 1, {20, 0}}};
    mp_calls calls = {.at = mp_alloc_zero(CALLABLES, sizeof(mp_callable)), .count = CALLABLES};
    mp_calls_of_nodes(&calls, nodes, 4);
    assert_int_equal(calls.edge_count, 2);
    assert_int_equal(edge(&calls, SESSION, 7, A)->as_caller.cost, 30);
    assert_int_equal(edge(&calls, SESSION, 7, A)->calls, 2);
    assert_false(calls.at[A].recursive);
    mp_calls_free(&calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_callers),
        cmocka_unit_test(test_callees),
        cmocka_unit_test(test_siblings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
