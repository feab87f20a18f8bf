#include "model/heap.h"

#include <inttypes.h>
#include <stdlib.h>

#include "model/build.h"
#include "model/private.h"
#include "support/index.h"

/* Owners above an object that are told apart. Scopes in real programs are a handful deep; without a
 * bound a hostile file could make every object a lot of its own. */
enum { DEEPEST_SCOPE = 64 };

/* All bytes ever added stay below this, so that no sum of them can overflow. */
static const int64_t most_bytes = INT64_MAX / 4;

void mp_heap_open(mp_heap *heap, mp_model *model, mp_session_id session,
                  mp_diagnostics *diagnostics)
{
    *heap = (mp_heap){.model = model, .session = session, .diagnostics = diagnostics};
    model->has_heap = true;
}

void mp_heap_close(mp_heap *heap)
{
    mp_live_free(&heap->live);
    free(heap->pending);
    *heap = (mp_heap){0};
}

mp_mark *mp_heap_begin(mp_heap *heap)
{
    mp_model *model = heap->model;
    if (!heap->mark.i) {
        mp_mark *mark = MP_ADD(&model->marks);
        mark->session = heap->session;
        heap->mark.i = model->marks.count - 1;
    }
    return &model->marks.at[heap->mark.i];
}

mp_mark *mp_heap_end(mp_heap *heap)
{
    mp_heap_settle(heap);
    mp_mark *mark = &heap->model->marks.at[heap->mark.i];
    mark->whole = true;
    mark->ordinal = ++heap->model->sessions.at[heap->session.i].marks;
    mark->live_objects = heap->live_objects;
    mark->live_bytes = heap->live_bytes;
    mark->reusable_objects = heap->reusable_objects;
    mark->reusable_bytes = heap->reusable_bytes;
    heap->mark.i = 0;
    return mark;
}

static void count(mp_heap *heap, const mp_lot *lot, int64_t objects, int64_t bytes)
{
    if (lot->reusable) {
        heap->reusable_objects += objects;
        heap->reusable_bytes += bytes;
    } else {
        heap->live_objects += objects;
        heap->live_bytes += bytes;
    }
}

/* Room for `bytes` more in every sum; a size that is beyond any machine is not taken. */
static bool reserve(mp_heap *heap, int64_t bytes)
{
    if (bytes > most_bytes - heap->model->private->volume)
        return false;
    if (bytes > 0)
        heap->model->private->volume += bytes;
    return true;
}

static bool is_reusable(const mp_heap *heap, mp_type_id type)
{
    return heap->model->sessions.at[heap->session.i].reusable_apart &&
           heap->model->types.at[type.i].class == MP_TYPE_REUSABLE;
}

/* The object's owner is known: give it its lot and cohort, and enter it in the ledger. */
static void enter(mp_heap *heap, mp_live_object *object, const mp_birth *birth, mp_lot_id owner,
                  mp_mark_id owner_born)
{
    mp_model *model = heap->model;
    if (model->lots.at[owner.i].depth >= DEEPEST_SCOPE) {
        mp_diagnose(heap->diagnostics, MP_DIAG_SCOPE_DEPTH, heap->path, 0,
                    "object %" PRIu64 " is scoped more than %d deep: it counts for the owners "
                    "above that",
                    birth->id, DEEPEST_SCOPE);
        owner = model->lots.at[owner.i].owner;
    }
    mp_lot key = {.type = birth->type,
                  .node = birth->node,
                  .line = birth->line,
                  .name = birth->name,
                  .owner = owner,
                  .session = heap->session,
                  .reusable = is_reusable(heap, birth->type)};
    mp_lot_id lot = mp_model_lot(model, &key);
    mp_cohort_id cohort = mp_model_cohort(model, lot, heap->mark, owner_born);
    object->cohort = cohort.i & INT32_MAX;

    mp_cost *cost = mp_model_flow(model, cohort, heap->mark);
    cost->created++;
    cost->idle += birth->idle;
    cost->created_bytes += birth->bytes;
    cost->bytes += birth->bytes;
    count(heap, &key, 1, birth->bytes);
    if (!key.reusable)
        model->marks.at[heap->mark.i].created_objects++;
}

/* What `id` is scoped to; false if it is alive but itself still waiting for its owner, or unknown.
 */
static bool find_owner(mp_heap *heap, uint64_t id)
{
    if (id == heap->last_owner && id)
        return true;
    const mp_live_object *object = mp_live_find(&heap->live, id);
    if (!object || !object->cohort)
        return false;
    const mp_cohort *cohort = &heap->model->cohorts.at[object->cohort];
    heap->last_owner = id;
    heap->last_owner_lot = cohort->lot;
    heap->last_owner_born = cohort->born;
    return true;
}

bool mp_heap_birth(mp_heap *heap, const mp_birth *birth, uint64_t line)
{
    bool is_new;
    mp_live_object *object = mp_live_put(&heap->live, birth->id, &is_new);
    if (!is_new)
        return false;
    bool fits = reserve(heap, birth->bytes);
    if (!fits)
        mp_diagnose(heap->diagnostics, MP_DIAG_BAD_ROW, heap->path, line,
                    "object %" PRIu64 " of %" PRId64 " bytes: more than any memory holds, counted "
                    "as 0",
                    birth->id, birth->bytes);
    object->born_us = birth->time_us;
    object->bytes = fits ? birth->bytes : 0;
    object->idle = birth->idle;
    mp_birth kept = *birth;
    kept.bytes = object->bytes;
    if (!birth->owner) {
        enter(heap, object, &kept, (mp_lot_id){0}, (mp_mark_id){0});
    } else if (find_owner(heap, birth->owner)) {
        enter(heap, object, &kept, heap->last_owner_lot, heap->last_owner_born);
    } else {
        mp_grow(&heap->pending, &heap->pending_capacity, heap->pending_count + 1,
                sizeof *heap->pending);
        heap->pending[heap->pending_count++] = (mp_pending){.birth = kept, .line = line};
    }
    return true;
}

