#include "model/census.h"

#include <stdlib.h>

void mp_census_open(mp_census *census, mp_model *model, mp_session_id session)
{
    *census = (mp_census){.model = model, .session = session};
    model->holds |= MP_HOLDS_LEDGER | MP_HOLDS_HISTORY | MP_HOLDS_SITES;
}

void mp_census_close(mp_census *census)
{
    MP_FREE(census->entries, census->active, census->created, census->stocks);
    *census = (mp_census){0};
}

void mp_census_turn(mp_census *census, mp_session_id session)
{
    census->session = session;
    census->active_count = 0;
    census->tally = (mp_tally){0};
}

bool mp_census_affords(mp_census *census, int64_t bytes)
{
    return bytes >= 0 && mp_budget_take(&census->model->private->spent, bytes);
}

static mp_census_share *created_of(mp_census *census, mp_type_id type)
{
    MP_EXTEND(census->created, census->type_count, census->type_capacity, type.i + 1u);
    return &census->created[type.i];
}

static mp_generation_id generation_of(mp_census *census, const mp_context *context,
                                      mp_snapshot_id born)
{
    mp_context key = *context;
    key.session = census->session;
    return mp_model_generation(
        census->model,
        &(mp_generation){.context = mp_model_context(census->model, &key), .born = born});
}

/* Return the entry of the generation, after adding it to `active`. */
static mp_census_entry *active_entry_of(mp_census *census, mp_generation_id generation)
{
    MP_EXTEND(census->entries, census->entry_count, census->entry_capacity, generation.i + 1u);
    mp_census_entry *entry = &census->entries[generation.i];
    if (!entry->listed) {
        *MP_APPEND(census->active, census->active_count, census->active_capacity) = generation.i;
        entry->listed = true;
    }
    return entry;
}

mp_generation_id mp_census_object(mp_census *census, const mp_context *context, mp_snapshot_id born,
                                  int64_t bytes)
{
    mp_generation_id generation = generation_of(census, context, born);
    mp_census_entry *entry = active_entry_of(census, generation);
    entry->now.objects++;
    entry->now.bytes += bytes;
    return generation;
}

/* --- amounts by context --- */

/* Return how much of a generation is alive; `alive` is the number of live objects in it and in
 * younger generations. Objects count with their average size. */
static mp_census_share surviving(mp_census_share before, mp_census_share alive)
{
    mp_census_share kept = before;
    if (alive.objects < before.objects) {
        kept.objects = alive.objects;
        kept.bytes =
            (int64_t)((double)before.bytes * (double)alive.objects / (double)before.objects);
    }
    kept.bytes = kept.bytes < alive.bytes ? kept.bytes : alive.bytes;
    return kept;
}

/* Count objects that were created and deleted since the previous snapshot. */
static void count_passed(mp_census *census, mp_snapshot_id snapshot, mp_generation_id generation,
                         mp_census_share passed)
{
    mp_cost *cost = mp_model_delta(census->model, generation, snapshot);
    cost->created += passed.objects;
    cost->deleted += passed.objects;
    cost->created_bytes += passed.bytes;
    census->tally.created += passed.objects;
    census->tally.deleted += passed.objects;
}

