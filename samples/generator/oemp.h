/* The shop application as a memory recording sees it, and when how many objects of which
 * allocation site come and go, in closed formulas: the recording follows them object by object,
 * and the known answer is worked out from them. */
#ifndef OEMP_H
#define OEMP_H

#include "gen.h"

enum {
    OEMP_SITES = 64,         /* at most */
    OEMP_NODES = 32,         /* of the call tree, exactly */
    OEMP_LIVES = 3,          /* of three objects of a site, one lives each number of snapshots */
    OEMP_TABLE_SNAPSHOT = 3, /* temp-tables with TABLE_LATER are instantiated before it */
    OEMP_NONE = -1
};

/* A node of the call tree: who runs, and which line of which node called it. */
typedef struct oemp_node {
    const char *key, *name;
    int start_line;
    const char *parent; /* key; NULL for the root */
    int parent_line;
} oemp_node;

/* What becomes of the objects of a site. */
typedef enum oemp_kind {
    SESSION,  /* created at start-up, outlives even the clean-up of the AVM */
    START,    /* created at start-up, left to the AVM to clean up */
    RELEASED, /* created at start-up, deleted by the program before it ends */
    CHURN,    /* created all the time, deleted one to three snapshots later */
    LEAK,     /* created all the time, never deleted */
    SLOW,     /* created every few snapshots, never deleted */
    CACHE     /* created once before snapshot 2, never deleted */
} oemp_kind;

/* When a temp-table is instantiated: at creation, later, or never. */
typedef enum oemp_table { TABLE_NONE, TABLE_NOW, TABLE_LATER, TABLE_NEVER } oemp_table;

typedef struct oemp_site {
    const char *type;
    const char *node; /* of the call tree, NULL: the session itself */
    int line;
    oemp_kind kind;
    int weight; /* start-up: how many; churn: its share */
    int first;  /* churn: first snapshot */
    int64_t size;
    struct oemp_more {
        const char *key;     /* for the sites that it owns */
        const char *source;  /* the class or procedure that an object is an instance of */
        const char *other;   /* any other name */
        const char *builtin; /* built-in class */
        const char *owner;   /* key of the site whose latest object it is scoped to */
        oemp_table table;
        int step;      /* bytes that the second and third of three objects have more */
        int grow;      /* bytes that an object gains at each later snapshot */
        int grow_last; /* age, in snapshots, at which it stops to grow */
        bool reusable; /* only there if reusable objects are asked for */
    } more;
} oemp_site;

/* A site of the plan, with its words looked up. */
typedef struct oemp_place {
    const oemp_site *words;
    int type_id, builtin_id;
    int node, owner; /* OEMP_NONE: none */
} oemp_place;

typedef struct oemp_plan {
    oemp_place sites[OEMP_SITES];
    int site_count;
    int64_t objects;
    int work;            /* snapshots 1..work are of the program at work */
    bool exit;           /* then come _PreCleanUp and _Exit */
    int agent_session;   /* n of AS-n, 0 for a client */
    bool reusable_apart; /* version 1 counts reusable objects as ordinary ones */
    int weights;
    int64_t churn; /* objects of all churn sites together */
} oemp_plan;

/* Names of a catalogue, as in the file; the last has none. `bytes` is what a part of the AVM
 * itself uses, `growth` more at each snapshot. */
typedef struct oemp_entry {
    const char *name;
    int id;
    int bytes, growth;
} oemp_entry;

extern const oemp_node oemp_nodes[OEMP_NODES];
extern const oemp_entry oemp_platform[], oemp_types[], oemp_builtins[];

int oemp_find_node(const char *key);
int64_t oemp_platform_total(int snapshot);

void oemp_plan_init(oemp_plan *plan, const gen_options *options);
int oemp_last_snapshot(const oemp_plan *plan);
/* Where leaks are looked for: _PreCleanUp, else the last snapshot. */
int oemp_to_snapshot(const oemp_plan *plan);
/* Microseconds since the start; 0 is the start itself. */
int64_t oemp_time(const oemp_plan *plan, int snapshot);
const char *oemp_tag(const oemp_plan *plan, int snapshot);

/* Objects of a site that are created before snapshot `born` and after the one before; which of the
 * OEMP_LIVES kinds the `index`th of them is, and how many are of a kind. */
int64_t oemp_created(const oemp_plan *plan, int site, int born);
int oemp_life(int born, int64_t index);
int64_t oemp_created_of_life(const oemp_plan *plan, int site, int born, int life);
/* The snapshot that reports such an object as deleted; past the last one if none does. */
int oemp_deleted_at(const oemp_plan *plan, int site, int born, int life);
/* Size when it was created, and `age` snapshots after the one that first reported it. */
int64_t oemp_size(const oemp_plan *plan, int site, int life, int age);
/* Whether its objects are counted apart from the ordinary ones. */
bool oemp_is_reusable(const oemp_plan *plan, int site);

#endif
