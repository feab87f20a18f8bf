/* What accumulates from dump to dump, and where.
 *
 * Ids of objects mean nothing in another dump, so what holds something is known by its place: the
 * types of all that dominates it, from the roots down. Of the dumps but the last there stay the
 * numbers of what each place holds, by a hash of the place and the type. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/memory.h"
#include "base/share.h"
#include "model/build.h"
#include "query/graph_query.h"

/* Objects below the same types: a node of the dominator tree summed by type. Of a list, whose nodes
 * are of one type, all are in the node of its head. */
typedef struct place {
    uint64_t hash; /* of its type and those above */
    uint32_t up;   /* the place above, 0: none */
    uint32_t type, objects;
} place;

/* Objects of a type that objects at one place hold, or roots of one kind. */
typedef struct held {
    uint64_t key, below; /* of where it is held and what it is; of the place that it would be */
    uint32_t at;         /* the place that holds it, 0: roots do */
    uint32_t type, kind, objects;
    int64_t bytes; /* what they retain */
    /* The object that holds most of it; while that is looked for, the one that is looked at. */
    uint32_t holder, looked_at;
    int64_t most_bytes, looked_bytes;
} held;

typedef struct survey {
    const mp_graph *graph;
    const mp_dominators *dominators;
    place *places;                        /* from 1, each behind that above it */
    uint32_t *place_of, *order_of, *seen; /* by object */
    held *held;                           /* from 1 */
    size_t place_count, place_capacity, held_count, held_capacity;
    mp_id_index by_type; /* places, by the one above and the type */
    mp_id_index by_key;  /* what is held */
} survey;

static uint64_t hash_below(uint64_t above, uint64_t number)
{
    return mp_hash_pair(above, number);
}

static uint32_t place_below(survey *all, uint32_t up, uint32_t type)
{
    uint32_t *number = mp_id_index_put(&all->by_type, (uint64_t)up << 32 | type);
    if (!*number) {
        *number = (uint32_t)++all->place_count;
        mp_grow(&all->places, &all->place_capacity, all->place_count + 1, sizeof *all->places);
        all->places[*number] = (place){
            .hash = hash_below(up ? all->places[up].hash : 0, type), .up = up, .type = type};
    }
    return *number;
}

static held *held_at(survey *all, uint32_t at, uint32_t kind, uint32_t type)
{
    uint64_t below = hash_below(at ? all->places[at].hash : 0, type);
    uint64_t key = at ? below : hash_below(below, (uint64_t)1 << 32 | kind); /* no type's number */
    uint32_t *number = mp_id_index_put(&all->by_key, key);
    if (!*number) {
        *number = (uint32_t)++all->held_count;
        mp_grow(&all->held, &all->held_capacity, all->held_count + 1, sizeof *all->held);
        all->held[*number] =
            (held){.key = key, .below = below, .at = at, .type = type, .kind = kind};
    }
    return &all->held[*number];
}

static void count_held(survey *all, held *of, uint32_t holder, uint32_t object)
{
    int64_t bytes = (int64_t)all->dominators->retained[object];
    of->objects++;
    of->bytes += bytes;
    of->looked_bytes = of->looked_at == holder ? of->looked_bytes + bytes : bytes;
    of->looked_at = holder;
    if (!of->holder || of->looked_bytes > of->most_bytes) {
        of->holder = holder;
        of->most_bytes = of->looked_bytes;
    }
}

/* Whether an object is in a list behind its head. */
static bool is_linked(const survey *all, uint32_t object)
{
    return all->place_of[all->dominators->idom[object]] == all->place_of[object];
}

/* In preorder what dominates an object comes before it, and has its place. */
static void find_places(survey *all)
{
    const mp_dominators *dominators = all->dominators;
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        uint32_t object = dominators->order[i], up = all->place_of[dominators->idom[object]];
        uint32_t type = all->graph->types[object];
        assert(!up || all->places);
        bool linked = up && all->places[up].type == type;
        uint32_t at = linked ? up : place_below(all, up, type);
        all->place_of[object] = at;
        all->order_of[object] = i;
        all->places[at].objects++;
    }
}

/* A list is held where its head is; one whose head nothing dominates, by its head. */
static void count_lists(survey *all)
{
    const mp_dominators *dominators = all->dominators;
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        uint32_t object = dominators->order[i], before = dominators->idom[object];
        if (!is_linked(all, object))
            continue;
        uint32_t up = all->places[all->place_of[object]].up;
        held *of = held_at(all, up, MP_ROOT_UNSPECIFIED, all->graph->types[object]);
        if (!up && !is_linked(all, before))
            count_held(all, of, before, object);
        else
            of->objects++;
    }
}

/* Who refers to an object holds it, whether alone or with others; not who is dominated by it: those
 * are its own parts, that refer back. */
