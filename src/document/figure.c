#include "document/figure.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/sort.h"

mp_figure *mp_document_figure(mp_document *document, mp_figure_kind kind, const char *name)
{
    mp_figure *figure =
        MP_APPEND(document->figures, document->figure_count, document->figure_capacity);
    *figure = (mp_figure){.kind = kind, .name = name};
    return figure;
}

const mp_figure *mp_document_figure_of(const mp_document *document, mp_figure_kind kind)
{
    for (size_t i = 0; i < document->figure_count; i++)
        if (document->figures[i].kind == kind)
            return &document->figures[i];
    return NULL;
}

/* Begin a walk. Siblings are adjacent, so it is enough to record the first child of each place. */
mp_tree_walk mp_tree_walk_begin(const mp_tree_figure *tree)
{
    mp_tree_walk walk = {.tree = tree, .first = mp_alloc_zero(tree->count, sizeof *walk.first)};
    for (uint32_t i = tree->count; i-- > 1;)
        walk.first[tree->items[i].parent] = i;
    mp_grow(&walk.path, &walk.path_capacity, 1, sizeof *walk.path);
    walk.path[0] = 0;
    return walk;
}

bool mp_tree_walk_next(mp_tree_walk *walk, bool descend)
{
    const mp_place *place = walk->tree->items;
    if (descend && walk->first[walk->place]) {
        walk->place = walk->first[walk->place];
        walk->depth++;
        mp_grow(&walk->path, &walk->path_capacity, (size_t)walk->depth + 1, sizeof *walk->path);
    } else {
        while (walk->place && (walk->place + 1 == walk->tree->count ||
                               place[walk->place + 1].parent != place[walk->place].parent)) {
            walk->place = place[walk->place].parent;
            walk->depth--;
        }
        if (!walk->place)
            return false;
        walk->place++;
    }
    walk->path[walk->depth] = walk->place;
    return true;
}

void mp_tree_walk_free(mp_tree_walk *walk)
{
    free(walk->first);
    free(walk->path);
}

int64_t *mp_tree_widths(const mp_tree_figure *tree)
{
    int64_t *widths = mp_alloc_zero(tree->count, sizeof *widths);
    for (uint32_t i = tree->count; i-- > 0;) {
        const mp_place *place = &tree->items[i];
        int64_t self = place->self > place->base_own ? place->self : place->base_own;
        widths[i] += self > 0 ? self : 0;
        if (i)
            widths[place->parent] += widths[i];
    }
    return widths;
}

/* --- the visible part of a tree --- */

/* Sum of the places below a kept place that are not kept. */
typedef struct rest {
    mp_place sum;
    uint32_t places;
} rest;

/* Return flags for at most `most` places, the widest ones. A parent is at least as wide as its
 * children and precedes them, so it is kept before them. Release with free(). */
static bool *widest_of(const mp_tree_figure *tree, uint32_t most, uint32_t deepest)
{
    int64_t *width = mp_tree_widths(tree);
    uint32_t *depth = mp_alloc_zero(tree->count, sizeof *depth);
    bool *kept = mp_alloc_zero(tree->count, sizeof *kept);
    for (uint32_t i = 0; i < tree->count; i++) {
        depth[i] = i ? depth[tree->items[i].parent] + 1 : 0;
        kept[i] = depth[i] <= deepest;
    }
    mp_keep_largest(kept, tree->count, most, width, sizeof *width);
    free(width);
    free(depth);
    return kept;
}

static void add_own(mp_place *sum, const mp_place *place)
{
    sum->self += place->self;
    sum->own_count += place->own_count;
    sum->base_own += place->base_own;
    sum->base_own_count += place->base_own_count;
}

static rest *rests_of(const mp_tree_figure *tree, const bool *kept)
{
    rest *rests = mp_alloc_zero(tree->count, sizeof *rests);
    for (uint32_t i = tree->count; i-- > 1;) {
        rest *above = &rests[tree->items[i].parent];
        if (kept[i])
            continue;
        add_own(&above->sum, &tree->items[i]);
        add_own(&above->sum, &rests[i].sum);
        above->places += rests[i].places + 1;
    }
    return rests;
}

static mp_place place_of_rest(mp_arena *arena, const rest *state, uint32_t parent)
{
    mp_place place = state->sum;
    place.parent = parent;
    place.kind = MP_PLACE_REST;
    place.label = mp_arena_format(arena, "(%" PRIu32 " smaller)", state->places);
    place.line = MP_UNKNOWN;
    place.total = place.self;
    place.all_count = place.own_count;
    place.base_all = place.base_own;
    place.base_all_count = place.base_own_count;
    return place;
}

mp_tree_figure mp_tree_cut(mp_arena *arena, const mp_tree_figure *tree, uint32_t most,
                           uint32_t deepest)
{
    mp_tree_figure cut = *tree;
    bool *kept = widest_of(tree, most, deepest);
    rest *rests = rests_of(tree, kept);
    uint32_t *place_of = mp_alloc_zero(tree->count, sizeof *place_of);
    uint32_t *last_below = mp_alloc_zero(tree->count, sizeof *last_below);
    size_t room = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        room += kept[i] ? 1u + (rests[i].places != 0) : 0u;
        last_below[tree->items[i].parent] = i;
    }
    cut.items = mp_arena_alloc(arena, (room + 1) * sizeof *cut.items);
    cut.count = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        const uint32_t parent = tree->items[i].parent;
        if (kept[i]) {
            place_of[i] = cut.count;
            cut.items[cut.count] = tree->items[i];
            cut.items[cut.count++].parent = place_of[parent];
        }
        if (i && last_below[parent] == i && kept[parent] && rests[parent].places)
            cut.items[cut.count++] = place_of_rest(arena, &rests[parent], place_of[parent]);
    }
    MP_FREE(kept, rests, place_of, last_below);
    return cut;
}
