/* The model: what all recordings of one run say, in flat arrays that refer to each other by id.
 *
 *   type ─┐
 *   node ─┼─► context ──► generation ──────────────────► delta
 *   name ─┘    └─► that     (context, born at a snapshot)   (generation, snapshot): created,
 *                  of the                                    deleted, bytes
 *                  owner
 *
 * A context is the finest class of objects that the model tells apart: one allocation site (type,
 * call tree node, line), one name, one owner's context. Every grouping that a report makes is a
 * coarsening of contexts and generations. Deltas are the ledger: what happened to a generation
 * between two snapshots. An object that dies is added to its delta and forgotten, so memory follows
 * what is alive and the number of (generation, snapshot) pairs touched, not the number of objects
 * that ever lived.
 *
 * Whatever is asked of any two snapshots is a sum over deltas: alive at `to` = all deltas up to
 * `to`; alive at `to` and born after `from` = those of them whose generation was born later than
 * `from`.
 *
 * Costs without objects (execution profiles) are in the model's mp_profile, on the same nodes.
 *
 * Every id is an index into one array of the model; index 0 is reserved and means "none". The model
 * owns all that it refers to. Counts are objects, sizes bytes, times microseconds since the start
 * of the session's recording. */
#ifndef MP_MODEL_MODEL_H
#define MP_MODEL_MODEL_H

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

/* Kinds of recordings; all inputs of one run are of one kind. */
typedef enum mp_kind {
    MP_KIND_NONE,
    MP_KIND_RECORDING, /* births and deaths between snapshots */
    MP_KIND_PROFILE,   /* execution */
    MP_KIND_EVENTS,    /* births and deaths one by one */
    MP_KIND_DUMP,      /* objects alive at a moment, and their references */
    MP_KIND_DATABASE,  /* objects alive at moments, with stacks, perhaps references */
} mp_kind;
/* "a memory recording", for messages. */
const char *mp_kind_name(mp_kind kind);

/* Capabilities of a model: the questions that it can answer. Readers set them by what they open;
 * they do not change once the model is read. Analyses and reports ask these, not the kind. */
enum {
    MP_HOLDS_LEDGER = 1,   /* objects alive at snapshots */
    MP_HOLDS_HISTORY = 2,  /* between which snapshots they were created and deleted */
    MP_HOLDS_EVENTS = 4,   /* ages, threads, anomalies: model->events */
    MP_HOLDS_GRAPH = 8,    /* who refers to whom: model->graph */
    MP_HOLDS_PROFILE = 16, /* costs without objects: model->profile */
    MP_HOLDS_NATIVE = 32,  /* stacks of native code, allocators' own frames among them */
    MP_HOLDS_RUNTIME = 64, /* facts of a runtime: requests, names and owners of objects, ends of
                              sessions, peaks and memory of its own */
    MP_HOLDS_TIMES = 128, /* when each object was created: ages, if the load options ask for them */
    MP_HOLDS_SITES = 256, /* code that created the objects */
    MP_HOLDS_BIRTHS = 512, /* each birth and death as it happened, not the differences of
                              snapshots */
    MP_HOLDS_STARTS =
        1024, /* lines at which functions begin in place of those that were executed */
};
/* Return the most that recordings of a kind hold. */
unsigned mp_kind_holds(mp_kind kind);
/* Return true for heap dumps: objects and references at some moments, without a history. */
static inline bool mp_holds_dumps(unsigned holds)
{
    return (holds & (MP_HOLDS_GRAPH | MP_HOLDS_HISTORY)) == MP_HOLDS_GRAPH;
}

/* Classes of types that reports distinguish. Everything else about a type is its name. */
typedef enum mp_type_class {
    MP_TYPE_ORDINARY,
    MP_TYPE_CODE,        /* named by source: procedures and classes of the application */
    MP_TYPE_REUSABLE,    /* kept by the runtime on purpose, as code is; never a leak */
    MP_TYPE_BUILT_IN,    /* an instance of a class of the runtime */
    MP_TYPE_TEMP_TABLE,  /* may be declared and never instantiated */
    MP_TYPE_WIDGET_POOL, /* owns what is created in it */
    MP_TYPE_RAW_MEMORY,  /* MEMPTR, large object: bytes that the program manages itself */
} mp_type_class;

/* A fact that a file may confirm, deny or not mention. */
typedef enum mp_told {
    MP_NOT_TOLD,
    MP_TOLD_NO,
    MP_TOLD_YES,
} mp_told;

typedef struct mp_type {
    mp_string_id name; /* none: used by number, never declared */
    uint64_t number;   /* as in the file */
    mp_type_class class;
    mp_string_id module; /* program or library that declares it */
    mp_told finalizable; /* its objects have a finalizer */
} mp_type;

