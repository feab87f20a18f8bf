#include "base/column.h"

#include <math.h>
#include <string.h>

/* Return true if the column is a count whose name ends with the noun. */
static bool counts(const mp_column *column, const char *noun)
{
    const size_t length = strlen(column->name), most = strlen(noun);
    return column->unit == MP_COUNT && column->offset != MP_NO_MEMBER && length >= most &&
           strcmp(column->name + length - most, noun) == 0;
}

bool mp_column_counts_objects(const mp_column *column)
{
    return counts(column, "objects") || counts(column, "created_per_second");
}

bool mp_column_counts_calls(const mp_column *column)
{
    return counts(column, "calls");
}

bool mp_column_counts_changes(const mp_column *column)
{
    static const char *const changes[] = {"created_", "deleted_", "leaked_"};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (strncmp(column->name, changes[i], strlen(changes[i])) == 0)
            return true;
    return false;
}

void mp_row_clear(const mp_column *columns, size_t count, void *row)
{
    for (size_t i = 0; i < count; i++) {
        void *member = (char *)row + columns[i].offset;
        if (columns[i].offset == MP_NO_MEMBER)
            continue;
        if (columns[i].unit == MP_LIST)
            *(mp_texts *)member = (mp_texts){.items = NULL};
        else if (columns[i].unit == MP_TEXT)
            *(const char **)member = NULL;
        else if (mp_unit_is_real(columns[i].unit))
            *(double *)member = NAN;
        else
            *(int64_t *)member = MP_UNKNOWN;
    }
}
