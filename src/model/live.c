#include "model/live.h"

#include <stdlib.h>

#include "support/index.h"
#include "support/memory.h"

enum { BUCKET = 16, FIRST_BUCKETS = 64, STUCK = 255 };

/* Where a key goes: its bucket, its own place there, and a tag that is never 0. */
typedef struct spot {
    size_t bucket;
    unsigned place;
    uint8_t tag;
} spot;

static spot spot_of(const mp_live_set *set, uint64_t id)
{
    uint64_t hash = mp_hash64(id / BUCKET);
    unsigned place = (unsigned)(id % BUCKET);
    return (spot){(size_t)hash & set->mask, place, (uint8_t)((hash >> 56 | 0x80) ^ place)};
}

/* The place of `id` in `bucket`, or -1. */
static int place_in(const mp_live_set *set, const spot *at, size_t bucket, uint64_t id)
{
    const uint8_t *tags = set->tags + bucket * BUCKET;
    const uint32_t *places = set->places + bucket * BUCKET;
    if (tags[at->place] == at->tag && set->objects[places[at->place] - 1].id == id)
        return (int)at->place;
    for (int i = 0; i < BUCKET; i++)
        if (tags[i] == at->tag && set->objects[places[i] - 1].id == id)
            return i;
    return -1;
}

/* Index + 1 into set->places, or 0. */
static size_t search(const mp_live_set *set, uint64_t id)
{
    if (!set->places)
        return 0;
    spot at = spot_of(set, id);
    for (size_t tried = 0, bucket = at.bucket; tried <= set->mask; tried++) {
        int place = place_in(set, &at, bucket, id);
        if (place >= 0)
            return bucket * BUCKET + (size_t)place + 1;
        if (!set->overflows[bucket])
            return 0;
        bucket = (bucket + 1) & set->mask;
    }
    return 0;
}

/* Enter an id that is not there; there is room. */
static void enter(mp_live_set *set, uint64_t id, uint32_t object)
{
    spot at = spot_of(set, id);
    for (size_t bucket = at.bucket;; bucket = (bucket + 1) & set->mask) {
        uint8_t *tags = set->tags + bucket * BUCKET;
        int place = tags[at.place] ? -1 : (int)at.place;
        for (int i = 0; place < 0 && i < BUCKET; i++)
            if (!tags[i])
                place = i;
        if (place >= 0) {
            tags[place] = at.tag;
            set->places[bucket * BUCKET + (size_t)place] = object + 1;
            return;
        }
        if (set->overflows[bucket] < STUCK)
            set->overflows[bucket]++;
    }
}

static void grow(mp_live_set *set)
{
    size_t old_places = set->places ? (set->mask + 1) * BUCKET : 0;
    uint32_t *places = set->places;
    size_t buckets = old_places ? (set->mask + 1) * 2 : FIRST_BUCKETS;
    free(set->tags);
    free(set->overflows);
    set->mask = buckets - 1;
    set->places = mp_alloc_zero(buckets * BUCKET, sizeof *set->places);
    set->tags = mp_alloc_zero(buckets, BUCKET);
    set->overflows = mp_alloc_zero(buckets, 1);
    for (size_t i = 0; i < old_places; i++)
        if (places[i])
            enter(set, set->objects[places[i] - 1].id, places[i] - 1);
    free(places);
}

mp_live_object *mp_live_find(const mp_live_set *set, uint64_t id)
{
    size_t found = search(set, id);
    return found ? &set->objects[set->places[found - 1] - 1] : NULL;
}

mp_live_object *mp_live_put(mp_live_set *set, uint64_t id, bool *is_new)
{
    mp_live_object *object = mp_live_find(set, id);
    *is_new = !object;
    if (object)
        return object;
    if (!set->places || (set->count + 1) * 10 > (set->mask + 1) * BUCKET * 7)
        grow(set);
    uint32_t at;
    if (set->first_free) {
        at = set->first_free - 1;
        set->first_free = set->objects[at].next_free;
    } else {
        at = (uint32_t)set->used++;
        mp_grow(&set->objects, &set->capacity, set->used, sizeof *set->objects);
    }
    set->count++;
    set->objects[at] = (mp_live_object){.id = id};
    enter(set, id, at);
    return &set->objects[at];
}

bool mp_live_take(mp_live_set *set, uint64_t id, mp_live_object *object)
{
    size_t found = search(set, id);
    if (!found)
        return false;
    size_t place = found - 1;
    uint32_t at = set->places[place] - 1;
    *object = set->objects[at];
    set->objects[at].next_free = set->first_free;
    set->first_free = at + 1;
    set->tags[place] = 0;
    set->places[place] = 0;
    set->count--;
    for (size_t bucket = spot_of(set, id).bucket; bucket != place / BUCKET;
         bucket = (bucket + 1) & set->mask)
        if (set->overflows[bucket] < STUCK)
            set->overflows[bucket]--;
    return true;
}

void mp_live_free(mp_live_set *set)
{
    free(set->objects);
    free(set->places);
    free(set->tags);
    free(set->overflows);
    *set = (mp_live_set){0};
}
