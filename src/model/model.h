/* The model: the contents of all recordings of one run, in flat arrays that refer to each other by
 * id.
 *
 *   type ─┐
 *   node ─┼─► context ──► generation ──────────────────► delta
 *   name ─┘    └─► context  (context, born at a snapshot)   (generation, snapshot): created,
 *                  of the                                    deleted, bytes
 *                  owner
 *
 * A context is the finest class of objects in the model: one allocation site (type, call-tree node,
 * line), one name, and the context of one owner. All groupings in reports are unions of contexts
 * and generations. Deltas form the ledger: each has the changes of one generation between two
 * snapshots. An object that dies is counted in a delta and forgotten, so memory use depends on the
 * live objects and the number of (generation, snapshot) pairs with changes, not on the number of
 * objects ever created.
 *
 * All figures about two snapshots are sums of deltas. Alive at `to`: all deltas up to `to`. Alive
 * at `to` and born after `from`: those deltas whose generation was born after `from`.
 *
 * Costs without objects (execution profiles) are in mp_profile, and use the same nodes.
 *
 * Every id is an index into an array of the model; index 0 is reserved and means "none". The model
 * owns everything that it refers to. Counts are objects, sizes bytes, and times microseconds since
 * the start of the session's recording. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/checksum.h"

#include "base/units.h"

typedef struct mp_string_id {
    uint32_t i;
} mp_string_id;
typedef struct mp_type_id {
    uint32_t i;
} mp_type_id;
typedef struct mp_symbol_id {
    uint32_t i;
} mp_symbol_id;
typedef struct mp_node_id {
    uint32_t i;
} mp_node_id;
typedef struct mp_context_id {
    uint32_t i;
} mp_context_id;
typedef struct mp_generation_id {
    uint32_t i;
} mp_generation_id;
typedef struct mp_snapshot_id {
    uint32_t i;
} mp_snapshot_id;
typedef struct mp_session_id {
    uint32_t i;
} mp_session_id;
typedef struct mp_platform_id {
    uint32_t i;
} mp_platform_id;

/* Kinds of recordings. All inputs of a run are of one kind. */
typedef enum mp_kind {
    MP_KIND_NONE,
    MP_KIND_RECORDING, /* births and deaths between snapshots */
    MP_KIND_PROFILE,   /* an execution profile */
    MP_KIND_EVENTS,    /* each birth and death */
    MP_KIND_DUMP,      /* live objects and their references at some moments */
    MP_KIND_DATABASE,  /* live objects at some moments, with stacks, perhaps references */
} mp_kind;
/* Return the name of a kind for messages, such as "a memory recording". */
const char *mp_kind_name(mp_kind kind);
/* Return the name of a recording of this kind with these capabilities. It is the name of the kind,
 * except for profiles by sampling: "a profile of samples" or "a profile of sampled time". */
const char *mp_holds_name(mp_kind kind, unsigned holds);

/* Capabilities of a model, which decide what questions it can answer. Readers set them when they
 * open a file, and they do not change once the model is read. Analyses and reports check
 * capabilities, not the kind. */
