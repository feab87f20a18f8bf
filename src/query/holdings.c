/* Holdings: the amounts that holders hold in a dump, and the matching amounts in the previous dump.
 *
 * Object ids have no meaning in another dump, so a holder is recognised by its place: its type, the
 * types of all its dominators from the roots down, and the name of the static field at the root.
 * For earlier dumps, only the amounts held at each place are kept. For the previous dump, the
 * places are kept too, because a holder can move: when another object begins to refer to it, it
 * loses dominators. */
#include "query/holdings.h"

#include <stdlib.h>

#include "base/sort.h"
#include "model/build.h"

/* Return a number for the static field that a root of the object names, taking the first such root;
 * 0: none. */
static uint64_t field_of(const mp_holdings *holdings, uint32_t object)
{
    const uint32_t number = mp_id_index_get(&holdings->fields, object);
    const mp_root *root = &holdings->graph->roots.items[number];
    return number ? mp_hash_pair(root->container.i, root->name.i) : 0;
}

static void find_fields(mp_holdings *holdings)
{
    const mp_graph *graph = holdings->graph;
    for (uint32_t i = graph->roots.count; i-- > 1;) {
        const mp_root *root = &graph->roots.items[i];
        if (root->kind == MP_ROOT_STATIC && root->name.i && root->object && mp_root_is_strong(root))
            *mp_id_index_put(&holdings->fields, root->object) = i;
    }
}

static uint32_t place_below(mp_holdings *holdings, uint32_t up, uint64_t field, uint32_t type)
{
    const uint64_t top = (uint64_t)1 << 63; /* no number of a place has this bit */
    uint32_t *number = mp_id_index_put(&holdings->by_type, field ? mp_hash_pair(field, type) | top
                                                                 : (uint64_t)up << 32 | type);
    if (!*number) {
        const mp_holder_place above = holdings->places.items[up];
        *number = holdings->places.count;
        *MP_ADD(&holdings->places) =
            (mp_holder_place){.hash = mp_hash_pair(field ? field : above.hash, type),
                              .up = up,
                              .type = type,
                              .depth = above.depth + 1};
    }
    return *number;
}

static mp_held *held_at(mp_holdings *holdings, uint32_t index, uint32_t kind, uint32_t type)
{
    uint64_t below = mp_hash_pair(index ? holdings->places.items[index].hash : 0, type);
    uint64_t key =
        index
            ? below
            : mp_hash_pair(below, (uint64_t)1 << 32 | kind); /* different from any type's number */
    uint32_t *number = mp_id_index_put(&holdings->by_key, key);
    if (!*number) {
        *number = (uint32_t)++holdings->held_count;
        mp_grow(&holdings->held, &holdings->held_capacity, holdings->held_count + 1,
                sizeof *holdings->held);
        holdings->held[*number] = (mp_held){.key = key,
                                            .below = below,
                                            .position = index,
                                            .type = type,
                                            .kind = kind,
                                            .next = index ? holdings->places.items[index].held : 0};
        if (index)
            holdings->places.items[index].held = *number;
    }
    return &holdings->held[*number];
}

static void count_held(mp_holdings *holdings, mp_held *held, uint32_t holder, uint32_t object)
{
    int64_t bytes = (int64_t)holdings->dominators->retained[object];
    held->objects++;
    held->bytes += bytes;
    held->looked_bytes = held->looked_at == holder ? held->looked_bytes + bytes : bytes;
    held->looked_at = holder;
    if (!held->holder || held->looked_bytes > held->most_bytes) {
        held->holder = holder;
        held->most_bytes = held->looked_bytes;
    }
}

/* Return true if an object is in a list but is not its head. */
static bool is_linked(const mp_holdings *holdings, uint32_t object)
{
    return holdings->place_of[holdings->dominators->idom[object]] == holdings->place_of[object];
}

/* Find the place of each object. In preorder, its dominator comes first and has a place. */
static void find_places(mp_holdings *holdings)
{
    const mp_dominators *dominators = holdings->dominators;
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        uint32_t object = dominators->order[i], up = holdings->place_of[dominators->idom[object]];
        uint32_t type = holdings->graph->types[object];
        assert(!up || holdings->places.items);
        bool linked = up && holdings->places.items[up].type == type;
        uint32_t index =
            linked ? up : place_below(holdings, up, up ? 0 : field_of(holdings, object), type);
        holdings->place_of[object] = index;
        holdings->order_of[object] = i;
        holdings->places.items[index].objects++;
    }
}

