/* Two digests, made by hand, which are matched step by step. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "compare/digest.h"

enum { MOST = 32 };

/* A digest with one list. */
typedef struct list {
    mp_entry entries[MOST];
    size_t count;
} list;

static mp_digest digest_of(list *entries, mp_level level)
{
    mp_digest digest = {.kind = MP_KIND_RECORDING, .holds = mp_kind_holds(MP_KIND_RECORDING)};
    digest.lists[level] =
        (mp_entries){.items = entries->entries, .count = entries->count, .capacity = MOST};
    return digest;
}

static mp_differences differences(const mp_dictionary *dictionary, list *base, list *now,
                                  mp_level level)
{
    mp_digest a = digest_of(base, level), b = digest_of(now, level);
    return mp_differences_of(dictionary, &a, &b, level);
}

static void add(list *entries, mp_entry_key key, int64_t objects, int64_t bytes)
{
    assert_true(entries->count < MOST);
    entries->entries[entries->count++] =
        (mp_entry){key, {.objects = objects, .bytes = bytes, .created = objects}};
}

/* Return a stack: main, which calls `name` at line `call`. */
static uint32_t stack(mp_dictionary *dictionary, const char *name, uint32_t call)
{
    uint32_t root =
        mp_dictionary_frame(dictionary, (mp_frame_key){.name = mp_dictionary_id(dictionary, "main"),
                                                       .line = MP_NO_LINE});
    return mp_dictionary_frame(
        dictionary,
        (mp_frame_key){.caller = root, .name = mp_dictionary_id(dictionary, name), .line = call});
}

/* Return a site: objects of a type, created at line `line` of a function that main calls at line
 * 1. */
static mp_entry_key site(mp_dictionary *dictionary, const char *type, const char *function,
                         uint32_t line)
{
    return (mp_entry_key){.type = mp_dictionary_id(dictionary, type),
                          .program = mp_dictionary_id(dictionary, function),
                          .frame = stack(dictionary, function, 1),
                          .line = line};
}

static void expect(const mp_difference *difference, mp_change change, mp_match match,
                   size_t entries, int64_t base_bytes, int64_t new_bytes)
{
    assert_int_equal(difference->change, change);
    assert_int_equal(difference->match, match);
    assert_int_equal(difference->entries, entries);
    assert_int_equal(difference->base.bytes, base_bytes);
    assert_int_equal(difference->now.bytes, new_bytes);
}

/* --- the steps --- */

static void each_step_matches_what_the_one_before_left(void **unused)
{
    (void)unused;
    mp_dictionary *dictionary = mp_dictionary_new();
    list base = {0}, now = {0};
    uint32_t other;
    mp_entry_key key = site(dictionary, "Exact", "f", 5);
    add(&base, key, 1, 100);
    add(&now, key, 2, 900);
    add(&base, site(dictionary, "Line", "f", 5), 1, 100);
    add(&now, site(dictionary, "Line", "f", 45), 2, 800);
    key = site(dictionary, "Call", "f", 5);
    add(&base, key, 1, 100);
    key.frame = stack(dictionary, "f", 41);
    add(&now, key, 2, 700);
    key = site(dictionary, "Caller", "f", 5);
    add(&base, key, 1, 100);
    other = stack(dictionary, "between", 1);
    key.frame = mp_dictionary_frame(
        dictionary, (mp_frame_key){.caller = other, .name = key.program, .line = 3});
    add(&now, key, 2, 600);
    add(&base, site(dictionary, "Elsewhere", "f", 5), 1, 100);
    add(&now, site(dictionary, "Elsewhere", "g", 5), 2, 550);
    add(&base, site(dictionary, "Before", "f", 5), 1, 50);
    add(&now, site(dictionary, "After", "f", 5), 1, 40);
    mp_differences result = differences(dictionary, &base, &now, MP_LEVEL_SITE);
    assert_int_equal(result.count, 8);
    expect(&result.items[0], MP_CHANGE_GROWN, MP_MATCH_EXACT, 1, 100, 900);
    expect(&result.items[1], MP_CHANGE_GROWN, MP_MATCH_STACK, 1, 100, 800);
    assert_int_equal(result.items[1].key.line, 45);
    expect(&result.items[2], MP_CHANGE_GROWN, MP_MATCH_STACK, 1, 100, 700);
    assert_int_equal(mp_dictionary_frame_at(dictionary, result.items[2].key.frame)->line, 41);
    expect(&result.items[3], MP_CHANGE_NEW, MP_MATCH_NONE, 1, 0, 550);
    expect(&result.items[4], MP_CHANGE_GROWN, MP_MATCH_FUNCTION, 1, 100, 600);
    expect(&result.items[5], MP_CHANGE_GONE, MP_MATCH_NONE, 1, 100, 0);
    expect(&result.items[6], MP_CHANGE_GONE, MP_MATCH_NONE, 1, 50, 0);
    expect(&result.items[7], MP_CHANGE_NEW, MP_MATCH_NONE, 1, 0, 40);
    free(result.items);
    mp_dictionary_free(dictionary);
}

