/* Reports of the objects that OpenEdge sessions left behind: those of ABL object tracking, and
 * those of the class LeakCheck.
 *
 * Source: docs/formats/ablobjects.md. Each file is one JSON object that lists objects. These are
 * added up by context while the file is read. The snapshots are made after the last file, because a
 * session may be in several files. */
#pragma once

#include "base/index.h"
#include "base/text.h"
#include "input/json_cursor.h"
#include "model/build.h"
#include "model/census.h"
#include "readers/dumps.h"
#include "readers/dynobjects.h"
#include "readers/reader.h"

enum {
    ABL_MOST_SESSIONS = 4096,
    ABL_DEPTH = 8 /* ABL_DEPTH: maximum number of JSON objects around the list of objects */
};

/* The objects of one context in a report. A row without a context lists the session. */
typedef struct abl_row {
    uint32_t session, report, context;
    mp_census_share alive;
} abl_row;

/* An object as the model describes it. */
typedef struct abl_object {
    mp_context context; /* its session is not set while it is not known */
    int64_t bytes;      /* 0 if the size is unknown */
} abl_object;

/* A file. */
typedef struct abl_report {
    uint32_t input;
    bool of_leaks; /* a report of LeakCheck, which lists only sessions with objects */
} abl_report;

/* An object that LeakCheck lists as created. */
typedef struct abl_creation {
    uint32_t row; /* index in `rows`; 0: it was deleted */
    int64_t bytes;
} abl_creation;

typedef struct abl_state {
    mp_model *model;
    mp_diagnostics *diagnostics;
    mp_census census;
    dyn_names names;
    dyn_calls calls;      /* no calls, because reports have no stacks */
    mp_id_index sessions; /* maps the name of a session to its number in the model */
    uint32_t session_count;
    MP_LIST(abl_row) rows;       /* from 1 */
    MP_LIST(abl_report) reports; /* from 1 */
    mp_dump_order order;

    /* The current report: */
    const char *path;
    mp_json_cursor json;
    mp_text_buffer message;          /* member errmsg of an agent's report */
    mp_id_index row_index;           /* maps a session and a context to the row */
    MP_LIST(abl_object) pending;     /* objects of a tracked session */
    MP_LIST(abl_creation) creations; /* from 1 */
    mp_id_index creation_index;      /* hash of session, type and id to creation */
    uint64_t objects, nameless, beyond,
        older; /* numbers of: all objects; objects of a session without an id; objects of sessions
                  above the maximum; deletions of objects older than the report */
    bool has_list, of_leaks, has_sums;
    /* Sums of the rows of LeakCheck, and the sums that its groups state, modulo 2^64. */
    uint64_t listed_objects, listed_bytes, stated_objects, stated_bytes;
} abl_state;

/* Return true if the member that was read last has this name, in any case. */
static inline bool abl_is_member(const abl_state *state, const char *name)
{
    return mp_slice_is(mp_text_of(&state->json.name), name);
}

/* Return the number of the session in the model; 0: there are too many. */
uint32_t abl_session_of(abl_state *state, mp_string_id name);
/* Return the row of a context in this report. Without a context, return the row of the session. */
uint32_t abl_row_of(abl_state *state, uint32_t session, uint32_t context);

/* Read the array of tracked sessions. Return false if it is truncated or malformed. */
bool abl_read_sessions(abl_state *state);
/* Read LeakCheck's array of objects. Return false if it is truncated or malformed. */
bool abl_read_leaks(abl_state *state);
/* Read LeakCheck's sums by group. Return false if they are truncated or malformed. */
bool abl_read_groups(abl_state *state);
