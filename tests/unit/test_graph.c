/* Object graphs as readers build them: the references after their ids were resolved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/build.h"
#include "model/graph_builder.h"
#include "model/id_table.h"

typedef struct fixture {
    mp_model *model;
    mp_graph_builder *builder;
    mp_type_id type;
} fixture;

static fixture begin(void)
{
    fixture f = {.model = mp_model_new()};
    (void)MP_ADD(&f.model->sessions);
    MP_ADD(&f.model->snapshots)->session.i = 1;
    MP_ADD(&f.model->types)->name = mp_model_intern_text(f.model, "Shop.Order");
    f.type.i = 1;
    f.builder = mp_graph_begin(f.model, (mp_snapshot_id){1});
    return f;
}

static void domain(fixture *f, const char *name)
{
    mp_graph_domain(f->builder, mp_model_intern_text(f->model, name));
}

/* Add an object of 10 bytes with `count` references. */
static void object(fixture *f, uint64_t id, size_t count, const uint64_t *references)
{
    assert_true(mp_graph_object(f->builder, id, f->type, 10));
    mp_graph_refer(f->builder, references, count);
}

static const mp_graph *end(fixture *f)
{
    assert_true(mp_graph_end(f->builder));
    assert_true(f->model->holds & MP_HOLDS_GRAPH);
    return f->model->graph;
}

