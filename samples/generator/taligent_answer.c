#include "taligent_answer.h"

#include "json.h"
#include "taligent.h"
#include "taligent_tally.h"

#include <stdlib.h>
#include <string.h>

static void write_totals(Json *json, const TalTally *tally)
{
    const TalTotals *totals = &tally->totals;
    json_open(json, "totals", '{');
    json_number(json, "live_objects", tally->live.objects);
    json_number(json, "live_bytes", tally->live.bytes);
    json_number(json, "created_objects", totals->created.objects);
    json_number(json, "created_bytes", totals->created.bytes);
    json_number(json, "deleted_objects", totals->deleted_objects);
    json_number(json, "peak_objects", totals->peak_objects);
    json_number(json, "peak_bytes", totals->peak_bytes);
    json_number(json, "peak_time_us", totals->peak_time);
    json_number(json, "old_objects", totals->old.objects);
    json_number(json, "old_bytes", totals->old.bytes);
    json_number(json, "old_live_objects", totals->old_live.objects);
    json_number(json, "old_live_bytes", totals->old_live.bytes);
    json_number(json, "leaked_objects", tally->live.objects - totals->old_live.objects);
    json_number(json, "leaked_bytes", tally->live.bytes - totals->old_live.bytes);
    json_number(json, "temporary_objects", totals->temporary.objects);
    json_number(json, "temporary_bytes", totals->temporary.bytes);
    json_number(json, "unmatched_deletions", totals->double_deletions + totals->bad_addresses);
    json_number(json, "double_deletions", totals->double_deletions);
    json_number(json, "bad_address_deletions", totals->bad_addresses);
    json_number(json, "nonunique_allocations", totals->nonunique);
    json_number(json, "displaced_objects", totals->displaced);
    json_number(json, "corruptions", totals->corruptions);
    json_number(json, "corrupt_events", totals->corrupt_events);
    json_number(json, "cross_thread_deletions", totals->cross_thread);
    int64_t threads = 0;
    for (int i = 0; i < tally->plan.options.threads; i++) {
        threads += tally->threads[i].events > 0;
    }
    json_number(json, "threads", threads);
    json_number(json, "crawls", totals->crawls);
    json_close(json, '}');
}

static void write_slices(Json *json, const TalTally *tally)
{
    json_open(json, "snapshots", '[');
    for (int i = 0; i <= TAL_SLICES; i++) {
        const TalSlice *slice = &tally->slices[i];
        json_open(json, NULL, '{');
        json->flat = true;
        json_number(json, "sequence", i);
        if (!i) {
            json_text(json, "tag", "start");
        }
        json_number(json, "time_us", taligent_tally_boundary(tally, i) - tally->first_time);
        json_number(json, "created_objects", slice->created);
        json_number(json, "deleted_objects", slice->deleted);
        json_number(json, "live_objects", slice->live.objects);
        json_number(json, "live_bytes", slice->live.bytes);
        if (i) {
            json_number(json, "delta_bytes", slice->live.bytes - slice[-1].live.bytes);
        }
        json_close(json, '}');
        json->flat = false;
    }
    json_close(json, ']');
}

static int by_leak(const void *left, const void *right)
{
    const TalSiteTally *a = *(const TalSiteTally *const *)left;
    const TalSiteTally *b = *(const TalSiteTally *const *)right;
    if (a->live.bytes != b->live.bytes) {
        return a->live.bytes > b->live.bytes ? -1 : 1;
    }
    if (a->live.objects != b->live.objects) {
        return a->live.objects > b->live.objects ? -1 : 1;
    }
    int order = strcmp(taligent_tally_type(a), taligent_tally_type(b));
    for (int i = 0; !order && i < a->crawl->count && i < b->crawl->count; i++) {
        order = strcmp(a->crawl->frames[i], b->crawl->frames[i]);
    }
    return order ? order : a->crawl->count - b->crawl->count;
}

static void write_leak(Json *json, const TalSiteTally *site, int rank)
{
    json_open(json, NULL, '{');
    json_number(json, "rank", rank);
    json_text(json, "type", taligent_tally_type(site));
    TalType type = taligent_tally_inferred(site);
    if (type != TAL_NOVTBL) {
        json_text(json, "inferred_type", taligent_type_name(type));
        json_ratio(json, "inferred_type_percent", site->types[type] * 100, site->deleted);
    }
    json_number(json, "objects", site->live.objects);
    json_number(json, "bytes", site->live.bytes);
    json_number(json, "created_objects", site->created);
    json_number(json, "deleted_objects", site->deleted);
    json_open(json, "stack", '[');
    for (int i = 0; i < site->crawl->count; i++) {
        json_text(json, NULL, site->crawl->frames[i]);
    }
    json_close(json, ']');
    json_close(json, '}');
}

