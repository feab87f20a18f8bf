#include "oemp.h"

#include <stdlib.h>
#include <string.h>

/* --- catalogues --- */

const oemp_part oemp_platform[] = {
    {"Memory Profiler", 1, 1048576, 16384},
    {"General", 2, 6291456, 0},
    {"RCode Directory (-D)", 3, 819200, 4096},
    {"RCode Execution Buffer (-mmax)", 4, 3145728, 65536},
    {"Temp-table DB (-Bt)", 6, 2097152, 24576},
    {"Runtime Stack (-s)", 7, 131072, 0},
    {"Local Buffers (-l)", 8, 40960, 512},
    {"Record Buffers", 9, 245760, 2048},
    {"Compiler", 11, 0, 0},
    {"CPU Profiler", 12, 0, 0},
    {"Sort (-TB)", 14, 32768, 0},
    {"DB Client Schema Cache", 15, 1867776, 0},
    {"ICU Libraries", 17, 655360, 0},
    {"XML Parser", 18, 20480, 256},
    {NULL, 0, 0, 0},
};

/* Columns in the order of the file: the id comes first. */
const char oemp_types[] =
    "1 UI Window, 2 UI Frame, 3 UI Dialog-Box, 5 UI Menu, 9 UI Button, 12 UI Browse, "
    "15 UI Fill-In, 34 Procedure, 35 Server, 36 ASync Object, 41 Dynamic Query, "
    "42 Dynamic Buffer, 43 Dynamic Buffer-Field, 44 Transaction, 45 Dynamic Temp-table, "
    "46 XML Node, 47 XML Document, 49 SAX Reader, 50 SAX Writer, 52 Socket, 53 Server Socket, "
    "55 Data-Source, 56 Dataset, 59 DB Connection, 62 OOABL Obj, 63 .NET Obj, 64 MEMPTR, "
    "65 Large Object, 66 OO BuiltIn, 68 Widget Pool, 69 Named Widget Pool, 72 Temp-table, "
    "74 Global Shared Temp-Table, 75 OOABL Static Obj, 76 OO Static Temp-table, "
    "77 Auto Dynamic Temp-table, 79 Reusable Obj";
const char oemp_builtins[] =
    "1 Progress.Lang.Object, 2 Progress.Lang.Class, 3 Progress.Lang.Error, "
    "4 Progress.Lang.SysError, 5 Progress.Lang.AppError, 8 Progress.Lang.ParameterList, "
    "21 Progress.Json.ObjectModel.ObjectModelParser, 22 Progress.Json.ObjectModel.JsonObject, "
    "23 Progress.Json.ObjectModel.JsonArray, 31 Progress.IO.FileInputStream, "
    "40 Progress.Collections.List, 41 Progress.Collections.HashMap";

/* --- call tree and allocation sites --- */

/* parents come first */
const oemp_node oemp_nodes[OEMP_NODES] = {
    {"main", "shop/main.p", 0, NULL, 0},
    {"startup", "shop/startup.p", 0, "main", 34},
    {"config", "loadConfig shop/startup.p", 112, "startup", 21},
    {"connect", "connectDatabases shop/startup.p", 140, "startup", 25},
    {"session", "SessionManager shop.SessionManager", 24, "startup", 29},
    {"cache", "PriceCache shop.PriceCache", 18, "session", 33},
    {"run", "shop/runOrders.p", 0, "main", 52},
    {"fill", "fill shop.PriceCache", 41, "run", 24},
    {"batch", "processBatch shop/runOrders.p", 58, "run", 30},
    {"place", "shop/placeOrder.p", 0, "batch", 71},
    {"service", "OrderService shop.OrderService", 31, "place", 38},
    {"cart", "readCart shop/placeOrder.p", 66, "place", 44},
    {"place1", "placeOrder shop.OrderService", 88, "place", 51},
    {"place2", "placeOrder shop.OrderService", 131, "place1", 97},
    {"validate", "validate shop.OrderService", 164, "place2", 139},
    {"find", "find shop.CustomerRepository", 47, "validate", 170},
    {"openquery", "openQuery shop.BaseRepository shop.CustomerRepository", 70, "find", 55},
    {"log", "write shop.Logger", 29, "openquery", 83},
    {"order", "Order shop.Order", 20, "place2", 143},
    {"addline", "addLine shop.Order", 52, "place2", 148},
    {"orderline", "OrderLine shop.OrderLine", 15, "addline", 58},
    {"reserve", "reserve shop.StockService", 38, "place2", 152},
    {"check", "checkStock shop.StockService", 71, "reserve", 45},
    {"invoice", "create shop.InvoiceService", 36, "place", 58},
    {"render", "render shop.InvoiceService", 92, "invoice", 49},
    {"print", "shop/printInvoice.p", 0, "render", 101},
    {"pdf", "write shop.PdfWriter", 29, "print", 37},
    {"compress", "compress shop.PdfWriter", 75, "pdf", 44},
    {"zubehoer", "shop/zubehör.p", 0, "cart", 73},
    {"export", "shop/exportOrders.p", 0, "batch", 84},
    {"json", "export shop.JsonExporter", 22, "export", 22},
    {"archive", "shop/archive orders.p", 0, "main", 60},
};

