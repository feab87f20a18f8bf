/* Weighted stacks as a figure of a document. */
#ifndef MP_REPORTS_STACK_FIGURE_H
#define MP_REPORTS_STACK_FIGURE_H

#include "document/figure.h"
#include "query/weights.h"

/* Add a figure of one column of the weights; of a difference, against another one (`base` is then
 * not `column`). Frames of one label below one caller are one place, wherever that calls them from.
 * `name` is static; the title is the caller's to set. */
mp_figure *mp_stack_figure(mp_document *document, const mp_weights *weights, size_t column,
                           size_t base, const char *name);

#endif
