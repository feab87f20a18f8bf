#include "relation/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "query/requests.h"

mp_relation_source *mp_relation_source_new(const mp_filter *filter, const mp_window *window,
                                           const mp_diagnostics *diagnostics)
{
    mp_relation_source *source = mp_alloc_zero(1, sizeof *source);
    size_t relations;
    (void)mp_relations(&relations);
    source->orders = mp_alloc_zero(relations, sizeof *source->orders);
    source->model = filter->model;
    source->filter = filter;
    source->window = window;
    source->diagnostics = diagnostics;
    return source;
}

unsigned mp_relation_holds(const mp_relation_source *source)
{
    return source->model->holds;
}

void mp_relation_source_free(mp_relation_source *source)
{
    if (!source)
        return;
    if (source->view)
        mp_graph_view_free(source->view);
    if (source->calls)
        mp_calls_free(source->calls);
    if (source->costs)
        mp_profile_costs_free(source->costs);
    if (source->timeline)
        free(source->timeline->items);
    if (source->requests)
        mp_requests_free(source->requests);
    MP_FREE(source->requests, source->view, source->calls, source->costs, source->timeline,
            source->orders, source->site_verdicts, source->site_names, source->first_frame,
            source->preorder_places);
    mp_id_index_free(&source->objects);
    free(source);
}

const char *mp_recording_name(const mp_model *model, mp_arena *arena)
{
    char text[MP_CHECKSUM_TEXT] = "";
    mp_text_buffer sums = {0};
    bool known = model->inputs.count > 1;
    for (uint32_t i = 1; i < model->inputs.count; i++) {
        known &= model->inputs.items[i].checksum.known;
        mp_checksum_text(&model->inputs.items[i].checksum, text);
        mp_text_put(&sums, text, strlen(text));
    }
    if (model->inputs.count > 2) {
        const mp_checksum sum = mp_checksum_of_text(sums.text, sums.length);
        mp_checksum_text(&sum, text);
    }
    free(sums.text);
    return known ? mp_arena_copy(arena, text, strlen(text)) : NULL;
}

bool mp_relation_fits(const mp_relation *relation, const mp_relation_source *source)
{
    return (source->filter->holds & relation->needs) == relation->needs;
}

static size_t number_of(const mp_relation *relation)
{
    size_t count, i = 0;
    const mp_relation *const *relations = mp_relations(&count);
    while (relations[i] != relation)
        i++;
    return i;
}

bool mp_relation_is_ordered(const mp_relation *relation, mp_relation_source *source)
{
    mp_key_order *state = &source->orders[number_of(relation)];
    if (*state == MP_KEYS_NOT_SEEN) {
        const uint64_t count = relation->count(source);
        uint64_t place = 1;
        while (place < count &&
               relation->order(source, place - 1) <= relation->order(source, place))
            place++;
        *state = place >= count ? MP_KEYS_ORDERED : MP_KEYS_MIXED;
    }
    return *state == MP_KEYS_ORDERED;
}

const mp_grouping *mp_source_sites(mp_relation_source *source)
{
    if (!source->sites) {
        const mp_dimension *site = mp_dimension_find("site");
        const bool fits = mp_dimension_fits(site, source->model);
        source->sites =
            mp_window_groups(source->window, fits ? site : mp_dimension_find("type"), 0);
    }
    return source->sites;
}

mp_graph_view *mp_source_view(mp_relation_source *source)
{
    if (!source->view) {
        source->view = mp_alloc(sizeof *source->view);
        *source->view = mp_graph_view_of(source->filter);
    }
    return source->view;
}

const mp_calls *mp_source_calls(mp_relation_source *source)
{
    if (!source->calls) {
        source->calls = mp_alloc(sizeof *source->calls);
        *source->calls = mp_calls_of_profile(source->filter, NULL);
    }
    return source->calls;
}

const mp_profile_costs *mp_source_costs(mp_relation_source *source)
{
    if (!source->costs) {
        source->costs = mp_alloc(sizeof *source->costs);
        *source->costs = mp_profile_costs_of(source->filter);
    }
    return source->costs;
}

const mp_timeline *mp_source_timeline(mp_relation_source *source)
{
    if (!source->timeline) {
        source->timeline = mp_alloc(sizeof *source->timeline);
        *source->timeline = mp_timeline_of(source->filter);
    }
    return source->timeline;
}

int64_t mp_session_number(const mp_model *model, mp_session_id session)
{
    return model->sessions.count > 2 ? (int64_t)session.i : MP_UNKNOWN;
}

int64_t mp_snapshot_number(const mp_model *model, mp_snapshot_id snapshot)
{
    return snapshot.i ? (int64_t)model->snapshots.items[snapshot.i].sequence : MP_UNKNOWN;
}
