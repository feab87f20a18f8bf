/* Building a model: what readers call. Everything added is owned by the model. */
#ifndef MP_MODEL_BUILD_H
#define MP_MODEL_BUILD_H

#include <string.h>

#include "base/memory.h"
#include "base/slice.h"
#include "memprof/diagnostics.h"
#include "model/events.h"
#include "model/model.h"
#include "model/profile.h"

/* Append a cleared element to a list of the model and give its place, valid until the next one. */
#define MP_ADD(list)                                                                               \
    (mp_grow(&(list)->at, &(list)->capacity, (size_t)(list)->count + 1, sizeof *(list)->at),       \
     memset(&(list)->at[(list)->count], 0, sizeof *(list)->at), &(list)->at[(list)->count++])

/* Bytes that are not UTF-8 are read as ISO 8859-1; *converted (may be NULL) is then set. The empty
 * text is none. */
mp_string_id mp_model_intern(mp_model *model, mp_slice text, bool *converted);
mp_string_id mp_model_intern_text(mp_model *model, const char *text);

/* The profile of the model, made at the first call. */
mp_profile *mp_model_profile(mp_model *model);

/* What a log of events tells, made at the first call. */
mp_events *mp_model_events(mp_model *model);
/* All logs are read: infer the types of living blocks from those of dead ones (events->inference).
 */
void mp_events_infer(mp_model *model);

/* Make the call tree of all nodes (model->tree): equal stacks become one node. Cycles of parents
 * are cut with a diagnostic. Call once, when all inputs are read. */
void mp_model_build_tree(mp_model *model, mp_diagnostics *diagnostics);

#endif
