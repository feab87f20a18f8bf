#include "sql/views.h"

#include <stdio.h>

/* Gaps are for the column of the recording, and for the condition that rows are of the same one. */
static const char statements[] =
    "CREATE VIEW leaks AS SELECT * FROM sites WHERE leaked_objects > 0 OR leaking_bytes > 0"
    " ORDER BY leaking_bytes DESC, leaked_bytes DESC, leaked_objects DESC, type, stack;"
    "CREATE VIEW growth AS SELECT %stype, live_bytes - from_bytes AS delta_bytes,"
    " live_objects - from_objects AS delta_objects, from_bytes, live_bytes, from_objects,"
    " live_objects FROM types WHERE live_bytes <> from_bytes OR live_objects <> from_objects"
    " ORDER BY abs(live_bytes - from_bytes) DESC;"
    "CREATE VIEW top_types AS SELECT %stype, live_bytes, live_objects FROM types"
    " WHERE live_objects > 0 ORDER BY live_bytes DESC;"
    "CREATE VIEW requests AS SELECT %ss.session AS session, s.request AS request,"
    " s.request_api AS request_api, coalesce(sum(d.created_objects), 0) AS created_objects,"
    " coalesce(sum(d.created_bytes), 0) AS created_bytes,"
    " coalesce(sum(d.delta_objects), 0) AS left_objects,"
    " coalesce(sum(d.delta_bytes), 0) AS left_bytes FROM snapshots s LEFT JOIN deltas d"
    " ON %sd.session IS s.session AND d.born_sequence = s.sequence AND d.of_request"
    " WHERE s.request IS NOT NULL GROUP BY %ss.session, s.request, s.request_api"
    " ORDER BY left_bytes DESC, request;";

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
        {"requests", "snapshots",
         "requests of an application server, by the bytes that they left: session, request, "
         "request_api, created_objects, created_bytes, left_objects, left_bytes"},
    };
    *count = sizeof views / sizeof *views;
    return views;
}

const char *mp_sql_views(bool recorded, char text[MP_SQL_VIEWS])
{
    const char *column = recorded ? "recording, " : "",
               *of_snapshot = recorded ? "s.recording, " : "";
    snprintf(text, MP_SQL_VIEWS, statements, column, column, of_snapshot,
             recorded ? "d.recording = s.recording AND " : "", of_snapshot);
    return text;
}
