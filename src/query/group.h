/* Groups: the objects of a window by what they have in common. */
#ifndef MP_QUERY_GROUP_H
#define MP_QUERY_GROUP_H

#include "base/memory.h"
#include "model/events.h"
#include "query/window.h"

/* Key of a group: generations with equal keys are in one group. */
typedef struct mp_key {
    uint64_t a, b;
} mp_key;

/* Return the key of the source or function that a tree node is in; unknown nodes have keys of
 * their own. */
uint64_t mp_source_key(const mp_model *model, uint32_t node);

typedef struct mp_dimension {
    const char *name;
    const char *summary;
    mp_key (*key)(const mp_model *model, const mp_generation *generation);
    /* The group's name: of the model, or in the arena; `generation` is any of the group. */
    const char *(*label)(mp_arena *arena, const mp_model *model, const mp_generation *generation);
    bool of_source;  /* the label is that of a node, of where the example was created */
    bool of_context; /* the key depends on the generation's context alone: inclusive bytes can be
                        told */
    /* By every frame of a stack: an object is in the groups of all functions on it, once in each.
     * Such groups do not add up. `key` and `label` are then of tree nodes. */
    bool of_frames;
    unsigned kinds;    /* 1 << mp_kind for each that has such a thing; 0: all have */
    const char *title; /* in headings, where the name could be taken for the object's; NULL: it */
} mp_dimension;

/* All dimensions; a new one is a row of the table in dimensions.c. */
const mp_dimension *mp_dimensions(size_t *count);
const mp_dimension *mp_dimension_find(const char *name);
/* Return what reports group by where nothing else is asked for: types, but of a heap log that tells
 * none, which has sources. */
const mp_dimension *mp_dimension_usual(const mp_model *model);
/* Return the dimension's name for headings. Static. */
const char *mp_dimension_title(const mp_dimension *dimension);
/* Return true if recordings of this kind have the dimension. */
bool mp_dimension_fits(const mp_dimension *dimension, const mp_model *model);

typedef struct mp_group {
    const char *label;
    mp_generation_id example;         /* the first generation of the group */
    uint32_t node;                    /* node of the example, in model->tree */
    mp_cost end;                      /* all that happened up to the window's end */
    int64_t from_objects, from_bytes; /* alive at its begin */
    mp_cost leaked;                   /* cost of generations born after `from`, up to `end` */
    int64_t inclusive_bytes;          /* alive at `end`, with all that is scoped to the group */
    int64_t from_inclusive_bytes;     /* likewise, at `from` */
    int64_t kept_bytes;               /* leaked, with all that is scoped to what leaked */
    int64_t pool_objects;             /* leaked and scoped to the session's unnamed widget pool */
    int64_t owned_by_leak;            /* leaked and scoped to what leaks too */
    mp_peak_share at_peak;            /* alive when most bytes were; where there are events */
    /* Snapshots at which any of `leaked` was born, of those of the same sessions that created
     * anything. */
    uint32_t grew, moments;
    uint32_t grew_sessions; /* those sessions */
} mp_group;

/* Return true if a session had more than one moment at which the group could grow: one moment
 * says nothing. */
static inline bool mp_group_growth_told(const mp_group *group)
{
    return group->moments > group->grew_sessions;
}

/* Grew at most once in each session, as a cache does that fills and stays. */
static inline bool mp_group_grew_once(const mp_group *group)
{
    return group->grew <= group->grew_sessions && mp_group_growth_told(group);
}

typedef struct mp_grouping {
    mp_group *groups; /* groups that are not empty, by label, then node, then example */
    uint32_t count;
    bool has_scope; /* objects have owners: inclusive and kept bytes mean something */
    /* By generation, the place of its group, + 1; for dimensions of frames, by tree node. */
    uint32_t *group_of;
    bool of_frames;
    unsigned extras; /* that are worked out */
    bool labelled;
    void *private;
} mp_grouping;

/* Figures of groups that are computed on request. */
enum {
    MP_GROUPS_SCOPED = 1, /* has_scope, inclusive bytes; not of dimensions that are no context's */
    MP_GROUPS_GROWTH = 2, /* grew, moments, grew_sessions: one more pass over the generations */
    MP_GROUPS_KEPT = 4,   /* has_scope, kept_bytes */
};

/* The window's groups, each dimension's worked out once. Sums of every field but inclusive
 * and kept bytes over all groups are the window's, but for dimensions of frames, which leave what
 * belongs to owners at 0 and have no extras. Whoever wants another order sorts pointers or rows. */
const mp_grouping *mp_window_groups(const mp_window *window, const mp_dimension *dimension,
                                    unsigned extras);

/* The groups of all that was there up to the window's end, also if nothing at its ends tells of
 * them; without labels and figures, in the order of their first generations. Release with
 * mp_grouping_free. */
mp_grouping mp_groups_ever(const mp_window *window, const mp_dimension *dimension);
void mp_grouping_free(mp_grouping *grouping);

/* Add MP_GROUPS_SCOPED and MP_GROUPS_KEPT, as `wanted` says, to groups of any kind: `groups`,
 * `count` and `group_of` are given. */
void mp_groups_add_scoped(const mp_window *window, mp_grouping *grouping, unsigned wanted);

/* Return, for each group, its amount at `to` without accepted leaks. Release with free(). */
int64_t *mp_held_of_groups(const mp_window *window, const mp_grouping *grouping);

/* The most alive of each type at once, by type, as databases state it up to the window's end; of
 * several sessions added. -1: not told, of one of them. Of everything, whatever is selected.
 * Release with free(). */
mp_type_peak *mp_stated_peaks(const mp_window *window);

/* --- the call tree --- */

typedef struct mp_tree_cost {
    int64_t own_objects, own_bytes;             /* created by the node itself, alive at `to` */
    int64_t inclusive_objects, inclusive_bytes; /* with what it called */
} mp_tree_cost;

/* By place in model->tree; [0] is the session. Release with free(). */
mp_tree_cost *mp_tree_costs(const mp_window *window);

#endif
