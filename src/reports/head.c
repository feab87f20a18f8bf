/* What every report says first: which inputs, which sessions. */
#include <assert.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "model/profile.h"
#include "query/suppression.h"
#include "reports/sections.h"

static const mp_column input_columns[] = {
    {"path", "File", MP_TEXT, MP_SHORTEN, 0},       {"format", "Format", MP_TEXT, 0, 0},
    {"format_version", "Version", MP_NUMBER, 0, 0}, {"bytes", "Size", MP_BYTES, 0, 0},
    {"records", "Records", MP_COUNT, 0, 0},         {"complete", "Complete", MP_FLAG, 0, 0},
};

static void section_inputs(mp_document *document, const mp_model *model)
{
    mp_table *table = MP_TABLE(document, "inputs", "Inputs", MP_ROWS, input_columns);
    table->flags = MP_FOR_PROGRAMS;
    for (uint32_t i = 1; i < model->inputs.count; i++) {
        const mp_input_summary *input = &model->inputs.at[i];
        mp_table_row(table);
        mp_set_text(document, table, "path", input->path);
        mp_set_text(document, table, "format", input->format);
        if (input->format_version)
            mp_set_number(table, "format_version", input->format_version);
        mp_set_number(table, "bytes", (int64_t)input->bytes);
        mp_set_number(table, "records", (int64_t)input->records);
        mp_set_number(table, "complete", input->complete);
    }
}

static int64_t span_us(const mp_filter *filter)
{
    int64_t last = 0;
    for (uint32_t i = 1; i < filter->model->snapshots.count; i++)
        if (filter->snapshots[i].whole && filter->snapshots[i].time_us > last)
            last = filter->snapshots[i].time_us;
    return last;
}

static const char *source_of(mp_document *document, const mp_model *model)
{
    uint32_t inputs = model->inputs.count - 1;
    if (inputs == 1)
        return model->inputs.at[1].path;
    return mp_document_text(document, "%s and %" PRIu32 " more", model->inputs.at[1].path,
                            inputs - 1);
}

static int64_t records_of(const mp_model *model)
{
    int64_t records = 0;
    for (uint32_t i = 1; i < model->inputs.count; i++)
        records += (int64_t)model->inputs.at[i].records;
    return records;
}

static void head(mp_document *document, const mp_request *request)
{
    const mp_model *model = request->model;
    const char *source = source_of(document, model);
    uint32_t sessions = model->sessions.count - 1;
    uint32_t snapshots = request->filter->sessions.first[model->sessions.count];
    char time[MP_UNIT_TEXT];
    section_inputs(document, model);
    if (!(model->holds & MP_HOLDS_LEDGER)) {
        document->title =
            mp_document_text(document, "%s: execution profile%s", source, sessions > 1 ? "s" : "");
        return;
    }
    if (model->kind == MP_KIND_DUMP) {
        document->title = mp_document_text(document, "%s: heap dump%s", source,
                                           snapshots == 1 ? "" : "s, the last of them in detail");
        return;
    }
    if (model->kind == MP_KIND_DATABASE) {
        document->title = mp_document_text(
            document, "%s: allocation database of %s%" PRIu32 " snapshot%s", source,
            sessions > 1 ? mp_document_text(document, "%" PRIu32 " sessions, ", sessions) : "",
            snapshots, snapshots == 1 ? "" : "s");
        return;
    }
    mp_format_time(time, span_us(request->filter));
    if (model->events) {
        const char *events = mp_document_text(document, " of %s events",
                                              mp_count_text(document, records_of(model), false));
        bool cut = sessions && model->sessions.at[1].snapshot.i;
        document->title =
            mp_document_text(document, "%s: heap log%s in %s", source, cut ? "" : events, time);
        return;
    }
    document->title = mp_document_text(
        document, "%s: memory recording of %s%" PRIu32 " snapshot%s in %s", source,
        sessions > 1 ? mp_document_text(document, "%" PRIu32 " sessions, ", sessions) : "",
        snapshots, snapshots == 1 ? "" : "s", time);
}

void mp_section_head(mp_document *document, const mp_request *request)
{
    head(document, request);
    mp_section_selection(document, request);
}

