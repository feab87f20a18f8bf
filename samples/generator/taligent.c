/* Heap-monitoring logs and heap analysis files of the C++ shop, and their known answer. */
#include "taligent.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_THREAD = 22982, SLICES = 20, NAME_SIZE = 32 };

/* Format the name of a thread; below 0 = no thread. */
static void thread_name(int thread, char name[NAME_SIZE])
{
    if (thread < 0)
        strcpy(name, "0-0");
    else
        snprintf(name, NAME_SIZE, "%d-%d", 2 + thread / 8, FIRST_THREAD + thread * 7);
}

/* --- columns --- */

typedef struct tal_file {
    gen_writer *writer;
    bool blanks; /* columns are separated by blanks instead of tabs */
} tal_file;

/* End a column that began at `start`. If columns are separated by blanks, pad it. */
static void end_column(const tal_file *file, size_t start, size_t width)
{
    if (!file->blanks) {
        gen_char(file->writer, '\t');
        return;
    }
    do
        gen_char(file->writer, ' ');
    while (file->writer->used - start < width);
}

static void text_column(const tal_file *file, const char *text, size_t width)
{
    size_t start = gen_room(file->writer);
    gen_bytes(file->writer, text, strlen(text));
    end_column(file, start, width);
}

static void number_column(const tal_file *file, int64_t number, size_t width)
{
    size_t start = gen_room(file->writer);
    gen_number(file->writer, number);
    end_column(file, start, width);
}

static void address_column(const tal_file *file, uint64_t address)
{
    size_t start = gen_room(file->writer);
    gen_bytes(file->writer, "0x", 2);
    gen_hex(file->writer, address);
    end_column(file, start, 12);
}

/* --- log --- */

static void write_event(const tal_file *file, const tal_event *event, const char *thread)
{
    const tal_block *block = &event->block;
    gen_writer *writer = file->writer;
    bool made = event->kind == TAL_ALLOCATION;
    if (event->banner)
        gen_text(writer, event->banner > 1 ? "*** Chunky heap corrupt with error 12.\n"
                                             "*** Tree heap corrupt with error 7.\n"
                                           : "*** Tree heap corrupt with error 5.\n");
    if (event->bad_row) {
        text_column(file, thread, 12);
        gen_text(writer, "lost 0xb2 (buffer full)\n");
    }
    if (event->starred)
        gen_char(writer, '*');
    text_column(file, thread, 12);
    if (event->kind == TAL_OLD)
        text_column(file, "old", 20);
    else
        number_column(file, event->time, 20);
    address_column(file, block->address);
    if (event->kind == TAL_DELETION)
        text_column(file, "del", 8);
    else
        number_column(file, block->size, 8);
    text_column(file, made ? tal_novtbl : block->type, 16);
    const tal_crawl *crawl = made ? block->crawl : block->deletion_crawl;
    if (event->kind != TAL_OLD)
        gen_bytes(writer, crawl->text, crawl->length);
    gen_end_line(writer);
}

static void write_log(const tal_file *file, const gen_options *options)
{
    static const char *const titles[] = {"Thread", "Time of event", "Address", "Size", "Type"};
    static const size_t widths[] = {12, 20, 12, 8, 16};
    char(*names)[NAME_SIZE] = gen_alloc((size_t)options->threads + 1, sizeof *names);
    for (int i = 0; i <= options->threads; i++)
        thread_name(i - 1, names[i]);
    for (size_t i = 0; i < sizeof titles / sizeof titles[0] && !options->no_title; i++)
        text_column(file, titles[i], widths[i]);
    if (!options->no_title)
        gen_text(file->writer, "Stack crawl\n");
    tal_plan plan;
    tal_event event, held;
    int left = 0; /* number of lines to write before the line that is held back */
    tal_plan_init(&plan, options);
    while (tal_plan_next(&plan, &event)) {
        if (event.late && !left) {
            held = event;
            left = event.late;
            continue;
        }
        write_event(file, &event, names[event.thread + 1]);
        if (left && !--left)
            write_event(file, &held, names[held.thread + 1]);
    }
    if (left)
        write_event(file, &held, names[held.thread + 1]);
    tal_plan_free(&plan);
    free(names);
}

/* --- heap analysis file --- */

typedef struct tal_record {
    tal_block block;
    int64_t end; /* time of deletion; -1 = alive */
} tal_record;

static int by_address(const void *left, const void *right)
{
    const tal_record *a = left, *b = right;
    int order = (a->block.address > b->block.address) - (a->block.address < b->block.address);
    return order ? order
                 : (a->block.serial > b->block.serial) - (a->block.serial < b->block.serial);
}

