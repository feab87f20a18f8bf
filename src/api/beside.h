/* Recordings as a whole, and what is read and written beside them: baselines, suppressions. */
#ifndef MP_API_BESIDE_H
#define MP_API_BESIDE_H

#include "base/error.h"
#include "compare/digest.h"
#include "memprof/memprof.h"
#include "model/model.h"
#include "query/suppression.h"

/* A whole file in memory, to be released with free() in each case. False with an error. */
bool mp_file_read(const char *path, char **text, size_t *length, mp_error *error);
/* Whether it can be read only once: a pipe or standard input. */
bool mp_file_is_stream(const char *path);
/* Whether it is a baseline. A stream is not looked into: what is read of it is gone for whoever
 * reads a recording from it. */
bool mp_file_is_baseline(const char *path);

/* A baseline, whose texts and frames are numbers of `dictionary`; release with mp_digest_free. NULL
 * with an error. */
mp_digest *mp_baseline_read(const char *path, mp_dictionary *dictionary, mp_error *error);
/* Keep a digest as a baseline of `*length` bytes: all of it, or what was there stays. False with an
 * error. */
bool mp_baseline_write(const char *path, const mp_digest *digest, const mp_dictionary *dictionary,
                       size_t *length, mp_error *error);
/* Add the suppressions of a file. False with an error, of the code MP_ERROR_INPUT where it could
 * not be read. */
bool mp_suppressions_read(mp_suppressions *suppressions, const char *path, mp_error *error);
/* The day where the user is, as by mp_parse_date: a suppression ends with it. */
int32_t mp_today(void);

/* mp_load, and the snapshots that were named with files are there: False if not, after a
 * diagnostic. */
bool mp_model_load(mp_model *model, mp_diagnostics *diagnostics, const char *const *paths,
                   size_t count, const mp_load_options *options);
/* Whether the model has anything to report. */
bool mp_model_is_usable(const mp_model *model);
/* Whether nothing was torn, skipped or in doubt. */
bool mp_model_is_whole(const mp_model *model, const mp_diagnostics *diagnostics);

#endif
