// The shop as a mixed Delphi, C++ and .NET application, as AQTime's Allocation profiler sees it at
// three moments.
#ifndef GENERATOR_AQTIME_PLAN_H
#define GENERATOR_AQTIME_PLAN_H

#include <stdbool.h>
#include <stdint.h>

enum {
    AQ_SETS = 3,
    AQ_MAX_OBJECTS = 256,
    AQ_MAX_REFERENCES = 256,
    AQ_CLASSES = 12,
    AQ_ROUTINES = 13,
    AQ_STACKS = 11,
    AQ_STACK_FRAMES = 4,
    AQ_THREADS = 2,
    AQ_OVERWRITE = 10, // the class that is none
    AQ_NOTHING = -1,   // at the far end of a dangling reference
};

typedef struct AqClass {
    const char *name;
    const char *space; // namespace, "" for none
    const char *module;
    bool managed;
    int transient; // objects that come and go between two result sets
} AqClass;

typedef struct AqRoutine {
    const char *class_name;
    const char *name;
    const char *unit;
    const char *file;
    int line; // 0: not known
    const char *code_type;
} AqRoutine;

typedef struct AqObject {
    int number; // of creation
    int class_index;
    int64_t size;
    int first; // result set that lists it first, from 1 on
    int last;
    int stack;
    int thread;
    bool root;
    bool no_get; // its Get # is missing
} AqObject;

// A row in either table, or in both.
typedef struct AqReference {
    int from;
    int to;
    bool in_to;
    bool in_from;
} AqReference;

typedef struct AqPlan {
    const AqClass *classes;
    const AqRoutine *routines;
    const int (*stacks)[AQ_STACK_FRAMES]; // routines, innermost first; -1 ends
    AqObject objects[AQ_MAX_OBJECTS];
    int object_count;
    AqReference references[AQ_MAX_REFERENCES];
    int reference_count;
} AqPlan;

void aqtime_plan_init(AqPlan *plan);

bool aqtime_alive(const AqObject *object, int set);

// Numbers that rows have in a result set: they mean nothing in another one.
int aqtime_class_id(int set, int class_index);
int aqtime_routine_id(int set, int routine);
int aqtime_object_id(const AqPlan *plan, int set, int object);
int aqtime_object_record(const AqPlan *plan, int set, int object);

// False: it cannot be written.
bool aqtime_answer(const AqPlan *plan, const char *path);

#endif