/* Write a record. The age of a deleted old block counts from the first event. */
static void write_record(const tal_file *file, const tal_record *record, int64_t first_time,
                         int64_t last_time)
{
    const tal_block *block = &record->block;
    bool dead = record->end >= 0, old = !block->crawl;
    int64_t born = old ? first_time : block->time;
    char thread[NAME_SIZE];
    address_column(file, block->address);
    number_column(file, block->size, 8);
    text_column(file, dead || old ? block->type : tal_novtbl, 16);
    number_column(file, (dead ? record->end : last_time) - born, 12);
    thread_name(block->thread, thread);
    text_column(file, thread, 10);
    if (old && !dead)
        text_column(file, "old", 18);
    else
        number_column(file, born, 18);
    text_column(file, old ? "" : block->crawl->text, 0);
    thread_name(block->deleter, thread);
    text_column(file, dead ? thread : "notask", 10);
    gen_text(file->writer, dead ? block->deletion_crawl->text : "nochain");
    gen_end_line(file->writer);
}

static void write_analysis(const tal_file *file, const gen_options *options)
{
    tal_record *records = NULL; /* indexed by serial */
    size_t count = 0, room = 0;
    int64_t first_time = 0, last_time = 0;
    tal_plan plan;
    tal_event event;
    tal_plan_init(&plan, options);
    while (tal_plan_next(&plan, &event)) {
        if (event.kind != TAL_OLD) {
            first_time = first_time ? first_time : event.time;
            last_time = event.time;
        }
        if (event.kind == TAL_DELETION) {
            records[event.block.serial - 1].end = event.time;
        } else {
            records = gen_grow(records, count, &room, sizeof *records);
            records[count++] = (tal_record){event.block, -1};
        }
    }
    qsort(records, count, sizeof *records, by_address);
    if (!options->no_title)
        gen_text(file->writer, "Anomalies of the shop's heap: none found.\n\n");
    for (size_t i = 0; i < count; i++)
        write_record(file, &records[i], first_time, last_time);
    free(records);
    tal_plan_free(&plan);
}

void gen_taligent(const gen_options *options, gen_writer *writer)
{
    tal_file file = {writer, options->blanks};
    if (options->analysis)
        write_analysis(&file, options);
    else
        write_log(&file, options);
}

/* --- known answer --- */

typedef struct tal_slice {
    int64_t created, deleted;
    gen_sum live; /* live blocks at the end of the slice */
} tal_slice;

/* Figures of an allocation crawl. */
typedef struct tal_site_tally {
    const tal_crawl *crawl;
    gen_sum live;
    int64_t created, deleted;
    int64_t others;           /* blocks that were deleted with the site's other type */
    int64_t born[SLICES + 1]; /* live blocks born in each slice */
} tal_site_tally;

typedef struct tal_thread_tally {
    gen_sum created, live; /* blocks that the thread allocated */
    int64_t events, deleted;
    /* Serial of the block that the latest event of the thread allocated; 0 = this event was a
     * deletion. */
    int64_t last;
} tal_thread_tally;

typedef struct tal_tally {
    gen_sum live, created, old, old_live, temporary, peak;
    int64_t deleted, peak_time, first_time, last_time;
    int64_t double_deletions, bad_addresses, nonunique, displaced, corruptions, corrupt_events;
    int64_t cross_thread, crawls, thread_count;
    int slice; /* current slice */
    tal_slice slices[SLICES + 1];
    tal_thread_tally *threads;
    tal_site_tally *sites;
    gen_row
        types[64]; /* types: at first those of live old blocks; later those of all live blocks */
    size_t type_count;
    int64_t *ages; /* ages of deleted blocks */
    int64_t age_count;
    unsigned char *slice_of; /* slice of each block's allocation, by serial */
} tal_tally;

static void count_live(tal_tally *tally, const tal_block *block, int64_t objects)
{
    gen_add(&tally->live, objects, objects * block->size);
    if (!block->crawl) {
        gen_add(&tally->old_live, objects, objects * block->size);
        gen_add(&gen_row_of(tally->types, &tally->type_count, block->type)->live, objects,
                objects * block->size);
        return;
    }
    gen_add(&tally->sites[block->crawl->id].live, objects, objects * block->size);
    tally->sites[block->crawl->id].born[tally->slice_of[block->serial]] += objects;
    gen_add(&tally->threads[block->thread].live, objects, objects * block->size);
}

static void count_allocation(tal_tally *tally, const tal_event *event)
{
    const tal_block *block = &event->block;
    tal_site_tally *site = &tally->sites[block->crawl->id];
    if (event->fault == TAL_DISPLACES) {
        tally->nonunique++;
        tally->displaced++;
        count_live(tally, event->displaced, -1);
    }
    tally->crawls += !site->created++;
    site->crawl = block->crawl;
    tally->slice_of[block->serial] = (unsigned char)tally->slice;
    count_live(tally, block, 1);
    gen_add(&tally->created, 1, block->size);
    gen_add(&tally->threads[event->thread].created, 1, block->size);
    tally->threads[event->thread].last = block->serial;
    tally->slices[tally->slice].created++;
}

