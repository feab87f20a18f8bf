#include "oemp.h"

#include <stdlib.h>
#include <string.h>

/* --- catalogues --- */

const oemp_entry oemp_platform[] = {
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

const oemp_entry oemp_types[] = {{"UI Window", 1, 0, 0},
                                 {"UI Frame", 2, 0, 0},
                                 {"UI Dialog-Box", 3, 0, 0},
                                 {"UI Menu", 5, 0, 0},
                                 {"UI Button", 9, 0, 0},
                                 {"UI Browse", 12, 0, 0},
                                 {"UI Fill-In", 15, 0, 0},
                                 {"Procedure", 34, 0, 0},
                                 {"Server", 35, 0, 0},
                                 {"ASync Object", 36, 0, 0},
                                 {"Dynamic Query", 41, 0, 0},
                                 {"Dynamic Buffer", 42, 0, 0},
                                 {"Dynamic Buffer-Field", 43, 0, 0},
                                 {"Transaction", 44, 0, 0},
                                 {"Dynamic Temp-table", 45, 0, 0},
                                 {"XML Node", 46, 0, 0},
                                 {"XML Document", 47, 0, 0},
                                 {"SAX Reader", 49, 0, 0},
                                 {"SAX Writer", 50, 0, 0},
                                 {"Socket", 52, 0, 0},
                                 {"Server Socket", 53, 0, 0},
                                 {"Data-Source", 55, 0, 0},
                                 {"Dataset", 56, 0, 0},
                                 {"DB Connection", 59, 0, 0},
                                 {"OOABL Obj", 62, 0, 0},
                                 {".NET Obj", 63, 0, 0},
                                 {"MEMPTR", 64, 0, 0},
                                 {"Large Object", 65, 0, 0},
                                 {"OO BuiltIn", 66, 0, 0},
                                 {"Widget Pool", 68, 0, 0},
                                 {"Named Widget Pool", 69, 0, 0},
                                 {"Temp-table", 72, 0, 0},
                                 {"Global Shared Temp-Table", 74, 0, 0},
                                 {"OOABL Static Obj", 75, 0, 0},
                                 {"OO Static Temp-table", 76, 0, 0},
                                 {"Auto Dynamic Temp-table", 77, 0, 0},
                                 {"Reusable Obj", 79, 0, 0},
                                 {NULL, 0, 0, 0}};
const oemp_entry oemp_builtins[] = {{"Progress.Lang.Object", 1, 0, 0},
                                    {"Progress.Lang.Class", 2, 0, 0},
                                    {"Progress.Lang.Error", 3, 0, 0},
                                    {"Progress.Lang.SysError", 4, 0, 0},
                                    {"Progress.Lang.AppError", 5, 0, 0},
                                    {"Progress.Lang.ParameterList", 8, 0, 0},
                                    {"Progress.Json.ObjectModel.ObjectModelParser", 21, 0, 0},
                                    {"Progress.Json.ObjectModel.JsonObject", 22, 0, 0},
                                    {"Progress.Json.ObjectModel.JsonArray", 23, 0, 0},
                                    {"Progress.IO.FileInputStream", 31, 0, 0},
                                    {"Progress.Collections.List", 40, 0, 0},
                                    {"Progress.Collections.HashMap", 41, 0, 0},
                                    {NULL, 0, 0, 0}};

/* --- call tree and allocation sites --- */

/* Parents come first. */
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

/* Start-up, the three stories, every order, now and then, kept by the AVM to be used again. Owners
 * come first. An owned churn site has the weight and first snapshot of its owner, and with them its
 * lifetimes. */
static const oemp_site sites[] = {
    {"Widget Pool", NULL, 0, SESSION, 1, 0, 512, {.key = "session pool"}},
    {"Procedure", NULL, 0, START, 1, 0, 4872, {.key = "main", .source = "shop/main.p"}},
    {"Temp-table",
     "main",
     12,
     START,
     1,
     0,
     1184,
     {.other = "ttConfig", .owner = "main", .table = TABLE_NOW}},
    {"Temp-table",
     "main",
     14,
     START,
     1,
     0,
     1392,
     {.other = "ttRates", .owner = "main", .table = TABLE_LATER}},
    {"Temp-table",
     "main",
     16,
     START,
     1,
     0,
     960,
     {.other = "ttDebug", .owner = "main", .table = TABLE_NEVER}},
    {"Global Shared Temp-Table",
     "main",
     18,
     START,
     1,
     0,
     1040,
     {.other = "gsttMenu", .owner = "main", .table = TABLE_NEVER}},
    {"Dataset", "main", 22, START, 1, 0, 736, {.other = "dsOrder", .owner = "main"}},
    {"UI Window",
     "main",
     28,
     START,
     1,
     0,
     2210,
     {.other = "Shop \"Nord\"", .owner = "session pool"}},
    {"Named Widget Pool",
     "main",
     47,
     START,
     1,
     0,
     640,
     {.key = "named pool", .other = "pool \"Süd\", checkout", .owner = "main"}},
    {"Procedure", "main", 34, RELEASED, 1, 0, 3920, {.key = "startup", .source = "shop/startup.p"}},
    {"OO BuiltIn",
     "config",
     118,
     RELEASED,
     1,
     0,
     448,
     {.builtin = "Progress.Json.ObjectModel.ObjectModelParser"}},
    {"Large Object", "config", 121, RELEASED, 1, 0, 16384, {.owner = "startup"}},
    {"OOABL Obj", "config", 125, START, 6, 0, 312, {.source = "shop.Setting", .step = 16}},
    {"DB Connection", "connect", 142, START, 1, 0, 28672, {.other = "shopdb"}},
    {"DB Connection", "connect", 145, START, 1, 0, 20480, {.other = "archivedb"}},
    {"OOABL Obj",
     "startup",
     29,
     START,
     1,
     0,
     1104,
     {.source = "shop.SessionManager", .grow = 128, .grow_last = 3}},
    {"OOABL Static Obj",
     "session",
     36,
     START,
     1,
     0,
     1560,
     {.key = "tax rules", .source = "shop.TaxRules"}},
    {"OO Static Temp-table",
     "session",
     36,
     START,
     1,
     0,
     1216,
     {.other = "ttTax", .owner = "tax rules", .table = TABLE_NOW}},
    {"OOABL Obj", "session", 33, START, 1, 0, 928, {.source = "shop.PriceCache"}},
    {"OO BuiltIn",
     "cache",
     22,
     START,
     1,
     0,
     480,
     {.other = "Progress.Collections.HashMap<character,shop.PriceEntry>",
      .builtin = "Progress.Collections.HashMap",
      .grow = 3072,
      .grow_last = 1}},
    {"OOABL Obj", "place2", 155, LEAK, 0, 0, 688, {.source = "shop.OrderEvent", .step = 24}},
    {"MEMPTR", "pdf", 52, SLOW, 0, 0, 2048, {0}},
    {"OOABL Obj", "fill", 55, CACHE, 0, 0, 352, {.source = "shop.PriceEntry"}},
    {"Procedure", "batch", 71, CHURN, 4, 1, 5216, {.key = "place", .source = "shop/placeOrder.p"}},
    {"Temp-table",
     "place",
     9,
     CHURN,
     4,
     1,
     1328,
     {.other = "ttCart", .owner = "place", .table = TABLE_NOW}},
    {"Widget Pool", "place", 12, CHURN, 4, 1, 512, {.key = "place pool", .owner = "place"}},
    {"Dynamic Query",
     "cart",
     69,
     CHURN,
     4,
     1,
     1472,
     {.owner = "place pool", .grow = 96, .grow_last = 1}},
    {"Dynamic Buffer", "cart", 70, CHURN, 4, 1, 864, {.other = "bCart", .owner = "place pool"}},
    {"OOABL Obj", "place", 38, CHURN, 2, 1, 1240, {.source = "shop.OrderService"}},
    {"OOABL Obj", "place2", 143, CHURN, 4, 1, 1016, {.source = "shop.Order", .step = 40}},
    {"OO BuiltIn",
     "order",
     27,
     CHURN,
     4,
     1,
     272,
     {.other = "Progress.Collections.List<shop.OrderLine>",
      .builtin = "Progress.Collections.List",
      .grow = 64,
      .grow_last = 2}},
    {"OOABL Obj", "addline", 58, CHURN, 8, 1, 584, {.source = "shop.OrderLine", .step = 8}},
    {"OOABL Obj", "orderline", 19, CHURN, 8, 1, 248, {.source = "shop.Money"}},
    {"OOABL Obj", "find", 51, CHURN, 3, 1, 1432, {.source = "shop.Customer", .step = 56}},
    {"Auto Dynamic Temp-table",
     "find",
     62,
     CHURN,
     1,
     2,
     1520,
     {.other = "ttCustomer", .owner = "named pool", .table = TABLE_NOW}},
    {"Dynamic Query", "openquery", 76, CHURN, 3, 1, 1472, {.owner = "named pool"}},
    {"Dynamic Buffer",
     "openquery",
     74,
     CHURN,
     3,
     1,
     864,
     {.other = "bCustomer", .owner = "named pool", .step = 32}},
    {"OOABL Obj", "log", 33, CHURN, 2, 1, 296, {.source = "shop.LogEntry"}},
    {"OOABL Obj", "reserve", 43, CHURN, 3, 2, 616, {.source = "shop.StockItem"}},
    {"OO BuiltIn", "check", 77, CHURN, 2, 2, 208, {.builtin = "Progress.Lang.ParameterList"}},
    {"OOABL Obj", "invoice", 41, CHURN, 3, 1, 1128, {.source = "shop.Invoice", .step = 16}},
    {"Procedure",
     "render",
     101,
     CHURN,
     2,
     2,
     4408,
     {.key = "print", .source = "shop/printInvoice.p"}},
    {"Large Object", "print", 31, CHURN, 2, 2, 3072, {.owner = "print", .step = 1024}},
    {"OOABL Obj", "print", 37, CHURN, 2, 2, 1744, {.source = "shop.PdfWriter"}},
    {"MEMPTR", "compress", 81, CHURN, 2, 2, 4096, {.grow = 4096, .grow_last = 1}},
    {"Procedure", "cart", 73, CHURN, 1, 2, 2984, {.source = "shop/zubehör.p"}},
    {"Dynamic Query",
     "zubehoer",
     17,
     CHURN,
     1,
     2,
     1472,
     {.other = "qZubehör", .owner = "session pool"}},
    {"Procedure",
     "batch",
     84,
     CHURN,
     1,
     3,
     3544,
     {.key = "export", .source = "shop/exportOrders.p"}},
    {"Dynamic Temp-table",
     "json",
     30,
     CHURN,
     1,
     3,
     1648,
     {.other = "ttExport", .owner = "export", .table = TABLE_NOW}},
    {"OO BuiltIn",
     "json",
     34,
     CHURN,
     2,
     3,
     736,
     {.builtin = "Progress.Json.ObjectModel.JsonObject", .step = 128}},
    {"Procedure", "main", 60, CHURN, 1, 4, 3312, {.source = "shop/archive orders.p"}},
    {"Large Object", "archive", 26, CHURN, 1, 4, 8192, {.owner = "session pool"}},
    {"Reusable Obj",
     "session",
     40,
     START,
     3,
     0,
     424,
     {.source = "shop.PriceFormatter", .reusable = true}},
    {"Reusable Obj",
     "addline",
     63,
     CHURN,
     2,
     1,
     392,
     {.source = "shop.LineFormatter", .step = 8, .reusable = true}},
};

/* --- plan --- */

static const int64_t SNAPSHOT_INTERVAL = 60 * 1000000, CLEAN_UP_DELAY = 12345678;
static const int64_t EXIT_DELAY = 850246;

static _Noreturn void plan_fault(const char *word)
{
    fprintf(stderr, "memprof-generate: the plan of the shop has no '%s'\n", word);
    abort();
}

static int id_of(const oemp_entry *list, const char *name)
{
    for (; list->name; list++)
        if (!strcmp(list->name, name))
            return list->id;
    plan_fault(name);
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
        if (plan->sites[i].words->more.key && !strcmp(plan->sites[i].words->more.key, key))
            return i;
    plan_fault(key);
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
                        .reusable_apart = options->version > 1};
    for (size_t i = 0; i < sizeof sites / sizeof sites[0]; i++) {
        const oemp_site *words = &sites[i];
        const struct oemp_more *more = &words->more;
        int site = plan->site_count;
        if (more->reusable && !options->reusable)
            continue;
        plan->sites[site] =
            (oemp_place){.words = words,
                         .type_id = id_of(oemp_types, words->type),
                         .builtin_id = more->builtin ? id_of(oemp_builtins, more->builtin) : 0,
                         .node = words->node ? oemp_find_node(words->node) : OEMP_NONE,
                         .owner = more->owner ? find_owner(plan, more->owner) : OEMP_NONE};
        plan->site_count++;
        /* The other sites must not depend on whether reusable ones are there. */
        if (words->kind == CHURN && !more->reusable)
            plan->weights += words->weight;
        for (int born = 1; born <= plan->work && words->kind != CHURN && !more->reusable; born++)
            others += oemp_created(plan, site, born);
    }
    plan->churn = at_least(plan->objects - others, plan->weights);
}

