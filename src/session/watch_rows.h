/* Rows of watched recordings, one per snapshot; events for programs; and the limit that ends the
 * watching. */
#pragma once

#include "compare/policy.h"
#include "document/document.h"
#include "query/tracker.h"

typedef struct mp_watch_row {
    const char *file; /* path for people, padded to the longest path */
    int64_t sequence;
    const char *tag;
    int64_t time_us, live_objects, live_bytes, delta_bytes;
    const char *path;
    int64_t grown_bytes, leaked_objects, leaked_bytes;
    const char *grower_type, *grower_site;
    int64_t grower_bytes;
    const char *grower; /* site that grew most, for people: its size, type and place in one text */
} mp_watch_row;

/* An event that is not a snapshot. */
typedef struct mp_watch_event {
    const char *event, *path, *name, *message;
    int64_t limit_bytes,
        actual_bytes; /* a limit and its measured value; MP_UNKNOWN in other events */
} mp_watch_event;

/* First limit that a recording exceeds, with the snapshot at which it exceeds it. */
typedef struct mp_watch_limit {
    mp_arena arena;      /* arena of the texts */
    const char *name;    /* name of the option or rule; NULL: no limit exceeded */
    const char *message; /* message about the limit */
    /* MP_UNKNOWN for rules of a policy, because they may have a unit other than bytes. */
    int64_t limit_bytes, actual_bytes;
    mp_watch_row row;
} mp_watch_limit;

/* Create a document with one table, of rows or of events. `several`: include the column for the
 * file. */
mp_document *mp_watch_rows_document(bool several, bool exact_bytes);
mp_document *mp_watch_events_document(void);

/* Return the row of a snapshot of the file at `path`. Its texts belong to the arena or the
 * model. */
mp_watch_row mp_watch_row_of(mp_arena *arena, const char *path, const mp_model *model,
                             mp_snapshot_id id, const mp_tracked *tracked, bool exact_bytes);
/* Return a copy of a row that does not depend on the model. Its texts for people, except paths, are
 * copied to the arena; other texts are dropped. */
mp_watch_row mp_watch_row_keep(mp_arena *arena, const mp_watch_row *row);

/* Return the worst leak of the part of the recording that was read so far, as reports print it:
 * "10.4 KiB, OOABL Obj shop.OrderEvent at placeOrder shop.OrderService:155". The text belongs to
 * the arena. Return NULL if nothing leaks, or there are too few snapshots. The model must not have
 * a call tree. */
const char *mp_watch_worst_leak(mp_model *model, bool exact_bytes, mp_arena *arena);

/* Check a figure of the row against a limit from mp_rule_of_limit. Do nothing if a limit was
 * exceeded before. The model must not have a call tree; it is used to name the worst leak. */
void mp_watch_limit_hold(mp_watch_limit *limit, const mp_rule *rule, const mp_watch_row *row,
                         mp_model *model, const char *dashes, bool exact_bytes);
/* Store a failed check of the snapshot of this row. Do nothing if a limit was exceeded before. */
void mp_watch_limit_exceed(mp_watch_limit *limit, const mp_check *check, const mp_watch_row *row,
                           const char *dashes);
/* Store the first failed rule, if there is one, of a gate's answer after the snapshot of this row.
 * Do nothing if a limit was exceeded before. */
void mp_watch_limit_judge(mp_watch_limit *limit, const mp_document *gate, const mp_watch_row *row);
/* Return the event that reports the limit. */
mp_watch_event mp_watch_limit_event(const mp_watch_limit *limit);
