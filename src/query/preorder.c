#include "query/preorder.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

mp_preorder mp_preorder_of(const uint32_t *above, uint32_t count)
{
    uint32_t *place = mp_alloc(count * sizeof *place);
    /* Number of nodes at and below each node; once it has its place, that of its next child. */
    uint32_t *size = mp_alloc(count * sizeof *size);
    mp_preorder result = {mp_alloc(count * sizeof(uint32_t)), mp_alloc(count * sizeof(uint32_t)),
                          mp_alloc(count * sizeof(uint32_t))};
    for (uint32_t i = 0; i < count; i++)
        size[i] = 1;
    for (uint32_t i = count; i-- > 1;) {
        assert(above[i] < i);
        size[above[i]] += size[i];
    }
    result.order[0] = result.span[0] = result.parent[0] = place[0] = 0;
    size[0] = 1;
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t span = size[i], position = place[i] = size[above[i]];
        size[above[i]] += span;
        size[i] = position + 1;
        result.order[position] = i;
        result.span[position] = span;
        result.parent[position] = place[above[i]];
    }
    MP_FREE(size, place);
    return result;
}

mp_preorder mp_tree_preorder(const mp_model *model)
{
    uint32_t *above = mp_alloc_zero(model->tree.count, sizeof *above);
    for (uint32_t i = 1; i < model->tree.count; i++)
        above[i] = model->tree.items[i].parent;
    mp_preorder nodes = mp_preorder_of(above, model->tree.count);
    free(above);
    return nodes;
}

void mp_preorder_free(mp_preorder *preorder)
{
    MP_FREE(preorder->order, preorder->span, preorder->parent);
    *preorder = (mp_preorder){0};
}
