/* The report requests: which API call of a server leaks, and the memory that each call needed. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "query/requests.h"
#include "reports/sections.h"

/* --- by API --- */

typedef struct api_row {
    mp_served_api served; /* must be first, because its columns are those of the row */
    const char *api, *leaving;
    int64_t average_us;
} api_row;

static const mp_column api_columns[] = {
    MP_RANK(0),
    MP_COLUMN(mp_served_api, left_bytes, "Left", MP_BYTES, 0),
    MP_COLUMN(mp_served_api, left_objects, "Objects", MP_COUNT, 0),
    MP_COLUMN(api_row, leaving, "In calls", MP_TEXT, MP_FOR_PEOPLE),
    MP_COLUMN(mp_served_api, calls, "Calls", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN(mp_served_api, leaving_calls, "Leaving", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN(mp_served_api, running_calls, "Running", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN(mp_served_api, created_bytes, "Created", MP_BYTES, 0),
    MP_COLUMN(mp_served_api, created_objects, "In objects", MP_COUNT, 0),
    MP_COLUMN(mp_served_api, peak_bytes, "Peak", MP_BYTES, 0),
    MP_COLUMN(mp_served_api, peak_objects, "Most objects", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN_OF(api_row, average_us, "average_duration_us", "Average", MP_AGE, MP_FOR_PROGRAMS),
    MP_COLUMN_OF(mp_served_api, longest_us, "longest_duration_us", "Longest", MP_AGE, 0),
    MP_COLUMN(api_row, api, "API", MP_TEXT, MP_SHORTEN),
};

static const mp_order api_orders[] = {
    {"left", {"left_bytes", "left_objects", "api"}},
    {"objects", {"left_objects", "left_bytes", "api"}},
    {"calls", {"calls", "left_bytes", "api"}},
    {"created", {"created_bytes", "created_objects", "api"}},
    {"peak", {"peak_bytes", "peak_objects", "api"}},
    {"duration", {"longest_duration_us", "left_bytes", "api"}},
    {"key", {"api"}},
};

static const char *api_text(const mp_model *model, mp_string_id api)
{
    return api.i ? mp_model_text(model, api) : "(none)";
}

static bool section_apis(mp_document *document, const mp_model *model, const mp_requests *requests,
                         const mp_heap_arguments *asked, mp_error *error)
{
    const mp_order *order =
        MP_ORDER_FIND(api_orders, mp_asked_sort(asked, model), "requests", error);
    if (!order)
        return false;
    mp_table *table = MP_TABLE(document, "apis", "By API", MP_ROWS, api_columns);
    size_t count = 0;
    api_row *rows = mp_alloc((requests->api_count + 1) * sizeof *rows);
    for (size_t i = 0; i < requests->api_count; i++) {
        const mp_served_api *api = &requests->apis[i];
        if (mp_is_asked(asked, api->left_bytes, api->left_objects))
            rows[count++] = (api_row){
                .served = *api,
                .api = api_text(model, api->api),
                .average_us = api->timed_calls ? api->duration_us / api->timed_calls : MP_UNKNOWN};
    }
    MP_ORDER_ROWS(order, api_columns, rows, count);
    for (size_t i = 0; i < mp_shown_of(count, (size_t)asked->limit); i++) {
        rows[i].leaving = mp_document_text(document, "%s of %s",
                                           mp_count_text(document, rows[i].served.leaving_calls),
                                           mp_count_text(document, rows[i].served.calls));
        mp_table_put(document, table, &rows[i]);
    }
    table->order = order->columns[0];
    table->empty = mp_empty_text(asked, "none");
    mp_table_left_out(table, count);
    free(rows);
    return true;
}

/* --- by request --- */

typedef struct request_row {
    mp_served served; /* must be first, because its columns are those of the row */
    const char *request, *api, *session, *among, *status;
    int64_t first_sequence, last_sequence;
} request_row;

static const mp_column request_columns[] = {
    MP_RANK(0),
    MP_COLUMN(mp_served, left_bytes, "Left", MP_BYTES, 0),
    MP_COLUMN(mp_served, left_objects, "Objects", MP_COUNT, 0),
    MP_COLUMN(mp_served, created_bytes, "Created", MP_BYTES, 0),
    MP_COLUMN(mp_served, created_objects, "In objects", MP_COUNT, 0),
    MP_COLUMN(mp_served, peak_bytes, "Peak", MP_BYTES, 0),
    MP_COLUMN(mp_served, peak_objects, "Most objects", MP_COUNT, MP_FOR_PROGRAMS),
    MP_COLUMN(mp_served, duration_us, "Took", MP_AGE, 0),
    MP_COLUMN(mp_served, start_us, "Start", MP_TIME, MP_FOR_PROGRAMS),
    MP_COLUMN(request_row, session, "Session", MP_TEXT, MP_FOR_PROGRAMS),
    MP_COLUMN(request_row, among, "Session", MP_TEXT, MP_FOR_PEOPLE | MP_SHORTEN | MP_IF_KNOWN),
    MP_COLUMN(request_row, request, "Request", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(request_row, api, "API", MP_TEXT, MP_SHORTEN),
    MP_COLUMN(request_row, status, "", MP_TEXT, 0),
    MP_COLUMN(request_row, first_sequence, "First snapshot", MP_NUMBER, MP_FOR_PROGRAMS),
    MP_COLUMN(request_row, last_sequence, "Last snapshot", MP_NUMBER, MP_FOR_PROGRAMS),
};

/* Orders of requests, which come sorted by session and time. */
static const mp_order request_orders[] = {
    {"left", {"left_bytes", "left_objects"}},
    {"objects", {"left_objects", "left_bytes"}},
    {"calls", {"left_bytes"}},
    {"created", {"created_bytes", "created_objects"}},
    {"peak", {"peak_bytes", "peak_objects"}},
    {"duration", {"duration_us", "left_bytes"}},
    {"key", {"request"}},
};

static request_row request_row_of(const mp_model *model, const mp_served *served)
{
    const mp_snapshot *snapshots = model->snapshots.items;
    const mp_recorded_session *session = &model->sessions.items[served->session.i];
    request_row row = {
        .served = *served,
        .request = mp_model_text(model, served->request),
        .api = mp_model_text(model, served->api),
        .session = mp_model_text(model, session->session_id),
        .among = model->sessions.count > 2 ? mp_model_text(model, session->session_id) : NULL,
        .status = served->ended ? NULL : "running",
        .first_sequence = (int64_t)snapshots[served->first.i].sequence,
        .last_sequence = (int64_t)snapshots[served->last.i].sequence};
    if (!served->ended)
        row.served.left_bytes = row.served.left_objects = MP_UNKNOWN;
    return row;
}

static bool section_requests(mp_document *document, const mp_model *model,
                             const mp_requests *requests, const mp_heap_arguments *asked,
                             mp_error *error)
{
    const mp_order *order =
        MP_ORDER_FIND(request_orders, mp_asked_sort(asked, model), "requests", error);
    if (!order)
        return false;
    mp_table *table = MP_TABLE(document, "requests", "Requests", MP_ROWS, request_columns);
    size_t count = 0;
    request_row *rows = mp_alloc((requests->count + 1) * sizeof *rows);
    for (size_t i = 0; i < requests->count; i++)
        if (mp_is_asked(asked, requests->items[i].left_bytes, requests->items[i].left_objects))
            rows[count++] = request_row_of(model, &requests->items[i]);
    MP_ORDER_ROWS(order, request_columns, rows, count);
    for (size_t i = 0; i < mp_shown_of(count, (size_t)asked->limit); i++)
        mp_table_put(document, table, &rows[i]);
    table->order = order->columns[0];
    table->empty = mp_empty_text(asked, "none");
    mp_table_left_out(table, count);
    free(rows);
    return true;
}

/* --- the report --- */

typedef struct outside_row {
    int64_t created_objects, created_bytes;
} outside_row;

static const mp_column outside_columns[] = {
    MP_COLUMN(outside_row, created_objects, "", MP_COUNT, MP_FOR_PROGRAMS | MP_ADDS),
    MP_COLUMN(outside_row, created_bytes, "", MP_BYTES, MP_FOR_PROGRAMS | MP_ADDS),
};

/* Return the number of objects that requests created. */
static int64_t created_in(const mp_requests *requests)
{
    int64_t objects = 0;
    for (size_t i = 0; i < requests->api_count; i++)
        objects += requests->apis[i].created_objects;
    return objects;
}

static bool leaves_more(const mp_served_api *served, const mp_served_api *than)
{
    return served->left_objects > 0 && (!than || served->left_bytes > than->left_bytes);
}

static bool leaves_often(const mp_served_api *served)
{
    return served->leaving_calls > 1 &&
           served->leaving_calls * 2 > served->calls - served->running_calls;
}

/* Return "POST /orders: 43 objects, 19.8 KiB, in 4 of 20 calls". */
static const char *left_text(mp_document *document, const mp_model *model,
                             const mp_served_api *served)
{
    return mp_document_text(document, "%s: %s, in %s of %s", api_text(model, served->api),
                            mp_amount_text(document, served->left_objects, served->left_bytes),
                            mp_count_text(document, served->leaving_calls),
                            mp_counted_text(document, served->calls, "call"));
}

/* Say the API that left most objects behind. If few of its calls left any, as when the first call
 * fills a cache, also say the worst of the APIs whose calls mostly leave objects behind. If no
 * object was created in a request, say that the result is unknown. */
static void say_worst(mp_document *document, const mp_model *model, const mp_requests *requests)
{
    const mp_served_api *worst = NULL, *often = NULL;
    for (size_t i = 0; i < requests->api_count; i++) {
        const mp_served_api *api = &requests->apis[i];
        if (leaves_more(api, worst))
            worst = api;
        if (leaves_often(api) && leaves_more(api, often))
            often = api;
    }
    const char *none = !requests->count ? "unknown: no snapshot of the window belongs to an "
                                          "agent's request; memprof leaks shows which code leaks"
                       : requests->created_objects && !created_in(requests)
                           ? "unknown: no object was created in a recorded request; memprof leaks "
                             "shows which code leaks"
                           : "nothing, by no request";
    if (worst)
        mp_document_say(document, MP_TONE_WORSE, "Left behind", "most by %s",
                        left_text(document, model, worst));
    else
        mp_document_say(document, MP_TONE_PLAIN, "Left behind", "%s", none);
    if (often && !leaves_often(worst))
        mp_document_say(document, MP_TONE_WORSE, "In most calls", "%s",
                        left_text(document, model, often));
}

static bool put(const mp_request *request, mp_document *document, const mp_window *window,
                mp_error *error)
{
    const mp_heap_arguments *asked = request->arguments;
    const mp_model *model = request->model;
    bool apis = !asked->by || mp_text_is(asked->by, "api");
    bool single = !asked->by || mp_text_is(asked->by, "request");
    mp_requests requests = mp_requests_of(window, asked->from != NULL);
    say_worst(document, model, &requests);
    outside_row outside = {requests.created_objects, requests.created_bytes};
    if (requests.count && outside.created_objects)
        mp_document_say(document, MP_TONE_PLAIN, "Outside",
                        "%s were created outside recorded requests",
                        mp_amount_text(document, outside.created_objects, outside.created_bytes));
    mp_table *record = MP_TABLE(document, "outside_requests", NULL, MP_RECORD, outside_columns);
    record->flags = MP_FOR_PROGRAMS;
    mp_table_put(document, record, &outside);
    bool ok = (!apis || section_apis(document, model, &requests, asked, error)) &&
              (!single || section_requests(document, model, &requests, asked, error));
    mp_requests_free(&requests);
    if (!ok)
        return false;
    document->tables[document->table_count - 1].main = true;
    return true;
}

static bool run(const mp_request *request, mp_document *document, mp_error *error)
{
    const mp_window *window = mp_section_heap(document, request, true, error);
    const bool ok = window && put(request, document, window, error);
    if (window)
        mp_section_suppressions(document, window);
    return ok;
}

static const mp_heap_arguments defaults = {.limit = MP_REPORT_ROWS};

static const mp_argument arguments[] = {
    MP_ASKS_WINDOW(1),          MP_ASKS("by", by, 1), MP_ASKS("sort", sort, 1),
    MP_ASKS("limit", limit, 1), MP_ASKS_MINIMA(1),    MP_SHARES("selection", 1),
    MP_SHARES("suppress", 1),
};

static const char *const groups[] = {"api", "request"};

static const mp_choice choices[] = {
    {.argument = "by", .variants = 1, MP_WORDS(groups)},
    {.argument = "sort", .variants = 1, MP_WORDS(api_orders)},
    {0},
};

const mp_report mp_report_requests = {
    .name = "requests",
    .summary = "show which API call leaks: the objects that requests of an agent left behind",
    .example = "requests samples/shop-requests-AS1.oemp",
    .details =
        "A request's own objects are those created after it began. It left behind those that are "
        "alive at the snapshot `to` (the last _PreCleanUp, else before _Exit, else the last), "
        "after the request ended. \"In calls\" distinguishes a leak, which occurs in every call, "
        "from a cache that the first call fills. `from` excludes earlier requests.",
    .wants_request_peaks = true,
    MP_ARGUMENTS(arguments, defaults),
    .choices = choices,
    .variants = {{.needs = MP_HOLDS_RUNTIME, .run = run}},
};
