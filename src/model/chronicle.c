#include "model/chronicle.h"

#include <stdlib.h>

#include "model/build.h"
#include "model/live.h"

/* What is known of an id: how it is now, and its place in model->objects as it was at the last
 * mark. */
typedef struct record {
    uint64_t id;
    int64_t bytes;
    mp_cohort_id cohort;
    uint32_t object; /* 0: it was not there */
    bool alive, touched;
    bool apart; /* the id is another record's by now */
} record;

struct mp_chronicle {
    mp_model *model;
    mp_live_set places; /* id to place in records, as a cohort */
    record *records;    /* from 1 */
    size_t count, capacity;
    uint32_t *unused; /* places that were given back */
    size_t unused_count, unused_capacity;
    uint32_t *touched; /* places, since the last mark */
    size_t touched_count, touched_capacity;
    mp_mark_id last; /* that ended */
};

mp_chronicle *mp_chronicle_new(mp_model *model)
{
    mp_chronicle *chronicle = mp_alloc_zero(1, sizeof *chronicle);
    chronicle->model = model;
    return chronicle;
}

void mp_chronicle_free(mp_chronicle *chronicle)
{
    if (!chronicle)
        return;
    mp_live_free(&chronicle->places);
    free(chronicle->records);
    free(chronicle->unused);
    free(chronicle->touched);
    free(chronicle);
}

static void push(uint32_t **list, size_t *count, size_t *capacity, uint32_t place)
{
    mp_grow(list, capacity, *count + 1, sizeof **list);
    (*list)[(*count)++] = place;
}

static uint32_t new_record(mp_chronicle *chronicle, uint64_t id)
{
    uint32_t place;
    if (chronicle->unused_count) {
        place = chronicle->unused[--chronicle->unused_count];
    } else {
        place = (uint32_t)++chronicle->count;
        mp_grow(&chronicle->records, &chronicle->capacity, place + 1u, sizeof *chronicle->records);
    }
    chronicle->records[place] = (record){.id = id};
    return place;
}

static record *record_of(mp_chronicle *chronicle, uint64_t id, bool make)
{
    const mp_live_object *found = mp_live_find(&chronicle->places, id);
    if (found)
        return &chronicle->records[found->cohort];
    if (!make)
        return NULL;
    uint32_t place = new_record(chronicle, id);
    mp_live_add(&chronicle->places, id, place);
    return &chronicle->records[place];
}

static void touch(mp_chronicle *chronicle, record *at)
{
    if (!at->touched)
        push(&chronicle->touched, &chronicle->touched_count, &chronicle->touched_capacity,
             (uint32_t)(at - chronicle->records));
    at->touched = true;
}

void mp_chronicle_change(mp_chronicle *chronicle, uint64_t id, int64_t bytes, mp_cohort_id cohort)
{
    if (chronicle->model->cohorts.at[cohort.i].reusable) {
        mp_chronicle_death(chronicle, id);
        return;
    }
    record *at = record_of(chronicle, id, true);
    at->alive = true;
    at->bytes = bytes;
    at->cohort = cohort;
    touch(chronicle, at);
}

void mp_chronicle_birth(mp_chronicle *chronicle, uint64_t id, int64_t bytes, mp_cohort_id cohort)
{
    mp_chronicle_change(chronicle, id, bytes, cohort);
}

/* What was at the id until the next mark gets a record of its own. */
static void set_apart(mp_chronicle *chronicle, uint64_t id)
{
    const record *at = record_of(chronicle, id, false);
    if (!at || !at->object)
        return;
    uint32_t place = new_record(chronicle, id);
    record *apart = &chronicle->records[place];
    at = record_of(chronicle, id, false);
    apart->object = at->object;
    apart->apart = true;
    touch(chronicle, apart);
}

void mp_chronicle_found(mp_chronicle *chronicle, uint64_t id, int64_t bytes, mp_cohort_id cohort,
                        mp_mark_id since)
{
    set_apart(chronicle, id);
    mp_chronicle_change(chronicle, id, bytes, cohort);
    record *at = record_of(chronicle, id, false);
    if (!at || chronicle->last.i < since.i)
        return;
    *MP_ADD(&chronicle->model->objects) =
        (mp_object){.id = id, .bytes = bytes, .cohort = cohort, .from = since};
    at->object = chronicle->model->objects.count - 1;
}

void mp_chronicle_death(mp_chronicle *chronicle, uint64_t id)
{
    record *at = record_of(chronicle, id, false);
    if (!at)
        return;
    at->alive = false;
    touch(chronicle, at);
}

/* The object from this mark on. */
static void write_down(mp_model *model, record *at, mp_mark_id mark)
{
    if (at->object) {
        mp_object *before = &model->objects.at[at->object];
        if (at->alive && before->bytes == at->bytes && before->cohort.i == at->cohort.i)
            return;
        before->until = mark;
        at->object = 0;
    }
    if (!at->alive)
        return;
    *MP_ADD(&model->objects) =
        (mp_object){.id = at->id, .bytes = at->bytes, .cohort = at->cohort, .from = mark};
    at->object = model->objects.count - 1;
}

void mp_chronicle_end_mark(mp_chronicle *chronicle, mp_mark_id mark)
{
    for (size_t i = 0; i < chronicle->touched_count; i++) {
        uint32_t place = chronicle->touched[i];
        record *at = &chronicle->records[place];
        write_down(chronicle->model, at, mark);
        at->touched = false;
        if (at->alive)
            continue;
        if (!at->apart)
            mp_live_remove(&chronicle->places, mp_live_find(&chronicle->places, at->id));
        push(&chronicle->unused, &chronicle->unused_count, &chronicle->unused_capacity, place);
    }
    chronicle->touched_count = 0;
    chronicle->last = mark;
}
