/* The order of stacks as text, frame by frame from the innermost one, without walks along them. */
#ifndef MP_QUERY_STACK_ORDER_H
#define MP_QUERY_STACK_ORDER_H

#include "query/labels.h"

/* Of each node of the call tree, the place of its callers' stack among those of all nodes; equal
 * ones have one place. Release with free(). */
uint32_t *mp_stack_ranks(const mp_model *model);

#endif