enum {
    MP_HOLDS_LEDGER = 1,   /* objects alive at snapshots */
    MP_HOLDS_HISTORY = 2,  /* snapshots between which objects were created and deleted */
    MP_HOLDS_EVENTS = 4,   /* ages, threads, anomalies: model->events */
    MP_HOLDS_GRAPH = 8,    /* references: model->graph */
    MP_HOLDS_PROFILE = 16, /* costs without objects: model->profile */
    MP_HOLDS_NATIVE = 32,  /* stacks of native code, with frames of allocators */
    MP_HOLDS_RUNTIME = 64, /* runtime facts, such as requests, owners, session ends and peaks */
    MP_HOLDS_TIMES =
        128, /* creation time of each object, and ages if the load options request them */
    MP_HOLDS_SITES = 256,    /* code that created the objects is known */
    MP_HOLDS_BIRTHS = 512,   /* each birth and death, not only differences of snapshots */
    MP_HOLDS_STARTS = 1024,  /* start lines of functions, instead of the lines that were executed */
    MP_HOLDS_UNSIZED = 2048, /* objects of unknown size, which count as 0 bytes; answers are ordered
                                by numbers of objects */
    MP_HOLDS_UNCOUNTED = 4096, /* bytes in an unknown number of objects: each byte counts as one
                                  object, and answers leave out numbers of objects */
    MP_HOLDS_OBJECTS = 8192,   /* each object at each snapshot; kept in model->objects on request */
    MP_HOLDS_SAMPLES = 16384,  /* a profile whose costs are samples, not times */
    MP_HOLDS_UNCALLED = 32768, /* a profile by sampling, without numbers of calls and executions,
                                  which answers then leave out; also set with MP_HOLDS_SAMPLES */
    MP_HOLDS_CONTENTS = 65536, /* contents of objects, which mp_graph.names reads */
    MP_HOLDS_UNMADE = 131072,  /* objects that lived only between two snapshots are not counted */
};
/* Return all capabilities that recordings of a kind can have. */
unsigned mp_kind_holds(mp_kind kind);
/* Return true for heap dumps, which have objects and references but no history. */
static inline bool mp_holds_dumps(unsigned holds)
{
    return (holds & (MP_HOLDS_GRAPH | MP_HOLDS_HISTORY)) == MP_HOLDS_GRAPH;
}

/* Classes of types that reports distinguish. Everything else about a type is its name. */
typedef enum mp_type_class {
    MP_TYPE_ORDINARY,
    MP_TYPE_CODE,        /* a procedure or class of the application; named by its source */
    MP_TYPE_REUSABLE,    /* kept by the runtime on purpose, like code; never a leak */
    MP_TYPE_BUILT_IN,    /* an instance of a class of the runtime */
    MP_TYPE_TEMP_TABLE,  /* may be declared and never instantiated */
    MP_TYPE_WIDGET_POOL, /* owns the objects created in it */
    MP_TYPE_RAW_MEMORY,  /* bytes managed by the program: MEMPTR, large object */
    /* Only in sessions that state leaks: */
    MP_TYPE_LOST,            /* blocks to which nothing refers */
    MP_TYPE_LOST_INDIRECTLY, /* blocks to which only lost blocks refer */
    MP_TYPE_MAYBE_LOST,      /* blocks to which perhaps nothing refers */
    MP_TYPE_REACHABLE,       /* blocks to which something refers */
} mp_type_class;
/* Return true if a type states how its objects were left, not what they are. */
static inline bool mp_class_states_leaks(mp_type_class class)
{
    return class >= MP_TYPE_LOST;
}

/* A fact that a file may confirm, deny or not mention. */
typedef enum mp_told {
    MP_NOT_TOLD,
    MP_TOLD_NO,
    MP_TOLD_YES,
} mp_told;

typedef struct mp_type {
    mp_string_id name; /* none: the number was used, but never declared */
    uint64_t number;   /* number in the file */
    mp_type_class class;
    mp_string_id module; /* program or library that declares the type */
    mp_told finalizable; /* objects have a finalizer */
} mp_type;

/* Highest number of objects, and highest number of bytes, of a type that were alive at once up to a
 * snapshot, as the file states them; -1: not stated. Different types may have their peaks at
 * different times, so the numbers cannot be added. */
typedef struct mp_type_peak {
    mp_type_id type;
    mp_snapshot_id snapshot;
    int64_t objects, bytes;
} mp_type_peak;

/* A name in the program: a source, class, method or other entity. A file may refer to a symbol
 * before it defines it; if it never does, `name` stays none. */
