/* Digests of recordings and baselines, which is what comparisons and baselines are made of. */
#ifndef MP_SESSION_DIGESTS_H
#define MP_SESSION_DIGESTS_H

#include "session/groups.h"
#include "session/question.h"

/* All of these give what the question selects, whose texts and frames become numbers of
 * `dictionary`; release with mp_digest_free. NULL with an error or, where that has no code, after a
 * diagnostic. */

/* Digest a model that was read. It must hold something, and all of it where `reading` is strict. */
mp_digest *mp_model_digest(const mp_model *model, const mp_question *question,
                           const mp_reading *reading, mp_dictionary *dictionary,
                           const mp_diagnostics *diagnostics, mp_error *error);
/* Read the files of a group, of which *loaded says whether all could be, and digest them. */
mp_digest *mp_file_group_digest(const mp_file_group *group, const mp_question *question,
                                const mp_reading *reading, mp_dictionary *dictionary,
                                mp_diagnostics *diagnostics, bool *loaded, mp_error *error);
/* Read and digest the one recording at `path`, all of it. */
mp_digest *mp_recording_digest(const char *path, const mp_question *question,
                               const mp_reading *reading, mp_dictionary *dictionary,
                               mp_diagnostics *diagnostics, mp_error *error);
/* Read the base of the question, a recording or a baseline. What is wrong with it, be it that it
 * was made of what breaks off, goes to `diagnostics`. */
mp_digest *mp_base_digest(const mp_question *question, const mp_reading *reading,
                          mp_dictionary *dictionary, mp_diagnostics *diagnostics, mp_error *error);

#endif
