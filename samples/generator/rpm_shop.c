// The readable heap of the shop as a .NET Compact Framework application.
#include "rpm_plan.h"

#include <stddef.h>

static const uint64_t FIRST_ID = 0x1c1400;
static const uint64_t DUMP_DISTANCE = 0x2b8;
static const uint64_t FAR_ID = 0x240000;

typedef enum ShopType {
    SHOP_STRING,
    SHOP_OBJECTS,
    SHOP_BYTES,
    SHOP_INTS,
    SHOP_APP_DOMAIN,
    SHOP_PRICE_CACHE,
    SHOP_DICTIONARY,
    SHOP_PRICES,
    SHOP_PRICE,
    SHOP_ORDER_SERVICE,
    SHOP_EVENT_HANDLER,
    SHOP_ORDER_VIEW,
    SHOP_ORDER,
    SHOP_REQUEST_QUEUE,
    SHOP_REQUEST,
    SHOP_PDF_WRITER,
    SHOP_FILE_STREAM,
    SHOP_IMAGE,
    SHOP_SETTINGS,
    SHOP_SESSION,
    SHOP_CULTURE,
    SHOP_NODE,
    SHOP_SINGLETON,
    SHOP_BASKET,
    SHOP_UNDECLARED,
    SHOP_UPDATER,
    SHOP_PACKAGE,
    SHOP_TYPE_COUNT,
} ShopType;

static const RpmType types[SHOP_TYPE_COUNT] = {
    [SHOP_STRING] = {"System.String", false},
    [SHOP_OBJECTS] = {"System.Object[]", false},
    [SHOP_BYTES] = {"System.Byte[]", false},
    [SHOP_INTS] = {"System.Int32[]", false},
    [SHOP_APP_DOMAIN] = {"System.AppDomain", false},
    [SHOP_PRICE_CACHE] = {"Shop.PriceCache", false},
    [SHOP_DICTIONARY] =
        {"System.Collections.Generic.Dictionary`2[[System.String, mscorlib],[Shop.Price, Shop]]",
         false},
    [SHOP_PRICES] = {"Shop.Price[]", false},
    [SHOP_PRICE] = {"Shop.Price", true},
    [SHOP_ORDER_SERVICE] = {"Shop.Orders.OrderService", false},
    [SHOP_EVENT_HANDLER] = {"System.EventHandler`1[[Shop.Orders.OrderEventArgs, Shop]]", false},
    [SHOP_ORDER_VIEW] = {"Shop.Views.OrderView", false},
    [SHOP_ORDER] = {"Shop.Orders.Order", true},
    [SHOP_REQUEST_QUEUE] = {"System.Collections.Generic.Queue<Shop.Net.Request>", false},
    [SHOP_REQUEST] = {"Shop.Net.Request", false},
    [SHOP_PDF_WRITER] = {"Shop.PdfWriter", false},
    [SHOP_FILE_STREAM] = {"System.IO.FileStream", false},
    [SHOP_IMAGE] = {"Shop.Views.Image", false},
    [SHOP_SETTINGS] = {"Shop.Settings", false},
    [SHOP_SESSION] = {"Shop.Session", false},
    [SHOP_CULTURE] = {"System.Globalization.CultureInfo", false},
    [SHOP_NODE] = {"Shop.Category+Node", false},
    [SHOP_SINGLETON] = {"Program", false},
    [SHOP_BASKET] = {"Shop.Basket", false},
    [SHOP_UNDECLARED] = {NULL, false},
    [SHOP_UPDATER] = {"Shop.Update.Updater", false},
    [SHOP_PACKAGE] = {"Shop.Update.Package", false},
};

// Adds an object; ids are addresses / 4.
static int object(RpmPlan *plan, int domain, ShopType type, int64_t size)
{
    uint64_t id = FIRST_ID + (uint64_t)plan->options.dump * DUMP_DISTANCE;
    if (plan->object_count && plan->objects[plan->object_count - 1].domain == domain) {
        const RpmObject *last = &plan->objects[plan->object_count - 1];
        id = last->id + (uint64_t)(last->size + 3) / 4;
    }
    plan->objects[plan->object_count] =
        (RpmObject){.id = id, .type = (int)type, .size = size, .domain = domain};
    return plan->object_count++;
}

