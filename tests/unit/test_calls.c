/* Callers and callees on a recursive stack, and in a call graph. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "query/calls.h"
#include "support/memory_reader.h"

extern const mp_reader mp_reader_prf;

enum { SESSION, M, A, B, CALLABLES };

/* The session calls M at line 1, M calls A at 2, A calls M at 3, M calls A at 4, A calls B at 5.
 * Their own costs, from the session to B, are 10, 20, 10, 20, 30 and 10. */
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
    mp_calls calls = {.items = mp_alloc_zero(CALLABLES, sizeof(mp_callable)), .count = CALLABLES};
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

/* M costs 90 including callees. All of this belongs to the call by the session; the call by A has
 * none of it. */
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
    assert_true(calls.items[M].recursive && calls.items[A].recursive);
    assert_false(calls.items[SESSION].recursive || calls.items[B].recursive);
    mp_calls_free(&calls);
}

/* M's own cost is 40. Of the other 50, 10 is spent in A before M runs again, and 40 in A after
 * that. A's own cost is 40. Of the other 30, 20 is spent in M before A runs again, and 10 in B. */
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

/* Two calls of which one follows the other are not recursion. */
static void test_siblings(void **state)
{
    (void)state;
    static const mp_call_node nodes[] = {{.span = 0},
                                         {0, 3, SESSION, 0, false, 1, {30, 0}},
                                         {1, 1, A, 7, true, 1, {10, 0}},
                                         {1, 1, A, 7, true, 1, {20, 0}}};
    mp_calls calls = {.items = mp_alloc_zero(CALLABLES, sizeof(mp_callable)), .count = CALLABLES};
    mp_calls_of_nodes(&calls, nodes, 4);
    assert_int_equal(calls.edge_count, 2);
    assert_int_equal(edge(&calls, SESSION, 7, A)->as_caller.cost, 30);
    assert_int_equal(edge(&calls, SESSION, 7, A)->calls, 2);
    assert_false(calls.items[A].recursive);
    mp_calls_free(&calls);
}

/* Version 1 has calls with the line of the caller, and for each line its own time and its time
 * including callees. m calls from lines 0, 5, 6, 7 and 8, a calls itself, c and d call each other.
 *
 * Line 5 calls only a: 0.8 of 0.9 s. Line 6 calls a and b, line 7 has no times, line 8 has more own
 * time than inclusive time, and line 0 has all of m's time: for these lines the times of the calls
 * are unknown, because a and b have several callers. Only c calls d, but d calls c again. Only line
 * 9 calls e, which takes 0.3 s; line 9 also calls b. Line 11 calls b, which took no time. */
#define GRAPH                                                                                      \
    "1 09/10/2021 \"run\" 16:59:51 \"joe\"\n.\n"                                                   \
    "1 \"m\" \"\" 0\n2 \"a\" \"\" 0\n3 \"b\" \"\" 0\n4 \"c\" \"\" 0\n5 \"d\" \"\" 0\n"             \
    "6 \"e\" \"\" 0\n.\n"                                                                          \
    "0 0 1 1\n1 0 2 1\n1 5 2 1\n1 6 2 1\n1 6 3 1\n1 7 3 1\n1 8 3 1\n1 9 6 1\n1 9 3 1\n"            \
    "1 10 4 1\n1 11 3 1\n2 4 2 1\n4 1 5 1\n5 1 4 1\n.\n"                                           \
    "0 0 1 0.000000 3.000000\n1 0 1 0.200000 3.000000\n1 5 1 0.100000 0.900000\n"                  \
    "1 6 1 0.100000 0.300000\n1 8 1 0.500000 0.400000\n1 9 1 0.100000 0.500000\n"                  \
    "1 10 1 0.000000 0.250000\n1 11 1 0.100000 0.100000\n2 0 3 0.100000 0.600000\n2 4 1 0.100000 " \
    "0.300000\n"                                                                                   \
    "3 0 4 0.100000 0.100000\n4 0 2 0.100000 0.250000\n4 1 1 0.100000 0.150000\n"                  \
    "5 0 1 0.010000 0.200000\n5 1 1 0.010000 0.100000\n6 0 1 0.300000 0.300000\n.\n"               \
    ".\n.\n.\n"

static void test_costs_of_a_graph(void **state)
{
    (void)state;
    static const struct {
        const char *caller, *callee;
        int32_t line;
        int64_t cost;
    } wanted[] = {
        {"session", "m", 0, 3000000}, {"m", "a", 0, MP_UNTOLD}, {"m", "a", 5, 800000},
        {"m", "a", 6, MP_UNTOLD},     {"m", "b", 6, MP_UNTOLD}, {"m", "b", 7, MP_UNTOLD},
        {"m", "b", 8, MP_UNTOLD},     {"m", "e", 9, 300000},    {"m", "b", 9, MP_UNTOLD},
        {"m", "c", 10, 250000},       {"m", "b", 11, 0},        {"a", "a", 4, MP_UNTOLD},
        {"c", "d", 1, MP_UNTOLD},     {"d", "c", 1, MP_UNTOLD},
    };
    enum { EDGES = sizeof wanted / sizeof *wanted };
    mp_error error = {0};
    reading r = read_text(&mp_reader_prf, "a.prf", GRAPH, 4096);
    mp_filter *filter = mp_filter_of(r.model, NULL, &error);
    mp_calls calls = mp_calls_of_profile(filter, NULL);
    assert_int_equal(calls.edge_count, EDGES);
    for (size_t i = 0; i < EDGES; i++) {
        bool found = false;
        for (size_t k = 0; k < EDGES && !found; k++) {
            const mp_call_edge *call_edge = &calls.edges[k];
            found = strcmp(calls.items[call_edge->caller].name, wanted[i].caller) == 0 &&
                    strcmp(calls.items[call_edge->callee].name, wanted[i].callee) == 0 &&
                    call_edge->line == wanted[i].line;
            if (found && call_edge->as_caller.cost != wanted[i].cost)
                fail_msg("%s calls %s at line %d: %lld", wanted[i].caller, wanted[i].callee,
                         wanted[i].line, (long long)call_edge->as_caller.cost);
        }
        assert_true(found);
    }
    mp_calls_free(&calls);
    mp_filter_free(filter);
    reading_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_callers),
        cmocka_unit_test(test_callees),
        cmocka_unit_test(test_siblings),
        cmocka_unit_test(test_costs_of_a_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
