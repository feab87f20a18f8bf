/* Profiles by sampling: costs by stack. They become an execution profile with a call tree. */
#pragma once

#include "base/budget.h"
#include "model/profile.h"
#include "readers/stack_builder.h"

/* Set `stacks`, and zero all other members. The user releases `stacks`. */
typedef struct mp_stack_profile {
    mp_stack_builder *stacks;
    mp_budget spent; /* limits the sum of all costs */
    /* The current session: */
    mp_session_id session;
    mp_id_index modules; /* symbol to module */
    mp_id_index lines;   /* module and line to line of the profile */
    uint32_t first_node,
        first_place; /* first node of the session in the model, and its place in the profile */
} mp_stack_profile;

/* Begin a session. Stacks that the builder makes from now on belong to it. */
void mp_stack_profile_begin(mp_stack_profile *profile);
/* Set what the session, and so the whole profile, measures, such as "cpu". It describes the
 * session. Profiles of different measures are not compared. */
void mp_stack_profile_measures(mp_stack_profile *profile, mp_string_id measure);
/* Add a cost to the innermost frame of a stack, which must have one. The cost is in microseconds or
 * samples, and at least 0. Return false, and add nothing, if the sum of all costs would be too
 * large. */
bool mp_stack_profile_add(mp_stack_profile *profile, mp_stack_frame frame, int64_t cost);
/* End the session. Callers get the costs of their callees. */
void mp_stack_profile_end(mp_stack_profile *profile);
void mp_stack_profile_free(mp_stack_profile *profile);
