/* Reports about the objects that an OpenEdge agent tracks, at several moments. In another form they
 * are what the class LeakCheck finds in the agent's log up to such a moment. Also their known
 * answer. */
#include "gen.h"

#include <inttypes.h>

enum { ABL_SESSIONS = 2, ABL_PROCESS = 13309, ABL_STEP = 3 /* between handles */ };

/* A site. At each report, each session has some more of its objects. */
typedef struct abl_site {
    const char *kind, *group, *type, *name, *code;
    int line;
    int64_t bytes; /* bytes of an object; 0: the reports do not state them */
    int64_t first[ABL_SESSIONS], grows[ABL_SESSIONS];
    const char *pool;
} abl_site;

static const abl_site sites[] = {
    {"leak",
     "PLO",
     "Progress.Lang.Object",
     "shop.OrderEvent",
     "placeOrder shop.OrderService",
     155,
     0,
     {10, 5},
     {10, 5},
     NULL},
    {"filled",
     "PLO",
     "Progress.Lang.Object",
     "shop.PriceEntry",
     "fill shop.PriceCache",
     55,
     0,
     {8, 8},
     {0, 0},
     NULL},
    {"leak", "BLOB", "MEMPTR", "", "write shop.PdfWriter", 52, 2048, {1, 0}, {1, 0}, NULL},
    {"filled",
     "DATA",
     "BUFFER",
     "Order",
     "shop/placeOrder.p",
     12,
     0,
     {3, 3},
     {0, 0},
     "<Session Pool>"},
};
enum { SITES = sizeof sites / sizeof *sites };

static int64_t count_of(const abl_site *site, int session, int64_t report)
{
    return site->first[session] + site->grows[session] * (report - 1);
}

static void gen_tracking(const gen_options *options, gen_json *json)
{
    gen_json_text(json, "operation", "GET ABL OBJECTS REPORT");
    gen_json_text(json, "outcome", "SUCCESS");
    gen_json_open(json, "result", '{');
    gen_json_open(json, "ABLOutput", '{');
    gen_json_open(json, "ABLObjects", '[');
    for (int session = 0; session < ABL_SESSIONS; session++) {
        int64_t handle = 1000;
        gen_json_open(json, NULL, '{');
        gen_json_number(json, "AgentSessionId", session + 1);
        gen_json_open(json, "Objects", '[');
        for (int i = 0; i < SITES; i++)
            for (int64_t n = count_of(&sites[i], session, options->dump); n > 0; n--) {
                const int64_t request = (handle += ABL_STEP) / ABL_STEP;
                gen_json_row(json);
                gen_json_text(json, "Name", sites[i].name);
                gen_json_text(json, "ObjType", sites[i].type);
                gen_json_number(json, "HandleId", handle);
                gen_json_text(json, "Source", sites[i].code);
                gen_json_number(json, "Line", sites[i].line);
                gen_json_number(json, "Size", sites[i].bytes);
                gen_json_number(json, "origRqId", request);
                gen_json_text(json, "cRqstIdOrig",
                              gen_keep("ROOT:w:%08" PRIx64, (uint64_t)request));
                gen_json_close(json);
            }
        gen_json_close(json);
        gen_json_close(json);
    }
    gen_json_close(json);
    gen_json_close(json);
    gen_json_close(json);
    gen_json_text(json, "errmsg", "");
    gen_json_text(json, "versionStr", "v12.1.0 ( 2019-08-07 )");
    gen_json_number(json, "versionNo", 1);
}

static void put_count(gen_json *json, const char *key, gen_sum sum)
{
    gen_json_open(json, key, '{');
    gen_json_number(json, "cnt", sum.objects);
    gen_json_number(json, "size", sum.bytes);
}

