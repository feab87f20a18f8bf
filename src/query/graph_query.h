/* Analyses of an object graph: what keeps what alive, and how much.
 *
 * An object dominates another if every path from the roots to it leads through the first. The
 * retained size of an object is the bytes that would go if it went: the sizes of all that it
 * dominates, itself included. Weak roots keep nothing alive. All results are released with their
 * _free function, or with free() where there is none; what a view remembers is the view's. */
#ifndef MP_QUERY_GRAPH_QUERY_H
#define MP_QUERY_GRAPH_QUERY_H

#include "base/memory.h"
#include "model/graph.h"
#include "query/filter.h"
#include "query/group.h"
#include "query/labels.h"

/* --- dominators --- */

static inline bool mp_root_is_strong(const mp_root *root)
{
    return root->object && !(root->flags & MP_ROOT_WEAK);
}

/* The dominator tree in preorder: order[0] is the virtual root, order[1 .. reached] the objects
 * that strong roots reach. What order[i] dominates, itself included, is order[i] to order[i +
 * span[i] - 1]; its first child is order[i + 1], the sibling behind it order[i + span[i]].
 *
 *   order  [ 0 | 7 | 3 | 4 | 5 ]    7 dominates 3 and 4; 5 is apart
 *   span   [ 5 | 3 | 1 | 1 | 1 ]
 */
typedef struct mp_dominators {
    uint32_t *order, *span;
    uint32_t reached;
    uint32_t *idom;     /* immediate dominator of each object; 0: the virtual root */
    uint64_t *retained; /* bytes, by object; 0: not reached; [0]: sum of all objects reached */
} mp_dominators;

#define MP_NOT_REACHED UINT32_MAX /* in place of a dominator */

/* Return true if strong roots reach the object. */
static inline bool mp_is_reached(const mp_dominators *dominators, uint32_t object)
{
    return dominators->idom[object] != MP_NOT_REACHED;
}

/* The place of an object in `order`; 0: it is not reached. A search. */
uint32_t mp_dominators_place(const mp_dominators *dominators, uint32_t object);

/* By the semi-NCA algorithm: Loukas Georgiadis, "Linear-Time Algorithms for Dominators and Related
 * Problems", 2005, section 2; after Lengauer and Tarjan, 1979. O(references * log(objects)) at
 * worst, without recursion. Takes 24 bytes an object and 4 a reference, 20 an object of them to
 * stay. */
mp_dominators mp_dominators_of(const mp_graph *graph);
void mp_dominators_free(mp_dominators *dominators);

/* Return true if the object alone retains enough to be a suspect: over a tenth of all reached
 * bytes. */
static inline bool mp_retains_much(const mp_dominators *dominators, uint32_t object)
{
    return (double)dominators->retained[object] * 10 > (double)dominators->retained[0];
}

/* Return true if the object keeps most, over 70 %, of the bytes retained by an object that
 * dominates it. */
static inline bool mp_retains_most(const mp_dominators *dominators, uint32_t object, uint32_t above)
{
    return (double)dominators->retained[object] * 100 > (double)dominators->retained[above] * 70;
}

/* --- what groups retain --- */

/* Amount released if all of a group is removed: objects that roots reach only through the group.
 * Two objects that share a third retain it together, although neither dominates it. */
typedef struct mp_joint {
    int64_t objects, bytes; /* as long as it is not exact: at least so many */
    uint32_t largest; /* largest root object (retained) that only these roots reach; 0: none */
    bool exact;
} mp_joint;

typedef enum mp_groups_kind {
    MP_GROUPS_OF_TYPES,   /* all objects of some types */
    MP_GROUPS_OF_HOLDERS, /* objects of some types: roots refer to them, nothing dominates them, and
                             none retains much alone */
    MP_GROUPS_OF_ROOTS,   /* strong roots */
    MP_GROUPS_OF_ROOTED,  /* objects of roots */
} mp_groups_kind;

