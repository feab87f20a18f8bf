/* Baselines: the digest of a recording as a text file, for comparisons without the recording.
 *
 * A baseline has one JSON object per line: the head, the totals, the checksums of the recordings
 * from which it was made, then the entries of each list, sorted by key. Amounts of 0 are left out.
 * In a baseline of several runs, a figure that differs between runs is a list with one number per
 * run. Rules can therefore add up the selected entries of each run, and compute centre and spread
 * of these sums; the spreads of single entries cannot be added.
 *
 * Version 1 has no start time and one run; versions 1 to 3 have no checksums. All are read.
 * Versions 2 and 3 are still written if there are no checksums. */
#pragma once

#include "base/error.h"
#include "compare/digest.h"

/* File name extension of baselines. */
#define MP_BASELINE_ENDING ".baseline"

/* Return true if text is a baseline; its beginning is sufficient. */
bool mp_is_baseline(const char *text, size_t length);
/* Return true if the path has the extension of a baseline. */
bool mp_is_baseline_name(const char *path);

/* Return a digest as the text of a baseline; release with free(). The same digest always gives the
 * same text. */
char *mp_baseline_text(const mp_digest *digest, const mp_dictionary *dictionary, size_t *length);

/* Parse a baseline. Its texts and frames become numbers in `dictionary`. Release with
 * mp_digest_free. Return NULL with an error that has the line number. */
mp_digest *mp_baseline_parse(const char *path, const char *text, size_t length,
                             mp_dictionary *dictionary, mp_error *error);
