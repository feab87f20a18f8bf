/* All questions to heaps. */
#ifndef MP_QUERY_QUERY_H
#define MP_QUERY_QUERY_H

#include "query/group.h"
#include "query/labels.h"
#include "query/leaks.h"
#include "query/platform.h"
#include "query/window.h"

/* --- on their way out: results that the caller owns and sorts in place --- */

mp_grouping mp_group_by(const mp_window *window, const mp_dimension *dimension);
mp_grouping mp_group_growth(const mp_window *window, const mp_dimension *dimension);
void mp_grouping_free(mp_grouping *grouping);

typedef int mp_group_order(const mp_group *a, const mp_group *b);
mp_group_order mp_order_by_bytes;     /* alive at `to` */
mp_group_order mp_order_by_objects;   /* alive at `to` */
mp_group_order mp_order_by_inclusive; /* bytes alive at `to`, with what is scoped to them */
mp_group_order mp_order_by_created;
mp_group_order mp_order_by_deleted;
mp_group_order mp_order_by_allocated;      /* bytes created */
mp_group_order mp_order_by_peak;           /* bytes alive when most were */
mp_group_order mp_order_by_temporary;      /* bytes */
mp_group_order mp_order_by_change;         /* of bytes, largest absolute value first */
mp_group_order mp_order_by_change_objects; /* of objects, likewise */
mp_group_order mp_order_by_label;
void mp_grouping_sort(mp_grouping *grouping, mp_group_order *order);

mp_leaks mp_leaks_find(const mp_window *window);
void mp_leaks_free(mp_leaks *leaks);
typedef int mp_leak_order(const mp_leak *a, const mp_leak *b);
void mp_leaks_sort(mp_leaks *leaks, mp_leak_order *order);

mp_session_snapshots mp_session_snapshots_of(const mp_model *model);
void mp_session_snapshots_free(mp_session_snapshots *snapshots);
uint32_t mp_session_peak(const mp_model *model, const mp_session_snapshots *snapshots,
                         uint32_t session);
bool mp_sessions_cut(mp_model *model, mp_diagnostics *diagnostics);

#endif
