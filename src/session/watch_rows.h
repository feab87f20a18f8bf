/* Rows of recordings that are watched, one for each snapshot; events for programs; and the limit
 * that ends the watching. */
#ifndef MP_SESSION_WATCH_ROWS_H
#define MP_SESSION_WATCH_ROWS_H

#include "compare/policy.h"
#include "document/document.h"
#include "query/tracker.h"

typedef struct mp_watch_row {
    const char *file; /* for people: the path, as long as the longest */
    int64_t sequence;
    const char *tag;
    int64_t time_us, live_objects, live_bytes, delta_bytes;
    const char *path;
    int64_t grown_bytes, leaked_objects, leaked_bytes;
    const char *grower_type, *grower_site;
    int64_t grower_bytes;
    const char *grower; /* for people: the three in one */
} mp_watch_row;

/* A line without a sequence. */
typedef struct mp_watch_event {
    const char *event, *path, *name, *message;
    int64_t limit_bytes, actual_bytes; /* MP_UNKNOWN of all but limits */
} mp_watch_event;

/* The limit that a recording exceeds first, and the snapshot that does it. */
typedef struct mp_watch_limit {
    mp_arena arena;                    /* arena of its texts */
    const char *name;                  /* name of an option or of a rule; NULL: none was exceeded */
    const char *message;               /* the line about it */
    int64_t limit_bytes, actual_bytes; /* MP_UNKNOWN of a rule, which need not be about bytes */
    mp_watch_row row;
} mp_watch_limit;

/* Make a document with one table, of rows or of events. `several`: the rows name their file. */
mp_document *mp_watch_rows_document(bool several, bool exact_bytes);
mp_document *mp_watch_events_document(void);

/* Return the row of a snapshot of the file of that path; its texts are in the arena, or in the
 * model. */
mp_watch_row mp_watch_row_of(mp_arena *arena, const char *path, const mp_model *model,
                             mp_snapshot_id id, const mp_tracked *tracked, bool exact_bytes);
/* Return a row that needs no model: the texts that people read, except paths, are in the arena. */
mp_watch_row mp_watch_row_keep(mp_arena *arena, const mp_watch_row *row);

/* Name the worst leak of what was read so far, "10.4 KiB, OOABL Obj shop.OrderEvent at placeOrder
 * shop.OrderService:155", as reports do; in the arena. NULL: nothing leaks, or there are too few
 * snapshots to tell. The model must have no call tree. */
const char *mp_watch_worst_leak(mp_model *model, bool exact_bytes, mp_arena *arena);

/* Judge a figure of the row by a limit, as mp_rule_of_limit makes it. Nothing happens if one was
 * exceeded before. The model, which has no call tree, tells what leaks. */
void mp_watch_limit_hold(mp_watch_limit *limit, const mp_rule *rule, const mp_watch_row *row,
                         mp_model *model, const char *dashes, bool exact_bytes);
/* Take the answer of a gate after the snapshot of this row: the first rule that fails, if any. */
void mp_watch_limit_judge(mp_watch_limit *limit, const mp_document *gate, const mp_watch_row *row);
/* Return the event that reports the limit. */
mp_watch_event mp_watch_limit_event(const mp_watch_limit *limit);

#endif
