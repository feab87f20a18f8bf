/* Baselines on disk: digests of one or several runs of a program. */
#pragma once

#include "session/answer.h"

/* Runs to save as one baseline. Zero-initialise; release with mp_runs_free. */
typedef struct mp_runs {
    mp_digest **items;
    const char **paths; /* borrowed */
    size_t count, capacity, path_capacity;
    mp_dictionary *dictionary;
} mp_runs;
void mp_runs_free(mp_runs *runs);
enum { MP_MOST_SAVED_RUNS = 1000 };

/* Add the digest of a recording, which the runs then own. Return false with an error if its kind
 * differs from the kind of the runs before it, or if it is truncated and the question does not
 * allow that. */
bool mp_runs_add(mp_runs *runs, const char *path, mp_digest *digest, const mp_question *question,
                 const mp_diagnostics *diagnostics, mp_error *error);
/* Read the recording at `path` and add it. If the outcome is not MP_GROUP_READ, an error or, if its
 * code is 0, a diagnostic gives the reason. */
mp_outcome mp_runs_read(mp_runs *runs, const char *path, const mp_question *question,
                        const mp_reading *reading, mp_diagnostics *diagnostics, mp_error *error);

/* Return true if the runs may be saved at `path`. A baseline of another kind is not replaced: the
 * baseline of "shop.prf" does not replace that of "shop.oemp". A file that is not a valid baseline
 * may be replaced, so that a damaged baseline can be repaired. Return false with an error. */
bool mp_runs_may_replace(const mp_runs *runs, const char *path, const mp_load_options *how,
                         mp_error *error);
/* Save the runs; there must be at least one. Return a document about the saved data; NULL with an
 * error. */
mp_document *mp_runs_save(mp_runs *runs, const char *path, mp_error *error);

/* Return the path of the baseline with this name in a store. If `name` is NULL, the baseline has
 * the name of the recording, without folder, archive, snapshot and extensions. Release with
 * free(). */
char *mp_store_path(mp_inputs *inputs, const char *store, const char *name, const char *recording);
/* Return default rules for any program, to check recordings of the same kind as the baseline at
 * `path`. Return NULL with an error. */
const char *mp_usual_rules(const char *path, const mp_load_options *how, mp_error *error);
