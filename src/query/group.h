/* Groups: the objects of a window with a common property. */
#pragma once

#include "base/memory.h"
#include "model/events.h"
#include "query/window.h"

/* Key of a group. Generations with equal keys belong to the same group. */
typedef struct mp_key {
    uint64_t a, b;
} mp_key;

/* Return the key of the source or function of a tree node; nodes without a symbol have unique
 * keys. */
uint64_t mp_source_key(const mp_model *model, uint32_t node);

typedef struct mp_dimension {
    const char *name;
    const char *summary;
    mp_key (*key)(const mp_model *model, const mp_generation *generation);
    /* Return the label of a group, which belongs to the model or the arena. `generation` is any
     * generation of the group. */
    const char *(*label)(mp_arena *arena, const mp_model *model, const mp_generation *generation);
    bool of_source;  /* the label is that of the node that created the example */
    bool of_context; /* the key depends only on the context, so inclusive bytes can be computed */
    /* Grouped by every frame of a stack: an object belongs once to the group of each function on
     * its stack, so these groups do not add up. `key` and `label` are NULL. */
    bool of_frames;
    unsigned kinds;    /* kinds that have the property, as 1 << mp_kind; 0: all */
    const char *title; /* name in headings, if `name` would be ambiguous; NULL: `name` */
} mp_dimension;

/* Return all dimensions: the table in dimensions.c. */
const mp_dimension *mp_dimensions(size_t *count);
const mp_dimension *mp_dimension_find(const char *name);
/* Return the default dimension of reports: the type or, for heap logs without types, the source. */
const mp_dimension *mp_dimension_usual(const mp_model *model);
/* Return the dimension's name for headings. Static. */
const char *mp_dimension_title(const mp_dimension *dimension);
/* Return true if the model has the dimension. */
bool mp_dimension_fits(const mp_dimension *dimension, const mp_model *model);

/* Objects that are left behind: born in the window, and alive at its end. */
typedef struct mp_left_behind {
    int64_t objects, bytes;
    int64_t idle; /* those among them that are temp-tables without instances */
} mp_left_behind;

/* Figures of a group that depend on the owners of objects. */
typedef struct mp_group_scope {
    /* bytes alive at `to` and at `from`, including objects whose owners are in the group */
    int64_t inclusive_bytes, from_inclusive_bytes;
    int64_t kept_bytes;    /* leaked bytes, including objects whose owners leak */
    int64_t pool_objects;  /* leaked objects scoped to the session's unnamed widget pool */
    int64_t owned_by_leak; /* leaked objects whose owner leaks too */
} mp_group_scope;

typedef struct mp_group {
    const char *label;
    mp_generation_id example;         /* the first generation of the group */
    uint32_t node;                    /* node of the example, in model->tree */
    mp_cost end;                      /* all changes up to the end of the window */
    int64_t from_objects, from_bytes; /* alive at the start of the window */
    mp_left_behind leaked;
    mp_peak_share at_peak; /* alive at the peak of all bytes; event logs only */
    /* Number of snapshots at which leaked objects were created, and number of all snapshots of the
     * same sessions at which any object was created. */
    uint32_t grew, moments;
    uint32_t grew_sessions; /* number of sessions in which leaked objects were created */
    uint32_t scope;         /* index in mp_grouping.scopes */
} mp_group;

/* Return true if growth can be judged: some session has more than one snapshot at which the group
 * could grow. */
static inline bool mp_group_growth_told(const mp_group *group)
{
    return group->moments > group->grew_sessions;
}

/* Return true if the group grew at most once in each session, like a cache that fills and then
 * stays. */
static inline bool mp_group_grew_once(const mp_group *group)
{
    return group->grew <= group->grew_sessions && mp_group_growth_told(group);
}

typedef struct mp_grouping {
    mp_group *groups; /* non-empty groups, sorted by label, then by node, then by example */
    uint32_t count;
    bool has_scope; /* objects have owners, so inclusive and kept bytes are meaningful */
    /* figures of the groups by mp_group.scope; NULL: no object has an owner, as in most logs, whose
     * groups take less memory without them */
    mp_group_scope *scopes;
    /* 1 + the index of the group of each generation or, for dimensions of frames, of each tree
     * node. */
    uint32_t *group_of;
    bool of_frames;
    unsigned extras; /* computed figures: MP_GROUPS_... */
    bool labelled;
    void *private;
} mp_grouping;

/* Return the figures of a group that depend on owners. Without owners, they are those of its own
 * objects; for dimensions of frames, they are 0. */
static inline mp_group_scope mp_group_scope_of(const mp_grouping *grouping, const mp_group *group)
{
    if (grouping->scopes)
        return grouping->scopes[group->scope];
    if (grouping->of_frames)
        return (mp_group_scope){0};
    return (mp_group_scope){.inclusive_bytes = group->end.bytes,
                            .from_inclusive_bytes = group->from_bytes,
                            .kept_bytes = group->leaked.bytes};
}

/* Figures of groups that are computed on request. */
enum {
    MP_GROUPS_SCOPED = 1, /* has_scope, inclusive bytes; only for dimensions with of_context */
    MP_GROUPS_GROWTH =
        2,              /* grew, moments, grew_sessions; needs another pass over the generations */
    MP_GROUPS_KEPT = 4, /* has_scope, kept_bytes */
};

/* Return the groups of a window by a dimension; they are cached in the window. The sum of a field
 * over all groups is that of the window, except for inclusive and kept bytes, and for dimensions of
 * frames. Dimensions of frames have no extras. To get another
 * order, sort pointers to the groups, or rows made of them. */
const mp_grouping *mp_window_groups(const mp_window *window, const mp_dimension *dimension,
                                    unsigned extras);

/* Group a large window on another thread, for a later mp_window_groups. The window must not move
 * until then. Small windows are not grouped ahead. */
void mp_window_group_ahead(const mp_window *window, const mp_dimension *dimension);

void mp_grouping_free(mp_grouping *grouping);

/* Generations assigned to groups, without figures. */
typedef struct mp_members {
    uint32_t *group_of; /* 1 + the index of the group of each generation; 0: not counted */
    uint32_t *examples; /* the first generation of each group; ascending */
    uint32_t count;     /* number of groups */
} mp_members;

/* Return the groups of all generations born up to the end of the window, even if they have no
 * figures at its ends. The dimension must not be one of frames. Release both arrays with free(). */
mp_members mp_members_of(const mp_window *window, const mp_dimension *dimension);

/* Add the figures that `wanted` selects, MP_GROUPS_SCOPED and MP_GROUPS_KEPT, to the scopes of
 * groups of any kind, if there are owners. `groups`, `count` and `group_of` must be set. */
void mp_groups_add_scoped(const mp_window *window, mp_grouping *grouping, unsigned wanted);

/* Return the bytes of each group that are alive at `to`, without accepted leaks. Release with
 * free(). */
int64_t *mp_held_of_groups(const mp_window *window, const mp_grouping *grouping);

/* --- the call tree --- */

typedef struct mp_tree_cost {
    int64_t own_objects,
        own_bytes; /* objects and bytes that the node itself created, alive at `to` */
    int64_t inclusive_objects, inclusive_bytes; /* including its callees */
} mp_tree_cost;

/* Return the costs by index in model->tree; [0] is the session. Release with free(). */
mp_tree_cost *mp_tree_costs(const mp_window *window);
