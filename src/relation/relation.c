#include "relation/relation.h"

#include <stdlib.h>

#include "base/sort.h"

const mp_relation *const *mp_relations(size_t *count)
{
#define MP_RELATION(name) &mp_relation_##name,
    static const mp_relation *const relations[] = {
#include "relation/relations.def"
    };
#undef MP_RELATION
    *count = sizeof relations / sizeof *relations;
    return relations;
}

/* --- keys --- */

const mp_key_bounds mp_any_key = {.least = INT64_MIN, .most = INT64_MAX};

/* Return the first place from `first` to `end` - 1 whose key is at least this; `end`: there is
 * none. */
static uint64_t first_from(const mp_cursor *cursor, int64_t key)
{
    uint64_t first = cursor->place;
    MP_BISECT(first, cursor->end, cursor->relation->order(cursor->source, middle) < key);
    return first;
}

/* --- cursors --- */

mp_cursor mp_cursor_open(const mp_relation *relation, mp_relation_source *source)
{
    mp_cursor cursor = mp_cursor_new(relation);
    mp_cursor_enter(&cursor, source, &mp_any_key);
    return cursor;
}

mp_cursor mp_cursor_new(const mp_relation *relation)
{
    return (mp_cursor){.relation = relation, .row = mp_alloc(relation->row_size)};
}

/* Find the columns whose values the recording does not know. */
static void find_unknown(mp_cursor *cursor)
{
    const mp_relation *relation = cursor->relation;
    const unsigned holds = mp_relation_holds(cursor->source);
    cursor->unknown = cursor->sizes = 0;
    for (size_t i = 0; i < relation->column_count; i++) {
        const mp_column *column = &relation->columns[i];
        if (column->offset == MP_NO_MEMBER)
            continue;
        if ((holds & MP_HOLDS_UNCOUNTED && mp_column_counts_objects(column)) ||
            (holds & MP_HOLDS_UNCALLED && mp_column_counts_calls(column)) ||
            (mp_holds_dumps(holds) && mp_column_counts_changes(column)))
            cursor->unknown |= UINT64_C(1) << i;
        if (holds & MP_HOLDS_UNSIZED && column->unit == MP_BYTES)
            cursor->sizes |= UINT64_C(1) << i;
    }
}

static void hide_unknown(const mp_cursor *cursor)
{
    for (uint64_t rest = cursor->unknown | cursor->sizes; rest; rest &= rest - 1) {
        const int i = __builtin_ctzll(rest);
        int64_t *member = (int64_t *)((char *)cursor->row + cursor->relation->columns[i].offset);
        if (cursor->unknown >> i & 1 || !*member)
            *member = MP_UNKNOWN;
    }
}

void mp_cursor_enter(mp_cursor *cursor, mp_relation_source *source, const mp_key_bounds *bounds)
{
    const mp_relation *relation = cursor->relation;
    const bool narrow = bounds->least > INT64_MIN || bounds->most < INT64_MAX;
    cursor->source = source;
    find_unknown(cursor);
    cursor->place = 0;
    cursor->end = relation->count(source);
    if (bounds->text)
        relation->find(source, bounds->text, &cursor->place, &cursor->end);
    if (!narrow || !mp_relation_is_ordered(relation, source))
        return;
    cursor->place = first_from(cursor, bounds->least);
    if (bounds->most < INT64_MAX)
        cursor->end = first_from(cursor, bounds->most + 1);
}

bool mp_cursor_next(mp_cursor *cursor, uint64_t wanted)
{
    const mp_relation *relation = cursor->relation;
    while (cursor->place < cursor->end) {
        mp_arena_reset(&cursor->texts);
        if (!relation->row(cursor->source, cursor->place++, wanted, &cursor->texts, cursor->row))
            continue;
        hide_unknown(cursor);
        return true;
    }
    return false;
}

void mp_cursor_free(mp_cursor *cursor)
{
    mp_arena_free(&cursor->texts);
    free(cursor->row);
}
