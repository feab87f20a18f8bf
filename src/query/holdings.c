/* Holders at a dump with the amounts they hold, and the same at the previous dump.
 *
 * Ids of objects mean nothing in another dump, so a holder is recognised by its place: its type
 * and the types of all its dominators, from the roots down. For earlier dumps only the amounts
 * held at each place are kept. For the previous dump the places are kept too, because a holder
 * can move: once something else refers to it, fewer objects dominate it than before. */
#include "query/holdings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/build.h"

static uint32_t place_below(mp_holdings *all, uint32_t up, uint32_t type)
{
    uint32_t *number = mp_id_index_put(&all->by_type, (uint64_t)up << 32 | type);
    if (!*number) {
        const mp_holder_place above = all->places.at[up];
        *number = all->places.count;
        *MP_ADD(&all->places) = (mp_holder_place){.hash = mp_hash_pair(above.hash, type),
                                                  .up = up,
                                                  .type = type,
                                                  .depth = above.depth + 1};
    }
    return *number;
}

static mp_held *held_at(mp_holdings *all, uint32_t at, uint32_t kind, uint32_t type)
{
    uint64_t below = mp_hash_pair(at ? all->places.at[at].hash : 0, type);
    uint64_t key =
        at ? below : mp_hash_pair(below, (uint64_t)1 << 32 | kind); /* no type's number */
    uint32_t *number = mp_id_index_put(&all->by_key, key);
    if (!*number) {
        *number = (uint32_t)++all->held_count;
        mp_grow(&all->held, &all->held_capacity, all->held_count + 1, sizeof *all->held);
        all->held[*number] = (mp_held){.key = key,
                                       .below = below,
                                       .at = at,
                                       .type = type,
                                       .kind = kind,
                                       .next = at ? all->places.at[at].held : 0};
        if (at)
            all->places.at[at].held = *number;
    }
    return &all->held[*number];
}

static void count_held(mp_holdings *all, mp_held *of, uint32_t holder, uint32_t object)
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

/* Return true if an object is in a list but is not its head. */
static bool is_linked(const mp_holdings *all, uint32_t object)
{
    return all->place_of[all->dominators->idom[object]] == all->place_of[object];
}

/* In preorder what dominates an object comes before it, and has its place. */
static void find_places(mp_holdings *all)
{
    const mp_dominators *dominators = all->dominators;
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        uint32_t object = dominators->order[i], up = all->place_of[dominators->idom[object]];
        uint32_t type = all->graph->types[object];
        assert(!up || all->places.at);
        bool linked = up && all->places.at[up].type == type;
        uint32_t at = linked ? up : place_below(all, up, type);
        all->place_of[object] = at;
        all->order_of[object] = i;
        all->places.at[at].objects++;
    }
}

/* A list is held where its head is; one whose head nothing dominates, by its head. */
static void count_lists(mp_holdings *all)
{
    const mp_dominators *dominators = all->dominators;
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        uint32_t object = dominators->order[i], before = dominators->idom[object];
        if (!is_linked(all, object))
            continue;
        uint32_t up = all->places.at[all->place_of[object]].up;
        mp_held *of = held_at(all, up, MP_ROOT_UNSPECIFIED, all->graph->types[object]);
        if (!up && !is_linked(all, before))
            count_held(all, of, before, object);
        else
            of->objects++;
    }
}

/* Who refers to an object holds it, whether alone or with others; not who is dominated by it: those
 * are its own parts, that refer back. */
static void count_references(mp_holdings *all)
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
                (is_linked(all, object) && all->places.at[all->place_of[object]].up == at))
                continue;
            count_held(all, held_at(all, at, 0, graph->types[object]), holder, object);
        }
    }
}

/* Sum up what each place holds, over all types. */
static void count_all_types(mp_holdings *all)
{
    for (uint32_t at = 1; at < all->places.count; at++) {
        mp_held sum = {0};
        for (uint32_t i = all->places.at[at].held; i; i = all->held[i].next) {
            const mp_held *of = &all->held[i];
            sum.objects += of->objects;
            sum.bytes += of->bytes;
            if (!sum.holder || of->most_bytes > sum.most_bytes) {
                sum.holder = of->holder;
                sum.most_bytes = of->most_bytes;
            }
        }
        if (!sum.objects)
            continue;
        mp_held *whole = held_at(all, at, 0, 0);
        whole->objects = sum.objects;
        whole->bytes = sum.bytes;
        whole->holder = sum.holder;
        whole->most_bytes = sum.most_bytes;
    }
}

static void count_rooted(mp_holdings *all)
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

