/* Source texts from debug listings, for the lines of a profile. */
#pragma once

#include "readers/reader.h"

/* Set the missing source texts of lines, executed or not, from debug listings. For each program in
 * the model's profile, search the folders of options->source_folders, in order, for its listing.
 * Without a listing, use its source up to the first include. Report the programs without both
 * together. Without folders, do nothing. */
void mp_listing_fill(mp_model *model, mp_diagnostics *diagnostics, const mp_load_options *options);