static const mp_column session_columns[] = {
    {"uuid", "UUID", MP_TEXT, 0, 0},
    {"start_time", "Started", MP_TEXT, 0, 0},
    {"process_id", "Process", MP_NUMBER, 0, 0},
    {"session_id", "Session", MP_TEXT, 0, 0},
    {"application", "Application", MP_TEXT, MP_SHORTEN, 0},
    {"instance", "Instance", MP_TEXT, MP_SHORTEN, 0},
    {"description", "Description", MP_TEXT, MP_SHORTEN, 0},
    {"openedge_version", "OpenEdge", MP_TEXT, 0, 0},
    {"user", "User", MP_TEXT, 0, 0},
    {"date", "Date", MP_TEXT, 0, 0},
    {"directory", "Directory", MP_TEXT, MP_SHORTEN, 0},
    {"propath", "PROPATH", MP_TEXT, MP_SHORTEN, 0},
    {"snapshots", "Snapshots", MP_COUNT, 0, 0},
};

static void session_row(mp_document *document, mp_table *table, const mp_filter *filter,
                        uint32_t id)
{
    const mp_model *model = filter->model;
    const mp_session *session = &model->sessions.at[id];
    const struct {
        const char *column;
        mp_string_id text;
    } texts[] = {
        {"uuid", session->uuid},
        {"start_time", session->start_time},
        {"session_id", session->session_id},
        {"application", session->application},
        {"instance", session->instance},
        {"description", session->description},
        {"openedge_version", session->openedge_version},
        {"user", session->user},
        {"date", session->date},
        {"directory", session->directory},
        {"propath", session->propath},
    };
    mp_table_row(table);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        mp_set_text(document, table, texts[i].column, mp_model_text(model, texts[i].text));
    if (session->has_process_id)
        mp_set_number(table, "process_id", (int64_t)session->process_id);
    if (model->holds & MP_HOLDS_LEDGER)
        mp_set_number(table, "snapshots", mp_filter_snapshots(filter, id));
}

void mp_section_session(mp_document *document, const mp_request *request, bool shown)
{
    const mp_model *model = request->model;
    if (model->sessions.count < 2)
        return;
    mp_table *table = MP_TABLE(document, "session", "Session", MP_RECORD, session_columns);
    table->name_of_many = "sessions";
    table->flags = shown ? 0 : MP_FOR_PROGRAMS;
    session_row(document, table, request->filter, 1);
    if (model->sessions.count == 2)
        return;
    table->flags = MP_FOR_PROGRAMS;
    mp_table *all = MP_TABLE(document, "sessions", "Sessions", MP_ROWS, session_columns);
    all->flags = shown ? 0 : MP_FOR_PROGRAMS;
    for (uint32_t i = 1; i < model->sessions.count; i++)
        session_row(document, all, request->filter, i);
}

size_t mp_view_rows(const mp_view *view, size_t own)
{
    return view->limit < 0 ? own : (size_t)view->limit;
}

bool mp_view_shows(const mp_view *view, const char *label)
{
    return !view->only || fnmatch(view->only, label, 0) == 0;
}

bool mp_view_keeps(const mp_view *view, int64_t bytes, int64_t count)
{
    return bytes >= view->min_bytes && count >= view->min_count;
}

void mp_table_left_out(mp_document *document, mp_table *table, size_t all)
{
    (void)document;
    if (all > table->row_count)
        table->footer.rest = (mp_rest){all - table->row_count, MP_REST_MORE};
}

bool mp_request_window(const mp_request *request, mp_window *window, mp_error *error)
{
    if (!mp_window_of(request->filter, request->view.from, request->view.to, window, error))
        return false;
    mp_window_suppress(window, request->suppressions);
    return true;
}

static const mp_snapshot *end_of(const mp_window *window, uint32_t session, bool from)
{
    const mp_range *range = &window->ranges[session];
    return mp_window_snapshot(window, from ? range->from.i : range->to.i);
}

const char *mp_moment_text(mp_document *document, const mp_window *window, bool from)
{
    const mp_model *model = window->model;
    const mp_snapshot *snapshot = end_of(window, 1, from);
    const char *tag = mp_model_text(model, snapshot->tag);
    if (model->sessions.count == 2)
        return mp_document_text(document, "snapshot %" PRIu64 "%s%s%s", snapshot->sequence,
                                *tag ? " (" : "", tag, *tag ? ")" : "");
    bool same_tag = *tag != '\0', same_number = true;
    for (uint32_t i = 2; i < model->sessions.count; i++) {
        same_tag &= end_of(window, i, from)->tag.i == snapshot->tag.i;
        same_number &= end_of(window, i, from)->sequence == snapshot->sequence;
    }
    if (same_number)
        return mp_document_text(document, "snapshot %" PRIu64 "%s%s%s of each session",
                                snapshot->sequence, same_tag ? " (" : "", same_tag ? tag : "",
                                same_tag ? ")" : "");
    if (same_tag)
        return mp_document_text(document, "%s of each session", tag);
    return from ? "the from-snapshot of each session" : "the to-snapshot of each session";
}

