#include "document/figure.h"

#include <stdlib.h>

#include "base/memory.h"

mp_figure *mp_document_figure(mp_document *document, mp_figure_kind kind, const char *name)
{
    mp_grow(&document->figures, &document->figure_capacity, document->figure_count + 1,
            sizeof *document->figures);
    mp_figure *figure = &document->figures[document->figure_count++];
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

/* Siblings stand side by side, so it is enough to know where those below a place begin. */
mp_tree_walk mp_tree_walk_begin(const mp_tree_figure *tree)
{
    mp_tree_walk walk = {.tree = tree, .first = mp_alloc_zero(tree->count, sizeof *walk.first)};
    for (uint32_t i = tree->count; i-- > 1;)
        walk.first[tree->at[i].parent] = i;
    mp_grow(&walk.path, &walk.path_capacity, 1, sizeof *walk.path);
    walk.path[0] = 0;
    return walk;
}

bool mp_tree_walk_next(mp_tree_walk *walk, bool into)
{
    const mp_place *at = walk->tree->at;
    if (into && walk->first[walk->at]) {
        walk->at = walk->first[walk->at];
        walk->depth++;
        mp_grow(&walk->path, &walk->path_capacity, (size_t)walk->depth + 1, sizeof *walk->path);
    } else {
        while (walk->at && (walk->at + 1 == walk->tree->count ||
                            at[walk->at + 1].parent != at[walk->at].parent)) {
            walk->at = at[walk->at].parent;
            walk->depth--;
        }
        if (!walk->at)
            return false;
        walk->at++;
    }
    walk->path[walk->depth] = walk->at;
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
        const mp_place *at = &tree->at[i];
        int64_t own = at->own > at->base_own ? at->own : at->base_own;
        widths[i] += own > 0 ? own : 0;
        if (i)
            widths[at->parent] += widths[i];
    }
    return widths;
}
