/* A garbage-collected heap. It is the small heap of the shop, stored object by object, or a large
 * heap, whose objects and references are computed from their numbers. */
#pragma once

#include "gen.h"

enum { RPM_DOMAINS = 4, RPM_MOST_TYPES = 64, RPM_NOTHING = -1 };

typedef enum rpm_shape { RPM_SHOP, RPM_CHAIN, RPM_STAR, RPM_BULK } rpm_shape;

enum {
    RPM_INTERNAL,
    RPM_LOCAL,
    RPM_FINALIZER,
    RPM_HANDLE,
    RPM_STATIC,
    RPM_RUNTIME,
    RPM_KINDS = 16
};
enum { RPM_PINNED = 1, RPM_WEAK = 2, RPM_INTERIOR = 4, RPM_REFCOUNTED = 8 };

typedef struct rpm_object {
    uint64_t id;
    int64_t size;
    int type, domain;
    bool duplicate; /* an earlier object has the same id, so this one does not count */
} rpm_object;

typedef struct rpm_reference {
    int from, to; /* RPM_NOTHING = it is not in the file */
} rpm_reference;

typedef struct rpm_root {
    int64_t object; /* RPM_NOTHING = none */
    int kind;
    unsigned flags;
    int container; /* type that declares the static variable; -1 = not a static variable */
    int domain;    /* section that contains the root */
    bool early;    /* the root is written before all objects */
} rpm_root;

typedef struct rpm_plan {
    rpm_shape shape;
    int dump, domains, other_references;
    uint64_t seed;
    int64_t count;            /* number of objects, including duplicates */
    const char *const *types; /* NULL = never declared */
    int type_count;
    uint64_t late; /* types that are declared after the objects, as bits */

    rpm_object objects[512];
    rpm_reference references[2048];
    rpm_root roots[128];
    int object_count, reference_count, root_count;

    uint32_t *ids; /* ids of a large heap */
} rpm_plan;

void rpm_plan_init(rpm_plan *plan, const gen_options *options);
rpm_object rpm_object_of(const rpm_plan *plan, int64_t object);
uint64_t rpm_id_of(const rpm_plan *plan, int64_t object);
/* Functions that the graph calls; `data` is an rpm_plan. */
int64_t rpm_reference_count(const void *data, int64_t object);
int64_t rpm_reference_of(const void *data, int64_t object, int64_t number);

/* Get a root that refers to an object, by its `number` from 0. Return false if there are no more.
 * If the object is RPM_NOTHING, get roots without an object. */
bool rpm_root_of(const rpm_plan *plan, int64_t object, int number, rpm_root *root);

/* Return the number of a type in a section. */
uint64_t rpm_type_id(const rpm_plan *plan, int domain, int type);
