/* Analyses of an object graph: what keeps objects alive, and how much.
 *
 * An object dominates another if every path from the roots to the other leads through it. The
 * retained size of an object is the number of bytes that freeing it would release: the sizes of all
 * objects it dominates, including itself. Weak roots keep nothing alive. Results are released with
 * their _free function, or with free() if there is none; results that a view caches belong to the
 * view. */
#pragma once

#include "base/memory.h"
#include "model/graph.h"
#include "model/id_table.h"
#include "query/filter.h"
#include "query/group.h"
#include "query/labels.h"

/* --- dominators --- */

static inline bool mp_root_is_strong(const mp_root *root)
{
    return root->object && !(root->flags & MP_ROOT_WEAK);
}

/* The dominator tree in preorder: order[0] is the virtual root, order[1 .. reached] are the objects
 * that strong roots reach. order[i] dominates the objects order[i] to order[i + span[i] - 1],
 * including itself; its first child is order[i + 1], its next sibling order[i + span[i]].
 *
 *   order  [ 0 | 7 | 3 | 4 | 5 ]    7 dominates 3 and 4, but not 5
 *   span   [ 5 | 3 | 1 | 1 | 1 ] */
typedef struct mp_dominators {
    uint32_t *order, *span;
    uint32_t reached;
    uint32_t *idom; /* immediate dominator of each object; 0: the virtual root */
    /* Retained bytes by object; 0: not reached; [0]: bytes of all reached objects. */
    uint64_t *retained;
} mp_dominators;

#define MP_NOT_REACHED UINT32_MAX /* value of `idom` for an object that is not reached */

/* Return true if strong roots reach the object. */
static inline bool mp_is_reached(const mp_dominators *dominators, uint32_t object)
{
    return dominators->idom[object] != MP_NOT_REACHED;
}

/* Return an object that a walk over `order` will come to soon after a place, to prefetch its
 * members of arrays. */
static inline uint32_t mp_object_ahead(const mp_dominators *dominators, uint32_t place)
{
    enum { AHEAD_IN_ORDER = 16 };
    const uint32_t later = place + AHEAD_IN_ORDER;
    return dominators->order[later <= dominators->reached ? later : place];
}

/* Return the place of an object in `order`, by a linear search; 0: not reached. */
uint32_t mp_dominators_place(const mp_dominators *dominators, uint32_t object);

/* Compute the dominators with the semi-NCA algorithm: Loukas Georgiadis, "Linear-Time Algorithms
 * for Dominators and Related Problems", 2005, section 2, based on Lengauer and Tarjan, 1979. Takes
 * O(references * log(objects)) time at worst, without recursion, and 24 bytes per object and 4 per
 * reference to an object that the search found earlier. The result keeps 20 bytes per object. */
mp_dominators mp_dominators_of(const mp_graph *graph);
void mp_dominators_free(mp_dominators *dominators);

/* Return true if the object alone retains enough to be a suspect: over a tenth of all reached
 * bytes. */
static inline bool mp_retains_much(const mp_dominators *dominators, uint32_t object)
{
    return (double)dominators->retained[object] * 10 > (double)dominators->retained[0];
}

/* Return true if the object retains most (over 70 %) of the bytes that its dominator `above`
 * retains. */
static inline bool mp_retains_most(const mp_dominators *dominators, uint32_t object, uint32_t above)
{
    return (double)dominators->retained[object] * 100 > (double)dominators->retained[above] * 70;
}

/* --- retained sizes of groups --- */

/* Amount that freeing a whole group would release: the objects that roots reach only through the
 * group. Two objects that refer to a third one retain it together, although neither dominates
 * it. */
typedef struct mp_joint {
    int64_t objects, bytes; /* lower bounds, unless `exact` */
    uint32_t largest;       /* groups of roots: largest root object that only they reach; 0: none */
    bool exact;
} mp_joint;

typedef enum mp_groups_kind {
    MP_GROUPS_OF_TYPES,   /* all objects of certain types */
    MP_GROUPS_OF_HOLDERS, /* root objects of a type: nothing dominates them, and each alone is too
                             small to be a suspect */
    MP_GROUPS_OF_ROOTS,   /* strong roots */
    MP_GROUPS_OF_ROOTED,  /* objects that certain roots refer to */
} mp_groups_kind;