/* Count the nodes of linked lists. A list is held by the holder of its head; if nothing dominates
 * the head, the list is held by the head itself. */
static void count_lists(mp_holdings *holdings)
{
    const mp_dominators *dominators = holdings->dominators;
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        uint32_t object = dominators->order[i], before = dominators->idom[object];
        if (!is_linked(holdings, object))
            continue;
        uint32_t up = holdings->places.items[holdings->place_of[object]].up;
        mp_held *held = held_at(holdings, up, MP_ROOT_UNSPECIFIED, holdings->graph->types[object]);
        if (!up && !is_linked(holdings, before))
            count_held(holdings, held, before, object);
        else
            held->objects++;
    }
}

/* Count objects held by references. An object holds all objects to which it refers, even if others
 * refer to them too. It does not hold its own dominators: it is a part of them, and its references
 * to them lead back. */
static void count_references(mp_holdings *holdings)
{
    const mp_graph *graph = holdings->graph;
    const mp_dominators *dominators = holdings->dominators;
    for (uint32_t i = 1; i <= dominators->reached; i++) {
        uint32_t holder = dominators->order[i], index = holdings->place_of[holder];
        for (uint32_t k = graph->first[holder]; k < graph->first[holder + 1]; k++) {
            uint32_t object = graph->targets[k], above = holdings->order_of[object];
            bool again = holdings->seen[object] == holder;
            holdings->seen[object] = holder;
            if (again || holdings->place_of[object] == index ||
                (above <= i && i - above < dominators->span[above]) ||
                (is_linked(holdings, object) &&
                 holdings->places.items[holdings->place_of[object]].up == index))
                continue;
            count_held(holdings, held_at(holdings, index, 0, graph->types[object]), holder, object);
        }
    }
}

/* Add up what each place holds over all types. */
static void count_all_types(mp_holdings *holdings)
{
    for (uint32_t index = 1; index < holdings->places.count; index++) {
        mp_held sum = {0};
        for (uint32_t i = holdings->places.items[index].held; i; i = holdings->held[i].next) {
            const mp_held *state = &holdings->held[i];
            sum.objects += state->objects;
            sum.bytes += state->bytes;
            if (!sum.holder || state->most_bytes > sum.most_bytes) {
                sum.holder = state->holder;
                sum.most_bytes = state->most_bytes;
            }
        }
        if (!sum.objects)
            continue;
        mp_held *whole = held_at(holdings, index, 0, 0);
        whole->objects = sum.objects;
        whole->bytes = sum.bytes;
        whole->holder = sum.holder;
        whole->most_bytes = sum.most_bytes;
    }
}

static void count_rooted(mp_holdings *holdings)
{
    const mp_graph *graph = holdings->graph;
    mp_id_index rooted = {0};
    for (uint32_t i = 1; i < graph->roots.count; i++) {
        const mp_root *root = &graph->roots.items[i];
        if (!mp_root_is_strong(root))
            continue;
        uint32_t *seen = mp_id_index_put(&rooted, (uint64_t)root->kind << 32 | root->object);
        if (!*seen)
            count_held(holdings, held_at(holdings, 0, root->kind, graph->types[root->object]),
                       root->object, root->object);
        *seen = 1;
    }
    mp_id_index_free(&rooted);
}

mp_holdings mp_holdings_of(const mp_graph *graph, const mp_dominators *dominators)
{
    size_t count = (size_t)graph->count + 1;
    mp_holdings holdings = {.graph = graph,
                            .dominators = dominators,
                            .place_of = mp_alloc_zero(count, sizeof *holdings.place_of),
                            .order_of = mp_alloc_zero(count, sizeof *holdings.order_of),
                            .seen = mp_alloc_zero(count, sizeof *holdings.seen)};
    (void)MP_ADD(&holdings.places);
    find_fields(&holdings);
    find_places(&holdings);
    count_lists(&holdings);
    count_references(&holdings);
    count_all_types(&holdings);
    count_rooted(&holdings);
    return holdings;
}

void mp_holdings_free(mp_holdings *holdings)
{
    mp_id_index_free(&holdings->fields);
    mp_id_index_free(&holdings->by_type);
    mp_id_index_free(&holdings->by_key);
    MP_FREE(holdings->places.items, holdings->place_of, holdings->order_of, holdings->seen,
            holdings->held);
}