/* Sites. The words are: node:line of the call tree; kind; number of objects at start-up, or share
 * of the churn; first snapshot of churn; size; type. Optional attributes follow the bar. Owners
 * come first. If a churn site has an owner, it must have the owner's weight and first snapshot, and
 * thus its lifetimes. */
static const char *const sites[] = {
    "-:0 session 1 0 512 Widget Pool | key=session pool",
    "-:0 start 1 0 4872 Procedure | key=main | source=shop/main.p",
    "main:12 start 1 0 1184 Temp-table | other=ttConfig | owner=main | table=now",
    "main:14 start 1 0 1392 Temp-table | other=ttRates | owner=main | table=later",
    "main:16 start 1 0 960 Temp-table | other=ttDebug | owner=main | table=never",
    "main:18 start 1 0 1040 Global Shared Temp-Table | other=gsttMenu | owner=main | table=never",
    "main:22 start 1 0 736 Dataset | other=dsOrder | owner=main",
    "main:28 start 1 0 2210 UI Window | other=Shop \"Nord\" | owner=session pool",
    "main:47 start 1 0 640 Named Widget Pool | key=named pool | other=pool \"Süd\", checkout | "
    "owner=main",
    "main:34 released 1 0 3920 Procedure | key=startup | source=shop/startup.p",
    "config:118 released 1 0 448 OO BuiltIn | builtin=Progress.Json.ObjectModel.ObjectModelParser",
    "config:121 released 1 0 16384 Large Object | owner=startup",
    "config:125 start 6 0 312 OOABL Obj | source=shop.Setting | step=16",
    "connect:142 start 1 0 28672 DB Connection | other=shopdb",
    "connect:145 start 1 0 20480 DB Connection | other=archivedb",
    "startup:29 start 1 0 1104 OOABL Obj | source=shop.SessionManager | grow=128 | grow_last=3",
    "session:36 start 1 0 1560 OOABL Static Obj | key=tax rules | source=shop.TaxRules",
    "session:36 start 1 0 1216 OO Static Temp-table | other=ttTax | owner=tax rules | table=now",
    "session:33 start 1 0 928 OOABL Obj | source=shop.PriceCache",
    "cache:22 start 1 0 480 OO BuiltIn | "
    "other=Progress.Collections.HashMap<character,shop.PriceEntry> | "
    "builtin=Progress.Collections.HashMap | grow=3072 | grow_last=1",
    /* the three leaks that the documentation describes */
    "place2:155 leak 0 0 688 OOABL Obj | source=shop.OrderEvent | step=24",
    "pdf:52 slow 0 0 2048 MEMPTR",
    "fill:55 cache 0 0 352 OOABL Obj | source=shop.PriceEntry",
    "print:33 leak 0 0 512 OOABL Obj | source=shop.PrintJob | extra=yes",
    /* created by every order */
    "batch:71 churn 4 1 5216 Procedure | key=place | source=shop/placeOrder.p",
    "place:9 churn 4 1 1328 Temp-table | other=ttCart | owner=place | table=now",
    "place:12 churn 4 1 512 Widget Pool | key=place pool | owner=place",
    "cart:69 churn 4 1 1472 Dynamic Query | owner=place pool | grow=96 | grow_last=1",
    "cart:70 churn 4 1 864 Dynamic Buffer | other=bCart | owner=place pool",
    "place:38 churn 2 1 1240 OOABL Obj | source=shop.OrderService",
    "place2:143 churn 4 1 1016 OOABL Obj | source=shop.Order | step=40",
    "order:27 churn 4 1 272 OO BuiltIn | other=Progress.Collections.List<shop.OrderLine> | "
    "builtin=Progress.Collections.List | grow=64 | grow_last=2",
    "addline:58 churn 8 1 584 OOABL Obj | source=shop.OrderLine | step=8",
    "orderline:19 churn 8 1 248 OOABL Obj | source=shop.Money",
    "find:51 churn 3 1 1432 OOABL Obj | source=shop.Customer | step=56",
    "find:62 churn 1 2 1520 Auto Dynamic Temp-table | other=ttCustomer | owner=named pool | "
    "table=now",
    "openquery:76 churn 3 1 1472 Dynamic Query | owner=named pool",
    "openquery:74 churn 3 1 864 Dynamic Buffer | other=bCustomer | owner=named pool | step=32",
    "log:33 churn 2 1 296 OOABL Obj | source=shop.LogEntry",
    "reserve:43 churn 3 2 616 OOABL Obj | source=shop.StockItem",
    "check:77 churn 2 2 208 OO BuiltIn | builtin=Progress.Lang.ParameterList",
    "invoice:41 churn 3 1 1128 OOABL Obj | source=shop.Invoice | step=16",
    "render:101 churn 2 2 4408 Procedure | key=print | source=shop/printInvoice.p",
    "print:31 churn 2 2 3072 Large Object | owner=print | step=1024",
    "print:37 churn 2 2 1744 OOABL Obj | source=shop.PdfWriter",
    "compress:81 churn 2 2 4096 MEMPTR | grow=4096 | grow_last=1",
    "cart:73 churn 1 2 2984 Procedure | source=shop/zubehör.p",
    "zubehoer:17 churn 1 2 1472 Dynamic Query | other=qZubehör | owner=session pool",
    /* created now and then */
    "batch:84 churn 1 3 3544 Procedure | key=export | source=shop/exportOrders.p",
    "json:30 churn 1 3 1648 Dynamic Temp-table | other=ttExport | owner=export | table=now",
    "json:34 churn 2 3 736 OO BuiltIn | builtin=Progress.Json.ObjectModel.JsonObject | step=128",
    "main:60 churn 1 4 3312 Procedure | source=shop/archive orders.p",
    "archive:26 churn 1 4 8192 Large Object | owner=session pool",
    /* kept by the AVM for reuse */
    "session:40 start 3 0 424 Reusable Obj | source=shop.PriceFormatter | reusable=yes",
    "addline:63 churn 2 1 392 Reusable Obj | source=shop.LineFormatter | step=8 | reusable=yes",
};

