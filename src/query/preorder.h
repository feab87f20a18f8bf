/* Trees in preorder: what stands below a node is one range. */
#ifndef MP_QUERY_PREORDER_H
#define MP_QUERY_PREORDER_H

#include "model/model.h"

/* From 1: `order[i]` is the node at place i, and what is below it, itself included, stands at
 * places i to i + span[i] - 1. `parent[i]` is the place of the node above; 0: none. */
typedef struct mp_preorder {
    uint32_t *order, *span, *parent;
} mp_preorder;

/* Return the preorder of nodes 1 to count - 1, which come after their parents `above`; 0: no
 * parent. Children keep their order. Release with mp_preorder_free. */
mp_preorder mp_preorder_of(const uint32_t *above, uint32_t count);
/* Return the preorder of the nodes of the model's call tree; the session, node 0, is above them. */
mp_preorder mp_tree_preorder(const mp_model *model);
void mp_preorder_free(mp_preorder *preorder);

#endif
