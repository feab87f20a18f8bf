#include "rpm.h"

#include <stdlib.h>
#include <string.h>

/* --- the small heap of the shop, as a .NET Compact Framework application --- */

enum { SHOP_FIRST_ID = 0x1c1400, DUMP_DISTANCE = 0x2b8, FAR_ID = 0x240000, DEFAULT_OBJECTS = 1000 };

static const char *const shop_types[] = {
    "System.String",
    "System.Object[]",
    "System.Byte[]",
    "System.Int32[]",
    "System.AppDomain",
    "Shop.PriceCache",
    "System.Collections.Generic.Dictionary`2[[System.String, mscorlib],[Shop.Price, Shop]]",
    "Shop.Price[]",
    "Shop.Price",
    "Shop.Orders.OrderService",
    "System.EventHandler`1[[Shop.Orders.OrderEventArgs, Shop]]",
    "Shop.Views.OrderView",
    "Shop.Orders.Order",
    "System.Collections.Generic.Queue<Shop.Net.Request>",
    "Shop.Net.Request",
    "Shop.PdfWriter",
    "System.IO.FileStream",
    "Shop.Views.Image",
    "Shop.Settings",
    "Shop.Session",
    "System.Globalization.CultureInfo",
    "Shop.Category+Node",
    "Program",
    "Shop.Basket",
    NULL,
    "Shop.Update.Updater",
    "Shop.Update.Package",
};
enum { SHOP_TYPES = sizeof shop_types / sizeof shop_types[0] };

/* Return the index of the type with this name. Names of generic types are compared without their
 * parameters. */
static int type_of(const char *name)
{
    for (int i = 0; i < SHOP_TYPES; i++) {
        const char *type = shop_types[i];
        bool same = name && type && !strncmp(type, name, strlen(name));
        if (same ? strchr("`<", type[strlen(name)]) != NULL : name == type)
            return i;
    }
    fprintf(stderr, "memprof-generate: the heap of the shop has no type '%s'\n", name);
    exit(GEN_OUTPUT_STATUS);
}

/* Add an object. Its id is its address / 4. */
static int object(rpm_plan *plan, int domain, const char *type, int64_t size)
{
    const rpm_object *last = &plan->objects[plan->object_count ? plan->object_count - 1 : 0];
    uint64_t id = SHOP_FIRST_ID + (uint64_t)plan->dump * DUMP_DISTANCE;
    if (plan->object_count && last->domain == domain)
        id = last->id + (uint64_t)(last->size + 3) / 4;
    plan->objects[plan->object_count] =
        (rpm_object){.id = id, .type = type_of(type), .size = size, .domain = domain};
    return plan->object_count++;
}

static void refer(rpm_plan *plan, int from, int to)
{
    plan->references[plan->reference_count++] = (rpm_reference){from, to};
}

/* Add an object, and a reference from `owner` to it. */
static int child(rpm_plan *plan, int owner, const char *type, int64_t size)
{
    int index = object(plan, plan->objects[owner].domain, type, size);
    refer(plan, owner, index);
    return index;
}

static rpm_root *root(rpm_plan *plan, int target, int kind, unsigned flags)
{
    rpm_root *added = &plan->roots[plan->root_count++];
    *added = (rpm_root){.object = target, .kind = kind, .flags = flags, .container = -1};
    added->domain = target >= 0 ? plan->objects[target].domain : 0;
    return added;
}

/* Add an object that is kept alive by a static variable of its own class. */
static int singleton(rpm_plan *plan, int domain, const char *type, int64_t size)
{
    int index = object(plan, domain, type, size);
    root(plan, index, RPM_STATIC, 0)->container = plan->objects[index].type;
    return index;
}

/* Add three stories. In the false alarm, one static variable keeps most of the heap alive. In the
 * leak, closed views are still registered with an event; there are four more of them in each dump.
 * In normal operation, the number of current requests goes up and down. */
