#include "oemp.h"

#include "heap.h"
#include "oemp_rows.h"
#include "recording.h"

#include <stddef.h>
#include <stdint.h>

// Creates the objects of the interval before the snapshot. The sites take turns, in as many rounds
// as the busiest has objects, so that an owner comes just before what is scoped to it.
static bool create_objects(Recording *recording)
{
    const Plan *plan = recording->plan;
    int born = recording->snapshot;
    int64_t rounds = 0;
    for (int site = 0; site < plan->shop.site_count; site++) {
        int64_t count = plan_created(plan, site, born);
        recording->quota[site] = count;
        recording->done[site] = 0;
        rounds = count > rounds ? count : rounds;
    }
    recording->created.count = 0;
    for (int64_t round = 1; round <= rounds; round++) {
        for (int site = 0; site < plan->shop.site_count; site++) {
            int64_t target = (recording->quota[site] * round + rounds - 1) / rounds;
            while (recording->done[site] < target) {
                if (!recording_create(recording, site)) {
                    return false;
                }
            }
        }
    }
    recording_stamp(recording);
    return true;
}

// Gives the objects that changed in the interval their new state; they are written later.
static bool change_objects(Recording *recording)
{
    int snapshot = recording->snapshot;
    recording->changed.count = 0;
    for (int due = snapshot + 1; due < recording->list_count; due++) {
        HeapList *list = &recording->due[due];
        for (size_t i = 0; i < list->count; i++) {
            HeapObject *object = &list->items[i];
            if (!plan_changed(recording->plan, object->site, object->born, snapshot)) {
                continue;
            }
            recording_change(recording, object);
            if (!heap_append(&recording->changed, object)) {
                return false;
            }
        }
    }
    return true;
}

static void delete_objects(Recording *recording)
{
    HeapList *list = &recording->due[recording->snapshot];
    heap_disturb(list);
    for (size_t i = 0; i < list->count; i++) {
        recording_delete(recording, &list->items[i]);
    }
}

static bool keep_created(Recording *recording)
{
    for (size_t i = 0; i < recording->created.count; i++) {
        const HeapObject *object = &recording->created.items[i];
        int due = plan_deleted_at(recording->plan, object->site, object->born, object->life);
        if (!heap_append(&recording->due[due], object)) {
            return false;
        }
    }
    return true;
}

static void write_snapshot(Recording *recording)
{
    rows_header(recording);
    rows_catalogs(recording);
    if (recording->options->version == 1) {
        rows_objects_mixed(recording);
        rows_platform(recording);
        rows_deleted(recording);
        rows_nodes(recording);
        rows_names(recording);
        rows_others(recording);
    } else {
        rows_platform(recording);
        rows_names(recording);
        rows_others(recording);
        rows_nodes(recording);
        rows_objects_new(recording);
        rows_objects_changed(recording);
        rows_deleted(recording);
    }
    rows_trailer(recording);
}

static bool record_snapshot(Recording *recording)
{
    const OempOptions *options = recording->options;
    int snapshot = recording->snapshot;
    if (!create_objects(recording) || !change_objects(recording)) {
        return false;
    }
    delete_objects(recording);
    recording_high_water(recording);
    recording_publish(recording);
    writer_mute(recording->writer,
                snapshot < options->first_sequence || snapshot > options->last_sequence);
    write_snapshot(recording);
    writer_mute(recording->writer, false);
    heap_free(&recording->due[snapshot]);
    return keep_created(recording);
}

bool oemp_write(const Plan *plan, const OempOptions *options, Writer *writer)
{
    Recording recording;
    bool good = recording_init(&recording, plan, options, writer);
    int last = plan_last_snapshot(plan);
    for (int snapshot = 1; good && snapshot <= last; snapshot++) {
        recording.snapshot = snapshot;
        good = record_snapshot(&recording);
    }
    recording_free(&recording);
    return good;
}
