/* Dominators, compared with their definition: remove an object, and find the objects that are no
 * longer reachable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/graph_query.h"
#include "small_graph.h"

enum { GRAPHS = 20000, MOST_OBJECTS = 14, MOST_EDGES = 40 };

static uint64_t state = 88172645463325252u;

static uint32_t below(uint32_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % limit;
}

/* Return the objects that strong roots reach without `removed` (0 = none), as bits. */
static uint32_t reach(const mp_graph *graph, uint32_t removed)
{
    uint32_t seen = 0;
    for (uint32_t i = 1; i < graph->roots.count; i++)
        if (graph->roots.items[i].object && !(graph->roots.items[i].flags & MP_ROOT_WEAK))
            seen |= 1u << graph->roots.items[i].object;
    seen &= ~(removed ? 1u << removed : 0);
    for (uint32_t before = 0; before != seen;) {
        before = seen;
        for (uint32_t i = 1; i <= graph->count; i++)
            for (uint32_t k = graph->first[i]; seen >> i & 1 && k < graph->first[i + 1]; k++)
                if (graph->targets[k] != removed)
                    seen |= 1u << graph->targets[k];
    }
    return seen;
}

static uint32_t bits_of(uint32_t set)
{
    uint32_t count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

/* Return the immediate dominator of an object, found by brute force: among its strict dominators,
 * the one that most of the others dominate. */
static uint32_t brute_dominator(const uint32_t *dominated, uint32_t count, uint32_t object)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i <= count; i++)
        if (i != object && dominated[i] >> object & 1 &&
            (!best || bits_of(dominated[i]) < bits_of(dominated[best])))
            best = i;
    return best;
}

/* Check that each subtree is a range of the pre-order. The range must begin with the root of the
 * subtree, and be within the range of the root's dominator. */
static void check_preorder(const mp_dominators *found, const uint32_t *dominated)
{
    assert_int_equal(found->span[0], found->reached + 1);
    for (uint32_t i = 1; i <= found->reached; i++) {
        uint32_t object = found->order[i], inside = 0;
        for (uint32_t k = i; k < i + found->span[i]; k++)
            inside |= 1u << found->order[k];
        assert_int_equal(inside, dominated[object]);
        assert_int_equal(mp_dominators_place(found, object), i);
    }
}

static void check(const mp_graph *graph)
{
    uint32_t total = reach(graph, 0), dominated[MOST_OBJECTS + 1];
    uint64_t sum = 0;
    mp_dominators found = mp_dominators_of(graph);
    for (uint32_t i = 1; i <= graph->count; i++)
        dominated[i] = total >> i & 1 ? total & ~reach(graph, i) : 0;
    assert_int_equal(found.reached, bits_of(total));
    for (uint32_t i = 1; i <= graph->count; i++) {
        uint64_t retained = 0;
        for (uint32_t k = 1; k <= graph->count; k++)
            retained += dominated[i] >> k & 1 ? graph->sizes[k] : 0;
        assert_int_equal(found.retained[i], retained);
        assert_int_equal(mp_is_reached(&found, i), total >> i & 1);
        if (mp_is_reached(&found, i)) {
            sum += graph->sizes[i];
            assert_int_equal(found.idom[i], brute_dominator(dominated, graph->count, i));
        }
    }
    assert_int_equal(found.retained[0], sum);
    check_preorder(&found, dominated);
    mp_dominators_free(&found);
}

static void test_agrees_with_the_definition(void **unused)
{
    (void)unused;
    for (int round = 0; round < GRAPHS; round++) {
        uint32_t count = 1 + below(MOST_OBJECTS), edge_count = below(MOST_EDGES);
        edge edges[MOST_EDGES];
        for (uint32_t i = 0; i < edge_count; i++)
            edges[i] = (edge){1 + below(count), 1 + below(count)};
        mp_graph *graph = graph_of(count, edges, edge_count, 0);
        /* Some roots have no object, some are weak, some are repeated. */
        for (uint32_t i = below(5); i; i--)
            graph_root(graph, below(count + 1), below(6), below(4));
        check(graph);
        mp_graph_free(graph);
    }
}