/* --- plan --- */

static const int64_t SNAPSHOT_INTERVAL = 60 * 1000000, CLEAN_UP_DELAY = 12345678;
static const int64_t EXIT_DELAY = 850246;

static _Noreturn void plan_fault(const char *word)
{
    fprintf(stderr, "memprof-generate: the plan of the shop has no '%s'\n", word);
    abort();
}

bool oemp_next_entry(const char **catalogue, int *id, char name[OEMP_NAME])
{
    int length = 0;
    if (sscanf(*catalogue, "%d %63[^,]%n", id, name, &length) != 2)
        return false;
    *catalogue += length;
    *catalogue += strspn(*catalogue, ", ");
    return true;
}

static int id_of(const char *catalogue, const char *wanted)
{
    char name[OEMP_NAME];
    int id;
    while (oemp_next_entry(&catalogue, &id, name))
        if (!strcmp(name, wanted))
            return id;
    plan_fault(wanted);
}

int oemp_find_node(const char *key)
{
    for (int i = 0; i < OEMP_NODES; i++)
        if (!strcmp(oemp_nodes[i].key, key))
            return i;
    plan_fault(key);
}

static int find_owner(const oemp_plan *plan, const char *key)
{
    for (int i = 0; i < plan->site_count; i++)
        if (plan->sites[i].key && !strcmp(plan->sites[i].key, key))
            return i;
    plan_fault(key);
}

/* Return the word after this name in the words of a site; NULL if there is none. */
static const char *word_of(const char *words, const char *name)
{
    const char *found = strstr(words, name);
    if (!found)
        return NULL;
    found += strlen(name);
    const char *end = strstr(found, " | ");
    return end ? gen_keep("%.*s", (int)(end - found), found) : found;
}

static int number_of(const char *words, const char *name)
{
    const char *word = word_of(words, name);
    return word ? atoi(word) : 0;
}

/* Return the number after this name; 0 if it is missing. */
static int index_of(const char *word, const char *const *list)
{
    int i = 0;
    while (word && list[i] && strcmp(word, list[i]))
        i++;
    if (!list[i])
        plan_fault(word);
    return i;
}