typedef struct mp_symbol {
    mp_string_id name;
    uint32_t start_line; /* first line, which distinguishes overloads; 0 for a whole source */
    /* other symbols with this name have another first line (mp_model_build_tree) */
    bool overloaded;
    bool allocator;      /* frame of an allocator, skipped when a site is named */
    mp_string_id source; /* source file, if `name` is not the source */
    mp_string_id module; /* program, library or link unit */
    mp_string_id owner;  /* class of a member, if the file states it */
    int64_t hits;        /* number of calls stated by the file; 0: not stated */
    uint64_t number;     /* number in the file */
} mp_symbol;

/* Line of a frame in formats that record functions but not lines. No line number, even a negative
 * one, has this value. */
#define MP_NO_LINE 0x80000000u

/* A call-tree node as in the file: `symbol`, which was called at `line` of `parent`. */
typedef struct mp_node {
    mp_node_id parent;
    mp_symbol_id symbol;
    uint32_t line;
    bool defined;
    uint64_t number; /* number in the file */
} mp_node;

typedef struct mp_context {
    mp_type_id type;
    mp_node_id node;   /* call-tree node of the creation; none: not created by the program's code */
    uint32_t line;     /* line in the node's source */
    mp_symbol_id name; /* name of the object itself; none: it has no name */
    /* Context of the owner when the object was born; MP_CONTEXT_UNKNOWN if the owner is not in the
     * recording. */
    mp_context_id owner;
    mp_string_id thread; /* creating thread; none: unknown or not distinguished */
    mp_session_id session;
    uint16_t depth; /* number of owners above it */
    bool reusable;  /* reusable objects; not counted as live */
    bool old;       /* blocks older than their log, whose allocation is unknown */
} mp_context;

/* Context of owners that are not in the recording. */
enum { MP_CONTEXT_UNKNOWN = 1 };
/* Generation of objects whose owner is not known yet; nothing is counted in it. */
enum { MP_GENERATION_PENDING = 1 };

typedef struct mp_generation {
    mp_context_id context;
    mp_snapshot_id born;
    mp_generation_id owner;           /* owner's generation at birth; none: unknown */
    uint32_t first_delta, last_delta; /* oldest and newest of its deltas */
    bool reusable;                    /* copied from the context */
    uint8_t marks;                    /* MP_BORN_... */
} mp_generation;

/* Marks that separate objects born at the same snapshot into several generations. */
enum {
    MP_BORN_BEFORE_REQUEST = 1, /* born before the request of the snapshot began, so the request did
                                 * not create them */
    MP_BORN_BEYOND = 2,         /* born outside the requested time range, model->within */
};

/* Figures of an entry of the ledger. mp_cost_add adds two of them. */
typedef struct mp_cost {
    int64_t created, deleted; /* numbers of objects */
    int64_t retyped; /* objects that changed to this type minus those that changed from it */
    /* Number of objects that appeared without a creation (older than the recording, or in a dump),
     * minus number of objects that disappeared without a deletion. */
    int64_t found;
    int64_t idle;                       /* change of the number of uninstantiated temp-tables */
    int64_t created_bytes;              /* sizes at creation */
    int64_t bytes;                      /* change of live bytes */
    int64_t temporary, temporary_bytes; /* part of `deleted` and of its bytes that was temporary */
} mp_cost;

typedef struct mp_delta {
    mp_generation_id generation;
    mp_snapshot_id snapshot;
    mp_cost cost;
} mp_delta;

