/* Order of stacks as text, frame by frame from the innermost. It is computed without a walk along
 * each stack. */
#pragma once

#include "query/labels.h"

/* Return, for each node of the call tree, the rank of its stack of callers among all nodes; equal
 * stacks have equal ranks. Release with free(). */
uint32_t *mp_stack_ranks(const mp_model *model);
