/* The kinds of indexes, compared with a simple map, which is a sorted array of all keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/index.h"

enum { KEYS = 100000 };

/* SplitMix64 with its published constants. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int by_number(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* Return KEYS different keys, sorted. `kind` chooses a pattern. These patterns occur in files. */
static uint64_t *keys_of(unsigned kind)
{
    uint64_t state = kind, *keys = malloc(KEYS * sizeof *keys);
    assert_non_null(keys);
    for (uint64_t i = 0; i < KEYS; i++)
        keys[i] = kind == 0   ? i
                  : kind == 1 ? i << 12
                  : kind == 4 ? i * i
                  : kind == 5 ? (i % 2 ? UINT64_MAX - i : i)
                  : kind == 2 ? UINT64_MAX - i * 3
                              : (next_random(&state) & ~UINT64_C(0x3ffff)) | i;
    qsort(keys, KEYS, sizeof *keys, by_number);
    return keys;
}

static void numbers_are_found(void **unused)
{
    (void)unused;
    for (unsigned kind = 0; kind < 6; kind++) {
        uint64_t *keys = keys_of(kind), state = 9;
        uint32_t *values = calloc(KEYS, sizeof *values);
        mp_id_index index = {0};
        size_t count = 0;
        assert_non_null(values);
        assert_int_equal(mp_id_index_get(&index, 0), 0);
        for (uint32_t step = 1; step <= KEYS; step++) {
            size_t position = (size_t)(next_random(&state) % KEYS);
            assert_int_equal(mp_id_index_get(&index, keys[position]), values[position]);
            uint32_t *place = mp_id_index_put(&index, keys[position]);
            assert_int_equal(*place, values[position]);
            count += values[position] == 0;
            *place = values[position] = step;
            assert_int_equal(index.count, count);
        }
        for (size_t i = 0; i < KEYS; i++)
            assert_int_equal(mp_id_index_get(&index, keys[i]), values[i]);
        mp_id_index_free(&index);
        assert_int_equal(mp_id_index_get(&index, keys[0]), 0);
        free(values);
        free(keys);
    }
}

typedef struct probe {
    const uint64_t *keys; /* element `value` - 1 */
    uint64_t wanted;
} probe;

static bool same(const void *opaque, uint32_t value)
{
    const probe *asked = opaque;
    return asked->keys[value - 1] == asked->wanted;
}

/* Keys with good hashes, with frequent collisions, and (for fewer keys) with equal hashes. */
static void things_are_found_by_their_hash(void **unused)
{
    (void)unused;
    static const struct {
        uint64_t mask;
        uint32_t keys;
    } cases[] = {{UINT64_MAX, KEYS}, {0xffff, 20000}, {~UINT64_C(0xffffffff), 500}, {0, 500}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t *keys = keys_of(3);
        mp_hash_index index = {0};
        for (int round = 0; round < 2; round++)
            for (uint32_t k = 0; k < cases[i].keys; k++) {
                probe asked = {keys, keys[k]};
                uint64_t hash = mp_hash64(keys[k]) & cases[i].mask;
                uint32_t *found = mp_hash_index_put(&index, hash, same, &asked);
                assert_int_equal(*found, round ? k + 1 : 0);
                *found = k + 1;
                assert_int_equal(mp_hash_index_get(&index, hash, same, &asked), k + 1);
            }
        assert_int_equal(index.count, cases[i].keys);
        mp_hash_index_free(&index);
        free(keys);
    }
}

/* The probability that any two of 100,000 64-bit hashes are equal is one in four thousand
 * million. */
static void keys_of_any_bytes_are_found(void **unused)
{
    (void)unused;
    enum { COUNT = 1000 };
    mp_key_index index = {0};
    char text[16];
    assert_int_equal(mp_key_index_get(&index, "", 0), 0);
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 1; i <= COUNT; i++) {
            const size_t length = (size_t)snprintf(text, sizeof text, "%u", i);
            uint32_t *value = mp_key_index_put(&index, text, length);
            assert_int_equal(*value, round ? i : 0);
            *value = i;
        }
    /* a key is not its beginning, and has a copy of its own */
    assert_int_equal(mp_key_index_get(&index, "1000", 4), 1000);
    assert_int_equal(mp_key_index_get(&index, "1000", 3), 100);
    assert_int_equal(mp_key_index_get(&index, "1001", 4), 0);
    const char *copy = mp_key_index_copy(&index, "1000", 4);
    memset(text, 0, sizeof text);
    assert_memory_equal(copy, "1000", 4);
    assert_ptr_equal(mp_key_index_copy(&index, "1000", 4), copy);
    assert_int_equal(*mp_key_index_put(&index, "", 0), 0);
    mp_key_index_free(&index);
}

static void hashes_of_numbers_do_not_meet(void **unused)
{
    (void)unused;
    uint64_t *hashes = keys_of(1);
    for (size_t i = 0; i < KEYS; i++)
        hashes[i] = mp_hash64(hashes[i]);
    qsort(hashes, KEYS, sizeof *hashes, by_number);
    for (size_t i = 1; i < KEYS; i++)
        assert_true(hashes[i - 1] < hashes[i]);
    free(hashes);
}

static void bytes_are_hashed_by_what_they_are(void **unused)
{
    (void)unused;
    char a[300], b[301];
    for (size_t i = 0; i < 300; i++)
        a[i] = b[i + 1] = (char)(i * 7);
    for (size_t length = 0; length <= 300; length++) {
        assert_true(mp_hash_bytes(a, length) == mp_hash_bytes(b + 1, length));
        if (length)
            assert_true(mp_hash_bytes(a, length) != mp_hash_bytes(a, length - 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_found),
        cmocka_unit_test(things_are_found_by_their_hash),
        cmocka_unit_test(keys_of_any_bytes_are_found),
        cmocka_unit_test(hashes_of_numbers_do_not_meet),
        cmocka_unit_test(bytes_are_hashed_by_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