/* The most objects and bytes of a type alive at once, up to a snapshot, as the file says: between
 * snapshots too. Figures of several types do not add up. -1: it does not say. */
typedef struct mp_type_peak {
    mp_type_id type;
    mp_snapshot_id snapshot;
    int64_t objects, bytes;
} mp_type_peak;

/* A name of the program: a source, class, method or other named thing. A file may refer to it
 * before it says what it is; if it never does, `name` stays none. */
typedef struct mp_symbol {
    mp_string_id name;
    uint32_t start_line; /* tells overloads apart; 0 for a whole source */
    bool overloaded;     /* others of this name begin elsewhere; set by mp_model_build_tree */
    bool allocator;      /* an allocator's own: does not name a site (see mp_load_options) */
    mp_string_id source; /* file that it is written in, where that is not its name */
    mp_string_id module; /* program, library or linkage unit */
    mp_string_id owner;  /* class that it is a member of, where the file says so */
    int64_t hits;        /* how often it was called, as the file says; 0: it does not */
    uint64_t number;     /* as in the file */
} mp_symbol;

/* The line of a frame in a format that tells functions, not lines. Apart from all line numbers that
 * occur, negative ones included. */
#define MP_NO_LINE 0x80000000u

/* A node of the call tree as a file gave it: `symbol`, called by `parent` at its line `line`. */
typedef struct mp_node {
    mp_node_id parent;
    mp_symbol_id symbol;
    uint32_t line;
    bool defined;
    uint64_t number; /* as in the file */
} mp_node;

typedef struct mp_context {
    mp_type_id type;
    mp_node_id node;   /* place of its creation; none: outside the program's code */
    uint32_t line;     /* in the node's source */
    mp_symbol_id name; /* name of the object itself; none: it has none */
    /* Context of the object's owner at the object's birth; MP_CONTEXT_UNKNOWN: the owner was not
     * recorded. */
    mp_context_id owner;
    mp_string_id thread; /* that created it; none: not told, or not asked for */
    mp_session_id session;
    uint16_t depth; /* owners above it */
    bool reusable;  /* apart from what is live */
    bool old;       /* blocks older than their log: nothing tells who made them */
} mp_context;

/* The owner of an object whose owner was never seen. */
enum { MP_CONTEXT_UNKNOWN = 1 };
/* The generation of an object whose owner is still looked for; nothing is counted in it. */
enum { MP_GENERATION_PENDING = 1 };

typedef struct mp_generation {
    mp_context_id context;
    mp_snapshot_id born;
    mp_generation_id owner;           /* owner's generation, at birth; none: not known */
    uint32_t first_delta, last_delta; /* the oldest and the newest of its deltas */
    bool reusable;                    /* as its context */
    uint8_t marks;                    /* MP_BORN_... */
} mp_generation;

/* Further marks that distinguish objects that appear at one snapshot. */
enum {
    MP_BORN_BEFORE_REQUEST = 1, /* before the snapshot's request began: not its own */
    MP_BORN_BEYOND = 2,         /* out of the time that was asked for: model->within */
};

/* Numbers that belong together, with + and - by mp_cost_add. */
typedef struct mp_cost {
    int64_t created, deleted; /* objects */
    int64_t retyped;          /* objects that changed type: in minus out */
    /* Objects that were there without a creation (older than the recording, or in a dump) less
     * those that went without a deletion. */
    int64_t found;
    int64_t idle;          /* temp-tables not (yet) instantiated: change of their number */
    int64_t created_bytes; /* sizes at creation */
    int64_t bytes;         /* change of the bytes alive */
    int64_t temporary, temporary_bytes; /* part of `deleted` that lived but a moment */
} mp_cost;

typedef struct mp_delta {
    mp_generation_id generation;
    mp_snapshot_id snapshot;
    mp_cost cost;
} mp_delta;

/* A snapshot: a named moment of a session. */
typedef struct mp_snapshot {
    mp_session_id session;
    uint32_t ordinal; /* from 1, among the whole snapshots of its session */
    bool whole;       /* false: its end is missing, or it is later than what was asked for */
    uint64_t sequence;
    mp_string_id tag, request, request_api, propath;
    int64_t time_us, request_start_us;
    int64_t cpu_hundredths; /* percent of CPU, times 100 */
    int64_t overhead_bytes;
    uint64_t line;  /* line of its file at which it starts */
    uint32_t input; /* file of a dump, by its place in mp_model.inputs */
    bool asked;     /* a moment that the user asked for, between two snapshots */
    /* Start of the dump, by the recorder's own clock, and its duration. */
    bool has_clock, has_took;
    int64_t clock_us, took_us;
    /* Changes since the previous snapshot and live amounts, with reusable objects separate. */
    int64_t created_objects, deleted_objects, changed_objects;
    int64_t live_objects, live_bytes;
    int64_t reusable_objects, reusable_bytes;
    int64_t platform_bytes;
    bool has_platform;
    int64_t stated_peak_objects, class_depth; /* as the file says */
    /* The most alive at any event since the snapshot before; where there are events. */
    bool has_peak;
    int64_t peak_objects, peak_bytes, peak_time_us;
    /* The most that its request had alive at once of its own, since the snapshot before. */
    int64_t request_peak_objects, request_peak_bytes;
} mp_snapshot;