static void count_deletion(tal_tally *tally, const tal_event *event)
{
    const tal_block *block = &event->block;
    tal_thread_tally *thread = &tally->threads[event->thread];
    int64_t last = thread->last;
    thread->last = 0;
    tally->double_deletions += event->fault == TAL_DOUBLE;
    tally->bad_addresses += event->fault == TAL_BAD_ADDRESS;
    if (event->fault != TAL_SOUND)
        return;
    tally->deleted++;
    tally->slices[tally->slice].deleted++;
    thread->deleted++;
    count_live(tally, block, -1);
    if (!block->crawl)
        return;
    tal_site_tally *site = &tally->sites[block->crawl->id];
    site->deleted++;
    site->others += block->type != block->crawl->site->type;
    tally->cross_thread += block->thread != event->thread;
    if (last == block->serial)
        gen_add(&tally->temporary, 1, block->size);
    tally->ages[tally->age_count++] = event->time - block->time;
}

static int64_t boundary(const tal_tally *tally, int slice)
{
    return tally->first_time + (tally->last_time - tally->first_time) * slice / SLICES;
}

static void count_event(tal_tally *tally, const tal_event *event)
{
    while (tally->slice < SLICES && (!tally->slice || boundary(tally, tally->slice) < event->time))
        tally->slices[tally->slice++].live = tally->live;
    tally->thread_count += !tally->threads[event->thread].events++;
    if (event->kind == TAL_ALLOCATION)
        count_allocation(tally, event);
    else
        count_deletion(tally, event);
    if (tally->live.bytes > tally->peak.bytes)
        tally->peak_time = event->time - tally->first_time;
    gen_raise(&tally->peak, tally->live);
}

/* Count all events in two passes. Old blocks are alive from the start, wherever their lines are.
 * Slices are parts of the whole time. */
static void count_all(tal_tally *tally, tal_plan *plan, const gen_options *options)
{
    tal_event event;
    int64_t serials = 0;
    tal_plan_init(plan, options);
    tally->threads = gen_alloc((size_t)plan->threads, sizeof *tally->threads);
    tally->sites = gen_alloc((size_t)plan->crawl_count, sizeof *tally->sites);
    tally->ages = gen_alloc((size_t)plan->events, sizeof *tally->ages);
    while (tal_plan_next(plan, &event)) {
        serials = event.block.serial > serials ? event.block.serial : serials;
        if (event.kind == TAL_OLD && event.fault != TAL_SKIPPED) {
            gen_add(&tally->old, 1, event.block.size);
            count_live(tally, &event.block, 1);
        } else if (event.kind != TAL_OLD) {
            tally->first_time = tally->first_time ? tally->first_time : event.time;
            tally->last_time = event.time > tally->last_time ? event.time : tally->last_time;
        }
    }
    tal_plan_free(plan);
    tal_plan_init(plan, options);
    tally->peak = tally->live;
    tally->slice_of = gen_alloc((size_t)serials + 1, sizeof *tally->slice_of);
    while (tal_plan_next(plan, &event)) {
        tally->corruptions += event.banner > 0;
        tally->corrupt_events += event.starred;
        tally->nonunique += event.fault == TAL_SKIPPED;
        if (event.kind != TAL_OLD)
            count_event(tally, &event);
    }
    while (tally->slice < SLICES)
        tally->slices[tally->slice++].live = tally->live;
    tally->slices[SLICES].live = tally->live;
}

static void answer_totals(gen_json *json, const tal_tally *tally)
{
    gen_answer_totals(json, tally->live, tally->created, tally->deleted, tally->peak);
    gen_json_number(json, "peak_time_us", tally->peak_time);
    gen_json_sum(json, "old", tally->old);
    gen_json_sum(json, "old_live", tally->old_live);
    gen_json_sum(json, "leaked", gen_minus(tally->live, tally->old_live));
    gen_json_sum(json, "temporary", tally->temporary);
    gen_json_number(json, "unmatched_deletions", tally->double_deletions + tally->bad_addresses);
    gen_json_number(json, "double_deletions", tally->double_deletions);
    gen_json_number(json, "bad_address_deletions", tally->bad_addresses);
    gen_json_number(json, "nonunique_allocations", tally->nonunique);
    gen_json_number(json, "displaced_objects", tally->displaced);
    gen_json_number(json, "corruptions", tally->corruptions);
    gen_json_number(json, "corrupt_events", tally->corrupt_events);
    gen_json_number(json, "cross_thread_deletions", tally->cross_thread);
    gen_json_number(json, "threads", tally->thread_count);
    gen_json_number(json, "crawls", tally->crawls);
    gen_json_close(json);
    gen_json_open(json, "snapshots", '[');
    for (int i = 0; i <= SLICES; i++) {
        const tal_slice *slice = &tally->slices[i];
        gen_answer_snapshot(json, i, i ? NULL : "start", boundary(tally, i) - tally->first_time,
                            slice->created, slice->deleted, slice->live);
        if (i)
            gen_json_number(json, "delta_bytes", slice->live.bytes - slice[-1].live.bytes);
        gen_json_close(json);
    }
    gen_json_close(json);
}