static void add_stories(rpm_plan *plan)
{
    static const int requests[] = {3, 9, 4};
    int cache = singleton(plan, 0, "Shop.PriceCache", 24);
    /* an additional weak handle, which has no effect */
    root(plan, cache, RPM_HANDLE, RPM_WEAK)->early = true;
    int dictionary = child(plan, cache, "System.Collections.Generic.Dictionary", 52);
    int prices = child(plan, dictionary, "Shop.Price[]", 76);
    int currency = child(plan, dictionary, "System.String", 24);
    for (int i = 0; i < 8; i++) {
        int price = child(plan, prices, "Shop.Price", 32);
        refer(plan, price, currency);
        if (i % 2)
            child(plan, price, "System.Byte[]", 2048 + 16 * i);
        else
            child(plan, price, "System.String", 28 + 4 * i);
    }
    refer(plan, prices, prices + 2); /* the same reference twice */

    int service = singleton(plan, 0, "Shop.Orders.OrderService", 40);
    int event = child(plan, service, "System.EventHandler", 32);
    int views = 4 * plan->dump, list = child(plan, event, "System.Object[]", 16 + 4 * views);
    for (int i = 0; i < views; i++) {
        int handler = child(plan, list, "System.EventHandler", 32);
        int view = child(plan, handler, "Shop.Views.OrderView", 212);
        child(plan, view, "Shop.Orders.Order", 64);
    }

    int queue = object(plan, 0, "System.Collections.Generic.Queue", 28);
    root(plan, queue, RPM_LOCAL, 0);
    root(plan, queue, RPM_LOCAL, RPM_PINNED);
    for (int i = 0; i < requests[plan->dump - 1]; i++)
        child(plan, queue, "Shop.Net.Request", 48 + 4 * (i % 3));
}

static void add_roots(rpm_plan *plan)
{
    for (int i = 0; i < 2; i++) {
        int writer = object(plan, 0, "Shop.PdfWriter", 36);
        root(plan, writer, RPM_FINALIZER, 0);
        child(plan, writer, "System.IO.FileStream", 80);
    }
    root(plan, object(plan, 0, "Shop.Views.Image", 96), RPM_HANDLE, RPM_WEAK);
    root(plan, object(plan, 0, "System.Byte[]", 1040), RPM_HANDLE, RPM_PINNED);
    root(plan, object(plan, 0, "Shop.Session", 44), RPM_HANDLE, RPM_REFCOUNTED);
    root(plan, object(plan, 0, "System.Int32[]", 140), RPM_LOCAL, RPM_PINNED | RPM_INTERIOR);
    root(plan, object(plan, 0, NULL, 20), 7, 0x40); /* unknown kind and flag */
    for (int i = 0; i < 3; i++)
        root(plan, object(plan, 0, "System.String", 18 + 6 * i), RPM_RUNTIME, 0);
}

/* Add special cases: two roots that share the objects below them, so that neither keeps them alive
 * alone; an unreachable group; a cycle; a self reference; a repeated id; a root without an
 * object. */
static void add_odds_and_ends(rpm_plan *plan)
{
    int settings = object(plan, 0, "Shop.Settings", 56);
    int session = object(plan, 0, "Shop.Session", 44);
    root(plan, settings, RPM_STATIC, 0)->container = plan->objects[settings].type;
    root(plan, settings, RPM_INTERNAL, 0);
    root(plan, session, RPM_LOCAL, 0);
    int culture = child(plan, settings, "System.Globalization.CultureInfo", 88);
    refer(plan, session, culture);
    child(plan, culture, "System.String", 22);
    refer(plan, settings, RPM_NOTHING);
    int baskets = object(plan, 0, "Shop.Basket", 40);
    refer(plan, baskets, child(plan, baskets, "Shop.Basket", 40));
    refer(plan, baskets + 1, baskets);
    refer(plan, baskets + 1, culture);

    int node = object(plan, 0, "Shop.Category+Node", 28);
    root(plan, node, RPM_LOCAL, 0);
    int below = child(plan, node, "Shop.Category+Node", 28);
    refer(plan, child(plan, below, "Shop.Category+Node", 28), node);
    int program = object(plan, 0, "Program", 12);
    refer(plan, program, program);
    root(plan, program, RPM_STATIC, 0)->container = plan->objects[program].type;
    int again = object(plan, 0, "Shop.Basket", 400);
    plan->objects[again].duplicate = true;
    plan->objects[again].id = plan->objects[program].id;
    refer(plan, again, node);
    root(plan, RPM_NOTHING, RPM_RUNTIME, 0);
}

/* Add another application domain. Some of its ids are also used in the first domain. It refers to
 * the unreachable group in the first domain, which has a root with an object of this domain. */
static void add_domain(rpm_plan *plan, int domain)
{
    int island = 0;
    int updater = singleton(plan, domain, "Shop.Update.Updater", 60 + 4 * domain);
    child(plan, updater, "System.String", 30);
    child(plan, updater, "Shop.Orders.Order", 68);
    while (plan->objects[island].type != type_of("Shop.Basket"))
        island++;
    refer(plan, updater, island);
    int package = object(plan, domain, "Shop.Update.Package", 512);
    plan->objects[package].id = FAR_ID + (uint64_t)domain * 0x1000;
    root(plan, package, RPM_HANDLE, 0)->domain = 0;
    child(plan, package, "System.Byte[]", 700);
}

