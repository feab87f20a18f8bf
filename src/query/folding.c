#include "query/folding.h"

#include <stdlib.h>

#include "base/memory.h"

/* Return true if two nodes were called from functions with the same name at the same line. */
static bool same_caller(const mp_model *model, uint32_t a, uint32_t b)
{
    const mp_tree_node *x = &model->tree.items[a], *y = &model->tree.items[b];
    const mp_symbol *of_x = &model->symbols.items[model->tree.items[x->parent].symbol.i];
    const mp_symbol *of_y = &model->symbols.items[model->tree.items[y->parent].symbol.i];
    return x->parent && y->parent && x->line == y->line && of_x->name.i &&
           of_x->name.i == of_y->name.i && of_x->start_line == of_y->start_line;
}

/* Find the repetitions of all nodes. Parents precede their children. */
mp_folding mp_folding_of(const mp_model *model)
{
    mp_folding folding = {.model = model};
    for (int turn = 0; turn < MP_LONGEST_TURN; turn++)
        folding.end[turn] = mp_alloc_zero(model->tree.count, sizeof *folding.end[turn]);
    for (uint32_t node = 1; node < model->tree.count; node++) {
        const uint32_t parent = model->tree.items[node].parent;
        uint32_t before = node;
        for (int turn = 0; turn < MP_LONGEST_TURN; turn++) {
            before = model->tree.items[before].parent;
            bool again = same_caller(model, node, before);
            folding.end[turn][node] = again ? folding.end[turn][parent] : before;
        }
    }
    return folding;
}

void mp_folding_free(mp_folding *folding)
{
    for (int turn = 0; turn < MP_LONGEST_TURN; turn++)
        free(folding->end[turn]);
}

enum { WORTH = 3 }; /* minimum number of frames to leave out */

mp_turn mp_turn_of(const mp_folding *folding, uint32_t node)
{
    for (uint32_t turn = 1; turn <= MP_LONGEST_TURN; turn++) {
        uint32_t end = folding->end[turn - 1][node];
        uint32_t way =
            folding->model->tree.items[node].depth - folding->model->tree.items[end].depth;
        if (way >= turn + WORTH)
            return (mp_turn){turn, way - turn, end};
    }
    return (mp_turn){0};
}

/* Return true if both nodes have the same name and were called at the same line. */
static bool same_call(const mp_model *model, uint32_t a, uint32_t b)
{
    const mp_tree_node *x = &model->tree.items[a], *y = &model->tree.items[b];
    const mp_symbol *of_x = &model->symbols.items[x->symbol.i],
                    *of_y = &model->symbols.items[y->symbol.i];
    return x->line == y->line && of_x->name.i && of_x->name.i == of_y->name.i &&
           of_x->start_line == of_y->start_line;
}

mp_turn mp_turn_below(const mp_model *model, uint32_t node,
                      uint32_t (*next)(const void *opaque, uint32_t node), const void *opaque)
{
    uint32_t ahead = node;
    for (uint32_t frames = 1; frames <= MP_LONGEST_TURN; frames++) {
        ahead = ahead ? next(opaque, ahead) : 0;
        mp_turn turn = {.frames = frames};
        uint32_t behind = node;
        for (uint32_t index = ahead; index && same_call(model, index, behind);
             index = next(opaque, index)) {
            behind = next(opaque, behind);
            turn.end = index;
            turn.again++;
        }
        if (turn.again >= WORTH)
            return turn;
    }
    return (mp_turn){0};
}