/* Lines 5, 7 and 15 became 7, 9 and 17. So the site that is at line 7 now was at line 5. */
static void as_many_on_both_sides_are_paired_in_the_order_of_lines(void **unused)
{
    (void)unused;
    mp_dictionary *dictionary = mp_dictionary_new();
    list base = {0}, now = {0};
    add(&base, site(dictionary, "T", "f", 15), 1, 300);
    add(&base, site(dictionary, "T", "f", 5), 1, 100);
    add(&base, site(dictionary, "T", "f", 7), 1, 200);
    add(&now, site(dictionary, "T", "f", 7), 1, 103);
    add(&now, site(dictionary, "T", "f", 17), 1, 301);
    add(&now, site(dictionary, "T", "f", 9), 1, 202);
    mp_differences result = differences(dictionary, &base, &now, MP_LEVEL_SITE);
    assert_int_equal(result.count, 3);
    expect(&result.items[0], MP_CHANGE_GROWN, MP_MATCH_STACK, 1, 100, 103);
    expect(&result.items[1], MP_CHANGE_GROWN, MP_MATCH_STACK, 1, 200, 202);
    expect(&result.items[2], MP_CHANGE_GROWN, MP_MATCH_STACK, 1, 300, 301);
    assert_int_equal(result.items[0].key.line, 7);
    assert_int_equal(result.items[2].key.line, 17);
    free(result.items);
    mp_dictionary_free(dictionary);
}

/* Among the lines of a stack's callers, the outermost line decides. Calls at 10 and 20 became calls
 * at 50 and 60, while the lines further in were exchanged. */
static void the_order_of_stacks_is_that_of_the_outermost_lines(void **unused)
{
    (void)unused;
    mp_dictionary *dictionary = mp_dictionary_new();
    list base = {0}, now = {0};
    mp_entry_key key = site(dictionary, "T", "f", 9);
    key.frame = stack(dictionary, "f", 10);
    add(&base, key, 1, 100);
    key.frame = stack(dictionary, "f", 20), key.line = 8;
    add(&base, key, 1, 200);
    key.frame = stack(dictionary, "f", 60), key.line = 9;
    add(&now, key, 1, 201);
    key.frame = stack(dictionary, "f", 50), key.line = 10;
    add(&now, key, 1, 102);
    mp_differences result = differences(dictionary, &base, &now, MP_LEVEL_SITE);
    assert_int_equal(result.count, 2);
    expect(&result.items[0], MP_CHANGE_GROWN, MP_MATCH_STACK, 1, 100, 102);
    expect(&result.items[1], MP_CHANGE_GROWN, MP_MATCH_STACK, 1, 200, 201);
    free(result.items);
    mp_dictionary_free(dictionary);
}

/* Two lines became three. Lines that did not move are matched. One line against two others can only
 * be summed. */
