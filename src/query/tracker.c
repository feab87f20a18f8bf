#include "query/tracker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "query/labels.h"

/* Allocation site of a session: type, call-tree node and line. In heap logs the type is not part of
 * it, because they record a type only when an object is deleted. */
typedef struct tracked_site {
    mp_context_id context; /* first context of the site */
    int64_t bytes;         /* growth in bytes since the session's first snapshot */
    uint32_t place;        /* index in the session's heap of sites; 0: not in it */
} tracked_site;

typedef struct tracked_session {
    mp_snapshot_id first, last;
    int64_t leaked_objects, leaked_bytes;
    uint32_t *heap; /* binary heap of sites, from index 1; the site that grew most is at the top */
    size_t heap_count, heap_capacity;
    /* Deltas of this session that were read at the end of a snapshot of another session. */
    uint32_t *waiting;
    size_t waiting_count, waiting_capacity;
} tracked_session;

struct mp_tracker {
    const mp_model *model;
    mp_key_index site_index;
    tracked_site *sites; /* numbered from 1 */
    uint32_t site_count;
    size_t site_capacity;
    uint32_t *site_of; /* site of each context; 0: not looked up yet */
    size_t site_of_count, site_of_capacity;
    tracked_session *sessions; /* sessions by id */
    size_t session_count, session_capacity;
    uint32_t next; /* next delta to read */
};

mp_tracker *mp_tracker_new(const mp_model *model)
{
    mp_tracker *tracker = mp_alloc_zero(1, sizeof *tracker);
    tracker->model = model;
    tracker->next = 1;
    return tracker;
}

void mp_tracker_free(mp_tracker *tracker)
{
    if (!tracker)
        return;
    for (size_t i = 0; i < tracker->session_count; i++) {
        free(tracker->sessions[i].heap);
        free(tracker->sessions[i].waiting);
    }
    MP_FREE(tracker->sessions, tracker->site_of, tracker->sites);
    mp_key_index_free(&tracker->site_index);
    free(tracker);
}

/* --- sites --- */

static uint32_t site_of(mp_tracker *tracker, mp_context_id id)
{
    const mp_model *model = tracker->model;
    const mp_context *context = &model->contexts.items[id.i];
    MP_EXTEND(tracker->site_of, tracker->site_of_count, tracker->site_of_capacity,
              model->contexts.count);
    if (tracker->site_of[id.i])
        return tracker->site_of[id.i];
    const uint32_t type = model->events && !context->old ? 0 : context->type.i;
    const uint32_t site[] = {context->node.i, context->line, context->session.i, context->old,
                             type};
    uint32_t *found = mp_key_index_put(&tracker->site_index, site, sizeof site);
    if (!*found) {
        *found = ++tracker->site_count;
        mp_grow(&tracker->sites, &tracker->site_capacity, tracker->site_count + 1u,
                sizeof *tracker->sites);
        tracker->sites[*found] = (tracked_site){.context = id};
    }
    return tracker->site_of[id.i] = *found;
}

/* --- binary heap of sites, by growth --- */

static bool grew_more(const mp_tracker *tracker, uint32_t a, uint32_t b)
{
    int64_t left = tracker->sites[a].bytes, right = tracker->sites[b].bytes;
    return left != right ? left > right : a < b;
}

static void put(mp_tracker *tracker, tracked_session *session, size_t place, uint32_t site)
{
    session->heap[place] = site;
    tracker->sites[site].place = (uint32_t)place;
}

/* Move a site to its place in the heap after its bytes have changed. */
static void settle(mp_tracker *tracker, tracked_session *session, uint32_t site)
{
    size_t index = tracker->sites[site].place;
    if (!index) {
        index = ++session->heap_count;
        mp_grow(&session->heap, &session->heap_capacity, index + 1, sizeof *session->heap);
    }
    for (; index > 1 && grew_more(tracker, site, session->heap[index / 2]); index /= 2)
        put(tracker, session, index, session->heap[index / 2]);
    for (size_t below; (below = index * 2) <= session->heap_count; index = below) {
        below += below < session->heap_count &&
                 grew_more(tracker, session->heap[below + 1], session->heap[below]);
        if (!grew_more(tracker, session->heap[below], site))
            break;
        put(tracker, session, index, session->heap[below]);
    }
    put(tracker, session, index, site);
}

/* --- deltas --- */