static void shop_init(rpm_plan *plan)
{
    plan->types = shop_types;
    plan->type_count = SHOP_TYPES;
    plan->late = 1ull << type_of("Shop.Price") | 1ull << type_of("Shop.Orders.Order");
    int app_domain = object(plan, 0, "System.AppDomain", 100);
    root(plan, app_domain, RPM_INTERNAL, 0);
    child(plan, app_domain, "System.String", 34);
    add_stories(plan);
    add_roots(plan);
    add_odds_and_ends(plan);
    for (int i = 1; i < plan->domains; i++)
        add_domain(plan, i);
    plan->count = plan->object_count;
}

/* --- large heaps --- */

/* Layout of the large heap. Objects are in blocks. Each block is a small binary tree below its
 * first object. The last object of a block refers to the first objects of four later blocks, so the
 * blocks form a tree. A few blocks at the edge of this tree do not belong to it. They are
 * unreachable islands. */
enum {
    BULK_FIRST_ID = 0x40000,
    BLOCK = 64,
    BLOCK_CHILDREN = 4,
    ISLANDS = 25, /* one of ISLANDS blocks at the edge is an island */
    NEAR = 48,
    ROOT_DISTANCE = 1000,
    SIZES = 14,
    LATE_BULK_TYPE = 11
};

static const char *const bulk_types[] = {
    "System.String",
    "System.Object[]",
    "Shop.Order",
    "Shop.OrderLine",
    "Shop.Customer",
    "Shop.Price",
    "System.Collections.Generic.List`1[[Shop.Order, Shop, Version=1.0.0.0]]",
    "System.Collections.Generic.Dictionary`2[[System.String, mscorlib],[Shop.Price, Shop]]",
    "System.Byte[]",
    "Shop.Catalog.Item",
    "Shop.Catalog.Image",
    "Shop.Net.Request",
    "System.EventHandler",
};
enum { BULK_TYPES = sizeof bulk_types / sizeof bulk_types[0] };

static uint64_t mix(const rpm_plan *plan, uint64_t number, uint64_t salt)
{
    number = (number + plan->seed * 0x10001 + salt * 0x51ed27) * 0x9e3779b97f4a7c15;
    number = (number ^ (number >> 29)) * 0xbf58476d1ce4e5b9;
    return number ^ (number >> 32);
}

static int64_t bulk_size(const rpm_plan *plan, int64_t number)
{
    int64_t step = (int64_t)(mix(plan, (uint64_t)number, 2) % SIZES);
    return 12 + 4 * (step == SIZES - 1 ? 60 : step);
}

static rpm_object bulk_object(const rpm_plan *plan, int64_t number)
{
    uint64_t kind = mix(plan, (uint64_t)number, 1) % 32;
    return (rpm_object){.id = plan->ids[number],
                        .type = (int)(kind < 16 ? kind / 8 : 2 + (kind - 16) % (BULK_TYPES - 2)),
                        .size = bulk_size(plan, number)};
}

static bool is_island(const rpm_plan *plan, int64_t block)
{
    int64_t blocks = (plan->count + BLOCK - 1) / BLOCK;
    return block && BLOCK_CHILDREN * block + 1 >= blocks &&
           mix(plan, (uint64_t)block, 3) % ISLANDS == 0;
}

/* Return the number of references that stay within the tree of the block. */
static int64_t tree_count(const rpm_plan *plan, int64_t number)
{
    int64_t place = number % BLOCK, count = 0;
    for (int64_t below = 2 * place + 1; below <= 2 * place + 2; below++)
        count += below < BLOCK && number - place + below < plan->count;
    return count;
}

static int64_t lower_block(const rpm_plan *plan, int64_t number, int64_t which)
{
    int64_t block = number / BLOCK * BLOCK_CHILDREN + 1 + which;
    return number % BLOCK == BLOCK - 1 && block * BLOCK < plan->count ? block : -1;
}

/* Return the number of references to the blocks below. */
static int64_t lower_count(const rpm_plan *plan, int64_t number)
{
    int64_t count = 0;
    while (count < BLOCK_CHILDREN && lower_block(plan, number, count) >= 0)
        count++;
    return count;
}

/* Return a target. It is nearby or, sometimes, far away. Only objects of an island refer to the
 * island. */
static int64_t other_reference(const rpm_plan *plan, int64_t number, int64_t which)
{
    uint64_t chance = mix(plan, (uint64_t)number, 16 + (uint64_t)which);
    int64_t target = number + (int64_t)(chance % (2 * NEAR)) - NEAR;
    if (chance >> 40 & 15)
        target = target < 0 || target >= plan->count ? number : target;
    else
        target = (int64_t)(mix(plan, chance, 5) % (uint64_t)plan->count);
    bool leaves = target / BLOCK != number / BLOCK;
    return leaves && is_island(plan, target / BLOCK) ? number : target;
}