static void assert_targets(const mp_graph *graph, uint32_t from, size_t count,
                           const uint32_t *expected)
{
    assert_int_equal(graph->first[from + 1] - graph->first[from], count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(graph->targets[graph->first[from] + i], expected[i]);
}

#define IDS(...)                                                                                   \
    sizeof((uint64_t[]){__VA_ARGS__}) / 8, (uint64_t[])                                            \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define OBJECTS(...)                                                                               \
    sizeof((uint32_t[]){__VA_ARGS__}) / 4, (uint32_t[])                                            \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define NONE 0, NULL

/* --- references --- */

/* The example in graph.h. */
static void references_forward_back_and_to_itself(void **unused)
{
    (void)unused;
    fixture f = begin();
    domain(&f, "shop.exe");
    object(&f, 0xa0, IDS(0xc0, 0xd0));
    object(&f, 0xb0, NONE);
    object(&f, 0xc0, IDS(0xa0, 0xb0, 0xc0));
    object(&f, 0xd0, NONE);
    const mp_graph *graph = end(&f);
    assert_int_equal(graph->count, 4);
    assert_int_equal(mp_graph_references(graph), 5);
    assert_targets(graph, 1, OBJECTS(3, 4));
    assert_targets(graph, 2, NONE);
    assert_targets(graph, 3, OBJECTS(1, 2, 3));
    assert_targets(graph, 4, NONE);
    assert_int_equal(graph->dangling, 0);
    mp_model_free(f.model);
}

static void the_same_reference_twice_stays_twice(void **unused)
{
    (void)unused;
    fixture f = begin();
    domain(&f, "");
    object(&f, 1, IDS(2, 2));
    object(&f, 2, NONE);
    mp_graph_reference(f.builder, 1); /* a reference from the last object */
    const mp_graph *graph = end(&f);
    assert_targets(graph, 1, OBJECTS(2, 2));
    assert_targets(graph, 2, OBJECTS(1));
    mp_model_free(f.model);
}

/* Two threads resolve many references. */
static void many_references(void **unused)
{
    (void)unused;
    enum { COUNT = 40000, EACH = 3 };
    fixture f = begin();
    domain(&f, "a");
    for (uint32_t i = 1; i <= COUNT; i++) {
        if (i == COUNT / 3)
            domain(&f, "b");
        uint64_t ids[EACH];
        for (uint32_t k = 0; k < EACH; k++) /* some lead to objects that do not exist */
            ids[k] = 16 * (uint64_t)((i * 7 + k * 101) % (COUNT + COUNT / 10) + 1);
        object(&f, 16 * (uint64_t)i, i % 5 ? EACH : 0, ids);
    }
    const mp_graph *graph = end(&f);
    uint64_t dangling = 0;
    uint32_t next = 0;
    for (uint32_t i = 1; i <= COUNT; i++) {
        assert_int_equal(graph->first[i], next);
        for (uint32_t k = 0; i % 5 && k < EACH; k++) {
            uint32_t target = (i * 7 + k * 101) % (COUNT + COUNT / 10) + 1;
            dangling += target > COUNT;
            if (target <= COUNT)
                assert_int_equal(graph->targets[next++], target);
        }
    }
    assert_int_equal(mp_graph_references(graph), next);
    assert_int_equal(graph->dangling, dangling);
    mp_model_free(f.model);
}

static void references_to_nothing_are_counted(void **unused)
{
    (void)unused;
    fixture f = begin();
    domain(&f, "");
    object(&f, 0x10, IDS(0x8, 0x20, 0x18, 0x21, 0x28));
    object(&f, 0x20, IDS(0, UINT64_MAX));
    const mp_graph *graph = end(&f);
    assert_int_equal(graph->dangling, 6);
    assert_targets(graph, 1, OBJECTS(2));
    assert_targets(graph, 2, NONE);
    mp_model_free(f.model);
}

static void roots_name_objects_of_any_place(void **unused)
{
    (void)unused;
    fixture f = begin();
    domain(&f, "");
    mp_graph_root(f.builder, &(mp_root){.id = 2, .kind = 4});
    object(&f, 1, NONE);
    object(&f, 2, NONE);
    mp_graph_root(f.builder, &(mp_root){.id = 1, .kind = 3, .flags = 2});
    mp_graph_root(f.builder, &(mp_root){.id = 3});
    const mp_graph *graph = end(&f);
    assert_int_equal(graph->roots.count, 4);
    assert_int_equal(graph->roots.items[1].object, 2);
    assert_int_equal(graph->roots.items[2].object, 1);
    assert_int_equal(graph->roots.items[3].object, 0);
    mp_model_free(f.model);
}

static void a_graph_of_nothing(void **unused)
{
    (void)unused;
    fixture f = begin();
    domain(&f, "");
    mp_graph_root(f.builder, &(mp_root){.id = 1});
    const mp_graph *graph = end(&f);
    assert_int_equal(graph->count, 0);
    assert_int_equal(mp_graph_references(graph), 0);
    assert_int_equal(graph->roots.items[1].object, 0);
    mp_model_free(f.model);
}

/* --- domains --- */

static void names_are_of_their_own_domain_first(void **unused)
{
    (void)unused;
    fixture f = begin();
    domain(&f, "a.exe");
    object(&f, 1, IDS(2, 3)); /* object 2 is in this domain, object 3 in b.exe and in c.exe */
    object(&f, 2, NONE);
    domain(&f, "empty.exe");
    mp_graph_root(f.builder, &(mp_root){.id = 2}); /* the first object with this id in the file */
    domain(&f, "b.exe");
    object(&f, 2, IDS(1, 2, 4));
    object(&f, 3, NONE);
    mp_graph_root(f.builder, &(mp_root){.id = 2});
    domain(&f, "c.exe");
    object(&f, 3, IDS(3, 2, 9));
    const mp_graph *graph = end(&f);
    assert_int_equal(graph->count, 5);
    assert_targets(graph, 1, OBJECTS(2, 4));
    assert_targets(graph, 3, OBJECTS(1, 3));
    assert_targets(graph, 5, OBJECTS(5, 2));
    assert_int_equal(graph->dangling, 2);
    assert_int_equal(graph->duplicates, 0);
    assert_int_equal(graph->roots.items[1].object, 2);
    assert_int_equal(graph->roots.items[2].object, 3);
    assert_int_equal(graph->domains.count, 5);
    assert_int_equal(graph->domains.items[1].objects, 2);
    assert_int_equal(graph->domains.items[2].objects, 0);
    assert_int_equal(graph->domains.items[3].first_object, 3);
    assert_int_equal(graph->domains.items[4].first_object, 5);
    mp_model_free(f.model);
}

/* With a look-up for each reference and each domain, this would take hours. */
static void many_domains_cost_no_more_than_one(void **unused)
{
    (void)unused;
    fixture f = begin();
    for (uint64_t i = 1; i <= 100000; i++) {
        domain(&f, "x");
        object(&f, i, IDS(i + 1, 0, 1000000));
    }
    const mp_graph *graph = end(&f);
    assert_int_equal(graph->dangling, 200001);
    assert_targets(graph, 7, OBJECTS(8));
    mp_model_free(f.model);
}

/* --- duplicates --- */

/* If several objects have the same id, the first is kept, with its references. This is so for dense
 * and for sparse ids. */
static void duplicates_go_with_what_they_refer_to(void **unused)
{
    (void)unused;
    static const uint64_t steps[] = {1, 0x123456789abu};
    for (size_t i = 0; i < 2; i++) {
        uint64_t a = steps[i], b = 2 * a, c = 3 * a, e = 4 * a;
        fixture f = begin();
        domain(&f, "a.exe");
        object(&f, b, IDS(c));
        object(&f, a, IDS(b, b));
        object(&f, b, IDS(a, a, 77 * a));
        object(&f, c, IDS(a));
        object(&f, b, NONE);
        domain(&f, "b.exe");
        domain(&f, "c.exe");
        object(&f, b, IDS(e));
        object(&f, b, IDS(b));
        object(&f, e, IDS(b, a));
        mp_graph_root(f.builder, &(mp_root){.id = b});
        const mp_graph *graph = end(&f);
        assert_int_equal(graph->count, 5);
        assert_int_equal(graph->duplicates, 3);
        assert_int_equal(graph->dangling, 0);
        assert_int_equal(graph->ids[1], b);
        assert_int_equal(graph->ids[2], a);
        assert_int_equal(graph->ids[3], c);
        assert_int_equal(graph->ids[4], b);
        assert_int_equal(graph->ids[5], e);
        assert_targets(graph, 1, OBJECTS(3));
        assert_targets(graph, 2, OBJECTS(1, 1));
        assert_targets(graph, 3, OBJECTS(2));
        assert_targets(graph, 4, OBJECTS(5));
        assert_targets(graph, 5, OBJECTS(4, 2));
        assert_int_equal(graph->roots.items[1].object, 4);
        assert_int_equal(graph->domains.items[1].objects, 3);
        assert_int_equal(graph->domains.items[2].objects, 0);
        assert_int_equal(graph->domains.items[3].first_object, 4);
        assert_int_equal(graph->domains.items[3].objects, 2);
        mp_model_free(f.model);
    }
}

static void duplicates_without_any_reference(void **unused)
{
    (void)unused;
    fixture f = begin();
    domain(&f, "");
    object(&f, 1, NONE);
    object(&f, 1, NONE);
    const mp_graph *graph = end(&f);
    assert_int_equal(graph->count, 1);
    assert_int_equal(graph->duplicates, 1);
    assert_int_equal(mp_graph_references(graph), 0);
    mp_model_free(f.model);
}

/* --- tables of ids --- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Check that a table of ids[1..count] finds each of them, and no other id. */
static void check_table(const uint64_t *ids, uint32_t count, bool dense)
{
    mp_id_table table;
    assert_int_equal(mp_id_table_make(&table, ids, 1, count), 0);
    assert_int_equal(table.words != NULL, dense);
    for (uint32_t i = 1; i <= count; i++) {
        mp_id_fetch(&table, ids[i]);
        mp_id_fetch_on(&table, ids[i]);
        assert_int_equal(mp_id_find(&table, ids[i]), i);
        for (int bit = 0; bit < 64; bit++) {
            uint64_t other = ids[i] ^ (uint64_t)1 << bit;
            uint32_t found = mp_id_find(&table, other);
            mp_id_fetch(&table, other);
            mp_id_fetch_on(&table, other);
            assert_true(found == 0 || ids[found] == other);
        }
    }
    mp_id_table_free(&table);
}

static void tables_of_all_kinds_of_ids(void **unused)
{
    (void)unused;
    enum { COUNT = 1000 };
    static uint64_t ids[COUNT + 1];
    static const struct {
        uint64_t start, step;
        bool dense;
    } rows[] = {
        {1, 1, true},
        {0, 16, true},
        {0x10000007, 16, true}, /* all ids have the same low bits */
        {3, 3, true},
        {0x7fffffffffff0000, (uint64_t)1 << 20, true},
        {UINT64_MAX - 8 * COUNT, 8, true},
        {5, 65, false},
        {0, UINT64_MAX / COUNT, false},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        for (uint32_t i = 1; i <= COUNT; i++)
            ids[i] = rows[r].start + i * rows[r].step;
        check_table(ids, COUNT, rows[r].dense);
        check_table(ids, 1, true);
        for (uint32_t i = 1; i <= COUNT / 2; i++) { /* the same ids in reverse order */
            uint64_t id = ids[i];
            ids[i] = ids[COUNT + 1 - i];
            ids[COUNT + 1 - i] = id;
        }
        check_table(ids, COUNT, rows[r].dense);
    }
    uint64_t state = 1;
    for (uint32_t i = 1; i <= COUNT; i++)
        ids[i] = next_random(&state);
    check_table(ids, COUNT, false);
}

static void the_ends_of_64_bits(void **unused)
{
    (void)unused;
    static const uint64_t ids[] = {0, 0, UINT64_MAX, 1};
    mp_id_table table;
    assert_int_equal(mp_id_table_make(&table, ids, 1, 3), 0);
    for (uint32_t i = 1; i <= 3; i++)
        assert_int_equal(mp_id_find(&table, ids[i]), i);
    assert_int_equal(mp_id_find(&table, 2), 0);
    mp_id_table_free(&table);
    assert_int_equal(mp_id_table_make(&table, ids, 1, 0), 0);
    assert_int_equal(mp_id_find(&table, 0), 0);
    mp_id_table_free(&table);
}

/* Random graphs, compared with a linear search of all objects. */
static void random_graphs_are_as_a_search_finds_them(void **unused)
{
    (void)unused;
    uint64_t state = 7;
    for (int round = 0; round < 500; round++) {
        uint64_t ids[40], references[40][3], expected_dangling = 0;
        uint64_t step = round % 2 ? 1 + next_random(&state) % 50 : next_random(&state);
        fixture f = begin();
        domain(&f, "");
        for (int i = 0; i < 40; i++) {
            ids[i] = next_random(&state) % 60 * step;
            for (int k = 0; k < 3; k++)
                references[i][k] = next_random(&state) % 60 * step;
            object(&f, ids[i], 3, references[i]);
        }
        const mp_graph *graph = end(&f);
        uint32_t number[40], kept = 0, place = 0;
        for (int i = 0; i < 40; i++) {
            int first = 0;
            while (ids[first] != ids[i])
                first++;
            number[i] = first == i ? ++kept : number[first];
        }
        for (int i = 0, seen = 0; i < 40; i++) {
            if (number[i] != (uint32_t)seen + 1)
                continue;
            seen++;
            assert_int_equal(graph->first[seen], place);
            for (int k = 0; k < 3; k++) {
                int target = 0;
                while (target < 40 && ids[target] != references[i][k])
                    target++;
                expected_dangling += target == 40;
                if (target < 40)
                    assert_int_equal(graph->targets[place++], number[target]);
            }
        }
        assert_int_equal(graph->count, kept);
        assert_int_equal(graph->duplicates, 40 - kept);
        assert_int_equal(graph->dangling, expected_dangling);
        assert_int_equal(mp_graph_references(graph), place);
        mp_model_free(f.model);
    }
}

/* --- sizes, snapshots --- */

static void sizes_that_no_sum_holds_are_refused(void **unused)
{
    (void)unused;
    fixture f = begin();
    domain(&f, "");
    assert_false(mp_graph_object(f.builder, 1, f.type, UINT64_MAX));
    assert_false(mp_graph_object(f.builder, 1, f.type, INT64_MAX));
    assert_true(mp_graph_object(f.builder, 1, f.type, INT64_MAX / 4 - 10));
    object(&f, 2, NONE);
    assert_false(mp_graph_object(f.builder, 3, f.type, 1));
    const mp_graph *graph = end(&f);
    assert_int_equal(graph->count, 2);
    assert_int_equal(graph->sizes[1], INT64_MAX / 4 - 10);
    mp_model_free(f.model);
}

static void a_later_graph_takes_the_place_of_an_earlier_one(void **unused)
{
    (void)unused;
    fixture f = begin();
    mp_type_counts counts = {.model = f.model};
    domain(&f, "");
    object(&f, 1, NONE);
    object(&f, 2, NONE);
    (void)end(&f);
    mp_type_counts_enter(&counts);
    MP_ADD(&f.model->snapshots)->session.i = 1;
    MP_ADD(&f.model->types)->name = mp_model_intern_text(f.model, "Shop.Map");
    f.builder = mp_graph_begin(f.model, (mp_snapshot_id){2});
    domain(&f, "");
    object(&f, 7, NONE);
    assert_true(mp_graph_object(f.builder, 8, (mp_type_id){2}, 5));
    assert_true(mp_graph_object(f.builder, 9, (mp_type_id){2}, 6));
    const mp_graph *graph = end(&f);
    mp_type_counts_enter(&counts);
    mp_type_counts_free(&counts);
    assert_int_equal(graph->snapshot.i, 2);
    assert_int_equal(graph->count, 3);
    assert_int_equal(f.model->snapshots.items[1].live_objects, 2);
    assert_int_equal(f.model->snapshots.items[1].live_bytes, 20);
    assert_int_equal(f.model->snapshots.items[2].live_objects, 3);
    assert_int_equal(f.model->snapshots.items[2].live_bytes, 21);
    /* orders at 1, orders at 2, maps at 2 */
    assert_int_equal(f.model->deltas.count, 4);
    assert_int_equal(f.model->deltas.items[1].cost.found, 2);
    assert_int_equal(f.model->deltas.items[2].cost.found, -1);
    assert_int_equal(f.model->deltas.items[2].cost.bytes, -10);
    assert_int_equal(f.model->deltas.items[3].cost.found, 2);
    assert_int_equal(f.model->deltas.items[3].cost.bytes, 11);
    assert_int_equal(f.model->deltas.items[3].snapshot.i, 2);
    for (uint32_t i = 2; i < f.model->generations.count; i++)
        assert_int_equal(f.model->generations.items[i].born.i, 1);
    mp_model_free(f.model);
}

static void a_dropped_graph_leaves_nothing(void **unused)
{
    (void)unused;
    fixture f = begin();
    domain(&f, "");
    object(&f, 1, IDS(1));
    mp_graph_drop(f.builder);
    assert_null(f.model->graph);
    assert_false(f.model->holds & MP_HOLDS_GRAPH);
    mp_model_free(f.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_forward_back_and_to_itself),
        cmocka_unit_test(the_same_reference_twice_stays_twice),
        cmocka_unit_test(many_references),
        cmocka_unit_test(references_to_nothing_are_counted),
        cmocka_unit_test(roots_name_objects_of_any_place),
        cmocka_unit_test(a_graph_of_nothing),
        cmocka_unit_test(names_are_of_their_own_domain_first),
        cmocka_unit_test(many_domains_cost_no_more_than_one),
        cmocka_unit_test(duplicates_go_with_what_they_refer_to),
        cmocka_unit_test(duplicates_without_any_reference),
        cmocka_unit_test(tables_of_all_kinds_of_ids),
        cmocka_unit_test(the_ends_of_64_bits),
        cmocka_unit_test(random_graphs_are_as_a_search_finds_them),
        cmocka_unit_test(sizes_that_no_sum_holds_are_refused),
        cmocka_unit_test(a_later_graph_takes_the_place_of_an_earlier_one),
        cmocka_unit_test(a_dropped_graph_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
