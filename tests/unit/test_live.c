/* The live set, compared with a simple map, which is an array indexed by the number of an id. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/live.h"

/* Expected contents of the set. Element n is the n-th id of a family of ids. */
typedef struct oracle {
    int64_t *bytes; /* -1 = not alive */
    uint32_t *generations;
    bool *idle;
    size_t count, alive;
} oracle;

static oracle oracle_new(size_t count)
{
    oracle made = {.count = count};
    made.bytes = malloc(count * sizeof *made.bytes);
    made.generations = calloc(count, sizeof *made.generations);
    made.idle = calloc(count, sizeof *made.idle);
    assert_true(made.bytes && made.generations && made.idle);
    for (size_t i = 0; i < count; i++)
        made.bytes[i] = -1;
    return made;
}

static void oracle_free(oracle *made)
{
    free(made->bytes);
    free(made->generations);
    free(made->idle);
}

/* SplitMix64 with its published constants, so that every run is the same. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* --- families of ids --- */

static uint64_t dense(uint64_t n)
{
    return n + 1;
}

static uint64_t pages(uint64_t n)
{
    return n * 4096;
}

static uint64_t addresses(uint64_t n)
{
    return 0x7f0000000000u + n * 16;
}

static uint64_t high(uint64_t n)
{
    return UINT64_MAX - n * 65536;
}

static uint64_t powers(uint64_t n)
{
    return (n << 40) | (n & 0xff);
}

static uint64_t scattered(uint64_t n)
{
    /* the product with an odd number is unique */
    return n * 0xd1342543de82ef95u + 1;
}

static const struct {
    const char *name;
    uint64_t (*id)(uint64_t n);
} families[] = {
    {"dense", dense}, {"multiples of 4096", pages}, {"multiples of 16", addresses},
    {"high", high},   {"powers", powers},           {"scattered", scattered},
};
enum { FAMILIES = sizeof families / sizeof *families };

static int64_t random_size(uint64_t *state)
{
    static const int64_t borders[] = {0,       1,          (1 << 28) - 2,           (1 << 28) - 1,
                                      1 << 28, UINT32_MAX, (int64_t)UINT32_MAX + 1, INT64_MAX};
    enum { BORDERS = sizeof borders / sizeof *borders };
    uint64_t random = next_random(state);
    return random % 8 ? (int64_t)(random >> 40) : borders[random / 8 % BORDERS];
}

static void check_object(const mp_live_set *set, const oracle *expected, uint64_t id, size_t n)
{
    const mp_live_object *object = mp_live_find(set, id);
    if (expected->bytes[n] < 0) {
        assert_null(object);
        return;
    }
    assert_non_null(object);
    assert_true(mp_live_may_have(set, id));
    assert_int_equal(object->generation, expected->generations[n]);
    assert_int_equal(object->idle, expected->idle[n]);
    assert_true(mp_live_bytes(set, id, object) == expected->bytes[n]);
    assert_true(mp_live_time(set, object) == (set->timed ? (int64_t)n : 0));
}

/* Take one random step: add, remove, or resize an object. */
static void step(mp_live_set *set, oracle *expected, uint64_t id, size_t n, bool adds,
                 uint64_t *state)
{
    mp_live_object *object = mp_live_find(set, id);
    bool there = expected->bytes[n] >= 0;
    assert_int_equal(object != NULL, there);
    if (there && !adds) {
        mp_live_remove(set, object);
        expected->bytes[n] = -1;
        expected->alive--;
        return;
    }
    if (!there && !adds)
        return;
    if (!there) {
        expected->generations[n] = (uint32_t)(next_random(state) % INT32_MAX) + 1;
        expected->alive++;
        object = mp_live_add(set, id, expected->generations[n]);
        assert_int_equal(object->idle, 0);
        mp_live_set_time(set, object, (int64_t)n);
    }
    expected->bytes[n] = random_size(state);
    expected->idle[n] = next_random(state) & 1;
    mp_live_set_bytes(set, id, object, expected->bytes[n]);
    object->idle = expected->idle[n];
}

static void random_steps_agree_with_a_map(void **unused)
{
    (void)unused;
    enum { IDS = 5000, STEPS = 60000 };
    for (size_t family = 0; family < FAMILIES; family++) {
        mp_live_set set = {.timed = family % 2};
        oracle expected = oracle_new(IDS);
        uint64_t state = family + 1;
        for (size_t i = 0; i < STEPS; i++) {
            size_t n = (size_t)(next_random(&state) % IDS);
            /* births prevail at first, then deaths are as frequent, then deaths prevail */
            unsigned births = i < STEPS / 3 ? 90 : i < STEPS * 2 / 3 ? 50 : 10;
            uint64_t id = families[family].id(n);
            mp_live_prefetch(&set, id);
            step(&set, &expected, id, n, next_random(&state) % 100 < births, &state);
            assert_int_equal(set.count, expected.alive);
            if (i % 10000 == 9999)
                for (size_t k = 0; k < IDS; k++)
                    check_object(&set, &expected, families[family].id(k), k);
        }
        mp_live_free(&set);
        oracle_free(&expected);
    }
}

/* Births and deaths in the order in which a recorder writes them: ids ascend, and objects of the
 * same age die together. */
