/* The object graph of one snapshot: objects, references between them, and the roots that keep them
 * alive.
 *
 * Objects are numbered from 1; 0 is the virtual root above all roots. References are in compressed
 * rows: those of object i are targets[first[i]] to targets[first[i + 1] - 1]. Object numbers have
 * 32 bits, sizes 64; the graph takes 24 bytes per object and 4 per reference.
 *
 *   first    [ . | 0 | 2 | 2 | 5 ]          object 1 refers to 3 and 4, object 2 to nothing,
 *                  |       |                object 3 to 1, 2 and itself
 *   targets      [ 3   4 | 1   2   3 ]
 *
 * References to objects that do not exist are counted and omitted. */
#pragma once

#include "base/memory.h"
#include "memprof/diagnostics.h"
#include "model/model.h"

/* Kinds of roots, numbered as in the CLR profiling interface and in RPM dumps. Files may have
 * others. */
enum {
    MP_ROOT_INTERNAL = 0,
    MP_ROOT_LOCAL = 1,
    MP_ROOT_FINALIZER = 2,
    MP_ROOT_HANDLE = 3,
    MP_ROOT_STATIC = 4,
    MP_ROOT_RUNTIME = 5,
};

/* Kind of all roots in formats that do not state the kind of a root. */
#define MP_ROOT_UNSPECIFIED UINT32_MAX

/* Kinds from this number on have names. The other bits of the number are an mp_string_id
 * (mp_root_kind_named). */
#define MP_ROOT_NAMED 0x80000000u

/* Flags of roots. Files may have others. */
enum {
    MP_ROOT_PINNED = 1,
    MP_ROOT_WEAK = 2, /* does not keep its object alive */
    MP_ROOT_INTERIOR = 4,
    MP_ROOT_REFCOUNTED = 8,
};

typedef struct mp_root {
    uint32_t object; /* number of the object; 0: it is not in the dump */
    uint32_t kind;
    uint32_t flags;
    mp_type_id container; /* type that declares the static field; none for other kinds */
    mp_string_id name;    /* name of the static field, thread or code; none: unknown */
    uint64_t id;          /* id of the object in the file */
} mp_root;

/* A part of a dump with its own ids: an application domain. Its objects have consecutive
 * numbers. */
typedef struct mp_domain {
    mp_string_id name;
    uint32_t first_object; /* objects first_object to first_object + objects - 1 */
    uint32_t objects;
    /* Start of the dump by the device's clock, and its duration, in microseconds; -1: unknown. */
    int64_t clock_us, took_us;
} mp_domain;

/* A reference by the ids of its objects, and its name: a field, an index, a property. */
typedef struct mp_named_reference {
    uint64_t from, to;
    /* Name in the notation of the format: ".price", "[17]". "": the file does not name it; NULL:
     * the reference was not found. */
    const char *name;
} mp_named_reference;
/* Compare two references by `from`, then `to`, for qsort. */
int mp_named_reference_order(const void *left, const void *right);
/* Return the reference from one object to another, out of references in this order; NULL: it is
 * not among them. */
mp_named_reference *mp_named_reference_find(mp_named_reference *references, size_t count,
                                            uint64_t from, uint64_t to);

struct mp_contents;

/* Source of the names of references and of the contents of objects. Neither is kept while a dump is
 * read. What an answer needs is read from the input, in one more pass. */
typedef struct mp_reference_source {
    /* Set the names of `count` references, which are NULL before. The references are distinct and
     * sorted by `from`, then `to`. The texts belong to the arena. Return false, after a diagnostic,
     * if names are missing. NULL: the format has no names. */
    bool (*read)(void *opaque, mp_named_reference *references, size_t count, mp_arena *texts,
                 mp_diagnostics *diagnostics);
    /* Set the contents of all objects, or only texts (contents.h). Return false, with the reason in
     * `why` (static), if the input cannot be read again. NULL: the format has no contents. */
    bool (*read_contents)(void *opaque, struct mp_contents *contents, const char **why);
    /* Release `opaque`; called once, when the graph is released. */
    void (*release)(void *opaque);
    void *opaque;
} mp_reference_source;

typedef struct mp_graph {
    mp_snapshot_id snapshot;
    uint32_t count;         /* number of objects; arrays have count + 1 elements, [0] unused */
    uint64_t *ids;          /* ids in the file; unique within a domain */
    uint64_t *sizes;        /* bytes */
    uint32_t *types;        /* mp_type_id; equal for equal type names */
    uint32_t *first;        /* count + 2 elements */
    uint32_t *targets;      /* first[count + 1] elements */
    MP_LIST(mp_root) roots; /* in file order; element 0 is reserved */
    /* Kind of the roots of global objects, whose references are the program's global variables; 0:
     * none. */
    uint32_t globals;
    MP_LIST(mp_domain) domains; /* in file order; element 0 is reserved */
    uint64_t dangling;          /* number of references to missing objects */
    uint64_t duplicates; /* number of objects omitted because an earlier object had the same id */
    /* Number of references that were left out, because the rules of the format say that they keep
     * nothing alive, or because they do not lead from one object to another. */
    uint64_t left_out;
    uint32_t declared_types; /* number of distinct names of declared types */
    /* Indexed by type: true if references to objects of this type were not recorded, so that it is
     * unknown what keeps them alive. NULL: references to all types were recorded. */
    bool *untracked;
    bool hexadecimal; /* the format writes ids in hexadecimal */
    mp_reference_source names;
} mp_graph;

static inline uint32_t mp_graph_references(const mp_graph *graph)
{
    return graph->first[graph->count + 1];
}

static inline bool mp_graph_tracks(const mp_graph *graph, uint32_t object)
{
    return !graph->untracked || !graph->untracked[graph->types[object]];
}

/* Release the graph; NULL is allowed. */
void mp_graph_free(mp_graph *graph);
