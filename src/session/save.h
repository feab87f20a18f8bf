/* Baselines on disk: the digests of one or several runs of a program. */
#ifndef MP_SESSION_SAVE_H
#define MP_SESSION_SAVE_H

#include "session/answer.h"

/* Runs that become one baseline. Zero-initialise; release with mp_runs_free. */
typedef struct mp_runs {
    mp_digest **items;
    const char **paths; /* borrowed */
    size_t count, capacity, path_capacity;
    mp_dictionary *dictionary;
} mp_runs;
void mp_runs_free(mp_runs *runs);
enum { MP_MOST_SAVED_RUNS = 1000 };

/* Add the digest of a recording that was read, which is the runs' from now on. False with an error:
 * the digest is of another kind than the runs before it, or breaks off and may not. */
bool mp_runs_add(mp_runs *runs, const char *path, mp_digest *digest, const mp_question *question,
                 const mp_diagnostics *diagnostics, mp_error *error);
/* Read the one recording at `path`, and add it. Return what became of it; where it was not added,
 * an error says why or, without a code, a diagnostic. */
mp_outcome mp_runs_read(mp_runs *runs, const char *path, const mp_question *question,
                        const mp_reading *reading, mp_diagnostics *diagnostics, mp_error *error);

/* Return true if the runs may be saved at `path`. A baseline of another kind, such as that of
 * "shop.prf" beside "shop.oemp", is not replaced; a file that is no whole baseline may be: that is
 * how a torn one is mended. False with an error. */
bool mp_runs_may_replace(const mp_runs *runs, const char *path, const mp_load_options *how,
                         mp_error *error);
/* Save the runs, one at least, and return a document that says what was saved. NULL with an error.
 */
mp_document *mp_runs_save(mp_runs *runs, const char *path, mp_error *error);

/* Return the path that a store has for the baseline of this name; NULL: the recording's, without
 * folder, archive, snapshot and endings. Release with free(). */
char *mp_store_path(mp_inputs *inputs, const char *store, const char *name, const char *recording);
/* Return the rules that no change should break, whatever the program is, for recordings of the kind
 * of the baseline at `path`. NULL with an error. */
const char *mp_usual_rules(const char *path, const mp_load_options *how, mp_error *error);

#endif