typedef struct mp_groups {
    mp_groups_kind kind;
    uint32_t count, members;
    uint32_t *group_of; /* group of each of `members` types or roots, + 1; 0: none */
    mp_joint *items;    /* `count` of them */
} mp_groups;

/* --- a view of a graph --- */

/* The roots of each object. */
typedef struct mp_object_roots {
    uint32_t *first; /* count + 2 elements, as mp_graph's */
    uint32_t *roots; /* places in graph->roots */
} mp_object_roots;
mp_object_roots mp_roots_by_object(const mp_graph *graph);
/* Return true if a root keeps the object alive. */
bool mp_is_rooted(const mp_graph *graph, const mp_object_roots *roots, uint32_t object);
void mp_object_roots_free(mp_object_roots *roots);

/* The roots of one kind and the amount they hold. */
typedef struct mp_root_census {
    uint32_t kind;
    int64_t roots, objects;         /* root records; distinct objects of them */
    int64_t weak, pinned, interior; /* records with that flag */
    int64_t bytes;                  /* bytes of the objects themselves */
    int64_t exclusive_bytes;        /* reached from strong roots of this kind alone: what
                                       would go if all of them went; below 0: not known */
    int64_t exclusive_objects;
    uint32_t largest; /* root object that only this kind reaches and that retains most; 0: none */
} mp_root_census;

/* Static roots by the type that declares them: how many, and what their objects retain together. */
typedef struct mp_static_census {
    mp_type_id container;
    int64_t roots, retained_bytes;
    uint32_t largest; /* that retains most */
    uint32_t group;   /* its place in the groups of statics */
} mp_static_census;

typedef enum mp_suspect_rule {
    MP_SUSPECT_OBJECT,    /* one object retains over a tenth of the reachable bytes */
    MP_SUSPECT_FINALIZER, /* finalizer roots alone hold over a hundredth */
    MP_SUSPECT_HANDLE,    /* handles alone hold over a tenth */
    MP_SUSPECT_TYPE,      /* objects of one type that roots refer to, and that nothing dominates, do
                             together, and none of them alone; behind handles that are the same */
} mp_suspect_rule;

typedef struct mp_suspect {
    mp_suspect_rule rule;
    uint32_t object;        /* suspect object; for other rules, the largest of the holders */
    uint32_t type;          /* type of that object */
    int64_t objects, bytes; /* retained: how many objects, how many bytes */
    int64_t holders;        /* objects that retain it: 1, or those of the type */
    /* Below a suspect object: the object at which what it retains falls apart into many, and how
     * many of what type it holds there. The way down goes on while one child keeps over 70 % of
     * what its parent retains, and ends where types begin to recur: at the head of a list. */
    uint32_t accumulation; /* 0: not of this rule */
    uint32_t held_type;    /* 0: nothing is below it */
    int64_t held_objects, held_bytes;
} mp_suspect;

/* Objects that hang directly below the virtual root without being strong roots themselves: what
 * refers to them has several owners. By the types of two objects that refer to it and have
 * different owners, the first two in the order of the file. */
typedef struct mp_shared {
    uint32_t types[2];                        /* the smaller number first */
    int64_t objects, own_bytes;               /* number and bytes of shared objects */
    int64_t retained_objects, retained_bytes; /* with all that those keep alive */
    uint32_t largest;
} mp_shared;

typedef struct mp_sharing {
    mp_shared total;  /* the sum of the rows */
    mp_shared *items; /* most retained bytes first, then by the types' names */
    size_t count;
} mp_sharing;

/* Objects that have something in common: a type, a namespace. */
typedef struct mp_histogram_row {
    const char *label;      /* lives as long as the histogram */
    int64_t objects, bytes; /* all of them, also what is not reached */
    int64_t reached_objects, reached_bytes;
    int64_t retained_bytes; /* together; where it is not settled, at least so many */
    uint32_t largest;       /* the object of it that retains most; 0: none is reached */
    uint32_t group;         /* its place in the histogram's groups */
} mp_histogram_row;