/* Infer the type of a site's live blocks: the type that most of its deleted blocks had. */
static void infer(gen_row *row, const tal_site_tally *tally)
{
    const char *const types[] = {tally->crawl->site->type, tally->crawl->site->other};
    const int64_t deletions[] = {tally->deleted - tally->others, tally->others};
    for (int i = 0; i < 2; i++) {
        bool known = deletions[i] && types[i] != tal_novtbl && types[i] != tal_notype;
        int64_t more = deletions[i] - row->inferred_deletions;
        if (known &&
            (!row->inferred || more > 0 || (!more && strcmp(types[i], row->inferred) < 0))) {
            row->inferred = types[i];
            row->inferred_deletions = deletions[i];
        }
    }
    row->key = row->inferred ? row->inferred : "(unknown)";
}

static void answer_sites(gen_json *json, tal_tally *tally, int crawl_count)
{
    gen_row *rows = gen_alloc((size_t)crawl_count, sizeof *rows);
    size_t count = 0;
    for (int i = 0; i < crawl_count; i++) {
        const tal_site_tally *site = &tally->sites[i];
        gen_row *row = &rows[count];
        if (!site->live.objects)
            continue;
        row->live = site->live;
        row->created = site->created;
        row->deleted = site->deleted;
        for (int slice = 1; slice <= SLICES; slice++) {
            row->births += site->born[slice] > 0;
            row->moments += tally->slices[slice].created > 0;
        }
        row->stack = site->crawl->frames;
        row->depth = site->crawl->count;
        infer(row, site);
        gen_add(&gen_row_of(tally->types, &tally->type_count, row->key)->live, row->live.objects,
                row->live.bytes);
        count++;
    }
    gen_answer_leaks(json, rows, count);
    gen_answer_top(json, tally->types, tally->type_count, true, false);
    free(rows);
}

static int by_number(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static void answer_lifetimes(gen_json *json, const tal_tally *tally)
{
    int64_t count = tally->age_count, from = 0;
    const int64_t *ages = tally->ages;
    qsort(tally->ages, (size_t)count, sizeof *ages, by_number);
    gen_json_open(json, "lifetimes", '{');
    gen_json_number(json, "deaths", count);
    if (count) {
        gen_json_number(json, "median_us", ages[(count + 1) / 2 - 1]);
        gen_json_number(json, "p90_us", ages[(count * 9 + 9) / 10 - 1]);
    }
    gen_json_open(json, "buckets", '[');
    for (int64_t i = 0; i < count; from = from ? from * 2 : 1) {
        int64_t start = i;
        while (i < count && ages[i] < (from ? from * 2 : 1))
            i++;
        if (i == start)
            continue;
        gen_json_row(json);
        gen_json_number(json, "from_us", from);
        gen_json_number(json, "objects", i - start);
        gen_json_close(json);
    }
    gen_json_close(json);
    gen_json_close(json);
}

static void answer_threads(gen_json *json, const tal_tally *tally, int threads)
{
    gen_json_open(json, "threads", '[');
    for (int i = 0; i < threads; i++) {
        const tal_thread_tally *thread = &tally->threads[i];
        char name[NAME_SIZE];
        if (!thread->events)
            continue;
        thread_name(i, name);
        gen_json_row(json);
        gen_json_text(json, "thread", name);
        gen_json_sum(json, "created", thread->created);
        gen_json_number(json, "deleted_objects", thread->deleted);
        gen_json_sum(json, "live", thread->live);
        gen_json_close(json);
    }
    gen_json_close(json);
}

void gen_taligent_answer(const gen_options *options, gen_json *json)
{
    tal_tally tally = {.slice = 0};
    tal_plan plan;
    count_all(&tally, &plan, options);
    answer_totals(json, &tally);
    answer_sites(json, &tally, plan.crawl_count);
    answer_lifetimes(json, &tally);
    answer_threads(json, &tally, plan.threads);
    tal_plan_free(&plan);
    free(tally.threads);
    free(tally.sites);
    free(tally.ages);
    free(tally.slice_of);
}
