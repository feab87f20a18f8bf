/* Accumulations: holders that hold more in each dump than in the one before. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/share.h"
#include "query/accumulation.h"
#include "query/holdings.h"

/* Follow a holding from the last dump back to the first dump in which its size is known. Return
 * false if it did not grow from each dump to the next. */
static bool follow(const mp_model *model, uint32_t dump_count, mp_holding now,
                   mp_accumulation *result, int64_t *counts)
{
    uint32_t i = dump_count - 1;
    result->least_step = INT64_MAX;
    for (counts[i] = now.objects; i && now.before != MP_HELD_UNKNOWN; counts[--i] = now.objects) {
        const mp_holding *before = now.before ? &model->holdings.items[now.before] : NULL;
        uint32_t grew = mp_holding_step(before, &now);
        if (!grew || (!before && i > 1))
            return false;
        result->least_step = grew < result->least_step ? grew : result->least_step;
        result->most_step = grew > result->most_step ? grew : result->most_step;
        now = before ? *before : (mp_holding){0};
    }
    result->first_dump = i;
    result->first_place = now.position;
    result->from_objects = now.objects;
    result->from_bytes = now.bytes;
    while (i)
        counts[--i] = 0;
    return result->first_dump + 1 < dump_count;
}

static int most_steady_first(const void *left, const void *right, void *model)
{
    const mp_accumulation *a = left, *b = right;
    int order = MP_COMPARE(b->steady_bytes, a->steady_bytes);
    order = order ? order : MP_COMPARE(b->objects, a->objects);
    order = order ? order : mp_type_compare(model, (mp_type_id){a->type}, (mp_type_id){b->type});
    order = order ? order : MP_COMPARE(a->place, b->place); /* outer holders first */
    return order ? order : MP_COMPARE(a->kind, b->kind);
}

/* Accumulations that were listed so far, with the places and holdings that are known to be inside
 * them. */
typedef struct listing {
    mp_id_index below; /* hashes of the places of listed objects */
    bool *places, *held;
} listing;

/* Return true if a listed accumulation already covers the holder: it is one of the held objects, or
 * it is inside a listed holder and therefore holds the same objects, like the array inside a list.
 * Results are cached. */
static bool is_inside(const mp_holdings *holdings, listing *listed, const mp_held *state)
{
    uint32_t index = state->position;
    bool place = false, same = false;
    for (; index && !place && !same; index = holdings->places.items[index].up) {
        const uint64_t hash = holdings->places.items[index].hash;
        place = listed->places[index] || mp_id_index_get(&listed->below, hash);
        same = listed->held[mp_id_index_get(&holdings->by_key, mp_hash_pair(hash, state->type))];
    }
    for (uint32_t i = state->position; (place || same) && i != index;
         i = holdings->places.items[i].up) {
        const uint64_t hash = holdings->places.items[i].hash;
        listed->places[i] |= place;
        listed->held[mp_id_index_get(&holdings->by_key, mp_hash_pair(hash, state->type))] |= same;
    }
    listed->held[0] = false; /* 0 is not a holding */
    return place || same;
}

/* Return true if a holder holds more objects of a type than at its first dump. */
static bool has_gained(const mp_model *model, mp_snapshot_id first, const mp_accumulation *found,
                       const mp_held *held)
{
    const uint64_t place = found->first_place;
    uint32_t was = place ? mp_holding_find(model, first, mp_hash_pair(place, held->type)) : 0;
    return held->type && (!was || held->objects > model->holdings.items[was].objects);
}

/* Set the types that an accumulation gained: its only type, or each type with more objects than at
 * the first dump. Mark them as listed. */
static void list_gained(const mp_graph_view *view, const mp_holdings *holdings,
                        const mp_held *state, const mp_snapshot_id *dumps, mp_accumulation *found,
                        listing *listed)
{
    int64_t most = -1;
    found->type = state->type;
    found->types = state->type ? 1 : 0;
    if (state->type) {
        listed->held[state - holdings->held] = true;
        *mp_id_index_put(&listed->below, state->below) = 1;
        return;
    }
    for (uint32_t i = holdings->places.items[state->position].held; i; i = holdings->held[i].next) {
        const mp_held *one = &holdings->held[i];
        if (!has_gained(view->model, dumps[found->first_dump], found, one))
            continue;
        listed->held[i] = true;
        *mp_id_index_put(&listed->below, one->below) = 1;
        found->types++;
        if (one->bytes > most ||
            (one->bytes == most &&
             mp_type_compare(view->model, (mp_type_id){one->type}, (mp_type_id){found->type}) < 0))
            found->type = one->type;
        most = one->bytes > most ? one->bytes : most;
    }
}

