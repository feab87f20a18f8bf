/* Contexts, generations and deltas. Deltas are appended in time order. So the delta of a generation
 * at the current snapshot is either its newest one or does not exist; no lookup is needed. Births
 * that a heap log adds late are sorted when the log ends (blocks.c). */
#include <assert.h>

#include "model/build.h"

typedef struct context_probe {
    const mp_model *model;
    const mp_context *key;
} context_probe;

static bool same_context(const void *opaque, uint32_t value)
{
    const context_probe *probe = opaque;
    const mp_context *a = &probe->model->contexts.items[value], *b = probe->key;
    return a->node.i == b->node.i && a->line == b->line && a->type.i == b->type.i &&
           a->name.i == b->name.i && a->owner.i == b->owner.i && a->thread.i == b->thread.i &&
           a->session.i == b->session.i && a->old == b->old;
}

static uint64_t context_hash(const mp_context *key)
{
    const uint64_t words[] = {mp_joined(key->node.i, key->line),
                              mp_joined(key->name.i, key->owner.i),
                              mp_joined(key->session.i, key->type.i), key->thread.i};
    return mp_hash_words(words, 4);
}

mp_context_id mp_model_context(mp_model *model, const mp_context *key)
{
    assert(key->owner.i < model->contexts.count); /* owners are created before their objects */
    struct mp_model_private *private = model->private;
    MP_EXTEND(private->last_of_type, private->types_known, private->types_capacity,
              key->type.i + 1u);
    uint32_t *last = &private->last_of_type[key->type.i];
    context_probe probe = {model, key};
    if (!key->owner.i && *last && same_context(&probe, *last))
        return (mp_context_id){*last};
    uint64_t hash = context_hash(key);
    uint32_t *found = mp_hash_index_put(&private->contexts, hash, same_context, &probe);
    if (!*found) {
        mp_context *context = MP_ADD(&model->contexts);
        *context = *key;
        context->depth =
            (uint16_t)(key->owner.i ? model->contexts.items[key->owner.i].depth + 1 : 0);
        *found = model->contexts.count - 1;
    }
    *last = *found;
    return (mp_context_id){*found};
}

typedef struct generation_probe {
    const mp_model *model;
    const mp_generation *key;
} generation_probe;

static bool same_generation(const void *opaque, uint32_t value)
{
    const generation_probe *probe = opaque;
    const mp_generation *a = &probe->model->generations.items[value], *b = probe->key;
    return a->context.i == b->context.i && a->born.i == b->born.i && a->owner.i == b->owner.i &&
           a->marks == b->marks;
}

mp_generation_id mp_model_generation(mp_model *model, const mp_generation *key)
{
    assert(key->context.i && key->context.i < model->contexts.count);
    assert(key->born.i);
    assert(key->owner.i < model->generations.count); /* owners are created before their objects */
    generation_probe probe = {model, key};
    uint64_t hash =
        mp_hash_pair(mp_joined(key->context.i, key->born.i), mp_joined(key->owner.i, key->marks));
    uint32_t *found =
        mp_hash_index_put(&model->private->generations, hash, same_generation, &probe);
    if (!*found) {
        mp_generation *generation = MP_ADD(&model->generations);
        *generation = *key;
        generation->first_delta = generation->last_delta = 0;
        generation->reusable = model->contexts.items[key->context.i].reusable;
        *found = model->generations.count - 1;
    }
    return (mp_generation_id){*found};
}

mp_cost *mp_model_new_delta(mp_model *model, mp_generation_id generation_id,
                            mp_snapshot_id snapshot)
{
    assert(generation_id.i > MP_GENERATION_PENDING && generation_id.i < model->generations.count);
    assert(snapshot.i);
    mp_generation *generation = &model->generations.items[generation_id.i];
    mp_delta *delta = MP_ADD(&model->deltas);
    *delta = (mp_delta){.generation = generation_id, .snapshot = snapshot};
    generation->last_delta = model->deltas.count - 1;
    if (!generation->first_delta)
        generation->first_delta = generation->last_delta;
    return &delta->cost;
}
