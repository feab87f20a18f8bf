/* Source texts out of debug listings, for the lines that a profile has. */
#ifndef MP_READERS_LISTING_H
#define MP_READERS_LISTING_H

#include "readers/reader.h"

/* Look in options->source_folders, in their order, for the listing of each program of the model's
 * profile, and set the code of its lines, executed or not, that have none yet. A program without
 * one is noted once. Does nothing without folders. */
void mp_listing_fill(mp_model *model, mp_diagnostics *diagnostics, const mp_load_options *options);

#endif
