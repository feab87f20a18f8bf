#include "model/heap.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/diagnose.h"

/* Maximum number of owners above an object. Scopes in real programs are a few levels deep; without
 * a limit, a hostile file could make a separate context for each object. */
enum { DEEPEST_SCOPE = 64 };

enum { AHEAD = 16 }; /* the places of objects are prefetched that many objects ahead */

void mp_heap_open(mp_heap *heap, mp_model *model, mp_session_id session,
                  mp_diagnostics *diagnostics)
{
    *heap = (mp_heap){.model = model,
                      .session = session,
                      .diagnostics = diagnostics,
                      .since_us = INT64_MIN,
                      .until_us = INT64_MAX};
    model->holds |= MP_HOLDS_LEDGER | MP_HOLDS_HISTORY | MP_HOLDS_SITES | MP_HOLDS_BIRTHS |
                    MP_HOLDS_RUNTIME | MP_HOLDS_TIMES | MP_HOLDS_OBJECTS;
}

void mp_heap_close(mp_heap *heap)
{
    if (heap->ages)
        mp_ages_settle(heap->ages);
    mp_live_free(&heap->live);
    free(heap->pending);
    free(heap->origins);
    mp_history_free(heap->history);
    mp_request_peak_free(&heap->request);
    *heap = (mp_heap){0};
}

void mp_heap_keep_objects(mp_heap *heap)
{
    heap->history = mp_history_new(heap->model);
}

void mp_heap_keep_ages(mp_heap *heap)
{
    heap->live.timed = true;
    heap->ages = mp_model_ages(heap->model);
}

void mp_heap_watch_requests(mp_heap *heap)
{
    heap->request.asked = true;
    heap->model->knows_request_peaks = true;
}

mp_snapshot *mp_heap_begin(mp_heap *heap)
{
    mp_model *model = heap->model;
    if (!heap->snapshot.i) {
        mp_model_begin_snapshot(model, heap->session);
        heap->snapshot.i = model->snapshots.count - 1;
    }
    return &model->snapshots.items[heap->snapshot.i];
}

void mp_heap_continue(mp_heap *heap, mp_snapshot_id snapshot)
{
    heap->snapshot = snapshot;
}

void mp_heap_in_request(mp_heap *heap)
{
    mp_request_peak_begin(&heap->request, heap->snapshot,
                          &heap->model->snapshots.items[heap->snapshot.i]);
}

mp_snapshot *mp_heap_end(mp_heap *heap)
{
    mp_heap_resolve_owners(heap);
    mp_snapshot *snapshot = mp_model_end_snapshot(heap->model, heap->snapshot, &heap->tally);
    snapshot->reusable_objects = heap->reusable_objects;
    snapshot->reusable_bytes = heap->reusable_bytes;
    mp_request_peak_end(&heap->request, snapshot);
    if (heap->history)
        mp_history_end_snapshot(heap->history, heap->snapshot);
    heap->snapshot.i = 0;
    return snapshot;
}

uint32_t mp_heap_origin(mp_heap *heap, mp_origin origin)
{
    heap->origin_count++;
    mp_grow(&heap->origins, &heap->origin_capacity, heap->origin_count + 1, sizeof *heap->origins);
    heap->origins[heap->origin_count] = (mp_heap_origin_entry){.origin = origin};
    return (uint32_t)heap->origin_count;
}

static void count(mp_heap *heap, bool reusable, int64_t objects, int64_t bytes)
{
    if (reusable) {
        heap->reusable_objects += objects;
        heap->reusable_bytes += bytes;
    } else {
        heap->tally.live_objects += objects;
        heap->tally.live_bytes += bytes;
    }
}

/* Reserve room for `bytes` more in all sums. Return false if a sum could overflow. A decrease needs
 * no room. */
static bool reserve(mp_heap *heap, int64_t bytes)
{
    return bytes <= 0 || mp_budget_take(&heap->model->private->spent, bytes);
}

