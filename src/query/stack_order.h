/* The order of stacks as text, frame by frame from the innermost one, without walks along them. */
#ifndef MP_QUERY_STACK_ORDER_H
#define MP_QUERY_STACK_ORDER_H

#include "query/labels.h"

/* Return, for each node of the call tree, the rank of its callers' stack among those of all
 * nodes; equal stacks share a rank. Release with free(). */
uint32_t *mp_stack_ranks(const mp_model *model);

#endif
