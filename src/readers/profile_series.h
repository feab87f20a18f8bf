/* A series of heap profiles: numbers and bytes of objects by stack, at several moments of one
 * process.
 *
 * Each input is a profile, and each profile a snapshot. Profiles are sorted by time after the last
 * input, so the amounts of each are kept until then. */
#ifndef MP_READERS_PROFILE_SERIES_H
#define MP_READERS_PROFILE_SERIES_H

#include "base/diagnose.h"
#include "base/index.h"
#include "model/census.h"

/* Amounts of one context in a profile. */
typedef struct mp_profile_amounts {
    uint32_t context;
    mp_census_share alive, made; /* in use; allocated since the process began */
} mp_profile_amounts;

typedef struct mp_profile_moment {
    uint32_t input; /* index in mp_model.inputs */
    int64_t time_ns;
    uint32_t first, end; /* its part of `rows` */
    bool has_made;       /* it states what was allocated */
    mp_census_share made;
} mp_profile_moment;

typedef struct mp_profile_series {
    mp_model *model;
    mp_diagnostics *diagnostics;
    mp_session_id session; /* none before the first profile */
    mp_census census;
    MP_LIST(mp_profile_moment) profiles; /* from 0 */
    MP_LIST(mp_profile_amounts) rows;    /* from 1 */
    mp_id_index row_index;               /* context to row of the current profile */
    uint32_t first;                      /* row of the current profile */
} mp_profile_series;

void mp_profile_series_open(mp_profile_series *series, mp_model *model,
                            mp_diagnostics *diagnostics);
/* Add the snapshots of all profiles to the model, and release the series. */
void mp_profile_series_close(mp_profile_series *series);

/* Begin a profile. Its amounts follow, then its end. Without an end, it is discarded. */
void mp_profile_series_begin(mp_profile_series *series);
/* Add amounts, each of which mp_census_affords, to those of their context in the current profile.
 */
void mp_profile_series_add(mp_profile_series *series, const mp_context *context,
                           mp_census_share alive, mp_census_share made);
/* End the profile of an input, recorded at `time_ns` (UTC; 0: unknown). `has_made`: it states what
 * was allocated. */
void mp_profile_series_end(mp_profile_series *series, uint32_t input, int64_t time_ns,
                           bool has_made);

#endif
