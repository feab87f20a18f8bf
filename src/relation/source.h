/* Data shared by the rows of relations; private to src/relation. */
#pragma once

#include "base/index.h"
#include "query/calls.h"
#include "query/graph_query.h"
#include "query/profile_costs.h"
#include "query/timeline.h"
#include "query/verdict.h"
#include "relation/relation.h"

/* Order of the keys of a relation; MP_KEYS_NOT_SEEN until it is checked. */
typedef enum mp_key_order { MP_KEYS_NOT_SEEN, MP_KEYS_ORDERED, MP_KEYS_MIXED } mp_key_order;

struct mp_relation_source {
    const mp_model *model;
    const mp_filter *filter;
    const mp_window *window; /* NULL: model without ledger */
    const mp_diagnostics *diagnostics;
    /* Results that the functions below cache; NULL: not yet computed. */
    mp_graph_view *view;
    mp_calls *calls;
    mp_profile_costs *costs;
    mp_timeline *timeline;
    struct mp_requests *requests;
    const mp_grouping *sites;
    const mp_site_verdict **site_verdicts; /* verdict by site; NULL: site without verdict */
    mp_symbol_id *site_names;              /* common name of a site's objects, by site; 0: none */
    uint64_t *first_frame;       /* place of each site's first frame; the last element is the number
                                  * of frames */
    uint32_t peak_session, peak; /* session of the last lookup of a peak; its peak snapshot */
    uint64_t frame_place;        /* 1 + the place of the frame that was looked up last */
    mp_frame frame;
    mp_id_index objects; /* graph vertex by object id */
    /* Place of each object in the preorder of dominators; 0: not reached. */
    uint32_t *preorder_places;
    mp_key_order *orders; /* indexed by relation */
    bool has_objects;     /* true if `objects` was built; it is empty if ids are not unique */
};

/* Return the groups by allocation site; for dumps, by type. */
const mp_grouping *mp_source_sites(mp_relation_source *source);
mp_graph_view *mp_source_view(mp_relation_source *source);
const mp_calls *mp_source_calls(mp_relation_source *source);
const mp_profile_costs *mp_source_costs(mp_relation_source *source);
const mp_timeline *mp_source_timeline(mp_relation_source *source);

/* Find the object of this id; 0: there is none. Return false if several may have the id, as in
 * several application domains. */
bool mp_source_find_object(mp_relation_source *source, const char *text, uint32_t *object);

/* Return the number of a session; MP_UNKNOWN if the model has only one. */
int64_t mp_session_number(const mp_model *model, mp_session_id session);
/* Return the sequence number of a snapshot; MP_UNKNOWN if the id is 0. */
int64_t mp_snapshot_number(const mp_model *model, mp_snapshot_id snapshot);

/* Initialise the columns, their count and the row size of an mp_relation. */
#define MP_FIELDS(table, row)                                                                      \
    .columns = (table), .column_count = sizeof(table) / sizeof *(table), .row_size = sizeof(row)
#define MP_WANTS(wanted, column) ((wanted) >> (column)&1)
