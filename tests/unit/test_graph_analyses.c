/* Analyses of object graphs, with values calculated by hand:
 *
 *   static (in App.Cache) -> 1 App.Cache -> 2 Entry[] -> 3, 4, 5 App.Order, each -> 6 String
 *   finalizer             -> 7 Writer -> 8 Byte[]
 *   handle (weak)         -> 9 App.View (garbage otherwise), 9 -> 3
 *   local, local          -> 10 App.Order -> 6 String
 *
 * Orders have 100 bytes, all other objects 10. 6 is shared between orders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/graph_builder.h"
#include "query/accumulation.h"
#include "query/paths.h"
#include "small_graph.h"

enum { CACHE = 1, ENTRIES, ORDER, STRING, WRITER, BYTES, VIEW };

typedef struct small {
    mp_model *model;
    mp_graph *graph;
    mp_filter *filter;
    mp_graph_view view;
} small;

static void look(small *state)
{
    mp_error error = {0};
    state->model->graph = state->graph;
    (void)MP_ADD(&state->model->sessions);
    state->filter = mp_filter_of(state->model, NULL, &error);
    state->filter->graph = state->graph; /* the graph does not belong to a snapshot */
    state->view = mp_graph_view_of(state->filter);
}

static small setup(void)
{
    static const char *const names[] = {"App.Cache", "Entry[]", "App.Order", "String",
                                        "Io.Writer", "Byte[]",  "App.View"};
    static const uint32_t types[] = {0,      CACHE,  ENTRIES, ORDER, ORDER, ORDER,
                                     STRING, WRITER, BYTES,   VIEW,  ORDER};
    static const edge edges[] = {{1, 2}, {2, 3}, {2, 4}, {2, 5}, {3, 6},
                                 {4, 6}, {5, 6}, {7, 8}, {9, 3}, {10, 6}};
    small state = {.model = mp_model_new(),
                   .graph = graph_of(10, edges, sizeof edges / sizeof *edges, 10)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        mp_type *type = MP_ADD(&state.model->types);
        type->name = mp_model_intern_text(state.model, names[i]);
    }
    for (uint32_t i = 1; i <= 10; i++) {
        state.graph->types[i] = types[i];
        state.graph->sizes[i] = types[i] == ORDER ? 100 : 10;
    }
    graph_root(state.graph, 1, MP_ROOT_STATIC, 0)->container.i = CACHE;
    graph_root(state.graph, 7, MP_ROOT_FINALIZER, 0);
    graph_root(state.graph, 9, MP_ROOT_HANDLE, MP_ROOT_WEAK);
    graph_root(state.graph, 10, MP_ROOT_LOCAL, 0);
    graph_root(state.graph, 10, MP_ROOT_LOCAL, MP_ROOT_PINNED);
    graph_root(state.graph, 0, 7, 0);
    look(&state);
    return state;
}

static void teardown(small *state)
{
    mp_graph_view_free(&state->view);
    mp_filter_free(state->filter);
    mp_model_free(state->model);
}

static void test_totals(void **unused)
{
    (void)unused;
    small state = setup();
    for (int i = 0; i < 2; i++) { /* with dominators, and then without them */
        mp_graph_totals totals = mp_graph_totals_of(state.graph, i ? &state.view.dominators : NULL);
        assert_int_equal(totals.objects, 10);
        assert_int_equal(totals.bytes, 460);
        assert_int_equal(totals.roots, 6);
        assert_int_equal(totals.roots_without_object, 1);
        assert_int_equal(totals.references, 10);
        assert_int_equal(totals.reachable_objects, 9);
        assert_int_equal(totals.reachable_bytes, 450);
        assert_int_equal(totals.unreachable_objects, 1);
        assert_int_equal(totals.unreachable_bytes, 10);
    }
    teardown(&state);
}

static const mp_histogram_row *row_of(const mp_histogram *histogram, const char *label)
{
    for (uint32_t i = 0; i < histogram->count; i++)
        if (strcmp(histogram->items[i].label, label) == 0)
            return &histogram->items[i];
    fail_msg("no row %s", label);
    return NULL;
}