typedef struct mp_groups {
    mp_groups_kind kind;
    uint32_t count, members;
    uint32_t *group_of; /* 1 + the group of each of the `members` types or roots; 0: none */
    mp_joint *items;    /* results of the `count` groups */
} mp_groups;

/* --- a view of a graph --- */

/* The roots of each object. Few objects have roots: they are a set of bits. */
typedef struct mp_object_roots {
    mp_id_word *objects; /* objects with roots, 64 in a word */
    uint32_t *first;     /* ranges in `roots` of objects with roots, in their order */
    uint32_t *roots;     /* indexes in graph->roots, by object */
    uint32_t count;      /* number of roots that have an object */
} mp_object_roots;
mp_object_roots mp_roots_by_object(const mp_graph *graph);

/* Roots of an object: `count` indexes in graph->roots, which belong to an mp_object_roots. */
typedef struct mp_root_list {
    const uint32_t *items;
    uint32_t count;
} mp_root_list;

/* Return the range of an object that has roots. */
static inline uint32_t *mp_root_range(const mp_object_roots *roots, uint32_t object)
{
    const mp_id_word *word = &roots->objects[object / 64];
    const uint64_t below = word->bits & (((uint64_t)1 << object % 64) - 1);
    return &roots->first[word->before + mp_bits_set(below)];
}

static inline mp_root_list mp_roots_of(const mp_object_roots *roots, uint32_t object)
{
    if (!(roots->objects[object / 64].bits >> object % 64 & 1))
        return (mp_root_list){NULL, 0};
    const uint32_t *range = mp_root_range(roots, object);
    return (mp_root_list){roots->roots + range[0], range[1] - range[0]};
}
/* Return true if a root keeps the object alive. */
bool mp_is_rooted(const mp_graph *graph, const mp_object_roots *roots, uint32_t object);
/* Return true if the object is a global object: its references are global variables. */
bool mp_is_global(const mp_graph *graph, const mp_object_roots *roots, uint32_t object);
void mp_object_roots_free(mp_object_roots *roots);

/* Roots of one kind, and what they keep alive. */
typedef struct mp_root_census {
    uint32_t kind;
    int64_t roots,
        objects; /* number of root records, and of the distinct objects to which they refer */
    int64_t weak, pinned, interior; /* numbers of root records with this flag */
    int64_t bytes;                  /* bytes of these objects themselves */
    int64_t exclusive_bytes;        /* bytes that only this kind keeps alive; negative: unknown */
    int64_t exclusive_objects;
    uint32_t largest; /* largest root object that only this kind reaches; 0: none */
} mp_root_census;

/* Static roots of one declaring type, and what their objects retain together. */
typedef struct mp_static_census {
    mp_type_id container;
    int64_t roots, retained_bytes;
    uint32_t largest; /* root object that retains most */
    uint32_t group;   /* index in the groups of statics */
} mp_static_census;

typedef enum mp_suspect_rule {
    MP_SUSPECT_OBJECT,    /* one object retains over a tenth of the reachable bytes */
    MP_SUSPECT_FINALIZER, /* finalizer roots alone keep over a hundredth of the reachable bytes
                             alive */
    MP_SUSPECT_HANDLE,    /* handles alone keep over a tenth of the reachable bytes alive */
    MP_SUSPECT_TYPE, /* root objects of one type together keep over a tenth of the reachable bytes
                        alive */
} mp_suspect_rule;

typedef struct mp_suspect {
    mp_suspect_rule rule;
    uint32_t object;        /* suspect object; for other rules, the largest holder */
    uint32_t type;          /* type of that object */
    int64_t objects, bytes; /* number and bytes of the retained objects */
    /* number of objects that retain them: 1, or the number of objects of the type */
    int64_t holders;
    /* Accumulation point below a suspect object, where its retained size splits into many parts,
     * with the type and the amount of most of these parts. It is found by going down to the child
     * that retains over 70 % of what its parent retains, as long as there is one. The search stops
     * at the head of a list, where types begin to recur. */
    uint32_t accumulation; /* accumulation point; 0: the rule has none */
    uint32_t held_type;    /* type of the held objects; 0: nothing is below */
    int64_t held_objects, held_bytes;
} mp_suspect;

/* Objects directly below the virtual root that are not strong roots themselves, because objects of
 * several owners refer to them. They are grouped by the types of two referring objects: the first
 * two, in the order of the file, that have different owners. */
