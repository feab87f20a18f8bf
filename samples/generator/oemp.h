/* The shop application as a memory recording sees it, and when how many objects of which
 * allocation site come and go, in closed formulas: the recording follows them object by object,
 * and the known answer is worked out from them. */
#ifndef OEMP_H
#define OEMP_H

#include "gen.h"

enum {
    OEMP_SITES = 64,         /* at most */
    OEMP_NODES = 32,         /* nodes of the call tree, exactly */
    OEMP_LIVES = 3,          /* lengths of life: of three objects of a site, one has each */
    OEMP_TABLE_SNAPSHOT = 3, /* temp-tables with TABLE_LATER are instantiated before it */
    OEMP_NAME = 64,          /* longest, with its end */
    OEMP_NONE = -1
};

/* A node of the call tree: who runs, and which line of which node called it. */
typedef struct oemp_node {
    const char *key, *name;
    int start_line;
    const char *parent; /* key; NULL for the root */
    int parent_line;
} oemp_node;

/* Fate of the objects of a site. */
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

/* An allocation site. */
typedef struct oemp_site {
    const char *type;
    const char *key;     /* for the sites that it owns */
    const char *source;  /* the class or procedure that an object is an instance of */
    const char *other;   /* any other name */
    const char *builtin; /* built-in class */
    int type_id, builtin_id;
    int node; /* node of the call tree, OEMP_NONE: the session itself */
    int line;
    int owner; /* site whose latest object it is scoped to, or OEMP_NONE */
    oemp_kind kind;
    oemp_table table;
    int weight;     /* start-up: how many; churn: its share */
    int first;      /* churn: first snapshot */
    int size, step; /* bytes, and those that the second and third of three objects have more */
    int grow;       /* bytes that an object gains at each later snapshot */
    int grow_last;  /* age, in snapshots, at which it stops to grow */
    bool reusable;  /* only there if reusable objects are asked for */
} oemp_site;

typedef struct oemp_plan {
    oemp_site sites[OEMP_SITES];
    int site_count;
    int64_t objects;
    int work;            /* snapshots 1..work are of the program at work */
    bool exit;           /* then come _PreCleanUp and _Exit */
    int agent_session;   /* n of AS-n, 0 for a client */
    bool requests;       /* requests create the objects */
    bool reusable_apart; /* version 1 counts reusable objects as ordinary ones */
    int weights;
    int64_t churn; /* objects of all churn sites together */
} oemp_plan;

/* A part of the AVM itself: it uses `bytes` at the start and `growth` more at each snapshot. The
 * last has no name. */
typedef struct oemp_part {
    const char *name;
    int id, bytes, growth;
} oemp_part;

extern const oemp_node oemp_nodes[OEMP_NODES];
extern const oemp_part oemp_platform[];
extern const char oemp_types[], oemp_builtins[]; /* catalogues */

/* False at the end of the catalogue. */
bool oemp_next_entry(const char **catalogue, int *id, char name[OEMP_NAME]);
int oemp_find_node(const char *key);
int64_t oemp_platform_total(int snapshot);

void oemp_plan_init(oemp_plan *plan, const gen_options *options);
int oemp_last_snapshot(const oemp_plan *plan);
/* Microseconds since the start; 0 is the start itself. */
int64_t oemp_time(const oemp_plan *plan, int snapshot);
const char *oemp_tag(const oemp_plan *plan, int snapshot);
/* Return, for the request that runs before a snapshot, the snapshot that ends it, its start, and
 * the API it calls. */
int oemp_request_end(const oemp_plan *plan, int snapshot);
int64_t oemp_request_start(const oemp_plan *plan, int snapshot);
const char *oemp_request_api(const oemp_plan *plan, int snapshot);

/* Objects of a site that are created before snapshot `born` and after the one before; and which
 * of the OEMP_LIVES kinds the `index`th of them is. */
int64_t oemp_created(const oemp_plan *plan, int site, int born);
int oemp_life(int born, int64_t index);
/* The snapshot that reports such an object as deleted; past the last one if none does. */
int oemp_deleted_at(const oemp_plan *plan, int site, int born, int life);
/* Size when it was created, and `age` snapshots after the one that first reported it. */
int64_t oemp_size(const oemp_plan *plan, int site, int life, int age);
/* Return true if its objects are counted separately from ordinary ones. */
bool oemp_is_reusable(const oemp_plan *plan, int site);

#endif
