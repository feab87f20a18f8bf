/* All questions to heaps. */
#ifndef MP_QUERY_QUERY_H
#define MP_QUERY_QUERY_H

#include "query/group.h"
#include "query/labels.h"
#include "query/leaks.h"
#include "query/platform.h"
#include "query/window.h"

/* On their way out. */
mp_session_snapshots mp_session_snapshots_of(const mp_model *model);
void mp_session_snapshots_free(mp_session_snapshots *snapshots);
uint32_t mp_session_peak(const mp_model *model, const mp_session_snapshots *snapshots,
                         uint32_t session);
bool mp_sessions_cut(mp_model *model, mp_diagnostics *diagnostics);

#endif
