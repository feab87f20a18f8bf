/* Logs of the shop as an OpenEdge agent or client. Some of their entries are about dynamic objects.
 * Also their known answer: an object is counted where the plan creates or deletes it; the text of a
 * line does not matter. */
#include "gen.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { PROCESS = 13309, THREAD = 13326, LINE_US = 1700, CACHE_REQUESTS = 8, BUFFERS = 3 };

static const int64_t first_us = INT64_C(30250000); /* microseconds since 08:15 */

typedef enum dyn_story { DYN_LEAK, DYN_SLOW, DYN_CACHE, DYN_CHURN, DYN_STORIES } dyn_story;

typedef struct dyn_log {
    gen_writer *writer; /* NULL: lines are only counted */
    bool agent, traced;
    int64_t lines, from, to; /* number of lines so far; first and last line to write */
    int64_t time_us, handle, request;
    int session;
    uint64_t address;
    gen_sum alive[DYN_STORIES], created;
    int64_t deleted;
} dyn_log;

/* --- lines --- */

static void put_line(dyn_log *log, int level, const char *type, const char *format, va_list list)
{
    char text[400];
    log->time_us += LINE_US;
    log->lines++;
    if (!log->writer || log->lines <= log->from || log->lines > log->to)
        return;
    vsnprintf(text, sizeof text, format, list);
    const int64_t us = first_us + log->time_us;
    const int minutes = 15 + (int)(us / 60000000), seconds = (int)(us / 1000000 % 60);
    const int hours = 8 + minutes / 60, thousandths = (int)(us / 1000 % 1000);
    if (log->agent)
        gen_print(log->writer,
                  "2026-03-02T%02d:%02d:%02d.%03d+0100 %06d %06d %d AS-%d ROOT:w:%08" PRIx64
                  " %-14s %s\n",
                  hours % 24, minutes % 60, seconds, thousandths, PROCESS, THREAD + log->session,
                  level, log->session, (uint64_t)log->request, type, text);
    else
        gen_print(log->writer,
                  "[26/03/02@%02d:%02d:%02d.%03d+0100] P-%06d T-%06d %d 4GL %-14s %s\n", hours % 24,
                  minutes % 60, seconds, thousandths, PROCESS, THREAD, level, type, text);
}

__attribute__((format(printf, 2, 3))) static void dynamic(dyn_log *log, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    put_line(log, 2, "DYNOBJECTS", format, list);
    va_end(list);
}

__attribute__((format(printf, 3, 4))) static void call(dyn_log *log, int level, const char *format,
                                                       ...)
{
    va_list list;
    va_start(list, format);
    if (log->traced)
        put_line(log, level, "4GLTRACE", format, list);
    va_end(list);
}

__attribute__((format(printf, 3, 4))) static void noise(dyn_log *log, const char *type,
                                                        const char *format, ...)
{
    va_list list;
    va_start(list, format);
    put_line(log, 2, type, format, list);
    va_end(list);
}

/* Write the next line of a message. Its beginning is not that of an entry. */
static void go_on(dyn_log *log, const char *text)
{
    if (log->writer && ++log->lines > log->from && log->lines <= log->to)
        gen_print(log->writer, "%s\n", text);
    else if (!log->writer)
        log->lines++;
}

/* --- objects --- */

static void count(dyn_log *log, dyn_story story, int64_t objects, int64_t bytes)
{
    gen_add(&log->alive[story], objects, objects * bytes);
    if (objects > 0)
        gen_add(&log->created, objects, objects * bytes);
    else
        log->deleted -= objects;
}

static int64_t create(dyn_log *log, dyn_story story, const char *type, const char *place,
                      const char *more)
{
    const int64_t handle = ++log->handle;
    dynamic(log, "Created        %-23s Handle:%" PRId64 " (%s)%s%s", type, handle, place,
            *more ? " " : "", more);
    count(log, story, 1, 0);
    return handle;
}

static void delete_object(dyn_log *log, dyn_story story, const char *action, const char *type,
                          int64_t handle, const char *place, const char *more)
{
    dynamic(log, "%-14s %-23s Handle:%" PRId64 " (%s)%s%s", action, type, handle, place,
            *more ? " " : "", more);
    count(log, story, -1, 0);
}

