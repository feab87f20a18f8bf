#include "recording.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t FIRST_ID = 1040;

bool recording_init(Recording *recording, const Plan *plan, const OempOptions *options,
                    Writer *writer)
{
    memset(recording, 0, sizeof *recording);
    recording->plan = plan;
    recording->options = options;
    recording->writer = writer;
    recording->last_id = FIRST_ID;
    recording->list_count = plan->work + 4;
    recording->due = calloc((size_t)recording->list_count, sizeof *recording->due);
    return recording->due != NULL;
}

void recording_free(Recording *recording)
{
    for (int i = 0; recording->due && i < recording->list_count; i++) {
        heap_free(&recording->due[i]);
    }
    free(recording->due);
    heap_free(&recording->created);
    heap_free(&recording->changed);
}

static Tally *tally_of(Recording *recording, int site)
{
    return plan_reusable(recording->plan, site) ? &recording->reusable : &recording->live;
}

// Objects that came and went between two snapshots leave a gap in the ids.
static uint64_t next_id(Recording *recording)
{
    recording->last_id += recording->objects % 5 == 0 ? 2 : 1;
    recording->objects++;
    return recording->last_id;
}

bool recording_create(Recording *recording, int site)
{
    const ShopSite *place = &recording->plan->shop.sites[site];
    int life = plan_life(recording->snapshot, recording->done[site]++);
    HeapObject object = {
        .id = next_id(recording),
        .owner = place->owner == SHOP_NONE ? 0 : recording->latest[place->owner],
        .table = place->plan->table == TABLE_NOW ? ++recording->last_table : 0,
        .site = (int16_t)site,
        .born = (int16_t)recording->snapshot,
        .life = (int8_t)life,
    };
    recording->latest[site] = object.id;
    Tally *tally = tally_of(recording, site);
    tally->objects++;
    tally->bytes += plan_size(recording->plan, site, life, 0);
    return heap_append(&recording->created, &object);
}

int64_t recording_size(const Recording *recording, const HeapObject *object)
{
    return plan_size(recording->plan, object->site, object->life,
                     recording->snapshot - object->born);
}

static int64_t size_before(const Recording *recording, const HeapObject *object)
{
    return plan_size(recording->plan, object->site, object->life,
                     recording->snapshot - 1 - object->born);
}

void recording_change(Recording *recording, HeapObject *object)
{
    if (recording->plan->shop.sites[object->site].plan->table == TABLE_LATER) {
        object->table = ++recording->last_table;
    }
    tally_of(recording, object->site)->bytes +=
        recording_size(recording, object) - size_before(recording, object);
}

void recording_delete(Recording *recording, const HeapObject *object)
{
    Tally *tally = tally_of(recording, object->site);
    tally->objects--;
    tally->bytes -= size_before(recording, object);
}

static int64_t spread(const Recording *recording, size_t index, size_t count)
{
    int64_t from = plan_time(recording->plan, recording->snapshot - 1);
    int64_t to = plan_time(recording->plan, recording->snapshot);
    return from + (to - from) / ((int64_t)count + 1) * ((int64_t)index + 1);
}

// Creations are stamped with even and deletions with odd times: none coincide.
void recording_stamp(Recording *recording)
{
    HeapList *created = &recording->created;
    for (size_t i = 0; i < created->count; i++) {
        created->items[i].time = spread(recording, i, created->count) / 2 * 2;
    }
}

int64_t recording_deletion_time(const Recording *recording, size_t index)
{
    return spread(recording, index, recording->due[recording->snapshot].count) | 1;
}

// 1 for an object that the high water is about, 0 for a reusable one that is counted apart.
static int64_t counted(const Recording *recording, const HeapObject *object)
{
    return plan_reusable(recording->plan, object->site) ? 0 : 1;
}

void recording_high_water(Recording *recording)
{
    const HeapList *created = &recording->created;
    const HeapList *deleted = &recording->due[recording->snapshot];
    // The totals are those of the end: go back to the start of the interval.
    int64_t live = recording->live.objects;
    for (size_t i = 0; i < created->count; i++) {
        live -= counted(recording, &created->items[i]);
    }
    for (size_t i = 0; i < deleted->count; i++) {
        live += counted(recording, &deleted->items[i]);
    }
    size_t gone = 0;
    for (size_t i = 0; i < created->count; i++) {
        while (gone < deleted->count &&
               recording_deletion_time(recording, gone) < created->items[i].time) {
            live -= counted(recording, &deleted->items[gone++]);
        }
        live += counted(recording, &created->items[i]);
        recording->high_water = live > recording->high_water ? live : recording->high_water;
    }
}

static void publish(Published *published, int index)
{
    if (index != SHOP_NONE && !published->ids[index]) {
        published->order[published->count++] = index;
        published->ids[index] = published->count;
    }
}

static void publish_node(Recording *recording, int node)
{
    if (node == SHOP_NONE || recording->nodes.ids[node]) {
        return;
    }
    const ShopNode *words = &recording->plan->shop.nodes[node];
    publish_node(recording, words->parent);
    publish(&recording->names, words->name);
    publish(&recording->nodes, node);
}

void recording_publish(Recording *recording)
{
    recording->names.fresh = recording->names.count;
    recording->others.fresh = recording->others.count;
    recording->nodes.fresh = recording->nodes.count;
    for (int site = 0; site < recording->plan->shop.site_count; site++) {
        const ShopSite *words = &recording->plan->shop.sites[site];
        if (recording->quota[site]) {
            publish_node(recording, words->node);
            publish(&recording->names, words->source);
            publish(&recording->others, words->other);
        }
    }
}
