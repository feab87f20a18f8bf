#include "sql/views.h"

#include <stdio.h>

/* Each %s is replaced by the column of the recording. */
static const char statements[] =
    "CREATE VIEW leaks AS SELECT * FROM sites WHERE ifnull(leaked_objects, leaked_bytes) > 0"
    " OR leaking_bytes > 0"
    " ORDER BY leaking_bytes DESC, leaked_bytes DESC, leaked_objects DESC, type, stack;"
    /* A size of 0 is not known if sizes are not recorded for all types. */
    "CREATE VIEW growth AS SELECT %stype,"
    " ifnull(live_bytes - from_bytes, ifnull(live_bytes, -from_bytes)) AS delta_bytes,"
    " live_objects - from_objects AS delta_objects, from_bytes, live_bytes, from_objects,"
    " live_objects FROM types WHERE live_bytes <> from_bytes OR live_objects <> from_objects"
    " ORDER BY abs(delta_bytes) DESC, abs(delta_objects) DESC, type;"
    "CREATE VIEW top_types AS SELECT %stype, live_bytes, live_objects FROM types"
    " WHERE ifnull(live_objects, live_bytes) > 0 ORDER BY live_bytes DESC, live_objects DESC, "
    "type;";

const mp_sql_view *mp_sql_view_list(size_t *count)
{
    static const mp_sql_view views[] = {
        {"leaks", "sites",
         "sites that leak or left objects behind, the worst first; columns of sites"},
        {"growth", "types",
         "types that grew or shrank, the largest change first: type, delta_bytes, delta_objects, "
         "from_bytes, live_bytes, from_objects, live_objects"},
        {"top_types", "types",
         "types by live bytes, the largest first: type, live_bytes, live_objects"},
    };
    *count = sizeof views / sizeof *views;
    return views;
}

const char *mp_sql_views(bool recorded, char text[MP_SQL_VIEWS])
{
    const char *column = recorded ? "recording, " : "";
    snprintf(text, MP_SQL_VIEWS, statements, column, column);
    return text;
}