typedef struct mp_shared {
    uint32_t types[2];                        /* the smaller number first */
    int64_t objects, own_bytes;               /* number of shared objects and their own bytes */
    int64_t retained_objects, retained_bytes; /* including everything that they keep alive */
    uint32_t largest;
} mp_shared;

typedef struct mp_sharing {
    mp_shared total;  /* sum of the rows */
    mp_shared *items; /* most retained bytes first, then by type names */
    size_t count;
} mp_sharing;

/* Objects of one type or one namespace. */
typedef struct mp_histogram_row {
    const char *label;      /* belongs to the histogram */
    int64_t objects, bytes; /* all objects, including unreachable ones */
    int64_t reached_objects, reached_bytes;
    int64_t retained_bytes; /* retained together; a lower bound until settled */
    uint32_t largest;       /* object with the largest retained size; 0: none is reached */
    uint32_t group;         /* index in the histogram's groups */
} mp_histogram_row;

typedef struct mp_histogram {
    mp_histogram_row *items; /* rows with objects, sorted by label */
    uint32_t count;
    mp_groups groups;
    mp_arena *labels;
} mp_histogram;

/* Amounts of a whole graph; bytes are those of the objects themselves. */
typedef struct mp_graph_totals {
    int64_t objects, bytes;
    int64_t roots, roots_without_object;
    int64_t references, dangling_references, duplicate_objects;
    int64_t reachable_objects, reachable_bytes;
    int64_t unreachable_objects, unreachable_bytes;
    int64_t untracked_objects, untracked_bytes; /* objects whose reachability is unknown */
} mp_graph_totals;

/* References whose names an answer shows. */
typedef struct mp_reference_names {
    mp_named_reference *items;
    size_t count, capacity;
    bool are_read; /* the items are sorted, distinct, and have their names */
} mp_reference_names;

/* Graph of a model with the data that most questions need. Data that needs a pass over the whole
 * graph is computed on first use, by the functions below. */
typedef struct mp_graph_view {
    const mp_filter *filter; /* selects types */
    const mp_model *model;
    const mp_graph *graph;
    mp_dominators dominators;
    mp_graph_totals totals;
    mp_object_roots roots;
    mp_root_census *census;
    size_t census_count;
    mp_suspect *suspects;
    size_t suspect_count;
    mp_sharing sharing;
    struct mp_beside *sharer; /* computes the sharing on another thread; NULL: nothing does */
    mp_histogram types;
    mp_static_census *static_census;
    mp_groups kinds, statics; /* groups of roots: by kind, by declaring type */
    mp_groups holders;        /* groups of holders, by type number */
    struct mp_accumulation *accumulations;
    size_t accumulation_count;
    int64_t *accumulated; /* numbers of objects held in each dump, for the accumulations */
    /* Accumulations whose amount in the previous dump is unknown, largest first. */
    struct mp_accumulation *unknown;
    size_t unknown_count, unknown_capacity;
    uint32_t dump_count;
    struct mp_distances *distances;
    mp_reference_names names;
    mp_diagnostics
        *diagnostics; /* diagnostics of the answer; NULL: names of references are not read */
    bool has_census, has_suspects, has_sharing, has_accumulations;
} mp_graph_view;

/* Create a view of the filter's graph. The filter must have a graph and outlive the view. Release
 * with mp_graph_view_free. */
mp_graph_view mp_graph_view_of(const mp_filter *filter);
void mp_graph_view_free(mp_graph_view *view);

/* Return the bytes of all reachable objects. */
static inline int64_t mp_graph_reachable(const mp_graph_view *view)
{
    return (int64_t)view->dominators.retained[0];
}
/* Return true if objects of the type are selected. */
static inline bool mp_graph_selects(const mp_graph_view *view, uint32_t type)
{
    return mp_filter_has_type(view->filter, type);
}

/* Return the static roots by declaring type, sorted by retained bytes, largest first, then by type.
 * The sizes of the first `most` (0: all) are exact. */
const mp_static_census *mp_graph_statics(mp_graph_view *view, size_t most, size_t *count);
/* Create the groups of roots. Their retained sizes are not settled yet. */
void mp_graph_count_roots(mp_graph_view *view);
/* Return the roots by kind, sorted by exclusive bytes, largest first, then by kind. */
const mp_root_census *mp_graph_census(mp_graph_view *view, size_t *count);
/* Return the leak suspects, sorted by bytes, largest first, then by rule, then by object. If an
 * object that retains much dominates others that do, only one of them is a suspect: the outermost,
 * unless an inner one holds more objects of one type. */