static uint64_t allocate(dyn_log *log, dyn_story story, int bytes, const char *place)
{
    const uint64_t address = log->address += 4096;
    dynamic(log, "Allocated   MEMPTR 0x%" PRIX64 " size: %d (%s)", address, bytes, place);
    count(log, story, 1, bytes);
    return address;
}

/* --- requests --- */

#define SERVICE "shop.OrderService"

/* Write the objects that every request creates and deletes before it ends. */
static void work(dyn_log *log)
{
    int64_t buffers[BUFFERS];
    dynamic(log, "Creating pool  <unnamed> (placeOrder " SERVICE " @ 140)");
    for (int i = 0; i < BUFFERS; i++)
        buffers[i] = create(log, DYN_CHURN, "BUFFER", "placeOrder " SERVICE " @ 142",
                            "Table:Order Pool:<unnamed> FROM " SERVICE);
    dynamic(log,
            "Created        BUFFER                  Handle:%" PRId64 " (placeOrder " SERVICE
            " @ 143) IMPLICIT Table:Item Pool:<Session Pool>",
            ++log->handle);
    call(log, 2, "Invoke parse in shop.Import \"\" [placeOrder - " SERVICE " @ 146]");
    const uint64_t memory = allocate(log, DYN_CHURN, 816, "parse shop.Import @ 52");
    const int64_t document = create(log, DYN_CHURN, "X-DOCUMENT", "parse shop.Import @ 53",
                                    "Pool:<unnamed> FROM shop.Import");
    delete_object(log, DYN_CHURN, "Deleted", "X-DOCUMENT", document, "parse shop.Import @ 60", "");
    call(log, 3, "Return from parse \"\" [shop.Import]");
    const int64_t table =
        create(log, DYN_CHURN, "TEMP-TABLE", "tt.p @ 16", "Pool:<unnamed> FROM tt.p");
    dynamic(log, "Delete Pending TEMP-TABLE              Handle:%" PRId64 " (tt.p @ 18)", table);
    delete_object(log, DYN_CHURN, "Deleted", "TEMP-TABLE", table, "tt.p @ 18", "POOLDEL");
    dynamic(log,
            "Cached         Progress.Lang.Object    Handle:%" PRId64 " (placeOrder " SERVICE
            " @ 160) shop.Reusable",
            ++log->handle);
    for (int i = 0; i < BUFFERS; i++)
        delete_object(log, DYN_CHURN, "Deleted", "BUFFER", buffers[i],
                      "placeOrder " SERVICE " @ 170", "POOLDEL");
    dynamic(log, "Deallocated MEMPTR 0x%" PRIX64 " size: 816", memory);
    count(log, DYN_CHURN, -1, 816);
    dynamic(log,
            "Deleting pool  <unnamed> (placeOrder " SERVICE " @ 171) FROM placeOrder " SERVICE);
}

/* Serve a request: two orders, then an invoice, then two orders, and so on. */
static void serve(dyn_log *log, int64_t number)
{
    const bool invoice = number % 3 == 2;
    call(log, 2, "Run shop/placeOrder.p \"%" PRId64 "\" [Main Block - web/handler.p @ 40]", number);
    call(log, 2, "Invoke placeOrder in " SERVICE " \"\" [Main Block - shop/placeOrder.p @ 12]");
    const int64_t session = create(log, DYN_CHURN, "Progress.Lang.Object",
                                   "placeOrder " SERVICE " @ 144", "shop.Session");
    work(log);
    noise(log, "QRYINFO", "Query Plan: placeOrder " SERVICE " line 147");
    noise(log, "4GLMESSAGE", "Order %" PRId64 " is late. (DYNOBJECTS are not meant)", number);
    go_on(log, "  The customer was told: Handle:12 (nobody @ 1)");
    if (!invoice)
        create(log, DYN_LEAK, "Progress.Lang.Object", "placeOrder " SERVICE " @ 155",
               "shop.OrderEvent");
    if (number < CACHE_REQUESTS) {
        call(log, 2, "Invoke fill in shop.PriceCache \"\" [placeOrder - " SERVICE " @ 157]");
        create(log, DYN_CACHE, "Progress.Lang.Object", "fill shop.PriceCache @ 55",
               "shop.PriceEntry");
        call(log, 3, "Return from fill \"\" [shop.PriceCache]");
    }
    if (invoice) {
        call(log, 2, "Invoke write in shop.PdfWriter \"\" [placeOrder - " SERVICE " @ 158]");
        allocate(log, DYN_SLOW, 2048, "write shop.PdfWriter @ 52");
        call(log, 3, "Return from write \"\" [shop.PdfWriter]");
    }
    delete_object(log, DYN_CHURN, "Deleted-by-GC", "Progress.Lang.Object", session,
                  "placeOrder " SERVICE " @ 172", "shop.Session");
    call(log, 3, "Return from placeOrder \"\" [" SERVICE "]");
    call(log, 3, "Return from Main Block \"\" [shop/placeOrder.p]");
}

