/* What only a log of heap events tells: temporaries, old blocks, anomalies. */
#include <inttypes.h>
#include <stdio.h>

#include "model/events.h"
#include "reports/sections.h"

/* --- totals --- */

/* Old blocks that are alive at `to`: those of generations born at the start of each log. */
static mp_cost old_at(const mp_window *window)
{
    const mp_model *model = window->model;
    mp_cost sum = {0};
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.at[i];
        mp_snapshot_id born = model->generations.at[delta->generation.i].born;
        if (model->snapshots.at[born.i].ordinal == 1 &&
            mp_window_before_to(window, delta->snapshot))
            sum = mp_cost_add(sum, delta->cost);
    }
    return sum;
}

void mp_set_event_totals(mp_document *document, mp_table *table, const mp_window *window,
                         const mp_totals *totals)
{
    const mp_events *events = window->model->events;
    const int64_t *anomalies = events->anomaly_counts;
    mp_cost old = old_at(window);
    int64_t unmatched = anomalies[MP_ANOMALY_DOUBLE_DELETION] + anomalies[MP_ANOMALY_BAD_ADDRESS];
    mp_set_number(table, "peak_time_us", events->peak_time_us);
    mp_set_number(table, "old_objects", events->old_objects);
    mp_set_number(table, "old_bytes", events->old_bytes);
    mp_set_number(table, "old_live_objects", mp_cost_live(old));
    mp_set_number(table, "old_live_bytes", old.bytes);
    mp_set_number(table, "temporary_objects", totals->temporary_objects);
    mp_set_number(table, "temporary_bytes", totals->temporary_bytes);
    mp_set_number(table, "unmatched_deletions", unmatched);
    mp_set_number(table, "double_deletions", anomalies[MP_ANOMALY_DOUBLE_DELETION]);
    mp_set_number(table, "bad_address_deletions", anomalies[MP_ANOMALY_BAD_ADDRESS]);
    mp_set_number(table, "nonunique_allocations", anomalies[MP_ANOMALY_NONUNIQUE]);
    mp_set_number(table, "displaced_objects", events->displaced_objects);
    mp_set_number(table, "corruptions", anomalies[MP_ANOMALY_CORRUPTION]);
    mp_set_number(table, "corrupt_events", events->corrupt_events);
    mp_set_number(table, "late_events", events->late_events);
    mp_set_number(table, "cross_thread_deletions", anomalies[MP_ANOMALY_OTHER_THREAD]);
    mp_set_number(table, "threads", events->threads);
    mp_set_number(table, "crawls", events->crawls);
    mp_set_amount(document, table, "temporary", totals->temporary_objects, totals->temporary_bytes);
    if (events->old_objects)
        mp_set_text(
            document, table, "old",
            mp_document_text(document, "%s, of which %s are alive",
                             mp_amount_text(document, events->old_objects, events->old_bytes),
                             mp_amount_text(document, mp_cost_live(old), old.bytes)));
}

/* --- anomalies --- */

static const mp_column summary_columns[] = {
    {"kind", "Anomaly", MP_TEXT, 0, 0},
    {"count", "Count", MP_COUNT, 0, 0},
    {"first_line", "First in line", MP_NUMBER, 0, 0},
    {"meaning", "What it means", MP_TEXT, 0, 0},
};

static const char *const keys[MP_ANOMALY_KINDS] = {
    [MP_ANOMALY_DOUBLE_DELETION] = "a block is deleted that was deleted before: left out",
    [MP_ANOMALY_BAD_ADDRESS] = "a deletion where no block was seen: left out",
    [MP_ANOMALY_NONUNIQUE] = "an address that is alive is handed out again: a deletion was missed",
    [MP_ANOMALY_CORRUPTION] = "the monitor found the heap corrupt",
    [MP_ANOMALY_OTHER_THREAD] = "a block is deleted by another thread than allocated it",
    [MP_ANOMALY_REPORTED] = "the monitor's own words, at the head of a heap analysis file",
};

static const mp_anomaly *first_of(const mp_events *events, mp_anomaly_kind kind)
{
    for (uint32_t i = 1; i < events->anomalies.count; i++)
        if (events->anomalies.at[i].kind == kind)
            return &events->anomalies.at[i];
    return NULL;
}

void mp_section_anomaly_counts(mp_document *document, const mp_model *model)
{
    const mp_events *events = model->events;
    if (!events || events->anomalies.count < 2)
        return;
    mp_table *table = MP_TABLE(document, "anomaly_counts", "Anomalies (memprof check lists them)",
                               MP_ROWS, summary_columns);
    for (mp_anomaly_kind kind = 0; kind < MP_ANOMALY_KINDS; kind++) {
        const mp_anomaly *first = first_of(events, kind);
        if (!first)
            continue;
        mp_table_row(table);
        mp_set_text(document, table, "kind", mp_anomaly_name(kind));
        mp_set_number(table, "count", events->anomaly_counts[kind]);
        mp_set_number(table, "first_line", (int64_t)first->here.line);
        mp_set_text(document, table, "meaning", keys[kind]);
    }
}

