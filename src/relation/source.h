/* Data shared by the rows of relations; private to src/relation. */
#ifndef MP_RELATION_SOURCE_H
#define MP_RELATION_SOURCE_H

#include "base/index.h"
#include "query/calls.h"
#include "query/graph_query.h"
#include "query/profile_costs.h"
#include "query/timeline.h"
#include "query/verdict.h"
#include "relation/relation.h"

struct mp_relation_source {
    const mp_model *model;
    const mp_filter *filter;
    const mp_window *window; /* NULL: the model has no ledger */
    const mp_diagnostics *diagnostics;
    /* Made by the functions below. */
    mp_graph_view *view;
    mp_calls *calls;
    mp_profile_costs *costs;
    mp_timeline *timeline;
    const mp_grouping *sites;
    const mp_site_verdict **site_verdicts; /* verdict of each site, by place; NULL: not judged */
    mp_symbol_id *site_names; /* name of all objects, by site; none: no name, or several */
    uint64_t *first_frame; /* place of each site's first frame; at the end, number of all frames */
    uint32_t peak_session, peak; /* the session that was asked for last; its peak */
    uint64_t frame_place;        /* the frame that was asked for last, by place, + 1 */
    mp_frame frame;
    mp_id_index objects; /* vertices of the graph by id, + 0 */
    bool has_objects;    /* the index was made; it is empty where an id occurs twice */
};

/* Return the groups by allocation site, or, of dumps, by type. */
const mp_grouping *mp_source_sites(mp_relation_source *source);
mp_graph_view *mp_source_view(mp_relation_source *source);
const mp_calls *mp_source_calls(mp_relation_source *source);
const mp_profile_costs *mp_source_costs(mp_relation_source *source);
const mp_timeline *mp_source_timeline(mp_relation_source *source);

/* Return the number of a session where there are several, else MP_UNKNOWN. */
int64_t mp_session_number(const mp_model *model, mp_session_id session);
/* Return the sequence number of a snapshot; MP_UNKNOWN of none. */
int64_t mp_snapshot_number(const mp_model *model, mp_snapshot_id snapshot);
/* Narrow places to the one that is the text, a whole number from 1; to none where it is not. */
void mp_find_number(const char *text, uint64_t *first, uint64_t *end);

/* The columns, their number and the size of the row. */
#define MP_FIELDS(table, row)                                                                      \
    .columns = (table), .column_count = sizeof(table) / sizeof *(table), .row_size = sizeof(row)
#define MP_WANTS(wanted, column) ((wanted) >> (column)&1)

#endif