static void generations_leave_nothing_behind(void **unused)
{
    (void)unused;
    enum { GENERATION = 3000, GENERATIONS = 60 };
    for (size_t family = 0; family < FAMILIES; family++) {
        mp_live_set set = {0};
        size_t rows = 0;
        for (uint64_t n = 0; n < (uint64_t)GENERATION * GENERATIONS; n++) {
            mp_live_add(&set, families[family].id(n), (uint32_t)(n % 1000) + 1);
            if (n >= GENERATION) {
                mp_live_object *old = mp_live_find(&set, families[family].id(n - GENERATION));
                assert_non_null(old);
                assert_int_equal(old->generation, (n - GENERATION) % 1000 + 1);
                mp_live_remove(&set, old);
            }
            assert_true(set.count <= GENERATION + 1);
            if (n == (uint64_t)GENERATION * GENERATIONS / 2)
                rows = set.rows;
        }
        assert_int_equal(set.count, GENERATION);
        /* Dead objects use no space: 60 generations need no more space than 30. */
        assert_true(set.rows <= rows + rows / 2);
        mp_live_free(&set);
    }
}

static void it_grows_and_stays_a_third_full(void **unused)
{
    (void)unused;
    enum { COUNT = 200000, FIRST = 64 };
    for (size_t family = 0; family < FAMILIES; family++) {
        mp_live_set set = {0};
        for (uint64_t n = 0; n < COUNT; n++) {
            const uint64_t id = families[family].id(n);
            mp_live_object *object = mp_live_add(&set, id, 7);
            mp_live_set_bytes(&set, id, object, (int64_t)n);
            if (set.rows > FIRST && families[family].id == dense)
                assert_in_range(set.used, set.rows * 8 / 3, set.rows * 8 * 2 / 3 + 1);
        }
        assert_int_equal(set.count, COUNT);
        for (uint64_t n = 0; n < COUNT; n++) {
            const uint64_t id = families[family].id(n);
            const mp_live_object *object = mp_live_find(&set, id);
            assert_non_null(object);
            assert_int_equal(mp_live_bytes(&set, id, object), n);
        }
        assert_null(mp_live_find(&set, families[family].id(COUNT)));
        mp_live_free(&set);
    }
}

/* A search for a missing id ends at a slot that no earlier search has passed. Most slots must be
 * such slots, even for random ids; otherwise searches take long. A chain reaches a given
 * slot in fewer than half of all cases. */
static void few_places_are_passed(void **unused)
{
    (void)unused;
    enum { COUNT = 200000 };
    for (size_t family = 0; family < FAMILIES; family++) {
        mp_live_set set = {0};
        size_t passed = 0;
        for (uint64_t n = 0; n < COUNT; n++)
            mp_live_add(&set, families[family].id(n), 7);
        for (size_t place = 0; place < set.rows * 8; place++)
            passed += set.places[place].objects->passed != 0;
        assert_in_range(passed, 0, set.rows * 8 / 2);
        mp_live_free(&set);
    }
}

static void large_objects_have_their_size(void **unused)
{
    (void)unused;
    static const int64_t sizes[] = {
        INT64_C(268435454),  INT64_C(268435455), INT64_C(268435456),
        INT64_C(9000000000), INT64_MAX,          INT64_C(17),
    };
    enum { SIZES = sizeof sizes / sizeof *sizes, OBJECTS = 600 };
    mp_live_set set = {0};
    for (uint64_t id = 1; id <= OBJECTS; id++)
        mp_live_set_bytes(&set, id, mp_live_add(&set, id, 1), sizes[id % SIZES]);
    for (uint64_t id = 1; id <= OBJECTS; id++) {
        assert_true(mp_live_bytes(&set, id, mp_live_find(&set, id)) == sizes[id % SIZES]);
        /* from large to small, and from small to large */
        mp_live_set_bytes(&set, id, mp_live_find(&set, id), sizes[(id + 3) % SIZES]);
        assert_true(mp_live_bytes(&set, id, mp_live_find(&set, id)) == sizes[(id + 3) % SIZES]);
    }
    /* an object that is created again with the same id is a new one */
    for (uint64_t id = 1; id <= OBJECTS; id++) {
        mp_live_remove(&set, mp_live_find(&set, id));
        mp_live_object *again = mp_live_add(&set, id, 2);
        assert_int_equal(mp_live_bytes(&set, id, again), 0);
        mp_live_set_bytes(&set, id, again, sizes[(id + 1) % SIZES]);
        assert_true(mp_live_bytes(&set, id, again) == sizes[(id + 1) % SIZES]);
    }
    mp_live_free(&set);
}

static void an_empty_set_has_nothing(void **unused)
{
    (void)unused;
    mp_live_set set = {0};
    mp_live_prefetch(&set, 5);
    assert_null(mp_live_find(&set, 0));
    assert_null(mp_live_find(&set, 5));
    assert_false(mp_live_may_have(&set, 5));
    mp_live_add(&set, 0, 1);
    assert_non_null(mp_live_find(&set, 0));
    assert_false(mp_live_may_have(&set, 5));
    mp_live_remove(&set, mp_live_find(&set, 0));
    assert_null(mp_live_find(&set, 0));
    assert_int_equal(set.count, 0);
    mp_live_free(&set);
    assert_null(mp_live_find(&set, 0));
    mp_live_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_steps_agree_with_a_map),
        cmocka_unit_test(generations_leave_nothing_behind),
        cmocka_unit_test(it_grows_and_stays_a_third_full),
        cmocka_unit_test(few_places_are_passed),
        cmocka_unit_test(large_objects_have_their_size),
        cmocka_unit_test(an_empty_set_has_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
