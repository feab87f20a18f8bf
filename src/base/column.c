#include "base/column.h"

#include <math.h>

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