static void count_references(survey *all)
{
    const mp_graph *graph = all->graph;
    const mp_dominators *dominators = all->dominators;
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        uint32_t holder = dominators->order[i], at = all->place_of[holder];
        for (uint32_t k = graph->first[holder]; k < graph->first[holder + 1]; k++) {
            uint32_t object = graph->targets[k], above = all->order_of[object];
            bool again = all->seen[object] == holder;
            all->seen[object] = holder;
            if (again || all->place_of[object] == at ||
                (above <= i && i - above < dominators->span[above]) ||
                (is_linked(all, object) && all->places[all->place_of[object]].up == at))
                continue;
            count_held(all, held_at(all, at, 0, graph->types[object]), holder, object);
        }
    }
}

static void count_rooted(survey *all)
{
    const mp_graph *graph = all->graph;
    mp_id_index rooted = {0};
    for (uint32_t i = 1; i < graph->roots.count; i++) {
        const mp_root *root = &graph->roots.at[i];
        if (!mp_root_is_strong(root))
            continue;
        uint32_t *seen = mp_id_index_put(&rooted, (uint64_t)root->kind << 32 | root->object);
        if (!*seen)
            count_held(all, held_at(all, 0, root->kind, graph->types[root->object]), root->object,
                       root->object);
        *seen = 1;
    }
    mp_id_index_free(&rooted);
}

static survey survey_of(const mp_graph *graph, const mp_dominators *dominators)
{
    size_t count = (size_t)graph->count + 1;
    survey all = {.graph = graph,
                  .dominators = dominators,
                  .place_of = mp_alloc_zero(count, sizeof *all.place_of),
                  .order_of = mp_alloc_zero(count, sizeof *all.order_of),
                  .seen = mp_alloc_zero(count, sizeof *all.seen)};
    find_places(&all);
    count_lists(&all);
    count_references(&all);
    count_rooted(&all);
    return all;
}

static void survey_free(survey *all)
{
    mp_id_index_free(&all->by_type);
    mp_id_index_free(&all->by_key);
    free(all->places);
    free(all->place_of);
    free(all->order_of);
    free(all->seen);
    free(all->held);
}

/* --- from dump to dump --- */

static mp_holding holding_of(const survey *all, const held *of)
{
    return (mp_holding){.key = of->key,
                        .snapshot = all->graph->snapshot,
                        .objects = of->objects,
                        .holders = of->at ? all->places[of->at].objects : 1};
}

