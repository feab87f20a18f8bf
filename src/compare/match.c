/* Matching of two digests in steps.
 *
 * A family is a set of entries with the same stack except for line numbers. First, entries with
 * equal keys are matched, unless their family was clearly shifted (shift.h). Then, if both sides
 * have equally many unmatched entries of a family, these are paired in order, because inserted or
 * deleted lines do not change the order. Entries that are still unmatched are matched by fewer and
 * fewer properties. If several entries can only be matched to several others, they are summed. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/digest.h"
#include "compare/shift.h"

/* Properties that the entries of a group share. */
typedef enum match_step {
    STEP_FAMILY,   /* type and stack, except for line numbers */
    STEP_LINE,     /* type, innermost function and line of creation */
    STEP_FUNCTION, /* type and innermost function */
} match_step;

typedef struct builder {
    const mp_dictionary *dictionary;
    mp_level level;
    bool infers; /* types of objects with a stack are inferred */
    mp_couple *couples;
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

/* Amounts that determine whether an entry changed, and in which direction. The first amount that
 * differs decides. */
#define AMOUNT(field) (offsetof(mp_amounts, field) / sizeof(int64_t))
enum { TELLING = 5 };
static const size_t telling[TELLING] = {AMOUNT(bytes), AMOUNT(exclusive_us), AMOUNT(objects),
                                        AMOUNT(calls), AMOUNT(retained_bytes)};
/* The same amounts, in the order for nodes of dominator trees. */
static const size_t telling_node[TELLING] = {AMOUNT(retained_bytes), AMOUNT(bytes), AMOUNT(objects),
                                             AMOUNT(exclusive_us), AMOUNT(calls)};

/* Return the first amount in this order that is not 0; 0 if all are 0. */
static int64_t told_by(const size_t *order, const mp_amounts *amounts)
{
    int64_t amount = 0;
    for (size_t i = 0; i < TELLING && !amount; i++)
        amount = amounts->values[order[i]];
    return amount;
}

static mp_change change_of(mp_level level, const mp_amounts *base, const mp_amounts *now)
{
    const size_t *order = level == MP_LEVEL_DOMINATOR ? telling_node : telling;
    mp_amounts delta = mp_amounts_subtract(*now, *base);
    int64_t by = told_by(order, &delta);
    bool was = told_by(order, base) != 0, is = told_by(order, now) != 0;
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
        int64_t p = llabs(x.values[telling[i]]), q = llabs(y.values[telling[i]]);
        if (p != q)
            return p > q ? -1 : 1;
    }
    return mp_key_compare(dictionary, &a->key, &b->key);
}

/* Compare nodes of dominator trees by growth. If it is equal, compare them by frame number, which
 * is smaller for outer nodes. */
static int by_growth(const void *left, const void *right)
{
    const mp_difference *a = left, *b = right;
    mp_amounts x = mp_amounts_subtract(a->now, a->base), y = mp_amounts_subtract(b->now, b->base);
    int64_t p = told_by(telling_node, &x), q = told_by(telling_node, &y);
    bool equal = false; /* both changed by the same amount; further amounts do not count */
    if ((p > 0) != (q > 0))
        return p > 0 ? -1 : 1;
    for (size_t i = 0; i < TELLING && !equal; i++) {
        p = llabs(x.values[telling_node[i]]);
        q = llabs(y.values[telling_node[i]]);
        if (p != q)
            return p > q ? -1 : 1;
        equal = p != 0;
    }
    return MP_COMPARE(a->key.frame, b->key.frame);
}

/* Add a difference. `was` is its key in the base, which is used if the entry is gone. If the
 * objects do not have the same name in both recordings, the name is left out. */
static void put(builder *state, mp_difference difference, const mp_entry_key *was)
{
    mp_differences *result = &state->result;
    difference.change = change_of(state->level, &difference.base, &difference.now);
    if (difference.change == MP_CHANGE_GONE)
        difference.key = *was;
    else if (difference.change != MP_CHANGE_NEW && difference.key.name != was->name)
        difference.key.name = 0;
    *MP_APPEND(result->items, result->count, state->result_capacity) = difference;
}

/* --- couples --- */

/* Return the part of a key that must be equal. Objects with a stack are not distinguished by name.
 * If types are inferred, they are not distinguished by type either, because each log may infer
 * another type. A source line belongs to only one overload; code without a line, for example a
 * prologue, is distinguished by the first line of its method. */