mp_holdings mp_holdings_of(const mp_graph *graph, const mp_dominators *dominators)
{
    size_t count = (size_t)graph->count + 1;
    mp_holdings all = {.graph = graph,
                       .dominators = dominators,
                       .place_of = mp_alloc_zero(count, sizeof *all.place_of),
                       .order_of = mp_alloc_zero(count, sizeof *all.order_of),
                       .seen = mp_alloc_zero(count, sizeof *all.seen)};
    (void)MP_ADD(&all.places);
    find_places(&all);
    count_lists(&all);
    count_references(&all);
    count_all_types(&all);
    count_rooted(&all);
    return all;
}

void mp_holdings_free(mp_holdings *all)
{
    mp_id_index_free(&all->by_type);
    mp_id_index_free(&all->by_key);
    free(all->places.at);
    free(all->place_of);
    free(all->order_of);
    free(all->seen);
    free(all->held);
}

/* --- the dump before --- */

/* Maximum number of possible former holders that are examined; if there are more, none is.
 * Deeper ones are not examined either. */
enum { MOST_CANDIDATES = 64, MOST_DEPTH = 256 };

/* Holdings kept for one dump: `count` of them, from `first` on, sorted by key. */
typedef struct dump_range {
    uint32_t first, count;
} dump_range;

static dump_range range_of(const mp_model *model, mp_snapshot_id dump)
{
    uint32_t low[2];
    for (uint32_t end = 0; end < 2; end++) {
        uint32_t from = 1, to = model->holdings.count;
        while (from < to) {
            uint32_t middle = from + (to - from) / 2;
            if (model->holdings.at[middle].snapshot.i < dump.i + end)
                from = middle + 1;
            else
                to = middle;
        }
        low[end] = from;
    }
    return (dump_range){low[0], low[1] - low[0]};
}

static int by_key(const void *left, const void *right)
{
    const mp_holding *a = left, *b = right;
    return a->key < b->key ? -1 : a->key > b->key;
}

static uint32_t find_in(const mp_model *model, dump_range range, uint64_t key)
{
    const mp_holding wanted = {.key = key};
    const mp_holding *found = range.count ? bsearch(&wanted, model->holdings.at + range.first,
                                                    range.count, sizeof wanted, by_key)
                                          : NULL;
    return found ? (uint32_t)(found - model->holdings.at) : 0;
}

uint32_t mp_holding_find(const mp_model *model, mp_snapshot_id dump, uint64_t key)
{
    return find_in(model, range_of(model, dump), key);
}

/* How many types in a row, from the holder up, two places share, where the longer way is the
 * shorter one with a part of it left out, as it is once the holder is dominated by less; 0: it is
 * not. */
static uint32_t shared_tail(const mp_holder_places *left, uint32_t at,
                            const mp_holder_places *right, uint32_t other)
{
    uint32_t depth = left->at[at].depth, other_depth = right->at[other].depth, tail = 0;
    if (depth > MOST_DEPTH || other_depth > MOST_DEPTH)
        return 0;
    while (at && other && left->at[at].type == right->at[other].type) {
        at = left->at[at].up;
        other = right->at[other].up;
        tail++;
    }
    for (; depth > other_depth; depth--)
        at = left->at[at].up;
    for (; other_depth > depth; other_depth--)
        other = right->at[other].up;
    return (at ? left->at[at].hash : 0) == (other ? right->at[other].hash : 0) ? tail : 0;
}

/* A holding of the previous dump that no longer exists, by the types of holder and held. */
typedef struct vanished {
    uint64_t tail;
    uint32_t number; /* in the model */
} vanished;

static int by_tail(const void *left, const void *right)
{
    const vanished *a = left, *b = right;
    if (a->tail != b->tail)
        return a->tail < b->tail ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static vanished *vanished_of(const mp_model *model, dump_range range, const bool *taken,
                             size_t *count)
{
    vanished *gone = mp_alloc(((size_t)range.count + 1) * sizeof *gone);
    *count = 0;
    for (uint32_t i = 0; i < range.count; i++) {
        const mp_holding *of = &model->holdings.at[range.first + i];
        if (!taken[i] && of->place)
            gone[(*count)++] = (vanished){mp_hash_pair(model->places.at[of->place].type, of->type),
                                          range.first + i};
    }
    if (*count)
        qsort(gone, *count, sizeof *gone, by_tail);
    return gone;
}

static uint64_t tail_of(const mp_holdings *all, const mp_held *of)
{
    return mp_hash_pair(all->places.at[of->at].type, of->type);
}

/* Return the former place of a holding: among those with the longest common way, the one with
 * most objects, then most bytes; or the only one that disappeared, if this is the only new one. */
static uint32_t find_moved(const mp_model *model, const vanished *gone, size_t count,
                           const mp_holdings *all, const mp_held *of, bool alone)
{
    uint64_t tail = tail_of(all, of);
    uint32_t best = 0, best_tail = 0;
    bool tied = false;
    size_t from = 0, to = count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (gone[middle].tail < tail)
            from = middle + 1;
        else
            to = middle;
    }
    for (to = from; to < count && gone[to].tail == tail; to++)
        if (to - from == MOST_CANDIDATES)
            return MP_HELD_UNKNOWN;
    if (from == to)
        return 0;
    alone &= to - from == 1;
    for (; from < to; from++) {
        const mp_holding *before = &model->holdings.at[gone[from].number];
        const mp_holding *than = &model->holdings.at[best];
        if (before->holders != all->places.at[of->at].objects)
            continue;
        uint32_t shared = shared_tail(&model->places, before->place, &all->places, of->at);
        if ((!shared && !alone) || shared < best_tail)
            continue;
        if (shared > best_tail || before->objects > than->objects ||
            (before->objects == than->objects && before->bytes > than->bytes)) {
            best = gone[from].number;
            best_tail = shared;
            tied = false;
        } else if (before->objects == than->objects && before->bytes == than->bytes) {
            tied = true;
        }
    }
    return best && !tied ? best : MP_HELD_UNKNOWN;
}

