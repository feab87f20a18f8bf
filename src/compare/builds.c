#include "compare/builds.h"

#include <stdlib.h>
#include <string.h>

void mp_builds_free(mp_builds *builds)
{
    mp_dictionary_free(builds->dictionary);
    mp_key_index_free(&builds->index);
    MP_FREE(builds->items, builds->sites, builds->points);
    *builds = (mp_builds){.count = 0};
}

/* --- adding --- */

/* Translation of texts and frames from one dictionary to another, without line numbers. */
typedef struct translation {
    const mp_dictionary *from;
    mp_dictionary *to;
    uint32_t *frames; /* frame in `to`, by frame in `from` */
} translation;

static uint32_t text_of(const translation *by, uint32_t text)
{
    return mp_dictionary_id(by->to, mp_dictionary_text(by->from, text));
}

/* Translate all frames. Callers have smaller numbers than their callees, so one pass suffices. */
static translation translation_of(const mp_dictionary *from, mp_dictionary *dictionary)
{
    uint32_t count = mp_dictionary_frame_count(from);
    translation by = {from, dictionary, mp_alloc_zero(count + 1u, sizeof *by.frames)};
    for (uint32_t i = 1; i <= count; i++) {
        const mp_frame_key *frame = mp_dictionary_frame_at(from, i);
        mp_frame_key frame_key = {.caller = by.frames[frame->caller],
                                  .name = text_of(&by, frame->name),
                                  .line = MP_NO_LINE,
                                  .allocator = frame->allocator};
        by.frames[i] = mp_dictionary_frame(dictionary, frame_key);
    }
    return by;
}

static uint32_t site_for(mp_builds *builds, mp_entry_key key)
{
    /* types of event logs are inferred and may differ */
    bool typed = !(builds->holds & MP_HOLDS_EVENTS) || !key.frame;
    const uint32_t parts[] = {key.frame, key.program, typed ? key.type : 0, key.name};
    uint32_t *place = mp_key_index_put(&builds->index, parts, sizeof parts);
    if (!*place) {
        *MP_APPEND(builds->sites, builds->site_count, builds->site_capacity) =
            (mp_built_site){.key = key};
        *place = (uint32_t)builds->site_count;
    }
    return *place - 1;
}

/* Add the amount of an entry to its site in the build that is being added. Entries that differ only
 * in lines belong to one site. Return the index of the site. */
static uint32_t add_entry(mp_builds *builds, mp_entry_key key, int64_t amount)
{
    uint32_t build = (uint32_t)builds->count, place = site_for(builds, key);
    mp_built_site *site = &builds->sites[place];
    bool again = site->count && builds->points[site->point].build == build;
    site->key = key; /* the latest build determines an inferred type */
    if (again) {
        builds->points[site->point].amount += amount;
        return place;
    }
    mp_grow(&builds->points, &builds->point_capacity, builds->point_count + 1,
            sizeof *builds->points);
    builds->points[builds->point_count] = (mp_built_point){place, build, amount};
    /* last point of the site, until mp_builds_settle */
    site->point = (uint32_t)builds->point_count++;
    site->count++;
    return place;
}

static bool fits(const mp_builds *builds, const mp_digest *digest, mp_error *error)
{
    if (!builds->count)
        return true;
    if (strcmp(builds->noun, digest->noun) != 0)
        return mp_fail(error, MP_ERROR_ARGUMENT,
                       "%s is %s and %s is %s; a trend needs recordings of one kind",
                       builds->items[0].path, builds->noun, digest->path, digest->noun);
    if (strcmp(digest->conditions, builds->conditions) != 0)
        return mp_fail(
            error, MP_ERROR_ARGUMENT, "%s has %s, and %s has %s; use the same options for all",
            builds->items[0].path, *builds->conditions ? builds->conditions : "no options",
            digest->path, *digest->conditions ? digest->conditions : "none");
    return true;
}

/* Return true if an entry leaks more than another (NULL: none), in the order of `leaks`. */
static bool leaks_more(const mp_dictionary *dictionary, const mp_entry *entry,
                       const mp_entry *other)
{
    const mp_amounts *a = &entry->amounts, *b = other ? &other->amounts : NULL;
    if (!b || a->leaking_bytes != b->leaking_bytes)
        return a->leaking_bytes > (b ? b->leaking_bytes : 0);
    if (a->leaked_bytes != b->leaked_bytes)
        return a->leaked_bytes > b->leaked_bytes;
    if (a->leaked_objects != b->leaked_objects)
        return a->leaked_objects > b->leaked_objects;
    const int order = strcmp(mp_dictionary_text(dictionary, entry->key.type),
                             mp_dictionary_text(dictionary, other->key.type));
    const uint32_t name = mp_dictionary_frame_at(dictionary, entry->key.frame)->name,
                   other_name = mp_dictionary_frame_at(dictionary, other->key.frame)->name;
    return order ? order < 0
                 : strcmp(mp_dictionary_text(dictionary, name),
                          mp_dictionary_text(dictionary, other_name)) < 0;
}

