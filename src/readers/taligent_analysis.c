/* Heap analysis files: a free-form section of anomalies, then one block per line. The blocks are
 * converted to events, sorted by time, and replayed like a log. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "readers/taligent.h"

/* The birth or death of a block. */
typedef struct analysis_event {
    taligent_line line;
    bool undated;  /* the time of birth is unknown, and `time` is the age of the block */
    uint64_t time; /* line of the file */
} analysis_event;

typedef struct analysis {
    analysis_event *events;
    size_t count, capacity;
    mp_arena texts;
    bool dated; /* a time was read, so `first_us` and `last_us` are set */
    int64_t first_us, last_us;
} analysis;

/* Compare by time, then by line; the birth of a block comes before its death. */
static int by_time(const void *left, const void *right)
{
    const analysis_event *a = left, *b = right;
    bool old_a = a->line.kind == MP_EVENT_OLD, old_b = b->line.kind == MP_EVENT_OLD;
    if (old_a != old_b)
        return old_a ? -1 : 1;
    if (!old_a && a->line.time_us != b->line.time_us)
        return a->line.time_us < b->line.time_us ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (a->line.kind == MP_EVENT_DELETION) - (b->line.kind == MP_EVENT_DELETION);
}

static void add(analysis *file, taligent_line line, bool undated, uint64_t offset)
{
    *MP_APPEND(file->events, file->count, file->capacity) = (analysis_event){line, undated, offset};
    if (undated || line.kind == MP_EVENT_OLD)
        return;
    if (!file->dated || line.time_us < file->first_us)
        file->first_us = line.time_us;
    file->dated = true;
    if (line.time_us > file->last_us)
        file->last_us = line.time_us;
}

static mp_slice keep(analysis *file, mp_slice text)
{
    return (mp_slice){mp_arena_copy(&file->texts, text.start, text.length), text.length};
}

static void add_block(analysis *file, const taligent_block *block, uint64_t offset)
{
    taligent_line line = {.kind = block->old ? MP_EVENT_OLD : MP_EVENT_ALLOCATION,
                          .thread = keep(file, block->thread),
                          .time_us = block->born_us,
                          .bytes = block->bytes,
                          .address = block->address};
    if (block->old)
        line.type = keep(file, block->type);
    else
        line.crawl = keep(file, block->crawl);
    add(file, line, block->undated, offset);
    if (!block->deleted)
        return;
    line.kind = MP_EVENT_DELETION;
    line.thread = keep(file, block->deleter);
    line.time_us = block->born_us + block->age_us;
    line.type = keep(file, block->type);
    line.crawl = mp_slice_is(block->deletion_crawl, "nochain") ? (mp_slice){"", 0}
                                                               : keep(file, block->deletion_crawl);
    add(file, line, block->undated, offset);
}

/* Return true for a line that says that there are no anomalies, such as "Anomalies: none". */
static bool says_none(mp_slice line)
{
    static const char *const ends[] = {"none", "none found", ": 0"};
    while (line.length && line.start[line.length - 1] == '.')
        line.length--;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t length = strlen(ends[i]);
        if (line.length >= length &&
            strncasecmp(line.start + line.length - length, ends[i], length) == 0)
            return true;
    }
    static const char no[] = "no anomal";
    return line.length >= strlen(no) && strncasecmp(line.start, no, strlen(no)) == 0;
}

/* Handle a line that is not a block. Before the first block, it is an anomaly that the monitor
 * found; after it, it is damage. */
static void odd_line(taligent_pass *pass, const analysis *file, mp_slice line, uint64_t offset)
{
    bool banner = mp_slice_starts(line, "***");
    if (banner && !pass->in_banner)
        mp_event_log_says(&pass->replay.blocks.log, MP_ANOMALY_CORRUPTION, offset, line);
    pass->in_banner = banner;
    if (!banner && !file->count && says_none(line))
        return;
    if (!banner && !file->count)
        mp_event_log_says(&pass->replay.blocks.log, MP_ANOMALY_REPORTED, offset, line);
    else if (!banner)
        mp_diagnose(pass->diagnostics, MP_DIAG_BAD_ROW, pass->path, offset,
                    "line is not a block, expected address, size, type, age, thread, time, crawl, "
                    "deleting thread and crawl: line skipped");
}

static void read_line(taligent_pass *pass, analysis *file, mp_slice line, uint64_t offset)
{
    taligent_block block;
    if (taligent_parse_block(line, &block))
        add_block(file, &block, offset);
    else if (!mp_slice_starts(line, "Address") && !mp_slice_starts(line, "address"))
        odd_line(pass, file, line, offset);
}

bool taligent_read_analysis(taligent_pass *pass, mp_input *input, mp_slice line)
{
    analysis file = {0};
    bool whole;
    do { /* the first line was already read */
        line = mp_slice_trim(line);
        whole = mp_input_line_closed(input) || !line.length;
        if (whole && line.length)
            read_line(pass, &file, line, mp_input_line_number(input));
    } while (mp_input_line(input, &line));
    for (size_t i = 0; i < file.count;
         i++) { /* if a time of birth is unknown, count the age from the first known time */
        file.events[i].line.time_us += file.events[i].undated ? file.first_us : 0;
        if (file.events[i].line.time_us > file.last_us)
            file.last_us = file.events[i].line.time_us;
    }
    if (file.count)
        qsort(file.events, file.count, sizeof *file.events, by_time);
    taligent_begin(pass, file.first_us, file.last_us);
    for (size_t i = 0; i < file.count; i++)
        taligent_event(pass, &file.events[i].line, file.events[i].time);
    free(file.events);
    mp_arena_free(&file.texts);
    return whole;
}