static void assert_entry(const mp_histogram *histogram, const char *label, int64_t objects,
                         int64_t bytes, int64_t retained, uint32_t largest)
{
    const mp_histogram_row *histogram_row = row_of(histogram, label);
    assert_int_equal(histogram_row->objects, objects);
    assert_int_equal(histogram_row->bytes, bytes);
    assert_int_equal(histogram_row->retained_bytes, retained);
    assert_int_equal(histogram_row->largest, largest);
}

static void test_types_and_namespaces(void **unused)
{
    (void)unused;
    small state = setup();
    mp_histogram types = mp_histogram_of(&state.view, MP_HISTOGRAM_OF_TYPES);
    /* This is a lower bound, because the exact size is not computed yet. */
    assert_entry(&types, "App.Order", 4, 400, 400, 3);
    mp_histogram_settle(&state.view, &types, types.items, types.count, 0, 0);
    assert_int_equal(types.count, 7);
    /* This includes the string that the orders share. */
    assert_entry(&types, "App.Order", 4, 400, 410, 3);
    assert_entry(&types, "App.Cache", 1, 10, 320, 1);
    assert_entry(&types, "Entry[]", 1, 10, 310, 2);
    assert_entry(&types, "Io.Writer", 1, 10, 20, 7);
    assert_entry(&types, "App.View", 1, 10, 0, 0);
    assert_string_equal(types.items[0].label, "App.Cache");
    mp_histogram_free(&types);

    /* App.Cache dominates three orders, which are not counted again */
    mp_histogram spaces = mp_histogram_of(&state.view, MP_HISTOGRAM_OF_NAMESPACES);
    mp_histogram_settle(&state.view, &spaces, spaces.items, spaces.count, 0, 0);
    assert_int_equal(spaces.count, 3);
    assert_entry(&spaces, "App", 6, 420, 430, 1);
    assert_int_equal(row_of(&spaces, "App")->reached_objects, 5);
    assert_entry(&spaces, "(none)", 3, 30, 330, 2);
    assert_entry(&spaces, "Io", 1, 10, 20, 7);
    mp_histogram_free(&spaces);
    teardown(&state);
}

/* --- many groups, compared with the definition --- */

enum { OBJECTS = 300, TYPES = 200, EDGES = 450, GRAPHS = 60 };

static uint32_t random_below(uint32_t *state, uint32_t limit)
{
    *state = *state * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(*state >> 4) * limit >> 28);
}

static small graph_of_types(uint32_t objects, const edge *edges, size_t edge_count, uint32_t *seed)
{
    small state = {.model = mp_model_new(), .graph = graph_of(objects, edges, edge_count, 0)};
    for (uint32_t i = 0; i < TYPES; i++) {
        char name[16];
        snprintf(name, sizeof name, "T%u", i);
        mp_type *type = MP_ADD(&state.model->types);
        type->name = mp_model_intern_text(state.model, name);
    }
    for (uint32_t i = 1; i <= objects; i++)
        state.graph->types[i] = 1 + random_below(seed, TYPES);
    return state;
}

static small random_graph_of(uint32_t objects, uint32_t edge_count, uint32_t seed)
{
    edge *edges = malloc(edge_count * sizeof *edges);
    for (uint32_t i = 0; i < edge_count; i++) { /* most lead from smaller to larger numbers */
        uint32_t a = 1 + random_below(&seed, objects), b = 1 + random_below(&seed, objects);
        bool back = random_below(&seed, 10) == 0;
        edges[i] = (a < b) != back ? (edge){a, b} : (edge){b, a};
    }
    small state = graph_of_types(objects, edges, edge_count, &seed);
    free(edges);
    for (uint32_t i = 0; i < 12; i++)
        graph_root(state.graph, 1 + random_below(&seed, 60), random_below(&seed, 3), 0);
    look(&state);
    return state;
}

static small random_graph(uint32_t seed)
{
    return random_graph_of(OBJECTS, EDGES, seed);
}

/* Return the bytes that roots reach if no path goes through an object of a type. Type 0 = any
 * path. */