const mp_suspect *mp_graph_suspects(mp_graph_view *view, size_t *count);
const mp_sharing *mp_graph_sharing(mp_graph_view *view);
/* Start to compute the sharing of a large graph in a second thread. It ends before
 * mp_graph_sharing, mp_graph_suspects or mp_graph_view_free returns. */
void mp_graph_share_ahead(mp_graph_view *view);
const mp_histogram *mp_graph_types(mp_graph_view *view);

/* Compute the exact retained sizes of the `count` groups in `which` (NULL: all groups). With
 * `most`, only the `most` largest groups need an exact size; with `least`, only those that retain
 * at least `least` bytes do. Any other group may keep a lower bound, which is below the size of
 * each group that counts. O(references) per 63 groups, or per fewer if few are wanted. */
void mp_groups_settle(mp_graph_view *view, mp_groups *groups, const uint32_t *which, uint32_t count,
                      size_t most, int64_t least);
/* Compute lower bounds of the retained sizes of groups of types or of root objects, and upper
 * bounds in `most`, one per group (INT64_MAX: unknown). A group whose bounds are equal is settled.
 * O(references), with a constant factor, because only a few objects are examined above each
 * object. */
void mp_groups_bound(mp_graph_view *view, mp_groups *groups, int64_t *most);
void mp_groups_free(mp_groups *groups);

/* Return the totals of a graph. `dominators` may be NULL; reachable objects are then searched. */
mp_graph_totals mp_graph_totals_of(const mp_graph *graph, const mp_dominators *dominators);

/* --- objects and groups of objects --- */

typedef enum mp_histogram_kind {
    MP_HISTOGRAM_OF_TYPES,
    MP_HISTOGRAM_OF_NAMESPACES,
} mp_histogram_kind;

/* Return the histogram. Retained sizes are lower bounds; the caller settles those it needs. */
mp_histogram mp_histogram_of(const mp_graph_view *view, mp_histogram_kind kind);
/* Compute the exact retained sizes of rows of the histogram, like mp_groups_settle, and store them
 * in the rows. */
void mp_histogram_settle(mp_graph_view *view, mp_histogram *histogram, mp_histogram_row *rows,
                         uint32_t count, size_t most, int64_t least);
void mp_histogram_free(mp_histogram *histogram);

/* Return the objects with the largest retained sizes, largest first, then by id. Objects qualify if
 * they are selected, reached and retain at least `least` bytes; at most `most` of them are returned
 * (0: all). *count is the number returned, *totals the number that qualify. Release with free(). */
uint32_t *mp_retained_order(const mp_graph_view *view, int64_t least, size_t most, size_t *count,
                            size_t *totals);

/* Return the object with this id, written as in the file, or as DevTools show it (@103); the first,
 * if it occurs in several domains. Return 0 if there is none, or the text is not an id. */
uint32_t mp_graph_find(const mp_graph *graph, const char *id);
/* Compare objects by id, then by number (mp_object_compare), or by retained size, largest first,
 * then by id (mp_retained_compare). */
int mp_object_compare(const mp_graph *graph, uint32_t a, uint32_t b);
int mp_retained_compare(const mp_graph_view *view, uint32_t a, uint32_t b);
/* Return the domain of an object, an index in graph->domains; 0: none. */
uint32_t mp_domain_of(const mp_graph *graph, uint32_t object);

/* Return the owner of an object. Starting at the object, go up to its dominator as long as the
 * lower object retains most (over 70 %) of what the upper one retains; the owner is the last object
 * reached. */
uint32_t mp_owner_of(const mp_graph_view *view, uint32_t object);

/* Return a flag for each object: true if the name of its type matches the glob. Release with
 * free(). */
bool *mp_objects_of_types(const mp_model *model, const mp_graph *graph, const char *glob);
/* Return a flag for each object: true if it matches one of the patterns, which are globs for type
 * names or the id of an object. Release with free(). */
bool *mp_objects_matching(const mp_model *model, const mp_graph *graph, const char *const *patterns,
                          size_t count);

/* Node of the dominator tree summed by type or namespace. Objects of one group below the same node
 * share a node. So do objects of one group directly below each other, as in linked lists. Nodes are
 * in preorder, siblings by retained size, largest first, then by label. */