typedef struct mp_histogram {
    mp_histogram_row *items; /* those with objects; by label */
    uint32_t count;
    mp_groups groups;
    mp_arena *labels;
} mp_histogram;

/* The graph of a model with what most questions about it need. What takes a walk over all of it is
 * made when it is asked for the first time, by the functions below. */
typedef struct mp_graph_view {
    const mp_filter *filter; /* tells which types are selected */
    const mp_model *model;
    const mp_graph *graph;
    mp_dominators dominators;
    mp_object_roots roots;
    mp_root_census *census;
    size_t census_count;
    mp_suspect *suspects;
    size_t suspect_count;
    mp_sharing sharing;
    mp_histogram types;
    mp_static_census *static_census;
    mp_groups kinds, statics; /* groups of roots: by kind, by container */
    mp_groups holders;        /* groups of holders, by number of their type */
    struct mp_accumulation *accumulations;
    size_t accumulation_count;
    int64_t *accumulated; /* that these refer to: of each dump */
    /* Those of which it is not known what they held in the dump before the last, largest first. */
    struct mp_accumulation *unknown;
    size_t unknown_count, unknown_capacity;
    uint32_t dump_count;
    struct mp_distances *distances;
    bool has_census, has_suspects, has_sharing, has_accumulations;
} mp_graph_view;

/* The filter must have a graph, and outlive the view. */
mp_graph_view mp_graph_view_of(const mp_filter *filter);
void mp_graph_view_free(mp_graph_view *view);

/* All reachable bytes. */
static inline int64_t mp_graph_reachable(const mp_graph_view *view)
{
    return (int64_t)view->dominators.retained[0];
}
/* Return true if objects of the type are selected. */
static inline bool mp_graph_selects(const mp_graph_view *view, uint32_t type)
{
    return mp_filter_has_type(view->filter, type);
}

/* Bytes descending, then type; of `count` the first `most` are settled (0: all). */
const mp_static_census *mp_graph_statics(mp_graph_view *view, size_t most, size_t *count);
/* Make the groups of roots, which are not settled yet. */
void mp_graph_count_roots(mp_graph_view *view);
/* By exclusive bytes descending, then kind. */
const mp_root_census *mp_graph_census(mp_graph_view *view, size_t *count);
/* By bytes descending, then rule, then object. No object that a suspect object dominates is one: of
 * those that retain much the outermost that holds many of a type is the suspect, unless one below
 * it holds more of one. */
const mp_suspect *mp_graph_suspects(mp_graph_view *view, size_t *count);
const mp_sharing *mp_graph_sharing(mp_graph_view *view);
const mp_histogram *mp_graph_types(mp_graph_view *view);

/* Make it exact what groups retain: those of `which` (NULL: all), `count` of them. Where `most` or
 * `least` is not 0, those that are not among the `most` that retain most, or retain less than
 * `least`, may stay as they are: what is then known of them is less than of any that counts.
 * O(references) for each 63 groups, or fewer where few are asked for. */
void mp_groups_settle(mp_graph_view *view, mp_groups *groups, const uint32_t *which, uint32_t count,
                      size_t most, int64_t least);
/* Find lower bounds of the retained sizes of groups of types or of root objects, and upper
 * bounds (`most`, one for each; INT64_MAX: unknown). A group whose bounds are equal is settled.
 * O(references), plus as many for a few objects above each. */
void mp_groups_bound(mp_graph_view *view, mp_groups *groups, int64_t *most);
void mp_groups_free(mp_groups *groups);

typedef struct mp_graph_totals {
    int64_t objects, bytes;
    int64_t roots, roots_without_object;
    int64_t references, dangling_references, duplicate_objects;
    int64_t reachable_objects, reachable_bytes;
    int64_t unreachable_objects, unreachable_bytes;
    int64_t untracked_objects, untracked_bytes; /* neither is known of these */
} mp_graph_totals;

/* `dominators`: NULL where they are not at hand; what is reached is then searched for. */
mp_graph_totals mp_graph_totals_of(const mp_graph *graph, const mp_dominators *dominators);