static mp_entry_key compared_by(const builder *from, mp_entry_key key)
{
    if (from->level == MP_LEVEL_SITE && key.frame) {
        key.name = 0;
        key.type = from->infers ? 0 : key.type;
    }
    if (from->level == MP_LEVEL_LINE && (int32_t)key.line > 0)
        key.start = key.overload = 0;
    return key;
}

static void add_side(builder *state, const mp_entries *entries, mp_entries *keys, bool now)
{
    for (size_t i = 0; i < entries->count; i++) {
        const mp_entry *entry = &entries->items[i];
        mp_entry_key key = compared_by(state, entry->key);
        size_t place = (size_t)(mp_entry_for(keys, key) - keys->items);
        if (place == state->count) {
            mp_grow(&state->couples, &state->capacity, ++state->count, sizeof *state->couples);
            state->couples[place] = (mp_couple){.key = key, .told = entry->key};
        }
        assert(state->couples && place < state->count);
        mp_couple *couple = &state->couples[place];
        couple->told.type = entry->key.type; /* the type of the new side is kept */
        couple->names_differ |= couple->told.name != entry->key.name;
        if (couple->names_differ)
            couple->told.name = 0;
        mp_amounts *sum = now ? &couple->now : &couple->base;
        *sum = mp_amounts_add(*sum, entry->amounts);
        /* each entry already has the total of all names */
        sum->scoped_bytes = entry->amounts.scoped_bytes;
        *(now ? &couple->in_now : &couple->in_base) = true;
    }
}

/* --- groups --- */

static void put_pair(builder *state, const mp_couple *base, const mp_couple *now)
{
    put(state,
        (mp_difference){.match = base == now ? MP_MATCH_EXACT : MP_MATCH_STACK,
                        .key = now->told,
                        .entries = 1,
                        .base = base->base,
                        .now = now->now},
        &base->told);
}

/* Add entries of both sides as one difference. Its key is the key of the first new entry. The name
 * or the line is left out if it is not the same for all entries of a side. */
static void put_sum(builder *state, const mp_couple *couples, size_t count, mp_match match)
{
    mp_difference difference = {.match = match};
    mp_entry_key told[2] = {
        couples[0].told,
        couples[0].told}; /* key of each side; element 1 is for the new recording */
    size_t in_side[2] = {0, 0};
    bool other_names[2] = {false, false}, other_lines = false;
    for (size_t i = count; i-- > 0;) {
        bool now = couples[i].in_now;
        difference.base = mp_amounts_add(difference.base, couples[i].base);
        difference.now = mp_amounts_add(difference.now, couples[i].now);
        other_names[now] |= in_side[now]++ && told[now].name != couples[i].told.name;
        told[now] = couples[i].told;
        other_lines |= couples[i].key.line != couples[0].key.line;
    }
    difference.entries = in_side[1] > in_side[0] ? in_side[1] : in_side[0];
    for (int now = 0; now <= 1; now++) {
        told[now].name = other_names[now] ? 0 : told[now].name;
        told[now].line = difference.entries > 1 && other_lines ? MP_NO_LINE : told[now].line;
    }
    difference.key = told[1];
    put(state, difference, &told[0]);
}

static const mp_couple *next_of(const mp_couple **couple, bool now)
{
    while (!(now ? (*couple)->in_now : (*couple)->in_base))
        (*couple)++;
    return (*couple)++;
}

/* Pair the entries of both sides in order; both sides have the same number of them. */
static void pair(builder *state, const mp_couple *couples, size_t pairs)
{
    const mp_couple *base_at = couples, *now_at = couples;
    while (pairs--) {
        const mp_couple *base = next_of(&base_at, false);
        put_pair(state, base, next_of(&now_at, true));
    }
}

/* Match a shifted family. Move the extra entries, which have no partner, to the front. Return their
 * number. */
static size_t match_shifted(builder *state, mp_couple *couples, const mp_shift *shift)
{
    bool fewer_now = shift->fewer_now;
    for (size_t i = 0; i < shift->count; i++) {
        const mp_couple *one = shift->fewer[i], *other = shift->more[mp_shift_partner(shift, i)];
        put_pair(state, fewer_now ? other : one, fewer_now ? one : other);
    }
    for (size_t i = 0; i < shift->extra; i++) {
        mp_couple extra = *shift->more[shift->split + i];
        *(fewer_now ? &extra.now : &extra.base) = (mp_amounts){0};
        *(fewer_now ? &extra.in_now : &extra.in_base) = false;
        couples[i] = extra;
    }
    return shift->extra;
}

/* Match the entries of a group, sorted by line. Move entries that remain for the next step to the
 * front, and return their number. */