static void several_to_several_are_summed(void **unused)
{
    (void)unused;
    mp_dictionary *dictionary = mp_dictionary_new();
    list base = {0}, now = {0};
    add(&base, site(dictionary, "T", "f", 5), 1, 100);
    add(&base, site(dictionary, "T", "f", 7), 1, 200);
    add(&now, site(dictionary, "T", "f", 5), 1, 100);
    add(&now, site(dictionary, "T", "f", 17), 1, 210);
    add(&now, site(dictionary, "T", "f", 19), 4, 30);
    mp_differences result = differences(dictionary, &base, &now, MP_LEVEL_SITE);
    assert_int_equal(result.count, 2);
    expect(&result.items[0], MP_CHANGE_GROWN, MP_MATCH_STACK, 2, 200, 240);
    assert_int_equal(result.items[0].base.objects, 1);
    assert_int_equal(result.items[0].now.objects, 5);
    assert_int_equal(result.items[0].now.created, 5);
    assert_int_equal(result.items[0].key.line, MP_NO_LINE);
    expect(&result.items[1], MP_CHANGE_NONE, MP_MATCH_EXACT, 1, 100, 100);
    free(result.items);
    /* no entry is left in the base, so the new line is a new site */
    base.count = 1, now.count = 2;
    result = differences(dictionary, &base, &now, MP_LEVEL_SITE);
    assert_int_equal(result.count, 2);
    expect(&result.items[0], MP_CHANGE_NEW, MP_MATCH_NONE, 1, 0, 210);
    expect(&result.items[1], MP_CHANGE_NONE, MP_MATCH_EXACT, 1, 100, 100);
    free(result.items);
    mp_dictionary_free(dictionary);
}

/* Two callers in the base, and three other callers now: they are summed. */
static void functions_are_summed_too(void **unused)
{
    (void)unused;
    mp_dictionary *dictionary = mp_dictionary_new();
    list base = {0}, now = {0};
    static const char *const callers[] = {"a", "b", "c", "d", "e"};
    for (size_t i = 0; i < 5; i++) {
        mp_entry_key key = site(dictionary, "T", "f", 3);
        key.frame = mp_dictionary_frame(dictionary,
                                        (mp_frame_key){.caller = stack(dictionary, callers[i], 1),
                                                       .name = key.program,
                                                       .line = 2});
        add(i < 2 ? &base : &now, key, 1, 10);
    }
    mp_differences result = differences(dictionary, &base, &now, MP_LEVEL_SITE);
    assert_int_equal(result.count, 1);
    expect(&result.items[0], MP_CHANGE_GROWN, MP_MATCH_FUNCTION, 3, 20, 30);
    free(result.items);
    /* Equally many callers on each side: their names do not show which caller became which. */
    now.count = 2;
    now.entries[0].amounts.bytes = 11;
    result = differences(dictionary, &base, &now, MP_LEVEL_SITE);
    assert_int_equal(result.count, 1);
    expect(&result.items[0], MP_CHANGE_GROWN, MP_MATCH_FUNCTION, 2, 20, 21);
    assert_int_equal(result.items[0].key.line, 3);
    free(result.items);
    base.entries[0].key.line = now.entries[1].key.line = 4; /* but the lines of creation show it */
    result = differences(dictionary, &base, &now, MP_LEVEL_SITE);
    assert_int_equal(result.count, 2);
    expect(&result.items[0], MP_CHANGE_GROWN, MP_MATCH_FUNCTION, 1, 10, 11);
    assert_int_equal(result.items[0].key.line, 3);
    expect(&result.items[1], MP_CHANGE_NONE, MP_MATCH_FUNCTION, 1, 10, 10);
    free(result.items);
    mp_dictionary_free(dictionary);
}

/* --- ambiguous lines that both sides have --- */

/* Add sites with the same stack, from pairs of a line and a number of objects. Each object has a
 * byte. */
static void add_lines(list *entries, mp_dictionary *dictionary, const int64_t (*lines)[2])
{
    for (entries->count = 0; (*lines)[0]; lines++)
        add(entries, site(dictionary, "T", "f", (uint32_t)(*lines)[0]), (*lines)[1], (*lines)[1]);
}

/* Return the site at a line that has bytes in the base or, if `in_now`, in the new recording. */
static const mp_difference *on_line(const mp_differences *result, uint32_t line, bool in_now)
{
    for (size_t i = 0; i < result->count; i++)
        if (result->items[i].key.line == line &&
            (in_now ? result->items[i].now.bytes : result->items[i].base.bytes))
            return &result->items[i];
    fail_msg("no site on line %u", line);
    return NULL;
}

enum { MOST_LINES = 8 };
typedef struct reading {
    int64_t base[MOST_LINES][2], now[MOST_LINES][2]; /* line, objects */
    int64_t rows[MOST_LINES][3]; /* line now, objects in the base, objects now */
} reading;