static const mp_column columns[] = {
    {"kind", "Anomaly", MP_TEXT, 0, 0},
    {"path", "File", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"line", "Line", MP_NUMBER, 0, 0},
    {"time_us", "Time", MP_TIME, 0, 0},
    {"address", "Address", MP_TEXT, 0, 0},
    {"bytes", "Size", MP_BYTES, 0, 0},
    {"thread", "Thread", MP_TEXT, 0, 0},
    {"before_line", "Before: line", MP_NUMBER, 0, 0},
    {"before_time_us", "Before: time", MP_TIME, 0, 0},
    {"before_thread", "Before: thread", MP_TEXT, 0, 0},
    {"text", "The monitor says", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"stack", "Crawl", MP_LIST, MP_FOR_PROGRAMS, 0},
    {"before_stack", "Crawl before", MP_LIST, MP_FOR_PROGRAMS, 0},
    {"said", "Said", MP_LIST, MP_FOR_PEOPLE | MP_BELOW, 0},
    {"here", "Here", MP_LIST, MP_FOR_PEOPLE | MP_BELOW, 0},
    {"before", "Before", MP_LIST, MP_FOR_PEOPLE | MP_BELOW, 0},
};

/* "before: A() < B()" below a row. */
static void set_crawl(mp_document *document, mp_table *table, const mp_model *model,
                      const char *column, const char *word, mp_node_id node)
{
    mp_frame frame = {model->tree_of[node.i], MP_NO_LINE};
    const char *text = mp_frame_text(document, model, frame);
    if (!node.i)
        return;
    for (int depth = 0; depth < 16 && mp_frame_caller(model, &frame); depth++)
        text = mp_document_text(document, "%s < %s", text, mp_frame_text(document, model, frame));
    text = mp_document_text(document, "%s: %s", word, text);
    mp_set_list(document, table, column, &text, 1);
}

static void set_before(mp_document *document, mp_table *table, const mp_model *model,
                       const mp_anomaly *anomaly)
{
    const mp_event_place *before = &anomaly->before;
    if (!before->line)
        return;
    mp_set_number(table, "before_line", (int64_t)before->line);
    mp_set_number(table, "before_time_us", before->time_us);
    mp_set_text(document, table, "before_thread", mp_model_text(model, before->thread));
    mp_set_column_stack(document, table, "before_stack", model,
                        (mp_frame){model->tree_of[before->node.i], MP_NO_LINE});
    set_crawl(document, table, model, "before",
              anomaly->kind == MP_ANOMALY_DOUBLE_DELETION ? "deleted in" : "allocated in",
              before->node);
}

static void anomaly_row(mp_document *document, mp_table *table, const mp_model *model,
                        const mp_anomaly *anomaly)
{
    mp_table_row(table);
    mp_set_text(document, table, "kind", mp_anomaly_name(anomaly->kind));
    mp_set_text(document, table, "path", model->inputs.at[anomaly->input].path);
    mp_set_number(table, "line", (int64_t)anomaly->here.line);
    if (anomaly->text.i) {
        const char *said = mp_model_text(model, anomaly->text);
        mp_set_text(document, table, "text", said);
        said = mp_document_text(document, "the monitor says: %s", said);
        mp_set_list(document, table, "said", &said, 1);
        return;
    }
    mp_set_number(table, "time_us", anomaly->here.time_us);
    mp_set_text(document, table, "address",
                mp_document_text(document, "0x%" PRIx64, anomaly->address));
    if (anomaly->bytes)
        mp_set_number(table, "bytes", anomaly->bytes);
    mp_set_text(document, table, "thread", mp_model_text(model, anomaly->here.thread));
    mp_set_column_stack(document, table, "stack", model,
                        (mp_frame){model->tree_of[anomaly->here.node.i], MP_NO_LINE});
    set_crawl(document, table, model, "here",
              anomaly->kind == MP_ANOMALY_NONUNIQUE ? "allocated in" : "deleted in",
              anomaly->here.node);
    set_before(document, table, model, anomaly);
}

void mp_section_anomalies(mp_document *document, const mp_model *model, size_t rows)
{
    const mp_events *events = model->events;
    int64_t all = 0;
    if (!events || events->anomalies.count < 2)
        return;
    mp_table *table = MP_TABLE(document, "anomalies", "Anomalies", MP_ROWS, columns);
    for (int often = 0; often < 2; often++) /* what is no fault comes last */
        for (uint32_t i = 1; i < events->anomalies.count; i++) {
            const mp_anomaly *anomaly = &events->anomalies.at[i];
            if ((anomaly->kind == MP_ANOMALY_OTHER_THREAD) == often &&
                (!rows || table->row_count < rows))
                anomaly_row(document, table, model, anomaly);
        }
    for (mp_anomaly_kind kind = 0; kind < MP_ANOMALY_KINDS; kind++)
        all += events->anomaly_counts[kind];
    if (all > (int64_t)table->row_count)
        table->footer.rest = (mp_rest){(size_t)all - table->row_count, MP_REST_UNKEPT};
}