/* A snapshot: a moment of a session, with a tag. */
typedef struct mp_snapshot {
    mp_session_id session;
    uint32_t ordinal; /* number among the whole snapshots of its session, from 1 */
    bool whole;       /* false: its end is missing, or it is later than the requested end */
    bool only_total;  /* only the total of its live bytes is known; it is not whole, so it is listed
                         and charted, but never an end of a window */
    uint64_t sequence;
    mp_string_id tag, request, request_api, propath;
    int64_t time_us, request_start_us;
    int64_t cpu_hundredths; /* CPU usage, hundredths of a percent */
    int64_t overhead_bytes;
    uint64_t line;  /* first line in its file */
    uint32_t input; /* index in mp_model.inputs of the file of a dump */
    bool asked;     /* a moment requested by the user, between two snapshots */
    /* Start of the dump by the recorder's clock, and its duration, in microseconds. */
    bool has_clock, has_took;
    int64_t clock_us, took_us;
    /* Changes since the previous snapshot and live amounts, without reusable objects. */
    int64_t created_objects, deleted_objects, changed_objects;
    int64_t live_objects, live_bytes;
    int64_t reusable_objects, reusable_bytes;
    int64_t platform_bytes;
    bool has_platform;
    int64_t stated_peak_objects, class_depth; /* stated by the file */
    /* Highest live amounts since the previous snapshot; event logs only. */
    bool has_peak;
    int64_t peak_objects, peak_bytes, peak_time_us;
    /* Highest amounts that the request had alive at once since the previous snapshot, counting only
     * objects that it created. */
    int64_t request_peak_objects, request_peak_bytes;
} mp_snapshot;

/* Return true if the snapshot's number fits 32 bits and is larger than that of `before`, the
 * previous snapshot (NULL for the first), so it can identify the snapshot. */
static inline bool mp_snapshot_number_rises(const mp_snapshot *before, const mp_snapshot *snapshot)
{
    return snapshot->sequence <= INT32_MAX && (!before || snapshot->sequence > before->sequence);
}

/* Roots of one kind in the graph of a snapshot. */
typedef struct mp_root_count {
    mp_snapshot_id snapshot;
    uint32_t kind;
    int64_t roots,
        objects; /* number of root records, and of distinct objects that they keep alive */
} mp_root_count;

/* A place in the dominator tree, after merging objects that have the same types on their paths from
 * the roots. They must also be held by the same static field, if its name is known. Nodes of a
 * linked list, which have one type, count for the place of its head. */
typedef struct mp_holder_place {
    uint64_t hash; /* hash of its type and of the types above */
    uint32_t up;   /* the place above; 0: none */
    uint32_t type, objects;
    uint32_t depth; /* number of types on the path from the roots to it */
    uint32_t held;  /* number of the last holding of the place */
} mp_holder_place;

#define MP_HELD_UNKNOWN UINT32_MAX

/* A holding: objects of one type, or of all types, that are retained by the objects at one place or
 * by the roots of one kind. */
typedef struct mp_holding {
    uint64_t key, position; /* hash of place and type; hash of the place */
    int64_t bytes;          /* bytes retained by these objects */
    uint32_t before;        /* index of this holding in the previous dump; 0: none; or
                             * MP_HELD_UNKNOWN */
    uint32_t place; /* index in mp_model.places, if `places` are those of this dump; 0: roots */
    uint32_t type;  /* 0: all types */
    mp_snapshot_id snapshot;
    uint32_t objects, holders;
} mp_holding;

/* State of one object during a range of snapshots; recorded only with mp_load_options.keep_objects.
 * An object that lived only between two snapshots is not recorded. */
typedef struct mp_object {
    uint64_t id;
    int64_t bytes;
    mp_generation_id generation;
    mp_snapshot_id from;  /* first snapshot with this state */
    mp_snapshot_id until; /* first snapshot without this state; none: it lasts to the end */
} mp_object;

/* Bytes that the lost blocks of a context lose indirectly. They are also counted at the contexts of
 * these bytes. */
typedef struct mp_indirect_loss {
    mp_context_id context;
    int64_t bytes;
} mp_indirect_loss;

/* Size of one area of the runtime's own memory at a snapshot. */
typedef struct mp_platform_sample {
    mp_snapshot_id snapshot;
    mp_platform_id platform;
    int64_t bytes, block_bytes, pool_bytes;
} mp_platform_sample;

/* A recorded session, as described by the file. Strings are none if the file does not state
 * them. */