static const reading readings[] = {
    /* One line is gone and one is new. The line that stayed is matched with itself, although each
     * side has two lines. */
    {{{10, 1000}, {20, 1}}, {{20, 1}, {30, 1000}}, {{20, 1, 1}, {30, 1000, 1000}}},
    /* Nothing indicates that lines moved: line 20 is the same site, and it grew. */
    {{{10, 5}, {20, 7}}, {{20, 50}, {30, 70}}, {{20, 7, 50}, {30, 5, 70}}},
    /* 10 lines were inserted before each line: both figures and distances agree */
    {{{10, 500}, {20, 7}}, {{20, 500}, {30, 8}}, {{20, 500, 500}, {30, 7, 8}}},
    /* The figures suggest that lines moved. But moves by 10 and by 13 would be two coincidences. */
    {{{10, 500}, {20, 7}}, {{20, 500}, {33, 8}}, {{20, 7, 500}, {33, 500, 8}}},
    /* A line was inserted after line 10. */
    {{{10, 1}, {20, 90}, {21, 3}, {22, 70}},
     {{10, 1}, {21, 90}, {22, 3}, {23, 70}},
     {{10, 1, 1}, {21, 90, 90}, {22, 3, 3}, {23, 70, 70}}},
    /* Line 21 was inserted, and creates objects too. */
    {{{10, 1}, {20, 90}, {21, 3}, {22, 70}},
     {{10, 1}, {20, 90}, {21, 8}, {22, 3}, {23, 70}},
     {{10, 1, 1}, {20, 90, 90}, {21, 0, 8}, {22, 3, 3}, {23, 70, 70}}},
    /* The same with a new line at the end: no line moved. */
    {{{10, 1}, {20, 90}, {21, 3}},
     {{10, 1}, {20, 90}, {21, 3}, {22, 8}},
     {{10, 1, 1}, {20, 90, 90}, {21, 3, 3}, {22, 0, 8}}},
};

static void lines_of_both_sides_are_what_they_were_unless_they_clearly_moved(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        mp_dictionary *dictionary = mp_dictionary_new();
        const reading *state = &readings[i];
        list base, now;
        add_lines(&base, dictionary, state->base);
        add_lines(&now, dictionary, state->now);
        mp_differences there = differences(dictionary, &base, &now, MP_LEVEL_SITE);
        mp_differences back = differences(dictionary, &now, &base, MP_LEVEL_SITE);
        for (size_t k = 0; state->rows[k][0]; k++) {
            const mp_difference *row = on_line(&there, (uint32_t)state->rows[k][0], true);
            assert_int_equal(row->base.bytes, state->rows[k][1]);
            assert_int_equal(row->now.bytes, state->rows[k][2]);
            assert_int_equal(there.count, back.count);
        }
        free(there.items);
        free(back.items);
        mp_dictionary_free(dictionary);
    }
}

/* --- significant parts of keys --- */

static void names_tell_apart_only_what_has_no_stack(void **unused)
{
    (void)unused;
    mp_dictionary *dictionary = mp_dictionary_new();
    list base = {0}, now = {0};
    mp_entry_key key = site(dictionary, "T", "f", 5);
    key.name = mp_dictionary_id(dictionary, "one");
    add(&base, key, 1, 10);
    key.name = mp_dictionary_id(dictionary, "two");
    add(&base, key, 1, 20);
    key.name = mp_dictionary_id(dictionary, "three");
    add(&now, key, 1, 31);
    mp_entry_key session = {.type = key.type, .line = MP_NO_LINE, .name = key.name};
    add(&base, session, 1, 7);
    session.name = mp_dictionary_id(dictionary, "one");
    add(&now, session, 1, 6);
    mp_differences result = differences(dictionary, &base, &now, MP_LEVEL_SITE);
    assert_int_equal(result.count, 3);
    expect(&result.items[0], MP_CHANGE_GONE, MP_MATCH_NONE, 1, 7, 0);
    expect(&result.items[1], MP_CHANGE_NEW, MP_MATCH_NONE, 1, 0, 6);
    expect(&result.items[2], MP_CHANGE_GROWN, MP_MATCH_EXACT, 1, 30, 31);
    free(result.items);
    mp_dictionary_free(dictionary);
}

static void add_cost(list *entries, mp_entry_key key, int64_t exclusive_us, int64_t calls)
{
    entries->entries[entries->count++] =
        (mp_entry){key, {.exclusive_us = exclusive_us, .calls = calls}};
}

