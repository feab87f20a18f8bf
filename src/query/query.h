/* Analyses of a heap: windows between two snapshots, groupings, leaks, the call tree.
 *
 * All are arithmetic on the ledger of a complete model (see model.h). A result owns its arrays and
 * is released with its _free function; labels in it live as long as the result. Objects that the
 * runtime keeps for reuse are left out of everything but the totals' own fields for them. */
#ifndef MP_QUERY_QUERY_H
#define MP_QUERY_QUERY_H

#include "base/error.h"
#include "memprof/diagnostics.h"
#include "model/events.h"
#include "model/model.h"
#include "query/filter.h"

/* --- windows --- */

/* From one snapshot to another of one session; none where the session has no whole snapshot. */
typedef struct mp_range {
    mp_snapshot_id from, to;
    bool all_new; /* a database with one moment alone: nothing tells what is older */
} mp_range;

/* One range for each session, by session id. */
typedef struct mp_window {
    const mp_model *model;
    mp_range *ranges;
    struct mp_suppressed *suppressed; /* leaks that are accepted; NULL: none, see suppression.h */
} mp_window;

/* Resolve what a user says of a snapshot: its sequence number, its tag (the first of that name; or
 * tag#k, the k-th), "first", "last", "peak" (most bytes alive). NULL: `from` is the first snapshot,
 * `to` the one that was named with the file (FILE@SNAPSHOT), else the last _PreCleanUp if there is
 * one, else the last. In every session that has snapshots. False with a message in `error` if there
 * is no such snapshot or `from` is later than `to`; else release with mp_window_free. */
bool mp_window_resolve(const mp_model *model, const char *from, const char *to, mp_window *window,
                       mp_error *error);
void mp_window_free(mp_window *window);

/* Release with mp_session_snapshots_free. */
mp_session_snapshots mp_session_snapshots_of(const mp_model *model);
void mp_session_snapshots_free(mp_session_snapshots *snapshots);
/* The snapshot with the most bytes alive, of equal ones the first; 0: the session has none. */
uint32_t mp_session_peak(const mp_model *model, const mp_session_snapshots *snapshots,
                         uint32_t session);

/* End each session at the snapshot that was named with its file, if one was: what is later is no
 * whole snapshot any more. Before anything else is asked of a complete model. False with a
 * diagnostic where there is no such snapshot, or --at is behind it: that session has no snapshots
 * then. */
bool mp_sessions_cut(mp_model *model, mp_diagnostics *diagnostics);

/* Whether a snapshot is at or before the window's `from`, or `to`. */
bool mp_window_before_from(const mp_window *window, mp_snapshot_id snapshot);
bool mp_window_before_to(const mp_window *window, mp_snapshot_id snapshot);
/* Whether objects of this context that were born at this snapshot leak if they are alive at `to`:
 * they are younger than `from` and not suppressed. */
bool mp_window_leaks(const mp_window *window, mp_context_id context, mp_snapshot_id born);

/* --- totals --- */

typedef struct mp_totals {
    int64_t live_objects, live_bytes; /* at `to` */
    int64_t created_objects, created_bytes, deleted_objects;
    int64_t peak_objects, peak_bytes; /* over all snapshots; of several sessions, added */
    int64_t reusable_objects, reusable_bytes;
    int64_t from_objects, from_bytes; /* alive at `from` */
    bool has_reusable;                /* the format tells reusable objects apart */
    /* Objects that ceased to be reusable less those that became so while they lived:
     * live = created - deleted + retyped. */
    int64_t retyped_objects;
    int64_t leaked_objects, leaked_bytes;       /* created after `from`, alive at `to` */
    int64_t temporary_objects, temporary_bytes; /* of the deleted; where there are events */
} mp_totals;

/* Of all sessions together. */
mp_totals mp_totals_of(const mp_window *window);

/* --- groupings --- */

/* What generations have in common; equal keys are one group. */
typedef struct mp_key {
    uint64_t a, b;
} mp_key;