typedef struct mp_recorded_session {
    mp_string_id uuid, start_time, session_id, application, description, instance;
    mp_string_id openedge_version, user, date, directory, propath;
    mp_string_id transport; /* transport by which requests reach its agent */
    uint64_t process_id;
    bool has_process_id, reusable_apart;
    bool states_leaks; /* its recorder found out which blocks leak, and their types say so */
    int64_t start_us;  /* start_time in microseconds since 1970, UTC; 0: unknown */
    /* Of a profile by sampling: its duration, and the interval between samples in one of these
     * units. 0: unknown. */
    int64_t duration_us, period_us, period_bytes, period_count;
    uint32_t snapshots;    /* number of whole snapshots */
    mp_string_id snapshot; /* snapshot requested with its file (FILE@SNAPSHOT); none: no request */
    mp_string_id file;     /* file of that request */
} mp_recorded_session;

/* A file that was read. */
typedef struct mp_input_summary {
    const char *path;
    const char *format; /* name of the reader */
    /* what reports call it, with an article; NULL: they use the name of its kind */
    const char *noun;
    const char *packed;   /* compressions and archives, outermost first ("gzip, tar"); NULL: none */
    const char *encoding; /* encoding that was converted, "UTF-16LE"; NULL: none */
    uint32_t format_version;
    mp_checksum checksum; /* checksum of the file, if requested */
    uint64_t bytes, records;
    bool complete;   /* the file is not truncated, as far as that can be detected */
    bool damaged;    /* a part of the file could not be used; found while it was read */
    bool open_ended; /* the format has no end marker, so truncation cannot be detected */
} mp_input_summary;

/* A node of the complete call tree. Equal stacks of all recordings share one node, and parents
 * precede their children. */
typedef struct mp_tree_node {
    uint32_t parent;     /* 0: a root */
    mp_symbol_id symbol; /* none: the node was never defined; `node` has its number */
    uint32_t line;       /* line of the call, in the parent's source */
    mp_node_id node;     /* one of the nodes of files that were merged into it */
    uint32_t depth; /* number of frames from the root to this node, including both; 0: the reserved
                       element */
    /* outermost frame of the run of allocators that ends with this node; 0: none */
    uint32_t allocators;
} mp_tree_node;

#define MP_LIST(type)                                                                              \
    struct {                                                                                       \
        type *items;                                                                               \
        uint32_t count; /* number of elements, including the reserved element 0 */                 \
        size_t capacity;                                                                           \
    }

typedef MP_LIST(mp_holder_place) mp_holder_places;

typedef struct mp_strings mp_strings;
struct mp_profile;
struct mp_graph;
struct mp_events;
struct mp_ages;

typedef struct mp_model {
    mp_strings *strings;
    MP_LIST(mp_type) types;
    MP_LIST(mp_symbol) symbols;
    MP_LIST(mp_node) nodes;
    MP_LIST(mp_context) contexts;
    MP_LIST(mp_generation) generations;
    MP_LIST(mp_delta) deltas;
    MP_LIST(mp_snapshot) snapshots;
    MP_LIST(mp_recorded_session) sessions;
    MP_LIST(mp_string_id) platforms;
    MP_LIST(mp_platform_sample) platform_samples;
    MP_LIST(mp_indirect_loss) indirect_losses;
    MP_LIST(mp_object) objects;         /* empty unless requested */
    MP_LIST(mp_type_peak) type_peaks;   /* peaks stated by files; sorted by session, snapshot */
    MP_LIST(mp_root_count) root_counts; /* roots of all graphs, sorted by snapshot, kind */
    MP_LIST(mp_holding)
    holdings;                /* holdings in all graphs but the last; sorted by snapshot,
                              * key */
    mp_holder_places places; /* places of the last graph in `holdings` */
    MP_LIST(mp_input_summary) inputs;
    MP_LIST(mp_tree_node) tree; /* built by mp_model_build_tree */
    uint32_t *tree_of;          /* index in `tree` by mp_node_id; built by mp_model_build_tree */
    struct mp_profile *profile; /* NULL: no execution profile was read */
    struct mp_ages *ages;       /* NULL: ages were not recorded */
    struct mp_events *events;   /* NULL: no log of heap events was read */
    bool dumps_by_stamp;        /* dumps are ordered by their time stamps */
    bool names_root_kinds;      /* kinds of roots from MP_ROOT_NAMED on have names */
    struct mp_graph *graph;     /* graph of the last snapshot that has one; NULL: there is none */
    /* Called before a later graph replaces the graph, to save what later analyses need. NULL: not
     * called. */
    void (*leave)(struct mp_model *model);
    /* Called at the end of each snapshot if a recording is read while it is written. The model then
     * has all facts about the snapshot, and nothing after it. NULL: not called. */
    void (*tell)(void *opaque, mp_snapshot_id snapshot);
    void *tell_opaque;
    mp_kind kind;
    unsigned holds; /* capabilities: MP_HOLDS_... */
    bool knows_request_peaks;
    int64_t longest_name; /* bytes; longer names are cut; 0: MP_LONGEST_NAME */
    bool cut_names;       /* at least one name was cut */
    bool converted;       /* at least one text of the recording was not UTF-8 */
    /* Path of the first dump that may be earlier than the previous one; NULL: none. */
    const char *misplaced;
    mp_time_range within; /* range of creation times; objects created outside of it have other
                             generations (MP_BORN_BEYOND) */
    struct mp_model_private *private;
} mp_model;

