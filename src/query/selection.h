/* Selection: what of a recording is looked at.
 *
 * A selection is a list of criteria. Of criteria on one subject any may hold, all subjects must,
 * and no negated criterion may. What is selected a filter tells (filter.h). */
#ifndef MP_QUERY_SELECTION_H
#define MP_QUERY_SELECTION_H

#include "base/error.h"
#include "model/model.h"

typedef enum mp_subject {
    MP_SUBJECT_TYPE,    /* glob: of the object */
    MP_SUBJECT_NAME,    /* glob: of the object; the method of a profile's line */
    MP_SUBJECT_SOURCE,  /* glob: source or function that created it; the program of a line */
    MP_SUBJECT_STACK,   /* extended regular expression: some frame "name:line" has a match */
    MP_SUBJECT_THREAD,  /* glob: that created it */
    MP_SUBJECT_TAG,     /* glob for the tag of the snapshot in which the object first appears */
    MP_SUBJECT_REQUEST, /* glob: that created it */
    MP_SUBJECT_API,     /* glob: that this request called */
    MP_SUBJECTS,
} mp_subject;

/* "type": the option's name. */
const char *mp_subject_name(mp_subject subject);

typedef struct mp_criterion {
    mp_subject subject;
    bool negated;
    const char *pattern;
} mp_criterion;

typedef struct mp_selection {
    const mp_criterion *criteria;
    size_t count;
    /* Range of creation times of objects, if the model tells objects apart by it (model->within
     * is the same); else of the snapshots at which they first appear. */
    mp_time_range within;
    bool keeps_profiler; /* code of the profiler counts too, in a profile */
} mp_selection;

static inline bool mp_selects(const mp_selection *selection)
{
    return selection->count || selection->within.since.given || selection->within.until.given;
}

/* Return true if the pattern is valid, which a regular expression may not be. False with a
 * message. */
bool mp_criterion_check(const mp_criterion *criterion, mp_error *error);

typedef enum mp_things {
    MP_THINGS_CONTEXTS,  /* types, names, sources, stacks, threads */
    MP_THINGS_SNAPSHOTS, /* tags, requests: of what is born there in its request */
    MP_THINGS_BETWEEN,   /* the same of what is born there before its request began */
    MP_THINGS_TYPES,     /* types of an object graph */
    MP_THINGS_MODULES,   /* modules of a profile, which must exist: names, sources */
    MP_THINGS_ENTITIES,  /* entities of its coverage: names, sources */
} mp_things;

/* Return, for each of these things by id, whether it matches the criteria on its subjects; other
 * criteria are ignored. Release with free(). The patterns must have been checked. */
bool *mp_matching(const mp_model *model, mp_things things, const mp_criterion *criteria,
                  size_t count);

/* The same for many questions: what they need of the model is made once. Not for several threads at
 * once. */
typedef struct mp_matcher mp_matcher;
mp_matcher *mp_matcher_new(const mp_model *model, mp_things things);
bool *mp_matcher_ask(mp_matcher *matcher, const mp_criterion *criteria, size_t count);
void mp_matcher_free(mp_matcher *matcher);

/* The kinds of recordings, a bit for each mp_kind, that can be selected from by this argument:
 * "not-thread", "since". */
unsigned mp_selection_kinds(const char *argument);
/* Return true if the recordings have the facts that the selection needs. False with a message. */
bool mp_can_select(const mp_model *model, const mp_selection *selection, mp_error *error);

#endif