/* Lines of profiles are matched in order. It does not matter to which overload they belong. */
static void lines_of_profiles_are_those_of_their_methods(void **unused)
{
    (void)unused;
    mp_dictionary *dictionary = mp_dictionary_new();
    list base = {0}, now = {0};
    mp_entry_key a = {.program = mp_dictionary_id(dictionary, "p"),
                      .name = mp_dictionary_id(dictionary, "m"),
                      .line = 10};
    mp_entry_key b = a,
                 c = {.program = a.program, .name = mp_dictionary_id(dictionary, "n"), .line = 3};
    b.overload = 1, b.line = 20;
    add_cost(&base, a, 100, 1);
    add_cost(&base, b, 200, 1);
    add_cost(&base, c, 1000, 1);
    a.line = 14, b.line = 24;
    b.overload = 0, c.overload = 2;
    add_cost(&now, a, 99, 1);
    add_cost(&now, b, 198, 1);
    add_cost(&now, c, 1000, 2);
    mp_differences result = differences(dictionary, &base, &now, MP_LEVEL_LINE);
    assert_int_equal(result.count, 3);
    assert_int_equal(result.items[0].base.exclusive_us, 200);
    assert_int_equal(result.items[0].now.exclusive_us, 198);
    assert_int_equal(result.items[0].change, MP_CHANGE_SHRUNK);
    assert_int_equal(result.items[0].match, MP_MATCH_STACK);
    assert_int_equal(result.items[1].now.exclusive_us, 99);
    assert_int_equal(result.items[2].match, MP_MATCH_EXACT);
    assert_int_equal(result.items[2].change, MP_CHANGE_GROWN); /* one more call */
    free(result.items);
    mp_dictionary_free(dictionary);
}

/* Overloads begin at 30, 50 and 90, and later at 50, 90 and 95. So 50 and 90 are matched with
 * themselves, and 30 with 95. The same is true of their prologues, which are all on line 0. */
static void overloads_are_told_apart_by_where_they_begin(void **unused)
{
    (void)unused;
    static const uint32_t starts[2][3] = {{30, 50, 90}, {50, 90, 95}};
    static const mp_level levels[] = {MP_LEVEL_METHOD, MP_LEVEL_LINE};
    for (size_t i = 0; i < 2; i++) {
        mp_dictionary *dictionary = mp_dictionary_new();
        list base = {0}, now = {0};
        for (size_t k = 0; k < 3; k++) {
            mp_entry_key key = {.program = mp_dictionary_id(dictionary, "p"),
                                .name = mp_dictionary_id(dictionary, "m"),
                                .line = levels[i] == MP_LEVEL_LINE ? 0 : MP_NO_LINE};
            key.start = starts[0][k];
            add_cost(&base, key, 10 * starts[0][k], 1 + k % 2);
            key.start = starts[1][k];
            add_cost(&now, key, 10 * starts[1][k] + 1, 1);
        }
        mp_differences result = differences(dictionary, &base, &now, levels[i]);
        assert_int_equal(result.count, 3);
        for (size_t k = 0; k < 3; k++) {
            const mp_difference *difference = &result.items[k];
            assert_int_equal(difference->base.exclusive_us,
                             10 * (difference->key.start == 95 ? 30 : difference->key.start));
            assert_int_equal(difference->match,
                             difference->key.start == 95 ? MP_MATCH_STACK : MP_MATCH_EXACT);
        }
        free(result.items);
        mp_dictionary_free(dictionary);
    }
}

/* Before 12.1, the recording does not have the class that ran an inherited method. */
static void methods_that_another_class_ran_are_matched_last(void **unused)
{
    (void)unused;
    mp_dictionary *dictionary = mp_dictionary_new();
    list base = {0}, now = {0};
    mp_entry_key key = {.program = mp_dictionary_id(dictionary, "p"),
                        .name = mp_dictionary_id(dictionary, "m"),
                        .line = MP_NO_LINE};
    add_cost(&now, key, 5, 1);
    add_cost(&base, key, 5, 1);
    key.type = mp_dictionary_id(dictionary, "A");
    add_cost(&base, key, 100, 1);
    key.type = mp_dictionary_id(dictionary, "B");
    add_cost(&base, key, 200, 2);
    add_cost(&now, key, 200, 3);
    mp_differences result = differences(dictionary, &base, &now, MP_LEVEL_METHOD);
    assert_int_equal(result.count, 3);
    assert_int_equal(result.items[0].change, MP_CHANGE_GONE);
    assert_int_equal(result.items[0].base.exclusive_us, 100);
    assert_int_equal(result.items[1].match, MP_MATCH_EXACT);
    assert_int_equal(result.items[1].now.calls, 3);
    assert_int_equal(result.items[2].change, MP_CHANGE_NONE);
    free(result.items);
    /* an older recording: it has their sum */
    base.entries[0].key.type = mp_dictionary_id(dictionary, "C");
    now.count = 1;
    result = differences(dictionary, &base, &now, MP_LEVEL_METHOD);
    assert_int_equal(result.count, 1);
    assert_int_equal(result.items[0].entries, 3);
    assert_int_equal(result.items[0].match, MP_MATCH_FUNCTION);
    free(result.items);
    mp_dictionary_free(dictionary);
}

