#include "rpm_plan.h"

#include <stdlib.h>

// Objects stand in blocks, each a small binary tree from its first object down. The last object of
// a block refers to the first ones of four later blocks, which makes a tree of blocks; a few blocks
// at its edge are left out, and so are islands that nothing reaches.
enum {
    BLOCK = 64,
    BLOCK_CHILDREN = 4,
    ISLANDS = 25, // one of so many blocks at the edge is an island
    NEAR = 48,
    ROOT_DISTANCE = 1000,
    SIZES = 14,
};
static const uint64_t FIRST_ID = 0x40000;

static const RpmType types[] = {
    {"System.String", false},
    {"System.Object[]", false},
    {"Shop.Order", false},
    {"Shop.OrderLine", false},
    {"Shop.Customer", false},
    {"Shop.Price", false},
    {"System.Collections.Generic.List`1[[Shop.Order, Shop, Version=1.0.0.0]]", false},
    {"System.Collections.Generic.Dictionary`2[[System.String, mscorlib],[Shop.Price, Shop]]",
     false},
    {"System.Byte[]", false},
    {"Shop.Catalog.Item", false},
    {"Shop.Catalog.Image", false},
    {"Shop.Net.Request", true},
    {"System.EventHandler", false},
};
enum {
    TYPE_COUNT = sizeof types / sizeof types[0],
};

static uint64_t mix(const RpmPlan *plan, uint64_t number, uint64_t salt)
{
    number = (number + plan->options.seed * 0x10001 + salt * 0x51ed27) * 0x9e3779b97f4a7c15;
    number = (number ^ (number >> 29U)) * 0xbf58476d1ce4e5b9;
    return number ^ (number >> 32U);
}

static int bulk_type(const RpmPlan *plan, int64_t object)
{
    uint64_t number = mix(plan, (uint64_t)object, 1) % 32;
    return number < 16 ? (int)number / 8 : (int)(2 + (number - 16) % (TYPE_COUNT - 2));
}

static int64_t bulk_size(const RpmPlan *plan, int64_t object)
{
    int64_t step = (int64_t)(mix(plan, (uint64_t)object, 2) % SIZES);
    return 12 + 4 * (step == 13 ? 60 : step);
}

static bool is_island(const RpmPlan *plan, int64_t block)
{
    int64_t blocks = (plan->count + BLOCK - 1) / BLOCK;
    return block && BLOCK_CHILDREN * block + 1 >= blocks &&
           mix(plan, (uint64_t)block, 3) % ISLANDS == 0;
}

bool rpm_bulk_init(RpmPlan *plan)
{
    plan->types = types;
    plan->type_count = TYPE_COUNT;
    plan->ids = malloc((size_t)plan->count * sizeof *plan->ids);
    if (!plan->ids) {
        return false;
    }
    uint64_t id = FIRST_ID + (uint64_t)plan->options.dump * 0x30;
    for (int64_t i = 0; i < plan->count; i++) {
        plan->ids[i] = (uint32_t)id;
        id += (uint64_t)bulk_size(plan, i) / 4;
    }
    return true;
}

RpmObject rpm_bulk_object(const RpmPlan *plan, int64_t object)
{
    return (RpmObject){
        .id = plan->ids[object], .type = bulk_type(plan, object), .size = bulk_size(plan, object)};
}

// References along the tree of the block, or to the blocks below.
static int64_t tree_count(const RpmPlan *plan, int64_t object)
{
    int64_t place = object % BLOCK;
    int64_t first = object - place;
    int64_t count = 0;
    for (int64_t child = 2 * place + 1; child <= 2 * place + 2; child++) {
        count += child < BLOCK && first + child < plan->count;
    }
    return count;
}

static int64_t lower_block(const RpmPlan *plan, int64_t object, int64_t number)
{
    int64_t block = object / BLOCK * BLOCK_CHILDREN + 1 + number;
    return object % BLOCK == BLOCK - 1 && block * BLOCK < plan->count ? block : -1;
}

static int64_t lower_count(const RpmPlan *plan, int64_t object)
{
    int64_t count = 0;
    while (count < BLOCK_CHILDREN && lower_block(plan, object, count) >= 0) {
        count++;
    }
    return count;
}

int64_t rpm_bulk_reference_count(const RpmPlan *plan, int64_t object)
{
    switch (plan->options.shape) {
    case RPM_CHAIN:
        return object + 1 < plan->count;
    case RPM_STAR:
        return object ? 0 : plan->count - 1;
    default: {
        int others = 2 * (plan->options.references - 1) + 1;
        return tree_count(plan, object) + lower_count(plan, object) +
               (int64_t)(mix(plan, (uint64_t)object, 4) % (uint64_t)others);
    }
    }
}

// Somewhere near, now and then far away; never to an island from outside.
static int64_t other_reference(const RpmPlan *plan, int64_t object, int64_t number)
{
    uint64_t chance = mix(plan, (uint64_t)object, 16 + (uint64_t)number);
    int64_t target = object + (int64_t)(chance % (2 * NEAR)) - NEAR;
    if (chance >> 40U & 15U) {
        target = target < 0 || target >= plan->count ? object : target;
    } else {
        target = (int64_t)(mix(plan, chance, 5) % (uint64_t)plan->count);
    }
    bool leaves = target / BLOCK != object / BLOCK;
    return leaves && is_island(plan, target / BLOCK) ? object : target;
}

int64_t rpm_bulk_reference(const RpmPlan *plan, int64_t object, int64_t number)
{
    if (plan->options.shape == RPM_CHAIN) {
        return object + 1;
    }
    if (plan->options.shape == RPM_STAR) {
        return number + 1;
    }
    int64_t tree = tree_count(plan, object);
    if (number < tree) {
        return object - object % BLOCK + 2 * (object % BLOCK) + 1 + number;
    }
    number -= tree;
    if (number < lower_count(plan, object)) {
        int64_t block = lower_block(plan, object, number);
        return is_island(plan, block) ? object : block * BLOCK;
    }
    return other_reference(plan, object, number);
}

bool rpm_bulk_root(const RpmPlan *plan, int64_t object, RpmRoot *root)
{
    *root = (RpmRoot){.object = object, .kind = RPM_STATIC, .container = 2};
    if (plan->options.shape != RPM_BULK || !object) {
        return !object;
    }
    uint64_t chance = mix(plan, (uint64_t)object, 6);
    if (is_island(plan, object / BLOCK)) {
        root->kind = RPM_HANDLE;
        root->flags = RPM_WEAK;
        root->container = -1;
        return object % BLOCK == 0 && chance % 4 == 0;
    }
    if (chance % ROOT_DISTANCE) {
        return false;
    }
    root->kind = (int)(chance / ROOT_DISTANCE % (RPM_RUNTIME + 1));
    root->flags = root->kind == RPM_HANDLE && chance >> 50U & 1U ? RPM_WEAK : 0;
    root->container = root->kind == RPM_STATIC ? 4 : -1;
    return true;
}