/* Return true if the snapshot's number can identify it in 32 bits: it is larger than that of
 * `before`, the previous snapshot, or NULL for the first. */
static inline bool mp_snapshot_number_rises(const mp_snapshot *before, const mp_snapshot *snapshot)
{
    return snapshot->sequence <= INT32_MAX && (!before || snapshot->sequence > before->sequence);
}

/* Roots of one kind in the object graph of a snapshot. */
typedef struct mp_root_count {
    mp_snapshot_id snapshot;
    uint32_t kind;
    int64_t roots, objects; /* records; distinct objects of them */
} mp_root_count;

/* Objects below the same types: a node of the dominator tree summed by type. Of a list, whose nodes
 * are of one type, all are in the node of its head. */
typedef struct mp_holder_place {
    uint64_t hash; /* hash of its type and those above */
    uint32_t up;   /* the place above, 0: none */
    uint32_t type, objects;
    uint32_t depth; /* types from the roots down to it */
    uint32_t held;  /* number of the last holding at the place */
} mp_holder_place;

#define MP_HELD_UNKNOWN UINT32_MAX

/* Amount that objects at one place, or roots of one kind, retain of one type or of all types. */
typedef struct mp_holding {
    uint64_t key, position; /* a hash of the place and the type; of the place */
    int64_t bytes;          /* bytes that it retains */
    uint32_t before; /* the same at the dump before, by its number; 0: nothing; MP_HELD_UNKNOWN */
    uint32_t place;  /* in mp_model.places, while that is of its dump; 0: roots */
    uint32_t type;   /* 0: of all types */
    mp_snapshot_id snapshot;
    uint32_t objects, holders;
} mp_holding;

/* An object as it was from one snapshot to another: kept where the objects themselves are asked for
 * (mp_load_options.keep_objects). Objects that lived between two snapshots only are left out. */
typedef struct mp_object {
    uint64_t id;
    int64_t bytes;
    mp_generation_id generation;
    mp_snapshot_id from;  /* the first snapshot at which it is so */
    mp_snapshot_id until; /* the first at which it is so no more; none: to the end */
} mp_object;

/* One area of the runtime's own memory at a snapshot. */
typedef struct mp_platform_sample {
    mp_snapshot_id snapshot;
    mp_platform_id platform;
    int64_t bytes, block_bytes, pool_bytes;
} mp_platform_sample;

/* One recorded session, what the file says of it. Strings are none where it says nothing. */
typedef struct mp_recorded_session {
    mp_string_id uuid, start_time, session_id, application, description, instance;
    mp_string_id openedge_version, user, date, directory, propath;
    mp_string_id transport; /* by which requests reach the agent that it is of */
    uint64_t process_id;
    bool has_process_id, reusable_apart;
    int64_t start_us;      /* start_time as microseconds since 1970, UTC; 0: not known */
    uint32_t snapshots;    /* whole ones */
    mp_string_id snapshot; /* that was named with its file (FILE@SNAPSHOT); none: no one was */
    mp_string_id file;     /* that file; where one was named */
} mp_recorded_session;

/* One file that was read. */
typedef struct mp_input_summary {
    const char *path;
    const char *format;   /* the reader's name */
    const char *packed;   /* by what, "gzip, tar" from the outside; NULL: it was not */
    const char *encoding; /* encoding of its text, "UTF-16LE"; NULL: as it was found */
    uint32_t format_version;
    mp_checksum checksum; /* checksum of the file, if it was asked for */
    uint64_t bytes, records;
    bool complete;   /* nothing of it was cut off, as far as that can be told */
    bool open_ended; /* nothing tells where it ends: whether all of it is there is not known */
} mp_input_summary;

/* A node of the complete call tree: equal stacks of all recordings are one node, parents before
 * their children. */
typedef struct mp_tree_node {
    uint32_t parent;     /* 0: a root */
    mp_symbol_id symbol; /* none: the node was never defined; `node` tells its number */
    uint32_t line;       /* line of the call, in the parent */
    mp_node_id node;     /* one node of the file that it stands for */
    uint32_t depth;      /* frames from it to its root, both counted; 0: it is no node */
    uint32_t allocators; /* the outermost of the allocators' own that go on from here; 0: none */
} mp_tree_node;