static void nothing_is_unchanged_and_retained_bytes_count(void **unused)
{
    (void)unused;
    mp_dictionary *dictionary = mp_dictionary_new();
    list base = {0}, now = {0};
    mp_entry_key gone = {.type = mp_dictionary_id(dictionary, "Gone"), .line = MP_NO_LINE};
    mp_entry_key kept = {.type = mp_dictionary_id(dictionary, "Kept"), .line = MP_NO_LINE};
    base.entries[base.count++] = (mp_entry){gone, {.created = 5, .deleted = 5}};
    base.entries[base.count++] = (mp_entry){kept, {.objects = 1, .bytes = 8, .retained_bytes = 9}};
    now.entries[now.count++] = (mp_entry){kept, {.objects = 1, .bytes = 8, .retained_bytes = 8}};
    mp_differences result = differences(dictionary, &base, &now, MP_LEVEL_TYPE);
    assert_int_equal(result.count, 2);
    assert_int_equal(result.items[0].change, MP_CHANGE_SHRUNK);
    assert_int_equal(result.items[1].change, MP_CHANGE_NONE);
    free(result.items);
    list empty = {0};
    result = differences(dictionary, &empty, &empty, MP_LEVEL_TYPE);
    assert_int_equal(result.count, 0);
    free(result.items);
    mp_dictionary_free(dictionary);
}

static void changes_and_steps_have_names(void **unused)
{
    (void)unused;
    assert_string_equal(mp_match_name(MP_MATCH_EXACT), "exact");
    assert_string_equal(mp_match_name(MP_MATCH_STACK), "stack");
    assert_string_equal(mp_match_name(MP_MATCH_FUNCTION), "type-and-function");
    assert_null(mp_match_name(MP_MATCH_NONE));
    assert_string_equal(mp_change_name(MP_CHANGE_NONE), "unchanged");
    assert_string_equal(mp_change_name(MP_CHANGE_GROWN), "grown");
}

/* --- laws, on random digests --- */

static uint32_t chance(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % below;
}

static bool has(const list *entries, const mp_entry_key *key)
{
    for (size_t i = 0; i < entries->count; i++)
        if (memcmp(&entries->entries[i].key, key, sizeof *key) == 0)
            return true;
    return false;
}

static void make_up(list *entries, mp_dictionary *dictionary, uint64_t *state, mp_level level)
{
    static const char *const names[] = {"a", "b", "c"};
    entries->count = 0;
    for (uint32_t n = chance(state, MOST); n > 0; n--) {
        mp_entry_key key = {.line = MP_NO_LINE};
        if (level == MP_LEVEL_SITE) {
            key = site(dictionary, names[chance(state, 2)], names[chance(state, 2)],
                       chance(state, 4));
            if (chance(state, 2))
                key.frame = mp_dictionary_frame(
                    dictionary, (mp_frame_key){.caller = stack(dictionary, names[chance(state, 3)],
                                                               chance(state, 3)),
                                               .name = key.program,
                                               .line = chance(state, 3)});
        } else {
            key.program = mp_dictionary_id(dictionary, names[chance(state, 2)]);
            key.name = mp_dictionary_id(dictionary, names[chance(state, 2)]);
            key.type = chance(state, 3) ? 0 : mp_dictionary_id(dictionary, "c");
            key.start = chance(state, 3) * 3;
            key.overload = chance(state, 2);
            key.line = chance(state, 6);
        }
        if (has(entries, &key))
            continue;
        entries->entries[entries->count++] = (mp_entry){key,
                                                        {.objects = chance(state, 3),
                                                         .bytes = chance(state, 3),
                                                         .created = chance(state, 9),
                                                         .leaked_bytes = chance(state, 9),
                                                         .exclusive_us = chance(state, 3),
                                                         .calls = chance(state, 3)}};
    }
}

