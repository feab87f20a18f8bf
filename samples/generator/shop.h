// The shop application: its sources, call tree and allocation sites, as a plan in words (shop.c)
// that is resolved into numbers once. Everything the recordings hold is derived from it.
#ifndef GENERATOR_SHOP_H
#define GENERATOR_SHOP_H

#include "shop_plan.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SHOP_MAX_NAMES = 96,
    SHOP_MAX_OTHERS = 32,
    SHOP_MAX_NODES = 48,
    SHOP_MAX_SITES = 64,
    SHOP_NONE = -1,
};

typedef struct ShopName {
    const char *text;
    int start_line;
} ShopName;

typedef struct ShopNode {
    int name;
    int parent; // SHOP_NONE for a root
    int parent_line;
} ShopNode;

// A site with every word looked up. Indexes are SHOP_NONE where there is nothing.
typedef struct ShopSite {
    const Site *plan;
    int type_id;
    int builtin_id;
    int node;
    int source;
    int other;
    int owner;
} ShopSite;

typedef struct Shop {
    ShopName names[SHOP_MAX_NAMES];
    const char *others[SHOP_MAX_OTHERS];
    ShopNode nodes[SHOP_MAX_NODES];
    ShopSite sites[SHOP_MAX_SITES];
    int name_count;
    int other_count;
    int node_count;
    int site_count;
} Shop;

// Resolves the plan; a word that does not resolve is a fault of the plan and ends the program.
void shop_init(Shop *shop, bool reusable);

// What the objects of the site are called; NULL if they have no name.
const char *shop_site_name(const Shop *shop, const ShopSite *site);

#endif
