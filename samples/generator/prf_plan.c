#include "prf_plan.h"

#include <stddef.h>

const PrfModule prf_plan_modules[] = {
    {1, NULL, "shop/main.p", NULL, 48949, 0},
    {2, NULL, "shop/runOrders.p", NULL, 20667, 0},
    {3, "processBatch", "shop/runOrders.p", NULL, 0, 58},
    {4, NULL, "shop/placeOrder.p", NULL, 11619, 0},
    {5, "readCart", "shop/placeOrder.p", NULL, 0, 66},
    {7, NULL, "shop.OrderService", NULL, 51638, 0},
    {8, "OrderService", "shop.OrderService", "shop.OrderService", 0, 31},
    {9, "placeOrder", "shop.OrderService", "shop.OrderService", 0, 88},
    {10, "placeOrder", "shop.OrderService", "shop.OrderService", 0, 131},
    {11, "validate", "shop.OrderService", "shop.OrderService", 0, 164},
    {12, "calculateShippingCosts", "shop.OrderService", "shop.OrderService", 0, 190},
    {14, NULL, "shop.Order", NULL, 3808, 0},
    {15, "Order", "shop.Order", "shop.Order", 0, 20},
    {16, "addLine", "shop.Order", "shop.Order", 0, 52},
    {17, "~Order", "shop.Order", "shop.Order", 0, 81},
    {19, NULL, "shop.BaseRepository", NULL, 45206, 0},
    {20, NULL, "shop.CustomerRepository", NULL, 32700, 0},
    {21, "find", "shop.CustomerRepository", "shop.CustomerRepository", 0, 47},
    {22, "openQuery", "shop.BaseRepository", "shop.CustomerRepository", 0, 70},
    {25, NULL, "shop.PriceCache", NULL, 22282, 0},
    {26, "getPrice", "shop.PriceCache", "shop.PriceCache", 0, 77},
    {28, NULL, "shop.CategoryTree", NULL, 14323, 0},
    {29, "countParts", "shop.CategoryTree", "shop.CategoryTree", 0, 33},
    {31, NULL, "shop/archive orders.p", NULL, 58513, 0},
    {32, "compress", "shop/archive orders.p", NULL, 0, 40},
    {33, NULL, "shop/tax.p", NULL, 17022, 0},
    {0, NULL, NULL, NULL, 0, 0},
};

const PrfNode prf_plan_nodes[] = {
    {0, 0, 0, 1},       // 0: session
    {1, 0, 0, 1},       // 1: shop/main.p
    {2, 1, 52, 1},      // 2: shop/runOrders.p
    {3, 2, 30, 1},      // 3: processBatch
    {4, 3, 71, 120},    // 4: shop/placeOrder.p
    {5, 4, 44, 120},    // 5: readCart
    {7, 4, 38, 1},      // 6: shop.OrderService
    {8, 4, 38, 120},    // 7: its constructor
    {9, 4, 51, 120},    // 8: placeOrder( order )
    {10, 8, 97, 120},   // 9: placeOrder( order, customer )
    {11, 9, 139, 120},  // 10: validate
    {20, 10, 170, 1},   // 11: shop.CustomerRepository
    {19, 10, 170, 1},   // 12: the class that it inherits from
    {21, 10, 170, 120}, // 13: find
    {22, 13, 55, 120},  // 14: openQuery, inherited
    {14, 9, 143, 1},    // 15: shop.Order
    {15, 9, 143, 120},  // 16: its constructor
    {16, 9, 148, 480},  // 17: addLine
    {26, 17, 58, 480},  // 18: getPrice
    {29, 17, 60, 480},  // 19: countParts
    {29, 19, 38, 300},  // 20: countParts of the parts
    {29, 20, 38, 90},   // 21: and of theirs
    {12, 9, 150, 120},  // 22: calculateShippingCosts
    {17, 9, 160, 118},  // 23: destructor
    {31, 1, 60, 1},     // 24: shop/archive orders.p
    {32, 24, 26, 1},    // 25: compress
    {25, 2, 24, 1},     // 26: shop.PriceCache
    {26, 2, 25, 40},    // 27: getPrice, to fill the cache
    {33, 9, 152, 120},  // 28: shop/tax.p
    {28, 17, 60, 1},    // 29: shop.CategoryTree
    {29, 21, 38, 12},   // 30: countParts, deepest
};
const int prf_plan_node_count = sizeof prf_plan_nodes / sizeof prf_plan_nodes[0];

