/* Digests of recordings and baselines, the input of comparisons and of new baselines. */
#pragma once

#include "session/groups.h"
#include "session/question.h"

/* These functions return a digest of the data that the question selects. Texts and frames are
 * numbers in `dictionary`. Release with mp_digest_free. On failure they return NULL with an error
 * or, if the error code is 0, after a diagnostic. */

/* Digest a model. It must not be empty, and must be complete if `reading` is strict. */
mp_digest *mp_model_digest(const mp_model *model, const mp_question *question,
                           const mp_reading *reading, mp_dictionary *dictionary,
                           mp_diagnostics *diagnostics, mp_error *error);
/* Read the files of a group and digest them. Set *loaded to false if a file could not be read
 * completely. */
mp_digest *mp_file_group_digest(const mp_file_group *group, const mp_question *question,
                                const mp_reading *reading, mp_dictionary *dictionary,
                                mp_diagnostics *diagnostics, bool *loaded, mp_error *error);
/* Read and digest the recording at `path`. Fail if the path has several recordings, or if the
 * recording is incomplete. */
mp_digest *mp_recording_digest(const char *path, const mp_question *question,
                               const mp_reading *reading, mp_dictionary *dictionary,
                               mp_diagnostics *diagnostics, mp_error *error);

/* The base that recordings are compared with: a recording or a baseline. */
typedef struct mp_base {
    mp_dictionary *dictionary;
    mp_digest *digest; /* NULL: there is none, or it could not be read */
    mp_diagnostics *diagnostics;
    mp_error error;
} mp_base;

/* Read the base of the question into `base`, which has an empty dictionary and no diagnostics yet.
 * Diagnostics include a warning if a baseline was made from a truncated recording. */
void mp_base_read(mp_base *base, const mp_question *question, const mp_reading *reading);
/* Release all that the base has. */
void mp_base_free(mp_base *base);