static tracked_session *session_of(mp_tracker *tracker, uint32_t session)
{
    MP_EXTEND(tracker->sessions, tracker->session_count, tracker->session_capacity, session + 1u);
    return &tracker->sessions[session];
}

static void count(mp_tracker *tracker, tracked_session *session, uint32_t index)
{
    const mp_model *model = tracker->model;
    const mp_delta *delta = &model->deltas.items[index];
    const mp_generation *generation = &model->generations.items[delta->generation.i];
    if (generation->reusable || !session->first.i)
        return;
    uint32_t site = site_of(tracker, generation->context);
    tracker->sites[site].bytes += delta->cost.bytes;
    settle(tracker, session, site);
    if (generation->born.i > session->first.i) {
        session->leaked_objects += mp_cost_live(delta->cost);
        session->leaked_bytes += delta->cost.bytes;
    }
}

/* Count all changes up to the end of a snapshot. Skip deltas for earlier snapshots: a heap log adds
 * them when the deletion of an object reveals its type, and they only move amounts between types of
 * the same site. */
static void count_all(mp_tracker *tracker, tracked_session *session, mp_snapshot_id ended)
{
    const mp_model *model = tracker->model;
    for (size_t i = 0; i < session->waiting_count; i++)
        count(tracker, session, session->waiting[i]);
    session->waiting_count = 0;
    for (; tracker->next < model->deltas.count; tracker->next++) {
        uint32_t index = tracker->next, snapshot = model->deltas.items[index].snapshot.i;
        if (snapshot == ended.i) {
            count(tracker, session, index);
        } else if (!model->snapshots.items[snapshot].whole) {
            tracked_session *other =
                session_of(tracker, model->snapshots.items[snapshot].session.i);
            *MP_APPEND(other->waiting, other->waiting_count, other->waiting_capacity) = index;
        }
    }
}

mp_tracked mp_tracker_take(mp_tracker *tracker, mp_snapshot_id id)
{
    const mp_model *model = tracker->model;
    const mp_snapshot *snapshot = &model->snapshots.items[id.i];
    session_of(tracker, model->sessions.count - 1); /* allocate the entries of all sessions first */
    tracked_session *session = session_of(tracker, snapshot->session.i);
    count_all(tracker, session, id);
    mp_tracked tracked = {.first_bytes = snapshot->live_bytes,
                          .leaked_objects = session->leaked_objects,
                          .leaked_bytes = session->leaked_bytes};
    if (session->first.i) {
        tracked.first_bytes = model->snapshots.items[session->first.i].live_bytes;
        tracked.before_bytes = model->snapshots.items[session->last.i].live_bytes;
    } else {
        session->first = id;
    }
    session->last = id;
    const tracked_site *most = session->heap_count ? &tracker->sites[session->heap[1]] : NULL;
    if (most && most->bytes > 0) {
        tracked.grower = most->context;
        tracked.grower_bytes = most->bytes;
    }
    return tracked;
}

const char *mp_context_place(mp_arena *arena, const mp_model *model, mp_context_id id)
{
    enum {
        ALLOCATORS = 64
    }; /* maximum number of frames to skip: an unchecked tree may have a cycle */
    const mp_context *context = &model->contexts.items[id.i];
    uint32_t node = context->node.i, line = context->line;
    for (int i = 0; i < ALLOCATORS; i++) {
        const mp_node *state = &model->nodes.items[node];
        if (!model->symbols.items[state->symbol.i].allocator || !state->parent.i)
            break;
        node = state->parent.i;
        line = state->line;
    }
    if (model->symbols.items[model->nodes.items[node].symbol.i]
            .allocator) { /* all frames are allocators */
        node = context->node.i;
        line = context->line;
    }
    const mp_node *self = &model->nodes.items[node];
    const mp_symbol *symbol = &model->symbols.items[self->symbol.i];
    const char *name = !node ? "(session)"
                       : self->symbol.i
                           ? mp_symbol_label(arena, model, self->symbol)
                           : mp_arena_format(arena, "<node %" PRIu64 ">", self->number);
    if (!node && !line)
        return name;
    if (line != MP_NO_LINE)
        return mp_arena_format(arena, "%s:%" PRId32, name, (int32_t)line);
    return symbol->start_line
               ? mp_arena_format(arena, "%s (from %" PRIu32 ")", name, symbol->start_line)
               : name;
}
