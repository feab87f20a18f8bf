/* Matching two digests in steps.
 *
 * Entries are first put side by side by their whole key. Those of one family - the same stack
 * but for its lines - are then paired in the order of their lines where both sides have as many of
 * them, because lines that are inserted or deleted shift a family without changing its order. What
 * is left over is matched by ever less; what can only be matched as several to several is summed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/memory.h"
#include "compare/dictionary.h"
#include "compare/entries.h"

/* An entry of both sides, or of one. */
typedef struct couple {
    mp_entry_key key;
    mp_amounts base, now;
    bool in_base, in_now;
    uint32_t family, function; /* numbers of what it may be matched by */
    uint32_t type;             /* of the new one, where there is one */
    uint32_t name;             /* that all of its objects have */
    bool names_differ;
} couple;

typedef struct builder {
    const mp_dictionary *dictionary;
    mp_level level;
    bool infers; /* types of objects with a stack are inferred */
    couple *couples;
    size_t count, capacity;
    mp_differences *result;
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

/* --- side by side --- */

/* What an entry is compared by: objects with a stack are told apart by that, not by their names;
 * nor by their types where those are inferred, as each log may infer another one. */
static mp_entry_key compared_by(const builder *shop, mp_entry_key key)
{
    if (shop->level == MP_LEVEL_SITE && key.frame) {
        key.name = 0;
        key.type = shop->infers ? 0 : key.type;
    }
    return key;
}

static void add_side(builder *shop, const mp_entries *entries, mp_entries *keys,
                     mp_hash_index *index, bool now)
{
    for (size_t i = 0; i < entries->count; i++) {
        const mp_entry *entry = &entries->at[i];
        mp_entry_key key = compared_by(shop, entry->key);
        size_t place = mp_entry_for(keys, index, key);
        if (place == shop->count) {
            mp_grow(&shop->couples, &shop->capacity, ++shop->count, sizeof *shop->couples);
            shop->couples[place] = (couple){.key = key, .name = entry->key.name};
        }
        couple *at = &shop->couples[place];
        at->type = entry->key.type; /* the new side comes last */
        at->names_differ |= at->name != entry->key.name;
        if (now)
            at->now = mp_amounts_add(at->now, entry->amounts);
        else
            at->base = mp_amounts_add(at->base, entry->amounts);
        *(now ? &at->in_now : &at->in_base) = true;
    }
}

/* --- what may be matched --- */

/* A key with all that tells its family, or its function, and nothing else. */
static mp_entry_key family_key(const builder *shop, const uint32_t *families, mp_entry_key key)
{
    if (shop->level == MP_LEVEL_SITE)
        key.frame = families[key.frame];
    key.line = 0;
    return key;
}

static mp_entry_key function_key(const builder *shop, mp_entry_key key)
{
    key.frame = key.line = 0;
    if (shop->level == MP_LEVEL_LINE || shop->level == MP_LEVEL_METHOD)
        key.overload = 0;
    return key;
}

static void number_families(builder *shop)
{
    mp_entries families = {0}, functions = {0};
    mp_hash_index family_index = {0}, function_index = {0};
    uint32_t *of_frame = mp_key_families(shop->dictionary);
    for (size_t i = 0; i < shop->count; i++) {
        couple *at = &shop->couples[i];
        at->family =
            (uint32_t)mp_entry_for(&families, &family_index, family_key(shop, of_frame, at->key));
        at->function =
            (uint32_t)mp_entry_for(&functions, &function_index, function_key(shop, at->key));
    }
    free(of_frame);
    free(families.at);
    free(functions.at);
    mp_hash_index_free(&family_index);
    mp_hash_index_free(&function_index);
}

/* --- results --- */

static bool is_nothing(const mp_amounts *amounts)
{
    return !amounts->objects && !amounts->bytes && !amounts->exclusive_us && !amounts->calls &&
           !amounts->retained_bytes;
}

static int sign_of(const mp_amounts *delta)
{
    const int64_t by[] = {delta->bytes, delta->exclusive_us, delta->objects, delta->calls,
                          delta->retained_bytes};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (by[i])
            return by[i] > 0 ? 1 : -1;
    return 0;
}

static mp_change change_of(const mp_amounts *base, const mp_amounts *now)
{
    mp_amounts delta = mp_amounts_subtract(*now, *base);
    int sign = sign_of(&delta);
    if (is_nothing(base))
        return is_nothing(now) ? MP_CHANGE_NONE : MP_CHANGE_NEW;
    if (is_nothing(now))
        return MP_CHANGE_GONE;
    return sign > 0 ? MP_CHANGE_GROWN : sign < 0 ? MP_CHANGE_SHRUNK : MP_CHANGE_NONE;
}

/* With the type and name that it is not compared by. */
static mp_entry_key told(const couple *at)
{
    mp_entry_key key = at->key;
    key.type = at->type;
    key.name = at->names_differ ? 0 : at->name;
    return key;
}

static void put(builder *shop, mp_difference difference)
{
    mp_differences *result = shop->result;
    difference.change = change_of(&difference.base, &difference.now);
    mp_grow(&result->at, &shop->result_capacity, result->count + 1, sizeof *result->at);
    result->at[result->count++] = difference;
}

static void put_couple(builder *shop, const couple *at, mp_match match)
{
    put(shop, (mp_difference){
                  .match = match, .key = told(at), .entries = 1, .base = at->base, .now = at->now});
}

/* --- order --- */

static int compare_texts(const mp_dictionary *dictionary, uint32_t a, uint32_t b)
{
    return a == b ? 0
                  : strcmp(mp_dictionary_text(dictionary, a), mp_dictionary_text(dictionary, b));
}

static int compare_lines(uint32_t a, uint32_t b)
{
    return (int32_t)a < (int32_t)b ? -1 : (int32_t)a > (int32_t)b;
}

/* Of stacks of one family: the outermost line that differs decides. Of others, the outermost
 * name. */
static int compare_stacks(const mp_dictionary *dictionary, const mp_entry_key *a,
                          const mp_entry_key *b)
{
    uint32_t x = a->frame, y = b->frame;
    int order = compare_lines(a->line, b->line);
    while (x != y) {
        const mp_frame_key *left = mp_dictionary_frame_at(dictionary, x);
        const mp_frame_key *right = mp_dictionary_frame_at(dictionary, y);
        if (!x || !y)
            return x ? 1 : -1;
        int lines = compare_lines(left->line, right->line);
        int names = compare_texts(dictionary, left->name, right->name);
        order = names ? names : lines ? lines : order;
        x = left->caller;
        y = right->caller;
    }
    return order;
}

int mp_key_compare(const mp_dictionary *dictionary, const mp_entry_key *a, const mp_entry_key *b)
{
    int order = compare_texts(dictionary, a->type, b->type);
    if (!order)
        order = compare_texts(dictionary, a->program, b->program);
    if (!order)
        order = compare_texts(dictionary, a->name, b->name);
    if (!order)
        order = a->overload < b->overload ? -1 : a->overload > b->overload;
    if (!order)
        order = compare_stacks(dictionary, a, b);
    return order;
}

/* What may be matched stands together, in the order of lines. */
static int by_family(const void *left, const void *right, void *dictionary)
{
    const couple *a = left, *b = right;
    if (a->family != b->family)
        return a->family < b->family ? -1 : 1;
    return mp_key_compare(dictionary, &a->key, &b->key);
}

static int by_function(const void *left, const void *right, void *dictionary)
{
    const couple *a = left, *b = right;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return mp_key_compare(dictionary, &a->key, &b->key);
}

static int by_size(int64_t a, int64_t b)
{
    uint64_t left = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
    uint64_t right = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    return left > right ? -1 : left < right;
}

static int by_change(const void *left, const void *right, void *dictionary)
{
    const mp_difference *a = left, *b = right;
    mp_amounts x = mp_amounts_subtract(a->now, a->base), y = mp_amounts_subtract(b->now, b->base);
    int order = (a->change == MP_CHANGE_NONE) - (b->change == MP_CHANGE_NONE);
    if (!order)
        order = by_size(x.bytes, y.bytes);
    if (!order)
        order = by_size(x.exclusive_us, y.exclusive_us);
    if (!order)
        order = by_size(x.objects, y.objects);
    if (!order)
        order = by_size(x.calls, y.calls);
    if (!order)
        order = by_size(x.retained_bytes, y.retained_bytes);
    return order ? order : mp_key_compare(dictionary, &a->key, &b->key);
}

/* --- steps --- */

typedef struct sides {
    size_t base, now;           /* couples on each */
    size_t only_base, only_now; /* on one alone */
} sides;

static sides count_sides(const couple *couples, size_t count)
{
    sides found = {0};
    for (size_t i = 0; i < count; i++) {
        found.base += couples[i].in_base;
        found.now += couples[i].in_now;
        found.only_base += couples[i].in_base && !couples[i].in_now;
        found.only_now += couples[i].in_now && !couples[i].in_base;
    }
    return found;
}

static const couple *next_of(const couple *couples, size_t count, size_t *at, bool now)
{
    while (*at < count && !(now ? couples[*at].in_now : couples[*at].in_base))
        (*at)++;
    return &couples[(*at)++];
}

/* As many on each side: the first with the first, the second with the second. */
static void pair(builder *shop, const couple *couples, size_t count, size_t pairs, mp_match match)
{
    size_t base_at = 0, now_at = 0;
    for (size_t i = 0; i < pairs; i++) {
        const couple *base = next_of(couples, count, &base_at, false);
        const couple *now = next_of(couples, count, &now_at, true);
        put(shop, (mp_difference){.match = base == now ? MP_MATCH_EXACT : match,
                                  .key = told(now),
                                  .entries = 1,
                                  .base = base->base,
                                  .now = now->now});
    }
}

/* Several to several: together. */
static void sum(builder *shop, const couple *couples, size_t count, sides found, mp_match match)
{
    mp_difference all = {.match = match,
                         .entries = found.base > found.now ? found.base : found.now};
    for (size_t i = count; i-- > 0;) {
        all.base = mp_amounts_add(all.base, couples[i].base);
        all.now = mp_amounts_add(all.now, couples[i].now);
        if (couples[i].in_now)
            all.key = told(&couples[i]);
    }
    all.key.line = MP_NO_LINE;
    put(shop, all);
}

/* Put those of both sides into the result, and the others to the front; how many others. */
static size_t take_exact(builder *shop, couple *couples, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (couples[i].in_base && couples[i].in_now)
            put_couple(shop, &couples[i], MP_MATCH_EXACT);
        else
            couples[left++] = couples[i];
    }
    return left;
}