static bool is_reusable(const mp_heap *heap, mp_type_id type)
{
    return heap->model->sessions.items[heap->session.i].reusable_apart &&
           heap->model->types.items[type.i].class == MP_TYPE_REUSABLE;
}

/* Return the owner that determines the context: `owner` itself or, if it is nested too deeply, an
 * owner above it. */
static mp_owner shallow(mp_heap *heap, mp_owner owner)
{
    const mp_context *context = &heap->model->contexts.items[owner.context.i];
    if (context->depth < DEEPEST_SCOPE)
        return owner;
    mp_diagnose(
        heap->diagnostics, MP_DIAG_SCOPE_DEPTH, heap->path, 0,
        "objects are scoped more than %d levels deep; deeper ones count for the owners above",
        DEEPEST_SCOPE);
    return (mp_owner){context->owner, heap->model->generations.items[owner.generation.i].owner};
}

static uint8_t marks_of(const mp_heap *heap, const mp_birth *birth)
{
    bool before = heap->request.first.i && birth->time_us < heap->request.start_us;
    bool beyond = birth->time_us < heap->since_us || birth->time_us > heap->until_us;
    return (uint8_t)((before ? MP_BORN_BEFORE_REQUEST : 0) | (beyond ? MP_BORN_BEYOND : 0));
}

/* If the running request created the generation, count its change for the request. */
static void count_for_request(mp_heap *heap, mp_generation_id id, int64_t time_us, int objects,
                              int64_t bytes)
{
    const mp_generation *generation = &heap->model->generations.items[id.i];
    if (heap->request.asked && heap->request.first.i &&
        generation->born.i >= heap->request.first.i && !generation->reusable &&
        !(generation->marks & MP_BORN_BEFORE_REQUEST))
        mp_request_peak_add(&heap->request, time_us, objects, bytes);
}

/* Find the generation of a birth at the open snapshot, and cache it in the origin. */
static __attribute__((noinline)) void find_generation(mp_heap *heap, mp_heap_origin_entry *entry,
                                                      mp_owner owner, uint8_t marks)
{
    const mp_origin *origin = &entry->origin;
    mp_owner apart = shallow(heap, owner);
    mp_context key = {.type = origin->type,
                      .node = origin->node,
                      .line = origin->line,
                      .name = origin->name,
                      .owner = apart.context.i ? apart.context : origin->owner,
                      .session = heap->session,
                      .reusable = is_reusable(heap, origin->type)};
    mp_generation generation = {.context = mp_model_context(heap->model, &key),
                                .born = heap->snapshot,
                                .owner = apart.generation,
                                .marks = marks};
    entry->owner = owner;
    entry->snapshot = heap->snapshot;
    entry->marks = marks;
    entry->generation = mp_model_generation(heap->model, &generation);
    entry->reusable = key.reusable;
    (void)mp_model_delta(heap->model, entry->generation, heap->snapshot);
    entry->delta = heap->model->generations.items[entry->generation.i].last_delta;
}

/* Add the birth of an object whose owner is known to the ledger. It counts as `bytes`. Return its
 * generation. */
static inline uint32_t enter(mp_heap *heap, const mp_birth *birth, int64_t bytes, mp_owner owner)
{
    mp_heap_origin_entry *entry = &heap->origins[birth->origin];
    const uint8_t marks = marks_of(heap, birth);
    if (entry->snapshot.i != heap->snapshot.i || entry->marks != marks ||
        entry->owner.context.i != owner.context.i ||
        entry->owner.generation.i != owner.generation.i)
        find_generation(heap, entry, owner, marks);
    const mp_generation_id generation = entry->generation;
    mp_cost *cost = &heap->model->deltas.items[entry->delta].cost;
    cost->created++;
    cost->idle += birth->idle;
    cost->created_bytes += bytes;
    cost->bytes += bytes;
    count(heap, entry->reusable, 1, bytes);
    heap->tally.created += !entry->reusable;
    count_for_request(heap, generation, birth->time_us, 1, bytes);
    if (heap->history)
        mp_history_birth(heap->history, birth->id, bytes, generation);
    return generation.i & INT32_MAX;
}

