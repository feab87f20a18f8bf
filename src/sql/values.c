#include "sql/values.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

/* Types in SQL, indexed by unit. */
static const char *const types[] = {
    [MP_TEXT] = "TEXT",
    [MP_NUMBER] = "NUMBER",
    [MP_COUNT] = "COUNT",
    [MP_BYTES] = "BYTES",
    [MP_TIME] = "MICROSECONDS",
    [MP_AGE] = "AGE",
    [MP_SECONDS] = "REAL SECONDS",
    [MP_AVERAGE] = "REAL AVERAGE",
    [MP_BYTE_RATE] = "REAL RATE",
    [MP_PERCENT] = "REAL PERCENT",
    [MP_FLAG] = "BOOLEAN",
    [MP_LIST] = "TEXT LIST",
};
enum { UNITS = sizeof types / sizeof *types };

const char *mp_sql_type(mp_unit unit)
{
    return types[unit];
}

bool mp_sql_unit(const char *type, mp_unit *unit)
{
    for (size_t i = 0; type && i < UNITS; i++)
        if (strcmp(types[i], type) == 0) {
            *unit = (mp_unit)i;
            return true;
        }
    return false;
}

static mp_sql_value text_value(const char *text)
{
    return (mp_sql_value){.kind = text ? MP_SQL_TEXT : MP_SQL_NULL, .text = text};
}

mp_sql_value mp_sql_value_of(const mp_column *column, const void *row, mp_arena *texts)
{
    const void *member = (const char *)row + column->offset;
    if (column->unit == MP_LIST) {
        const mp_texts *list = member;
        return text_value(list->items ? mp_texts_join(texts, list->items, list->count) : NULL);
    }
    if (column->unit == MP_TEXT) {
        const char *text = *(const char *const *)member;
        return text_value(text && *text ? text : NULL);
    }
    if (mp_unit_is_real(column->unit)) {
        const double real = *(const double *)member;
        return (mp_sql_value){.kind = isnan(real) ? MP_SQL_NULL : MP_SQL_REAL, .real = real};
    }
    const int64_t number = *(const int64_t *)member;
    if (number == MP_UNKNOWN)
        return (mp_sql_value){.kind = MP_SQL_NULL};
    if (column->unit == MP_SECONDS)
        return (mp_sql_value){.kind = MP_SQL_REAL, .real = (double)number / 1e6};
    return (mp_sql_value){.kind = MP_SQL_INTEGER, .integer = number};
}
