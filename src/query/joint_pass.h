/* A pass over the references of a graph, which computes the retained sizes of some groups. */
#pragma once

#include "query/graph_query.h"

/* Maximum number of groups in a pass. */
enum { MP_JOINT_SLOTS = 63 };

/* Groups that a pass treats as one: those in `order` from index `from` up to, but not including,
 * `to`. */
typedef struct mp_joint_part {
    mp_groups *groups;
    const uint32_t *order; /* numbers of the groups in their order; NULL: the groups in the order of
                            * their numbers */
    uint32_t from, to;
} mp_joint_part;

typedef struct mp_joint_pass {
    mp_joint_part parts[MP_JOINT_SLOTS];
    uint32_t used;
    mp_joint found[MP_JOINT_SLOTS]; /* what each part retains */
} mp_joint_pass;

/* Compute what the parts retain. The sizes of parts with a single group are stored in that group,
 * which becomes exact. The result does not depend on the number of threads. */
void mp_joint_pass_run(mp_joint_pass *pass, const mp_graph_view *view);