bool mp_builds_add(mp_builds *builds, const mp_digest *digest, const mp_dictionary *dictionary,
                   mp_error *error)
{
    if (!fits(builds, digest, error))
        return false;
    if (!builds->dictionary)
        builds->dictionary = mp_dictionary_new();
    builds->kind = digest->kind;
    builds->unmatched = digest->unmatched & (builds->count ? builds->unmatched : digest->unmatched);
    builds->holds |=
        mp_kind_holds(digest->kind) | (digest->holds & (MP_HOLDS_UNSIZED | MP_HOLDS_UNCOUNTED |
                                                        MP_HOLDS_SAMPLES | MP_HOLDS_UNCALLED));
    bool profile = builds->holds & MP_HOLDS_PROFILE;
    mp_dictionary *state = builds->dictionary;
    translation by = translation_of(dictionary, state);
    const mp_entries *entries = &digest->lists[profile ? MP_LEVEL_METHOD : MP_LEVEL_SITE];
    builds->noun = mp_dictionary_text(state, mp_dictionary_id(state, digest->noun));
    builds->conditions = mp_dictionary_text(state, mp_dictionary_id(state, digest->conditions));
    mp_build build = {.path = mp_dictionary_text(state, mp_dictionary_id(state, digest->path)),
                      .start_us = digest->start_us,
                      .complete = digest->complete,
                      .cut = !digest->complete && !digest->of_moment,
                      .of_moment = digest->of_moment,
                      .totals = digest->totals,
                      .open_ended = digest->open_ended,
                      .damaged = digest->damaged || digest->torn};
    size_t before = builds->point_count;
    const mp_entry *worst = NULL;
    for (size_t i = 0; i < entries->count; i++) {
        const mp_entry *entry = &entries->items[i];
        int64_t amount = profile ? entry->amounts.exclusive_us : entry->amounts.bytes;
        mp_entry_key key = {.type = text_of(&by, entry->key.type),
                            .name = text_of(&by, entry->key.name),
                            .program = text_of(&by, entry->key.program),
                            .frame = by.frames[entry->key.frame],
                            .line = MP_NO_LINE};
        build.amount += amount;
        if (!amount)
            continue;
        const uint32_t place = add_entry(builds, key, amount);
        if (leaks_more(dictionary, entry, worst)) {
            worst = entry;
            build.leaking_bytes = entry->amounts.leaking_bytes;
            build.worst = place;
        }
    }
    build.sites = (uint32_t)(builds->point_count - before);
    *MP_APPEND(builds->items, builds->count, builds->capacity) = build;
    free(by.frames);
    return true;
}

/* --- order --- */

const mp_build *mp_builds_timeless(const mp_builds *builds)
{
    for (size_t i = 0; i < builds->count; i++)
        if (!builds->items[i].start_us)
            return &builds->items[i];
    return NULL;
}

typedef struct placed {
    mp_build build;
    uint32_t was;
    bool by_time;
} placed;

static int by_order(const void *left, const void *right)
{
    const placed *a = left, *b = right;
    if (a->by_time && a->build.start_us != b->build.start_us)
        return a->build.start_us < b->build.start_us ? -1 : 1;
    int order = strverscmp(a->build.path, b->build.path);
    return order ? order : MP_COMPARE(a->was, b->was);
}

static int by_build(const void *left, const void *right)
{
    const mp_built_point *a = left, *b = right;
    return MP_COMPARE(a->build, b->build);
}

/* Sort the points by site with a counting sort, then the points of each site by build. */
static void sort_points(mp_builds *builds)
{
    mp_built_point *sorted = mp_alloc((builds->point_count + 1) * sizeof *sorted);
    uint32_t next = 0;
    for (size_t i = 0; i < builds->site_count; i++) {
        builds->sites[i].point = next;
        next += builds->sites[i].count;
        builds->sites[i].count = 0;
    }
    for (size_t i = 0; i < builds->point_count; i++) {
        mp_built_site *site = &builds->sites[builds->points[i].site];
        sorted[site->point + site->count++] = builds->points[i];
    }
    free(builds->points);
    builds->points = sorted;
    builds->point_capacity = builds->point_count + 1;
    for (size_t i = 0; i < builds->site_count; i++)
        qsort(&sorted[builds->sites[i].point], builds->sites[i].count, sizeof *sorted, by_build);
}

void mp_builds_settle(mp_builds *builds, bool by_time)
{
    placed *order = mp_alloc((builds->count + 1) * sizeof *order);
    uint32_t *place = mp_alloc((builds->count + 1) * sizeof *place);
    for (size_t i = 0; i < builds->count; i++)
        order[i] = (placed){builds->items[i], (uint32_t)i, by_time};
    if (builds->count)
        qsort(order, builds->count, sizeof *order, by_order);
    for (size_t i = 0; i < builds->count; i++) {
        builds->items[i] = order[i].build;
        place[order[i].was] = (uint32_t)i;
    }
    for (size_t i = 0; i < builds->point_count; i++)
        builds->points[i].build = place[builds->points[i].build];
    sort_points(builds);
    free(place);
    free(order);
}

void mp_builds_series(const mp_builds *builds, const mp_built_site *site, int64_t *amounts)
{
    memset(amounts, 0, builds->count * sizeof *amounts);
    for (uint32_t i = 0; i < site->count; i++) {
        const mp_built_point *point = &builds->points[site->point + i];
        amounts[point->build] = point->amount;
    }
}
