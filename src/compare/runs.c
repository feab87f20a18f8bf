#include "compare/runs.h"

#include <stdlib.h>
#include <string.h>

static int by_value(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return MP_COMPARE(a, b);
}

mp_centre mp_centre_of(int64_t *values, size_t count)
{
    assert(count);
    qsort(values, count, sizeof *values, by_value);
    size_t left_out = count / 8;
    int64_t low = values[(count - 1) / 2], high = values[count / 2];
    int64_t range = values[count - 1 - left_out] - values[left_out];
    return (mp_centre){.median = low + (high - low) / 2, .spread = range / 2 + range % 2};
}

/* Return true if run `a` comes before run `b` in the order of live bytes, leaked bytes, seconds and
 * calls. If the runs are equal, return `in_doubt`. */
static bool is_before(const mp_digest *a, const mp_digest *b, bool in_doubt)
{
    const mp_amounts *x = &a->totals, *y = &b->totals;
    const int64_t left[] = {x->bytes, x->leaked_bytes, x->exclusive_us, x->calls};
    const int64_t right[] = {y->bytes, y->leaked_bytes, y->exclusive_us, y->calls};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (left[i] != right[i])
            return left[i] < right[i];
    return in_doubt;
}

mp_digest *mp_digest_of_runs(mp_digest *const *runs, size_t count)
{
    mp_digest *middle = runs[0];
    unsigned has = ~0u, lacks = 0;
    bool complete = true, open_ended = false, torn = false, late = false, in_use = false,
         partial = false;
    if (count == 1)
        return middle;
    for (size_t i = 0; i < count; i++) {
        size_t before = 0;
        for (size_t j = 0; j < count; j++)
            before += j != i && is_before(runs[j], runs[i], j < i);
        if (before == (count - 1) / 2)
            middle = runs[i];
        has &= runs[i]->has;
        lacks |= runs[i]->has & (MP_HAS_UNSIZED | MP_HAS_UNCOUNTED);
        complete &= runs[i]->complete;
        open_ended |= runs[i]->open_ended;
        torn |= runs[i]->torn;
        late |= runs[i]->late;
        in_use |= runs[i]->in_use;
        partial |= runs[i]->partial;
    }
    for (size_t i = 0; i < count; i++) {
        runs[i]->has = has | lacks;
        runs[i]->complete = complete;
        runs[i]->open_ended = open_ended;
        runs[i]->torn = torn;
        runs[i]->late = late;
        runs[i]->in_use = in_use;
        runs[i]->partial = partial;
    }
    middle->runs = mp_alloc(count * sizeof(mp_digest *));
    memcpy(middle->runs, runs, count * sizeof(mp_digest *));
    middle->run_count = count;
    return middle;
}

mp_digest *mp_digest_of_any_run(const mp_digest *digest)
{
    mp_digest *any = mp_alloc_zero(1, sizeof *any);
    any->kind = digest->kind;
    any->has = digest->has;
    for (size_t run = 0; run < digest->run_count; run++)
        for (int level = 0; level < MP_LEVELS; level++) {
            const mp_entries *list = &digest->runs[run]->lists[level];
            for (size_t i = 0; i < list->count; i++) {
                mp_amounts *most = &mp_entry_for(&any->lists[level], list->items[i].key)->amounts;
                for (size_t j = 0; j < MP_AMOUNTS; j++)
                    if (list->items[i].amounts.values[j] > most->values[j])
                        most->values[j] = list->items[i].amounts.values[j];
            }
        }
    return any;
}