static int64_t reached_without(const mp_graph *graph, uint32_t type)
{
    bool *seen = calloc(graph->count + 1u, sizeof *seen);
    uint32_t *stack = malloc((graph->count + 1u) * sizeof *stack), count = 0;
    int64_t bytes = 0;
    for (uint32_t i = 1; i < graph->roots.count; i++) {
        uint32_t object = graph->roots.items[i].object;
        if (!seen[object] && graph->types[object] != type)
            stack[count++] = object;
        seen[object] = true;
    }
    while (count) {
        uint32_t object = stack[--count];
        bytes += (int64_t)graph->sizes[object];
        for (uint32_t i = graph->first[object]; i < graph->first[object + 1]; i++) {
            uint32_t target = graph->targets[i];
            if (!seen[target] && graph->types[target] != type)
                stack[count++] = target;
            seen[target] = true;
        }
    }
    free(seen);
    free(stack);
    return bytes;
}

static int most_first(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a > b ? -1 : a < b;
}

static void test_what_types_retain_together(void **unused)
{
    (void)unused;
    enum { MOST = 7 };
    for (uint32_t seed = 1; seed <= GRAPHS; seed++) {
        small state = random_graph(seed);
        mp_histogram settled = mp_histogram_of(&state.view, MP_HISTOGRAM_OF_TYPES);
        mp_histogram best = mp_histogram_of(&state.view, MP_HISTOGRAM_OF_TYPES);
        mp_histogram over = mp_histogram_of(&state.view, MP_HISTOGRAM_OF_TYPES);
        int64_t whole = reached_without(state.graph, 0), least = whole / 20;
        int64_t expected[TYPES], found[TYPES];
        mp_histogram_settle(&state.view, &settled, settled.items, settled.count, 0, 0);
        mp_histogram_settle(&state.view, &best, best.items, best.count, MOST, 0);
        mp_histogram_settle(&state.view, &over, over.items, over.count, 0, least);
        assert_true(settled.count > 100); /* more groups than fit into one pass */
        for (uint32_t i = 0; i < settled.count; i++) {
            uint32_t type = 1;
            while (strcmp(mp_model_text(state.model, state.model->types.items[type].name),
                          settled.items[i].label) != 0)
                type++;
            expected[i] = whole - reached_without(state.graph, type);
            assert_int_equal(settled.items[i].retained_bytes, expected[i]);
            found[i] = best.items[i].retained_bytes;
            assert_true(found[i] <= expected[i]);
            assert_int_equal(over.items[i].retained_bytes >= least, expected[i] >= least);
            if (expected[i] >= least)
                assert_int_equal(over.items[i].retained_bytes, expected[i]);
        }
        qsort(expected, settled.count, sizeof *expected, most_first);
        qsort(found, settled.count, sizeof *found, most_first);
        assert_memory_equal(expected, found, MOST * sizeof *expected);
        mp_histogram_free(&settled);
        mp_histogram_free(&best);
        mp_histogram_free(&over);
        teardown(&state);
    }
}

/* In a large graph, two threads share a pass. */
static void test_what_types_of_a_large_graph_retain(void **unused)
{
    (void)unused;
    enum { LARGE = 200000, STEP = 9 };
    small state = random_graph_of(LARGE, 3 * LARGE, 1);
    mp_histogram types = mp_histogram_of(&state.view, MP_HISTOGRAM_OF_TYPES);
    int64_t whole = reached_without(state.graph, 0);
    mp_histogram_settle(&state.view, &types, types.items, types.count, 0, 0);
    assert_int_equal(types.count, TYPES);
    for (uint32_t type = 1; type <= TYPES; type += STEP) {
        const char *name = mp_model_text(state.model, state.model->types.items[type].name);
        assert_int_equal(row_of(&types, name)->retained_bytes,
                         whole - reached_without(state.graph, type));
    }
    mp_histogram_free(&types);
    teardown(&state);
}

/* Make a random ladder: a graph of long paths that meet again and again. */
static small random_ladder(uint32_t seed)
{
    edge edges[EDGES];
    for (uint32_t i = 0; i < EDGES; i++) {
        uint32_t from = 1 + i * (OBJECTS - 4) / EDGES;
        edges[i] = (edge){from, from + 1 + random_below(&seed, 3)};
    }
    small state = graph_of_types(OBJECTS, edges, EDGES, &seed);
    graph_root(state.graph, 1, MP_ROOT_LOCAL, 0);
    graph_root(state.graph, 2, MP_ROOT_LOCAL, 0);
    look(&state);
    return state;
}