static void gen_leak_check(const gen_options *options, gen_json *json)
{
    static const char *const groups[] = {"PLO", "DATA", "BLOB"};
    gen_json_text(json, "filter", NULL);
    gen_json_open(json, "sessions", '{');
    for (int session = 0; session < ABL_SESSIONS; session++) {
        gen_sum sum = {0, 0};
        for (int i = 0; i < SITES; i++) {
            const int64_t count = count_of(&sites[i], session, options->dump);
            gen_add(&sum, count, count * sites[i].bytes);
        }
        put_count(json, gen_keep("%06d AS-%d", ABL_PROCESS, session + 1), sum);
        gen_json_open(json, "req", '{');
        put_count(json, "ROOT:w:00000000", sum);
        gen_json_close(json);
        gen_json_close(json);
        gen_json_close(json);
    }
    gen_json_close(json);
    gen_json_open(json, "groups", '{');
    for (size_t group = 0; group < sizeof groups / sizeof *groups; group++) {
        gen_sum sum = {0, 0};
        for (int i = 0; i < SITES * ABL_SESSIONS; i++) {
            const abl_site *site = &sites[i / ABL_SESSIONS];
            const int64_t count = count_of(site, i % ABL_SESSIONS, options->dump);
            if (site->group[0] == groups[group][0])
                gen_add(&sum, count, count * site->bytes);
        }
        put_count(json, groups[group], sum);
        gen_json_close(json);
    }
    gen_json_close(json);
    gen_json_open(json, "objects", '[');
    int64_t handle = 1000;
    for (int i = 0; i < SITES * ABL_SESSIONS; i++) {
        const abl_site *site = &sites[i / ABL_SESSIONS];
        const int session = i % ABL_SESSIONS;
        const bool named = site->group[0] == 'P', sized = site->bytes > 0;
        for (int64_t n = count_of(site, session, options->dump); n > 0; n--) {
            handle += ABL_STEP;
            gen_json_row(json);
            gen_json_text(json, "session", gen_keep("%06d AS-%d", ABL_PROCESS, session + 1));
            gen_json_text(json, "group", site->group);
            gen_json_text(json, "type", named ? site->name : site->type);
            gen_json_text(json, "id",
                          gen_keep(sized ? "0x7F%010" PRIX64 : "%" PRIu64, (uint64_t)handle));
            gen_json_text(json, "info", gen_keep("%s @ %d", site->code, site->line));
            gen_json_text(json, "req", "ROOT:w:00000000");
            if (sized)
                gen_json_number(json, "size", site->bytes);
            else
                gen_json_text(json, "size", NULL);
            gen_json_text(json, "pool", site->pool);
            gen_json_text(json, "at", "2026-03-02T08:15:30.259+01:00");
            gen_json_number(json, "line", handle / ABL_STEP);
            gen_json_text(json, "log", "/opt/shop/logs/shop.agent.log");
            gen_json_text(json, "action", "CREATE");
            gen_json_text(json, "rel", NULL);
            gen_json_close(json);
        }
    }
    gen_json_close(json);
}

void gen_ablobjects(const gen_options *options, gen_writer *writer)
{
    gen_json json = {.writer = writer};
    gen_json_open(&json, NULL, '{');
    if (options->layout == 0)
        gen_tracking(options, &json);
    else
        gen_leak_check(options, &json);
    gen_json_close(&json);
    gen_end_line(writer);
}

/* --- known answer: of this report and all before it, as a series --- */

void gen_ablobjects_answer(const gen_options *options, gen_json *json)
{
    const bool one = options->layout == 1;
    gen_sum live = {0, 0};
    for (int i = 0; i < SITES * ABL_SESSIONS; i++) {
        const int64_t count = count_of(&sites[i / ABL_SESSIONS], i % ABL_SESSIONS, options->dump);
        gen_add(&live, count, count * sites[i / ABL_SESSIONS].bytes);
    }
    gen_json_open(json, "totals", '{');
    gen_json_sum(json, "live", live);
    gen_json_sum(json, "created", live);
    gen_json_number(json, "deleted_objects", 0);
    gen_json_sum(json, "leaked", live);
    gen_json_close(json);
    gen_json_open(json, "leaks", '[');
    for (int i = 0; i < SITES; i++) {
        const int64_t objects =
            count_of(&sites[i], 0, options->dump) + count_of(&sites[i], 1, options->dump);
        gen_json_open(json, NULL, '{');
        gen_json_text(json, "kind", one || options->dump < 3 ? "unknown" : sites[i].kind);
        gen_json_text(json, "type", sites[i].type);
        if (*sites[i].name && !(one && sites[i].group[0] == 'D'))
            gen_json_text(json, "name", sites[i].name);
        gen_json_number(json, "objects", objects);
        if (sites[i].bytes)
            gen_json_number(json, "bytes", objects * sites[i].bytes);
        gen_json_open(json, "stack", '[');
        gen_json_text(json, NULL, gen_keep("%s:%d", sites[i].code, sites[i].line));
        gen_json_close(json);
        gen_json_number(json, "line", sites[i].line);
        gen_json_close(json);
    }
    gen_json_close(json);
}