void mp_census_stock(mp_census *census, const mp_context *context, mp_snapshot_id snapshot,
                     mp_census_share alive, const mp_census_share *made)
{
    mp_context key = *context;
    key.session = census->session;
    const mp_context_id id = mp_model_context(census->model, &key);
    MP_EXTEND(census->stocks, census->stock_count, census->stock_capacity, id.i + 1u);
    mp_census_stock_entry *stock = &census->stocks[id.i];
    uint32_t last = 0;
    for (uint32_t i = stock->oldest, younger; i; i = younger) {
        mp_census_entry *entry = &census->entries[i];
        younger = entry->younger;
        entry->now = surviving(entry->before, alive);
        alive.objects -= entry->now.objects;
        alive.bytes -= entry->now.bytes;
        if (entry->now.objects)
            last = i;
        else if (last)
            census->entries[last].younger = 0; /* it is gone, and all younger ones are gone too */
        else
            stock->oldest = 0;
    }
    const int64_t created = made ? made->bytes - stock->made.bytes : INT64_MAX;
    const int64_t most = alive.objects ? (created > 0 ? created : 0) : 0;
    if (last && alive.bytes > most) { /* the older objects are larger now than their average was */
        census->entries[last].now.bytes += alive.bytes - most;
        alive.bytes = most;
    }
    if (alive.objects) {
        mp_generation_id born = generation_of(census, context, snapshot);
        mp_census_entry *entry = active_entry_of(census, born);
        entry->now = alive;
        entry->younger = 0;
        *(last ? &census->entries[last].younger : &stock->oldest) = born.i;
    }
    if (!made) {
        census->model->holds |= MP_HOLDS_UNMADE;
        return;
    }
    const mp_census_share passed = {made->objects - stock->made.objects - alive.objects,
                                    made->bytes - stock->made.bytes - alive.bytes};
    if (passed.objects > 0)
        count_passed(census, snapshot, generation_of(census, context, snapshot),
                     (mp_census_share){passed.objects, passed.bytes > 0 ? passed.bytes : 0});
    stock->made = *made;
}

/* Enter the change of a generation since the previous snapshot into the ledger. */
static void enter_change(mp_census *census, mp_snapshot_id snapshot, mp_generation_id generation,
                         const mp_census_entry *entry)
{
    int64_t objects = entry->now.objects - entry->before.objects;
    int64_t bytes = entry->now.bytes - entry->before.bytes;
    if (!objects && !bytes)
        return;
    mp_cost *cost = mp_model_delta(census->model, generation, snapshot);
    cost->bytes += bytes;
    if (objects > 0) {
        mp_type_id type =
            census->model->contexts.items[census->model->generations.items[generation.i].context.i]
                .type;
        mp_census_share *created = created_of(census, type);
        int64_t grown = bytes > 0 ? bytes : 0;
        cost->created += objects;
        cost->created_bytes += grown;
        created->objects += objects;
        created->bytes += grown;
        census->tally.created += objects;
    } else {
        cost->deleted -= objects;
        census->tally.deleted -= objects;
    }
}

void mp_census_count(mp_census *census, mp_snapshot_id snapshot)
{
    size_t kept = 0;
    for (size_t i = 0; i < census->active_count; i++) {
        mp_generation_id generation = {census->active[i]};
        mp_census_entry *entry = &census->entries[generation.i];
        enter_change(census, snapshot, generation, entry);
        census->tally.live_objects += entry->now.objects - entry->before.objects;
        census->tally.live_bytes += entry->now.bytes - entry->before.bytes;
        entry->before = entry->now;
        entry->now = (mp_census_share){0, 0};
        entry->listed = entry->before.objects > 0;
        if (entry->listed)
            census->active[kept++] = generation.i;
    }
    census->active_count = kept;
}

void mp_census_passed(mp_census *census, mp_snapshot_id snapshot, mp_type_id type, int64_t total,
                      int64_t total_bytes)
{
    mp_census_share *created = created_of(census, type);
    int64_t objects = total - created->objects, bytes = total_bytes - created->bytes;
    if (objects <= 0 || !mp_census_affords(census, objects) || !mp_census_affords(census, total))
        return;
    bytes = bytes > 0 && mp_census_affords(census, bytes) ? bytes : 0;
    mp_generation_id generation = generation_of(census, &(mp_context){.type = type}, snapshot);
    count_passed(census, snapshot, generation, (mp_census_share){objects, bytes});
    created->objects += objects;
    created->bytes += bytes;
}

void mp_census_end(mp_census *census, mp_snapshot_id id)
{
    mp_model_end_snapshot(census->model, id, &census->tally);
}