#define MP_LIST(type)                                                                              \
    struct {                                                                                       \
        type *items;                                                                               \
        uint32_t count; /* with the reserved element 0 */                                          \
        size_t capacity;                                                                           \
    }

typedef MP_LIST(mp_holder_place) mp_holder_places;

enum { MP_LONGEST_NAME = 64 * 1024 };

typedef struct mp_strings mp_strings;
struct mp_profile;
struct mp_graph;
struct mp_events;
struct mp_ages;

/* From a moment to another, both included; one that is not given is no bound. */
typedef struct mp_time_range {
    mp_moment since, until;
} mp_time_range;

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
    MP_LIST(mp_object) objects;         /* empty unless asked for */
    MP_LIST(mp_type_peak) type_peaks;   /* that files state; by session, snapshot */
    MP_LIST(mp_root_count) root_counts; /* roots of every graph that was read; by snapshot, kind */
    MP_LIST(mp_holding) holdings; /* holdings in graphs that others followed; by snapshot, key */
    mp_holder_places places;      /* places of the last of those graphs */
    MP_LIST(mp_input_summary) inputs;
    MP_LIST(mp_tree_node) tree; /* made by mp_model_build_tree */
    uint32_t *tree_of;          /* place of each node in `tree`; made by mp_model_build_tree */
    struct mp_profile *profile; /* NULL: no execution profile was read */
    struct mp_ages *ages;       /* NULL: how long objects lived was not kept */
    struct mp_events *events;   /* NULL: no log of heap events was read */
    bool dumps_by_stamp;        /* dumps stand in the order of their time stamps */
    struct mp_graph *graph;     /* graph of the last snapshot that has one; NULL: none has */
    /* Called when that of a later dump begins, to keep of it what must be kept. NULL: nothing. */
    void (*leave)(struct mp_model *model);
    /* Called at the end of each snapshot of a recording that is read while it is written, when all
     * is there that is said of it; what comes behind it is not there yet. NULL: nothing. */
    void (*tell)(void *opaque, mp_snapshot_id snapshot);
    void *tell_opaque;
    mp_kind kind;
    unsigned holds; /* capabilities: MP_HOLDS_... */
    bool knows_request_peaks;
    int64_t longest_name; /* in bytes; longer ones are cut; 0: MP_LONGEST_NAME */
    bool cut_names;       /* some were */
    /* The first dump that may be earlier than the one before it; NULL: none. */
    const char *misplaced;
    mp_time_range within; /* for which generations tell objects apart by their creation */
    struct mp_model_private *private;
} mp_model;

/* An empty model, for mp_load; not complete. Release with mp_model_free, after all that refers to
 * it.
 */
mp_model *mp_model_new(void);
void mp_model_free(mp_model *model);

/* The interned string; "" for none. Lives as long as the model. Always valid UTF-8. */
const char *mp_model_text(const mp_model *model, mp_string_id id);
/* NULL for none. */
static inline const char *mp_known_text(const mp_model *model, mp_string_id id)
{
    return id.i ? mp_model_text(model, id) : NULL;
}
/* Return true if the time of a snapshot is known: that of a dump may be, that of a database is not.
 */
static inline bool mp_snapshot_has_time(const mp_model *model, const mp_snapshot *snapshot)
{
    return model->holds & MP_HOLDS_BIRTHS || snapshot->time_us != 0;
}
/* Return true if a request created the objects of a generation, by the snapshot at which they
 * appear. */
static inline bool mp_generation_is_of_request(const mp_model *model,
                                               const mp_generation *generation)
{
    return model->snapshots.items[generation->born.i].request.i &&
           !(generation->marks & MP_BORN_BEFORE_REQUEST);
}
/* Return true if a snapshot with this tag is the one that reports use by default: whatever is
 * alive before a session cleans up has leaked. */
bool mp_model_is_clean_up(const mp_model *model, mp_string_id tag);
/* Return true if the tag is that of a process's last snapshot, after its clean-up. */
bool mp_model_is_exit(const mp_model *model, mp_string_id tag);
/* Return true if a snapshot with this tag is taken when a request ends. */
bool mp_model_is_request_end(const mp_model *model, mp_string_id tag);

/* Field by field. */
static inline mp_cost mp_cost_add(mp_cost a, mp_cost b)
{
    return (mp_cost){
        a.created + b.created, a.deleted + b.deleted,     a.retyped + b.retyped,
        a.found + b.found,     a.idle + b.idle,           a.created_bytes + b.created_bytes,
        a.bytes + b.bytes,     a.temporary + b.temporary, a.temporary_bytes + b.temporary_bytes};
}

/* Objects that a cost leaves alive. */
static inline int64_t mp_cost_live(mp_cost cost)
{
    return cost.created - cost.deleted + cost.retyped + cost.found;
}

#endif
