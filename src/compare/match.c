/* Matching two digests in steps.
 *
 * Entries are first put side by side by their whole key. Those of one family - the same stack
 * but for its lines - are then paired in the order of their lines where both sides have as many of
 * them, because lines that are inserted or deleted shift a family without changing its order. What
 * is left over is matched by ever less; what can only be matched as several to several is summed.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/digest.h"

/* An entry of both sides, or of one. */
typedef struct couple {
    mp_entry_key key; /* that it is compared by */
    mp_amounts base, now;
    bool in_base, in_now;
    uint32_t group; /* number of what it may be matched by, in the step at hand */
    /* The key with the type that it has, in the new one where it is there, and the name if all of
     * its objects have the same. */
    mp_entry_key told;
    bool names_differ;
} couple;

typedef struct builder {
    const mp_dictionary *dictionary;
    mp_level level;
    bool infers; /* types of objects with a stack are inferred */
    couple *couples;
    size_t count, capacity;
    mp_differences result;
    size_t result_capacity;
} builder;

const char *mp_match_name(mp_match match)
{
    static const char *const names[] = {"exact", "stack", "type-and-function", NULL};
    return names[match];
}

const char *mp_change_name(mp_change change)
{
    static const char *const names[] = {"unchanged", "new", "gone", "grown", "shrunk"};
    return names[change];
}

/* --- changes --- */

/* The amounts that decide whether an entry changed and in which direction, by falling weight. */
#define AMOUNT(field) (offsetof(mp_amounts, field) / sizeof(int64_t))
static const size_t telling[] = {AMOUNT(bytes), AMOUNT(exclusive_us), AMOUNT(objects),
                                 AMOUNT(calls), AMOUNT(retained_bytes)};
enum { TELLING = sizeof telling / sizeof *telling };

/* The first of them that is not 0, or 0. */
static int64_t told_by(const mp_amounts *amounts)
{
    int64_t amount = 0;
    for (size_t i = 0; i < TELLING && !amount; i++)
        amount = amounts->at[telling[i]];
    return amount;
}

static mp_change change_of(const mp_amounts *base, const mp_amounts *now)
{
    mp_amounts delta = mp_amounts_subtract(*now, *base);
    int64_t by = told_by(&delta);
    bool was = told_by(base) != 0, is = told_by(now) != 0;
    if (was != is)
        return is ? MP_CHANGE_NEW : MP_CHANGE_GONE;
    return by > 0 ? MP_CHANGE_GROWN : by < 0 ? MP_CHANGE_SHRUNK : MP_CHANGE_NONE;
}

static int by_change(const void *left, const void *right, void *dictionary)
{
    const mp_difference *a = left, *b = right;
    mp_amounts x = mp_amounts_subtract(a->now, a->base), y = mp_amounts_subtract(b->now, b->base);
    if ((a->change == MP_CHANGE_NONE) != (b->change == MP_CHANGE_NONE))
        return a->change == MP_CHANGE_NONE ? 1 : -1;
    for (size_t i = 0; i < TELLING; i++) {
        int64_t p = llabs(x.at[telling[i]]), q = llabs(y.at[telling[i]]);
        if (p != q)
            return p > q ? -1 : 1;
    }
    return mp_key_compare(dictionary, &a->key, &b->key);
}

static void put(builder *to, mp_difference difference)
{
    mp_differences *result = &to->result;
    difference.change = change_of(&difference.base, &difference.now);
    mp_grow(&result->at, &to->result_capacity, result->count + 1, sizeof *result->at);
    result->at[result->count++] = difference;
}

/* --- side by side --- */

/* Objects with a stack are told apart by that, not by their names; nor by their types where those
 * are inferred, as each log may infer another one. */
static mp_entry_key compared_by(const builder *from, mp_entry_key key)
{
    if (from->level == MP_LEVEL_SITE && key.frame) {
        key.name = 0;
        key.type = from->infers ? 0 : key.type;
    }
    return key;
}

static void add_side(builder *to, const mp_entries *entries, mp_entries *keys, bool now)
{
    for (size_t i = 0; i < entries->count; i++) {
        const mp_entry *entry = &entries->at[i];
        mp_entry_key key = compared_by(to, entry->key);
        size_t place = (size_t)(mp_entry_for(keys, key) - keys->at);
        if (place == to->count) {
            mp_grow(&to->couples, &to->capacity, ++to->count, sizeof *to->couples);
            to->couples[place] = (couple){.key = key, .told = entry->key};
        }
        assert(to->couples && place < to->count);
        couple *at = &to->couples[place];
        at->told.type = entry->key.type; /* the new side comes last */
        at->names_differ |= at->told.name != entry->key.name;
        if (at->names_differ)
            at->told.name = 0;
        mp_amounts *sum = now ? &at->now : &at->base;
        *sum = mp_amounts_add(*sum, entry->amounts);
        *(now ? &at->in_now : &at->in_base) = true;
    }
}