int oemp_last_snapshot(const oemp_plan *plan)
{
    return plan->exit ? plan->work + 2 : plan->work;
}

int oemp_to_snapshot(const oemp_plan *plan)
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
    return plan->agent_session ? agent[snapshot % 4] : client[snapshot % 4];
}

/* Churn is spread evenly over the snapshots from the site's first one on: the n-th object comes
 * when its share of the time has passed. */
static int64_t churn_until(const oemp_plan *plan, const oemp_site *words, int snapshot)
{
    int span = plan->work - words->first + 1, done = snapshot - words->first + 1;
    if (span <= 0 || done <= 0)
        return 0;
    return plan->churn * words->weight / plan->weights * (done < span ? done : span) / span;
}

int64_t oemp_created(const oemp_plan *plan, int site, int born)
{
    const oemp_site *words = plan->sites[site].words;
    int64_t objects = plan->objects;
    switch (words->kind) {
    case CHURN:
        return churn_until(plan, words, born) - churn_until(plan, words, born - 1);
    case LEAK:
        /* Agent session n has 1/n of the orders: sessions of one agent do not look alike. */
        return born > plan->work
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

int64_t oemp_created_of_life(const oemp_plan *plan, int site, int born, int life)
{
    int64_t first = (life + OEMP_LIVES - born % OEMP_LIVES) % OEMP_LIVES;
    int64_t all = oemp_created(plan, site, born);
    return first < all ? (all - first + OEMP_LIVES - 1) / OEMP_LIVES : 0;
}

int oemp_deleted_at(const oemp_plan *plan, int site, int born, int life)
{
    int clean_up = plan->work + 1;
    switch (plan->sites[site].words->kind) {
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
    const oemp_site *words = plan->sites[site].words;
    const struct oemp_more *more = &words->more;
    return words->size + more->step * life +
           more->grow * (age < more->grow_last ? age : more->grow_last);
}

bool oemp_is_reusable(const oemp_plan *plan, int site)
{
    return plan->reusable_apart && plan->sites[site].words->more.reusable;
}

int64_t oemp_platform_total(int snapshot)
{
    int64_t total = 0;
    for (const oemp_entry *entry = oemp_platform; entry->name; entry++)
        total += entry->bytes + entry->growth * (int64_t)(snapshot - 1);
    return total;
}
