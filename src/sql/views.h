/* Views of what is asked most, over the tables of relations. */
#ifndef MP_SQL_VIEWS_H
#define MP_SQL_VIEWS_H

#include <stdbool.h>

enum { MP_SQL_VIEWS = 4096 };

/* Return the statements that make them, written to `text`. If `recorded`, the tables are those of
 * many recordings, which their first column names; so do those of the views. */
const char *mp_sql_views(bool recorded, char text[MP_SQL_VIEWS]);

#endif
