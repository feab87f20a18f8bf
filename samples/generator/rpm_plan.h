// A garbage-collected heap: the readable one of the shop, kept object by object, or a large one
// whose objects and references follow from their numbers.
#ifndef GENERATOR_RPM_PLAN_H
#define GENERATOR_RPM_PLAN_H

#include <stdbool.h>
#include <stdint.h>

enum {
    RPM_MAX_DOMAINS = 4,
    RPM_MAX_OBJECTS = 512, // of the readable heap
    RPM_MAX_REFERENCES = 2048,
    RPM_MAX_ROOTS = 128,
    RPM_DANGLING = -1,
};

typedef enum RpmShape {
    RPM_SHOP, // readable
    RPM_BULK, // large, with references that are mostly near
    RPM_CHAIN,
    RPM_STAR,
} RpmShape;

typedef enum RpmRootKind {
    RPM_INTERNAL,
    RPM_LOCAL,
    RPM_FINALIZER,
    RPM_HANDLE,
    RPM_STATIC,
    RPM_RUNTIME,
    RPM_KINDS = 16, // a digit
} RpmRootKind;

enum {
    RPM_PINNED = 1,
    RPM_WEAK = 2,
    RPM_INTERIOR = 4,
    RPM_REFCOUNTED = 8,
};

typedef struct RpmOptions {
    RpmShape shape;
    int64_t objects;
    int references; // of an object, on average
    int dump;       // which moment of the application
    int domains;
    uint64_t seed;
} RpmOptions;

typedef struct RpmObject {
    uint64_t id;
    int type;
    int64_t size;
    int domain;
    bool duplicate; // its id was there before: it does not count
} RpmObject;

typedef struct RpmReference {
    int from;
    int to; // RPM_DANGLING: to nothing in the file
} RpmReference;

typedef struct RpmRoot {
    int64_t object; // RPM_DANGLING: none
    int kind;
    unsigned flags;
    int container; // type that holds the static variable, -1: none
    int domain;    // in whose section it stands
    bool early;    // before all objects
} RpmRoot;

typedef struct RpmType {
    const char *name; // NULL: never declared
    bool late;        // declared behind the objects
} RpmType;

typedef struct RpmPlan {
    RpmOptions options;
    int64_t count; // of objects, duplicates included
    const RpmType *types;
    int type_count;

    RpmObject objects[RPM_MAX_OBJECTS];
    int object_count;
    RpmReference references[RPM_MAX_REFERENCES];
    int reference_count;
    RpmRoot roots[RPM_MAX_ROOTS];
    int root_count;

    uint32_t *ids; // of a large heap
} RpmPlan;

// False: out of memory; to be freed in either case.
bool rpm_plan_init(RpmPlan *plan, const RpmOptions *options);
void rpm_plan_free(RpmPlan *plan);

RpmObject rpm_plan_object(const RpmPlan *plan, int64_t object);
int64_t rpm_plan_reference_count(const RpmPlan *plan, int64_t object);
int64_t rpm_plan_reference(const RpmPlan *plan, int64_t object, int64_t number);

// The roots that refer to an object, `number` from 0 on; false: no more. RPM_DANGLING has those
// without an object.
bool rpm_plan_root(const RpmPlan *plan, int64_t object, int number, RpmRoot *root);

// The number that a section uses for a type, and its name (never NULL).
uint64_t rpm_plan_type_id(const RpmPlan *plan, int domain, int type);
void rpm_plan_type_name(const RpmPlan *plan, int domain, int type, char name[128]);

// Fills in the readable heap.
void rpm_shop_init(RpmPlan *plan);

// The large heaps.
bool rpm_bulk_init(RpmPlan *plan);
RpmObject rpm_bulk_object(const RpmPlan *plan, int64_t object);
int64_t rpm_bulk_reference_count(const RpmPlan *plan, int64_t object);
int64_t rpm_bulk_reference(const RpmPlan *plan, int64_t object, int64_t number);
bool rpm_bulk_root(const RpmPlan *plan, int64_t object, RpmRoot *root);

#endif