/* Make an empty model, to be filled by mp_load. Release with mp_model_free, after everything that
 * refers to it. */
mp_model *mp_model_new(void);
void mp_model_free(mp_model *model);
/* Return what messages call the recording, with an article: "a massif profile", or the name of its
 * kind. */
const char *mp_model_name(const mp_model *model);

/* Return the text of an id, valid UTF-8; "" for none. Valid as long as the model. */
const char *mp_model_text(const mp_model *model, mp_string_id id);
/* Return the text of an id; NULL for none. */
static inline const char *mp_known_text(const mp_model *model, mp_string_id id)
{
    return id.i ? mp_model_text(model, id) : NULL;
}
/* Return true if the time of a snapshot is known. Dumps may have a time; databases have none. */
static inline bool mp_snapshot_has_time(const mp_model *model, const mp_snapshot *snapshot)
{
    return model->holds & MP_HOLDS_BIRTHS || snapshot->time_us != 0;
}
/* Return true if the objects of a generation were created by the request of the snapshot at which
 * they appear. */
static inline bool mp_generation_is_of_request(const mp_model *model,
                                               const mp_generation *generation)
{
    return model->snapshots.items[generation->born.i].request.i &&
           !(generation->marks & MP_BORN_BEFORE_REQUEST);
}
/* Return true if a snapshot with this tag is taken just before a session's clean-up. Reports use
 * this snapshot by default, because objects that are still alive there have leaked. */
bool mp_model_is_clean_up(const mp_model *model, mp_string_id tag);
/* Return true if a snapshot with this tag is the last one of a process, after its clean-up. */
bool mp_model_is_exit(const mp_model *model, mp_string_id tag);
/* Return true if a snapshot with this tag is taken when a request ends. */
bool mp_model_is_request_end(const mp_model *model, mp_string_id tag);

/* Return the sum of two costs, member by member. */
static inline mp_cost mp_cost_add(mp_cost a, mp_cost b)
{
    return (mp_cost){
        a.created + b.created, a.deleted + b.deleted,     a.retyped + b.retyped,
        a.found + b.found,     a.idle + b.idle,           a.created_bytes + b.created_bytes,
        a.bytes + b.bytes,     a.temporary + b.temporary, a.temporary_bytes + b.temporary_bytes};
}

/* Return the number of live objects that a cost counts. */
static inline int64_t mp_cost_live(mp_cost cost)
{
    return cost.created - cost.deleted + cost.retyped + cost.found;
}
/* Return the figure by which answers order live amounts: bytes or, if sizes are not known,
 * objects. */
static inline int64_t mp_cost_weight(const mp_model *model, mp_cost cost)
{
    return model->holds & MP_HOLDS_UNSIZED ? mp_cost_live(cost) : cost.bytes;
}