/* --- groups of what may be matched --- */

static const couple *next_of(const couple **at, bool now)
{
    while (!(now ? (*at)->in_now : (*at)->in_base))
        (*at)++;
    return (*at)++;
}

/* As many on each side: the first with the first, the second with the second. */
static void pair(builder *to, const couple *couples, size_t pairs, mp_match match)
{
    const couple *base_at = couples, *now_at = couples;
    while (pairs--) {
        const couple *base = next_of(&base_at, false), *now = next_of(&now_at, true);
        put(to, (mp_difference){.match = base == now ? MP_MATCH_EXACT : match,
                                .key = now->told,
                                .entries = 1,
                                .base = base->base,
                                .now = now->now});
    }
}

static void put_one(builder *to, const couple *at, mp_match match)
{
    put(to, (mp_difference){
                .match = match, .key = at->told, .entries = 1, .base = at->base, .now = at->now});
}

/* Several to several, each on one side: together. */
static void put_sum(builder *to, const couple *couples, size_t count, mp_match match)
{
    mp_difference all = {.match = match};
    size_t in_now = 0;
    for (size_t i = count; i-- > 0;) {
        all.base = mp_amounts_add(all.base, couples[i].base);
        all.now = mp_amounts_add(all.now, couples[i].now);
        if (couples[i].in_now)
            all.key = couples[i].told;
        in_now += couples[i].in_now;
    }
    all.entries = in_now > count - in_now ? in_now : count - in_now;
    all.key.line = MP_NO_LINE;
    put(to, all);
}

/* Match what is in one group, in the order of lines. Returns how many are left over for the next
 * step, at the front. */
static size_t match_group(builder *to, couple *couples, size_t count, mp_match match)
{
    size_t in_base = 0, in_now = 0, left = 0;
    for (size_t i = 0; i < count; i++) {
        in_base += couples[i].in_base;
        in_now += couples[i].in_now;
    }
    if (in_base == in_now) {
        pair(to, couples, in_base, match);
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        if (couples[i].in_base && couples[i].in_now)
            put_one(to, &couples[i], MP_MATCH_EXACT);
        else
            couples[left++] = couples[i];
    size_t both = count - left;
    if (in_base > both && in_now > both) {
        put_sum(to, couples, left, match);
        return 0;
    }
    if (match == MP_MATCH_STACK)
        return left;
    for (size_t i = 0; i < left; i++)
        put_one(to, &couples[i], MP_MATCH_NONE);
    return 0;
}

/* The part of a key that must be equal: no lines, and after MP_MATCH_STACK no stack either. */
static mp_entry_key group_key(const builder *of, const uint32_t *families, mp_entry_key key,
                              mp_match match)
{
    key.line = 0;
    if (match == MP_MATCH_STACK) {
        key.frame = of->level == MP_LEVEL_SITE ? families[key.frame] : key.frame;
    } else {
        key.frame = 0;
        if (of->level == MP_LEVEL_LINE || of->level == MP_LEVEL_METHOD)
            key.overload = 0;
    }
    return key;
}

static int by_group(const void *left, const void *right, void *dictionary)
{
    const couple *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return mp_key_compare(dictionary, &a->key, &b->key);
}

static void run_step(builder *of, const uint32_t *families, mp_match match)
{
    mp_entries keys = {0};
    size_t left = 0, end;
    for (size_t i = 0; i < of->count; i++) {
        couple *at = &of->couples[i];
        const mp_entry *entry = mp_entry_for(&keys, group_key(of, families, at->key, match));
        at->group = (uint32_t)(entry - keys.at);
    }
    mp_entries_free(&keys);
    if (of->count)
        qsort_r(of->couples, of->count, sizeof *of->couples, by_group,
                (void *)(uintptr_t)of->dictionary);
    for (size_t from = 0; from < of->count; from = end) {
        couple *first = &of->couples[from];
        for (end = from + 1; end < of->count && of->couples[end].group == first->group;)
            end++;
        size_t rest = match_group(of, first, end - from, match);
        memmove(&of->couples[left], first, rest * sizeof *first);
        left += rest;
    }
    of->count = left;
}

mp_differences mp_differences_of(const mp_dictionary *dictionary, const mp_digest *base,
                                 const mp_digest *now, mp_level level)
{
    mp_entries keys = {0};
    builder own = {
        .dictionary = dictionary, .level = level, .infers = base->kind == MP_KIND_EVENTS};
    add_side(&own, &base->lists[level], &keys, false);
    add_side(&own, &now->lists[level], &keys, true);
    mp_entries_free(&keys);
    uint32_t *families = mp_key_families(dictionary);
    run_step(&own, families, MP_MATCH_STACK);
    run_step(&own, families, MP_MATCH_FUNCTION);
    free(families);
    free(own.couples);
    if (own.result.count)
        qsort_r(own.result.at, own.result.count, sizeof *own.result.at, by_change,
                (void *)(uintptr_t)dictionary);
    return own.result;
}