/* Prefetch what a birth will touch of its owner. */
__attribute__((always_inline)) static inline void prefetch_owner(const mp_heap *heap, uint64_t id)
{
    if (id && mp_live_may_have(&heap->live, id))
        mp_live_prefetch(&heap->live, id);
}

static const mp_live_object *look_up(const mp_heap *heap, uint64_t owner)
{
    return mp_live_may_have(&heap->live, owner) ? mp_live_find(&heap->live, owner) : NULL;
}

/* Find the owner `id`, and store it in heap->last_owner. Return false if it is not alive, or is
 * itself waiting for its owner. */
static bool find_owner(mp_heap *heap, uint64_t id)
{
    if (id == heap->last_owner_id && id)
        return true;
    const mp_live_object *object = look_up(heap, id);
    if (!object || object->generation == MP_GENERATION_PENDING)
        return false;
    const mp_generation *generation = &heap->model->generations.items[object->generation];
    heap->last_owner_id = id;
    heap->last_owner = (mp_owner){generation->context, {object->generation}};
    return true;
}

/* Return the size to count. If it could overflow a sum, report a diagnostic and return 0. */
static int64_t counted_bytes(mp_heap *heap, const mp_birth *birth, uint64_t line)
{
    if (reserve(heap, birth->bytes))
        return birth->bytes;
    mp_diagnose(heap->diagnostics, MP_DIAG_BAD_ROW, heap->path, line,
                "object %" PRIu64 " of %" PRId64 " bytes, more than any memory has; counted as 0",
                birth->id, birth->bytes);
    return 0;
}

static void wait_for_owner(mp_heap *heap, const mp_birth *birth, int64_t bytes, uint64_t line)
{
    mp_pending *pending = MP_APPEND(heap->pending, heap->pending_count, heap->pending_capacity);
    *pending = (mp_pending){.birth = *birth, .line = line};
    pending->birth.bytes = bytes;
}

static inline bool add_object(mp_heap *heap, const mp_birth *birth, uint64_t line)
{
    mp_live_object *object = mp_live_take(&heap->live, birth->id);
    if (object->generation)
        return false;
    int64_t size = counted_bytes(heap, birth, line);
    mp_live_object made = {.idle = birth->idle};
    if (!birth->owner || find_owner(heap, birth->owner)) {
        made.generation =
            enter(heap, birth, size, birth->owner ? heap->last_owner : (mp_owner){{0}, {0}}) &
            INT32_MAX;
    } else {
        made.generation = MP_GENERATION_PENDING;
        wait_for_owner(heap, birth, size, line);
        size = (int64_t)heap->pending_count;
    }
    made.size = mp_live_size(size) & MP_LIVE_LARGE;
    mp_live_put(object, made);
    mp_live_set_time(&heap->live, object, birth->time_us);
    if (size >= MP_LIVE_LARGE)
        mp_live_set_bytes(&heap->live, birth->id, object, size);
    return true;
}

size_t mp_heap_births(mp_heap *heap, const mp_birth *births, size_t count, uint64_t line)
{
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count) {
            mp_live_prefetch(&heap->live, births[i + AHEAD].id);
            prefetch_owner(heap, births[i + AHEAD].owner);
        }
        if (!add_object(heap, &births[i], line + i))
            return i;
    }
    return count;
}

/* --- births before their owners --- */

enum { WAITING, ON_THE_WAY, RESOLVED };

