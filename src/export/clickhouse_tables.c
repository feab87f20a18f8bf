#include "export/clickhouse.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "relation/relation.h"

const mp_clickhouse_table mp_clickhouse_tables[] = {
    {.name = "recordings",
     .meaning = "each recording, with its totals",
     .relation = &mp_relation_recordings,
     .key = ""},
    {.name = "snapshots",
     .meaning = "each snapshot of each recording",
     .relation = &mp_relation_snapshots,
     .key = "session sequence"},
    {.name = "sites",
     .meaning = "each allocation site of each recording",
     .relation = &mp_relation_sites,
     .key = "site",
     .measures = "live_bytes leaked_bytes leaked_objects leaking_bytes",
     .key_first = true},
    {.name = "types",
     .meaning = "each type of objects of each recording",
     .relation = &mp_relation_types,
     .key = "type",
     .measures = "live_bytes live_objects leaked_bytes leaked_objects",
     .key_first = true},
    {.name = "platform",
     .meaning = "each area of the runtime's own memory at each snapshot of each recording",
     .relation = &mp_relation_platform,
     .key = "session sequence area"},
    {.name = "requests",
     .meaning = "each request of each recording",
     .relation = &mp_relation_requests,
     .key = "request_api session request",
     .key_first = true},
    {.name = "diagnostics",
     .meaning = "each diagnostic of each recording",
     .relation = &mp_relation_diagnostics,
     .key = "code line"},
};

const mp_clickhouse_table *mp_clickhouse_table_find(const char *name)
{
    for (size_t i = 0; i < MP_CLICKHOUSE_TABLES; i++)
        if (mp_text_is(mp_clickhouse_tables[i].name, name))
            return &mp_clickhouse_tables[i];
    return NULL;
}

/* --- columns --- */

#define SHARED(name, type, meaning)                                                                \
    {                                                                                              \
        name, type, meaning, NULL, MP_CLICKHOUSE_SHARED, false, false                              \
    }

static const mp_clickhouse_column shared[] = {
    [MP_CLICKHOUSE_RECORDING] =
        SHARED("recording", "UUID", "checksum of the bytes of the recording (XXH3 of 128 bits)"),
    [MP_CLICKHOUSE_DAY] = SHARED("day", "Date", "day on which the recording began, UTC"),
    [MP_CLICKHOUSE_TIME] =
        SHARED("time", "DateTime('UTC')", "time at which the recording began, to the second"),
    [MP_CLICKHOUSE_HOST] = SHARED("host", "String", "label host"),
    [MP_CLICKHOUSE_BUILD] = SHARED("build", "String", "label build"),
    [MP_CLICKHOUSE_LABEL_NAMES] =
        SHARED("labels.name", "Array(String)", "names of all other labels"),
    [MP_CLICKHOUSE_LABEL_VALUES] =
        SHARED("labels.value", "Array(String)", "their values, in the same order"),
    [MP_CLICKHOUSE_VERSION] =
        SHARED("version", "UInt32", "version of the meaning of rows; the highest replaces others"),
    [MP_CLICKHOUSE_PART] =
        SHARED("part", "UInt32", "number of rows of the recording with the same key before it"),
};

/* Types of ClickHouse, indexed by unit. */
static const char *const types[] = {
    [MP_TEXT] = "String",     [MP_NUMBER] = "Int64",    [MP_COUNT] = "Int64",
    [MP_BYTES] = "Int64",     [MP_TIME] = "Int64",      [MP_AGE] = "Int64",
    [MP_SECONDS] = "Float64", [MP_AVERAGE] = "Float64", [MP_BYTE_RATE] = "Float64",
    [MP_PERCENT] = "Float64", [MP_FLAG] = "UInt8",      [MP_LIST] = "String",
};

bool mp_clickhouse_lists(const char *list, const char *name)
{
    const size_t length = strlen(name);
    while (list && *list) {
        const size_t width = strcspn(list, " ");
        if (width == length && memcmp(list, name, length) == 0)
            return true;
        list += width + strspn(list + width, " ");
    }
    return false;
}

size_t mp_clickhouse_columns(const mp_clickhouse_table *table,
                             mp_clickhouse_column columns[MP_CLICKHOUSE_COLUMNS])
{
    const mp_relation *relation = table->relation;
    size_t count = MP_CLICKHOUSE_SHARED_COLUMNS;
    assert(count + relation->column_count + 1 <= MP_CLICKHOUSE_COLUMNS);
    memcpy(columns, shared, sizeof shared);
    for (size_t i = 0; i < relation->column_count; i++) {
        const mp_column *member = &relation->columns[i];
        if (member->flags & MP_FOR_PEOPLE)
            continue;
        const bool is_key = mp_clickhouse_lists(table->key, member->name);
        const bool is_site = relation == &mp_relation_sites && mp_text_is(member->name, "site");
        mp_clickhouse_column column = {
            .name = member->name,
            .type = is_site ? "UUID" : types[member->unit],
            .meaning = is_site ? "hash of the type and the stack" : member->meaning,
            .member = member,
            .source = is_site ? MP_CLICKHOUSE_SITE : MP_CLICKHOUSE_RELATION,
            .is_key = is_key,
            .has_null = !is_key && !mp_clickhouse_lists(table->measures, member->name),
        };
        if (member->unit == MP_LIST) { /* the only lists are stacks */
            columns[count++] = (mp_clickhouse_column){.name = "stack",
                                                      .type = "UUID",
                                                      .meaning = "hash of the stack",
                                                      .member = member,
                                                      .source = MP_CLICKHOUSE_STACK};
            column.name = "stack_text";
            column.source = MP_CLICKHOUSE_FRAMES;
        }
        columns[count++] = column;
    }
    return count;
}