static oemp_site site_of(const oemp_plan *plan, const char *words)
{
    static const char *const kinds[] = {"session", "start", "released", "churn",
                                        "leak",    "slow",  "cache",    NULL};
    static const char *const tables[] = {"none", "now", "later", "never", NULL};
    oemp_site site = {.source = word_of(words, " | source="),
                      .other = word_of(words, " | other="),
                      .builtin = word_of(words, " | builtin="),
                      .key = word_of(words, " | key="),
                      .table = (oemp_table)index_of(word_of(words, " | table="), tables),
                      .step = number_of(words, " | step="),
                      .grow = number_of(words, " | grow="),
                      .grow_last = number_of(words, " | grow_last="),
                      .reusable = word_of(words, " | reusable=") != NULL};
    const char *owner = word_of(words, " | owner=");
    char node[16], kind[16], type[OEMP_NAME];
    if (sscanf(words, "%15[^:]:%d %15s %d %d %d %63[^|]", node, &site.line, kind, &site.weight,
               &site.first, &site.size, type) != 7)
        plan_fault(words);
    if (strstr(words, " | "))
        type[strlen(type) - 1] = '\0'; /* the blank that precedes the bar */
    site.type = gen_keep("%s", type);
    site.kind = (oemp_kind)index_of(kind, kinds);
    site.type_id = id_of(oemp_types, type);
    site.builtin_id = site.builtin ? id_of(oemp_builtins, site.builtin) : 0;
    site.node = strcmp(node, "-") ? oemp_find_node(node) : OEMP_NONE;
    site.owner = owner ? find_owner(plan, owner) : OEMP_NONE;
    return site;
}

static int64_t at_least(int64_t number, int64_t least)
{
    return number < least ? least : number;
}

void oemp_plan_init(oemp_plan *plan, const gen_options *options)
{
    int64_t others = 0;
    *plan = (oemp_plan){.objects = options->objects,
                        .work = (int)options->snapshots - 2,
                        .exit = !options->no_exit,
                        .agent_session = (int)options->session,
                        .requests = options->requests && options->session,
                        .reusable_apart = options->version > 1};
    for (size_t i = 0; i < sizeof sites / sizeof sites[0]; i++) {
        oemp_site site = site_of(plan, sites[i]);
        int index = plan->site_count;
        const bool is_extra = strstr(sites[i], " | extra=yes") != NULL;
        if ((site.reusable && !options->reusable) || (is_extra && !options->extra_leak) ||
            (site.kind == LEAK && !is_extra && options->fixed))
            continue;
        plan->sites[plan->site_count++] = site;
        /* Reusable sites must not change the others. */
        if (site.kind == CHURN && !site.reusable)
            plan->weights += site.weight;
        for (int born = 1; born <= plan->work && site.kind != CHURN && !site.reusable; born++)
            others += oemp_created(plan, index, born);
    }
    plan->churn = at_least(plan->objects - others, plan->weights);
}

int oemp_last_snapshot(const oemp_plan *plan)
{
    return plan->exit ? plan->work + 2 : plan->work;
}

/* Return the snapshot at which leaks are counted: _PreCleanUp or, without it, the last one. */
static int to_snapshot(const oemp_plan *plan)
{
    return plan->exit ? plan->work + 1 : plan->work;
}

int64_t oemp_time(const oemp_plan *plan, int snapshot)
{
    int work = snapshot < plan->work ? snapshot : plan->work;
    return work * SNAPSHOT_INTERVAL + work * 7919 % 1000 * 137 +
           (snapshot > plan->work ? CLEAN_UP_DELAY : 0) +
           (snapshot > plan->work + 1 ? EXIT_DELAY : 0);
}

const char *oemp_tag(const oemp_plan *plan, int snapshot)
{
    static const char *const client[] = {"_Auto", "_Auto", "Pre 1", "Post 1"};
    static const char *const agent[] = {"_Auto", "_EndOfRequest", "_EndOfRequest", "Post 1"};
    if (snapshot > plan->work)
        return snapshot == plan->work + 1 ? "_PreCleanUp" : "_Exit";
    if (plan->requests)
        return oemp_request_end(plan, snapshot) == snapshot ? "_EndOfRequest" : "_Auto";
    return plan->agent_session ? agent[snapshot % 4] : client[snapshot % 4];
}

/* Every fourth snapshot is taken during a request. */
int oemp_request_end(const oemp_plan *plan, int snapshot)
{
    return snapshot % 4 == 0 && snapshot < plan->work ? snapshot + 1 : snapshot;
}

