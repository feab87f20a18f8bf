/* The head of every report: inputs, sessions and the selection. */
#include <inttypes.h>

#include <string.h>

#include "base/diagnose.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "query/profile_costs.h"
#include "relation/relation.h"
#include "reports/sections.h"

/* --- inputs and sessions --- */

static mp_table *inputs_table(mp_document *document)
{
    const mp_relation *relation = &mp_relation_files;
    mp_table *table = mp_document_table(document, "inputs", "Inputs", MP_ROWS, relation->columns,
                                        relation->column_count);
    table->flags = MP_FOR_PROGRAMS;
    return table;
}

static void put_inputs(mp_document *document, mp_table *table, const mp_request *request)
{
    mp_relation_source *source =
        mp_relation_source_new(request->filter, NULL, request->diagnostics);
    mp_cursor cursor = mp_cursor_open(&mp_relation_files, source);
    while (mp_cursor_next(&cursor, MP_ALL_COLUMNS))
        mp_table_put(document, table, cursor.row);
    mp_cursor_free(&cursor);
    mp_relation_source_free(source);
}

typedef struct session_row {
    const char *uuid, *start_time, *session_id, *application, *instance, *description;
    const char *openedge_version, *user, *date, *directory, *propath, *transport;
    int64_t process_id, snapshots, duration_us, period_us, period_bytes, period_count;
} session_row;

