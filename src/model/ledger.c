/* Lots, cohorts and flows. Flows are appended in the order of time, so that the flow of a cohort at
 * the current mark is its newest one or does not exist: no look-up is needed. */
#include "model/build.h"
#include "model/private.h"

typedef struct lot_probe {
    const mp_model *model;
    const mp_lot *key;
} lot_probe;

static bool same_lot(const void *context, uint32_t value)
{
    const lot_probe *probe = context;
    const mp_lot *a = &probe->model->lots.at[value], *b = probe->key;
    return a->node.i == b->node.i && a->line == b->line && a->type.i == b->type.i &&
           a->name.i == b->name.i && a->owner.i == b->owner.i && a->thread.i == b->thread.i &&
           a->session.i == b->session.i;
}

static uint64_t lot_hash(const mp_lot *key)
{
    uint64_t hash = ((uint64_t)key->node.i << 32 | key->line) * 0x9e3779b97f4a7c15u;
    hash ^= ((uint64_t)key->name.i << 32 | key->owner.i) * 0xc2b2ae3d27d4eb4fu;
    hash ^= (uint64_t)key->thread.i * 0x165667b19e3779f9u;
    return mp_hash64(hash ^ ((uint64_t)key->session.i << 32 | key->type.i));
}

mp_lot_id mp_model_lot(mp_model *model, const mp_lot *key)
{
    lot_probe probe = {model, key};
    uint64_t hash = lot_hash(key);
    size_t place;
    uint32_t found = mp_hash_index_find(&model->private->lots, hash, same_lot, &probe, &place);
    if (!found) {
        mp_lot *lot = MP_ADD(&model->lots);
        *lot = *key;
        lot->depth = (uint16_t)(key->owner.i ? model->lots.at[key->owner.i].depth + 1 : 0);
        found = model->lots.count - 1;
        mp_hash_index_set(&model->private->lots, place, hash, found);
    }
    return (mp_lot_id){found};
}

typedef struct cohort_probe {
    const mp_model *model;
    mp_lot_id lot;
    mp_mark_id born, owner_born;
} cohort_probe;

static bool same_cohort(const void *context, uint32_t value)
{
    const cohort_probe *probe = context;
    const mp_cohort *cohort = &probe->model->cohorts.at[value];
    return cohort->lot.i == probe->lot.i && cohort->born.i == probe->born.i &&
           cohort->owner_born.i == probe->owner_born.i;
}

mp_cohort_id mp_model_cohort(mp_model *model, mp_lot_id lot, mp_mark_id born, mp_mark_id owner_born)
{
    cohort_probe probe = {model, lot, born, owner_born};
    uint64_t hash = mp_hash64(((uint64_t)lot.i << 32 | born.i) + mp_hash64(owner_born.i));
    size_t place;
    uint32_t found =
        mp_hash_index_find(&model->private->cohorts, hash, same_cohort, &probe, &place);
    if (!found) {
        *MP_ADD(&model->cohorts) = (mp_cohort){.lot = lot,
                                               .born = born,
                                               .owner_born = owner_born,
                                               .reusable = model->lots.at[lot.i].reusable};
        found = model->cohorts.count - 1;
        mp_hash_index_set(&model->private->cohorts, place, hash, found);
    }
    return (mp_cohort_id){found};
}

mp_cost *mp_model_flow(mp_model *model, mp_cohort_id cohort_id, mp_mark_id mark)
{
    mp_cohort *cohort = &model->cohorts.at[cohort_id.i];
    if (!cohort->last_flow || model->flows.at[cohort->last_flow].mark.i != mark.i) {
        *MP_ADD(&model->flows) = (mp_flow){.cohort = cohort_id, .mark = mark};
        cohort->last_flow = model->flows.count - 1;
    }
    return &model->flows.at[cohort->last_flow].cost;
}
