/* Rows about a watched recording: one for each snapshot, and other messages for programs. */
#ifndef MP_CLI_WATCH_ROWS_H
#define MP_CLI_WATCH_ROWS_H

#include "document/document.h"
#include "query/tracker.h"

typedef struct cli_watch_row {
    const char *file; /* for people: the path, as long as the longest */
    int64_t sequence;
    const char *tag;
    int64_t time_us, live_objects, live_bytes, delta_bytes;
    const char *path;
    int64_t grown_bytes, leaked_objects, leaked_bytes;
    const char *grower_type, *grower_site;
    int64_t grower_bytes;
    const char *grower; /* for people: the three in one */
} cli_watch_row;

/* A line without a sequence. */
typedef struct cli_watch_event {
    const char *event, *path, *name, *message;
    int64_t limit_bytes, actual_bytes; /* MP_UNKNOWN of all but limits */
} cli_watch_event;

/* A document with one table, of rows or of events. `several`: the rows tell which file they are
 * about. */
mp_document *cli_watch_rows_document(bool several, bool exact_bytes);
mp_document *cli_watch_events_document(void);

/* The row of a snapshot of the file of that path; its texts are in the arena, or in the model. */
cli_watch_row cli_watch_row_of(mp_arena *arena, const char *path, const mp_model *model,
                               mp_snapshot_id id, const mp_tracked *tracked, bool exact_bytes);
/* A row that needs no model: what people read of it is in the arena, but for paths. */
cli_watch_row cli_watch_row_keep(mp_arena *arena, const cli_watch_row *row);

#endif