static const mp_column session_columns[] = {
    MP_COLUMN(session_row, uuid, "UUID", MP_TEXT, MP_MINOR),
    MP_COLUMN(session_row, start_time, "Started", MP_TEXT, 0),
    MP_COLUMN(session_row, process_id, "Process", MP_NUMBER, MP_MINOR),
    MP_COLUMN(session_row, session_id, "Session", MP_TEXT, 0),
    MP_COLUMN(session_row, transport, "Transport", MP_TEXT, MP_MINOR),
    MP_COLUMN(session_row, application, "Application", MP_TEXT, MP_SHORTEN | MP_MINOR),
    MP_COLUMN(session_row, instance, "Instance", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(session_row, description, "Description", MP_TEXT, MP_SENTENCE),
    MP_COLUMN(session_row, openedge_version, "OpenEdge", MP_TEXT, MP_MINOR),
    MP_COLUMN(session_row, user, "User", MP_TEXT, MP_MINOR),
    MP_COLUMN(session_row, date, "Date", MP_TEXT, 0),
    MP_COLUMN(session_row, directory, "Directory", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(session_row, propath, "PROPATH", MP_TEXT, MP_SENTENCE),
    MP_COLUMN(session_row, snapshots, "Snapshots", MP_COUNT, 0),
    MP_COLUMN(session_row, duration_us, "Duration", MP_AGE, MP_IF_KNOWN),
    MP_COLUMN(session_row, period_us, "Sampled every", MP_AGE, MP_IF_KNOWN),
    MP_COLUMN(session_row, period_bytes, "Sampled every", MP_BYTES, MP_IF_KNOWN),
    MP_COLUMN(session_row, period_count, "Sampled one in", MP_COUNT, MP_IF_KNOWN),
};

static void put_session(mp_document *document, mp_table *table, const mp_filter *filter, uint32_t i)
{
    const mp_model *model = filter->model;
    const mp_recorded_session *session = &model->sessions.items[i];
#define TEXT(member) .member = mp_model_text(model, session->member)
#define NUMBER(member) .member = session->member ? session->member : MP_UNKNOWN
    session_row row = {
        TEXT(uuid),
        TEXT(start_time),
        TEXT(session_id),
        TEXT(application),
        TEXT(instance),
        TEXT(description),
        TEXT(openedge_version),
        TEXT(user),
        TEXT(date),
        TEXT(directory),
        TEXT(propath),
        TEXT(transport),
        .process_id = session->has_process_id ? (int64_t)session->process_id : MP_UNKNOWN,
        .snapshots = model->holds & MP_HOLDS_LEDGER ? mp_filter_listed(filter, i) : MP_UNKNOWN,
        NUMBER(duration_us),
        NUMBER(period_us),
        NUMBER(period_bytes),
        NUMBER(period_count)};
#undef NUMBER
#undef TEXT
    mp_table_put(document, table, &row);
}

/* Add the sessions. A single session is a record. Several sessions are rows; then only programs get
 * the record of the first one. */
void mp_section_session(mp_document *document, const mp_request *request, bool shown)
{
    const mp_filter *filter = request->filter;
    uint32_t count = filter->model->sessions.count;
    if (count < 2)
        return;
    mp_table *table = MP_TABLE(document, "session", "Session", MP_RECORD, session_columns);
    table->name_of_many = "sessions";
    table->flags = shown && count == 2 ? 0 : MP_FOR_PROGRAMS;
    put_session(document, table, filter, 1);
    if (count == 2)
        return;
    mp_table *state = MP_TABLE(document, "sessions", "Sessions", MP_ROWS, session_columns);
    state->flags = shown ? 0 : MP_FOR_PROGRAMS;
    for (uint32_t i = 1; i < count; i++)
        put_session(document, state, filter, i);
}

/* --- the first line --- */

static const char *order_of_dumps(const mp_model *model)
{
    for (uint32_t i = 2; !model->dumps_by_stamp && i < model->inputs.count; i++)
        if (strverscmp(model->inputs.items[i - 1].path, model->inputs.items[i].path) > 0)
            return "given";
    return model->dumps_by_stamp ? "of their stamps" : "of their names";
}

static const char *title_of(mp_document *document, const mp_filter *filter)
{
    const mp_model *model = filter->model;
    uint32_t inputs = model->inputs.count - 1, sessions = model->sessions.count - 1;
    uint32_t snapshots = filter->listed.first[model->sessions.count];
    const char *plural = snapshots == 1 ? "" : "s", *several = "", *source;
    char time[MP_UNIT_TEXT];
    int64_t last_us = 0, records = 0;
    source = inputs == 1 ? model->inputs.items[1].path
                         : mp_document_text(document, "%s and %" PRIu32 " more",
                                            model->inputs.items[1].path, inputs - 1);
    if (sessions > 1)
        several = mp_document_text(document, "%" PRIu32 " sessions, ", sessions);
    for (uint32_t i = 1; i < model->snapshots.count; i++)
        if (filter->snapshots[i].whole && filter->snapshots[i].time_us > last_us)
            last_us = filter->snapshots[i].time_us;
    mp_format_time(time, last_us);
    switch (model->kind) {
    case MP_KIND_NONE:
    case MP_KIND_PROFILE:
        break;
    case MP_KIND_DUMP:
        return snapshots == 1
                   ? mp_document_text(document, "%s: heap dump", source)
                   : mp_document_text(document,
                                      "%s: heap dumps in the order %s, the last in detail", source,
                                      order_of_dumps(model));
    case MP_KIND_DATABASE:
        if (model->sessions.items[1].states_leaks)
            return mp_document_text(document, "%s: leak report%s", source, sessions > 1 ? "s" : "");
        return mp_document_text(document, "%s: %s of %s%" PRIu32 " snapshot%s", source,
                                strchr(mp_model_name(model), ' ') + 1, /* without article */
                                several, snapshots, plural);
    case MP_KIND_EVENTS:
        if (sessions && mp_filter_is_cut(filter, 1))
            return mp_document_text(document, "%s: heap log in %s", source, time);
        for (uint32_t i = 1; i <= inputs; i++)
            records += (int64_t)model->inputs.items[i].records;
        return mp_document_text(document, "%s: heap log of %s events in %s", source,
                                mp_count_text(document, records), time);
    case MP_KIND_RECORDING:
        return mp_document_text(document, "%s: memory recording of %s%" PRIu32 " snapshot%s in %s",
                                source, several, snapshots, plural, time);
    }
    const char *measure = model->profile ? mp_model_text(model, model->profile->measure) : "";
    if (document->sampled && strncmp(measure, "sample", 6) == 0)
        measure = "";
    return mp_document_text(document, "%s: %s%s%s%s%s%s", source,
                            document->uncalled ? "profile" : "execution profile",
                            sessions > 1 ? "s" : "",
                            document->sampled    ? " of samples"
                            : document->uncalled ? " of sampled time"
                                                 : "",
                            *measure ? " (" : "", measure, *measure ? ")" : "");
}

/* --- the selection, next to the totals of the whole recording --- */

typedef struct selection_row {
    mp_texts criteria;
    const char *selected, *since_utc, *until_utc, *alive, *leaked, *spent;
    int64_t since_us, until_us, min_bytes, min_count;
} selection_row;

static const mp_column selection_columns[] = {
    MP_COLUMN(selection_row, criteria, "", MP_LIST, MP_FOR_PROGRAMS),
    MP_COLUMN(selection_row, selected, "Selected", MP_TEXT, MP_FOR_PEOPLE),
    MP_COLUMN(selection_row, since_us, "Since", MP_TIME, 0),
    MP_COLUMN(selection_row, until_us, "Until", MP_TIME, 0),
    MP_COLUMN(selection_row, since_utc, "Since", MP_TEXT, 0),
    MP_COLUMN(selection_row, until_utc, "Until", MP_TEXT, 0),
    MP_COLUMN(selection_row, min_bytes, "Rows of at least", MP_BYTES, 0),
    MP_COLUMN(selection_row, min_count, "Rows of at least", MP_COUNT, 0),
    MP_COLUMN(selection_row, alive, "Alive", MP_TEXT, MP_FOR_PEOPLE),
    MP_COLUMN(selection_row, leaked, "Left behind", MP_TEXT, MP_FOR_PEOPLE),
    MP_COLUMN(selection_row, spent, "Time", MP_TEXT, MP_FOR_PEOPLE),
};

/* Totals of the whole recording. The names are the same as in the table "totals", which has the
 * totals of the selection. */
typedef struct whole_row {
    mp_totals heap;
    int64_t seconds, calls, modules;
} whole_row;

#define OF_HEAP(name, unit) MP_COLUMN_OF(whole_row, heap.name, #name, "", unit, MP_ADDS)
static const mp_column whole_columns[] = {
    OF_HEAP(live_objects, MP_COUNT),
    OF_HEAP(live_bytes, MP_BYTES),
    OF_HEAP(created_objects, MP_COUNT),
    OF_HEAP(created_bytes, MP_BYTES),
    OF_HEAP(deleted_objects, MP_COUNT),
    OF_HEAP(leaked_objects, MP_COUNT),
    OF_HEAP(leaked_bytes, MP_BYTES),
    MP_COLUMN(whole_row, seconds, "", MP_SECONDS, MP_ADDS),
    MP_COLUMN(whole_row, calls, "", MP_COUNT, MP_ADDS),
    MP_COLUMN(whole_row, modules, "", MP_COUNT, 0),
};

/* Set a moment as microseconds since the start, or as a time of day. */
static void set_moment(mp_document *document, const mp_moment *moment, int64_t *us,
                       const char **utc)
{
    char text[MP_UNIT_TEXT];
    *us = moment->given && !moment->absolute ? moment->us : MP_UNKNOWN;
    if (moment->absolute && mp_format_utc(text, moment->us))
        *utc = mp_document_text(document, "%s", text);
}

static void set_criteria(mp_document *document, const mp_selection *selection, selection_row *row)
{
    enum { MOST = 64 };
    size_t count = selection->count < MOST ? selection->count : MOST;
    const char **texts = mp_arena_alloc(document->arena, (count + 1) * sizeof *texts);
    for (size_t i = 0; i < count; i++) {
        const mp_criterion *criterion = &selection->criteria[i];
        texts[i] = mp_document_text(document, "%s%s: %s", criterion->negated ? "not-" : "",
                                    mp_subject_name(criterion->subject), criterion->pattern);
        row->selected =
            i ? mp_document_text(document, "%s, %s", row->selected, texts[i]) : texts[i];
    }
    if (count)
        row->criteria = (mp_texts){.items = texts, .count = count};
    const mp_time_range *within = &selection->within;
    set_moment(document, &within->since, &row->since_us, &row->since_utc);
    set_moment(document, &within->until, &row->until_us, &row->until_utc);
}

static const char *part_text(mp_document *document, mp_amount part, mp_amount amount)
{
    if (document->uncounted)
        return mp_document_text(document, "%s of %s", mp_bytes_text(document, part.bytes),
                                mp_bytes_text(document, amount.bytes));
    return mp_document_text(
        document, "%s of %s objects, %s of %s", mp_count_text(document, part.objects),
        mp_count_text(document, amount.objects), mp_bytes_text(document, part.bytes),
        mp_bytes_text(document, amount.bytes));
}

/* Set the totals of a filter in the request's window. Return false if the window does not exist;
 * the report itself then reports the error. */
static bool totals_in(const mp_request *request, const mp_filter *filter, mp_totals *totals)
{
    mp_window window;
    mp_error unheard = {0};
    if (!mp_request_window_of(request, filter, &window, &unheard))
        return false;
    *totals = mp_totals_of(&window);
    mp_window_free(&window);
    return true;
}

/* Set the totals of the selection and of the whole recording. Return false if the selection is
 * empty. */

static bool compare_heaps(mp_document *document, const mp_request *request, selection_row *row,
                          whole_row *whole)
{
    mp_totals part, totals;
    if (totals_in(request, request->filter, &part) && totals_in(request, request->whole, &totals)) {
        row->alive = part_text(document, (mp_amount){part.live_objects, part.live_bytes},
                               (mp_amount){totals.live_objects, totals.live_bytes});
        whole->heap.live_objects = totals.live_objects;
        whole->heap.live_bytes = totals.live_bytes;
        if (request->model->holds & MP_HOLDS_HISTORY) {
            row->leaked = part_text(document, (mp_amount){part.leaked_objects, part.leaked_bytes},
                                    (mp_amount){totals.leaked_objects, totals.leaked_bytes});
            whole->heap = totals;
        }
        return part.live_objects || part.created_objects > 0;
    }
    return true;
}

static bool compare_profiles(mp_document *document, const mp_request *request, selection_row *row,
                             whole_row *whole)
{
    mp_profile_totals part = mp_profile_total(request->filter);
    mp_profile_totals totals = mp_profile_total(request->whole);
    const char *calls =
        document->uncalled
            ? ""
            : mp_document_text(document, ", %s of %s calls", mp_count_text(document, part.calls),
                               mp_count_text(document, totals.calls));
    row->spent = mp_document_text(document, "%s of %s %s%s",
                                  mp_unit_text(document, MP_SECONDS, part.exclusive_us, false),
                                  mp_unit_text(document, MP_SECONDS, totals.exclusive_us, false),
                                  document->sampled ? "samples" : "seconds", calls);
    whole->seconds = totals.exclusive_us;
    whole->calls = totals.calls;
    whole->modules = (int64_t)totals.modules;
    return part.calls || part.exclusive_us;
}

/* Return true if an object has this name. */
static bool is_name(const mp_model *model, const char *text)
{
    for (uint32_t i = 1; i < model->contexts.count; i++) {
        const mp_symbol *name = &model->symbols.items[model->contexts.items[i].name.i];
        if (mp_text_is(mp_model_text(model, name->name), text))
            return true;
    }
    return false;
}

/* Return a hint about a pattern that matches nothing: it may be a name where a type is expected, or
 * only a part of a name. */
static const char *hint_of(mp_document *document, const mp_request *request)
{
    const mp_selection *selection = &request->selection;
    for (size_t i = 0; i < selection->count; i++) {
        const mp_criterion *criterion = &selection->criteria[i];
        if (criterion->subject == MP_SUBJECT_TYPE && is_name(request->model, criterion->pattern))
            return mp_document_text(document, "; %s is a name of objects: select it by %sname",
                                    criterion->pattern,
                                    mp_diagnostics_dashes(request->diagnostics));
        if (!criterion->negated && criterion->subject != MP_SUBJECT_STACK &&
            !strpbrk(criterion->pattern, "*?["))
            return mp_document_text(document, "; a pattern matches a whole name, *%s* a part of it",
                                    criterion->pattern);
    }
    return "";
}

/* Say that the selection matches nothing, because the user may have misspelt a name. Say nothing if
 * the whole recording is empty too. */
static void say_nothing(mp_document *document, const mp_request *request, const selection_row *row,
                        const whole_row *whole)
{
    bool empty = whole->heap.live_objects <= 0 && whole->heap.created_objects <= 0 &&
                 whole->calls <= 0 && whole->seconds <= 0; /* unknown values are below 0 */
    document->fits_nothing = true;
    if (row->selected && !empty)
        mp_document_say(document, MP_TONE_WARNING, "Warning", "nothing matches %s%s", row->selected,
                        hint_of(document, request));
    else if (!empty)
        mp_document_say(document, MP_TONE_WARNING, "Warning",
                        "nothing was created in the selected time");
}

/* Warn of a pattern that nothing matches, although others match. In a folder, another file may
 * match it. */
static void say_misfit(mp_document *document, const mp_request *request)
{
    if (request->one_of_many)
        return;
    document->misfit = mp_unmatched_text(document->arena, &request->selection, document->unmatched);
    if (document->misfit)
        mp_document_say(document, MP_TONE_WARNING, "Warning", "%s", document->misfit);
}

void mp_section_selection(mp_document *document, const mp_request *request, bool fits)
{
    int64_t bytes = mp_number_argument(request, "min-size");
    int64_t count = mp_number_argument(request, "min-count");
    bool selects = request->whole && mp_selects(&request->selection);
    selection_row row;
    whole_row whole;
    if (!selects && !bytes && !count)
        return;
    mp_table *table = MP_TABLE(document, "selection", "Selection", MP_RECORD, selection_columns);
    table->flags = MP_COMMON;
    mp_row_clear(selection_columns, table->column_count, &row);
    set_criteria(document, &request->selection, &row);
    row.min_bytes = bytes ? bytes : MP_UNKNOWN;
    row.min_count = count ? count : MP_UNKNOWN;
    mp_row_clear(whole_columns, sizeof whole_columns / sizeof *whole_columns, &whole);
    bool some = !selects ? true
                : request->model->holds & MP_HOLDS_LEDGER
                    ? compare_heaps(document, request, &row, &whole)
                    : compare_profiles(document, request, &row, &whole);
    document->unmatched = request->filter->unmatched;
    if (!some && !fits)
        say_nothing(document, request, &row, &whole);
    else if (selects && !fits)
        say_misfit(document, request);
    mp_table_put(document, table, &row);
    if (!selects)
        return;
    mp_table *beside = MP_TABLE(document, "whole", NULL, MP_RECORD, whole_columns);
    beside->name_of_many = "wholes";
    beside->flags = MP_FOR_PROGRAMS;
    mp_table_put(document, beside, &whole);
}

void mp_say_faults(mp_document *document, const mp_request *request)
{
    const mp_diagnostic *kept, *first = NULL;
    const size_t count = mp_diagnostics_kept(request->diagnostics, &kept);
    const uint64_t total = mp_diagnostics_faults(request->diagnostics);
    for (size_t i = 0; i < count; i++)
        if (mp_diagnostic_is_unsound(kept[i].id) &&
            (!first ||
             (mp_diagnostic_breaks_off(kept[i].id) && !mp_diagnostic_breaks_off(first->id))))
            first = &kept[i];
    if (!first)
        return;
    const char *place = "", *more = "";
    if (first->path && (request->model->inputs.count > 2 || request->base))
        place = mp_document_text(document, "%s: ", first->path);
    if (first->line)
        place = mp_document_text(document, "%sline %" PRIu64 ": ", place, first->line);
    if (total > 1)
        more =
            mp_document_text(document, "; %s more %s", mp_count_text(document, (int64_t)total - 1),
                             total == 2 ? "fault" : "faults");
    mp_document_say(document, MP_TONE_WARNING,
                    mp_diagnostic_breaks_off(first->id) ? "Truncated" : "Damaged",
                    "%s%s%s; figures may be incomplete", place, first->message, more);
}

void mp_section_inputs(mp_document *document, const mp_request *request)
{
    document->unsized = request->model->holds & MP_HOLDS_UNSIZED;
    document->uncounted = request->model->holds & MP_HOLDS_UNCOUNTED;
    put_inputs(document, inputs_table(document), request);
    document->title = title_of(document, request->filter);
}

void mp_section_head(mp_document *document, const mp_request *request)
{
    mp_section_inputs(document, request);
    mp_say_faults(document, request);
    mp_section_selection(document, request, false);
}

void mp_section_heads(mp_document *document, const mp_request *requests, size_t count)
{
    mp_table *table = inputs_table(document);
    for (size_t i = 0; i < count; i++)
        put_inputs(document, table, &requests[i]);
    if (!mp_selects(&requests->selection))
        return;
    selection_row row;
    table = MP_TABLE(document, "selection", "Selection", MP_RECORD, selection_columns);
    table->flags = MP_COMMON;
    mp_row_clear(selection_columns, table->column_count, &row);
    set_criteria(document, &requests->selection, &row);
    mp_table_put(document, table, &row);
}

const mp_window *mp_section_heap(mp_document *document, const mp_request *request, bool leaks,
                                 mp_error *error)
{
    const mp_window *window = mp_request_window(request, error);
    if (!window)
        return NULL;
    mp_section_head(document, request);
    mp_section_session(document, request, false);
    mp_section_heap_totals(document, window, leaks, false);
    if (leaks)
        mp_say_late(document, window);
    return window;
}
