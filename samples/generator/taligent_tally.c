#include "taligent_tally.h"

#include <stdlib.h>
#include <string.h>

static void add(TalSum *sum, int64_t objects, int64_t bytes)
{
    sum->objects += objects;
    sum->bytes += bytes;
}

int64_t taligent_tally_boundary(const TalTally *tally, int slice)
{
    return tally->first_time + (tally->last_time - tally->first_time) * slice / TAL_SLICES;
}

TalType taligent_tally_inferred(const TalSiteTally *site)
{
    TalType best = TAL_NOVTBL;
    for (int i = TAL_NOTYPE + 1; i < TAL_TYPE_COUNT; i++) {
        TalType type = (TalType)i;
        if (!site->types[i] || site->types[i] < site->types[best] * (best != TAL_NOVTBL)) {
            continue;
        }
        if (best == TAL_NOVTBL || site->types[i] > site->types[best] ||
            strcmp(taligent_type_name(type), taligent_type_name(best)) < 0) {
            best = type;
        }
    }
    return best;
}

const char *taligent_tally_type(const TalSiteTally *site)
{
    TalType type = taligent_tally_inferred(site);
    return type == TAL_NOVTBL ? TAL_UNKNOWN_TYPE : taligent_type_name(type);
}

static TalSiteTally *site_of(TalTally *tally, const TalCrawl *crawl)
{
    return &tally->sites[crawl->id];
}

// Old blocks are alive from the start, wherever their lines stand.
static void count_old(TalTally *tally, const TalEvent *event)
{
    const TalBlock *block = &event->block;
    if (event->fault == TAL_SKIPPED) {
        return;
    }
    add(&tally->totals.old, 1, block->size);
    add(&tally->totals.old_live, 1, block->size);
    add(&tally->old_live_types[block->type], 1, block->size);
    add(&tally->live, 1, block->size);
}

static void allocation(TalTally *tally, const TalEvent *event)
{
    const TalBlock *block = &event->block;
    TalThreadTally *thread = &tally->threads[event->thread];
    TalSiteTally *site = site_of(tally, block->crawl);
    if (event->fault == TAL_DISPLACES) {
        tally->totals.nonunique++;
        tally->totals.displaced++;
        add(&tally->live, -1, -event->displaced_size);
        add(&tally->threads[event->displaced_thread].live, -1, -event->displaced_size);
        add(&site_of(tally, event->displaced_crawl)->live, -1, -event->displaced_size);
    }
    tally->totals.crawls += !site->created;
    site->created++;
    site->crawl = block->crawl;
    add(&site->live, 1, block->size);
    add(&tally->live, 1, block->size);
    add(&tally->totals.created, 1, block->size);
    add(&thread->created, 1, block->size);
    add(&thread->live, 1, block->size);
    thread->last = block->serial;
    tally->slices[tally->slice].created++;
}

static void deletion_of_old(TalTally *tally, const TalBlock *block)
{
    add(&tally->totals.old_live, -1, -block->size);
    add(&tally->old_live_types[block->type], -1, -block->size);
}

static void deletion_of_new(TalTally *tally, const TalEvent *event)
{
    const TalBlock *block = &event->block;
    TalSiteTally *site = site_of(tally, block->crawl);
    site->deleted++;
    site->types[block->type]++;
    add(&site->live, -1, -block->size);
    add(&tally->threads[block->thread].live, -1, -block->size);
    tally->totals.cross_thread += block->thread != event->thread;
    if (tally->threads[block->thread].last == block->serial && block->thread == event->thread) {
        add(&tally->totals.temporary, 1, block->size);
    }
    int64_t age = event->time - block->time;
    tally->ages[tally->age_count++] = age < 0 ? 0 : age;
}

static void deletion(TalTally *tally, const TalEvent *event)
{
    TalThreadTally *thread = &tally->threads[event->thread];
    if (event->fault == TAL_DOUBLE) {
        tally->totals.double_deletions++;
    } else if (event->fault == TAL_BAD_ADDRESS) {
        tally->totals.bad_addresses++;
    } else {
        tally->totals.deleted_objects++;
        tally->slices[tally->slice].deleted++;
        thread->deleted++;
        add(&tally->live, -1, -event->block.size);
        if (event->block.crawl) {
            deletion_of_new(tally, event);
        } else {
            deletion_of_old(tally, &event->block);
        }
    }
    thread->last = 0;
}

static void end_slices(TalTally *tally, int64_t time)
{
    while (tally->slice < TAL_SLICES &&
           (!tally->slice || taligent_tally_boundary(tally, tally->slice) < time)) {
        tally->slices[tally->slice++].live = tally->live;
    }
}

static void count_event(TalTally *tally, const TalEvent *event)
{
    end_slices(tally, event->time);
    tally->threads[event->thread].events++;
    if (event->kind == TAL_ALLOCATION) {
        allocation(tally, event);
    } else {
        deletion(tally, event);
    }
    TalTotals *totals = &tally->totals;
    if (tally->live.objects > totals->peak_objects) {
        totals->peak_objects = tally->live.objects;
    }
    if (tally->live.bytes > totals->peak_bytes) {
        totals->peak_bytes = tally->live.bytes;
        totals->peak_time = event->time - tally->first_time;
    }
}

// What stands in the log before the first event counts, and times and old blocks of all the log.
static bool look_ahead(TalTally *tally, const TalOptions *options)
{
    TalPlan plan;
    TalEvent event;
    bool done = taligent_plan_init(&plan, options);
    while (done && taligent_plan_next(&plan, &event)) {
        if (event.kind == TAL_OLD) {
            count_old(tally, &event);
            continue;
        }
        if (!tally->first_time) {
            tally->first_time = event.time;
        }
        if (event.time > tally->last_time) {
            tally->last_time = event.time;
        }
    }
    done = done && !plan.out_of_memory;
    taligent_plan_free(&plan);
    tally->totals.peak_objects = tally->live.objects;
    tally->totals.peak_bytes = tally->live.bytes;
    return done;
}

bool taligent_tally_init(TalTally *tally, const TalOptions *options)
{
    *tally = (TalTally){0};
    tally->threads = calloc((size_t)options->threads, sizeof *tally->threads);
    if (!taligent_plan_init(&tally->plan, options) || !tally->threads ||
        !look_ahead(tally, options)) {
        return false;
    }
    tally->site_count = tally->plan.shop.site_count * tally->plan.shop.variants;
    tally->sites = calloc((size_t)tally->site_count, sizeof *tally->sites);
    tally->ages = malloc((size_t)options->events * sizeof *tally->ages);
    if (!tally->sites || !tally->ages) {
        return false;
    }
    TalEvent event;
    while (taligent_plan_next(&tally->plan, &event)) {
        tally->totals.corruptions += event.banner > 0;
        tally->totals.corrupt_events += event.starred;
        if (event.kind != TAL_OLD) {
            count_event(tally, &event);
        } else if (event.fault == TAL_SKIPPED) {
            tally->totals.nonunique++;
        }
    }
    while (tally->slice < TAL_SLICES) {
        tally->slices[tally->slice++].live = tally->live;
    }
    tally->slices[TAL_SLICES].live = tally->live;
    return !tally->plan.out_of_memory;
}

void taligent_tally_free(TalTally *tally)
{
    taligent_plan_free(&tally->plan);
    free(tally->sites);
    free(tally->threads);
    free(tally->ages);
}
