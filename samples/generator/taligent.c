#include "taligent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_THREAD = 22982,
};

typedef struct TalRecord {
    TalBlock block;
    int64_t end; // time of deletion, -1: alive
} TalRecord;

typedef struct TalRecords {
    TalRecord *items; // by serial
    int64_t count;
    int64_t room;
    int64_t first_time;
    int64_t last_time;
} TalRecords;

void taligent_thread_name(int thread, char name[32])
{
    if (thread < 0) {
        strcpy(name, "0-0");
    } else {
        snprintf(name, 32, "%d-%d", 2 + thread / 8, FIRST_THREAD + thread * 7);
    }
}

// A column, filled up to `width` where blanks are between columns.
static void column(Writer *writer, const TalLayout *layout, size_t start, size_t width)
{
    if (!layout->blanks) {
        writer_char(writer, '\t');
        return;
    }
    size_t length = writer->used - start; // no column is near the size of the buffer
    do {
        writer_char(writer, ' ');
    } while (++length < width);
}

// Makes room, so that the start of a column stays where it is.
static size_t column_start(Writer *writer)
{
    writer_room(writer);
    return writer->used;
}

static void text_column(Writer *writer, const TalLayout *layout, const char *text, size_t width)
{
    size_t start = column_start(writer);
    writer_bytes(writer, text, strlen(text));
    column(writer, layout, start, width);
}

static void number_column(Writer *writer, const TalLayout *layout, int64_t number, size_t width)
{
    size_t start = column_start(writer);
    writer_signed(writer, number);
    column(writer, layout, start, width);
}

static void address_column(Writer *writer, const TalLayout *layout, uint64_t address)
{
    size_t start = column_start(writer);
    writer_bytes(writer, "0x", 2);
    writer_hex(writer, address);
    column(writer, layout, start, 12);
}

static void write_title(Writer *writer, const TalLayout *layout)
{
    static const char *const titles[] = {"Thread", "Time of event", "Address", "Size", "Type"};
    static const size_t widths[] = {12, 20, 12, 8, 16};
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        text_column(writer, layout, titles[i], widths[i]);
    }
    writer_text(writer, "Stack crawl");
    writer_end_line(writer);
}

static void write_banner(Writer *writer, int lines)
{
    writer_text(writer, lines > 1 ? "*** Chunky heap corrupt with error 12."
                                  : "*** Tree heap corrupt with error 5.");
    writer_end_line(writer);
    if (lines > 1) {
        writer_text(writer, "*** Tree heap corrupt with error 7.");
        writer_end_line(writer);
    }
}

static void write_event(const TalEvent *event, const TalLayout *layout, const char *thread,
                        Writer *writer)
{
    const TalBlock *block = &event->block;
    if (event->banner) {
        write_banner(writer, event->banner);
    }
    if (event->bad_row) {
        text_column(writer, layout, thread, 12);
        writer_text(writer, "lost 0xb2 (buffer full)");
        writer_end_line(writer);
    }
    if (event->starred) {
        writer_char(writer, '*');
    }
    text_column(writer, layout, thread, 12);
    if (event->kind == TAL_OLD) {
        text_column(writer, layout, "old", 20);
    } else {
        number_column(writer, layout, event->time, 20);
    }
    address_column(writer, layout, block->address);
    if (event->kind == TAL_DELETION) {
        text_column(writer, layout, "del", 8);
    } else {
        number_column(writer, layout, block->size, 8);
    }
    TalType type = event->kind == TAL_ALLOCATION ? TAL_NOVTBL : block->type;
    text_column(writer, layout, taligent_type_name(type), 16);
    const TalCrawl *crawl = event->kind == TAL_ALLOCATION ? block->crawl : block->deletion_crawl;
    if (event->kind != TAL_OLD) {
        writer_bytes(writer, crawl->text, crawl->length);
    }
    writer_end_line(writer);
}

bool taligent_write_log(const TalOptions *options, const TalLayout *layout, Writer *writer)
{
    TalPlan plan;
    bool done = taligent_plan_init(&plan, options);
    if (done && !layout->no_title) {
        write_title(writer, layout);
    }
    char(*names)[32] = calloc((size_t)options->threads + 1, sizeof *names); // 0-0 first
    done = done && names;
    for (int i = 0; done && i <= options->threads; i++) {
        taligent_thread_name(i - 1, names[i]);
    }
    TalEvent event;
    while (done && taligent_plan_next(&plan, &event)) {
        write_event(&event, layout, names[event.thread + 1], writer);
    }
    done = done && !plan.out_of_memory;
    free(names);
    taligent_plan_free(&plan);
    return done;
}

static bool records_add(TalRecords *records, const TalEvent *event)
{
    int64_t serial = event->block.serial;
    if (event->kind != TAL_OLD) {
        records->first_time = records->first_time ? records->first_time : event->time;
        records->last_time = event->time;
    }
    if (event->kind == TAL_DELETION) {
        records->items[serial - 1].end = event->time;
        return true;
    }
    if (records->count == records->room) {
        int64_t room = records->room ? records->room * 2 : 1024;
        TalRecord *items = realloc(records->items, (size_t)room * sizeof *items);
        if (!items) {
            return false;
        }
        records->items = items;
        records->room = room;
    }
    records->items[records->count++] = (TalRecord){event->block, -1};
    return true;
}

static int by_address(const void *left, const void *right)
{
    const TalRecord *a = left;
    const TalRecord *b = right;
    if (a->block.address != b->block.address) {
        return a->block.address < b->block.address ? -1 : 1;
    }
    return a->block.serial < b->block.serial ? -1 : a->block.serial > b->block.serial;
}

// An old block that was deleted counts its age from the first event on.
static void write_record(const TalRecords *records, const TalRecord *record,
                         const TalLayout *layout, Writer *writer)
{
    const TalBlock *block = &record->block;
    bool dead = record->end >= 0;
    int64_t born = block->crawl ? block->time : records->first_time;
    address_column(writer, layout, block->address);
    number_column(writer, layout, block->size, 8);
    TalType type = dead || !block->crawl ? block->type : TAL_NOVTBL;
    text_column(writer, layout, taligent_type_name(type), 16);
    number_column(writer, layout, (dead ? record->end : records->last_time) - born, 12);
    char thread[32];
    taligent_thread_name(block->thread, thread);
    text_column(writer, layout, thread, 10);
    if (block->crawl || dead) {
        number_column(writer, layout, born, 18);
    } else {
        text_column(writer, layout, "old", 18);
    }
    text_column(writer, layout, block->crawl ? block->crawl->text : "", 0);
    taligent_thread_name(block->deleter, thread);
    text_column(writer, layout, dead ? thread : "notask", 10);
    writer_text(writer, dead ? block->deletion_crawl->text : "nochain");
    writer_end_line(writer);
}

bool taligent_write_analysis(const TalOptions *options, const TalLayout *layout, Writer *writer)
{
    TalPlan plan;
    TalRecords records = {0};
    TalEvent event;
    bool done = taligent_plan_init(&plan, options);
    while (done && taligent_plan_next(&plan, &event)) {
        done = records_add(&records, &event);
    }
    done = done && !plan.out_of_memory;
    if (done) {
        qsort(records.items, (size_t)records.count, sizeof *records.items, by_address);
        if (!layout->no_title) {
            writer_text(writer, "Anomalies of the shop's heap: none found.");
            writer_end_line(writer);
            writer_end_line(writer);
        }
        for (int64_t i = 0; i < records.count; i++) {
            write_record(&records, &records.items[i], layout, writer);
        }
    }
    free(records.items);
    taligent_plan_free(&plan);
    return done;
}
