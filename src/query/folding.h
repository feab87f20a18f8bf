/* Recursion: where the frames of a stack repeat, one by one or in turns of two or three, so that
 * people read them once. */
#ifndef MP_QUERY_FOLDING_H
#define MP_QUERY_FOLDING_H

#include "model/model.h"

enum { MP_LONGEST_TURN = 3 };

/* By node of the call tree. Release with mp_folding_free. */
typedef struct mp_folding {
    const mp_model *model;
    /* From where on its callers are no more what stands a turn before: that caller's callee. */
    uint32_t *end[MP_LONGEST_TURN];
} mp_folding;

mp_folding mp_folding_of(const mp_model *model);
void mp_folding_free(mp_folding *folding);

/* A turn of callers, which goes on behind it. */
typedef struct mp_turn {
    uint32_t frames; /* 0: the callers do not repeat so much that it is worth a word */
    uint32_t again;  /* frames that are the same again */
    uint32_t end;    /* the node whose callers come behind them */
} mp_turn;
/* Return the turn of a node's callers, from the innermost on. */
mp_turn mp_turn_of(const mp_folding *folding, uint32_t node);
/* Return the turn of a node and its callees: `end` is the last that repeats. `next` returns the
 * only relevant callee of a node; 0: none, or several. */
mp_turn mp_turn_below(const mp_model *model, uint32_t node,
                      uint32_t (*next)(const void *opaque, uint32_t node), const void *opaque);

#endif
