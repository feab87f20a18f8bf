/* Reports on logs of heap events: lifetimes and sizes of blocks, blocks freed by another thread,
 * and anomalies. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "query/lifetimes.h"
#include "reports/sections.h"
#include "reports/stacks.h"

/* --- anomalies --- */

typedef struct anomaly_count {
    const char *kind, *meaning;
    int64_t count, first_line;
} anomaly_count;

static const mp_column count_columns[] = {
    MP_COLUMN(anomaly_count, kind, "Anomaly", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(anomaly_count, count, "Count", MP_COUNT, 0),
    MP_COLUMN(anomaly_count, first_line, "First in line", MP_NUMBER, 0),
    MP_COLUMN(anomaly_count, meaning, "Meaning", MP_TEXT, 0),
};

static const char *const meanings[MP_ANOMALY_KINDS] = {
    [MP_ANOMALY_DOUBLE_DELETION] = "a block is deleted twice: ignored",
    [MP_ANOMALY_BAD_ADDRESS] = "a deletion without a known block: ignored",
    [MP_ANOMALY_NONUNIQUE] = "an address in use is allocated again: a deletion was missed",
    [MP_ANOMALY_CORRUPTION] = "the monitor found the heap corrupt",
    [MP_ANOMALY_OTHER_THREAD] =
        "a block is deleted by a thread other than the one that allocated it",
    [MP_ANOMALY_REPORTED] = "the monitor's message at the start of a heap analysis file",
};

void mp_section_anomaly_counts(mp_document *document, const mp_model *model)
{
    const mp_events *events = model->events;
    if (!events || events->anomalies.count < 2)
        return;
    mp_table *table = MP_TABLE(document, "anomaly_counts", "Anomalies (memprof check lists them)",
                               MP_ROWS, count_columns);
    for (mp_anomaly_kind kind = 0; kind < MP_ANOMALY_KINDS; kind++) {
        uint32_t first = 1;
        while (first < events->anomalies.count && events->anomalies.items[first].kind != kind)
            first++;
        if (first == events->anomalies.count)
            continue;
        anomaly_count row = {.kind = mp_anomaly_name(kind),
                             .count = events->anomaly_counts[kind],
                             .first_line = (int64_t)events->anomalies.items[first].here.line,
                             .meaning = meanings[kind]};
        mp_table_put(document, table, &row);
    }
}

typedef struct anomaly_row {
    const char *kind, *path, *address, *thread, *before_thread, *text;
    int64_t line, time_us, bytes, before_line, before_time_us;
    mp_texts stack, before_stack, said, here, before;
} anomaly_row;

static const mp_column anomaly_columns[] = {
    MP_COLUMN(anomaly_row, kind, "Anomaly", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(anomaly_row, path, "File", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(anomaly_row, line, "Line", MP_NUMBER, 0),
    MP_COLUMN(anomaly_row, time_us, "Time", MP_TIME, 0),
    MP_COLUMN(anomaly_row, address, "Address", MP_TEXT, 0),
    MP_COLUMN(anomaly_row, bytes, "Size", MP_BYTES, 0),
    MP_COLUMN(anomaly_row, thread, "Thread", MP_TEXT, 0),
    MP_COLUMN(anomaly_row, before_line, "Before: line", MP_NUMBER, MP_MINOR),
    MP_COLUMN(anomaly_row, before_time_us, "Before: time", MP_TIME, MP_MINOR),
    MP_COLUMN(anomaly_row, before_thread, "Before: thread", MP_TEXT, MP_MINOR),
    MP_COLUMN(anomaly_row, text, "The monitor says", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(anomaly_row, stack, "Crawl", MP_LIST, MP_FOR_PROGRAMS),
    MP_COLUMN(anomaly_row, before_stack, "Crawl before", MP_LIST, MP_FOR_PROGRAMS),
    MP_COLUMN(anomaly_row, said, "Said", MP_LIST, MP_FOR_PEOPLE | MP_BELOW),
    MP_COLUMN(anomaly_row, here, "Here", MP_LIST, MP_FOR_PEOPLE | MP_BELOW),
    MP_COLUMN(anomaly_row, before, "Before", MP_LIST, MP_FOR_PEOPLE | MP_BELOW),
};

/* Return the line below a row, "deleted in: A() < B()"; no line if the call stack is unknown. */
static mp_texts crawl_text(mp_document *document, const mp_model *model, const char *word,
                           mp_node_id node)
{
    mp_frame frame = {model->tree_of[node.i], MP_NO_LINE};
    if (!node.i)
        return (mp_texts){.items = NULL};
    const char *text =
        mp_document_text(document, "%s: %s", word, mp_frame_text(document, model, frame));
    for (int depth = 0; depth < 16 && mp_frame_caller(model, &frame); depth++)
        text = mp_document_text(document, "%s < %s", text, mp_frame_text(document, model, frame));
    return mp_one_text(document, text);
}

static void put_anomaly(mp_document *document, mp_table *table, const mp_model *model,
                        const mp_anomaly *anomaly)
{
    const mp_event_place *here = &anomaly->here, *before = &anomaly->before;
    anomaly_row row;
    mp_row_clear(table->columns, table->column_count, &row);
    row.kind = mp_anomaly_name(anomaly->kind);
    row.path = model->inputs.items[anomaly->input].path;
    row.line = (int64_t)here->line;
    if (anomaly->text.i) { /* the log has only the text of the monitor about this anomaly */
        row.text = mp_model_text(model, anomaly->text);
        row.said =
            mp_one_text(document, mp_document_text(document, "the monitor says: %s", row.text));
        mp_table_put(document, table, &row);
        return;
    }
    row.time_us = here->time_us;
    row.address = mp_document_text(document, "0x%" PRIx64, anomaly->address);
    row.bytes = anomaly->bytes ? anomaly->bytes : MP_UNKNOWN;
    row.thread = mp_model_text(model, here->thread);
    row.stack =
        mp_stack_texts(document, model, (mp_frame){model->tree_of[here->node.i], MP_NO_LINE});
    row.here = crawl_text(document, model,
                          anomaly->kind == MP_ANOMALY_NONUNIQUE ? "allocated in" : "deleted in",
                          here->node);
    if (before->line) {
        row.before_line = (int64_t)before->line;
        row.before_time_us = before->time_us;
        row.before_thread = mp_model_text(model, before->thread);
        row.before_stack =
            mp_stack_texts(document, model, (mp_frame){model->tree_of[before->node.i], MP_NO_LINE});
        row.before =
            crawl_text(document, model,
                       anomaly->kind == MP_ANOMALY_DOUBLE_DELETION ? "deleted in" : "allocated in",
                       before->node);
    }
    mp_table_put(document, table, &row);
}

void mp_section_anomalies(mp_document *document, const mp_model *model, size_t rows)
{
    const mp_events *events = model->events;
    int64_t total = 0;
    if (!events || events->anomalies.count < 2)
        return;
    mp_table *table = MP_TABLE(document, "anomalies", "Anomalies", MP_ROWS, anomaly_columns);
    for (int often = 0; often < 2; often++) /* harmless anomalies come last */
        for (uint32_t i = 1; i < events->anomalies.count; i++) {
            const mp_anomaly *anomaly = &events->anomalies.items[i];
            if ((anomaly->kind == MP_ANOMALY_OTHER_THREAD) == often &&
                (!rows || table->row_count < rows))
                put_anomaly(document, table, model, anomaly);
        }
    for (mp_anomaly_kind kind = 0; kind < MP_ANOMALY_KINDS; kind++)
        total += events->anomaly_counts[kind];
    table->limited = true;
    if (total > (int64_t)table->row_count)
        table->footer.rest = (mp_rest){(size_t)total - table->row_count, MP_REST_UNKEPT};
}

/* --- lifetimes: totals --- */

typedef struct overall_row {
    mp_lifetime total;
    int64_t allocations_per_second, created_objects, span_us;
    const char *rate;
    double precision_percent;
} overall_row;

static const mp_column overall_columns[] = {
    MP_COLUMN_OF(overall_row, total.deaths, "deaths", "Deleted", MP_COUNT, MP_ADDS | MP_SUMMARY),
    MP_COLUMN_OF(overall_row, total.median_us, "median_us", "Median age", MP_AGE, MP_SUMMARY),
    MP_COLUMN_OF(overall_row, total.p90_us, "p90_us", "90th percentile", MP_AGE, 0),
    MP_COLUMN_OF(overall_row, total.least_us, "min_us", "Youngest", MP_AGE, 0),
    MP_COLUMN_OF(overall_row, total.most_us, "max_us", "Oldest", MP_AGE, 0),
    MP_COLUMN(overall_row, precision_percent, "Ages are exact within %", MP_PERCENT, 0),
    MP_COLUMN(overall_row, created_objects, "Allocated", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS),
    MP_COLUMN(overall_row, span_us, "Over", MP_TIME, MP_FOR_PROGRAMS | MP_ADDS),
    MP_COLUMN(overall_row, allocations_per_second, "Allocations a second", MP_COUNT,
              MP_FOR_PROGRAMS),
    MP_COLUMN(overall_row, rate, "Allocations a second", MP_TEXT, MP_FOR_PEOPLE),
};

/* Return the rate per second, "266". If it is low, the text has the count too: "0.36 (220 in
 * 0:10:13.221)". */
static const char *rate_text(mp_document *document, double rate, int64_t created, int64_t span_us)
{
    enum { FEW = 100 };
    char time[MP_UNIT_TEXT];
    if (rate >= FEW)
        return mp_count_text(document, (int64_t)(rate + 0.5));
    mp_format_time(time, span_us);
    return mp_document_text(document, "%.2f (%s in %s)", rate, mp_count_text(document, created),
                            time);
}

static void section_overall(mp_document *document, const mp_window *window,
                            const mp_lifetimes *lifetimes)
{
    const mp_model *model = window->model;
    unsigned bits = model->ages->bits;
    int64_t span = 0, created = lifetimes->created;
    for (uint32_t i = 1; i < model->sessions.count; i++)
        span += mp_window_snapshot(window, window->ranges[i].to.i)->time_us;
    mp_table *table = MP_TABLE(document, "overall", "All of them", MP_RECORD, overall_columns);
    double rate = span > 0 ? (double)created * 1e6 / (double)span : 0;
    overall_row row = {.total = lifetimes->total,
                       .precision_percent = bits ? 100.0 / (double)(1u << (bits - 1)) : NAN,
                       .created_objects = created,
                       .span_us = span,
                       .rate = span > 0 ? rate_text(document, rate, created, span) : NULL,
                       .allocations_per_second = span > 0 ? (int64_t)(rate + 0.5) : MP_UNKNOWN};
    if (!row.total.deaths)
        row.total.median_us = row.total.p90_us = row.total.least_us = row.total.most_us =
            MP_UNKNOWN;
    mp_table_put(document, table, &row);
}

/* --- histograms --- */

typedef struct age_row {
    int64_t from_us, to_us, objects, bytes;
    double percent;
    const char *bar;
} age_row;

static const mp_column age_columns[] = {
    MP_COLUMN(age_row, from_us, "From", MP_AGE, 0),
    MP_COLUMN(age_row, to_us, "To before", MP_AGE, 0),
    MP_COLUMN(age_row, objects, "Objects", MP_COUNT, 0),
    MP_COLUMN(age_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN(age_row, bytes, "Size", MP_BYTES, 0),
    MP_COLUMN(age_row, bar, "", MP_TEXT, MP_FOR_PEOPLE),
};

static void section_ages(mp_document *document, const mp_lifetimes *lifetimes)
{
    enum {
        BAR = 24
    }; /* width of a bar in columns, at which the table fits a terminal of 80 columns */
    char bar[BAR + 1];
    int64_t most = 0;
    int first = MP_AGE_CLASSES, last = -1;
    for (int i = 0; i < MP_AGE_CLASSES; i++) {
        if (!lifetimes->classes[i].objects)
            continue;
        first = first < i ? first : i;
        last = i;
        if (lifetimes->classes[i].objects > most)
            most = lifetimes->classes[i].objects;
    }
    mp_table *table = MP_TABLE(document, "ages", "Age at deletion", MP_ROWS, age_columns);
    table->empty = "nothing was deleted whose creation was seen";
    for (int i = first; i <= last; i++) {
        const mp_age_class *class = &lifetimes->classes[i];
        /* The largest class has the longest bar. A class that is not empty has at least one
         * mark. */
        int length = (int)((double)class->objects * BAR / (double)most + 0.5);
        memset(bar, '#', sizeof bar);
        bar[class->objects && !length ? 1 : length] = '\0';
        age_row row = {.from_us = i ? (int64_t)(1ull << (i - 1)) : 0,
                       .to_us = (int64_t)(1ull << i),
                       .objects = class->objects,
                       .percent = mp_percent_of(class->objects, lifetimes->total.deaths),
                       .bytes = class->bytes,
                       .bar = bar};
        mp_table_put(document, table, &row);
    }
}

typedef struct size_row {
    mp_size_class class;
    int64_t from_bytes, to_bytes;
    double percent;
} size_row;

static const mp_column size_columns[] = {
    MP_COLUMN(size_row, from_bytes, "From", MP_BYTES, 0),
    MP_COLUMN(size_row, to_bytes, "To before", MP_BYTES, 0),
    MP_COLUMN_OF(size_row, class.created, "objects", "Allocated", MP_COUNT, 0),
    MP_COLUMN(size_row, percent, "%", MP_PERCENT, 0),
    MP_COLUMN_OF(size_row, class.created_bytes, "bytes", "Size", MP_BYTES, 0),
    MP_COLUMN_OF(size_row, class.deleted, "deleted_objects", "Deleted", MP_COUNT, 0),
    MP_COLUMN_OF(size_row, class.temporary, "temporary_objects", "Temporary", MP_COUNT, 0),
};

static void section_sizes(mp_document *document, const mp_events *events)
{
    int64_t total = 0;
    mp_table *table = MP_TABLE(document, "sizes", "Allocations by size", MP_ROWS, size_columns);
    for (int i = 0; i < MP_SIZE_CLASSES; i++)
        total += events->sizes[i].created;
    for (int i = 0; i < MP_SIZE_CLASSES; i++) {
        size_row row = {.class = events->sizes[i],
                        .from_bytes = i ? (int64_t)(1ull << (i - 1)) : 0,
                        .to_bytes = (int64_t)(1ull << i),
                        .percent = mp_percent_of(events->sizes[i].created, total)};
        if (row.class.created)
            mp_table_put(document, table, &row);
    }
}

/* --- threads --- */

typedef struct thread_row {
    const char *allocated_by, *deleted_by;
    int64_t objects, bytes;
} thread_row;

static const mp_column thread_columns[] = {
    MP_COLUMN(thread_row, allocated_by, "Allocated by", MP_TEXT, 0),
    MP_COLUMN(thread_row, deleted_by, "Deleted by", MP_TEXT, 0),
    MP_COLUMN(thread_row, objects, "Objects", MP_COUNT, 0),
    MP_COLUMN(thread_row, bytes, "Size", MP_BYTES, 0),
};

static void section_threads(mp_document *document, const mp_model *model)
{
    const mp_events *events = model->events;
    uint32_t count = events->handovers.count - 1;
    thread_row *rows = mp_alloc((count + 1u) * sizeof *rows);
    mp_table *table = MP_TABLE(document, "threads", "Allocated by one thread, deleted by another",
                               MP_ROWS, thread_columns);
    table->empty = "none";
    for (uint32_t i = 0; i < count; i++) {
        const mp_handover *handover = &events->handovers.items[i + 1];
        rows[i] =
            (thread_row){mp_model_text(model, handover->from), mp_model_text(model, handover->to),
                         handover->objects, handover->bytes};
    }
    static const mp_order orders[] = {{"names", {"allocated_by", "deleted_by"}},
                                      {"most", {"bytes", "objects"}}};
    for (size_t i = 0; i < 2; i++)
        MP_ORDER_ROWS(&orders[i], thread_columns, rows, count);
    for (uint32_t i = 0; i < count; i++)
        mp_table_put(document, table, &rows[i]);
    free(rows);
}

/* --- groups --- */

static const mp_column lifetime_columns[] = {
    MP_RANK(0),
    MP_COLUMN(mp_lifetime, deaths, "Deleted", MP_COUNT, 0),
    MP_COLUMN(mp_lifetime, bytes, "Size", MP_BYTES, MP_MINOR),
    MP_COLUMN_OF(mp_lifetime, alive, "live_objects", "Alive", MP_COUNT, MP_OF_RECORDINGS),
    MP_COLUMN(mp_lifetime, median_us, "Median age", MP_AGE, MP_SUMMARY),
    MP_COLUMN(mp_lifetime, p90_us, "90 %", MP_AGE, 0),
    MP_COLUMN_OF(mp_lifetime, least_us, "min_us", "Youngest", MP_AGE, MP_OF_EVENTS | MP_MINOR),
    MP_COLUMN_OF(mp_lifetime, least_us, "min_us", "Youngest", MP_AGE,
                 MP_OF_RECORDINGS | MP_FOR_PROGRAMS),
    MP_COLUMN_OF(mp_lifetime, most_us, "max_us", "Oldest", MP_AGE, MP_MINOR),
    MP_COLUMN_OF(mp_lifetime, label, "key", "Group", MP_TEXT, MP_SHORTEN),
};

static const mp_order lifetime_orders[] = {{"deleted", {"deaths", "key"}},
                                           {"bytes", {"bytes", "key"}},
                                           {"median", {"median_us", "key"}},
                                           {"p90", {"p90_us", "key"}},
                                           {"key", {"key"}}};

static bool put(const mp_request *request, mp_document *document, const mp_window *window,
                const mp_dimension *dimension, mp_error *error)
{
    const mp_heap_arguments *asked = request->arguments;
    const mp_order *order = MP_ORDER_FIND(lifetime_orders, asked->sort, "lifetimes", error);
    if (!order)
        return false;
    mp_lifetimes lifetimes = mp_lifetimes_of(window, dimension, asked->only);
    MP_ORDER_ROWS(order, lifetime_columns, lifetimes.groups, lifetimes.count);
    section_overall(document, window, &lifetimes);
    section_ages(document, &lifetimes);
    mp_table *table = MP_KIND_TABLE(document, window->model, "lifetimes", NULL, lifetime_columns);
    table->title =
        mp_document_text(document, "Age at deletion by %s", mp_dimension_title(dimension));
    table->main = true;
    table->order = order->columns[0];
    table->empty = "none";
    for (uint32_t i = 0; i < mp_shown_of(lifetimes.count, (size_t)asked->limit); i++)
        mp_table_put(document, table, &lifetimes.groups[i]);
    mp_table_left_out(table, lifetimes.count);
    /* These tables are only for a whole log. */
    if (window->model->events && !window->filter->selects && !asked->only) {
        section_sizes(document, request->model->events);
        section_threads(document, request->model);
    }
    mp_lifetimes_free(&lifetimes);
    return true;
}

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_heap_arguments *asked = request->arguments;
    const mp_model *model = request->model;
    if (!model->ages)
        return mp_fail(error, MP_ERROR_NO_ANSWER, "it was read without the ages of its objects");
    for (uint32_t i = 1; model->events && i < model->sessions.count; i++)
        if (mp_filter_is_cut(request->filter, i))
            return mp_fail(error, MP_ERROR_ARGUMENT,
                           "lifetimes covers a whole log, not up to a snapshot; remove @%s",
                           mp_model_text(model, model->sessions.items[i].snapshot));
    const mp_dimension *dimension = mp_asked_dimension(asked, request->model);
    const mp_window *window = mp_section_heap(document, request, false, error);
    return window && put(request, document, window, dimension, error);
}

enum { OF_LOGS = 1, OF_RECORDINGS = 2 }; /* bits that tell the variants apart */

static const mp_heap_arguments defaults = {.limit = MP_REPORT_ROWS};

static const mp_argument arguments[] = {
    MP_ASKS("to", to, OF_RECORDINGS),
    MP_ASKS("by", by, OF_LOGS | OF_RECORDINGS),
    MP_ASKS("sort", sort, OF_LOGS | OF_RECORDINGS),
    MP_ASKS("limit", limit, OF_LOGS | OF_RECORDINGS),
    MP_ASKS("only", only, OF_LOGS | OF_RECORDINGS),
    MP_SHARES("selection", OF_LOGS | OF_RECORDINGS),
    MP_SHARES("slices", OF_LOGS),
    MP_SHARES("temporary", OF_LOGS),
    MP_SHARES("reorder", OF_LOGS),
    MP_SHARES("skip", OF_LOGS),
};

static const mp_choice choices[] = {
    {.argument = "by", .variants = OF_LOGS | OF_RECORDINGS, .apart = true},
    {.argument = "sort", .variants = OF_LOGS | OF_RECORDINGS, MP_WORDS(lifetime_orders)},
    {0},
};

const mp_report mp_report_lifetimes = {
    .name = "lifetimes",
    .summary = "show how long objects lived: their ages at deletion",
    .example = "lifetimes samples/shop.taligent",
    .wants_ages = true,
    .details =
        "Shows the ages at deletion of objects whose creation was recorded too: a histogram of "
        "all objects, and the median and 90th percentile of each group. For heap logs, also "
        "shows allocations by size, and blocks allocated by one thread and deleted by "
        "another. For memory recordings, covers deletions up to the snapshot `to` (the last "
        "_PreCleanUp, else before _Exit, else the last). `only` keeps some of the groups.",
    MP_ARGUMENTS(arguments, defaults),
    .choices = choices,
    .variants = {{.needs = MP_HOLDS_EVENTS, .run = run}, {.needs = MP_HOLDS_TIMES, .run = run}},
};