/* Check that bounds of retained sizes are correct, and that sizes marked as exact are exact. Return
 * the number of types with exact sizes. */
static uint32_t hold_bounds(small *state)
{
    mp_histogram types = mp_histogram_of(&state->view, MP_HISTOGRAM_OF_TYPES);
    int64_t whole = reached_without(state->graph, 0), most[TYPES];
    uint32_t exact = 0;
    mp_groups_bound(&state->view, &types.groups, most);
    for (uint32_t type = 1; type <= TYPES; type++) {
        uint32_t group = types.groups.group_of[type];
        if (!group)
            continue;
        const mp_joint *least = &types.groups.items[group - 1];
        int64_t expected = whole - reached_without(state->graph, type);
        assert_true(least->bytes <= expected && expected <= most[group - 1]);
        if (least->exact)
            assert_int_equal(least->bytes, expected);
        exact += least->exact;
    }
    mp_histogram_free(&types);
    return exact;
}

static void test_bounds_of_what_types_retain(void **unused)
{
    (void)unused;
    uint32_t exact = 0;
    for (uint32_t seed = 1; seed <= GRAPHS; seed++) {
        small some = random_graph(seed), ladder = random_ladder(seed);
        exact += hold_bounds(&some);
        hold_bounds(&ladder);
        teardown(&some);
        teardown(&ladder);
    }
    assert_true(exact > GRAPHS * 150);
}

static void test_order_of_objects(void **unused)
{
    (void)unused;
    static const uint32_t expected[] = {1, 2, 3, 4, 5, 10, 7, 6, 8};
    small state = setup();
    for (size_t most = 0; most <= 9; most++) {
        size_t count, matching;
        uint32_t *order = mp_retained_order(&state.view, 0, most, &count, &matching);
        assert_int_equal(count, most ? most : 9);
        assert_int_equal(matching, 9);
        assert_memory_equal(order, expected, count * sizeof *order);
        free(order);
    }
    teardown(&state);
}

static void test_roots(void **unused)
{
    (void)unused;
    small state = setup();
    size_t count;
    const mp_root_census *census = mp_graph_census(&state.view, &count);
    assert_int_equal(count, 5);
    assert_int_equal(census[0].kind, MP_ROOT_STATIC);
    assert_int_equal(census[0].exclusive_bytes, 320); /* does not include the shared string */
    assert_int_equal(census[0].exclusive_objects, 5);
    assert_int_equal(census[0].largest, 1);
    assert_int_equal(census[1].kind, MP_ROOT_LOCAL);
    assert_int_equal(census[1].roots, 2);
    assert_int_equal(census[1].objects, 1);
    assert_int_equal(census[1].pinned, 1);
    assert_int_equal(census[1].bytes, 100);
    assert_int_equal(census[1].exclusive_bytes, 100);
    assert_int_equal(census[2].kind, MP_ROOT_FINALIZER);
    assert_int_equal(census[2].exclusive_bytes, 20);
    assert_int_equal(census[3].kind, MP_ROOT_HANDLE);
    assert_int_equal(census[3].weak, 1);
    assert_int_equal(census[3].exclusive_bytes, 0);
    assert_int_equal(census[4].kind, 7);
    assert_int_equal(census[4].objects, 0);

    const mp_static_census *statics = mp_graph_statics(&state.view, 0, &count);
    assert_int_equal(count, 1);
    assert_int_equal(statics[0].container.i, CACHE);
    assert_int_equal(statics[0].retained_bytes, 320);
    teardown(&state);
}

