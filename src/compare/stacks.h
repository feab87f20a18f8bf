/* The differences of two digests as weighted stacks. */
#ifndef MP_COMPARE_STACKS_H
#define MP_COMPARE_STACKS_H

#include "compare/digest.h"
#include "query/weights.h"

/* The level at which two recordings are compared by stack: profiles by path or, where one of them
 * has no call tree, by method. */
mp_level mp_level_of_stacks(const mp_digest *base, const mp_digest *now, mp_weighing weighing);

/* A tree of two columns, what is now and what was in the base, whose sums are those of the
 * differences: of that level, sites, paths of calls, methods or nodes of dominator trees. What was
 * matched stands where it is now, what is gone where it was. `starts`: lines are those at which
 * functions begin. Texts are the dictionary's or in `names`; release with mp_weights_free. */
mp_weights mp_weights_of_differences(const mp_dictionary *dictionary,
                                     const mp_differences *differences, mp_level level,
                                     mp_weighing weighing, bool starts);

#endif
