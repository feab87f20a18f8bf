#include "model/census.h"

#include <stdlib.h>

#include "model/private.h"

void mp_census_open(mp_census *census, mp_model *model, mp_session_id session)
{
    *census = (mp_census){.model = model, .session = session};
    model->holds |= MP_HOLDS_LEDGER | MP_HOLDS_HISTORY;
}

void mp_census_close(mp_census *census)
{
    free(census->entries);
    free(census->active);
    free(census->created);
    *census = (mp_census){0};
}

bool mp_census_affords(mp_census *census, int64_t bytes)
{
    return bytes >= 0 && mp_budget_take(&census->model->private->spent, bytes);
}

static mp_census_entry *entry_of(mp_census *census, mp_cohort_id cohort)
{
    mp_grow(&census->entries, &census->entry_capacity, cohort.i + 1u, sizeof *census->entries);
    while (census->entry_count <= cohort.i)
        census->entries[census->entry_count++] = (mp_census_entry){0};
    return &census->entries[cohort.i];
}

static mp_census_share *created_of(mp_census *census, mp_type_id type)
{
    mp_grow(&census->created, &census->type_capacity, type.i + 1u, sizeof *census->created);
    while (census->type_count <= type.i)
        census->created[census->type_count++] = (mp_census_share){0, 0};
    return &census->created[type.i];
}

mp_cohort_id mp_census_object(mp_census *census, const mp_lot *lot, mp_mark_id born, int64_t bytes)
{
    mp_lot key = *lot;
    key.session = census->session;
    mp_cohort_id cohort =
        mp_model_cohort(census->model, mp_model_lot(census->model, &key), born, (mp_mark_id){0});
    mp_census_entry *entry = entry_of(census, cohort);
    if (!entry->listed) {
        mp_grow(&census->active, &census->active_capacity, census->active_count + 1,
                sizeof *census->active);
        census->active[census->active_count++] = cohort.i;
        entry->listed = true;
    }
    entry->now.objects++;
    entry->now.bytes += bytes;
    return cohort;
}

/* A cohort's step from one mark to the next. */
static void enter_change(mp_census *census, mp_mark_id mark, mp_cohort_id cohort,
                         const mp_census_entry *entry)
{
    int64_t objects = entry->now.objects - entry->before.objects;
    int64_t bytes = entry->now.bytes - entry->before.bytes;
    if (!objects && !bytes)
        return;
    mp_cost *cost = mp_model_flow(census->model, cohort, mark);
    cost->bytes += bytes;
    if (objects > 0) {
        mp_type_id type = census->model->lots.at[census->model->cohorts.at[cohort.i].lot.i].type;
        mp_census_share *created = created_of(census, type);
        int64_t grown = bytes > 0 ? bytes : 0;
        cost->created += objects;
        cost->created_bytes += grown;
        created->objects += objects;
        created->bytes += grown;
        census->created_objects += objects;
    } else {
        cost->deleted -= objects;
        census->deleted_objects -= objects;
    }
}

void mp_census_count(mp_census *census, mp_mark_id mark)
{
    size_t kept = 0;
    for (size_t i = 0; i < census->active_count; i++) {
        mp_cohort_id cohort = {census->active[i]};
        mp_census_entry *entry = &census->entries[cohort.i];
        enter_change(census, mark, cohort, entry);
        census->live.objects += entry->now.objects - entry->before.objects;
        census->live.bytes += entry->now.bytes - entry->before.bytes;
        entry->before = entry->now;
        entry->now = (mp_census_share){0, 0};
        entry->listed = entry->before.objects > 0;
        if (entry->listed)
            census->active[kept++] = cohort.i;
    }
    census->active_count = kept;
}

void mp_census_passed(mp_census *census, mp_mark_id mark, mp_type_id type, int64_t total,
                      int64_t total_bytes)
{
    mp_census_share *created = created_of(census, type);
    int64_t objects = total - created->objects, bytes = total_bytes - created->bytes;
    if (objects <= 0 || !mp_census_affords(census, objects) || !mp_census_affords(census, total))
        return;
    bytes = bytes > 0 && mp_census_affords(census, bytes) ? bytes : 0;
    mp_lot key = {.type = type, .session = census->session};
    mp_cohort_id cohort =
        mp_model_cohort(census->model, mp_model_lot(census->model, &key), mark, (mp_mark_id){0});
    mp_cost *cost = mp_model_flow(census->model, cohort, mark);
    cost->created += objects;
    cost->deleted += objects;
    cost->created_bytes += bytes;
    created->objects += objects;
    created->bytes += bytes;
    census->created_objects += objects;
    census->deleted_objects += objects;
}

void mp_census_end(mp_census *census, mp_mark_id id)
{
    mp_mark *mark = &census->model->marks.at[id.i];
    mark->whole = true;
    mark->ordinal = ++census->model->sessions.at[census->session.i].marks;
    mark->created_objects = census->created_objects;
    mark->deleted_objects = census->deleted_objects;
    mark->live_objects = census->live.objects;
    mark->live_bytes = census->live.bytes;
    census->created_objects = census->deleted_objects = 0;
}