static void refer(RpmPlan *plan, int from, int to)
{
    plan->references[plan->reference_count++] = (RpmReference){from, to};
}

// Adds an object that `owner` refers to.
static int child(RpmPlan *plan, int owner, ShopType type, int64_t size)
{
    int index = object(plan, plan->objects[owner].domain, type, size);
    refer(plan, owner, index);
    return index;
}

static RpmRoot *root(RpmPlan *plan, int object, int kind, unsigned flags)
{
    RpmRoot *root = &plan->roots[plan->root_count++];
    *root = (RpmRoot){.object = object, .kind = kind, .flags = flags, .container = -1};
    root->domain = object >= 0 ? plan->objects[object].domain : 0;
    return root;
}

static void static_root(RpmPlan *plan, int object, ShopType container)
{
    root(plan, object, RPM_STATIC, 0)->container = (int)container;
}

// A cache that one static variable keeps: most of the heap.
static void add_price_cache(RpmPlan *plan)
{
    int cache = object(plan, 0, SHOP_PRICE_CACHE, 24);
    static_root(plan, cache, SHOP_PRICE_CACHE);
    root(plan, cache, RPM_HANDLE, RPM_WEAK)->early = true; // a weak handle more does no harm
    int dictionary = child(plan, cache, SHOP_DICTIONARY, 52);
    int prices = child(plan, dictionary, SHOP_PRICES, 76);
    int currency = child(plan, dictionary, SHOP_STRING, 24);
    for (int i = 0; i < 8; i++) {
        int price = child(plan, prices, SHOP_PRICE, 32);
        refer(plan, price, currency);
        child(plan, price, i % 2 ? SHOP_BYTES : SHOP_STRING, i % 2 ? 2048 + 16 * i : 28 + 4 * i);
    }
    refer(plan, prices, prices + 2); // twice the same
}

// Views that were closed, but not taken off the event: four more from dump to dump.
static void add_event_leak(RpmPlan *plan)
{
    int service = object(plan, 0, SHOP_ORDER_SERVICE, 40);
    static_root(plan, service, SHOP_ORDER_SERVICE);
    int event = child(plan, service, SHOP_EVENT_HANDLER, 32);
    int views = 4 * plan->options.dump;
    int list = child(plan, event, SHOP_OBJECTS, 16 + 4 * views);
    for (int i = 0; i < views; i++) {
        int handler = child(plan, list, SHOP_EVENT_HANDLER, 32);
        int view = child(plan, handler, SHOP_ORDER_VIEW, 212);
        child(plan, view, SHOP_ORDER, 64);
    }
}

// Work in hand, which goes up and down.
static void add_requests(RpmPlan *plan)
{
    static const int requests[] = {3, 9, 4};
    int queue = object(plan, 0, SHOP_REQUEST_QUEUE, 28);
    root(plan, queue, RPM_LOCAL, 0);
    root(plan, queue, RPM_LOCAL, RPM_PINNED);
    for (int i = 0; i < requests[plan->options.dump - 1]; i++) {
        child(plan, queue, SHOP_REQUEST, 48 + 4 * (i % 3));
    }
}

static void add_finalizer_queue(RpmPlan *plan)
{
    for (int i = 0; i < 2; i++) {
        int writer = object(plan, 0, SHOP_PDF_WRITER, 36);
        root(plan, writer, RPM_FINALIZER, 0);
        child(plan, writer, SHOP_FILE_STREAM, 80);
    }
}