static void test_labels_of_roots(void **unused)
{
    (void)unused;
    small state = setup();
    mp_arena arena = {0};
    assert_string_equal(mp_root_kind_text(&arena, state.model, 27), "kind 1b");
    assert_string_equal(mp_root_flags_text(&arena, MP_ROOT_PINNED | MP_ROOT_INTERIOR | 0x30),
                        "pinned+interior+0x30");
    assert_string_equal(mp_root_flags_text(&arena, 0), "");
    assert_string_equal(mp_object_roots_text(&arena, &state.view, 10, false), "local");
    assert_string_equal(mp_object_roots_text(&arena, &state.view, 2, false), "");
    graph_root(state.graph, 10, MP_ROOT_INTERNAL, 0);
    mp_object_roots roots = mp_roots_by_object(state.graph);
    const mp_graph_view view = {.model = state.model, .graph = state.graph, .roots = roots};
    assert_string_equal(mp_object_roots_text(&arena, &view, 10, false), "internal+local");
    mp_object_roots_free(&roots);
    mp_arena_free(&arena);
    teardown(&state);
}

static void test_ids_as_the_format_writes_them(void **unused)
{
    (void)unused;
    small state = setup();
    assert_int_equal(mp_graph_find(state.graph, "10"), 10);
    assert_int_equal(mp_graph_find(state.graph, "a"), 0);
    assert_int_equal(mp_graph_find(state.graph, ""), 0);
    assert_int_equal(mp_graph_find(state.graph, "-1"), 0);
    state.graph->hexadecimal = true;
    assert_int_equal(mp_graph_find(state.graph, "A"), 10);
    assert_int_equal(mp_graph_find(state.graph, "10"), 0);
    teardown(&state);
}

static void test_paths(void **unused)
{
    (void)unused;
    small state = setup();
    static const uint32_t by_static[] = {1, 2, 3, 6};
    mp_path path = mp_path_to(state.graph, 6, MP_ANY_KIND, NULL);
    assert_int_equal(path.count, 2); /* the path is 10, 6 */
    assert_int_equal(path.objects[0], 10);
    assert_int_equal(path.root, 4);
    mp_path_free(&path);
    path = mp_path_to(state.graph, 6, MP_ROOT_STATIC, NULL);
    assert_int_equal(path.count, 4);
    assert_memory_equal(path.objects, by_static, sizeof by_static);
    mp_path_free(&path);
    path = mp_path_to(state.graph, 9, MP_ANY_KIND, NULL); /* only a weak root refers to it */
    assert_int_equal(path.count, 0);
    mp_path_free(&path);
    teardown(&state);
}

static void test_paths_merged_by_type(void **unused)
{
    (void)unused;
    small state = setup();
    mp_type_paths paths = mp_type_paths_of(&state.view, "App.[OV]*", NULL);
    assert_int_equal(paths.objects, 5);
    assert_int_equal(paths.unreached, 1);
    assert_int_equal(paths.count, 2);
    assert_int_equal(paths.items[0].objects, 3);
    assert_int_equal(paths.items[0].bytes, 300);
    assert_int_equal(paths.items[0].example, 3);
    const mp_type_step *last = &paths.steps[paths.items[0].last];
    assert_int_equal(last->type, ORDER);
    assert_int_equal(last->length, 3);
    assert_int_equal(last->root_kind, MP_ROOT_STATIC);
    assert_int_equal(paths.steps[last->up].type, ENTRIES);
    assert_int_equal(paths.steps[paths.items[1].last].root_kind, MP_ROOT_LOCAL);
    mp_type_paths_free(&paths);
    teardown(&state);
}

static void test_suspects(void **unused)
{
    (void)unused;
    small state = setup();
    size_t count;
    const mp_suspect *found = mp_graph_suspects(&state.view, &count);
    assert_int_equal(count, 3);
    assert_int_equal(found[0].rule, MP_SUSPECT_OBJECT);
    assert_int_equal(found[0].object, 1);
    assert_int_equal(found[0].bytes, 320);
    assert_int_equal(found[0].objects, 5);
    assert_int_equal(found[0].accumulation, 2);
    assert_int_equal(found[0].held_type, ORDER);
    assert_int_equal(found[0].held_objects, 3);
    assert_int_equal(found[0].held_bytes, 300);
    /* not the orders of the cache, although each of them retains over a tenth */
    assert_int_equal(found[1].object, 10);
    assert_int_equal(found[2].rule, MP_SUSPECT_FINALIZER);
    assert_int_equal(found[2].bytes, 20);
    teardown(&state);
}

