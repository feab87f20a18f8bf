#include "shop.h"

#include "catalog.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void plan_fault(const char *what, const char *word)
{
    fprintf(stderr, "memprof-generate: the plan of the shop: %s '%s'\n", what, word);
    abort();
}

static int add_name(Shop *shop, const char *text, int start_line)
{
    for (int i = 0; i < shop->name_count; i++) {
        if (shop->names[i].start_line == start_line && !strcmp(shop->names[i].text, text)) {
            return i;
        }
    }
    if (shop->name_count == SHOP_MAX_NAMES) {
        plan_fault("no room for the name", text);
    }
    shop->names[shop->name_count] = (ShopName){text, start_line};
    return shop->name_count++;
}

static int add_other(Shop *shop, const char *text)
{
    for (int i = 0; i < shop->other_count; i++) {
        if (!strcmp(shop->others[i], text)) {
            return i;
        }
    }
    if (shop->other_count == SHOP_MAX_OTHERS) {
        plan_fault("no room for the name", text);
    }
    shop->others[shop->other_count] = text;
    return shop->other_count++;
}

static int find_node(const Shop *shop, const char *key)
{
    for (int i = 0; i < shop->node_count; i++) {
        if (!strcmp(shop_plan_nodes[i].key, key)) {
            return i;
        }
    }
    plan_fault("no such node", key);
}

static int find_owner(const Shop *shop, const char *key)
{
    for (int i = 0; i < shop->site_count; i++) {
        if (shop->sites[i].plan->key && !strcmp(shop->sites[i].plan->key, key)) {
            return i;
        }
    }
    plan_fault("no such site", key);
}

static void add_node(Shop *shop, const NodePlan *plan)
{
    if (shop->node_count == SHOP_MAX_NODES) {
        plan_fault("no room for the node", plan->key);
    }
    shop->nodes[shop->node_count] = (ShopNode){
        .name = add_name(shop, plan->name, plan->start_line),
        .parent = plan->parent ? find_node(shop, plan->parent) : SHOP_NONE,
        .parent_line = plan->parent_line,
    };
    shop->node_count++;
}

static void add_site(Shop *shop, const Site *plan)
{
    if (shop->site_count == SHOP_MAX_SITES) {
        plan_fault("no room for a site of", plan->type);
    }
    shop->sites[shop->site_count] = (ShopSite){
        .plan = plan,
        .type_id = catalog_id(catalog_types, plan->type),
        .builtin_id = plan->builtin ? catalog_id(catalog_builtins, plan->builtin) : 0,
        .node = plan->node ? find_node(shop, plan->node) : SHOP_NONE,
        .source = plan->source ? add_name(shop, plan->source, 0) : SHOP_NONE,
        .other = plan->other ? add_other(shop, plan->other) : SHOP_NONE,
        .owner = plan->owner ? find_owner(shop, plan->owner) : SHOP_NONE,
    };
    shop->site_count++;
}

void shop_init(Shop *shop, bool reusable)
{
    memset(shop, 0, sizeof *shop);
    for (const NodePlan *node = shop_plan_nodes; node->name; node++) {
        add_node(shop, node);
    }
    for (const Site *site = shop_plan_sites; site->type; site++) {
        if (reusable || !site->reusable) {
            add_site(shop, site);
        }
    }
}

const char *shop_site_name(const Shop *shop, const ShopSite *site)
{
    if (site->source != SHOP_NONE) {
        return shop->names[site->source].text;
    }
    if (site->other != SHOP_NONE) {
        return shop->others[site->other];
    }
    return site->plan->builtin;
}