/* --- births whose owner comes later --- */

enum { WAITING, ON_THE_WAY, SETTLED };

static void settle_one(mp_heap *heap, mp_pending *pending)
{
    mp_live_object *object = mp_live_find(&heap->live, pending->birth.id);
    if (find_owner(heap, pending->birth.owner)) {
        enter(heap, object, &pending->birth, heap->last_owner_lot, heap->last_owner_born);
    } else {
        mp_diagnose(heap->diagnostics, MP_DIAG_UNKNOWN_OWNER, heap->path, pending->line,
                    "object %" PRIu64 " is scoped to object %" PRIu64 ", which is not alive here",
                    pending->birth.id, pending->birth.owner);
        enter(heap, object, &pending->birth, (mp_lot_id){MP_LOT_UNKNOWN}, (mp_mark_id){0});
    }
    pending->state = SETTLED;
}

/* Follow the owners that wait themselves, then settle back down to the first. `way` has room for
 * all pending ones. */
static void settle_chain(mp_heap *heap, const mp_id_index *by_id, uint32_t first, uint32_t *way)
{
    size_t length = 0;
    uint32_t at = first;
    while (at && heap->pending[at - 1].state == WAITING) {
        heap->pending[at - 1].state = ON_THE_WAY;
        way[length++] = at;
        at = mp_id_index_get(by_id, heap->pending[at - 1].birth.owner);
    }
    if (at && heap->pending[at - 1].state == ON_THE_WAY)
        mp_diagnose(heap->diagnostics, MP_DIAG_SCOPE_CYCLE, heap->path, heap->pending[at - 1].line,
                    "object %" PRIu64 " is scoped to itself through its owners",
                    heap->pending[at - 1].birth.id);
    while (length)
        settle_one(heap, &heap->pending[way[--length] - 1]);
}

void mp_heap_settle(mp_heap *heap)
{
    if (!heap->pending_count)
        return;
    mp_id_index by_id = {0};
    uint32_t *way = mp_alloc(heap->pending_count * sizeof *way);
    for (size_t i = 0; i < heap->pending_count; i++)
        *mp_id_index_put(&by_id, heap->pending[i].birth.id) = (uint32_t)i + 1;
    for (size_t i = 0; i < heap->pending_count; i++)
        settle_chain(heap, &by_id, (uint32_t)i + 1, way);
    heap->pending_count = 0;
    mp_id_index_free(&by_id);
    free(way);
}

/* --- changes and deaths --- */

/* The cohort of the same birth with another type. */
static void retype(mp_heap *heap, mp_live_object *object, mp_type_id type)
{
    mp_model *model = heap->model;
    mp_cohort from = model->cohorts.at[object->cohort];
    mp_lot key = model->lots.at[from.lot.i];
    mp_cost *cost = mp_model_flow(model, (mp_cohort_id){object->cohort}, heap->mark);
    cost->moved--;
    cost->idle -= object->idle;
    cost->bytes -= object->bytes;
    count(heap, &key, -1, -object->bytes);

    key.type = type;
    key.reusable = is_reusable(heap, type);
    mp_lot_id lot = mp_model_lot(model, &key);
    mp_cohort_id cohort = mp_model_cohort(model, lot, from.born, from.owner_born);
    cost = mp_model_flow(model, cohort, heap->mark);
    cost->moved++;
    cost->idle += object->idle;
    cost->bytes += object->bytes;
    count(heap, &key, 1, object->bytes);
    object->cohort = cohort.i & INT32_MAX;
    if (heap->last_owner == object->id)
        heap->last_owner = 0;
}

bool mp_heap_change(mp_heap *heap, uint64_t id, mp_type_id type, int64_t bytes, bool idle)
{
    mp_live_object *object = mp_live_find(&heap->live, id);
    if (!object)
        return false;
    if (!object->cohort)
        mp_heap_settle(heap);
    mp_model *model = heap->model;
    const mp_lot *lot = &model->lots.at[model->cohorts.at[object->cohort].lot.i];
    if (type.i && lot->type.i != type.i) {
        retype(heap, object, type);
        lot = &model->lots.at[model->cohorts.at[object->cohort].lot.i];
    }
    int64_t delta = bytes - object->bytes;
    if (!reserve(heap, delta))
        delta = 0;
    mp_cost *cost = mp_model_flow(model, (mp_cohort_id){object->cohort}, heap->mark);
    cost->idle += (int64_t)idle - object->idle;
    cost->bytes += delta;
    count(heap, lot, 0, delta);
    object->bytes += delta;
    object->idle = idle;
    if (!lot->reusable)
        model->marks.at[heap->mark.i].changed_objects++;
    return true;
}

bool mp_heap_death(mp_heap *heap, uint64_t id)
{
    mp_heap_settle(heap);
    mp_live_object object;
    if (!mp_live_take(&heap->live, id, &object))
        return false;
    if (heap->last_owner == id)
        heap->last_owner = 0;
    mp_model *model = heap->model;
    const mp_lot *lot = &model->lots.at[model->cohorts.at[object.cohort].lot.i];
    mp_cost *cost = mp_model_flow(model, (mp_cohort_id){object.cohort}, heap->mark);
    cost->deleted++;
    cost->idle -= object.idle;
    cost->bytes -= object.bytes;
    count(heap, lot, -1, -object.bytes);
    if (!lot->reusable)
        model->marks.at[heap->mark.i].deleted_objects++;
    return true;
}
