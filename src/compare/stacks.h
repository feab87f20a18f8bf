/* Differences between two digests as weighted stacks. */
#pragma once

#include "compare/digest.h"
#include "query/weights.h"

/* Return the level at which two recordings are compared by stack. Profiles are compared by path; if
 * one of them has no call tree, by method. */
mp_level mp_level_of_stacks(const mp_digest *base, const mp_digest *now, mp_weighing weighing);

/* Return a tree of stacks with two columns, `now` and `base`. The sums of the columns are the sums
 * of the differences. The level is that of the differences: sites, call paths, methods, or nodes of
 * a dominator tree. Entries that are gone keep their stack in the base; all others have their stack
 * in `now`. `starts`: lines are the first lines of functions. Texts belong to the dictionary or to
 * `names`; release with mp_weights_free. */
mp_weights mp_weights_of_differences(const mp_dictionary *dictionary,
                                     const mp_differences *differences, mp_level level,
                                     mp_weighing weighing, bool starts);