const char *mp_frame_text(mp_document *document, const mp_model *model, mp_frame frame)
{
    return mp_frame_label(document->arena, model, frame);
}

const char *mp_node_text(mp_document *document, const mp_model *model, uint32_t node)
{
    return mp_tree_label(document->arena, model, node);
}

mp_texts mp_stack_texts(mp_document *document, const mp_model *model, mp_frame frame)
{
    if (!frame.node) /* people read that no code did it; programs see an empty stack */
        return (mp_texts){.empty = "(session)"};
    size_t count = 0;
    mp_frame at = frame;
    do
        count++;
    while (mp_frame_caller(model, &at));
    const char **frames = mp_arena_alloc(document->arena, count * sizeof *frames);
    for (size_t i = 0; i < count; i++) {
        frames[i] = mp_frame_text(document, model, frame);
        mp_frame_caller(model, &frame);
    }
    return (mp_texts){.at = frames, .count = count};
}

mp_texts mp_one_text(mp_document *document, const char *text)
{
    if (!text)
        return (mp_texts){.at = NULL};
    const char **at = mp_arena_alloc(document->arena, sizeof *at);
    *at = text;
    return (mp_texts){.at = at, .count = 1};
}

/* --- orders, growth, tables of kinds --- */

const mp_order *mp_order_find(const mp_order *orders, size_t count, const char *sort,
                              const char *rows, mp_error *error)
{
    enum { MOST = 16 };
    const char *names[MOST];
    char list[256];
    assert(count <= MOST);
    for (size_t i = 0; i < count; i++) {
        if (!sort || mp_text_is(orders[i].name, sort))
            return &orders[i];
        names[i] = orders[i].name;
    }
    mp_fail_argument(error, "sort", sort, "%s are sorted by %s", rows,
                     mp_text_list(names, count, "or", list, sizeof list));
    return NULL;
}

void mp_order_rows(const mp_order *order, const mp_column *columns, size_t column_count, void *rows,
                   size_t count, size_t size)
{
    for (size_t i = sizeof order->columns / sizeof *order->columns; i-- > 0;)
        for (size_t j = 0; order->columns[i] && j < column_count; j++)
            if (strcmp(columns[j].name, order->columns[i]) == 0) {
                mp_rows_sort(rows, count, size, &columns[j]);
                break;
            }
}

mp_growth mp_growth_of(mp_amount from, mp_amount to)
{
    int64_t delta = to.bytes - from.bytes;
    return (mp_growth){.from_bytes = from.bytes,
                       .to_bytes = to.bytes,
                       .delta_bytes = delta,
                       .from_objects = from.objects,
                       .to_objects = to.objects,
                       .delta_objects = to.objects - from.objects,
                       .delta_percent = from.bytes ? mp_percent_of(delta, from.bytes) : NAN};
}

mp_table *mp_kind_table(mp_document *document, const mp_model *model, const char *name,
                        const char *title, const mp_column *columns, size_t count)
{
    unsigned kind = model->events                 ? MP_OF_EVENTS
                    : model->kind == MP_KIND_DUMP ? MP_OF_DUMPS
                                                  : MP_OF_RECORDINGS;
    unsigned kinds = MP_OF_EVENTS | MP_OF_DUMPS | MP_OF_RECORDINGS;
    mp_column *own = mp_arena_alloc(document->arena, count * sizeof *own);
    size_t owned = 0;
    for (size_t i = 0; i < count; i++)
        if (!(columns[i].flags & kinds) || columns[i].flags & kind)
            own[owned++] = columns[i];
    return mp_document_table(document, name, title, MP_ROWS, own, owned);
}

const char *mp_amount_text(mp_document *document, int64_t objects, int64_t bytes)
{
    return mp_document_text(document, "%s object%s, %s", mp_count_text(document, objects, false),
                            objects == 1 ? "" : "s", mp_bytes_text(document, bytes, false));
}

const char *mp_bytes_text(mp_document *document, int64_t bytes, bool with_sign)
{
    char text[MP_UNIT_TEXT];
    mp_format_bytes(text, bytes, document->exact_bytes, with_sign);
    return mp_document_text(document, "%s", text);
}

const char *mp_count_text(mp_document *document, int64_t count, bool with_sign)
{
    char text[MP_UNIT_TEXT];
    mp_format_count(text, count, with_sign);
    return mp_document_text(document, "%s", text);
}

const char *mp_seconds_text(mp_document *document, int64_t us, bool with_sign)
{
    char text[MP_UNIT_TEXT];
    mp_format_seconds(text, us, with_sign);
    return mp_document_text(document, "%s", text);
}
