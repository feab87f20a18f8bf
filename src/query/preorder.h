/* Trees in preorder: a node and the nodes below it are one range. */
#pragma once

#include "model/model.h"

/* A tree in preorder, with places from 1. `order[i]` is the node at place i; it and the nodes below
 * it have the places i to i + span[i] - 1. `parent[i]` is the place of its parent; 0: it has
 * none. */
typedef struct mp_preorder {
    uint32_t *order, *span, *parent;
} mp_preorder;

/* Return the preorder of nodes 1 to count - 1. `above` has the parent of each node, which must have
 * a smaller number; 0: no parent. Children keep their order. Release with mp_preorder_free. */
mp_preorder mp_preorder_of(const uint32_t *above, uint32_t count);
/* Return the preorder of the model's call tree; node 0, the session, is above all nodes. */
mp_preorder mp_tree_preorder(const mp_model *model);
void mp_preorder_free(mp_preorder *preorder);