/* References: 1 -> 2, 3; 2 -> 4 to 6; 3 -> 7. The objects below 1 are below 2 or below 3, and 2
 * holds more objects of one type than 1 does itself. A part of 2 retains a large share too, but is
 * not reported. */
static void test_a_suspect_is_where_most_of_a_type_are(void **unused)
{
    (void)unused;
    static const edge edges[] = {{1, 2}, {1, 3}, {2, 4}, {2, 5}, {2, 6}, {3, 7}};
    small state = {.model = mp_model_new(), .graph = graph_of(7, edges, 6, 10)};
    for (int i = 0; i < 4; i++)
        (void)MP_ADD(&state.model->types);
    for (uint32_t i = 1; i <= 7; i++)
        state.graph->types[i] = i == 1 ? 1 : i <= 3 ? 2 : i == 7 ? 4 : 3;
    state.graph->sizes[4] = 30;
    state.graph->sizes[7] = 8; /* the total is 88 */
    graph_root(state.graph, 1, MP_ROOT_STATIC, 0);
    look(&state);
    size_t count;
    const mp_suspect *found = mp_graph_suspects(&state.view, &count);
    assert_int_equal(count, 2);
    assert_int_equal(found[0].object, 2); /* it retains 60 bytes */
    assert_int_equal(found[0].held_objects, 3);
    assert_int_equal(found[0].held_bytes, 50);
    assert_int_equal(found[1].object, 3);
    teardown(&state);
}

/* A weak root does not count among the roots that keep an object alive. */
static void test_weak_roots_are_no_roots_of_what_they_do_not_hold(void **unused)
{
    (void)unused;
    small state = setup();
    graph_root(state.graph, 1, MP_ROOT_HANDLE, MP_ROOT_WEAK);
    mp_arena arena = {0};
    mp_object_roots roots = mp_roots_by_object(state.graph);
    const mp_graph_view view = {.model = state.model, .graph = state.graph, .roots = roots};
    assert_string_equal(mp_object_roots_text(&arena, &view, 1, false), "static");
    assert_string_equal(mp_object_roots_text(&arena, &view, 1, true), "handle");
    assert_string_equal(mp_object_roots_text(&arena, &view, 9, false), "");
    assert_true(mp_is_rooted(state.graph, &roots, 1));
    assert_false(mp_is_rooted(state.graph, &roots, 9));
    mp_object_roots_free(&roots);
    mp_arena_free(&arena);
    teardown(&state);
}

/* A linked list is held by its first node, not by one of its last nodes. */
static void test_a_list_accumulates_at_its_head(void **unused)
{
    (void)unused;
    enum { NODES = 1000 };
    edge edges[NODES];
    edges[0] = (edge){1, 2};
    for (uint32_t i = 2; i <= NODES; i++)
        edges[i - 1] = (edge){i, i + 1};
    small state = {.model = mp_model_new(), .graph = graph_of(NODES + 1, edges, NODES, 10)};
    for (int i = 0; i < 2; i++)
        (void)MP_ADD(&state.model->types);
    for (uint32_t i = 1; i <= NODES + 1; i++)
        state.graph->types[i] = i == 1 ? 1 : 2;
    graph_root(state.graph, 1, MP_ROOT_STATIC, 0);
    look(&state);
    size_t count;
    const mp_suspect *found = mp_graph_suspects(&state.view, &count);
    assert_int_equal(found[0].object, 1);
    assert_int_equal(found[0].accumulation, 2);
    assert_int_equal(found[0].held_type, 2);
    assert_int_equal(found[0].held_objects, NODES);
    teardown(&state);
}

/* The nodes of a linked list may have up to four types in turn. With more types it counts as a
 * chain, which is followed as long as an object retains most of what the previous object retains.
 * Here it is followed up to the third object from the end: two thirds do not count as most. */