/* The first request begins some time after the start of the session. */
int64_t oemp_request_start(const oemp_plan *plan, int snapshot)
{
    static const int64_t LATENCY = 100;
    int before = snapshot - 1;
    if (before == 0)
        return oemp_time(plan, 1) - LATENCY;
    if (oemp_request_end(plan, before) != before)
        before--;
    return oemp_time(plan, before) + LATENCY;
}

const char *oemp_request_api(const oemp_plan *plan, int snapshot)
{
    return oemp_request_end(plan, snapshot) % 3 == 0 ? "GET /rest/shop/invoices"
                                                     : "POST /rest/shop/orders";
}

/* Return the number of churn objects that a site creates up to a snapshot. They are spread evenly
 * over the snapshots, from the site's first snapshot on. */
static int64_t churn_until(const oemp_plan *plan, const oemp_site *words, int snapshot)
{
    int span = plan->work - words->first + 1, done = snapshot - words->first + 1;
    if (span <= 0 || done <= 0)
        return 0;
    return plan->churn * words->weight / plan->weights * (done < span ? done : span) / span;
}

int64_t oemp_created(const oemp_plan *plan, int site, int born)
{
    const oemp_site *words = &plan->sites[site];
    int64_t objects = plan->objects;
    switch (words->kind) {
    case CHURN:
        return churn_until(plan, words, born) - churn_until(plan, words, born - 1);
    case LEAK:
        /* Agent session n has 1/n of the orders, so that sessions of one agent differ. */
        return born > plan->work || (plan->requests && oemp_request_api(plan, born)[0] != 'P')
                   ? 0
                   : at_least(objects / 200 / plan->work, 3) / at_least(plan->agent_session, 1);
    case SLOW:
        return born <= plan->work && born % 3 == 0 ? at_least(objects / 100000, 1) : 0;
    case CACHE:
        return born == 2 ? at_least(objects / 500, 12) : 0;
    default:
        return born == 1 ? words->weight : 0;
    }
}

int oemp_life(int born, int64_t index)
{
    return (int)((index + born) % OEMP_LIVES);
}

static int64_t created_of_life(const oemp_plan *plan, int site, int born, int life)
{
    int64_t first = (life + OEMP_LIVES - born % OEMP_LIVES) % OEMP_LIVES;
    int64_t total = oemp_created(plan, site, born);
    return first < total ? (total - first + OEMP_LIVES - 1) / OEMP_LIVES : 0;
}

int oemp_deleted_at(const oemp_plan *plan, int site, int born, int life)
{
    int clean_up = plan->work + 1;
    switch (plan->sites[site].kind) {
    case SESSION:
        return clean_up + 2;
    case RELEASED:
        return clean_up;
    case CHURN:
        return born + 1 + life < clean_up ? born + 1 + life : clean_up;
    default:
        return clean_up + 1;
    }
}

int64_t oemp_size(const oemp_plan *plan, int site, int life, int age)
{
    const oemp_site *words = &plan->sites[site];
    return words->size + words->step * life +
           words->grow * (age < words->grow_last ? age : words->grow_last);
}

bool oemp_is_reusable(const oemp_plan *plan, int site)
{
    return plan->reusable_apart && plan->sites[site].reusable;
}

int64_t oemp_platform_total(int snapshot)
{
    int64_t total = 0;
    for (const oemp_part *part = oemp_platform; part->name; part++)
        total += part->bytes + part->growth * (int64_t)(snapshot - 1);
    return total;
}

/* --- known answer, calculated from the plan only --- */

enum { MOST_FRAMES = 16 };

/* Return the site's objects born in the snapshots from..to, with the sizes that they have in their
 * first rows. If `alive_at` is not 0, return only those that are alive at this snapshot, with their
 * sizes at this snapshot. */
static gen_sum born(const oemp_plan *plan, int site, int from, int to, int alive_at)
{
    gen_sum sum = {0, 0};
    for (int snapshot = from; snapshot <= to; snapshot++)
        for (int life = 0; life < OEMP_LIVES; life++) {
            int64_t count = created_of_life(plan, site, snapshot, life);
            int age = alive_at ? alive_at - snapshot : 0;
            if (!alive_at || oemp_deleted_at(plan, site, snapshot, life) > alive_at)
                gen_add(&sum, count, count * oemp_size(plan, site, life, age));
        }
    return sum;
}

static gen_sum alive(const oemp_plan *plan, int site, int index)
{
    return born(plan, site, 1, index, index);
}