typedef struct mp_dimension {
    const char *name;
    const char *summary;
    mp_key (*key)(const mp_model *model, const mp_generation *generation);
    /* Writes the group's name; `generation` is any of the group. Returns as snprintf does. */
    int (*label)(const mp_model *model, const mp_generation *generation, char *text, size_t size);
    bool of_context; /* the key depends on the generation's context alone: inclusive bytes can be
                        told */
    /* By every frame of a stack: an object is in the groups of all functions on it, once in each.
     * Such groups do not add up. `key` and `label` are then of tree nodes. */
    bool of_frames;
    unsigned kinds; /* 1 << mp_kind for each that has such a thing; 0: all have */
} mp_dimension;

/* All dimensions; a new one is a row of the table in src/analysis/dimensions.c. */
const mp_dimension *mp_dimensions(size_t *count);
const mp_dimension *mp_dimension_find(const char *name);
/* Whether recordings of this kind have such a thing. */
bool mp_dimension_fits(const mp_dimension *dimension, const mp_model *model);

typedef struct mp_group {
    const char *label;
    mp_generation_id example; /* the first generation of the group */
    uint32_t node;            /* of the example, in model->tree */
    mp_cost from, to;         /* all that happened up to the window's ends */
    mp_cost leaked;           /* of generations born after `from`, up to `to` */
    int64_t inclusive_bytes;  /* alive at `to`, with all that is scoped to the group */
    int64_t pool_objects;     /* leaked and scoped to the session's unnamed widget pool */
    int64_t owned_by_leak;    /* leaked and scoped to what was born after `from` too */
    mp_peak_share at_peak;    /* alive when most bytes were; where there are events */
    uint32_t grew, moments;   /* snapshots at which `leaked` grew, of those that created anything */
    uint32_t grew_sessions;   /* in which it grew at all */
} mp_group;

/* Grew at most once in each session, as a cache does that fills and stays. */
static inline bool mp_group_grew_once(const mp_group *group)
{
    return group->grew <= group->grew_sessions;
}

typedef struct mp_grouping {
    mp_group *groups; /* those with anything in them */
    uint32_t count;
    bool has_scope;     /* objects have owners: inclusive_bytes means something */
    uint32_t *group_of; /* of each generation, its place in groups before any sort, + 1 */
    /* Of dimensions of frames in place of group_of: of each tree node. A sort moves groups but not
     * these numbers; a group's is still that of its example, or of its node. */
    uint32_t *group_of_node;
    void *private;
} mp_grouping;

/* Group the window. Sums of every field but inclusive_bytes over all groups are the window's, but
 * for dimensions of frames, which leave what belongs to owners at 0. `grew`, `grew_sessions` and
 * `moments` are 0. */
mp_grouping mp_group_by(const mp_window *window, const mp_dimension *dimension);
/* The same with `grew`, `grew_sessions` and `moments`, which take two more walks over all that
 * happened; not for dimensions of frames. */
mp_grouping mp_group_growth(const mp_window *window, const mp_dimension *dimension);
void mp_grouping_free(mp_grouping *grouping);

/* Orders of groups; each is total, by label at last. */
typedef int mp_group_order(const mp_group *a, const mp_group *b);
mp_group_order mp_order_by_bytes;     /* alive at `to` */
mp_group_order mp_order_by_objects;   /* alive at `to` */
mp_group_order mp_order_by_inclusive; /* bytes alive at `to`, with what is scoped to them */
mp_group_order mp_order_by_created;
mp_group_order mp_order_by_deleted;
mp_group_order mp_order_by_allocated;      /* bytes created */
mp_group_order mp_order_by_peak;           /* bytes alive when most were */
mp_group_order mp_order_by_temporary;      /* bytes */
mp_group_order mp_order_by_change;         /* of bytes, largest absolute value first */
mp_group_order mp_order_by_change_objects; /* of objects, likewise */
mp_group_order mp_order_by_label;
void mp_grouping_sort(mp_grouping *grouping, mp_group_order *order);

/* --- leaks --- */