static const mp_held *held_of(const mp_holdings *holdings, const mp_accumulation *found)
{
    return &holdings->held[mp_id_index_get(&holdings->by_key, found->key)];
}

/* Keep the outermost holders. A holder that gains several types is listed once, with the sum of all
 * types, unless one type makes nine tenths of it. */
static void keep_outermost(mp_graph_view *view, const mp_holdings *holdings,
                           const mp_snapshot_id *dumps)
{
    listing listed = {.places = mp_alloc_zero((size_t)holdings->places.count + 1, sizeof(bool)),
                      .held = mp_alloc_zero(holdings->held_count + 1, sizeof(bool))};
    int64_t *most = mp_alloc_zero((size_t)holdings->places.count + 1, sizeof *most);
    size_t kept = 0;
    assert(holdings->held || !view->accumulation_count);
    for (size_t i = view->accumulation_count; i--;) {
        const mp_accumulation *found = &view->accumulations[i];
        if (found->type)
            most[held_of(holdings, found)->position] =
                found->steady_bytes; /* the largest accumulation comes last, so its value stays */
    }
    for (size_t i = 0; i < view->accumulation_count; i++) {
        mp_accumulation found = view->accumulations[i];
        const mp_held *state = held_of(holdings, &found);
        if ((!state->type &&
             most[state->position] >= found.steady_bytes - found.steady_bytes / 10) ||
            is_inside(holdings, &listed, state))
            continue;
        list_gained(view, holdings, state, dumps, &found, &listed);
        view->accumulations[kept++] = found;
    }
    view->accumulation_count = kept;
    free(most);
    mp_id_index_free(&listed.below);
    free(listed.places);
    free(listed.held);
}

/* Return the bytes that the holding would have gained if every step had been as small as the
 * smallest one. A holding of one type counts with all its bytes, a holding of all types only with
 * its gain. */
static int64_t steady_bytes_of(const mp_accumulation *found, uint32_t dump_count)
{
    int64_t of_objects = found->objects - (found->type ? 0 : found->from_objects);
    int64_t bytes = found->bytes - (found->type ? 0 : found->from_bytes);
    int64_t steady = found->least_step * (dump_count - 1 - found->first_dump);
    return bytes > 0 ? mp_share(bytes, steady < of_objects ? steady : of_objects, of_objects) : 0;
}

static int largest_first(const void *left, const void *right, void *model)
{
    const mp_accumulation *a = left, *b = right;
    const int order = MP_COMPARE(b->bytes, a->bytes);
    return order ? order : most_steady_first(a, b, model);
}

/* Add an accumulation whose growth is unknown, because several holdings of the previous dump may be
 * its predecessor. */
static void add_unknown(mp_graph_view *view, const mp_accumulation *found)
{
    mp_accumulation *unknown =
        MP_APPEND(view->unknown, view->unknown_count, view->unknown_capacity);
    *unknown = *found;
    unknown->types = 1;
    unknown->steady_bytes = 0;
}

static void find_accumulations(mp_graph_view *view, const mp_snapshot_id *dumps)
{
    const mp_model *model = view->model;
    mp_holdings holdings = mp_holdings_of(view->graph, &view->dominators);
    uint32_t dump_count = view->dump_count;
    uint32_t *before = mp_holdings_before(model, dumps[dump_count - 2], &holdings);
    size_t capacity = 0, counts_capacity = 0;
    for (size_t i = 1; i <= holdings.held_count; i++) {
        const mp_held *state = &holdings.held[i];
        size_t count = view->accumulation_count + view->unknown_count;
        mp_grow(&view->accumulations, &capacity, view->accumulation_count + 1,
                sizeof *view->accumulations);
        mp_grow(&view->accumulated, &counts_capacity, (count + 1) * dump_count,
                sizeof *view->accumulated);
        mp_holding now = mp_holding_of(&holdings, state, before[i]);
        mp_accumulation found = {
            .key = state->key,
            .place = state->position,
            .holder = state->position || state->kind == MP_ROOT_UNSPECIFIED ? state->holder : 0,
            .example = state->holder,
            .kind = state->kind,
            .holders = now.holders,
            .type = state->type,
            .objects = state->objects,
            .bytes = state->bytes,
            .counts = count * dump_count};
        if (!follow(model, dump_count, now, &found, view->accumulated + found.counts)) {
            if (state->type && before[i] == MP_HELD_UNKNOWN)
                add_unknown(view, &found);
            continue;
        }
        found.steady_bytes = steady_bytes_of(&found, dump_count);
        if (state->type || found.steady_bytes)
            view->accumulations[view->accumulation_count++] = found;
    }
    if (view->accumulation_count)
        qsort_r(view->accumulations, view->accumulation_count, sizeof *view->accumulations,
                most_steady_first, (void *)(uintptr_t)model);
    if (view->unknown_count)
        qsort_r(view->unknown, view->unknown_count, sizeof *view->unknown, largest_first,
                (void *)(uintptr_t)model);
    keep_outermost(view, &holdings, dumps);
    free(before);
    mp_holdings_free(&holdings);
}