static void add_handles(RpmPlan *plan)
{
    int image = object(plan, 0, SHOP_IMAGE, 96);
    root(plan, image, RPM_HANDLE, RPM_WEAK);
    root(plan, object(plan, 0, SHOP_BYTES, 1040), RPM_HANDLE, RPM_PINNED);
    root(plan, object(plan, 0, SHOP_SESSION, 44), RPM_HANDLE, RPM_REFCOUNTED);
    root(plan, object(plan, 0, SHOP_INTS, 140), RPM_LOCAL, RPM_PINNED | RPM_INTERIOR);
    root(plan, object(plan, 0, SHOP_UNDECLARED, 20), 7, 0x40);
    for (int i = 0; i < 3; i++) {
        root(plan, object(plan, 0, SHOP_STRING, 18 + 6 * i), RPM_RUNTIME, 0);
    }
}

// Two roots share what is below them, so neither keeps it alone.
static void add_shared(RpmPlan *plan)
{
    int settings = object(plan, 0, SHOP_SETTINGS, 56);
    int session = object(plan, 0, SHOP_SESSION, 44);
    static_root(plan, settings, SHOP_SETTINGS);
    root(plan, settings, RPM_INTERNAL, 0);
    root(plan, session, RPM_LOCAL, 0);
    int culture = child(plan, settings, SHOP_CULTURE, 88);
    refer(plan, session, culture);
    child(plan, culture, SHOP_STRING, 22);
    refer(plan, settings, RPM_DANGLING);
    int baskets = object(plan, 0, SHOP_BASKET, 40); // an island
    refer(plan, baskets, child(plan, baskets, SHOP_BASKET, 40));
    refer(plan, baskets + 1, baskets);
    refer(plan, baskets + 1, culture);
}

static void add_odds_and_ends(RpmPlan *plan)
{
    int nodes = object(plan, 0, SHOP_NODE, 28); // a cycle
    root(plan, nodes, RPM_LOCAL, 0);
    refer(plan, child(plan, child(plan, nodes, SHOP_NODE, 28), SHOP_NODE, 28), nodes);
    int program = object(plan, 0, SHOP_SINGLETON, 12);
    refer(plan, program, program);
    static_root(plan, program, SHOP_SINGLETON);
    int again = object(plan, 0, SHOP_BASKET, 400);
    plan->objects[again].duplicate = true;
    plan->objects[again].id = plan->objects[program].id;
    refer(plan, again, nodes);
    root(plan, RPM_DANGLING, RPM_RUNTIME, 0);
}

static int first_of(const RpmPlan *plan, ShopType type)
{
    int index = 0;
    while (plan->objects[index].type != (int)type) {
        index++;
    }
    return index;
}

// Another application domain: some of its ids are those of the first one. It refers to the island
// there, and the first one has a root here.
static void add_domain(RpmPlan *plan, int domain)
{
    int updater = object(plan, domain, SHOP_UPDATER, 60 + 4 * domain);
    static_root(plan, updater, SHOP_UPDATER);
    child(plan, updater, SHOP_STRING, 30);
    child(plan, updater, SHOP_ORDER, 68);
    refer(plan, updater, first_of(plan, SHOP_BASKET));
    int package = object(plan, domain, SHOP_PACKAGE, 512);
    plan->objects[package].id = FAR_ID + (uint64_t)domain * 0x1000;
    root(plan, package, RPM_HANDLE, 0)->domain = 0;
    child(plan, package, SHOP_BYTES, 700);
}

void rpm_shop_init(RpmPlan *plan)
{
    plan->types = types;
    plan->type_count = SHOP_TYPE_COUNT;
    int app_domain = object(plan, 0, SHOP_APP_DOMAIN, 100);
    root(plan, app_domain, RPM_INTERNAL, 0);
    child(plan, app_domain, SHOP_STRING, 34);
    add_price_cache(plan);
    add_event_leak(plan);
    add_requests(plan);
    add_finalizer_queue(plan);
    add_handles(plan);
    add_shared(plan);
    add_odds_and_ends(plan);
    for (int i = 1; i < plan->options.domains; i++) {
        add_domain(plan, i);
    }
}
