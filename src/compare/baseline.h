/* Baselines: the digest of a recording as a text file, so that the recording need not be kept.
 *
 * A baseline is JSON, an object a line: the head, the totals, then the entries of each list in the
 * order of their key. Amounts of 0 are left out. Of several runs, a figure that they differ in is a
 * list of one for each: so centre and spread of whatever a rule selects are those of what each run
 * measures, and not made of those of its parts, which do not add up.
 *
 * What recordings it was made of it knows by their checksums, a line for each behind the totals.
 *
 * Version 1 had no start time and one run, versions 2 and 3 no checksums; they are read, and still
 * written where no checksums were made. */
#ifndef MP_COMPARE_BASELINE_H
#define MP_COMPARE_BASELINE_H

#include "base/error.h"
#include "compare/digest.h"

/* The ending of names of baselines. */
#define MP_BASELINE_ENDING ".baseline"

/* Return true if a file with this beginning is a baseline. */
bool mp_is_baseline(const char *text, size_t length);
/* Return true if a file has the name of a baseline. */
bool mp_is_baseline_name(const char *path);

/* The text of a digest; release with free(). The same for the same digest in each run. */
char *mp_baseline_text(const mp_digest *digest, const mp_dictionary *dictionary, size_t *length);

/* The digest of a text; its texts and frames are numbers of `dictionary`. Release with
 * mp_digest_free. NULL with an error that tells the line. */
mp_digest *mp_baseline_parse(const char *path, const char *text, size_t length,
                             mp_dictionary *dictionary, mp_error *error);

#endif