static int by_key(const void *left, const void *right)
{
    const mp_holding *a = left, *b = right;
    if (a->snapshot.i != b->snapshot.i)
        return a->snapshot.i < b->snapshot.i ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

static const mp_holding *find(const mp_model *model, uint64_t key, mp_snapshot_id snapshot)
{
    const mp_holding wanted = {.key = key, .snapshot = snapshot};
    return model->holdings.count > 1 ? bsearch(&wanted, model->holdings.at + 1,
                                               model->holdings.count - 1, sizeof wanted, by_key)
                                     : NULL;
}

/* By how much more it grew than those that hold it: what each of many holds as it did before is
 * theirs. */
static uint32_t step(const mp_holding *before, const mp_holding *now)
{
    assert(!before || before->holders); /* nothing is held by none */
    uint64_t expected = before ? before->objects : 0;
    if (before && now->holders > before->holders)
        expected = (expected * now->holders + before->holders - 1) / before->holders;
    return now->objects > expected ? (uint32_t)(now->objects - expected) : 0;
}

/* The dumps up to this one, which is the last of them; `count` of them. */
static mp_snapshot_id *dumps_to(const mp_model *model, mp_snapshot_id last, uint32_t *count)
{
    mp_snapshot_id *dumps = mp_alloc((size_t)model->snapshots.count * sizeof *dumps);
    *count = 0;
    for (uint32_t i = 1; i <= last.i; i++)
        if (i == last.i ||
            (model->snapshots.at[i].whole &&
             model->snapshots.at[i].session.i == model->snapshots.at[last.i].session.i))
            dumps[(*count)++] = (mp_snapshot_id){i};
    return dumps;
}

/* What did not grow is left out from the second dump on: it cannot grow at each any more. */
void mp_leave_holdings(mp_model *model)
{
    uint32_t dump_count;
    mp_snapshot_id *dumps = dumps_to(model, model->graph->snapshot, &dump_count);
    mp_dominators dominators = mp_dominators_of(model->graph);
    survey all = survey_of(model->graph, &dominators);
    uint32_t first = model->holdings.count;
    for (size_t i = 1; i <= all.held_count; i++) {
        mp_holding now = holding_of(&all, &all.held[i]);
        const mp_holding *before =
            dump_count > 1 ? find(model, now.key, dumps[dump_count - 2]) : NULL;
        if (dump_count == 1 || ((before || dump_count == 2) && step(before, &now)))
            *MP_ADD(&model->holdings) = now;
    }
    if (model->holdings.count > first)
        qsort(model->holdings.at + first, model->holdings.count - first, sizeof *model->holdings.at,
              by_key);
    survey_free(&all);
    mp_dominators_free(&dominators);
    free(dumps);
}

/* The objects of each dump and by how much they grew; false: not at each. */
static bool follow(const mp_model *model, const mp_snapshot_id *dumps, uint32_t dump_count,
                   mp_holding now, mp_accumulation *result, int64_t *counts)
{
    result->least_step = INT64_MAX;
    for (uint32_t i = dump_count - 1;; i--) {
        counts[i] = now.objects;
        if (!i)
            return true;
        const mp_holding *before = find(model, now.key, dumps[i - 1]);
        uint32_t grew = step(before, &now);
        if (!grew || (!before && i > 1))
            return false;
        result->least_step = grew < result->least_step ? grew : result->least_step;
        result->most_step = grew > result->most_step ? grew : result->most_step;
        now = before ? *before : (mp_holding){.key = now.key};
    }
}

static int most_steady_first(const void *left, const void *right, void *model)
{
    const mp_accumulation *a = left, *b = right;
    if (a->steady_bytes != b->steady_bytes)
        return a->steady_bytes > b->steady_bytes ? -1 : 1;
    if (a->objects != b->objects)
        return a->objects > b->objects ? -1 : 1;
    int order = mp_type_compare(model, (mp_type_id){a->type}, (mp_type_id){b->type});
    if (order || a->place == b->place)
        return order ? order : a->kind < b->kind ? -1 : a->kind > b->kind;
    return a->place < b->place ? -1 : 1; /* the outer one first */
}

/* Whether what holds it is held itself by one of those that are listed; or is in the holder of one,
 * which then holds the same: as a list does and its array. */
static bool is_inside(const survey *all, const mp_id_index *listed, const held *of)
{
    for (uint32_t at = of->at; at; at = all->places[at].up)
        if (mp_id_index_get(listed, all->places[at].hash) ||
            mp_id_index_get(listed, hash_below(all->places[at].hash, of->type)))
            return true;
    return false;
}

static void keep_outermost(mp_graph_view *view, const survey *all)
{
    mp_id_index listed = {0};
    size_t kept = 0;
    assert(all->held || !view->accumulation_count);
    for (size_t i = 0; i < view->accumulation_count; i++) {
        const held *of = &all->held[mp_id_index_get(&all->by_key, view->accumulations[i].key)];
        if (is_inside(all, &listed, of))
            continue;
        *mp_id_index_put(&listed, of->below) = 1;
        view->accumulations[kept++] = view->accumulations[i];
    }
    view->accumulation_count = kept;
    mp_id_index_free(&listed);
}

static void find_accumulations(mp_graph_view *view, const mp_snapshot_id *dumps)
{
    const mp_model *model = view->model;
    survey all = survey_of(view->graph, &view->dominators);
    uint32_t dump_count = view->dump_count;
    size_t capacity = 0, counts_capacity = 0;
    for (size_t i = 1; i <= all.held_count; i++) {
        const held *of = &all.held[i];
        size_t count = view->accumulation_count;
        mp_grow(&view->accumulations, &capacity, count + 1, sizeof *view->accumulations);
        mp_grow(&view->accumulated, &counts_capacity, (count + 1) * dump_count,
                sizeof *view->accumulated);
        mp_holding now = holding_of(&all, of);
        mp_accumulation found = {.key = of->key,
                                 .place = of->at,
                                 .holder =
                                     of->at || of->kind == MP_ROOT_UNSPECIFIED ? of->holder : 0,
                                 .example = of->holder,
                                 .kind = of->kind,
                                 .holders = now.holders,
                                 .type = of->type,
                                 .objects = of->objects,
                                 .bytes = of->bytes,
                                 .counts = count * dump_count};
        if (!follow(model, dumps, dump_count, now, &found, view->accumulated + found.counts))
            continue;
        int64_t steady = found.least_step * (dump_count - 1);
        found.steady_bytes =
            mp_share(found.bytes, steady < found.objects ? steady : found.objects, found.objects);
        view->accumulations[view->accumulation_count++] = found;
    }
    if (view->accumulation_count)
        qsort_r(view->accumulations, view->accumulation_count, sizeof *view->accumulations,
                most_steady_first, (void *)(uintptr_t)model);
    keep_outermost(view, &all);
    survey_free(&all);
}

const mp_accumulation *mp_graph_accumulations(mp_graph_view *view, size_t *count)
{
    if (!view->has_accumulations) {
        mp_snapshot_id *dumps = dumps_to(view->model, view->graph->snapshot, &view->dump_count);
        if (view->dump_count > 1 && view->model->leave)
            find_accumulations(view, dumps);
        free(dumps);
        view->has_accumulations = true;
    }
    *count = view->accumulation_count;
    return view->accumulations;
}
