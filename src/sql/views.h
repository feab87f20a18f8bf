/* Views for frequent questions, based on the tables of relations. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A view, for people. */
typedef struct mp_sql_view {
    const char *name;
    const char *table; /* the view has rows if this table has */
    const char *meaning;
} mp_sql_view;

/* Return all views; static. */
const mp_sql_view *mp_sql_view_list(size_t *count);

enum { MP_SQL_VIEWS = 4096 };

/* Return the statements that create the views, written to `text`. If `recorded`, the tables belong
 * to many recordings and begin with a column that names the recording; the views then begin with it
 * too. */
const char *mp_sql_views(bool recorded, char text[MP_SQL_VIEWS]);