typedef struct mp_leak {
    uint32_t rank; /* from 1, in the first order */
    const char *type;
    const char *name; /* NULL: none, or not the same for all */
    bool names_differ;
    mp_type_class class;
    const mp_inference *inference; /* of the type, of the model; NULL: the recording tells it */
    uint32_t node;                 /* place in model->tree; 0: outside the program's code */
    uint32_t line;                 /* of creation */
    mp_group group;
} mp_leak;

typedef struct mp_leaks {
    mp_leak *at;
    uint32_t count;
    int64_t objects, bytes;
    void *private;
} mp_leaks;

/* What was created after `from` and is alive at `to`, by allocation site; bytes descending, then
 * objects descending, type, stack, line. */
mp_leaks mp_leaks_find(const mp_window *window);
void mp_leaks_free(mp_leaks *leaks);
typedef int mp_leak_order(const mp_leak *a, const mp_leak *b);
/* Another order of the same; ties keep the first order. */
void mp_leaks_sort(mp_leaks *leaks, mp_leak_order *order);

/* --- the call tree --- */

/* Labels return their whole length and write what fits, as snprintf does; NULL and 0 ask for the
 * length. To go on behind `used` characters: */
char *mp_label_rest(char *text, size_t size, int used);
size_t mp_label_room(size_t size, int used);

/* The type of a context's objects: of living blocks of an event log, the one that is inferred; and
 * the one type by which an allocation site is called. None: not known. */
mp_type_id mp_context_type(const mp_model *model, const mp_context *context);
mp_type_id mp_site_type(const mp_model *model, const mp_context *context);
/* How sure the latter is; NULL: the recording tells it. The model's own. */
const mp_inference *mp_context_inference(const mp_model *model, const mp_context *context);

/* The source of a tree node, "(session)" for 0, "<node 7>" if nothing is known of it. */
int mp_tree_label(const mp_model *model, uint32_t node, char *text, size_t size);
/* The name of a symbol; "<name 12>" if it was never defined. Returns as snprintf does. */
int mp_symbol_label(const mp_model *model, mp_symbol_id symbol, char *text, size_t size);
int mp_type_label(const mp_model *model, mp_type_id type, char *text, size_t size);

/* A walk along a stack, innermost frame first: start with the node and line of creation. */
typedef struct mp_frame {
    uint32_t node;
    uint32_t line;
} mp_frame;
/* "name:line" of the frame. */
int mp_frame_label(const mp_model *model, mp_frame frame, char *text, size_t size);
/* The caller's frame; false at the root. */
bool mp_frame_caller(const mp_model *model, mp_frame *frame);
/* The innermost frame that is not an allocator's own; the frame itself where all are. */
mp_frame mp_frame_naming(const mp_model *model, mp_frame frame);
/* The class of the innermost member function ("TList<int>" of "TList<int>::Add(int)") on the stack
 * above `frame`. Returns as snprintf does; 0: none is. */
int mp_class_label(const mp_model *model, mp_frame frame, char *text, size_t size);

typedef struct mp_tree_cost {
    int64_t own_objects, own_bytes;             /* created by the node itself, alive at `to` */
    int64_t inclusive_objects, inclusive_bytes; /* with what it called */
} mp_tree_cost;

/* By place in model->tree; [0] is the session. Release with free(). */
mp_tree_cost *mp_tree_costs(const mp_window *window);

/* --- the runtime's own memory --- */

/* One area at the first and last whole snapshot and at most; of several sessions, added up. */
typedef struct mp_platform_area {
    mp_platform_id platform; /* 0: areas that are not in the catalogue */
    int64_t first_bytes, last_bytes, peak_bytes;
    int64_t block_bytes, pool_bytes; /* at the last snapshot */
} mp_platform_area;

/* By platform id, model->platforms.count of them. Release with free(). */
mp_platform_area *mp_platform_areas_of(const mp_model *model);

/* The area that grew most from one end of the window to the other, and by how many bytes; 0 if none
 * grew. */
mp_platform_id mp_platform_growing(const mp_window *window, int64_t *growth);

#endif