/* --- objects and groups of them --- */

typedef enum mp_histogram_kind {
    MP_HISTOGRAM_OF_TYPES,
    MP_HISTOGRAM_OF_NAMESPACES,
} mp_histogram_kind;

/* Return the histogram. The caller settles the retained sizes it needs. */
mp_histogram mp_histogram_of(const mp_graph_view *view, mp_histogram_kind kind);
/* Settle rows of the histogram, as mp_groups_settle, and say so in them. */
void mp_histogram_settle(mp_graph_view *view, mp_histogram *histogram, mp_histogram_row *rows,
                         uint32_t count, size_t most, int64_t least);
void mp_histogram_free(mp_histogram *histogram);

/* The objects that retain most, retained bytes descending, then id: at most `most` (0: all) of
 * those that are reached, selected and retain `least` bytes. `count` of them, of `totals` such. */
uint32_t *mp_retained_order(const mp_graph_view *view, int64_t least, size_t most, size_t *count,
                            size_t *totals);

/* The object of this id, as the format writes ids. With several of one id (in domains), the first.
 * 0: there is none, or the text is no id. */
uint32_t mp_graph_find(const mp_graph *graph, const char *id);
/* Orders of objects: by id as in the file, then number; those that retain most first, then so. */
int mp_object_compare(const mp_graph *graph, uint32_t a, uint32_t b);
int mp_retained_compare(const mp_graph_view *view, uint32_t a, uint32_t b);
/* The domain of an object, a place in graph->domains; 0: none. */
uint32_t mp_domain_of(const mp_graph *graph, uint32_t object);

/* The dominator tree summed by type or namespace: objects below the same ones are one node. Of one
 * group several times in a row, as in linked lists, all are in one node. In preorder, the node that
 * retains most first, then by label. */
typedef struct mp_dominator_group {
    const char *label;
    int64_t objects, bytes;                   /* in the node, their own */
    int64_t retained_objects, retained_bytes; /* with all that is below */
    uint32_t depth, span;                     /* span: nodes below it, itself included */
} mp_dominator_group;

typedef struct mp_dominator_groups {
    mp_dominator_group *items;
    uint32_t count;
    mp_histogram histogram; /* that labels are of */
} mp_dominator_groups;

mp_dominator_groups mp_dominator_groups_of(const mp_graph_view *view, mp_histogram_kind kind);
void mp_dominator_groups_free(mp_dominator_groups *groups);

/* --- texts, in the arena --- */

/* An id as in the file; "" for 0. */
const char *mp_object_id_text(mp_arena *arena, const mp_graph *graph, uint32_t object);
const char *mp_type_text(mp_arena *arena, const mp_model *model, uint32_t type);
/* "App.Cache 7f3a" */
const char *mp_object_text(mp_arena *arena, const mp_graph_view *view, uint32_t object);
/* "static", "kind 7" */
const char *mp_root_kind_text(mp_arena *arena, uint32_t kind);
/* "pinned+interior+0x10"; "" for none. */
const char *mp_root_flags_text(mp_arena *arena, uint32_t flags);
/* The kinds of the roots of an object that keep it alive, or of the weak ones, by number, with "+"
 * between them; "" where it has none. */
const char *mp_object_roots_text(mp_arena *arena, const mp_graph *graph,
                                 const mp_object_roots *roots, uint32_t object, bool weak);

/* Types by their names, byte-wise. */
int mp_type_compare(const mp_model *model, mp_type_id a, mp_type_id b);

/* --- paths --- */

#define MP_ANY_KIND (-1) /* in place of a kind of roots */

/* Return, for each object, whether its type's name matches the glob. Release with free(). */
bool *mp_objects_of_types(const mp_model *model, const mp_graph *graph, const char *glob);
/* The same of several patterns; one may also be the id of an object. */
bool *mp_objects_matching(const mp_model *model, const mp_graph *graph, const char *const *patterns,
                          size_t count);