const mp_accumulation *mp_graph_accumulations(mp_graph_view *view, size_t *count)
{
    if (!view->has_accumulations) {
        mp_snapshot_id *dumps = mp_dumps_to(view->model, view->graph->snapshot, &view->dump_count);
        if (view->dump_count > 1 && view->model->leave)
            find_accumulations(view, dumps);
        free(dumps);
        view->has_accumulations = true;
    }
    *count = view->accumulation_count;
    return view->accumulations;
}

uint32_t mp_owner_of(const mp_graph_view *view, uint32_t object)
{
    const mp_dominators *dominators = &view->dominators;
    uint32_t above = dominators->idom[object];
    while (above && mp_retains_most(dominators, object, above)) {
        object = above;
        above = dominators->idom[object];
    }
    return object;
}

static const char *held_more_text(mp_arena *arena, const mp_graph_view *view,
                                  const mp_accumulation *accumulation)
{
    char more[MP_UNIT_TEXT];
    const char *type = mp_type_text(arena, view->model, accumulation->type);
    const char *who = mp_root_kind_text(arena, view->model, accumulation->kind), *in = "";
    mp_format_count(more, accumulation->objects - accumulation->from_objects, false);
    if (accumulation->types > 1)
        type = mp_arena_format(arena, "objects of %u types, most %s,", accumulation->types, type);
    if (!accumulation->holder)
        return mp_arena_format(arena, "%s more %s held by %s roots", more, type, who);
    uint32_t owner = mp_owner_of(view, accumulation->holder);
    who = mp_type_text(arena, view->model, view->graph->types[accumulation->holder]);
    if (owner != accumulation->holder)
        in = mp_arena_format(arena, " in %s",
                             mp_type_text(arena, view->model, view->graph->types[owner]));
    return mp_arena_format(arena, "%s more %s held by %s%s", more, type, who, in);
}

bool mp_window_tells_holders(const mp_window *window)
{
    const mp_filter *filter = window->filter;
    mp_range range = window->ranges[1];
    return filter->graph && !filter->types && filter->graph->snapshot.i == range.to.i &&
           range.from.i == filter->sessions.snapshots[filter->sessions.first[1]];
}

mp_growing_holder *mp_growing_holders(mp_arena *arena, const mp_window *window, size_t most,
                                      size_t *count)
{
    *count = 0;
    if (!mp_window_tells_holders(window))
        return NULL;
    mp_graph_view view = mp_graph_view_of(window->filter);
    const mp_accumulation *found = mp_graph_accumulations(&view, count);
    *count = *count < most ? *count : most;
    mp_growing_holder *holders = mp_arena_alloc(arena, (*count + 1) * sizeof *holders);
    for (size_t i = 0; i < *count; i++)
        holders[i] = (mp_growing_holder){held_more_text(arena, &view, &found[i]),
                                         found[i].from_bytes, found[i].bytes};
    mp_graph_view_free(&view);
    return holders;
}

/* --- types that are kept together with an accumulation --- */

static int most_kept_first(const void *left, const void *right, void *model)
{
    const mp_kept_type *a = left, *b = right;
    int order = MP_COMPARE(b->bytes, a->bytes);
    return order ? order : mp_type_compare(model, (mp_type_id){a->type}, (mp_type_id){b->type});
}

/* Return true if the accumulation includes the type. An accumulation of several types includes
 * every type. */
static bool holds(const mp_accumulation *accumulation, uint32_t type)
{
    return accumulation->types > 1 || type == accumulation->type;
}

/* Return the objects that the holder or the roots of an accumulation hold, and set *count to their
 * number. Release with free(). */