static mp_change mirrored(mp_change change)
{
    static const mp_change other[] = {MP_CHANGE_NONE, MP_CHANGE_GONE, MP_CHANGE_NEW,
                                      MP_CHANGE_SHRUNK, MP_CHANGE_GROWN};
    return other[change];
}

static bool same(const mp_amounts *a, const mp_amounts *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void is_mirror(const mp_differences *there, mp_differences *back)
{
    assert_int_equal(there->count, back->count);
    for (size_t i = 0; i < there->count; i++) {
        const mp_difference *difference = &there->items[i];
        size_t k = 0;
        while (k < back->count &&
               !(back->items[k].entries && back->items[k].entries == difference->entries &&
                 back->items[k].match == difference->match &&
                 back->items[k].change == mirrored(difference->change) &&
                 same(&back->items[k].base, &difference->now) &&
                 same(&back->items[k].now, &difference->base)))
            k++;
        assert_true(k < back->count);
        back->items[k].entries = 0; /* matched already */
    }
}

static mp_amounts sum_of(const list *entries)
{
    mp_amounts sum = {0};
    for (size_t i = 0; i < entries->count; i++)
        sum = mp_amounts_add(sum, entries->entries[i].amounts);
    return sum;
}

static void sums_are_those_of_the_lists(const mp_differences *result, const list *base,
                                        const list *now)
{
    mp_amounts before = {0}, after = {0}, wanted;
    for (size_t i = 0; i < result->count; i++) {
        before = mp_amounts_add(before, result->items[i].base);
        after = mp_amounts_add(after, result->items[i].now);
        /* changed rows come first */
        assert_true(!i || result->items[i].change == MP_CHANGE_NONE ||
                    result->items[i - 1].change != MP_CHANGE_NONE);
    }
    wanted = sum_of(base);
    assert_true(same(&before, &wanted));
    wanted = sum_of(now);
    assert_true(same(&after, &wanted));
}

static void differences_add_up_and_have_a_mirror_image(void **unused)
{
    (void)unused;
    static const mp_level levels[] = {MP_LEVEL_SITE, MP_LEVEL_LINE, MP_LEVEL_METHOD,
                                      MP_LEVEL_MODULE, MP_LEVEL_GROUP};
    for (uint64_t seed = 0; seed < 2000; seed++) {
        mp_dictionary *dictionary = mp_dictionary_new();
        mp_level level = levels[seed % 5];
        uint64_t state = seed;
        list base, now;
        make_up(&base, dictionary, &state, level);
        make_up(&now, dictionary, &state, level);
        mp_differences there = differences(dictionary, &base, &now, level);
        mp_differences back = differences(dictionary, &now, &base, level);
        mp_differences itself = differences(dictionary, &base, &base, level);
        sums_are_those_of_the_lists(&there, &base, &now);
        is_mirror(&there, &back);
        for (size_t i = 0; i < itself.count; i++) {
            assert_int_equal(itself.items[i].match, MP_MATCH_EXACT);
            assert_int_equal(itself.items[i].change, MP_CHANGE_NONE);
        }
        free(there.items);
        free(back.items);
        free(itself.items);
        mp_dictionary_free(dictionary);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_step_matches_what_the_one_before_left),
        cmocka_unit_test(as_many_on_both_sides_are_paired_in_the_order_of_lines),
        cmocka_unit_test(the_order_of_stacks_is_that_of_the_outermost_lines),
        cmocka_unit_test(several_to_several_are_summed),
        cmocka_unit_test(functions_are_summed_too),
        cmocka_unit_test(lines_of_both_sides_are_what_they_were_unless_they_clearly_moved),
        cmocka_unit_test(names_tell_apart_only_what_has_no_stack),
        cmocka_unit_test(lines_of_profiles_are_those_of_their_methods),
        cmocka_unit_test(overloads_are_told_apart_by_where_they_begin),
        cmocka_unit_test(methods_that_another_class_ran_are_matched_last),
        cmocka_unit_test(nothing_is_unchanged_and_retained_bytes_count),
        cmocka_unit_test(changes_and_steps_have_names),
        cmocka_unit_test(differences_add_up_and_have_a_mirror_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