/* --- the previous dump --- */

/* Maximum number of candidates for the former place of a holding; if there are more, its former
 * place is unknown. Maximum depth of the places that are compared. */
enum { MOST_CANDIDATES = 64, MOST_DEPTH = 256 };

/* Holdings kept for one dump: `count` of them, from `first` on, sorted by key. */
typedef struct dump_range {
    uint32_t first, count;
} dump_range;

static dump_range range_of(const mp_model *model, mp_snapshot_id dump)
{
    const mp_holding *holdings = model->holdings.items;
    uint32_t first = 1;
    MP_BISECT(first, model->holdings.count, holdings[middle].snapshot.i < dump.i);
    uint32_t end = first;
    MP_BISECT(end, model->holdings.count, holdings[middle].snapshot.i == dump.i);
    return (dump_range){first, end - first};
}

static int by_key(const void *left, const void *right)
{
    const mp_holding *a = left, *b = right;
    return MP_COMPARE(a->key, b->key);
}

static uint32_t find_in(const mp_model *model, dump_range range, uint64_t key)
{
    const mp_holding wanted = {.key = key};
    const mp_holding *found = range.count ? bsearch(&wanted, model->holdings.items + range.first,
                                                    range.count, sizeof wanted, by_key)
                                          : NULL;
    return found ? (uint32_t)(found - model->holdings.items) : 0;
}

uint32_t mp_holding_find(const mp_model *model, mp_snapshot_id dump, uint64_t key)
{
    return find_in(model, range_of(model, dump), key);
}

/* Return the number of types, from the holder upwards, that two places have in common. The longer
 * path must be the shorter one plus one part in between, as it is when a holder has lost some of
 * its dominators; otherwise return 0. */
static uint32_t shared_tail(const mp_holder_places *left, uint32_t index,
                            const mp_holder_places *right, uint32_t other)
{
    uint32_t depth = left->items[index].depth, other_depth = right->items[other].depth, tail = 0;
    if (depth > MOST_DEPTH || other_depth > MOST_DEPTH)
        return 0;
    while (index && other && left->items[index].type == right->items[other].type) {
        index = left->items[index].up;
        other = right->items[other].up;
        tail++;
    }
    for (; depth > other_depth; depth--)
        index = left->items[index].up;
    for (; other_depth > depth; other_depth--)
        other = right->items[other].up;
    return (index ? left->items[index].hash : 0) == (other ? right->items[other].hash : 0) ? tail
                                                                                           : 0;
}

/* A holding of the previous dump that no longer exists. `tail` is a hash of the types of the holder
 * and of the held objects. */
typedef struct vanished {
    uint64_t tail;
    uint32_t number; /* index in model->holdings */
} vanished;

static int by_tail(const void *left, const void *right)
{
    const vanished *a = left, *b = right;
    int order = MP_COMPARE(a->tail, b->tail);
    return order ? order : MP_COMPARE(a->number, b->number);
}

static vanished *vanished_of(const mp_model *model, dump_range range, const bool *taken,
                             size_t *count)
{
    vanished *gone = mp_alloc(((size_t)range.count + 1) * sizeof *gone);
    *count = 0;
    for (uint32_t i = 0; i < range.count; i++) {
        const mp_holding *holding = &model->holdings.items[range.first + i];
        if (!taken[i] && holding->place)
            gone[(*count)++] =
                (vanished){mp_hash_pair(model->places.items[holding->place].type, holding->type),
                           range.first + i};
    }
    if (*count)
        qsort(gone, *count, sizeof *gone, by_tail);
    return gone;
}

static uint64_t tail_of(const mp_holdings *holdings, const mp_held *held)
{
    return mp_hash_pair(holdings->places.items[held->position].type, held->type);
}

/* Return the holding of the previous dump that moved to this place. Candidates are the vanished
 * holdings with the same types; the candidate with the longest common path wins; if several are
 * equal, the one with most objects, then with most bytes. If `alone` (no other new holding has
 * these types), a single candidate needs no common path. Return 0 if there is no candidate,
 * MP_HELD_UNKNOWN if the choice is ambiguous. */
