#include "compare/shift.h"

#include <stdlib.h>

#include "base/memory.h"

/* --- amount of change --- */

/* Amount of change. Counts of objects and calls are compared before sizes and times, which vary
 * from run to run. An overflow modulo 2^64 can affect the choice of a match, but no figure. */
typedef struct unrest {
    uint64_t counts, sizes;
} unrest;

static unrest unrest_of(const mp_amounts *a, const mp_amounts *b)
{
    mp_amounts delta = mp_amounts_subtract(*a, *b);
    return (unrest){.counts = (uint64_t)llabs(delta.objects) + (uint64_t)llabs(delta.created) +
                              (uint64_t)llabs(delta.deleted) +
                              (uint64_t)llabs(delta.leaked_objects) + (uint64_t)llabs(delta.calls),
                    .sizes = (uint64_t)llabs(delta.bytes) + (uint64_t)llabs(delta.leaked_bytes) +
                             (uint64_t)llabs(delta.exclusive_us)};
}

static unrest plus(unrest a, unrest b)
{
    return (unrest){a.counts + b.counts, a.sizes + b.sizes};
}

static unrest minus(unrest a, unrest b)
{
    return (unrest){a.counts - b.counts, a.sizes - b.sizes};
}

static bool is_less(unrest a, unrest b)
{
    return a.counts != b.counts ? a.counts < b.counts : a.sizes < b.sizes;
}

static bool is_half_or_less(unrest a, unrest b)
{
    return is_less(a, b) &&
           (a.counts != b.counts ? a.counts <= b.counts / 2 : a.sizes <= b.sizes / 2);
}

/* --- unchanged line numbers --- */

/* Return the change if entries are matched by equal lines. The unmatched entries of both sides are
 * compared as sums, because no way to match them has less change. If only one side has unmatched
 * entries, they do not count. */
static unrest unrest_of_exact(const mp_couple *couples, size_t count)
{
    unrest sum = {0};
    mp_amounts base = {0}, now = {0};
    bool base_left = false, now_left = false;
    for (size_t i = 0; i < count; i++) {
        const mp_couple *couple = &couples[i];
        if (couple->in_base && couple->in_now) {
            sum = plus(sum, unrest_of(&couple->base, &couple->now));
            continue;
        }
        base = mp_amounts_add(base, couple->base);
        now = mp_amounts_add(now, couple->now);
        base_left |= couple->in_base;
        now_left |= couple->in_now;
    }
    return base_left && now_left ? plus(sum, unrest_of(&base, &now)) : sum;
}

/* --- inserted or deleted lines --- */

static mp_shift line_up(const mp_couple *couples, size_t count, size_t in_base, size_t in_now)
{
    mp_shift shift = {.fewer = mp_alloc((in_base + in_now) * sizeof *shift.fewer),
                      .count = in_base < in_now ? in_base : in_now,
                      .fewer_now = in_now < in_base};
    shift.more = shift.fewer + shift.count;
    shift.extra = in_base + in_now - 2 * shift.count;
    const mp_couple **base = shift.fewer_now ? shift.more : shift.fewer;
    const mp_couple **now = shift.fewer_now ? shift.fewer : shift.more;
    for (size_t i = 0; i < count; i++) {
        if (couples[i].in_base)
            *base++ = &couples[i];
        if (couples[i].in_now)
            *now++ = &couples[i];
    }
    return shift;
}

size_t mp_shift_partner(const mp_shift *shift, size_t place)
{
    return place < shift->split ? place : place + shift->extra;
}

static unrest unrest_of_pair(const mp_shift *shift, size_t fewer, size_t more)
{
    const mp_couple *a = shift->fewer[fewer], *b = shift->more[more];
    return shift->fewer_now ? unrest_of(&a->now, &b->base) : unrest_of(&a->base, &b->now);
}

/* Choose the position of the extra lines that gives the least change; if several are equal, the
 * last. */
static unrest choose_split(mp_shift *shift)
{
    unrest sum = {0}, least;
    for (size_t i = 0; i < shift->count; i++)
        sum = plus(sum, unrest_of_pair(shift, i, i));
    least = sum;
    shift->split = shift->count;
    for (size_t i = shift->count;
         shift->extra && i-- > 0;) { /* move the split from after i to before i */
        sum = minus(sum, unrest_of_pair(shift, i, i));
        sum = plus(sum, unrest_of_pair(shift, i, i + shift->extra));
        if (is_less(sum, least)) {
            least = sum;
            shift->split = i;
        }
    }
    return least;
}

/* Return the distance between two entries of a family. Both have the same depth; the distance is
 * the sum of the differences of all their lines. */
static int64_t distance(const mp_dictionary *dictionary, const mp_entry_key *from,
                        const mp_entry_key *key)
{
    int64_t lines = (int64_t)(int32_t)key->line - (int32_t)from->line;
    return lines + (int64_t)key->start - from->start +
           mp_dictionary_facts(dictionary, key->frame)->lines -
           mp_dictionary_facts(dictionary, from->frame)->lines;
}

/* Return true if lines move in blocks: an insertion moves all lines after it by the same distance.
 * A block must have at least two lines on average. */
static bool moves_in_blocks(const mp_dictionary *dictionary, const mp_shift *shift)
{
    size_t places = 0, moved = 0;
    int64_t before = 0;
    for (size_t i = 0; i < shift->count; i++) {
        const mp_couple *partner = shift->more[mp_shift_partner(shift, i)];
        int64_t by = distance(dictionary, &shift->fewer[i]->key, &partner->key);
        places += by != before;
        moved += by != 0;
        before = by;
    }
    return moved >= 2 * places;
}

bool mp_shift_of(const mp_dictionary *dictionary, const mp_couple *couples, size_t count,
                 mp_shift *shift)
{
    size_t in_base = 0, in_now = 0, both = 0;
    for (size_t i = 0; i < count; i++) {
        in_base += couples[i].in_base;
        in_now += couples[i].in_now;
        both += couples[i].in_base && couples[i].in_now;
    }
    /* No choice is needed: equal lines are matched exactly, and equally many different lines are
     * paired in order anyway. */
    if (both == count || (!both && (in_base == in_now || !in_base || !in_now)))
        return false;
    *shift = line_up(couples, count, in_base, in_now);
    bool chosen = is_half_or_less(choose_split(shift), unrest_of_exact(couples, count)) &&
                  moves_in_blocks(dictionary, shift);
    if (!chosen)
        mp_shift_free(shift);
    return chosen;
}

void mp_shift_free(mp_shift *shift)
{
    free(shift->fewer);
    *shift = (mp_shift){0};
}
