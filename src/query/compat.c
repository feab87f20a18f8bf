/* On its way out, see query.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/graph_builder.h"
#include "query/known.h"
#include "query/query.h"

mp_session_snapshots mp_session_snapshots_of(const mp_model *model)
{
    mp_session_snapshots snapshots = {
        mp_alloc(model->snapshots.count * sizeof *snapshots.at),
        mp_alloc_zero(model->sessions.count + 1u, sizeof *snapshots.first)};
    for (uint32_t i = 1; i < model->snapshots.count; i++)
        if (model->snapshots.at[i].whole)
            snapshots.first[model->snapshots.at[i].session.i + 1]++;
    for (uint32_t i = 1; i <= model->sessions.count; i++)
        snapshots.first[i] += snapshots.first[i - 1];
    /* Filling moves each session's start to its end, which is the next one's start. */
    for (uint32_t i = 1; i < model->snapshots.count; i++)
        if (model->snapshots.at[i].whole)
            snapshots.at[snapshots.first[model->snapshots.at[i].session.i]++] = i;
    for (uint32_t i = model->sessions.count; i > 0; i--)
        snapshots.first[i] = snapshots.first[i - 1];
    snapshots.first[0] = 0;
    return snapshots;
}

void mp_session_snapshots_free(mp_session_snapshots *snapshots)
{
    free(snapshots->at);
    free(snapshots->first);
    *snapshots = (mp_session_snapshots){NULL, NULL};
}

uint32_t mp_session_peak(const mp_model *model, const mp_session_snapshots *snapshots,
                         uint32_t session)
{
    uint32_t peak = 0;
    for (uint32_t i = snapshots->first[session]; i < snapshots->first[session + 1]; i++) {
        uint32_t snapshot = snapshots->at[i];
        if (!peak ||
            model->snapshots.at[snapshot].live_bytes > model->snapshots.at[peak].live_bytes)
            peak = snapshot;
    }
    return peak;
}

/* What the filter of the whole says, in the model itself. */
bool mp_sessions_cut(mp_model *model, mp_diagnostics *diagnostics)
{
    bool ok = mp_filter_check_ends(model, diagnostics);
    mp_filter *filter = mp_filter_of(model, NULL, NULL);
    for (uint32_t i = 0; i < model->snapshots.count; i++)
        model->snapshots.at[i].whole = filter->snapshots[i].whole;
    for (uint32_t i = 1; i < model->sessions.count; i++)
        model->sessions.at[i].snapshots = mp_filter_snapshots(filter, i);
    if (model->events && !filter->knows_peak)
        model->events->at_peak_count = 0;
    if (model->events)
        model->events->peak_time_us = filter->peak_time_us;
    if (model->graph && !filter->graph) {
        mp_graph_free(model->graph);
        model->graph = NULL;
    }
    model->holds = filter->holds;
    mp_filter_free(filter);
    return ok;
}
