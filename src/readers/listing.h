/* Source texts from debug listings, for the lines of a profile. */
#ifndef MP_READERS_LISTING_H
#define MP_READERS_LISTING_H

#include "readers/reader.h"

/* Search options->source_folders, in order, for the listing of each program in the model's profile,
 * and set the source text of lines, executed or not, that have none. Report each program without a
 * listing once. Without folders, do nothing. */
void mp_listing_fill(mp_model *model, mp_diagnostics *diagnostics, const mp_load_options *options);

#endif
