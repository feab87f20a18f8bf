#include "reports/figures.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/sort.h"
#include "reports/sections.h"

/* Return the size of each place; in a comparison, the larger of the two sizes. Even if balances are
 * negative, no place is larger than its parent, so a place is shown only if its parent is shown.
 * Release with free(). */
static int64_t *sizes_of(const mp_tree_figure *tree)
{
    int64_t *sizes = mp_alloc(tree->count * sizeof *sizes);
    for (uint32_t i = 0; i < tree->count; i++) {
        const mp_place *place = &tree->items[i];
        sizes[i] = place->total > place->base_all ? place->total : place->base_all;
        if (i && sizes[i] > sizes[place->parent])
            sizes[i] = sizes[place->parent];
    }
    return sizes;
}

bool *mp_stacks_shown(const mp_tree_figure *tree, const mp_stack_bounds *bounds, size_t *fit)
{
    int64_t *sizes = sizes_of(tree);
    bool *shown = mp_alloc_zero(tree->count, sizeof *shown);
    int64_t *depth = mp_alloc_zero(tree->count, sizeof *depth);
    const double least = bounds->min_percent * (double)sizes[0];
    shown[0] = true;
    *fit = 0;
    for (uint32_t i = 1; i < tree->count; i++) {
        const uint32_t parent = tree->items[i].parent;
        depth[i] = depth[parent] + 1;
        shown[i] = shown[parent] && (!bounds->depth || depth[i] <= bounds->depth) &&
                   (double)sizes[i] * 100 >= least;
        *fit += shown[i];
    }
    if (bounds->limit && *fit > (size_t)bounds->limit)
        mp_keep_largest(shown, tree->count, (size_t)bounds->limit + 1, sizes, sizeof *sizes);
    free(depth);
    free(sizes);
    return shown;
}

/* --- pruning --- */

static void add_to_rest(mp_place *rest, const mp_place *place)
{
    rest->total += place->total;
    rest->all_count += place->all_count;
    rest->base_all += place->base_all;
    rest->base_all_count += place->base_all_count;
    rest->self = rest->total;
    rest->own_count = rest->all_count;
    rest->base_own = rest->base_all;
    rest->base_own_count = rest->base_all_count;
}

static const char *also(mp_document *document, const char *list, const char *what)
{
    return mp_document_text(document, "%s%s%s", list, *list ? ", " : "", what);
}

/* Return "3 frames are left out, as asked: deeper than 2 levels, not among the 20 largest." */
static const char *note_of(mp_document *document, uint32_t left_out, const mp_stack_bounds *bounds)
{
    const char *why = "";
    if (bounds->depth)
        why = also(document, why,
                   mp_document_text(document, "deeper than %" PRId64 " level%s", bounds->depth,
                                    bounds->depth == 1 ? "" : "s"));
    if (bounds->min_percent > 0)
        why = also(document, why,
                   mp_document_text(document, "below %.12g %% of the whole", bounds->min_percent));
    if (bounds->limit)
        why = also(document, why,
                   mp_document_text(document, "not among the %" PRId64 " largest", bounds->limit));
    return mp_document_text(document, "%s frame%s left out, as asked: %s.",
                            mp_count_text(document, left_out), left_out == 1 ? " is" : "s are",
                            why);
}

/* Replace the figure's places by those that are shown. They come level by level, with siblings next
 * to each other; after the siblings, one more place represents those that are left out. `hidden`
 * has, for each place, the number of places below it that are left out. */
static void put_shown(mp_document *document, mp_tree_figure *tree, const bool *shown,
                      const uint32_t *hidden)
{
    mp_place *kept = mp_arena_alloc(document->arena, tree->count * sizeof *kept), rest = {0};
    uint32_t *place_of = mp_alloc_zero(tree->count, sizeof *place_of), count = 1;
    kept[0] = tree->items[0];
    for (uint32_t i = 1; i < tree->count; i++) {
        const mp_place *place = &tree->items[i];
        const uint32_t parent = place->parent;
        if (shown[i]) {
            place_of[i] = count;
            kept[count] = *place;
            kept[count++].parent = place_of[parent];
        } else {
            add_to_rest(&rest, place);
        }
        if (i + 1 < tree->count && tree->items[i + 1].parent == parent)
            continue;
        if (shown[parent] && hidden[parent]) {
            rest.parent = place_of[parent];
            rest.kind = MP_PLACE_REST;
            rest.line = MP_UNKNOWN;
            rest.label = mp_document_text(document, "(%s left out)",
                                          mp_count_text(document, hidden[parent]));
            kept[count++] = rest;
        }
        rest = (mp_place){0};
    }
    tree->items = kept;
    tree->count = count;
    free(place_of);
}

void mp_stacks_prune(mp_document *document, mp_figure *figure, const mp_stack_bounds *bounds)
{
    mp_tree_figure *tree = &figure->tree;
    size_t fit;
    if (!bounds->limit && !bounds->depth && !(bounds->min_percent > 0))
        return;
    bool *shown = mp_stacks_shown(tree, bounds, &fit);
    uint32_t *hidden = mp_alloc_zero(tree->count, sizeof *hidden), left_out = 0;
    for (uint32_t i = tree->count; i-- > 1;)
        if (!shown[i]) {
            hidden[tree->items[i].parent] += hidden[i] + 1;
            left_out++;
        }
    if (left_out) {
        put_shown(document, tree, shown, hidden);
        const char *note = note_of(document, left_out, bounds);
        figure->note =
            figure->note ? mp_document_text(document, "%s %s", figure->note, note) : note;
    }
    free(hidden);
    free(shown);
}