static void resolve_one(mp_heap *heap, mp_pending *pending)
{
    const mp_birth *birth = &pending->birth;
    mp_live_object *object = mp_live_find(&heap->live, birth->id);
    mp_owner owner = {{MP_CONTEXT_UNKNOWN}, {0}};
    if (pending->owner && pending->owner->generation != MP_GENERATION_PENDING) {
        owner.generation.i = pending->owner->generation;
        owner.context = heap->model->generations.items[owner.generation.i].context;
    } else {
        mp_diagnose(heap->diagnostics, MP_DIAG_UNKNOWN_OWNER, heap->path, pending->line,
                    "object %" PRIu64 " is scoped to object %" PRIu64 ", which is not alive here",
                    birth->id, birth->owner);
    }
    object->generation = enter(heap, birth, birth->bytes, owner) & INT32_MAX;
    mp_live_set_bytes(&heap->live, birth->id, object, birth->bytes);
    pending->state = RESOLVED;
}

/* Follow the chain of owners that are themselves waiting, then resolve the chain in reverse order.
 * `way` has room for all pending births. */
static void resolve_chain(mp_heap *heap, uint32_t first, uint32_t *way)
{
    size_t length = 0;
    uint32_t index = first;
    while (index && heap->pending[index - 1].state == WAITING) {
        mp_pending *pending = &heap->pending[index - 1];
        const mp_live_object *owner = look_up(heap, pending->birth.owner);
        pending->owner = owner;
        pending->state = ON_THE_WAY;
        way[length++] = index;
        index = owner && owner->generation == MP_GENERATION_PENDING
                    ? (uint32_t)mp_live_bytes(&heap->live, pending->birth.owner, owner)
                    : 0;
    }
    if (index && heap->pending[index - 1].state == ON_THE_WAY)
        mp_diagnose(heap->diagnostics, MP_DIAG_SCOPE_CYCLE, heap->path,
                    heap->pending[index - 1].line,
                    "object %" PRIu64 " is scoped to itself through its owners",
                    heap->pending[index - 1].birth.id);
    while (length)
        resolve_one(heap, &heap->pending[way[--length] - 1]);
}

void mp_heap_resolve_pending(mp_heap *heap)
{
    uint32_t *way = mp_alloc(heap->pending_count * sizeof *way);
    for (size_t i = 0; i < heap->pending_count; i++) {
        if (i + AHEAD < heap->pending_count) {
            mp_live_prefetch(&heap->live, heap->pending[i + AHEAD].birth.id);
            prefetch_owner(heap, heap->pending[i + AHEAD].birth.owner);
        }
        resolve_chain(heap, (uint32_t)i + 1, way);
    }
    heap->pending_count = 0;
    free(way);
}

/* --- changes and deaths --- */

/* Time of changes of size, for the peaks of requests. The time is not recorded, so a new size
 * counts from the previous snapshot on. */
static const int64_t ALL_ALONG = INT64_MIN;

/* Move an object to the generation that has the same birth and another type. */
static void retype(mp_heap *heap, uint64_t id, mp_live_object *object, mp_type_id type)
{
    mp_model *model = heap->model;
    mp_generation from = model->generations.items[object->generation];
    mp_context key = model->contexts.items[from.context.i];
    int64_t bytes = mp_live_bytes(&heap->live, id, object);
    mp_generation_id generation = {object->generation};
    mp_cost *cost = mp_model_delta(model, generation, heap->snapshot);
    cost->retyped--;
    cost->idle -= object->idle;
    cost->bytes -= bytes;
    count(heap, key.reusable, -1, -bytes);

    mp_generation_id before = generation;
    key.type = type;
    key.reusable = is_reusable(heap, type);
    from.context = mp_model_context(model, &key);
    generation = mp_model_generation(model, &from);
    cost = mp_model_delta(model, generation, heap->snapshot);
    cost->retyped++;
    cost->idle += object->idle;
    cost->bytes += bytes;
    count(heap, key.reusable, 1, bytes);
    if (key.reusable != from.reusable) {
        count_for_request(heap, before, ALL_ALONG, -1, -bytes);
        count_for_request(heap, generation, ALL_ALONG, 1, bytes);
    }
    object->generation = generation.i & INT32_MAX;
    if (heap->last_owner_id == id)
        heap->last_owner_id = 0;
}