static bool write_leaks(Json *json, const TalTally *tally)
{
    const TalSiteTally **rows = calloc((size_t)tally->site_count, sizeof *rows);
    if (!rows) {
        return false;
    }
    size_t count = 0;
    for (int i = 0; i < tally->site_count; i++) {
        if (tally->sites[i].live.objects) {
            rows[count++] = &tally->sites[i];
        }
    }
    qsort(rows, count, sizeof *rows, by_leak);
    json_open(json, "leaks", '[');
    for (size_t i = 0; i < count; i++) {
        write_leak(json, rows[i], (int)i + 1);
    }
    json_close(json, ']');
    free(rows);
    return true;
}

typedef struct TopRow {
    const char *key;
    TalSum live;
} TopRow;

static int by_bytes(const void *left, const void *right)
{
    const TopRow *a = left;
    const TopRow *b = right;
    if (a->live.bytes != b->live.bytes) {
        return a->live.bytes > b->live.bytes ? -1 : 1;
    }
    return strcmp(a->key, b->key);
}

// By type; a living block has the type that is inferred for its site.
static void write_top(Json *json, const TalTally *tally)
{
    TopRow rows[TAL_TYPE_COUNT + 1];
    for (int i = 0; i < TAL_TYPE_COUNT; i++) {
        rows[i] = (TopRow){taligent_type_name((TalType)i), tally->old_live_types[i]};
    }
    rows[TAL_TYPE_COUNT] = (TopRow){TAL_UNKNOWN_TYPE, {0, 0}};
    for (int i = 0; i < tally->site_count; i++) {
        const TalSiteTally *site = &tally->sites[i];
        TalType type = taligent_tally_inferred(site);
        TopRow *row = &rows[type == TAL_NOVTBL ? TAL_TYPE_COUNT : (int)type];
        row->live.objects += site->live.objects;
        row->live.bytes += site->live.bytes;
    }
    qsort(rows, TAL_TYPE_COUNT + 1, sizeof rows[0], by_bytes);
    json_open(json, "top", '[');
    for (int i = 0; i <= TAL_TYPE_COUNT && rows[i].live.objects; i++) {
        json_open(json, NULL, '{');
        json->flat = true;
        json_number(json, "rank", i + 1);
        json_text(json, "key", rows[i].key);
        json_number(json, "objects", rows[i].live.objects);
        json_number(json, "bytes", rows[i].live.bytes);
        json_close(json, '}');
        json->flat = false;
    }
    json_close(json, ']');
}

static int by_number(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

static void write_lifetimes(Json *json, TalTally *tally)
{
    int64_t count = tally->age_count;
    qsort(tally->ages, (size_t)count, sizeof *tally->ages, by_number);
    json_open(json, "lifetimes", '{');
    json_number(json, "deaths", count);
    if (count) {
        json_number(json, "median_us", tally->ages[(count + 1) / 2 - 1]);
        json_number(json, "p90_us", tally->ages[(count * 9 + 9) / 10 - 1]);
    }
    json_open(json, "buckets", '[');
    int64_t from = 0;
    for (int64_t i = 0; i < count; from = from ? from * 2 : 1) {
        int64_t start = i;
        while (i < count && tally->ages[i] < (from ? from * 2 : 1)) {
            i++;
        }
        if (i > start) {
            json_open(json, NULL, '{');
            json->flat = true;
            json_number(json, "from_us", from);
            json_number(json, "objects", i - start);
            json_close(json, '}');
            json->flat = false;
        }
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void write_threads(Json *json, const TalTally *tally)
{
    json_open(json, "threads", '[');
    for (int i = 0; i < tally->plan.options.threads; i++) {
        const TalThreadTally *thread = &tally->threads[i];
        if (!thread->events) {
            continue;
        }
        char name[32];
        taligent_thread_name(i, name);
        json_open(json, NULL, '{');
        json->flat = true;
        json_text(json, "thread", name);
        json_number(json, "created_objects", thread->created.objects);
        json_number(json, "created_bytes", thread->created.bytes);
        json_number(json, "deleted_objects", thread->deleted);
        json_number(json, "live_objects", thread->live.objects);
        json_number(json, "live_bytes", thread->live.bytes);
        json_close(json, '}');
        json->flat = false;
    }
    json_close(json, ']');
}

bool taligent_answer(const TalOptions *options, const char *path)
{
    Writer writer;
    TalTally tally;
    bool done = taligent_tally_init(&tally, options);
    if (done && writer_open(&writer, path)) {
        Json json = {.writer = &writer};
        json_open(&json, NULL, '{');
        write_totals(&json, &tally);
        write_slices(&json, &tally);
        done = write_leaks(&json, &tally);
        write_top(&json, &tally);
        write_lifetimes(&json, &tally);
        write_threads(&json, &tally);
        json_close(&json, '}');
        done = writer_close(&writer) && done;
    } else {
        done = false;
    }
    taligent_tally_free(&tally);
    return done;
}