static uint32_t find_moved(const mp_model *model, const vanished *gone, size_t count,
                           const mp_holdings *state, const mp_held *held, bool alone)
{
    uint64_t tail = tail_of(state, held);
    uint32_t best = 0, best_tail = 0;
    bool tied = false;
    size_t from = 0, to;
    MP_BISECT(from, count, gone[middle].tail < tail);
    for (to = from; to < count && gone[to].tail == tail; to++)
        if (to - from == MOST_CANDIDATES)
            return MP_HELD_UNKNOWN;
    if (from == to)
        return 0;
    alone &= to - from == 1;
    for (; from < to; from++) {
        const mp_holding *before = &model->holdings.items[gone[from].number];
        const mp_holding *than = &model->holdings.items[best];
        if (before->holders != state->places.items[held->position].objects)
            continue;
        uint32_t shared =
            shared_tail(&model->places, before->place, &state->places, held->position);
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

uint32_t *mp_holdings_before(const mp_model *model, mp_snapshot_id dump,
                             const mp_holdings *holdings)
{
    dump_range range = range_of(model, dump);
    uint32_t *before = mp_alloc_zero(holdings->held_count + 1, sizeof *before);
    bool *taken = mp_alloc_zero((size_t)range.count + 1, sizeof *taken);
    size_t count;
    for (size_t i = 1; i <= holdings->held_count; i++)
        if ((before[i] = find_in(model, range, holdings->held[i].key)))
            taken[before[i] - range.first] = true;
    vanished *gone = vanished_of(model, range, taken, &count);
    mp_id_index fresh = {0}; /* number of new holdings, by tail */
    for (size_t i = 1; count && i <= holdings->held_count; i++)
        if (!before[i] && holdings->held[i].position)
            ++*mp_id_index_put(&fresh, tail_of(holdings, &holdings->held[i]));
    for (size_t i = 1; count && i <= holdings->held_count; i++)
        if (!before[i] && holdings->held[i].position)
            before[i] =
                find_moved(model, gone, count, holdings, &holdings->held[i],
                           mp_id_index_get(&fresh, tail_of(holdings, &holdings->held[i])) == 1);
    mp_id_index_free(&fresh);
    free(gone);
    free(taken);
    return before;
}

mp_holding mp_holding_of(const mp_holdings *holdings, const mp_held *held, uint32_t before)
{
    return (mp_holding){
        .key = held->key,
        .position = held->position ? holdings->places.items[held->position].hash : 0,
        .bytes = held->bytes,
        .before = before,
        .place = held->position,
        .type = held->type,
        .snapshot = holdings->graph->snapshot,
        .objects = held->objects,
        .holders = held->position ? holdings->places.items[held->position].objects : 1};
}

/* Return the growth of a holding beyond that of its holders: each additional holder is expected to
 * hold as many objects as a holder did before. */
uint32_t mp_holding_step(const mp_holding *before, const mp_holding *now)
{
    assert(!before || before->holders); /* a holding has at least one holder */
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
            (model->snapshots.items[i].whole &&
             model->snapshots.items[i].session.i == model->snapshots.items[last.i].session.i))
            dumps[(*count)++] = (mp_snapshot_id){i};
    return dumps;
}

/* Keep the holdings of the current graph. From the second dump on, drop holdings that did not grow,
 * because an accumulation must grow in every dump. */
void mp_leave_holdings(mp_model *model)
{
    uint32_t dump_count;
    mp_snapshot_id *dumps = mp_dumps_to(model, model->graph->snapshot, &dump_count);
    mp_dominators dominators = mp_dominators_of(model->graph);
    mp_holdings state = mp_holdings_of(model->graph, &dominators);
    uint32_t *before =
        dump_count > 1 ? mp_holdings_before(model, dumps[dump_count - 2], &state) : NULL;
    uint32_t first = model->holdings.count;
    for (size_t i = 1; i <= state.held_count; i++) {
        uint32_t number = before ? before[i] : 0;
        mp_holding now = mp_holding_of(&state, &state.held[i], number);
        if (dump_count == 1 || number == MP_HELD_UNKNOWN ||
            ((number || dump_count == 2) &&
             mp_holding_step(number ? &model->holdings.items[number] : NULL, &now)))
            *MP_ADD(&model->holdings) = now;
    }
    if (model->holdings.count > first)
        qsort(model->holdings.items + first, model->holdings.count - first,
              sizeof *model->holdings.items, by_key);
    free(model->places.items);
    model->places = state.places;
    state.places = (mp_holder_places){0};
    free(before);
    mp_holdings_free(&state);
    mp_dominators_free(&dominators);
    free(dumps);
}