typedef struct mp_dominator_group {
    const char *label;
    int64_t objects, bytes;                   /* number and own bytes of the objects of the node */
    int64_t retained_objects, retained_bytes; /* including everything below */
    uint32_t depth, span;                     /* span: number of nodes below, including itself */
    uint32_t largest;                         /* object of the node that retains most */
} mp_dominator_group;

typedef struct mp_dominator_groups {
    mp_dominator_group *items;
    uint32_t count;
    mp_histogram histogram; /* owner of the labels */
} mp_dominator_groups;

/* Return the groups, in preorder. Release with mp_dominator_groups_free. */
mp_dominator_groups mp_dominator_groups_of(const mp_graph_view *view, mp_histogram_kind kind);
void mp_dominator_groups_free(mp_dominator_groups *groups);

/* --- names of the references that an answer shows ---
 *
 * They are read from the input in one pass, so an answer first collects all references. */

/* Collect a reference between two objects of the view. Nothing is collected if the view has no
 * `diagnostics`, or the format has no names. */
void mp_reference_want(mp_graph_view *view, uint32_t from, uint32_t to);
/* Read the names of all collected references, once; the texts belong to the arena. Names that
 * cannot be read are reported to view->diagnostics. */
void mp_references_read(mp_graph_view *view, mp_arena *texts);
/* Return the name of a reference: ".price", "[17]"; NULL if it is not known. */
const char *mp_reference_name(const mp_graph_view *view, uint32_t from, uint32_t to);

/* --- texts, which belong to the arena or the model --- */

/* Return an id as in the file; "" for 0. */
const char *mp_object_id_text(mp_arena *arena, const mp_graph *graph, uint32_t object);
const char *mp_type_text(mp_arena *arena, const mp_model *model, uint32_t type);
/* Return type and id of an object: "App.Cache 7f3a". */
const char *mp_object_text(mp_arena *arena, const mp_graph_view *view, uint32_t object);
/* Return the name of a kind of roots: "static", "kind 7", or that in the format. */
const char *mp_root_kind_text(mp_arena *arena, const mp_model *model, uint32_t kind);
/* Return the kind of a root, with the name that the format gives it: "static field LIST of
 * App.Cache", "static in App.Cache", "local App.main (App.java:12)". */
const char *mp_root_text(mp_arena *arena, const mp_model *model, const mp_root *root);
/* Return the flags of a root: "pinned+interior+0x10"; "" for none. */
const char *mp_root_flags_text(mp_arena *arena, uint32_t flags);
/* Return the kinds of the roots that keep an object alive (with `weak`, the kinds of its weak
 * roots), ordered by number and joined by "+"; "" if it has none. */
const char *mp_object_roots_text(mp_arena *arena, const mp_graph_view *view, uint32_t object,
                                 bool weak);

/* Compare types by name, bytewise. */
int mp_type_compare(const mp_model *model, mp_type_id a, mp_type_id b);

/* --- objects related to given objects, by type --- */

typedef struct mp_type_link {
    uint32_t type;      /* type of the objects; 0: no object */
    int64_t objects;    /* number of objects */
    int64_t bytes;      /* their own bytes */
    int64_t references; /* references to or from the given objects */
    int64_t dominated;  /* number of given objects that are dominated by objects of this type */
    int64_t dominated_bytes; /* own bytes of the dominated objects */
} mp_type_link;

/* Related objects by type: most objects first, then most bytes, then by type name. */
typedef struct mp_type_links {
    mp_type_link *items;
    size_t count;
} mp_type_links;

/* Return the types of the objects that refer to given objects. `asked` has a flag for each
 * object. */
mp_type_links mp_referrers_of(const mp_graph_view *view, const bool *asked);
/* Return the types of the objects that dominate given objects. Each given object counts for its
 * nearest dominator that is not in `skipped`. Both arrays have a flag for each object. Only reached
 * objects count; type 0 stands for no dominator. Most dominated bytes first. */
mp_type_links mp_holders_of(const mp_graph_view *view, const bool *asked, const bool *skipped);
/* Return the types of all objects that freeing the given objects would release. Most bytes
 * first. */
mp_type_links mp_retained_of(const mp_graph_view *view, const bool *asked);
void mp_type_links_free(mp_type_links *links);