/* A search by distance from strong roots. */
typedef struct mp_distances {
    uint32_t *order; /* objects, nearest first */
    uint32_t *above; /* previous object on the way to each object; itself: a root; 0: not reached */
    uint32_t count;  /* number of objects in `order` */
} mp_distances;

/* From roots of one kind, or any. Until `target` is found (0: all). No way leads on from objects
 * that are excluded (of each, whether it is; NULL: none), but one may end there. */
mp_distances mp_distances_from(const mp_graph *graph, int64_t kind, uint32_t target,
                               const bool *excluded);
void mp_distances_free(mp_distances *distances);

/* A shortest path from a root to an object, root first; `count` 0: no root reaches it. */
typedef struct mp_path {
    uint32_t *objects;
    size_t count;
    uint32_t root; /* place in graph->roots */
} mp_path;

/* The search from all strong roots over everything; the view's. */
const mp_distances *mp_graph_distances(mp_graph_view *view);
/* Along a search that was made from roots of that kind. */
mp_path mp_path_along(const mp_graph *graph, const mp_distances *distances, uint32_t object,
                      int64_t kind);
/* From strong roots of one kind, or of any. Of equally short ones, that over the first root and the
 * first reference in the order of the file. */
mp_path mp_path_to(const mp_graph *graph, uint32_t object, int64_t kind, const bool *excluded);
void mp_path_free(mp_path *path);

/* Shortest paths to all objects of types whose name matches the glob, merged where they lead
 * through the same types; a type several times in a row, as in linked lists, counts as once. */
enum { MP_LISTED_STEPS = 65 };

typedef struct mp_type_step {
    uint32_t up; /* the step before, towards the root; 0: there is none */
    uint32_t type;
    uint32_t root_kind;
    uint32_t length; /* steps from the root to this one, itself included; of the kind alone, 0 */
    uint32_t head;   /* the step that ends the first MP_LISTED_STEPS of them, or itself */
    uint32_t path;   /* that ends here, its place in `items`, + 1; 0: none does */
} mp_type_step;

typedef struct mp_type_path {
    uint32_t last;          /* its last step */
    int64_t objects, bytes; /* number and bytes of the type's objects that such paths end at */
    uint32_t example;       /* the first of them in the order of the search */
} mp_type_path;

typedef struct mp_type_paths {
    mp_type_path *items; /* most objects first, then most bytes, then the example's id */
    size_t count;
    mp_type_step *steps; /* from 1 */
    int64_t objects;     /* number of objects of the type */
    int64_t unreached;   /* number of them that no strong root reaches */
    int64_t untracked;   /* those of which that is not known */
    int64_t excluded;    /* that roots reach over what is excluded alone */
} mp_type_paths;

mp_type_paths mp_type_paths_of(const mp_graph_view *view, const char *glob, const bool *excluded);
void mp_type_paths_free(mp_type_paths *paths);

/* --- objects of some types, and what is about them by type --- */

typedef struct mp_type_link {
    uint32_t type;           /* type of the objects; 0: no object */
    int64_t objects;         /* so many of it */
    int64_t bytes;           /* their own */
    int64_t references;      /* to or from those that are asked for */
    int64_t dominated;       /* number of objects asked for that objects of the type dominate */
    int64_t dominated_bytes; /* their own */
} mp_type_link;

/* Most objects first, then most bytes, then by the types' names. */
typedef struct mp_type_links {
    mp_type_link *items;
    size_t count;
} mp_type_links;

/* The types of the objects that refer to one of those that are asked for (of each object, whether
 * it is). */
mp_type_links mp_referrers_of(const mp_graph_view *view, const bool *asked);
/* The types of what dominates them: the nearest that is not passed over (of each object, whether it
 * is). Only of what is reached; type 0 where nothing dominates it. Most dominated bytes first. */
mp_type_links mp_holders_of(const mp_graph_view *view, const bool *asked, const bool *skipped);
/* The types of all that would go if they went. Most bytes first. */
mp_type_links mp_retained_of(const mp_graph_view *view, const bool *asked);
void mp_type_links_free(mp_type_links *links);