uint32_t *mp_holdings_before(const mp_model *model, mp_snapshot_id dump, const mp_holdings *all)
{
    dump_range range = range_of(model, dump);
    uint32_t *before = mp_alloc_zero(all->held_count + 1, sizeof *before);
    bool *taken = mp_alloc_zero((size_t)range.count + 1, sizeof *taken);
    size_t count;
    for (size_t i = 1; i <= all->held_count; i++)
        if ((before[i] = find_in(model, range, all->held[i].key)))
            taken[before[i] - range.first] = true;
    vanished *gone = vanished_of(model, range, taken, &count);
    mp_id_index fresh = {0}; /* how many are new, by their tails */
    for (size_t i = 1; count && i <= all->held_count; i++)
        if (!before[i] && all->held[i].at)
            ++*mp_id_index_put(&fresh, tail_of(all, &all->held[i]));
    for (size_t i = 1; count && i <= all->held_count; i++)
        if (!before[i] && all->held[i].at)
            before[i] = find_moved(model, gone, count, all, &all->held[i],
                                   mp_id_index_get(&fresh, tail_of(all, &all->held[i])) == 1);
    mp_id_index_free(&fresh);
    free(gone);
    free(taken);
    return before;
}

mp_holding mp_holding_of(const mp_holdings *all, const mp_held *of, uint32_t before)
{
    return (mp_holding){.key = of->key,
                        .at = of->at ? all->places.at[of->at].hash : 0,
                        .bytes = of->bytes,
                        .before = before,
                        .place = of->at,
                        .type = of->type,
                        .snapshot = all->graph->snapshot,
                        .objects = of->objects,
                        .holders = of->at ? all->places.at[of->at].objects : 1};
}

/* By how much more it grew than those that hold it: what each of many holds as it did before is
 * theirs. */
uint32_t mp_holding_step(const mp_holding *before, const mp_holding *now)
{
    assert(!before || before->holders); /* nothing is held by none */
    uint64_t expected = before ? before->objects : 0;
    if (before && now->holders > before->holders)
        expected = (expected * now->holders + before->holders - 1) / before->holders;
    return now->objects > expected ? (uint32_t)(now->objects - expected) : 0;
}

mp_snapshot_id *mp_dumps_to(const mp_model *model, mp_snapshot_id last, uint32_t *count)
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

/* Discard holdings that did not grow, from the second dump on: they cannot grow in every dump
 * any more. */
void mp_leave_holdings(mp_model *model)
{
    uint32_t dump_count;
    mp_snapshot_id *dumps = mp_dumps_to(model, model->graph->snapshot, &dump_count);
    mp_dominators dominators = mp_dominators_of(model->graph);
    mp_holdings all = mp_holdings_of(model->graph, &dominators);
    uint32_t *before =
        dump_count > 1 ? mp_holdings_before(model, dumps[dump_count - 2], &all) : NULL;
    uint32_t first = model->holdings.count;
    for (size_t i = 1; i <= all.held_count; i++) {
        uint32_t number = before ? before[i] : 0;
        mp_holding now = mp_holding_of(&all, &all.held[i], number);
        if (dump_count == 1 || number == MP_HELD_UNKNOWN ||
            ((number || dump_count == 2) &&
             mp_holding_step(number ? &model->holdings.at[number] : NULL, &now)))
            *MP_ADD(&model->holdings) = now;
    }
    if (model->holdings.count > first)
        qsort(model->holdings.at + first, model->holdings.count - first, sizeof *model->holdings.at,
              by_key);
    free(model->places.at);
    model->places = all.places;
    all.places = (mp_holder_places){0};
    free(before);
    mp_holdings_free(&all);
    mp_dominators_free(&dominators);
    free(dumps);
}
