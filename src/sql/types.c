#include "sql/types.h"

#include <stddef.h>
#include <string.h>

/* By unit. */
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
