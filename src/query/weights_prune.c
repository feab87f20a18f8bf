/* Pruning: reduce very many stacks to those that are large enough to see. */
#include <stdlib.h>

#include "base/sort.h"
#include "query/weights.h"

/* Return a flag for each frame: true if it is kept. Callers precede their callees, and weigh at
 * least as much. */
static bool *choose(const mp_weights *from, const mp_weight *by, uint32_t most)
{
    enum { PARTS = 20000 }; /* a frame below this fraction of the total is not visible */
    bool *kept = mp_alloc(from->count * sizeof *kept), any = false;
    for (uint32_t i = 0; i < from->count; i++) {
        kept[i] = i == 0 || by[i].total > by[0].total / PARTS;
        any |= i && kept[i];
    }
    for (uint32_t i = 0; !any && i < from->count; i++) /* no frame is large enough, so keep all */
        kept[i] = true;
    mp_keep_largest(kept, from->count, most, &by[0].total, sizeof *by);
    return kept;
}

static uint32_t add_rest(mp_weigher *weigher, uint32_t parent)
{
    return mp_weigher_add(weigher, (mp_weight_frame){.parent = parent,
                                                     .kind = MP_WEIGHT_NONE,
                                                     .name = "(smaller ones)",
                                                     .line = MP_NO_LINE,
                                                     .called_at = MP_NO_LINE});
}

mp_weights mp_weights_pruned(const mp_model *model, const mp_weights *from, size_t column,
                             uint32_t most)
{
    const mp_weight *by = from->items[column];
    mp_weigher weigher = mp_weigher_of(model, &from->weighings[column], 1);
    bool *kept = choose(from, by, most);
    uint32_t *place = mp_alloc_zero(from->count, sizeof *place);
    /* frame for the omitted callees of each kept frame */
    uint32_t *rest = mp_alloc_zero(from->count, sizeof *rest);
    uint32_t left_out = 0;
    mp_weigh(&weigher, 0, 0, by[0].self, by[0].own_count);
    for (uint32_t i = 1; i < from->count; i++) {
        const uint32_t parent = from->frames[i].parent;
        mp_weight_frame frame = from->frames[i];
        frame.parent = place[parent];
        if (kept[i])
            place[i] = mp_weigher_add(&weigher, frame);
        else if (!kept[parent])
            place[i] = place[parent];
        else
            place[i] = rest[parent] =
                rest[parent] ? rest[parent] : add_rest(&weigher, place[parent]);
        mp_weigh(&weigher, 0, place[i], by[i].self, by[i].own_count);
        left_out += !kept[i] && (by[i].total || by[i].all_count);
    }
    MP_FREE(kept, place, rest);
    mp_weights pruned = mp_weigher_end(&weigher);
    pruned.left_out = left_out;
    return pruned;
}
