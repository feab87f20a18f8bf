/* Recursion: repeated frames of a stack, singly or in cycles of two or three. Reports show each
 * repetition only once. */
#pragma once

#include "model/model.h"

enum { MP_LONGEST_TURN = 3 };

/* Repetitions in a call tree. Release with mp_folding_free. */
typedef struct mp_folding {
    const mp_model *model;
    /* Node at which the repetition ends, by cycle length (from 1) and node: the first node whose
     * caller is not the same as the caller one cycle further in. */
    uint32_t *end[MP_LONGEST_TURN];
} mp_folding;

/* Find the repetitions in all stacks of the model, which must outlive the result. Release with
 * mp_folding_free. */
mp_folding mp_folding_of(const mp_model *model);
void mp_folding_free(mp_folding *folding);

/* Repetition of a cycle of callers. */
typedef struct mp_turn {
    uint32_t frames; /* number of frames in a cycle; 0: too few repetitions to leave any out */
    uint32_t again;  /* number of repeated frames, which need not be shown */
    uint32_t end;    /* node whose callers follow the repetition */
} mp_turn;
/* Return the repetition of a node's callers, starting with the innermost. */
mp_turn mp_turn_of(const mp_folding *folding, uint32_t node);
/* Return the repetition of a node and its callees; `end` is the last repeated node. `next` returns
 * the only relevant callee of a node, or 0 if there is none or more than one. */
mp_turn mp_turn_below(const mp_model *model, uint32_t node,
                      uint32_t (*next)(const void *opaque, uint32_t node), const void *opaque);
