/* The shop application in memory recordings. There are closed formulas for the number of objects
 * that each allocation site creates and deletes, and for the times. The recording is made by a
 * simulation of each object; the known answer is calculated from the formulas. */
#pragma once

#include "gen.h"

enum {
    OEMP_SITES = 64, /* maximum */
    OEMP_NODES = 32, /* exact number of call-tree nodes */
    OEMP_LIVES = 3,  /* number of lifetimes; each of them belongs to a third of a site's objects */
    /* temp-tables with TABLE_LATER are instantiated before this snapshot. */
    OEMP_TABLE_SNAPSHOT = 3,
    OEMP_NAME = 64, /* maximum size, including its terminator */
    OEMP_NONE = -1
};

/* A node of the call tree: the code, and its caller, which is a node and a line. */
typedef struct oemp_node {
    const char *key, *name;
    int start_line;
    const char *parent; /* key; NULL for the root */
    int parent_line;
} oemp_node;

/* How long the objects of a site live. */
typedef enum oemp_kind {
    SESSION,  /* created at start-up; outlives the clean-up of the AVM */
    START,    /* created at start-up, deleted by the clean-up of the AVM */
    RELEASED, /* created at start-up, deleted by the program before it ends */
    CHURN,    /* created all the time, deleted one to three snapshots later */
    LEAK,     /* created all the time, never deleted */
    SLOW,     /* created every few snapshots, never deleted */
    CACHE     /* created once before snapshot 2, never deleted */
} oemp_kind;

/* Time when a temp-table is instantiated: at creation, later, or never. */
typedef enum oemp_table { TABLE_NONE, TABLE_NOW, TABLE_LATER, TABLE_NEVER } oemp_table;

/* An allocation site. */
typedef struct oemp_site {
    const char *type;
    const char *key;     /* name by which sites refer to it, if it owns their objects */
    const char *source;  /* class or procedure of which the objects are instances */
    const char *other;   /* any other name */
    const char *builtin; /* built-in class */
    int type_id, builtin_id;
    int node; /* node of the call tree; OEMP_NONE = the session */
    int line;
    int owner; /* site whose latest object is the owner; OEMP_NONE = no owner */
    oemp_kind kind;
    oemp_table table;
    int weight;     /* for start-up: number of objects; for churn: share of the churn */
    int first;      /* churn: first snapshot */
    int size, step; /* bytes; difference between the sizes of the site's three lifetimes */
    int grow;       /* bytes by which an object grows at each later snapshot */
    int grow_last;  /* age in snapshots at which the object stops growing */
    bool reusable;  /* the site exists only if reusable objects are requested */
} oemp_site;

typedef struct oemp_plan {
    oemp_site sites[OEMP_SITES];
    int site_count;
    int64_t objects;
    int work;            /* at snapshots 1..work the program works */
    bool exit;           /* _PreCleanUp and _Exit follow */
    int agent_session;   /* number of AS-n; 0 = a client */
    bool requests;       /* requests create the objects */
    bool reusable_apart; /* reusable objects are counted separately; false in version 1 */
    int weights;
    int64_t churn; /* number of objects of all churn sites together */
} oemp_plan;

/* A part of the AVM. It uses `bytes` at the start, and `growth` more at each snapshot. The array
 * ends with NULL. */
typedef struct oemp_part {
    const char *name;
    int id, bytes, growth;
} oemp_part;

extern const oemp_node oemp_nodes[OEMP_NODES];
extern const oemp_part oemp_platform[];
extern const char oemp_types[], oemp_builtins[]; /* catalogues */

/* Get the next entry. Return false at the end of the catalogue. */
bool oemp_next_entry(const char **catalogue, int *id, char name[OEMP_NAME]);
int oemp_find_node(const char *key);
int64_t oemp_platform_total(int snapshot);

void oemp_plan_init(oemp_plan *plan, const gen_options *options);
int oemp_last_snapshot(const oemp_plan *plan);
/* Return microseconds since the start. */
int64_t oemp_time(const oemp_plan *plan, int snapshot);
const char *oemp_tag(const oemp_plan *plan, int snapshot);
/* Functions about the request that runs before a snapshot. They return the snapshot that ends it,
 * its start, and the API that it calls. */
int oemp_request_end(const oemp_plan *plan, int snapshot);
int64_t oemp_request_start(const oemp_plan *plan, int snapshot);
const char *oemp_request_api(const oemp_plan *plan, int snapshot);

/* Return the number of objects that a site creates between the snapshot before `born` and `born`.
 * Return the lifetime (0 to OEMP_LIVES - 1) of the `index`-th of them. */
int64_t oemp_created(const oemp_plan *plan, int site, int born);
int oemp_life(int born, int64_t index);
/* Return the snapshot that reports an object of this lifetime as deleted. If there is none, return
 * a number beyond the last snapshot. */
int oemp_deleted_at(const oemp_plan *plan, int site, int born, int life);
/* Return the size of the object `age` snapshots after the snapshot that first reported it. Age 0 =
 * at its creation. */
int64_t oemp_size(const oemp_plan *plan, int site, int life, int age);
/* Return true if the site's objects are counted separately from ordinary ones. */
bool oemp_is_reusable(const oemp_plan *plan, int site);