const PrfLine prf_plan_lines[] = {
    {1, 0, 1, 4678, 0},      {1, 34, 1, 12410, 0},     {1, 52, 1, 214, 0},
    {1, 60, 1, 97, 0},       {1, 66, 0, 20150, 0}, // still running when profiling ended
    {1, -1, 1, 318, 0},      {1, -2, 1, 1204, 3},      {2, 0, 1, 862, 0},
    {2, 24, 1, 66, 0},       {2, 25, 40, 412, 0},      {2, 28, 1, 18803, 0},
    {2, 30, 1, 35, 0},       {3, 0, 1, 121, 0},        {3, 68, 121, 9342, 0},
    {3, 71, 120, 3511, 0},   {3, 75, 120, 1260, 0},    {4, 0, 120, 24716, 0},
    {4, 38, 120, 2204, 0},   {4, 44, 120, 1431, 0},    {4, 47, 120, 30884, 0},
    {4, 51, 120, 1977, 0},   {4, 58, 120, 61250, 0},   {4, -1, 120, 2160, 0},
    {5, 0, 120, 3120, 0},    {5, 69, 600, 152347, 0},  {5, 70, 480, 44160, 0},
    {5, 73, 480, 8406, 0},   {6, 0, 1, 910, 0},        {7, 0, 120, 1802, 0},
    {7, 33, 120, 604, 0},    {8, 0, 120, 1440, 0},     {8, 92, 120, 725, 0},
    {8, 97, 120, 1093, 0},   {9, 0, 120, 2013, 0},     {9, 139, 120, 1316, 0},
    {9, 143, 120, 2870, 0},  {9, 146, 600, 5404, 0},   {9, 148, 480, 6118, 0},
    {9, 150, 120, 944, 0},   {9, 152, 120, 2651, 0},   {9, 155, 120, 17339, 0},
    {9, 160, 118, 3327, 0},  {9, -2, 7, 4412, 3},      {10, 0, 120, 1188, 0},
    {10, 168, 120, 633, 0},  {10, 170, 120, 1542, 0},  {10, 174, 3, 71, 0},
    {11, 0, 1, 806, 0},      {12, 0, 1, 655, 0},       {13, 0, 120, 1330, 0},
    {13, 51, 120, 7316, 0},  {13, 55, 120, 1618, 0},   {13, 59, 120, 203, 0},
    {14, 0, 120, 1275, 0},   {14, 74, 120, 13402, 0},  {14, 76, 120, 884231, 0},
    {14, 83, 120, 38177, 0}, {15, 0, 1, 744, 0},       {16, 0, 120, 2231, 0},
    {16, 27, 120, 10648, 0}, {17, 0, 480, 5290, 0},    {17, 54, 480, 9911, 0},
    {17, 58, 480, 4127, 0},  {17, 60, 480, 5002, 0},   {18, 0, 480, 4310, 0},
    {18, 80, 480, 21076, 0}, {18, 84, 37, 196420, 0},  {18, 88, 480, 1440, 0},
    {19, 0, 480, 6412, 0},   {19, 36, 780, 11700, 0},  {19, 38, 300, 2980, 0},
    {19, 41, 480, 960, 0},   {20, 0, 300, 4005, 0},    {20, 36, 390, 5850, 0},
    {20, 38, 90, 901, 0},    {20, 41, 300, 600, 0},    {21, 0, 90, 1203, 0},
    {21, 36, 102, 1530, 0},  {21, 38, 12, 127, 0},     {21, 41, 90, 180, 0},
    {22, 0, 120, 1655, 0},   {22, 195, 120, 71840, 0}, {22, 199, 2400, 102511, 0},
    {22, 204, 120, 240, 0},  {23, 0, 118, 1304, 0},    {23, 83, 118, 2006, 0},
    {23, -1, 118, 590, 0},   {24, 0, 1, 1333, 0},      {24, 12, 1, 208, 0},
    {24, 26, 1, 44, 0},      {24, 29, 1, 3, 0},        {25, 0, 1, 210, 0},
    {25, 44, 1, 51, 0},      {25, 47, 1, 27218, 0},    {25, 51, 1, 9, 0},
    {26, 0, 1, 512, 0},      {27, 0, 40, 380, 0},      {27, 80, 40, 1725, 0},
    {27, 84, 40, 212310, 0}, {27, 88, 40, 118, 0},     {28, 0, 120, 15216, 0},
    {28, 14, 120, 4833, 0},  {28, 17, 360, 33640, 0},  {29, 0, 1, 433, 0},
    {30, 0, 12, 161, 0},     {30, 36, 12, 180, 0},     {30, 41, 12, 24, 0},
    {-1, 0, 0, 0, 0},
};

const PrfCoverage prf_plan_coverage[] = {
    {4, "", {12, 38, 44, 47, 51, 54, 58}},
    {4, "readCart", {69, 70, 73, 77}},
    {14, "Order", {27}},
    {14, "addLine", {54, 58, 60}},
    {14, "removeLine", {66, 68, 69}},
    {14, "~Order", {83}},
    {0, NULL, {0}},
};

const PrfModule *prf_plan_module(int id)
{
    for (const PrfModule *module = prf_plan_modules; module->id; module++) {
        if (module->id == id) {
            return module;
        }
    }
    return NULL;
}
