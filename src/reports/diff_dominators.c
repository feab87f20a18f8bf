/* Rows of a diff by dominators: which branch of the dominator tree grew. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "reports/diff.h"

/* Maximum lengths of paths. A linked list makes the tree as deep as the list is long, so the middle
 * of a long path is left out. */
enum { MOST = 64, MOST_FOR_PEOPLE = 20, OUTER = 6 };
static const char left_out[] = "...";

typedef struct node_row {
    const char *status, *matched_by, *type;
    mp_amounts base, now, delta;
    double percent; /* change of the retained size, in percent of that in the base */
    int64_t depth;
    mp_texts stack, via, held_by;
} node_row;

static const mp_column columns[] = {
    MP_COLUMN(node_row, status, "", MP_TEXT, 0),
    MP_COLUMN_OF(node_row, delta.retained_bytes, "delta_retained_bytes", "Retained", MP_BYTES,
                 MP_SIGNED),
    MP_COLUMN_OF(node_row, percent, "delta_retained_percent", "%", MP_PERCENT, MP_SIGNED),
    MP_COLUMN_OF(node_row, base.retained_bytes, "base_retained_bytes", "Base", MP_BYTES, 0),
    MP_COLUMN_OF(node_row, now.retained_bytes, "new_retained_bytes", "New", MP_BYTES, 0),
    MP_COLUMN_OF(node_row, delta.bytes, "delta_bytes", "Own", MP_BYTES, MP_SIGNED),
    MP_COLUMN_OF(node_row, base.bytes, "base_bytes", "", MP_BYTES, MP_FOR_PROGRAMS),
    MP_COLUMN_OF(node_row, now.bytes, "new_bytes", "", MP_BYTES, MP_FOR_PROGRAMS),
    MP_COLUMN_OF(node_row, delta.objects, "delta_objects", "Objects", MP_COUNT, MP_SIGNED),
    MP_COLUMN_OF(node_row, base.objects, "base_objects", "", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN_OF(node_row, now.objects, "new_objects", "", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN(node_row, matched_by, "", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(node_row, depth, "", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN(node_row, type, "Type", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(node_row, stack, "", MP_LIST, MP_FOR_PROGRAMS),
    MP_COLUMN(node_row, via, "", MP_LIST, MP_FOR_PROGRAMS),
    MP_COLUMN(node_row, held_by, "Held by", MP_LIST, MP_FOR_PEOPLE | MP_BELOW),
};

mp_table *mp_node_table(mp_document *document)
{
    mp_table *table = MP_TABLE(document, "diff", NULL, MP_ROWS, columns);
    mp_table_line(document, table, "the retained size of a node includes the nodes below it");
    return table;
}

mp_diff_node *mp_diff_nodes_of(const mp_diff *diff)
{
    uint32_t last = 0;
    for (size_t i = 0; i < diff->differences.count; i++)
        if (diff->differences.items[i].key.frame > last)
            last = diff->differences.items[i].key.frame;
    mp_diff_node *nodes = mp_alloc_zero((size_t)last + 1, sizeof *nodes);
    for (uint32_t i = 1; i <= last; i++) {
        const mp_diff_node *up = &nodes[mp_dictionary_frame_at(diff->dictionary, i)->caller];
        nodes[i].depth = up->depth + 1;
        nodes[i].outer = up->depth < OUTER ? i : up->outer;
    }
    return nodes;
}

/* --- names of references --- */

/* Return the object that retains most of what a node retains in the new dump; NULL: there is none,
 * or it is not known. */
static const mp_largest_object *largest_of(const mp_diff *diff, uint32_t frame)
{
    const uint32_t place = diff->view ? mp_id_index_get(&diff->named->largest_by_frame, frame) : 0;
    return place ? &diff->named->largest.items[place - 1] : NULL;
}

/* Return the object of a node that retains so much that most (over 70 %) of a growth at or below
 * the node must be below this object, even if all that the other objects of the node retain is new;
 * 0: there is none. */
static uint32_t object_of(const mp_diff *diff, uint32_t frame, int64_t growth)
{
    const mp_largest_object *largest = largest_of(diff, frame);
    const bool told =
        largest && (growth <= 0 || (double)largest->other_bytes * 100 <= (double)growth * 30);
    return told ? largest->object : 0;
}

static uint32_t caller_of(const mp_diff *diff, uint32_t frame)
{
    return mp_dictionary_frame_at(diff->dictionary, frame)->caller;
}

static void want_between(const mp_diff *diff, uint32_t outer, uint32_t frame)
{
    const uint32_t object = object_of(diff, frame, 0), owner = object_of(diff, outer, 0);
    if (object && owner)
        mp_via_want(diff->view, object, owner);
}

/* Return the names by which a node holds one below it, or roots hold it if `outer` is 0, for a
 * growth below it: "" if they are not known. */
static const char *via_between(mp_document *document, const mp_diff *diff, uint32_t outer,
                               uint32_t frame, int64_t growth)
{
    const uint32_t object = object_of(diff, frame, growth), owner = object_of(diff, outer, growth);
    const char *text =
        object && (owner || !outer) ? mp_via_text(document, diff->view, object, owner) : NULL;
    return text ? text : "";
}

void mp_want_node(const mp_diff *diff, const mp_difference *difference)
{
    uint32_t frame = difference->key.frame;
    for (; diff->view && frame && !diff->nodes[frame].is_wanted; frame = caller_of(diff, frame)) {
        diff->nodes[frame].is_wanted = true;
        want_between(diff, caller_of(diff, frame), frame);
    }
}

/* --- rows --- */

/* Set the types from the node outwards, and the names by which each is held. A path of more than
 * MOST nodes is cut in the middle. */
static void set_stack(mp_document *document, const mp_diff *diff, const mp_difference *difference,
                      node_row *row)
{
    uint32_t frame = difference->key.frame;
    const mp_diff_node *node = &diff->nodes[frame];
    const int64_t growth = difference->now.retained_bytes - difference->base.retained_bytes;
    const char **types = mp_arena_alloc(document->arena, (MOST + 1) * sizeof *types);
    const char **via = mp_arena_alloc(document->arena, (MOST + 1) * sizeof *via);
    size_t count = 0;
    while (frame) {
        const mp_frame_key *frame_key = mp_dictionary_frame_at(diff->dictionary, frame);
        bool cut = node->depth > MOST && count == MOST - OUTER;
        via[count] = cut ? "" : via_between(document, diff, frame_key->caller, frame, growth);
        types[count++] = cut ? left_out : mp_dictionary_text(diff->dictionary, frame_key->name);
        frame = cut ? node->outer : frame_key->caller;
    }
    row->stack = (mp_texts){.items = types, .count = count};
    row->via = diff->view ? (mp_texts){.items = via, .count = count} : (mp_texts){.count = 0};
}

/* Return the text below the row for people: "held by .elementData of ArrayList < static field LIST
 * of App.Listeners"; NULL if only roots hold the node and they have no name. */
static const char *held_by(mp_document *document, const node_row *row)
{
    const char *const *types = row->stack.items, *const *via = row->via.items, *text = NULL;
    const size_t count = row->stack.count;
    for (size_t i = 1; i < count; i++) {
        const bool cut = count > MOST_FOR_PEOPLE && i == MOST_FOR_PEOPLE - OUTER;
        const bool named = !cut && row->via.count && *via[i - 1];
        text = mp_document_text(document, "%s%s%s%s", text ? text : "held by ", i > 1 ? " < " : "",
                                named ? via[i - 1] : "", named ? " of " : "");
        text = mp_document_text(document, "%s%s", text, cut ? left_out : types[i]);
        if (cut)
            i = count - OUTER - 1;
    }
    if (row->via.count && *via[count - 1])
        text = mp_document_text(document, "%s%s",
                                text ? mp_document_text(document, "%s < ", text) : "held by ",
                                via[count - 1]);
    return text;
}

void mp_put_node(mp_document *document, mp_table *table, const mp_diff *diff,
                 const mp_difference *difference)
{
    uint32_t frame = difference->key.frame;
    mp_amounts delta = mp_amounts_subtract(difference->now, difference->base);
    unsigned has = frame ? diff->has : diff->has & ~(unsigned)MP_HAS_RETAINED;
    node_row row = {.status = mp_change_name(difference->change),
                    .matched_by = mp_match_name(difference->match),
                    .base = mp_amounts_known(&difference->base, has),
                    .now = mp_amounts_known(&difference->now, has),
                    .delta = mp_amounts_known(&delta, has),
                    .percent =
                        frame && difference->base.retained_bytes
                            ? mp_percent_of(delta.retained_bytes, difference->base.retained_bytes)
                            : NAN,
                    .depth = frame ? diff->nodes[frame].depth - 1 : MP_UNKNOWN,
                    .type = "(unreachable)"};
    set_stack(document, diff, difference, &row);
    if (frame)
        row.type = row.stack.items[0];
    const char *below = held_by(document, &row);
    row.held_by = (mp_texts){.items = below ? &below : NULL, .count = below != NULL};
    mp_table_put(document, table, &row);
}

/* --- the holder that grew --- */

static int64_t grown_by(const mp_difference *difference)
{
    return difference->now.retained_bytes - difference->base.retained_bytes;
}

/* Return the first child of this node that accounts for most of its change; NULL if no child does.
 * Nodes are sorted by change, so the search begins after this node. */
static const mp_difference *most_below(const mp_diff *diff, const mp_differences *nodes,
                                       const mp_difference *node)
{
    const double most = 0.7 * (double)grown_by(node);
    const mp_difference *end = nodes->items + nodes->count;
    for (const mp_difference *difference = node + 1;
         difference < end && (double)grown_by(difference) >= most; difference++) {
        uint32_t frame = difference->key.frame;
        if (frame && mp_dictionary_frame_at(diff->dictionary, frame)->caller == node->key.frame)
            return difference;
    }
    return NULL;
}

static const mp_frame_key *frame_of(const mp_diff *diff, const mp_difference *node)
{
    return mp_dictionary_frame_at(diff->dictionary, node->key.frame);
}

static const char *type_of(const mp_diff *diff, const mp_difference *node)
{
    return mp_dictionary_text(diff->dictionary, frame_of(diff, node)->name);
}

/* Return the node in the base that corresponds to this one. A node that is in the base corresponds
 * to itself. A new node may be an old one that has another dominator now. This is assumed if
 * exactly one node of its type is new and exactly one is gone. The one that is gone must also have
 * had as many objects, or no dominator because several others referred to it. Return the node
 * itself if no node of its type is gone; NULL if the choice is ambiguous. */
static const mp_difference *before_of(const mp_diff *diff, const mp_differences *nodes,
                                      const mp_difference *node)
{
    const mp_difference *found = node;
    size_t gone = 0, fresh = 0;
    for (size_t i = 0; i < nodes->count && !node->base.objects; i++) {
        const mp_difference *difference = &nodes->items[i];
        if (!difference->key.frame ||
            frame_of(diff, difference)->name != frame_of(diff, node)->name)
            continue;
        fresh += !difference->base.objects;
        gone += !difference->now.objects;
        found = difference->now.objects ? found : difference;
    }
    const bool same = gone == 1 && fresh == 1 &&
                      (found->base.objects == node->now.objects || !frame_of(diff, found)->caller);
    return !gone || same ? found : NULL;
}

/* Return the node in the base that corresponds to `held`, a child of a holder; `was` is the node of
 * this holder in the base. NULL if there is none. */
static const mp_difference *below_before(const mp_diff *diff, const mp_differences *nodes,
                                         const mp_difference *was, const mp_difference *held)
{
    for (size_t i = 0; i < nodes->count; i++)
        if (nodes->items[i].key.frame &&
            frame_of(diff, &nodes->items[i])->caller == was->key.frame &&
            frame_of(diff, &nodes->items[i])->name == frame_of(diff, held)->name)
            return &nodes->items[i];
    return NULL;
}

/* Return "Array in ._events.price of EventEmitter", for a growth below the holder. */
static const char *holder_text(mp_document *document, const mp_diff *diff,
                               const mp_difference *holder, const mp_difference *outer,
                               int64_t growth)
{
    const uint32_t inner_frame = holder->key.frame, outer_frame = outer->key.frame;
    const char *text = type_of(diff, holder), *via = "", *root = "";
    if (diff->view) {
        want_between(diff, outer_frame, inner_frame);
        mp_references_read(diff->view, document->arena);
    }
    if (holder != outer) {
        via = via_between(document, diff, outer_frame, inner_frame, growth);
        text = mp_document_text(document, "%s in %s%s%s", text, via, *via ? " of " : "",
                                type_of(diff, outer));
    }
    if ((*via || holder == outer) && !caller_of(diff, outer_frame))
        root = via_between(document, diff, 0, outer_frame, growth);
    return *root ? mp_document_text(document, "%s in %s", text, root) : text;
}

/* Return "Array in EventEmitter holds 800 more closure", or "roots hold 12 more App.View".
 * `holder`: the text of a holder; NULL: roots. */
static const char *holds_text(mp_document *document, const mp_diff *diff, const char *holder,
                              const mp_difference *held, int64_t more)
{
    const char *who = holder ? holder : "roots";
    return held ? mp_document_text(document, "%s hold%s %s more %s", who, holder ? "s" : "",
                                   mp_count_text(document, more), type_of(diff, held))
                : who;
}

const char *mp_diff_holder_text(mp_document *document, const mp_diff *diff, const mp_digest *base,
                                const mp_digest *now)
{
    if (!base->lists[MP_LEVEL_DOMINATOR].count || !now->lists[MP_LEVEL_DOMINATOR].count)
        return NULL; /* neither baselines nor the earlier dumps of a file have a dominator tree */
    mp_differences nodes = mp_differences_of(diff->dictionary, base, now, MP_LEVEL_DOMINATOR);
    const mp_difference *outer = nodes.items, *holder = NULL, *was = NULL, *before = NULL,
                        *held = outer;
    const char *text = NULL;
    int64_t more = 0;
    unsigned steps = 0;
    bool known = nodes.count && outer->key.frame && grown_by(outer) > 0;
    for (; known && held; held = most_below(diff, &nodes, holder)) {
        const bool moved = was != holder;
        if (moved && ++steps > MOST) { /* each step searches all nodes */
            held = NULL;
            break;
        }
        before = moved ? below_before(diff, &nodes, was, held) : before_of(diff, &nodes, held);
        known = before || moved;
        more = held->now.objects - (before ? before->base.objects : 0);
        if (more > 0 || !before)
            break;
        holder = held;
        was = before;
    }
    int64_t base_bytes = !known ? 0 : (holder ? was : outer)->base.retained_bytes;
    if (known && holder && before && frame_of(diff, before)->caller != was->key.frame)
        base_bytes += before->base.retained_bytes; /* the base has these objects too, but this
                                                      holder did not hold them alone */
    const int64_t now_bytes = !known ? 0 : (holder ? holder : outer)->now.retained_bytes;
    const char *who = now_bytes > base_bytes && holder
                          ? holder_text(document, diff, holder, outer, now_bytes - base_bytes)
                          : NULL;
    if (now_bytes > base_bytes)
        text = mp_document_text(
            document, "%s: %s retained, from %s to %s", holds_text(document, diff, who, held, more),
            mp_bytes_change(document, now_bytes - base_bytes), mp_bytes_text(document, base_bytes),
            mp_bytes_text(document, now_bytes));
    free(nodes.items);
    return text;
}
