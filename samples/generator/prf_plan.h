// The execution of the shop application, in words: modules, a small explicit call tree, and what
// each node of it spent on each line. Every figure of an execution profile is summed up from it.
#ifndef GENERATOR_PRF_PLAN_H
#define GENERATOR_PRF_PLAN_H

#include <stdint.h>

enum {
    PRF_TREE_VERSION = 3, // the first with call-tree nodes
    PRF_TRACED_NODE = 24, // the node whose subtree is traced: all of it runs once
};

typedef struct PrfModule {
    int id;
    const char *entity;  // method, procedure or function; NULL for the unit itself
    const char *unit;    // file, or class that defines the method
    const char *runtime; // class that the method ran in, for classes: named from version 3 on
    int crc;             // of units
    int start_line;      // of entities
} PrfModule;

// Ids are the indexes in the list: parents come first, 0 is the session.
typedef struct PrfNode {
    int module;
    int parent;
    int caller_line;
    int64_t calls;
} PrfNode;

typedef struct PrfLine {
    int node;
    int line; // 0: prologue, with the node's calls for executions
    int64_t executions;
    int64_t microseconds; // without what it calls
    int version;          // first version that has it, 0: all
} PrfLine;

// Lines of a unit or an entity that can be executed.
typedef struct PrfCoverage {
    int unit; // module id; 0 ends the list
    const char *entity;
    int lines[24]; // ends with 0
} PrfCoverage;

// Modules end with an id of 0, lines with a node of -1.
extern const PrfModule prf_plan_modules[];
extern const PrfNode prf_plan_nodes[];
extern const int prf_plan_node_count;
extern const PrfLine prf_plan_lines[];
extern const PrfCoverage prf_plan_coverage[];

const PrfModule *prf_plan_module(int id);

// The source of a program with a debug listing, a string a line, NULL behind the last; NULL where
// there is none.
extern const char prf_source_program[];
const char *const *prf_source(const char *program);

// One line of it, NULL if it is not known.
const char *prf_source_line(const char *program, int line);

#endif
