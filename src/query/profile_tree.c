/* The call tree of execution profiles: what the recorded nodes cost, on the model's complete tree.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "query/profile_groups.h"

/* A frame that the recording refers to and does not define has what its children have. */
static void roll_up(const mp_model *model, mp_call_tree *tree)
{
    for (uint32_t i = tree->count; i-- > 1;) {
        mp_call_node *node = &tree->nodes[i];
        if (!model->nodes.at[model->tree.at[i].node.i].defined)
            node->inclusive_us = -node->own_us;
        node->own_us += node->inclusive_us; /* until now: less the children's inclusive times */
        if (node->own_us < 0)
            node->own_us = 0;
        tree->nodes[node->parent].own_us -= node->inclusive_us;
        tree->nodes[node->parent].child_count++;
    }
    tree->nodes[0].own_us = 0;
}

typedef struct child_order {
    const mp_model *model;
    const mp_call_node *nodes;
} child_order;

static int compare_children(const void *left, const void *right, void *opaque)
{
    const child_order *order = opaque;
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    const mp_call_node *a = &order->nodes[x], *b = &order->nodes[y];
    const mp_symbol *s = &order->model->symbols.at[a->symbol.i];
    const mp_symbol *t = &order->model->symbols.at[b->symbol.i];
    if (a->inclusive_us != b->inclusive_us)
        return a->inclusive_us < b->inclusive_us ? 1 : -1;
    int names = mp_profile_text_compare(order->model, s->name, t->name);
    if (names)
        return names;
    if (s->start_line != t->start_line)
        return s->start_line < t->start_line ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void list_children(const mp_model *model, mp_call_tree *tree)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        tree->nodes[i].first_child = next;
        next += tree->nodes[i].child_count;
        tree->nodes[i].child_count = 0;
    }
    tree->children = mp_alloc_zero(tree->count, sizeof *tree->children);
    for (uint32_t i = 1; i < tree->count; i++) {
        mp_call_node *parent = &tree->nodes[tree->nodes[i].parent];
        tree->children[parent->first_child + parent->child_count++] = i;
    }
    child_order order = {model, tree->nodes};
    for (uint32_t i = 0; i < tree->count; i++)
        if (tree->nodes[i].child_count > 1)
            qsort_r(tree->children + tree->nodes[i].first_child, tree->nodes[i].child_count,
                    sizeof *tree->children, compare_children, &order);
}

mp_call_tree mp_profile_call_tree(const mp_model *model)
{
    mp_call_tree tree = {0};
    const mp_profile *profile = model->profile;
    if (!profile || !model->tree_of || profile->nodes.count <= 1)
        return tree;
    tree.count = model->tree.count;
    tree.nodes = mp_alloc_zero(tree.count, sizeof *tree.nodes);
    for (uint32_t i = 1; i < tree.count; i++) {
        const mp_tree_node *at = &model->tree.at[i];
        tree.nodes[i] = (mp_call_node){.parent = at->parent,
                                       .depth = at->parent ? tree.nodes[at->parent].depth + 1 : 0,
                                       .symbol = at->symbol,
                                       .line = (int32_t)at->line};
    }
    for (uint32_t i = 1; i < profile->nodes.count; i++) {
        const mp_profile_node *node = &profile->nodes.at[i];
        mp_call_node *into = &tree.nodes[model->tree_of[node->node.i]];
        into->calls += node->calls;
        into->inclusive_us += node->cumulative_us;
    }
    roll_up(model, &tree);
    list_children(model, &tree);
    return tree;
}

void mp_call_tree_free(mp_call_tree *tree)
{
    free(tree->nodes);
    free(tree->children);
    *tree = (mp_call_tree){0};
}
