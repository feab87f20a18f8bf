// The plan of the shop application, in words.
#ifndef GENERATOR_SHOP_PLAN_H
#define GENERATOR_SHOP_PLAN_H

#include <stdbool.h>
#include <stdint.h>

// A node of the call tree: who runs, and which line of which node called it.
typedef struct NodePlan {
    const char *key;
    const char *name;
    int start_line;
    const char *parent; // key; NULL for the root
    int parent_line;
} NodePlan;

// What becomes of the objects of a site.
typedef enum SiteKind {
    SITE_SESSION,  // created at start-up, outlives even the clean-up of the AVM
    SITE_START,    // created at start-up, left to the AVM to clean up
    SITE_RELEASED, // created at start-up, deleted by the program before it ends
    SITE_CHURN,    // created all the time, deleted one to three snapshots later
    SITE_LEAK,     // created all the time, never deleted
    SITE_SLOW,     // created every few snapshots, never deleted
    SITE_CACHE,    // created once before snapshot 2, never deleted
} SiteKind;

typedef enum TableUse {
    TABLE_NONE,  // not a temp-table
    TABLE_NOW,   // instantiated when it is created
    TABLE_LATER, // instantiated before snapshot PLAN_TABLE_SNAPSHOT
    TABLE_NEVER, // defined and never used
} TableUse;

// An allocation site.
typedef struct Site {
    const char *key; // for the sites that it owns; NULL if none
    const char *type;
    const char *node; // of the call tree, NULL: the session itself
    int line;
    const char *source;  // the class or procedure that an object is an instance of
    const char *other;   // any other name
    const char *builtin; // built-in class
    const char *owner;   // key of the site whose latest object it is scoped to
    SiteKind kind;
    TableUse table;
    int weight;    // start-up: how many; churn: its share
    int first;     // churn: first snapshot
    int64_t size;  // bytes
    int64_t step;  // bytes that the second and third of three objects have more
    int64_t grow;  // bytes that an object gains at each later snapshot
    int grow_last; // age, in snapshots, at which it stops to grow
    bool reusable; // only there if reusable objects are asked for
} Site;

// Each ends with an entry without a name (nodes) or a type (sites). Parents and owners come first.
extern const NodePlan shop_plan_nodes[];
extern const Site shop_plan_sites[];

#endif