static void test_a_list_may_be_of_several_types(void **unused)
{
    (void)unused;
    enum { NODES = 1000 };
    for (uint32_t of_types = 4; of_types <= 5; of_types++) {
        edge edges[NODES];
        for (uint32_t i = 1; i <= NODES; i++)
            edges[i - 1] = (edge){i, i + 1};
        small state = {.model = mp_model_new(), .graph = graph_of(NODES + 1, edges, NODES, 10)};
        for (uint32_t i = 0; i < of_types + 1; i++)
            (void)MP_ADD(&state.model->types);
        for (uint32_t i = 1; i <= NODES + 1; i++)
            state.graph->types[i] = i == 1 ? 1 : 2 + (i - 2) % of_types;
        graph_root(state.graph, 1, MP_ROOT_STATIC, 0);
        look(&state);
        size_t count;
        const mp_suspect *found = mp_graph_suspects(&state.view, &count);
        assert_int_equal(found[0].object, 1);
        assert_int_equal(found[0].accumulation, of_types == 4 ? 2 : NODES - 1);
        assert_int_equal(found[0].held_objects, of_types == 4 ? NODES / 4 : 1);
        teardown(&state);
    }
}

/* A holder has 10 objects of type 2. Each of them refers to one object of type 3, two of type 4 and
 * two of type 5. Roots also refer to one object of type 3, two of type 4 and three of type 5.
 * Therefore the holder alone keeps 9 of 10, 18 of 20 and 17 of 20 objects alive. */
static void test_what_is_kept_is_nine_of_ten(void **unused)
{
    (void)unused;
    enum { HOLDER = 1, HELD = 2, NINE = 12, EIGHTEEN = 22, SEVENTEEN = 42, COUNT = 61, EACH = 10 };
    static const uint32_t rooted[] = {HOLDER,    NINE,          EIGHTEEN,     EIGHTEEN + 1,
                                      SEVENTEEN, SEVENTEEN + 1, SEVENTEEN + 2};
    edge edges[EACH * 6];
    size_t edge_count = 0;
    for (uint32_t i = 0; i < EACH; i++) {
        const uint32_t held = HELD + i;
        edges[edge_count++] = (edge){HOLDER, held};
        edges[edge_count++] = (edge){held, NINE + i};
        for (uint32_t k = 0; k < 2; k++) {
            edges[edge_count++] = (edge){held, EIGHTEEN + 2 * i + k};
            edges[edge_count++] = (edge){held, SEVENTEEN + 2 * i + k};
        }
    }
    small state = {.model = mp_model_new(), .graph = graph_of(COUNT, edges, edge_count, 10)};
    for (int i = 0; i < 5; i++)
        (void)MP_ADD(&state.model->types);
    for (uint32_t i = 1; i <= COUNT; i++)
        state.graph->types[i] = i < HELD        ? 1
                                : i < NINE      ? 2
                                : i < EIGHTEEN  ? 3
                                : i < SEVENTEEN ? 4
                                                : 5;
    for (size_t i = 0; i < sizeof rooted / sizeof *rooted; i++)
        graph_root(state.graph, rooted[i], MP_ROOT_STATIC, 0);
    look(&state);
    state.view.accumulated = calloc(1, sizeof *state.view.accumulated);
    const mp_accumulation accumulation = {.holder = HOLDER, .type = 2, .objects = EACH};
    size_t count;
    mp_kept_type *kept = mp_kept_with(&state.view, &accumulation, &count);
    assert_int_equal(count, 2);
    assert_int_equal(kept[0].type, 4); /* most bytes first */
    assert_int_equal(kept[0].objects, 18);
    assert_int_equal(kept[0].of_objects, 20);
    assert_int_equal(kept[0].bytes, 180);
    assert_int_equal(kept[1].type, 3);
    assert_int_equal(kept[1].objects, 9);
    assert_int_equal(kept[1].of_objects, 10);
    assert_int_equal(kept[1].bytes, 90);
    free(kept);
    teardown(&state);
}

static void test_sharing(void **unused)
{
    (void)unused;
    small state = setup();
    mp_sharing sharing = *mp_graph_sharing(&state.view);
    assert_int_equal(sharing.count, 1);
    assert_int_equal(sharing.total.objects, 1);
    assert_int_equal(sharing.total.own_bytes, 10);
    assert_int_equal(sharing.total.retained_objects, 1);
    assert_int_equal(sharing.total.retained_bytes, 10);
    assert_int_equal(sharing.items[0].types[0], ORDER);
    assert_int_equal(sharing.items[0].types[1], ORDER);
    assert_int_equal(sharing.items[0].largest, 6);
    teardown(&state);
}