static uint32_t *objects_held(const mp_graph_view *view, const mp_accumulation *accumulation,
                              const uint32_t *order_of, uint32_t *count)
{
    const mp_graph *graph = view->graph;
    const mp_dominators *dominators = &view->dominators;
    uint32_t holder = accumulation->holder, index = order_of[holder];
    uint32_t from = graph->first[holder], end = holder ? graph->first[holder + 1] : from;
    uint32_t *objects = mp_alloc(((size_t)graph->roots.count + (end - from)) * sizeof *objects);
    *count = 0;
    for (uint32_t k = from; k < end; k++) {
        uint32_t object = graph->targets[k], above = order_of[object];
        bool is_above = above <= index && index - above < dominators->span[above];
        if (holds(accumulation, graph->types[object]) && !is_above)
            objects[(*count)++] = object;
    }
    for (uint32_t i = 1; !holder && i < graph->roots.count; i++) {
        const mp_root *root = &graph->roots.items[i];
        if (mp_root_is_strong(root) && root->kind == accumulation->kind &&
            holds(accumulation, graph->types[root->object]))
            objects[(*count)++] = root->object;
    }
    return objects;
}

/* Count, by type, the objects that are reachable from the given objects, including these. */
static void count_reached(const mp_graph *graph, const uint32_t *objects, uint32_t count,
                          int64_t *of_type)
{
    bool *seen = mp_alloc_zero((size_t)graph->count + 1, sizeof *seen);
    uint32_t *queue = mp_alloc(((size_t)graph->count + 1) * sizeof *queue), queued = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (!seen[objects[k]])
            queue[queued++] = objects[k];
        seen[objects[k]] = true;
    }
    for (uint32_t i = 0; i < queued; i++) {
        uint32_t object = queue[i];
        of_type[graph->types[object]]++;
        for (uint32_t k = graph->first[object]; k < graph->first[object + 1]; k++)
            if (!seen[graph->targets[k]]) {
                seen[graph->targets[k]] = true;
                queue[queued++] = graph->targets[k];
            }
    }
    free(queue);
    free(seen);
}

/* Return, by type, the objects that become unreachable when the holder is removed. For an
 * accumulation held by roots, return those that become unreachable when the held objects are
 * removed. */
static mp_type_links kept_by(const mp_graph_view *view, uint32_t holder, const uint32_t *objects,
                             uint32_t count)
{
    bool *without = mp_alloc_zero((size_t)view->graph->count + 1, sizeof *without);
    without[holder] = true;
    for (uint32_t k = 0; !holder && k < count; k++)
        without[objects[k]] = true;
    without[0] = false; /* 0 is not an object */
    mp_type_links kept = mp_retained_of(view, without);
    free(without);
    return kept;
}

mp_kept_type *mp_kept_with(const mp_graph_view *view, const mp_accumulation *accumulation,
                           size_t *count)
{
    const mp_graph *graph = view->graph;
    const mp_dominators *dominators = &view->dominators;
    uint32_t types = view->model->types.count, held_count;
    int64_t *by_it = mp_alloc_zero(types, sizeof *by_it),
            *totals = mp_alloc_zero(types, sizeof *totals);
    uint32_t *order_of = mp_alloc_zero((size_t)graph->count + 1, sizeof *order_of);
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        order_of[dominators->order[i]] = i;
        totals[graph->types[dominators->order[i]]]++;
    }
    uint32_t *objects = objects_held(view, accumulation, order_of, &held_count);
    count_reached(graph, objects, held_count, by_it);
    mp_type_links links = kept_by(view, accumulation->holder, objects, held_count);
    mp_kept_type *kept = mp_alloc_zero(types, sizeof *kept);
    for (uint32_t k = 0; k < held_count; k++)
        totals[graph->types[objects[k]]] = 0; /* types of held objects are not listed again */
    int64_t grew = accumulation->objects - accumulation->from_objects;
    *count = 0;
    for (size_t i = 0; i < links.count; i++) {
        const mp_type_link *link = &links.items[i];
        int64_t objects_of = totals[link->type];
        if (objects_of == by_it[link->type] && objects_of && objects_of >= grew &&
            link->objects * 10 >= objects_of * 9)
            kept[(*count)++] = (mp_kept_type){link->type, link->objects, objects_of, link->bytes};
    }
    if (*count)
        qsort_r(kept, *count, sizeof *kept, most_kept_first, (void *)(uintptr_t)view->model);
    mp_type_links_free(&links);
    MP_FREE(objects, order_of, totals, by_it);
    return kept;
}