/* --- several dumps --- */

/* Types of the window's first session whose bytes grew at every snapshot after `from`, up to `to`.
 */
typedef struct mp_grower {
    mp_type_id type;
    int64_t from_objects, to_objects, from_bytes, to_bytes;
} mp_grower;

/* An accumulation: more objects held by one holder in each dump than in the one before.
 *
 * A holder is recognised in another dump by its place: its type and the types of all objects
 * that dominate it. A list, whose nodes have one type, has the place of its head. A holder holds
 * the objects it refers to, except those that dominate it and the nodes of its own list; or it
 * is a kind of root. Several holders at one place count together, and those whose contents did
 * not change add no growth. Gains of several types are one sum, unless one type makes nine
 * tenths of it. Objects held further down are not listed again. */
typedef struct mp_accumulation {
    uint64_t key;
    uint32_t holder;        /* object at the place that holds most; 0: roots hold */
    uint32_t kind;          /* kind of those roots */
    uint32_t example;       /* the holder; of roots, the object of theirs that retains most */
    uint32_t type;          /* type that is held; of several that gained, the one with most bytes */
    uint32_t types;         /* so many */
    int64_t holders;        /* at the place */
    int64_t objects, bytes; /* held in the last dump, and what those retain */
    int64_t least_step, most_step; /* by how many it grew */
    int64_t steady_bytes;          /* share of `bytes` gained if every step were the least step */
    /* The first dump with a known amount, and that amount; later than dump 0 if several earlier
     * holders are possible. */
    uint32_t first_dump;
    int64_t from_objects, from_bytes;
    uint64_t first_place; /* a hash of its place there; 0: it held nothing then */
    uint32_t place;       /* a number, less than that of places below it */
    size_t counts; /* place in view->accumulated: objects held in each dump, from the first */
} mp_accumulation;

/* By steady bytes descending. None where the dumps before left nothing (model->leave). */
const mp_accumulation *mp_graph_accumulations(mp_graph_view *view, size_t *count);
/* Return true if it is not known what was held in the dump before the last. */
static inline bool mp_accumulation_is_unknown(const mp_graph_view *view,
                                              const mp_accumulation *accumulation)
{
    return accumulation->first_dump + 1 == view->dump_count;
}

/* Return the outermost dominator of an object that can be reached by steps in which the lower
 * one keeps most, over 70 %, of what the upper one retains; the object itself if there is none. */
uint32_t mp_owner_of(const mp_graph_view *view, uint32_t object);

/* A holder that accumulates, and what it retains by that. */
typedef struct mp_growing_holder {
    const char *text; /* "8 more closure held by Array in EventEmitter" */
    int64_t from_bytes, bytes;
} mp_growing_holder;

/* Who holds what grew is known of all dumps up to the one that is kept, and of all types. */
bool mp_window_tells_holders(const mp_window *window);
/* In the order of mp_graph_accumulations, `count` of them, at most `most`: none of another window.
 * In the arena. */
mp_growing_holder *mp_growing_holders(mp_arena *arena, const mp_window *window, size_t most,
                                      size_t *count);

/* A type of which a holder keeps most objects alive. */
typedef struct mp_kept_type {
    uint32_t type;
    int64_t objects, of_objects, bytes; /* that nothing else keeps alive; of so many */
} mp_kept_type;

/* The types that grow with what is held: each object can be reached from it, nine of ten nothing
 * but the holder keeps alive, and there are at least as many as it grew by. Not the type that is
 * held itself; most bytes first. `count` of them. O(references). Release with free(). */
mp_kept_type *mp_kept_with(const mp_graph_view *view, const mp_accumulation *accumulation,
                           size_t *count);

/* Keep of a graph what that needs: the model's, in mp_model.leave. */
void mp_leave_holdings(mp_model *model);

/* By growth descending, then type's name. `count` of them, `steps` how often each grew. */
mp_grower *mp_growers_of(const mp_window *window, size_t *count, uint32_t *steps);

#endif