static int64_t bulk_reference(const rpm_plan *plan, int64_t number, int64_t which)
{
    int64_t tree = tree_count(plan, number);
    if (which < tree)
        return number - number % BLOCK + 2 * (number % BLOCK) + 1 + which;
    which -= tree;
    if (which < lower_count(plan, number)) {
        int64_t block = lower_block(plan, number, which);
        return is_island(plan, block) ? number : block * BLOCK;
    }
    return other_reference(plan, number, which);
}

static bool bulk_root(const rpm_plan *plan, int64_t number, rpm_root *found)
{
    *found = (rpm_root){.object = number, .kind = RPM_STATIC, .container = 2};
    if (plan->shape != RPM_BULK || !number)
        return !number;
    uint64_t chance = mix(plan, (uint64_t)number, 6);
    bool island = is_island(plan, number / BLOCK);
    found->kind = island ? RPM_HANDLE : (int)(chance / ROOT_DISTANCE % (RPM_RUNTIME + 1));
    found->container = found->kind == RPM_STATIC ? 4 : -1;
    if (found->kind == RPM_HANDLE && (island || chance >> 50 & 1))
        found->flags = RPM_WEAK;
    return island ? number % BLOCK == 0 && chance % 4 == 0 : chance % ROOT_DISTANCE == 0;
}

static void bulk_init(rpm_plan *plan)
{
    uint64_t id = BULK_FIRST_ID + (uint64_t)plan->dump * 0x30;
    plan->types = bulk_types;
    plan->type_count = BULK_TYPES;
    plan->late = 1ull << LATE_BULK_TYPE;
    plan->ids = gen_alloc((size_t)plan->count, sizeof *plan->ids);
    for (int64_t i = 0; i < plan->count; i++) {
        plan->ids[i] = (uint32_t)id;
        id += (uint64_t)bulk_size(plan, i) / 4;
    }
}

/* --- both heaps --- */

void rpm_plan_init(rpm_plan *plan, const gen_options *options)
{
    *plan = (rpm_plan){.shape = (rpm_shape)options->shape,
                       .dump = (int)options->dump,
                       .domains = (int)options->domains,
                       .other_references = 2 * ((int)options->references - 1) + 1,
                       .seed = (uint64_t)options->seed,
                       .count = options->objects ? options->objects : DEFAULT_OBJECTS};
    if (plan->shape == RPM_SHOP && options->objects)
        plan->shape = RPM_BULK;
    if (plan->shape == RPM_SHOP)
        shop_init(plan);
    else
        bulk_init(plan);
}

rpm_object rpm_object_of(const rpm_plan *plan, int64_t number)
{
    return plan->shape == RPM_SHOP ? plan->objects[number] : bulk_object(plan, number);
}

uint64_t rpm_id_of(const rpm_plan *plan, int64_t number)
{
    return plan->shape == RPM_SHOP ? plan->objects[number].id : plan->ids[number];
}

int64_t rpm_reference_count(const void *data, int64_t number)
{
    const rpm_plan *plan = data;
    int64_t count = 0;
    if (plan->shape == RPM_CHAIN)
        return number + 1 < plan->count;
    if (plan->shape == RPM_STAR)
        return number ? 0 : plan->count - 1;
    if (plan->shape == RPM_BULK)
        return tree_count(plan, number) + lower_count(plan, number) +
               (int64_t)(mix(plan, (uint64_t)number, 4) % (uint64_t)plan->other_references);
    for (int i = 0; i < plan->reference_count; i++)
        count += plan->references[i].from == number;
    return count;
}

int64_t rpm_reference_of(const void *data, int64_t number, int64_t which)
{
    const rpm_plan *plan = data;
    if (plan->shape == RPM_CHAIN)
        return number + 1;
    if (plan->shape == RPM_STAR)
        return which + 1;
    if (plan->shape == RPM_BULK)
        return bulk_reference(plan, number, which);
    int i = 0;
    for (; plan->references[i].from != number || which; i++)
        which -= plan->references[i].from == number;
    return plan->references[i].to;
}

bool rpm_root_of(const rpm_plan *plan, int64_t number, int which, rpm_root *found)
{
    if (plan->shape != RPM_SHOP)
        return !which && number >= 0 && bulk_root(plan, number, found);
    for (int i = 0; i < plan->root_count; i++)
        if (plan->roots[i].object == number && !which--) {
            *found = plan->roots[i];
            return true;
        }
    return false;
}

/* Type numbers differ in each section and dump, because they have no meaning across files. */
uint64_t rpm_type_id(const rpm_plan *plan, int domain, int type)
{
    return (uint64_t)(1 + (type + plan->dump * 5 + domain * 7) % plan->type_count);
}
