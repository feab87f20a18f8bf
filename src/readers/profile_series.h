/* A series of heap profiles: numbers and bytes of objects by stack, at several moments of one
 * process.
 *
 * Each input is a profile, and each profile is a snapshot. Profiles are sorted by time after the
 * last input, so all their amounts are kept until then. */
#pragma once

#include "base/diagnose.h"
#include "base/index.h"
#include "model/census.h"

/* Amounts of one context in a profile. */
typedef struct mp_profile_amounts {
    uint32_t context;
    mp_census_share alive,
        made; /* amounts that are in use, and amounts that were allocated since the process began */
} mp_profile_amounts;

typedef struct mp_profile_moment {
    uint32_t input; /* index in mp_model.inputs */
    int64_t time_ns;
    uint32_t first, end; /* range of its rows in `rows` */
    bool has_made;       /* the profile states what was allocated */
    mp_census_share made;
} mp_profile_moment;

typedef struct mp_profile_series {
    mp_model *model;
    mp_diagnostics *diagnostics;
    mp_session_id session; /* none until the first profile */
    mp_census census;
    MP_LIST(mp_profile_moment) profiles; /* element 0 is used too */
    MP_LIST(mp_profile_amounts) rows;    /* numbered from 1 */
    mp_id_index row_index;               /* maps a context to its row of the current profile */
    uint32_t first;                      /* first row of the current profile */
} mp_profile_series;

/* Start a series without profiles. The model and the diagnostics must outlive it. */
void mp_profile_series_open(mp_profile_series *series, mp_model *model,
                            mp_diagnostics *diagnostics);
/* Add the snapshots of all profiles to the model, and release the series. */
void mp_profile_series_close(mp_profile_series *series);

/* Begin a profile. Add its amounts, then end it. A profile that is not ended is discarded. */
void mp_profile_series_begin(mp_profile_series *series);
/* Add amounts to those of their context in the current profile. mp_census_affords must have
 * accepted each of them. */
void mp_profile_series_add(mp_profile_series *series, const mp_context *context,
                           mp_census_share alive, mp_census_share made);
/* End the profile of an input, recorded at `time_ns` (UTC; 0: unknown). `has_made`: the profile
 * states what was allocated. */
void mp_profile_series_end(mp_profile_series *series, uint32_t input, int64_t time_ns,
                           bool has_made);
