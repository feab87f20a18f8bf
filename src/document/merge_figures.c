/* Merging figures: stacks with the same name become one tree, with a place for each file. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "document/figure.h"
#include "document/merge_group.h"

/* The tree of a part, and the name of the part for people. */
typedef struct part_tree {
    const char *shown;
    const mp_figure *figure;
} part_tree;

static int64_t width_of(const part_tree *part)
{
    const mp_place *place = &part->figure->tree.items[0];
    return place->total > place->base_all ? place->total : place->base_all;
}

static int widest_first(const void *left, const void *right)
{
    const part_tree *a = left, *b = right;
    const int order = MP_COMPARE(width_of(b), width_of(a));
    return order ? order : strcmp(a->shown, b->shown);
}

static void add(mp_place *place, const mp_place *from)
{
    place->total += from->total;
    place->all_count += from->all_count;
    place->base_all += from->base_all;
    place->base_all_count += from->base_all_count;
}

/* Append a file's tree; its root becomes the file's place. */
static void put_tree(mp_tree_figure *figure, uint32_t root, const mp_tree_figure *from)
{
    const uint32_t first = figure->count;
    for (uint32_t i = 1; i < from->count; i++) {
        mp_place *place = &figure->items[figure->count++];
        *place = from->items[i];
        place->parent = place->parent ? first + place->parent - 1 : root;
    }
}

/* Add one place for all files that have no separate place. */
static void put_others(mp_document *document, mp_tree_figure *figure, const part_tree *parts,
                       size_t count)
{
    mp_place *others = &figure->items[figure->count++];
    *others = (mp_place){.kind = MP_PLACE_REST, .line = MP_UNKNOWN};
    others->label = mp_document_text(document, "(%zu more files)", count);
    for (size_t i = 0; i < count; i++)
        add(others, &parts[i].figure->tree.items[0]);
    others->self = others->total;
    others->own_count = others->all_count;
    others->base_own = others->base_all;
    others->base_own_count = others->base_all_count;
}

static void put_figure(mp_document *document, part_tree *parts, size_t count)
{
    enum { MOST_FILES = 100 };
    const mp_figure *first = parts[0].figure;
    const size_t told = count <= MOST_FILES ? count : MOST_FILES - 1;
    size_t places = count + 1;
    qsort(parts, count, sizeof *parts, widest_first);
    for (size_t i = 0; i < told; i++)
        places += parts[i].figure->tree.count;
    mp_tree_figure tree = first->tree;
    tree.items = mp_arena_alloc(document->arena, places * sizeof *tree.items);
    tree.items[0] = (mp_place){.kind = MP_PLACE_NONE, .label = "all", .line = MP_UNKNOWN};
    tree.count = 1;
    for (size_t i = 0; i < count; i++)
        add(&tree.items[0], &parts[i].figure->tree.items[0]);
    for (size_t i = 0; i < told; i++) {
        mp_place *place = &tree.items[tree.count++];
        *place = parts[i].figure->tree.items[0];
        place->kind = MP_PLACE_GROUP;
        place->label = parts[i].shown;
    }
    if (told < count)
        put_others(document, &tree, parts + told, count - told);
    for (size_t i = 0; i < told; i++)
        put_tree(&tree, (uint32_t)i + 1, &parts[i].figure->tree);
    mp_figure *figure = mp_document_figure(document, MP_FIGURE_STACKS, first->name);
    figure->title = mp_document_text(document, "%s, file by file", first->title);
    figure->tree = tree;
}

static bool is_same(const mp_figure *one, const mp_figure *other)
{
    return strcmp(one->name, other->name) == 0 && one->tree.unit == other->tree.unit &&
           one->tree.has_base == other->tree.has_base;
}

static bool is_put(const mp_document *document, const mp_figure *figure)
{
    for (size_t i = 0; i < document->figure_count; i++)
        if (strcmp(document->figures[i].name, figure->name) == 0)
            return true;
    return false;
}

/* Find the trees with the name of `as`, in part `from` and later ones. Return their number. */
static size_t find_same(const mp_merge_source *files, size_t count, size_t from,
                        const mp_figure *as, part_tree *found)
{
    size_t trees = 0;
    for (size_t i = from; i < count; i++)
        for (size_t k = 0; k < files[i].document->figure_count; k++) {
            const mp_figure *figure = &files[i].document->figures[k];
            if (figure->kind == MP_FIGURE_STACKS && is_same(as, figure)) {
                found[trees++] = (part_tree){files[i].shown, figure};
                break;
            }
        }
    return trees;
}

void mp_merge_figures(mp_document *document, const mp_merge_source *files, size_t count)
{
    part_tree *found = mp_alloc(count * sizeof *found);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < files[i].document->figure_count; k++) {
            const mp_figure *figure = &files[i].document->figures[k];
            if (figure->kind == MP_FIGURE_STACKS && !is_put(document, figure))
                put_figure(document, found, find_same(files, count, i, figure, found));
        }
    free(found);
}
