/* Rows of a diff by dominators: which branch of the dominator tree grew. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "reports/diff.h"

/* Maximum lengths of paths. Linked lists make the tree as deep as they are long, so the middle of a
 * long path is left out. */
enum { MOST = 64, MOST_FOR_PEOPLE = 20, OUTER = 6 };
static const char left_out[] = "...";

typedef struct node_row {
    const char *status, *matched_by, *type;
    mp_amounts base, now, delta;
    double percent; /* change in percent of the retained size in the base */
    int64_t depth;
    mp_texts stack, held_by;
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

/* Return the types from the node outwards. A path of more than MOST nodes is cut in the middle. */
static mp_texts stack_of(mp_arena *arena, const mp_diff *diff, uint32_t frame)
{
    const mp_diff_node *node = &diff->nodes[frame];
    const char **types = mp_arena_alloc(arena, (MOST + 1) * sizeof *types);
    size_t count = 0;
    while (frame) {
        const mp_frame_key *frame_key = mp_dictionary_frame_at(diff->dictionary, frame);
        bool cut = node->depth > MOST && count == MOST - OUTER;
        types[count++] = cut ? left_out : mp_dictionary_text(diff->dictionary, frame_key->name);
        frame = cut ? node->outer : frame_key->caller;
    }
    return (mp_texts){.items = types, .count = count};
}

/* Return the text below the row for people. */
static const char *held_by(mp_arena *arena, const mp_texts *stack)
{
    const char *text = "held by ";
    for (size_t i = 1; i < stack->count; i++) {
        bool cut = stack->count > MOST_FOR_PEOPLE && i == MOST_FOR_PEOPLE - OUTER;
        text = mp_arena_format(arena, "%s%s%s", text, i > 1 ? " < " : "",
                               cut ? left_out : stack->items[i]);
        if (cut)
            i = stack->count - OUTER - 1;
    }
    return text;
}

void mp_put_node(mp_document *document, mp_table *table, const mp_diff *diff,
                 const mp_difference *difference)
{
    uint32_t frame = difference->key.frame;
    mp_amounts delta = mp_amounts_subtract(difference->now, difference->base);
    unsigned has = frame ? diff->has : diff->has & ~(unsigned)MP_HAS_RETAINED;
    mp_arena arena = {0};
    mp_texts stack = stack_of(&arena, diff, frame);
    const char *below = held_by(&arena, &stack);
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
                    .type = frame ? stack.items[0] : "(unreachable)",
                    .stack = stack,
                    .held_by = {.items = stack.count > 1 ? &below : NULL, .count = 1}};
    mp_table_put(document, table, &row);
    mp_arena_free(&arena);
}

/* --- the holder that grew --- */

static int64_t grown_by(const mp_difference *difference)
{
    return difference->now.retained_bytes - difference->base.retained_bytes;
}

/* Return the first child of this node that accounts for most of its change; NULL if there is none.
 * Nodes are sorted by change, so the search starts after this node. */
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
 * to itself. A new node may be an old one with another dominator: this is assumed if exactly one
 * node of its type is new, exactly one is gone, and the one that is gone had as many objects or,
 * because several others referred to them, no dominator. Return the node itself if no node of its
 * type is gone; NULL if it is ambiguous. */
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

/* Return the node in the base that corresponds to `held`, a child of a holder which was node `was`
 * in the base; NULL if there is none. */
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

/* Return "Array in EventEmitter holds 800 more closure", or "roots hold 12 more App.View". */
static const char *holds_text(mp_document *document, const mp_diff *diff,
                              const mp_difference *holder, const mp_difference *outer,
                              const mp_difference *held, int64_t more)
{
    const char *who = holder ? type_of(diff, holder) : "roots";
    if (holder && holder != outer)
        who = mp_document_text(document, "%s in %s", who, type_of(diff, outer));
    return held ? mp_document_text(document, "%s hold%s %s more %s", who, holder ? "s" : "",
                                   mp_count_text(document, more, false), type_of(diff, held))
                : who;
}

const char *mp_diff_holder_text(mp_document *document, const mp_diff *diff, const mp_digest *base,
                                const mp_digest *now)
{
    if (!base->lists[MP_LEVEL_DOMINATOR].count || !now->lists[MP_LEVEL_DOMINATOR].count)
        return NULL; /* baselines have no dominator tree, nor have the earlier dumps of a file */
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
        base_bytes += before->base.retained_bytes; /* the base held these objects too, but not by
                                                    * this holder alone */
    const int64_t now_bytes = !known ? 0 : (holder ? holder : outer)->now.retained_bytes;
    if (now_bytes > base_bytes)
        text = mp_document_text(document, "%s: %s retained, from %s to %s",
                                holds_text(document, diff, holder, outer, held, more),
                                mp_bytes_text(document, now_bytes - base_bytes, true),
                                mp_bytes_text(document, base_bytes, false),
                                mp_bytes_text(document, now_bytes, false));
    free(nodes.items);
    return text;
}