/* Return the sum over all sites. Reusable objects are counted separately. */
static gen_sum all_alive(const oemp_plan *plan, int index, bool reusable)
{
    gen_sum sum = {0, 0};
    for (int site = 0; site < plan->site_count; site++)
        if (oemp_is_reusable(plan, site) == reusable) {
            gen_sum more = alive(plan, site, index);
            gen_add(&sum, more.objects, more.bytes);
        }
    return sum;
}

static gen_sum all_created(const oemp_plan *plan, int from, int to)
{
    gen_sum sum = {0, 0};
    for (int site = 0; site < plan->site_count; site++)
        if (!oemp_is_reusable(plan, site)) {
            gen_sum more = born(plan, site, from, to, 0);
            gen_add(&sum, more.objects, more.bytes);
        }
    return sum;
}

static void answer_totals(gen_json *json, const oemp_plan *plan)
{
    int target = to_snapshot(plan);
    gen_sum live = all_alive(plan, target, false), created = all_created(plan, 1, target),
            peak = {0, 0};
    for (int index = 1; index <= oemp_last_snapshot(plan); index++)
        gen_raise(&peak, all_alive(plan, index, false));
    gen_answer_totals(json, live, created, created.objects - live.objects, peak);
    gen_json_close(json);
}

static void answer_snapshots(gen_json *json, const oemp_plan *plan)
{
    int64_t before = 0; /* number of live objects */
    gen_json_open(json, "snapshots", '[');
    for (int index = 1; index <= oemp_last_snapshot(plan); index++) {
        gen_sum live = all_alive(plan, index, false), reusable = all_alive(plan, index, true);
        int64_t created = all_created(plan, index, index).objects;
        gen_answer_snapshot(json, index, oemp_tag(plan, index), oemp_time(plan, index), created,
                            before + created - live.objects, live);
        gen_json_number(json, "platform_bytes", oemp_platform_total(index));
        if (reusable.objects)
            gen_json_sum(json, "reusable", reusable);
        gen_json_close(json);
        before = live.objects;
    }
    gen_json_close(json);
}

/* Write the leaks: objects born after the first snapshot and alive at the end. */
static void answer_leaks(gen_json *json, const oemp_plan *plan)
{
    gen_row rows[OEMP_SITES] = {{0}};
    const char *stacks[OEMP_SITES][MOST_FRAMES];
    int target = to_snapshot(plan);
    for (int site = 0; site < plan->site_count; site++) {
        const oemp_site *words = &plan->sites[site];
        gen_row *row = &rows[site];
        row->key = words->type;
        row->name = words->source ? words->source : words->other ? words->other : words->builtin;
        if (!oemp_is_reusable(plan, site))
            row->live = born(plan, site, 2, target, target);
        for (int index = 2; index <= target; index++) {
            row->births += born(plan, site, index, index, target).objects > 0;
            row->moments += all_created(plan, index, index).objects > 0;
        }
        row->created = born(plan, site, 1, target, 0).objects;
        row->deleted = row->created - alive(plan, site, target).objects;
        row->line = words->line;
        row->stack = stacks[site];
        int line = words->line, node = plan->sites[site].node;
        while (node != OEMP_NONE && row->depth < MOST_FRAMES) {
            const oemp_node *frame = &oemp_nodes[node];
            stacks[site][row->depth++] = gen_keep("%s:%d", frame->name, line);
            line = frame->parent_line;
            node = frame->parent ? oemp_find_node(frame->parent) : OEMP_NONE;
        }
    }
    gen_answer_leaks(json, rows, (size_t)plan->site_count);
}

static void answer_types(gen_json *json, const oemp_plan *plan)
{
    gen_row rows[OEMP_SITES];
    size_t count = 0;
    for (int site = 0; site < plan->site_count; site++) {
        gen_sum before = alive(plan, site, 1), after = alive(plan, site, to_snapshot(plan));
        if (oemp_is_reusable(plan, site) || (!before.objects && !after.objects))
            continue;
        gen_row *row = gen_row_of(rows, &count, plan->sites[site].type);
        gen_add(&row->before, before.objects, before.bytes);
        gen_add(&row->live, after.objects, after.bytes);
    }
    gen_answer_top(json, rows, count, false, false);
    gen_answer_growth(json, rows, count);
}

void gen_oemp_answer(const gen_options *options, gen_json *json)
{
    oemp_plan plan;
    oemp_plan_init(&plan, options);
    answer_totals(json, &plan);
    answer_snapshots(json, &plan);
    answer_leaks(json, &plan);
    answer_types(json, &plan);
}