/* The example of Lengauer and Tarjan, 1979, with R = 1, A = 2, ... L = 13. */
static void test_the_example_of_the_paper(void **unused)
{
    (void)unused;
    enum { R = 1, A, B, C, D, E, F, G, H, I, J, K, L };
    static const edge edges[] = {
        {R, A}, {R, B}, {R, C}, {A, D}, {B, A}, {B, D}, {B, E}, {C, F}, {C, G}, {D, L}, {E, H},
        {F, I}, {G, I}, {G, J}, {H, E}, {H, K}, {I, K}, {J, I}, {K, I}, {K, R}, {L, H},
    };
    static const uint32_t expected[] = {0, 0, R, R, R, R, R, C, C, R, R, G, R, D};
    mp_graph *graph = graph_of(L, edges, sizeof edges / sizeof *edges, 10);
    graph_root(graph, R, MP_ROOT_STATIC, 0);
    mp_dominators found = mp_dominators_of(graph);
    for (uint32_t i = R; i <= L; i++)
        assert_int_equal(found.idom[i], expected[i]);
    assert_int_equal(found.retained[R], 130);
    assert_int_equal(found.retained[C], 40); /* retains F, G and J */
    mp_dominators_free(&found);
    mp_graph_free(graph);
}

static void test_nothing_is_reached(void **unused)
{
    (void)unused;
    static const edge edges[] = {{1, 2}, {2, 1}};
    mp_graph *graph = graph_of(2, edges, 2, 8);
    graph_root(graph, 1, MP_ROOT_HANDLE, MP_ROOT_WEAK);
    graph_root(graph, 0, MP_ROOT_STATIC, 0);
    mp_dominators found = mp_dominators_of(graph);
    assert_int_equal(found.reached, 0);
    assert_int_equal(found.retained[0], 0);
    assert_false(mp_is_reached(&found, 1));
    assert_int_equal(mp_dominators_place(&found, 2), 0);
    mp_dominators_free(&found);
    mp_graph_free(graph);
}

enum { LARGE = 5000000 };

static void test_a_long_chain(void **unused)
{
    (void)unused;
    edge *edges = malloc(LARGE * sizeof *edges);
    for (uint32_t i = 1; i < LARGE; i++)
        edges[i - 1] = (edge){i, i + 1};
    mp_graph *graph = graph_of(LARGE, edges, LARGE - 1, 16);
    graph_root(graph, 1, MP_ROOT_LOCAL, 0);
    mp_dominators found = mp_dominators_of(graph);
    assert_int_equal(found.idom[LARGE], LARGE - 1);
    assert_int_equal(found.retained[1], (uint64_t)LARGE * 16);
    mp_dominators_free(&found);
    mp_graph_free(graph);
    free(edges);
}

static void test_a_wide_star(void **unused)
{
    (void)unused;
    edge *edges = malloc(LARGE * sizeof *edges);
    for (uint32_t i = 2; i <= LARGE; i++)
        edges[i - 2] = (edge){1, i};
    mp_graph *graph = graph_of(LARGE, edges, LARGE - 1, 16);
    graph_root(graph, 1, MP_ROOT_LOCAL, 0);
    mp_dominators found = mp_dominators_of(graph);
    assert_int_equal(found.idom[LARGE], 1);
    assert_int_equal(found.span[1], LARGE);
    mp_dominators_free(&found);
    mp_graph_free(graph);
    free(edges);
}

/* A chain whose last object refers to the same targets as its first, so that common dominators are
 * far away. */
static void test_a_chain_that_ends_in_a_star(void **unused)
{
    (void)unused;
    enum { CHAIN = LARGE / 4, LEAVES = LARGE / 4, ALL = CHAIN + LEAVES };
    edge *edges = malloc(((size_t)ALL + LEAVES) * sizeof *edges);
    size_t count = 0;
    for (uint32_t i = 1; i < CHAIN; i++)
        edges[count++] = (edge){i, i + 1};
    for (uint32_t i = CHAIN + 1; i <= ALL; i++) {
        edges[count++] = (edge){1, i};
        edges[count++] = (edge){CHAIN, i};
    }
    mp_graph *graph = graph_of(ALL, edges, count, 1);
    graph_root(graph, 1, MP_ROOT_LOCAL, 0);
    mp_dominators found = mp_dominators_of(graph);
    assert_int_equal(found.idom[ALL], 1);
    assert_int_equal(found.idom[CHAIN], CHAIN - 1);
    assert_int_equal(found.retained[2], CHAIN - 1);
    mp_dominators_free(&found);
    mp_graph_free(graph);
    free(edges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_the_definition),
        cmocka_unit_test(test_the_example_of_the_paper),
        cmocka_unit_test(test_nothing_is_reached),
        cmocka_unit_test(test_a_long_chain),
        cmocka_unit_test(test_a_wide_star),
        cmocka_unit_test(test_a_chain_that_ends_in_a_star),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
