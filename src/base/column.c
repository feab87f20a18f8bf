#include "base/column.h"

#include <math.h>
#include <string.h>

bool mp_column_counts_objects(const mp_column *column)
{
    static const char objects[] = "objects";
    const size_t length = strlen(column->name), most = sizeof objects - 1;
    return column->unit == MP_COUNT && column->offset != MP_NO_MEMBER &&
           ((length >= most && strcmp(column->name + length - most, objects) == 0) ||
            strcmp(column->name, "created_per_second") == 0);
}

void mp_row_hide_objects(const mp_column *columns, size_t count, void *row)
{
    for (size_t i = 0; i < count; i++)
        if (mp_column_counts_objects(&columns[i]))
            *(int64_t *)((char *)row + columns[i].offset) = MP_UNKNOWN;
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
