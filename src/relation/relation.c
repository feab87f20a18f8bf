#include "relation/relation.h"

#include <stdlib.h>

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

/* --- cursors --- */

mp_cursor mp_cursor_open(const mp_relation *relation, mp_relation_source *source)
{
    mp_cursor cursor = mp_cursor_new(relation);
    mp_cursor_enter(&cursor, source, NULL);
    return cursor;
}

mp_cursor mp_cursor_new(const mp_relation *relation)
{
    return (mp_cursor){.relation = relation, .row = mp_alloc(relation->row_size)};
}

void mp_cursor_enter(mp_cursor *cursor, mp_relation_source *source, const char *key)
{
    cursor->source = source;
    cursor->place = 0;
    cursor->end = cursor->relation->count(cursor->source);
    if (key)
        cursor->relation->find(cursor->source, key, &cursor->place, &cursor->end);
}

bool mp_cursor_next(mp_cursor *cursor, uint64_t wanted)
{
    const mp_relation *relation = cursor->relation;
    while (cursor->place < cursor->end) {
        mp_arena_reset(&cursor->texts);
        if (relation->row(cursor->source, cursor->place++, wanted, &cursor->texts, cursor->row))
            return true;
    }
    return false;
}

void mp_cursor_free(mp_cursor *cursor)
{
    mp_arena_free(&cursor->texts);
    free(cursor->row);
}