/* Two roots share an object that has a part. One object is shared; with its part, two objects are
 * shared. */
static void test_sharing_with_parts(void **unused)
{
    (void)unused;
    static const edge edges[] = {{1, 3}, {2, 3}, {3, 4}};
    small state = {.model = mp_model_new(), .graph = graph_of(4, edges, 3, 10)};
    (void)MP_ADD(&state.model->types);
    for (uint32_t i = 1; i <= 4; i++)
        state.graph->types[i] = 1;
    graph_root(state.graph, 1, MP_ROOT_STATIC, 0);
    graph_root(state.graph, 2, MP_ROOT_STATIC, 0);
    look(&state);
    mp_sharing sharing = *mp_graph_sharing(&state.view);
    assert_int_equal(sharing.count, 1);
    assert_int_equal(sharing.total.objects, 1);
    assert_int_equal(sharing.total.own_bytes, 10);
    assert_int_equal(sharing.total.retained_objects, 2);
    assert_int_equal(sharing.total.retained_bytes, 20);
    teardown(&state);
}

static void test_sharing_of_a_large_graph(void **unused)
{
    (void)unused;
    enum { LARGE = 40000 };
    small state = random_graph_of(LARGE, 2 * LARGE, 1);
    mp_graph_view alone = mp_graph_view_of(state.filter);
    mp_graph_share_ahead(&state.view);
    size_t count;
    (void)mp_graph_suspects(&state.view, &count); /* beside the second thread */
    const mp_sharing *found = mp_graph_sharing(&state.view), *expected = mp_graph_sharing(&alone);
    assert_true(expected->count > 100);
    assert_int_equal(found->count, expected->count);
    assert_memory_equal(&found->total, &expected->total, sizeof found->total);
    assert_memory_equal(found->items, expected->items, found->count * sizeof *found->items);
    mp_graph_view_free(&alone);
    mp_graph_share_ahead(&state.view); /* nothing is left to do */
    teardown(&state);
}

/* A view may be released before what was started is wanted. */
static void test_sharing_that_nobody_wants(void **unused)
{
    (void)unused;
    enum { LARGE = 40000 };
    small state = random_graph_of(LARGE, 2 * LARGE, 1);
    mp_graph_share_ahead(&state.view);
    teardown(&state);
}

static void test_roots_are_counted_for_later(void **unused)
{
    (void)unused;
    small state = setup();
    mp_model_count_roots(state.model, state.graph);
    assert_int_equal(state.model->root_counts.count, 6);
    assert_int_equal(state.model->root_counts.items[1].kind, MP_ROOT_LOCAL);
    assert_int_equal(state.model->root_counts.items[1].roots, 2);
    assert_int_equal(state.model->root_counts.items[1].objects, 1);
    assert_int_equal(state.model->root_counts.items[5].kind, 7);
    assert_int_equal(state.model->root_counts.items[5].objects, 0);
    teardown(&state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_totals),
        cmocka_unit_test(test_types_and_namespaces),
        cmocka_unit_test(test_what_types_retain_together),
        cmocka_unit_test(test_what_types_of_a_large_graph_retain),
        cmocka_unit_test(test_bounds_of_what_types_retain),
        cmocka_unit_test(test_order_of_objects),
        cmocka_unit_test(test_roots),
        cmocka_unit_test(test_labels_of_roots),
        cmocka_unit_test(test_ids_as_the_format_writes_them),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_paths_merged_by_type),
        cmocka_unit_test(test_suspects),
        cmocka_unit_test(test_a_suspect_is_where_most_of_a_type_are),
        cmocka_unit_test(test_weak_roots_are_no_roots_of_what_they_do_not_hold),
        cmocka_unit_test(test_a_list_accumulates_at_its_head),
        cmocka_unit_test(test_a_list_may_be_of_several_types),
        cmocka_unit_test(test_what_is_kept_is_nine_of_ten),
        cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_sharing_with_parts),
        cmocka_unit_test(test_sharing_of_a_large_graph),
        cmocka_unit_test(test_sharing_that_nobody_wants),
        cmocka_unit_test(test_roots_are_counted_for_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