static size_t match_group(builder *state, mp_couple *couples, size_t count, match_step step)
{
    mp_shift shift;
    size_t in_base = 0, in_now = 0, left = 0;
    if (step == STEP_FAMILY && mp_shift_of(state->dictionary, couples, count, &shift)) {
        left = match_shifted(state, couples, &shift);
        mp_shift_free(&shift);
        return left;
    }
    for (size_t i = 0; i < count; i++) {
        if (couples[i].in_base && couples[i].in_now) {
            put_pair(state, &couples[i], &couples[i]);
            continue;
        }
        in_base += couples[i].in_base;
        in_now += couples[i].in_now;
        couples[left++] = couples[i];
    }
    if (step == STEP_FAMILY && in_base == in_now)
        pair(state, couples, in_base);
    else if (in_base && in_now)
        put_sum(state, couples, left, step == STEP_FAMILY ? MP_MATCH_STACK : MP_MATCH_FUNCTION);
    else if (step != STEP_FUNCTION)
        return left;
    else
        for (size_t i = 0; i < left; i++)
            put_sum(state, &couples[i], 1, MP_MATCH_NONE);
    return 0;
}

/* Return the part of a key that must be equal in a step. */
static mp_entry_key group_key(const builder *state, const uint32_t *families, mp_entry_key key,
                              match_step step)
{
    bool code = state->level == MP_LEVEL_LINE || state->level == MP_LEVEL_METHOD;
    if (step != STEP_LINE && !(code && (int32_t)key.line <= 0))
        key.line = 0;
    key.start = key.overload = 0;
    if (step == STEP_FAMILY)
        key.frame = families[key.frame];
    else
        key.frame = 0;
    if (step != STEP_FAMILY && code)
        key.type = 0;
    return key;
}

static int by_group(const void *left, const void *right, void *dictionary)
{
    const mp_couple *a = left, *b = right;
    int order = MP_COMPARE(a->group, b->group);
    return order ? order : mp_key_compare(dictionary, &a->key, &b->key);
}

static void run_step(builder *state, const uint32_t *families, match_step step)
{
    mp_entries keys = {0};
    size_t left = 0, end;
    for (size_t i = 0; i < state->count; i++) {
        mp_couple *couple = &state->couples[i];
        const mp_entry *entry = mp_entry_for(&keys, group_key(state, families, couple->key, step));
        couple->group = (uint32_t)(entry - keys.items);
    }
    mp_entries_free(&keys);
    if (state->count)
        qsort_r(state->couples, state->count, sizeof *state->couples, by_group,
                (void *)(uintptr_t)state->dictionary);
    for (size_t from = 0; from < state->count; from = end) {
        mp_couple *first = &state->couples[from];
        for (end = from + 1; end < state->count && state->couples[end].group == first->group;)
            end++;
        size_t rest = match_group(state, first, end - from, step);
        memmove(&state->couples[left], first, rest * sizeof *first);
        left += rest;
    }
    state->count = left;
}

/* Match nodes of dominator trees only by equal paths, because a type elsewhere in the tree is a
 * different node. */
static void match_nodes(builder *state)
{
    for (size_t i = 0; i < state->count; i++) {
        const mp_couple *couple = &state->couples[i];
        if (couple->in_base && couple->in_now)
            put_pair(state, couple, couple);
        else
            put_sum(state, couple, 1, MP_MATCH_NONE);
    }
    if (state->result.count)
        qsort(state->result.items, state->result.count, sizeof *state->result.items, by_growth);
}

static void match_steps(builder *state)
{
    uint32_t *families = mp_key_families(state->dictionary);
    for (match_step step = STEP_FAMILY; step <= STEP_FUNCTION; step++)
        run_step(state, families, step);
    free(families);
    if (state->result.count)
        qsort_r(state->result.items, state->result.count, sizeof *state->result.items, by_change,
                (void *)(uintptr_t)state->dictionary);
}

mp_differences mp_differences_of(const mp_dictionary *dictionary, const mp_digest *base,
                                 const mp_digest *now, mp_level level)
{
    mp_entries keys = {0};
    builder state = {
        .dictionary = dictionary, .level = level, .infers = base->holds & MP_HOLDS_EVENTS};
    add_side(&state, &base->lists[level], &keys, false);
    add_side(&state, &now->lists[level], &keys, true);
    mp_entries_free(&keys);
    if (level == MP_LEVEL_DOMINATOR || level == MP_LEVEL_PATH)
        match_nodes(&state);
    else
        match_steps(&state);
    free(state.couples);
    return state.result;
}
