#include "query/preorder.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

mp_preorder mp_preorder_of(const uint32_t *above, uint32_t count)
{
    uint32_t *size = mp_alloc(count * sizeof *size), *next = mp_alloc(count * sizeof *next);
    uint32_t *place = mp_alloc_zero(count, sizeof *place);
    mp_preorder result = {mp_alloc_zero(count, sizeof(uint32_t)),
                          mp_alloc_zero(count, sizeof(uint32_t)),
                          mp_alloc_zero(count, sizeof(uint32_t))};
    for (uint32_t i = 0; i < count; i++)
        size[i] = 1;
    for (uint32_t i = count; i-- > 1;) {
        assert(above[i] < i);
        size[above[i]] += size[i];
    }
    next[0] = 1;
    for (uint32_t i = 1; i < count; i++) {
        place[i] = next[above[i]];
        next[above[i]] += size[i];
        next[i] = place[i] + 1;
        result.order[place[i]] = i;
        result.span[place[i]] = size[i];
        result.parent[place[i]] = place[above[i]];
    }
    MP_FREE(size, next, place);
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