static void write_log(dyn_log *log, const gen_options *options)
{
    const int sessions = log->agent ? (int)options->threads : 1;
    log->session = 1;
    log->handle = 1000;
    log->address = UINT64_C(0x7F0338100000);
    dynamic(log, "Created        PROCEDURE               Handle:%" PRId64 " ( @ 0) session_start.p",
            ++log->handle);
    dynamic(log, "Creating pool  <unnamed> ( @ 0)");
    dynamic(log, "Deleted        BUFFER                  Handle:77 (cleanup shop.Old @ 5)");
    for (int64_t i = 0; i < options->events; i++) {
        log->session = 1 + (int)(i % sessions);
        log->request = i;
        serve(log, i);
    }
}

static dyn_log log_of(const gen_options *options, gen_writer *writer)
{
    return (dyn_log){.writer = writer,
                     .agent = options->layout == 0,
                     .traced = options->traced,
                     .to = INT64_MAX};
}

void gen_dynobjects(const gen_options *options, gen_writer *writer)
{
    dyn_log whole = log_of(options, NULL), log = log_of(options, writer);
    write_log(&whole, options);
    if (options->dump == 1)
        log.to = whole.lines / 2;
    if (options->dump == 2)
        log.from = whole.lines / 2;
    write_log(&log, options);
}

/* --- known answer --- */

void gen_dynobjects_answer(const gen_options *options, gen_json *json)
{
    static const struct {
        const char *type, *name, *site;
        int line;
    } stories[] = {
        [DYN_LEAK] = {"Progress.Lang.Object", "shop.OrderEvent", "placeOrder " SERVICE ":155", 155},
        [DYN_SLOW] = {"MEMPTR", NULL, "write shop.PdfWriter:52", 52},
        [DYN_CACHE] = {"Progress.Lang.Object", "shop.PriceEntry", "fill shop.PriceCache:55", 55},
    };
    static const char *const callers[] = {"shop/placeOrder.p:12", "web/handler.p:40"};
    dyn_log log = log_of(options, NULL);
    write_log(&log, options);
    gen_json_open(json, "totals", '{');
    gen_json_number(json, "live_objects", log.created.objects - log.deleted);
    gen_json_number(json, "live_bytes", log.alive[DYN_SLOW].bytes);
    gen_json_sum(json, "created", log.created);
    gen_json_number(json, "deleted_objects", log.deleted);
    gen_json_number(json, "leaked_objects", log.created.objects - log.deleted);
    gen_json_number(json, "leaked_bytes", log.alive[DYN_SLOW].bytes);
    gen_json_close(json);
    gen_json_open(json, "leaks", '[');
    for (int i = 0; i < DYN_CHURN; i++) {
        gen_json_open(json, NULL, '{');
        gen_json_text(json, "kind", i == DYN_CACHE ? "filled" : "leak");
        gen_json_text(json, "type", stories[i].type);
        if (stories[i].name)
            gen_json_text(json, "name", stories[i].name);
        gen_json_number(json, "objects", log.alive[i].objects);
        if (log.alive[i].bytes)
            gen_json_number(json, "bytes", log.alive[i].bytes);
        gen_json_open(json, "stack", '[');
        gen_json_text(json, NULL, stories[i].site);
        if (options->traced && i == DYN_SLOW)
            gen_json_text(json, NULL, "placeOrder " SERVICE ":158");
        if (options->traced && i == DYN_CACHE)
            gen_json_text(json, NULL, "placeOrder " SERVICE ":157");
        for (int frame = 0; options->traced && frame < 2; frame++)
            gen_json_text(json, NULL, callers[frame]);
        gen_json_close(json);
        gen_json_number(json, "line", stories[i].line);
        gen_json_close(json);
    }
    gen_json_close(json);
}