/* Returns how many are left over, at the front. */
static size_t match_family(builder *shop, couple *couples, size_t count)
{
    sides found = count_sides(couples, count);
    if (found.base == found.now) {
        pair(shop, couples, count, found.base, MP_MATCH_STACK);
        return 0;
    }
    size_t left = take_exact(shop, couples, count);
    if (!found.only_base || !found.only_now)
        return left;
    sum(shop, couples, left, count_sides(couples, left), MP_MATCH_STACK);
    return 0;
}

static size_t match_function(builder *shop, couple *couples, size_t count)
{
    sides found = count_sides(couples, count);
    if (found.base == found.now)
        pair(shop, couples, count, found.base, MP_MATCH_FUNCTION);
    else if (found.base && found.now)
        sum(shop, couples, count, found, MP_MATCH_FUNCTION);
    else
        for (size_t i = 0; i < count; i++)
            put_couple(shop, &couples[i], MP_MATCH_NONE);
    return 0;
}

static void run_step(builder *shop, bool families)
{
    size_t left = 0, end;
    if (shop->count)
        qsort_r(shop->couples, shop->count, sizeof *shop->couples,
                families ? by_family : by_function, (void *)(uintptr_t)shop->dictionary);
    for (size_t from = 0; from < shop->count; from = end) {
        couple *first = &shop->couples[from];
        for (end = from + 1; end < shop->count; end++) {
            const couple *at = &shop->couples[end];
            if (families ? at->family != first->family : at->function != first->function)
                break;
        }
        size_t rest = families ? match_family(shop, first, end - from)
                               : match_function(shop, first, end - from);
        memmove(&shop->couples[left], first, rest * sizeof *first);
        left += rest;
    }
    shop->count = left;
}

mp_differences mp_differences_of(const mp_dictionary *dictionary, const mp_digest *base,
                                 const mp_digest *now, mp_level level)
{
    mp_differences result = {0};
    mp_entries keys = {0};
    mp_hash_index index = {0};
    builder shop = {.dictionary = dictionary,
                    .level = level,
                    .infers = base->kind == MP_KIND_EVENTS,
                    .result = &result};
    mp_grow(&shop.couples, &shop.capacity, 1, sizeof *shop.couples);
    add_side(&shop, &base->lists[level], &keys, &index, false);
    add_side(&shop, &now->lists[level], &keys, &index, true);
    free(keys.at);
    mp_hash_index_free(&index);
    number_families(&shop);
    run_step(&shop, true);
    run_step(&shop, false);
    if (result.count)
        qsort_r(result.at, result.count, sizeof *result.at, by_change,
                (void *)(uintptr_t)dictionary);
    free(shop.couples);
    return result;
}
