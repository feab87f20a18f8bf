/* How much of a figure of stacks is shown. */
#ifndef MP_REPORTS_STACK_BOUNDS_H
#define MP_REPORTS_STACK_BOUNDS_H

#include "document/figure.h"

typedef struct mp_stack_bounds {
    int64_t limit;      /* places, the largest; 0: all */
    int64_t depth;      /* levels below place 0; 0: all */
    double min_percent; /* of the whole */
} mp_stack_bounds;

/* Return, for each place, whether it is shown; its ancestors are shown too. `fit`: number of
 * places that would be shown without the limit, excluding place 0. Release with free(). */
bool *mp_stacks_shown(const mp_tree_figure *tree, const mp_stack_bounds *bounds, size_t *fit);

/* Leave out what is not shown: below each caller one place stands for it, and the figure's note
 * says so. Sums stay. */
void mp_stacks_prune(mp_document *document, mp_figure *figure, const mp_stack_bounds *bounds);

#endif
