/* Objects for exporters: those that were alive at given moments. */
#pragma once

#include "base/error.h"
#include "model/graph.h"
#include "model/model.h"
#include "query/query.h"

typedef struct mp_living {
    uint64_t id; /* id in the file; if the file's ids are not unique, a number from 1 */
    int64_t bytes;
    mp_context_id context;
    mp_snapshot_id born; /* 0 = unknown */
    mp_snapshot_id from, until;
    uint32_t vertex; /* vertex in the model's graph; 0 = none */
} mp_living;

/* Moments of one session and the objects that were alive at any of them. */
typedef struct mp_live_objects {
    const mp_model *model;
    const mp_filter *filter;
    mp_session_id session;
    mp_snapshot_id *snapshots; /* in the order of time */
    size_t snapshot_count;
    mp_living *living; /* sorted by `from` */
    size_t living_count;
} mp_live_objects;

/* Find the objects alive at all snapshots. If the model did not keep objects, find the objects at
 * the snapshot of its graph. Release with mp_live_objects_free. Return false with a message if
 * there are neither objects nor a graph, or if there are several sessions. */
bool mp_live_objects_of(const mp_filter *filter, mp_live_objects *live, mp_error *error);
void mp_live_objects_free(mp_live_objects *live);

static inline bool mp_is_alive_at(const mp_living *living, mp_snapshot_id snapshot)
{
    return living->from.i <= snapshot.i && (!living->until.i || living->until.i > snapshot.i);
}

/* Find the only session with snapshots. Return false with a message if there are several, or
 * none. */
bool mp_only_session(const mp_filter *filter, mp_session_id *session, mp_error *error);