bool mp_heap_change(mp_heap *heap, uint64_t id, mp_type_id type, int64_t bytes, bool idle,
                    uint64_t line)
{
    const mp_model *model = heap->model;
    mp_live_object *object = mp_live_find(&heap->live, id);
    if (!object)
        return false;
    /* Resolve owners only if this object waits for one. The owners of other objects may still
     * follow; in version 1 of .oemp files they may even be among the changes. */
    if (object->generation == MP_GENERATION_PENDING)
        mp_heap_resolve_owners(heap);
    if (type.i &&
        model->contexts.items[model->generations.items[object->generation].context.i].type.i !=
            type.i)
        retype(heap, id, object, type);
    bool reusable = model->generations.items[object->generation].reusable;
    int64_t before = mp_live_bytes(&heap->live, id, object), delta = bytes - before;
    if (!reserve(heap, delta)) {
        mp_diagnose(heap->diagnostics, MP_DIAG_BAD_ROW, heap->path, line,
                    "object %" PRIu64 " grows to %" PRId64
                    " bytes, more than any memory has; its size is unchanged",
                    id, bytes);
        delta = 0;
    }
    mp_generation_id generation = {object->generation};
    mp_cost *cost = mp_model_delta(heap->model, generation, heap->snapshot);
    cost->idle += (int64_t)idle - object->idle;
    cost->bytes += delta;
    count(heap, reusable, 0, delta);
    count_for_request(heap, generation, ALL_ALONG, 0, delta);
    mp_live_set_bytes(&heap->live, id, object, before + delta);
    object->idle = idle;
    heap->tally.changed += !reusable;
    if (heap->history)
        mp_history_change(heap->history, id, before + delta, generation);
    return true;
}

/* Record the age of an object. A file may contain any times; mp_ages_add sets an invalid age to
 * 0. */
static void add_age(mp_heap *heap, uint64_t id, const mp_live_object *object, int64_t time_us)
{
    uint64_t age = (uint64_t)time_us - (uint64_t)mp_live_time(&heap->live, object);
    mp_ages_add(heap->ages,
                &(mp_age){.context = heap->model->generations.items[object->generation].context,
                          .generation = {object->generation},
                          .died = heap->snapshot,
                          .age_us = (int64_t)age,
                          .objects = 1,
                          .bytes = mp_live_bytes(&heap->live, id, object)});
}

static inline bool remove_object(mp_heap *heap, uint64_t id, int64_t time_us)
{
    mp_live_object *object = mp_live_find(&heap->live, id);
    if (!object)
        return false;
    if (heap->last_owner_id == id)
        heap->last_owner_id = 0;
    bool reusable = heap->model->generations.items[object->generation].reusable;
    int64_t bytes = mp_live_bytes(&heap->live, id, object);
    mp_generation_id generation = {object->generation};
    mp_cost *cost = mp_model_delta(heap->model, generation, heap->snapshot);
    cost->deleted++;
    cost->idle -= object->idle;
    cost->bytes -= bytes;
    count(heap, reusable, -1, -bytes);
    heap->tally.deleted += !reusable;
    count_for_request(heap, generation, time_us, -1, -bytes);
    if (heap->ages && !reusable)
        add_age(heap, id, object, time_us);
    if (heap->history)
        mp_history_death(heap->history, id);
    mp_live_remove(&heap->live, object);
    return true;
}

size_t mp_heap_deaths(mp_heap *heap, const mp_death *deaths, size_t count)
{
    mp_heap_resolve_owners(heap);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            mp_live_prefetch(&heap->live, deaths[i + AHEAD].id);
        if (!remove_object(heap, deaths[i].id, deaths[i].time_us))
            return i;
    }
    return count;
}
